// The path: for each k its component, what is said of it, and what is known of the optimum there.

class Path {
  constructor(data) {
    Object.assign(this, data);
    this.scene = readScene(data.scene);
    const starts = unpack(data.starts), support = unpack(data.support), weights = unpack(data.weights);
    const cut = (all, s) => all.subarray(starts[s], starts[s + 1]);
    this.parts = this.ks.map((_, s) => ({ support: cut(support, s), weights: cut(weights, s) }));
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
}
