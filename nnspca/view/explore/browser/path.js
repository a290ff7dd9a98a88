// The path: for each k what is known of the optimum there; its components come with the page or are fetched.

class Path {
  constructor(data) {
    Object.assign(this, data);
    this.scene = readScene(data.scene);
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

const AGAIN_AFTER = 1000; // milliseconds after which components that did not come are asked for again

/** Components by k with what is said of them, and the names of their features; `come` is called when more have come. */
class Components {
  constructor(come) { Object.assign(this, { at: new Map(), names: {}, come, tried: -AGAIN_AFTER }); }

  take({ ks, says, contexts, scored, names, ...packed }) {
    const [starts, support, levels, scores] = [packed.starts, packed.support, packed.levels, packed.scores].map(unpack);
    let first = 0; // of the scores
    ks.forEach((k, s) => {
      const [from, to] = [starts[s], starts[s + 1]], own = Float32Array.from(levels.subarray(from, to));
      const size = Math.sqrt(own.reduce((sum, v) => sum + v * v, 0)) || 1;
      const part = { says: says[s], context: contexts[s], support: support.subarray(from, to), weights: own.map((v) => v / size) };
      this.at.set(k, { ...part, scores: scores.subarray(first, (first += scored[s])) });
    });
    Object.assign(this.names, names);
  }

  /** Fetch those of all k from an address, unless they are here or on their way. */
  async fetch(address) {
    if (address === this.address || performance.now() - this.tried < AGAIN_AFTER) return;
    this.tried = Infinity; // on its way
    try {
      const answer = await fetch(address);
      if (!answer.ok) throw answer;
      this.take(await answer.json());
      this.address = address;
      this.tried = -AGAIN_AFTER;
      this.come();
    } catch { // the server does not answer now
      this.tried = performance.now();
    }
  }
}
