// The picture of the curves over −90° to 270°: the curves, the set's stretches, and the objective, on one axis.

const SAMPLES = 240; // points of a curve; half as many where many curves move

class Plot {
  /** `parts` says what stands below the curves: stretches of order ("cells"), and the objective ("goal"). */
  constructor(curves, parts = { cells: true, goal: true }) {
    this.curves = curves;
    this.parts = { ...parts, cells: parts.cells && curves.meetings !== null && curves.meetings.length <= 700 };
    this.points = new Map();
  }

  /** Place everything; forget the curves that were placed at another size. */
  layout(width, height, palette, scale = 1) {
    const { curves, parts } = this, line = 18 * scale;
    this.palette = palette;
    this.tints = palette.series.filter((_, at) => at !== 4); // without the grey, as for curves outside the set
    this.width = width;
    this.height = height;
    this.left = 36 * scale; // with room for the numbers
    this.right = width - (curves.numbered && curves.n <= 12 ? 20 * scale : 4);
    this.top = line + 4;
    const strip = line + 16 * scale, goal = parts.goal ? line + Math.min(0.19 * height, 110 * scale) + 4 : 0;
    this.bottom = height - goal - strip - (parts.cells ? line + 12 * scale : 0) - line - 4;
    this.middle = curves.nonnegative ? (this.top + this.bottom) / 2 : this.bottom - 6;
    this.scaleY = (this.middle - this.top) / (1.04 * curves.peak);
    this.ticks = this.bottom + 15 * scale;
    this.sets = { y: this.ticks + 4 + line, height: 14 * scale };
    this.cells = parts.cells ? { y: this.sets.y + this.sets.height + line + 2, height: 8 * scale } : null;
    this.goalBottom = height - 4;
    this.goalTop = this.goalBottom - goal + line + 4;
    this.x = axisOf(-QUARTER, 3 * QUARTER, this.left, this.right);
    this.y = axisOf(0, 1.04 * curves.peak, this.middle, this.top);
    this.yGoal = axisOf(0, 1.1 * Math.max(1e-12, ...curves.objective), this.goalBottom, this.goalTop);
    this.points.clear();
  }

  angleAt(x) { return clamp(this.x.back(x), -QUARTER, 3 * QUARTER); }

  /** The colour that curve i has while it is in the set. */
  tint(i) { return this.tints[this.curves.tints?.[i] ?? i % this.tints.length]; }

  /** The points of curve i, placed once for each size. */
  path(i) {
    let points = this.points.get(i);
    if (!points) {
      const { curves } = this, samples = curves.k > 12 ? SAMPLES / 2 : SAMPLES;
      const angles = Array.from({ length: samples + 1 }, (_, s) => -QUARTER + (TURN * s) / samples);
      if (!curves.nonnegative) { // the corner where it touches zero
        const zero = curves.wrap(Math.atan2(-curves.V[2 * i + 1], curves.V[2 * i]));
        angles.push(zero, curves.wrap(zero + Math.PI));
        angles.sort((a, b) => a - b);
      }
      points = angles.map((angle) => [this.x(angle), this.y(curves.value(i, angle))]);
      this.points.set(i, points);
    }
    return points;
  }

  /** What stays while the direction turns. */
  drawStill(brush) {
    const { curves } = this, few = curves.drawn.length <= 12;
    this.drawFrame(brush);
    if (curves.envelope) this.drawEnvelope(brush);
    for (const i of curves.drawn) brush.line(this.path(i), { wide: few ? 1.5 : 1, faint: few ? 0.5 : 0.3 });
    this.drawMeetings(brush);
    this.drawStretches(brush, this.sets, curves.angles, ["sets: along each stretch the same k curves are the highest", "sets: the same k curves are highest", "sets"]);
    if (this.cells) {
      this.drawStretches(brush, this.cells, curves.meetings.map((m) => m.phi).sort((a, b) => a - b),
        ["cells: between two crossings of any curves their order stays the same", "cells: the order of all curves stays", "cells"]);
    }
    if (this.parts.goal) this.drawGoal(brush);
    if (curves.numbered && curves.n <= 12) this.drawNumbers(brush);
  }

