// The curves over a whole turn, −90° to 270°: values, sets, crossings, and the best direction of a set. No drawing.

const QUARTER = Math.PI / 2;
const ARRAYS = ["V", "drawn", "objective", "angles", "leaving", "entering", "first", "ids", "tints"];

/** Number of sorted values that are at most x. */
function countUpTo(sorted, x) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x) low = middle + 1; else high = middle;
  }
  return low;
}

/** Every crossing of few curves over half a turn, with each other or with zero (j = −1), in order. */
function crossingsOf(rows) {
  const found = [];
  for (let i = 0; i < rows.length; i++) {
    for (let j = -1; j < i; j++) {
      const [a, b] = j < 0 ? rows[i] : [rows[i][0] - rows[j][0], rows[i][1] - rows[j][1]];
      if (a || b) found.push({ angle: a ? Math.atan(-b / a) : QUARTER, i, j });
    }
  }
  return found.sort((p, q) => p.angle - q.angle);
}

/** The curves of few rows, worked out in the browser; larger problems arrive worked out. */
function curvesOf(rows, k) {
  const value = (i, phi) => rows[i][0] * Math.sin(phi) + rows[i][1] * Math.cos(phi);
  const topAt = (phi) => rows.map((_, i) => i).filter((i) => value(i, phi) > 0).sort((i, j) => value(j, phi) - value(i, phi)).slice(0, k).sort((i, j) => i - j);
  const half = crossingsOf(rows), turn = [...half.map((m) => m.angle), ...half.map((m) => m.angle + Math.PI)];
  const edges = [-QUARTER, ...turn, 3 * QUARTER], known = new Map();
  const number = (set) => { const key = set.join(); if (key && !known.has(key)) known.set(key, known.size); return known.get(key) ?? -1; };
  let set = topAt((edges[0] + edges[1]) / 2);
  const found = { first: set, angles: [], leaving: [], entering: [], ids: [number(set)] };
  edges.slice(1, -1).forEach((angle, e) => {
    if (edges[e + 2] - angle < 1e-12) return;
    const next = topAt((angle + edges[e + 2]) / 2), out = set.filter((i) => !next.includes(i)), into = next.filter((i) => !set.includes(i));
    for (let c = 0; c < Math.max(out.length, into.length); c++) {
      found.angles.push(angle);
      found.leaving.push(out[c] ?? -1);
      found.entering.push(into[c] ?? -1);
      found.ids.push(number(next));
    }
    set = next;
  });
  const crossings = { angles: half.map((m) => m.angle), i: half.map((m) => m.i), j: half.map((m) => m.j) };
  return new Curves({ ...found, n: rows.length, k, nonnegative: true, V: rows.flat(), numbered: true, names: {}, crossings,
    candidates: known.size, drawn: rows.map((_, i) => i), objective: [], optimum: { phi: 0, value: 0 } });
}

/** A problem with the set of the k highest curves as it changes along φ. */
class Curves {
  constructor(data) {
    const read = (packed) => (packed?.kind ? unpack(packed) : packed);
    Object.assign(this, data, Object.fromEntries(ARRAYS.map((name) => [name, read(data[name])])));
    if (data.scene) this.scene = readScene(data.scene);
    if (data.envelope) this.envelope = { ...data.envelope, low: unpack(data.envelope.low), high: unpack(data.envelope.high) };
    this.start = -QUARTER;
    this.end = 3 * QUARTER;
    this.member = new Uint8Array(this.n);
    this.region = 0;
    for (const i of this.first) this.member[i] = 1;
    this.peak = 0;
    for (let i = 0; i < this.n; i++) this.peak = Math.max(this.peak, this.size(i));
    this.peak = this.peak || 1;
    this.meetings = data.crossings ? this.readMeetings(...["angles", "i", "j"].map((name) => read(data.crossings[name]))) : null;
    this.stops = [...new Set(this.angles)];
  }

  size(i) { return Math.hypot(this.V[2 * i], this.V[2 * i + 1]); }

  /** The entry itself, with its sign. */
  entry(i, phi) { return this.V[2 * i] * Math.sin(phi) + this.V[2 * i + 1] * Math.cos(phi); }

  /** What is drawn and compared: the entry, or its magnitude where signs are free. */
  value(i, phi) {
    const v = this.entry(i, phi);
    return this.nonnegative ? v : Math.abs(v);
  }

  /** Bring any angle into the turn that is drawn. */
  wrap(phi) {
    const span = this.end - this.start;
    return this.start + ((((phi - this.start) % span) + span) % span);
  }

  regionAt(phi) { return countUpTo(this.angles, phi); }

  /** Make `member` the set of a region, calling `visit` for each region passed on the way. */
  goTo(region, visit) {
    while (this.region < region) {
      this.swap(this.leaving[this.region], this.entering[this.region]);
      this.region += 1;
      if (visit) visit(this.region);
    }
    while (this.region > region) {
      this.region -= 1;
      this.swap(this.entering[this.region], this.leaving[this.region]);
      if (visit) visit(this.region);
    }
  }

