// The chart: variance against k with the band in which the optimum lies, and below it the gap to the best possible.

const FLOOR = Math.log10(OPTIMAL) - 0.5; // where "optimal" stands on the axis of the gap
const NEAR = 12; // pixels from a point within which a press means it

const gapPlace = (gap) => (gap <= OPTIMAL ? FLOOR : Math.log10(gap));

class Curve {
  layout(path, width, height, palette) {
    Object.assign(this, { path, width, height, palette });
    const { ks, band } = path, flat = height < 260;
    this.closed = band.optimal.length > 0 && band.optimal.every(Boolean);
    this.left = 58;
    this.right = width - 12;
    this.top = flat ? 22 : 44;
    this.foot = height - 40;
    this.split = this.top + 0.36 * (this.foot - this.top); // the gap, which tells more, has the larger share
    this.below = this.split + 34;
    const first = Math.min(ks[0], band.ks[0] ?? ks[0]), last = Math.max(ks.at(-1), band.ks.at(-1) ?? 0);
    const [low, high] = [Math.log(first * 0.9), Math.log(Math.max(last, first + 1) * 1.06)];
    this.along = axisOf(low, high, this.left, this.right);
    const tops = [...path.shares, ...band.upper].filter((v) => v <= 1.2);
    this.most = Math.max(...tops, 0.05) * 1.04;
    const gaps = [...path.gaps, ...band.gaps, ...path.curves.flatMap((c) => c.gaps)].filter((g) => g !== null);
    this.y = axisOf(0, this.most, this.split, this.top);
    this.widest = Math.max(...gaps.map(gapPlace), -2) + 0.3;
    this.deep = axisOf(FLOOR, this.widest, this.foot, this.below);
  }

  x(k) { return this.along(Math.log(k)); }
  kAt(x) { return Math.exp(this.along.back(x)); }
  gapY(gap) { return Math.max(this.deep(gapPlace(gap)), this.below); }

  draw(brush) {
    this.axes(brush);
    this.shade(brush);
    this.lines(brush);
    this.marks(brush);
    if (!this.path.band.ks.length) brush.text("Computing upper bounds …", (this.left + this.right) / 2, (this.below + this.foot) / 2, { size: SIZES.small, align: "center" });
  }

  axes(brush) {
    const { palette, path } = this, flat = this.height < 260, size = SIZES.small;
    brush.text("Share of the total variance (%)", 4, 13, { size });
    if (!flat) this.legend(brush, 31);
    const title = "Gap to the best possible (%, log scale)", wide = brush.measure(title, size) + brush.measure(path.closed, size) + 24;
    brush.text(title, 4, this.below - 10, { size });
    if (path.closed && !this.closed && wide < this.width) brush.text(path.closed, this.right, this.below - 10, { size, align: "right", colour: palette.proven });
    for (const share of evenly(this.most)) this.rule(brush, this.y(share), `${Math.round(1000 * share) / 10}`);
    let last = this.foot;
    this.rule(brush, this.foot, "optimal");
    for (const power of [-4, -3, -2, -1, 0]) {
      const y = this.gapY(10 ** power * 1.0000001);
      if (power > this.widest || last - y < 13 || y < this.below - 2) continue;
      this.rule(brush, y, String(Number((100 * 10 ** power).toPrecision(1))));
      last = y;
    }
    for (const k of this.kTicks((text) => brush.measure(text, size))) {
      brush.text(count(k), Math.min(this.x(k), this.width - brush.measure(count(k), size) / 2 - 1), this.foot + 20, { size, align: "center" });
    }
    brush.text("k, nonzero loadings allowed (log scale)", (this.left + this.right) / 2, this.foot + 36, { size, align: "center" });
  }

  /** One line that names what is drawn; what does not fit is left to the hover. */
  legend(brush, y) {
    const { palette, path } = this;
    const entries = [["line", palette.found, "best found"], ["tick", palette.upper_bound, "upper bound"]];
    for (const curve of path.curves) entries.push(["line", this.colour(curve), curve.title, this.dash(curve)]);
    if (!path.band.optimal.every(Boolean)) entries.push(["area", palette.band, "the optimum lies in here"]);
    let x = this.left;
    for (const [kind, colour, text, dash] of entries) {
      const wide = brush.measure(text, SIZES.small) + 26;
      if (x + wide > this.right + 8) break;
      brush.line([[x, y - 4], [x + 16, y - 4]], { colour, wide: { line: 2, tick: 3, area: 10 }[kind], dash });
      brush.text(text, x + 20, y, { size: SIZES.small });
      x += wide + 8;
    }
  }

