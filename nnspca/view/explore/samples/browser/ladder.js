// The ladder: samples by score as bars, a row of ticks for each class, and the map of features below them, on one axis.

const BARS = 112, TICKS = 14, GAP = 10, TITLE = 16;

class Ladder {
  constructor(data, samples) {
    this.samples = samples;
    this.features = unpack(data.map.features);
    this.most = unpack(data.map.most);
    this.starts = unpack(data.map.starts);
    this.cells = unpack(data.map.cells);
    this.columns = this.starts.length - 1;
    this.kinds = samples.classes.map((kind, c) => ({ ...kind, c })).filter((kind) => kind.count);
  }

  /** Pixels the whole needs: a row of ticks for each class, and a map that shows its rows. */
  get tall() { return TITLE + BARS + GAP + TICKS * this.kinds.length + GAP + TITLE + Math.max(120, Math.min(this.features.length * 4, 190)) + 18; }

  layout(width, height, palette) {
    Object.assign(this, { width, height, palette });
    this.left = this.kinds.length ? Math.min(96, width * 0.24) : 52;
    this.right = width - 6;
    this.top = TITLE;
    this.rows = this.top + BARS + GAP;
    this.low = this.rows + TICKS * this.kinds.length + (this.kinds.length ? GAP : 0) + TITLE;
    this.foot = height - 18;
    const { m, ends } = this.samples;
    this.x = axisOf(0, m, this.left, this.right);
    this.y = axisOf(Math.max(ends.x[1], 0), Math.min(ends.x[0], 0), this.top, this.top + BARS);
  }

  rankAt(x) { return clamp(Math.floor(this.x.back(x)), 0, this.samples.m - 1); }

  /** The feature whose row of the map lies at a height, or none. */
  featureAt(y) {
    if (y < this.low || y >= this.foot) return null;
    return this.features[Math.floor(((y - this.low) / (this.foot - this.low)) * this.features.length)];
  }

  draw(brush, marked, hover, weightOf) {
    this.bars(brush);
    this.ticks(brush);
    this.map(brush);
    this.partial(brush, marked, weightOf);
    this.outlines(brush, marked);
    if (hover === null) return;
    const x = this.x(this.samples.rank[hover] + 0.5);
    brush.line([[x, this.top], [x, this.foot]], { wide: 1 });
  }

  bars(brush) {
    const { samples, palette, left, right } = this, { pen } = brush, wide = (right - left) / samples.m, zero = this.y(0);
    this.said(brush, "score", left - 6, this.top + 10, "right");
    const [low, high] = samples.ends.x;
    for (const v of [high, low]) if (Math.abs(this.y(v) - zero) > 14) this.said(brush, number3(v), left - 6, Math.max(this.y(v) + 4, this.top + 24), "right");
    this.said(brush, "0", left - 6, zero + 4, "right");
    samples.order.forEach((s, r) => {
      const dress = wears(samples, classOf(samples, s), palette), y = this.y(samples.scores[s]);
      pen.globalAlpha = samples.count && !samples.picked[s] ? 0.2 : 0.8;
      pen.fillStyle = dress.colour;
      pen.fillRect(this.x(r), Math.min(y, zero), Math.max(wide * 0.86, 0.8), Math.max(Math.abs(y - zero), 1));
      pen.globalAlpha = 1;
      if (wide >= 7) mark(pen, dress, this.x(r) + wide * 0.43, y, Math.min(wide * 0.4, 4.5), samples.count && !samples.picked[s]);
    });
    brush.line([[left, zero], [right, zero]], { colour: palette.quiet, wide: 1 });
  }

  ticks(brush) {
    const { samples, palette } = this, { pen } = brush, wide = Math.max(((this.right - this.left) / samples.m) * 0.8, 1);
    this.kinds.forEach(({ name, c }, row) => {
      const y = this.rows + row * TICKS;
      this.said(brush, fitted(pen, name, this.left - 10), this.left - 6, y + 11, "right");
      const { colour } = wears(samples, c, palette);
      for (let s = 0; s < samples.m; s++) {
        if (samples.labels[s] !== c) continue;
        pen.globalAlpha = samples.count && !samples.picked[s] ? 0.2 : 0.9;
        pen.fillStyle = colour;
        pen.fillRect(this.x(samples.rank[s]), y + 1, wide, TICKS - 3);
      }
      pen.globalAlpha = 1;
    });
  }

  /** The map as a picture of one pixel a cell, made once for each theme. */
  painted() {
    const { palette, columns, features } = this, none = channels(palette.empty);
    const above = channels(palette.series[1]), below = channels(palette.found);
    return pixelsOf({ rows: features.length, columns }, (at) => {
      const share = (this.cells[at] - 128) / 127;
      return blend([none, share < 0 ? below : above], Math.abs(share) ** 0.75);
    });
  }

  map(brush) {
    const { palette, features } = this, { pen } = brush;
    if (this.paintedFor !== palette) [this.small, this.paintedFor] = [this.painted(), palette];
    brush.image(this.small, this.left, this.low, this.right - this.left, this.foot - this.low);
    this.said(brush, fitted(pen, "each feature: orange above its average, blue below", this.right - this.left), this.left, this.low - 5, "left");
    this.said(brush, fitted(pen, `${count(features.length)} rows`, this.left - 8), this.left - 6, (this.low + this.foot) / 2, "right");
    this.said(brush, "highest score", this.left, this.height - 4, "left");
    this.said(brush, "lowest score", this.right, this.height - 4, "right");
  }

  /** What the marked features alone give, as a line over the bars. */
  partial(brush, marked, weightOf) {
    const rows = Array.from(this.features.keys()).filter((row) => marked.has(this.features[row]) && weightOf(this.features[row]));
    if (!rows.length) return;
    brush.line(Array.from({ length: this.columns }, (_, c) => {
      const value = rows.reduce((sum, row) => sum
        + (weightOf(this.features[row]) * this.most[row] * (this.cells[row * this.columns + c] - 128)) / 127, 0);
      return [this.x((this.starts[c] + this.starts[c + 1]) / 2), this.y(value)];
    }), { wide: 2 });
    this.said(brush, "line: from the marked features", this.right, this.top - 4, "right");
  }

  outlines(brush, marked) {
    const { samples, palette } = this, tall = (this.foot - this.low) / this.features.length, fill = { fill: palette.ink };
    this.features.forEach((i, row) => {
      if (!marked.has(i)) return;
      const y = this.low + row * tall;
      if (tall >= 5) brush.box(this.left, y, this.right - this.left, tall, { edge: palette.ink, thick: 2 });
      else for (const x of [this.left - 6, this.right + 1]) brush.box(x, y, 5, Math.max(tall, 2), fill);
    });
    if (!samples.count) return;
    const wide = Math.max(((this.right - this.left) / samples.m) * 0.9, 1);
    for (let s = 0; s < samples.m; s++) if (samples.picked[s]) brush.box(this.x(samples.rank[s]), this.foot, wide, 4, fill);
    if (samples.said[0] !== "r") return;
    const [from, to] = samples.said.slice(1).split("-").map(Number);
    brush.frame(this.x(from - 1), this.top - 2, this.x(to), this.foot + 4);
  }

  said(brush, text, x, y, align) { brush.text(text, x, y, { size: 13, align }); }
}