  swap(out, into) {
    if (out >= 0) this.member[out] = 0;
    if (into >= 0) this.member[into] = 1;
  }

  /** The present set, ascending. */
  set() {
    const found = [];
    for (let i = 0; i < this.n; i++) if (this.member[i]) found.push(i);
    return found;
  }

  /** The set of a region, leaving the curves where they are. */
  setOf(region) {
    const here = this.region;
    this.goTo(region);
    const set = this.set();
    this.goTo(here);
    return set;
  }

  /** The sets just left and just right of an angle at which something changes. */
  around(angle) {
    const [left, right] = [-1e-9, 1e-9].map((side) => countUpTo(this.angles, angle + side));
    return { left, right, before: this.setOf(left), after: this.setOf(right) };
  }

  edges(region) {
    return [region ? this.angles[region - 1] : this.start,
      region < this.angles.length ? this.angles[region] : this.end];
  }

  /** All crossings over the whole turn, each known to matter or not. */
  readMeetings(angles, one, two) {
    const found = [];
    for (const turn of [0, Math.PI]) {
      angles.forEach((angle, m) => {
        const phi = angle + turn;
        found.push({ phi, i: one[m], j: two[m], height: this.value(one[m], phi), matters: this.swaps(phi, one[m], two[m]) });
      });
    }
    return found;
  }

  /** The sum of squares of a set's values at φ. */
  squares(set, phi) { return set.reduce((sum, i) => sum + this.entry(i, phi) ** 2, 0); }

  /** The objective at φ: that of the k highest values above zero. */
  objectiveAt(phi) { return this.squares(this.setOf(this.regionAt(phi)), phi); }

  /** All crossings where they are few, else those that change the set. */
  get marked() { return this.meetings ?? Array.from(this.angles, (_, e) => this.changeAt(e)); }

  /** Whether i or j enters or leaves the set at φ. */
  swaps(phi, i, j) {
    const last = countUpTo(this.angles, phi + 1e-9);
    for (let e = countUpTo(this.angles, phi - 1e-9); e < last; e++) {
      if ([this.leaving[e], this.entering[e]].some((x) => x >= 0 && (x === i || x === j))) return true;
    }
    return false;
  }

  /** The crossing behind a change: at place k two curves swap, or one meets zero. */
  changeAt(e) {
    const [out, into] = [this.leaving[e], this.entering[e]];
    const i = out >= 0 ? out : into, j = out >= 0 ? into : -1, phi = this.angles[e];
    return { phi, i, j, height: j < 0 ? 0 : this.value(i, phi), matters: true };
  }

  /** How many other curves are above the two that meet. */
  above(meeting) {
    let count = 0;
    for (let i = 0; i < this.n; i++) {
      if (i !== meeting.i && i !== meeting.j && this.value(i, meeting.phi) > meeting.height + 1e-12 * this.peak) count++;
    }
    return count;
  }

  /**
   * (P₂) for a set: the arc on which all its curves are nonnegative, the leading direction u₁ (both signs),
   * whether it lies in the arc, and the best allowed direction. Angles are those of φ.
   */
  arc(set) {
    let a = 0, b = 0, c = 0;
    for (const i of set) {
      a += this.V[2 * i] ** 2; b += this.V[2 * i] * this.V[2 * i + 1]; c += this.V[2 * i + 1] ** 2;
    }
    const value = (phi) => (a + c) / 2 + ((c - a) / 2) * Math.cos(2 * phi) + b * Math.sin(2 * phi);
    const free = Math.atan2(b, (c - a) / 2) / 2;
    if (!this.nonnegative || !set.length) {
      return { whole: true, contains: () => true, free, inside: true, best: this.wrap(free), value: set.length ? value(free) : 0 };
    }
    const rows = set.filter((i) => this.size(i) > 0);
    const peaks = rows.map((i) => Math.atan2(this.V[2 * i], this.V[2 * i + 1]));
    let high = Infinity, low = -Infinity;
    for (const peak of peaks) {
      const offset = ((peak - peaks[0] + 3 * Math.PI) % TURN) - Math.PI;
      low = Math.max(low, offset);
      high = Math.min(high, offset);
    }
    const from = peaks[0] + low - QUARTER, to = Math.max(peaks[0] + high + QUARTER, from);
    const allowed = (phi) => ((phi - from) % TURN + TURN) % TURN <= to - from + 1e-12;
    const direct = [free, free + Math.PI].find(allowed);
    const inside = direct !== undefined;
    const best = inside ? direct : value(from) >= value(to) ? from : to;
    return { whole: false, contains: allowed, from, to, free, inside, best, value: value(best) };
  }
}