  drawFrame(brush) {
    const { palette, left, right, top, bottom } = this, half = this.x(QUARTER), turned = this.curves.nonnegative ? "−v: opposite direction, opposite values" : "−v: opposite direction, same sizes";
    for (const angle of [-90, -45, 0, 45, 90, 135, 180, 225, 270]) {
      const x = this.x((angle * Math.PI) / 180), main = angle === 90;
      if (right - left < 420 && angle % 90) continue;
      brush.line([[x, top], [x, bottom]], { colour: main ? palette.quiet : palette.grid, wide: main ? 1.5 : 1 });
      if (this.parts.goal) brush.line([[x, this.goalTop], [x, this.goalBottom]], { colour: palette.grid, wide: 1 });
      brush.text(`${angle}°`.replace("-", "−"), x, this.ticks, { size: SIZES.small, align: angle < 0 ? "left" : angle === 270 ? "right" : "center" });
    }
    brush.text(brush.fitting(["v: the value of each feature in direction φ", "v: values in direction φ", "v"], half - left - 8), left, top - 6, { size: SIZES.small });
    brush.text(brush.fitting([turned, "−v: opposite direction", "−v"], right - half - 8), half + 4, top - 6, { size: SIZES.small });
    brush.line([[left, this.y(0)], [right, this.y(0)]], { wide: 1, faint: 0.7 });
    const values = evenly(this.curves.peak, 2), below = this.curves.nonnegative ? values.slice(1).map((value) => -value) : [];
    this.drawValues(brush, [...below, ...values], this.y);
  }

  /** Values beside the axis at the left. */
  drawValues(brush, values, place) {
    for (const value of values) brush.text(tick(value), this.left - 5, place(value) + 4, { size: SIZES.small, align: "right" });
  }

  /** The range of the curves that are not drawn one by one; their number is told on top of what moves. */
  drawEnvelope(brush) {
    const { low, high } = this.curves.envelope, last = low.length - 1;
    const edge = (heights) => Array.from(heights, (height, s) => [this.x(-QUARTER + (TURN * s) / last), this.y(height)]);
    brush.area([...edge(high), ...edge(low).reverse()], this.palette.quiet, 0.16);
  }

  labelEnvelope(brush) {
    const { low, high, others } = this.curves.envelope, last = low.length - 1, s = Math.round(0.2 * last);
    const words = `${count(others)} more curve${others > 1 ? "s lie" : " lies"} in here`;
    brush.text(words, Math.max(this.x(-QUARTER + (TURN * s) / last), this.left + 4 + brush.measure(words, SIZES.label) / 2),
      this.y(this.curves.nonnegative ? 0.35 * low[s] : 0.1 * high[s]) + 4, { size: SIZES.label, align: "center", halo: true });
  }

  /** Crossings: rings where the set changes, dots where it does not, diamonds where a curve crosses zero. */
  drawMeetings(brush) {
    const { curves, palette } = this, all = curves.marked;
    const few = all.length <= 120, ring = few ? 5 : 2.5;
    for (const { phi, j, height, matters } of all) {
      const x = this.x(phi), y = this.y(height), look = { fill: palette.paper, edge: palette.ink, thick: few ? 2.5 : 1.4 }; // no curve in the set has this colour
      if (!matters) brush.dot(x, y, few ? 3 : 1.2, { fill: palette.quiet, edge: null, faint: 0.55 });
      else if (j < 0) brush.diamond(x, y, ring + 1, look);
      else brush.dot(x, y, ring, look);
    }
  }

  /** Stretches between angles, light and dark in turn, with their name above. */
  drawStretches(brush, { y, height }, angles, wordings) {
    const edges = [-QUARTER, ...new Set(angles), 3 * QUARTER];
    edges.slice(1).forEach((to, e) => {
      brush.box(this.x(edges[e]), y, this.x(to) - this.x(edges[e]), height, { fill: this.palette.ink, faint: e % 2 ? 0.28 : 0.1 });
    });
    brush.text(brush.fitting(wordings, this.right - this.left), this.left, y - 5, { size: SIZES.small });
  }

  drawGoal(brush) {
    const { curves, palette, left, right } = this, last = curves.objective.length - 1, { phi, value } = curves.optimum;
    brush.text(brush.fitting(["objective: the sum of squares of the values in the set", "objective: sum of squares in the set", "objective"], right - left), left, this.goalTop - 7, { size: SIZES.small });
    brush.line([[left, this.goalBottom], [right, this.goalBottom]], { wide: 1, faint: 0.7 });
    this.drawValues(brush, evenly(value, 2), this.yGoal);
    brush.line(Array.from(curves.objective, (g, s) => [this.x(-QUARTER + (TURN * s) / last), this.yGoal(g)]), { wide: 1.8 });
    const x = this.x(curves.wrap(phi)), y = this.yGoal(value), beyond = x > 0.75 * right;
    for (const [from, to] of [[this.top, this.bottom], [this.goalTop, y]]) brush.line([[x, from], [x, to]], { colour: palette.upper_bound, wide: 1, dash: [2, 4] });
    brush.star(x, y, 9, palette.upper_bound);
    brush.text("optimum", x + (beyond ? -13 : 13) * brush.scale, y + 2, { size: SIZES.small, bold: true, align: beyond ? "right" : "left", halo: true });
  }

