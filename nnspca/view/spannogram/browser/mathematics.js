// The mathematics of one direction: values of curves, sets, the feasible arc and its optimum. No drawing.

const QUARTER = Math.PI / 2;
const TURN = 2 * Math.PI;

/** Bring an angle into (−π/2, π/2]: where it stands on the axis. */
function onAxis(phi) {
  return phi - Math.PI * Math.ceil((phi - QUARTER) / Math.PI);
}

/** Number of sorted values that are at most x. */
function countUpTo(sorted, x) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x) low = middle + 1; else high = middle;
  }
  return low;
}

/** The problem a page sent, unpacked, with the top set as it changes along φ. */
class Curves {
  constructor(data) {
    Object.assign(this, data);
    this.V = unpack(data.V);
    this.drawn = unpack(data.drawn);
    this.objective = unpack(data.objective);
    this.angles = unpack(data.angles);
    this.leaving = unpack(data.leaving);
    this.entering = unpack(data.entering);
    this.first = unpack(data.first);
    this.ids = unpack(data.ids);
    if (data.place) this.place = unpack(data.place);
    if (data.axis) this.axis = { ...data.axis, values: unpack(data.axis.values) };
    this.start = -QUARTER;
    this.end = data.nonnegative ? 3 * QUARTER : QUARTER;
    this.member = new Uint8Array(this.n);
    this.region = 0;
    for (const i of this.first) this.member[i] = 1;
    this.peak = 0;
    for (let i = 0; i < this.n; i++) this.peak = Math.max(this.peak, this.size(i));
    this.peak = this.peak || 1;
    this.meetings = data.crossings ? this.readMeetings(data.crossings) : null;
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

  /** Bring any angle into the range that is swept. */
  wrap(phi) {
    const span = this.end - this.start;
    return this.start + ((((phi - this.start) % span) + span) % span);
  }

  flipped(phi) { return this.nonnegative && phi > QUARTER; }

  regionAt(phi) { return countUpTo(this.angles, phi); }

  /** Make `member` the top set of a region, calling `visit` for each region passed on the way. */
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

  /** The present top set, ascending. */
  set() {
    const found = [];
    for (let i = 0; i < this.n; i++) if (this.member[i]) found.push(i);
    return found;
  }

  /** The top sets just left and just right of an angle at which something changes. */
  around(angle) {
    const here = this.region;
    const right = countUpTo(this.angles, angle + 1e-9), left = countUpTo(this.angles, angle - 1e-9);
    this.goTo(left);
    const before = this.set();
    this.goTo(right);
    const after = this.set();
    this.goTo(here);
    return { left, right, before, after };
  }

  edges(region) {
    return [region ? this.angles[region - 1] : this.start,
      region < this.angles.length ? this.angles[region] : this.end];
  }

  /** All crossings over the whole range swept, each known to matter or not. */
  readMeetings(packed) {
    const angles = unpack(packed.angles), one = unpack(packed.i), two = unpack(packed.j);
    const found = [];
    for (const turn of this.nonnegative ? [0, Math.PI] : [0]) {
      angles.forEach((angle, m) => {
        const phi = angle + turn;
        found.push({ phi, i: one[m], j: two[m], height: this.value(one[m], phi), matters: this.swaps(phi, one[m], two[m]) });
      });
    }
    return found;
  }

  /** Whether the top set changes at φ by i or j coming or going. */
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
   * (P₂) for a set: the arc on which all its curves are nonnegative, the freest direction u₁ (both signs),
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
      return { whole: true, free, inside: true, best: this.wrap(free), value: set.length ? value(free) : 0 };
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
    const held = (phi) => ((phi - from) % TURN + TURN) % TURN <= to - from + 1e-12;
    const direct = [free, free + Math.PI].find(held);
    const inside = direct !== undefined;
    const best = inside ? direct : value(from) >= value(to) ? from : to;
    return { whole: false, from, to, free, inside, best, value: value(best) };
  }
}