  colour({ place }) { return this.palette.series[place % this.palette.series.length]; }
  dash({ place }) { return [[7, 4], [2, 3], [9, 3, 2, 3], [12, 4]][(place + Math.floor(place / 6)) % 4]; }

  /** The first k and the last, and of the round ones between them those that have room. */
  kTicks(widthOf) {
    const { ks } = this.path, last = ks.at(-1), kept = [last];
    const apart = (a, b) => Math.abs(this.x(a) - this.x(b)) - (widthOf(count(a)) + widthOf(count(b))) / 2;
    for (const k of [1, 10, 100, 1000, 10000, 5, 50, 500, 5000, 2, 20, 200, 2000]) {
      if (k >= ks[0] && k < last && kept.every((other) => apart(k, other) >= 6)) kept.push(k);
    }
    return kept;
  }

  rule(brush, y, text) {
    brush.line([[this.left, y], [this.right, y]], { colour: this.palette.grid, wide: 1 });
    brush.text(text, this.left - 5, y + 4, { size: SIZES.small, align: "right" });
  }

  /** Shade the band in both panels; where a bound is carried over from another k, lightly. */
  shade(brush) {
    const { band } = this.path, colour = this.palette.band, every = band.ks.map((_, s) => s), sure = every.filter((s) => band.proven[s]);
    for (const [rows, strength] of [[every, 0.45], [sure, 1]]) {
      if (!rows.length || (strength < 1 && sure.length === every.length)) continue;
      const along = (yOf) => rows.map((s) => [this.x(band.ks[s]), yOf(s)]);
      brush.area([...along((s) => this.y(Math.min(band.upper[s], this.most))), ...along((s) => this.y(band.lower[s])).reverse()], colour, strength);
      brush.area([...along((s) => this.gapY(band.gaps[s])), ...along(() => this.foot).reverse()], colour, strength);
    }
  }

  lines(brush) {
    const { path, palette } = this, { band } = path;
    path.curves.forEach((curve) => {
      this.line(brush, curve.ks, curve.shares, curve.gaps, () => true, { colour: this.colour(curve), dash: this.dash(curve) });
      curve.ks.forEach((k, s) => brush.dot(this.x(k), this.y(curve.shares[s]), 3, { fill: this.colour(curve), edge: null }));
    });
    const look = { colour: palette.found };
    this.line(brush, band.ks, band.lower, band.gaps, (s) => band.proven[s], look);
    if (!band.ks.length) this.line(brush, path.ks, path.shares, path.gaps, () => true, look);
  }

  /** One curve in both panels; in the lower one through the k whose bound was proven itself. */
  line(brush, ks, shares, gaps, sure, look) {
    brush.line(ks.map((k, s) => [this.x(k), this.y(shares[s])]), { wide: 2, ...look });
    const below = ks.flatMap((k, s) => (gaps[s] !== null && sure(s) ? [[this.x(k), this.gapY(gaps[s])]] : []));
    brush.line(below, { wide: 2, ...look });
  }

  /** Upper bounds as ticks, a live run's while it goes on, and a ring where the optimum is proven. */
  marks(brush) {
    const { path, palette, live } = this, { band } = path, colour = palette.upper_bound;
    const tick = (k, y, wide, half = 6) => brush.line([[this.x(k) - half, y], [this.x(k) + half, y]], { colour, wide });
    band.ks.forEach((k, s) => {
      const next = band.ks[s + 1] ?? band.ks[s - 1] ?? 2 * k, half = clamp(Math.abs(this.x(next) - this.x(k)) / 2, 1.5, 6); // where k stand close, small
      if (band.proven[s]) tick(k, this.y(band.upper[s]), 2.5, half);
      if (band.optimal[s]) brush.dot(this.x(k), this.foot, half, { fill: half < 5 ? palette.proven : null, edge: palette.proven, thick: half < 5 ? 1 : 2 });
    });
    if (!live || live.upper === null) return;
    tick(live.k, this.y(Math.min(live.upper, this.most)), 4);
    tick(live.k, this.gapY(live.gap), 4);
  }

