// The path: for each k its component, its variance, and the least ceiling proven for it.

class Path {
  constructor(data) {
    this.ks = data.ks;
    this.n = data.n;
    this.shares = data.shares;
    this.scene = readScene(data.scene);
    this.noun = data.noun;
    const starts = unpack(data.starts), support = unpack(data.support), weights = unpack(data.weights);
    const cut = (all, s) => all.subarray(starts[s], starts[s + 1]);
    this.parts = this.ks.map((_, s) => ({ support: cut(support, s), weights: cut(weights, s) }));
    // none before anything is proven; then those at other k hold here too
    this.ceilings = this.ks.map((_, s) => data.ceilings[s] ?? Infinity);
    this.proven = new Set(data.proven);
  }

  /** The last stop at or below a k. */
  stopAt(k) {
    let s = 0;
    while (s + 1 < this.ks.length && this.ks[s + 1] <= k) s++;
    return s;
  }

  nearestStop(k) {
    const away = (s) => Math.abs(Math.log(this.ks[s] / k));
    return this.ks.reduce((best, _, s) => (away(s) < away(best) ? s : best), 0);
  }

  /** How much of the best possible is proven to be kept, or undefined before there is a ceiling. */
  kept(s) {
    const ceiling = this.ceilings[s];
    return Number.isFinite(ceiling) ? Math.min(this.shares[s] / ceiling, 1) : undefined;
  }

  words(s) {
    const { support } = this.parts[s], k = this.ks[s], kept = this.kept(s);
    const some = `${count(support.length)} of ${count(this.n)} ${this.noun}`;
    const held = `${some} keep ${floorTo(100 * this.shares[s], 1)} % of λ₁ (what PCA keeps with all)`;
    const fewer = support.length < k
      ? ` (${count(k)} were allowed: no further one would add variance without a negative loading.)` : "";
    if (kept === undefined) return `${held}. What nobody can pass is still to be proven.${fewer}`;
    const optimal = kept >= 1 - OPTIMAL;
    return optimal ? `${held}: proven optimal, to 1 part in 10,000.${fewer}`
      : `${held}; nobody can keep more than ${ceilTo(100 * this.ceilings[s], 1)} %: at least ${sharePercent(kept)} of the best, proven.${fewer}`;
  }
}

const OPTIMAL = 1e-4;