  /** Numbers at the right end of a few curves, pushed apart. */
  drawNumbers(brush) {
    const { curves } = this, line = 13 * brush.scale;
    const ends = Array.from(curves.drawn, (i) => ({ i, y: this.y(curves.value(i, 3 * QUARTER)) })).sort((a, b) => a.y - b.y);
    ends.forEach((end, e) => { if (e) end.y = Math.max(end.y, ends[e - 1].y + line); });
    for (const { i, y } of ends) brush.text(String(i + 1), this.right + 5, y + 4, { size: SIZES.small, bold: true });
  }

  /** What stays until the set changes: its curves, each in its colour, and its stretch. */
  drawSet(brush, set) {
    const [a, b] = this.curves.edges(this.curves.region).map((edge) => this.x(edge)), wide = Math.max(b - a, 1.5), many = set.length > 12;
    brush.box(a, this.top, wide, this.bottom - this.top, { fill: this.palette.found, faint: 0.1 });
    brush.box(a, this.sets.y, wide, this.sets.height, { fill: this.palette.found });
    if (set.length <= 100) for (const i of set) brush.line(this.path(i), { colour: this.tint(i), wide: many ? 1.3 : 3, faint: many ? 0.75 : 1 }); // one stroke for all takes three times as long
    if (this.curves.envelope) this.labelEnvelope(brush);
  }

  /** What moves: the values at φ, and on request a curve that is `lit`, a `ring` that flashes, the `best` so far, `handles`. */
  drawMoving(brush, phi, set, { ring = null, flash = 0, best = null, handles = false, lit = -1 } = {}) {
    const { curves, palette } = this, x = this.x(phi), many = set.length > 12;
    brush.line([[x, this.top], [x, this.bottom]]);
    if (lit >= 0) {
      brush.line(this.path(lit), { colour: palette.paper, wide: 7 });
      brush.line(this.path(lit), { wide: 3.5 });
    }
    for (const i of set) {
      const y = this.y(curves.value(i, phi));
      if (many) brush.box(x - 5, y - 1, 10, 2, { fill: this.tint(i) });
      else brush.dot(x, y, 5.5, { fill: this.tint(i) });
    }
    if (lit >= 0) brush.dot(x, this.y(curves.value(lit, phi)), 6);
    if (this.parts.goal) this.drawGoalAt(brush, phi, set, best);
    if (ring) brush.ring(this.x(ring.phi), this.y(ring.height), flash);
    if (handles) for (let i = 0; i < curves.n; i++) { const at = this.handle(i); brush.box(at.x - 3.5, at.y - 3.5, 7, 7, { fill: palette.paper, edge: palette.ink, thick: 1 }); }
  }

  /** The objective at φ, and the best set met so far: a diamond, until it is the optimum. */
  drawGoalAt(brush, phi, set, best) {
    const { curves, palette } = this, x = this.x(phi), goal = curves.squares(set, phi);
    brush.line([[x, this.goalTop], [x, this.goalBottom]]);
    if (best && best.value < curves.optimum.value * (1 - 1e-9)) {
      const to = this.x(curves.wrap(best.phi)), y = this.yGoal(best.value), beyond = to > 0.75 * this.right;
      brush.diamond(to, y, 7, { edge: palette.found, thick: 2.5 });
      brush.text("best so far", to + (beyond ? -11 : 11) * brush.scale, y + 16 * brush.scale, { size: SIZES.small, align: beyond ? "right" : "left", halo: true });
    }
    brush.dot(x, this.yGoal(goal), 5, { fill: palette.found });
  }

  /** Where curve i has its only peak. */
  handle(i) {
    const { V } = this.curves, angle = this.curves.wrap(Math.atan2(V[2 * i], V[2 * i + 1]));
    return { i, x: this.x(angle), y: this.y(this.curves.value(i, angle)) };
  }
}