  /** The dot, at a stop: what is said stands beside the line at the same k. */
  dot(brush, s) {
    const { path, palette } = this, x = this.x(path.ks[s]), look = { fill: palette.found, thick: 2 };
    for (const ends of [[this.top, this.split], [this.below, this.foot]]) brush.line(ends.map((y) => [x, y]), { colour: palette.quiet, wide: 1, dash: [3, 3] }); // not through the words between
    brush.dot(x, this.y(path.shares[s]), 6.5, look);
    if (path.gaps[s] !== null) brush.dot(x, this.gapY(path.gaps[s]), 6.5, path.proven[s] ? look : { fill: palette.paper, edge: palette.found, thick: 2 }); // hollow: its bound is carried
    if (this.closed) brush.text("Proven optimal at every k: no gap is left.", (this.left + this.right) / 2, (this.below + this.foot) / 2, { size: SIZES.label, align: "center", colour: this.palette.proven, halo: true });
  }

  /** A lens at a stop: the two ends between which the optimum lies, to scale; where they are one, nothing. */
  lens(brush, s) {
    const { path, palette } = this, { band } = path, at = band.ks.indexOf(path.ks[s]), size = SIZES.small;
    if (at < 0 || band.optimal[at] || this.height < 260) return;
    const low = `${floorTo(100 * band.lower[at], band.digits[at])} %`, high = `at most ${ceilTo(100 * band.upper[at], band.digits[at])} %`;
    const wide = brush.measure(low, size) + brush.measure(high, size) + 46, isLeft = this.x(path.ks[s]) > this.left + wide + 30;
    const [x, y] = isLeft ? [this.left + 8, this.top + 4] : [this.right - wide - 4, this.split - 48]; // where the curve is not
    brush.box(x, y, wide, 42, { fill: palette.paper, edge: palette.quiet, thick: 1 });
    brush.box(x + 12, y + 24, wide - 24, 9, { fill: palette.band });
    for (const [end, colour] of [[x + 12, palette.found], [x + wide - 12, palette.upper_bound]]) brush.line([[end, y + 21], [end, y + 36]], { colour, wide: 3 });
    brush.text(low, x + 8, y + 15, { size });
    brush.text(high, x + wide - 8, y + 15, { size, align: "right" });
  }

  /** The point of another solver's curve under a pointer. */
  pointAt(px, py) {
    for (const curve of this.path.curves) {
      for (const [s, k] of curve.ks.entries()) {
        const dx = this.x(k) - px, tall = [this.y(curve.shares[s]), curve.gaps[s] === null ? Infinity : this.gapY(curve.gaps[s])];
        if (Math.abs(dx) <= NEAR && tall.some((y) => Math.hypot(dx, y - py) <= NEAR)) return { k, method: curve.method, at: s, curve };
      }
    }
    return null;
  }

  /** What a pointer at some place is told: of another solver's point, or of the k below it. */
  hint(px, py) {
    const { band } = this.path, point = this.pointAt(px, py);
    if (point) {
      const { curve, at } = point, digits = band.digits[band.ks.indexOf(point.k)] ?? 2;
      return `${curve.title}, k = ${count(point.k)}: ${floorTo(100 * curve.shares[at], digits)} %${gapWords(curve.gaps[at])}. Click to see it.`;
    }
    if (!band.ks.length || py < this.top || py > this.foot || px < this.left || px > this.right) return "";
    const s = band.ks.reduce((best, at, i) => (Math.abs(this.x(at) - px) < Math.abs(this.x(band.ks[best]) - px) ? i : best), 0);
    const digits = band.digits[s], most = band.optimal[s] ? "" : `, at most ${ceilTo(100 * band.upper[s], digits)} %`;
    return `k = ${count(band.ks[s])}: found ${floorTo(100 * band.lower[s], digits)} %${most}${gapWords(band.gaps[s])}${band.proven[s] ? "" : " (carried)"}`;
  }
}
