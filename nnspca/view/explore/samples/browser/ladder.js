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
  }

  x(rank) { return this.left + (rank / this.samples.m) * (this.right - this.left); }
  rankAt(x) { return Math.max(0, Math.min(this.samples.m - 1, Math.floor(((x - this.left) / (this.right - this.left)) * this.samples.m))); }

  y(score) {
    const [low, high] = this.samples.ends.x, [from, to] = [Math.min(low, 0), Math.max(high, 0)];
    return this.top + ((to - score) / (to - from)) * BARS;
  }

  /** The feature whose row of the map lies at a height, or none. */
  featureAt(y) {
    if (y < this.low || y >= this.foot) return null;
    return this.features[Math.floor(((y - this.low) / (this.foot - this.low)) * this.features.length)];
  }

  draw(pen, marked, hover, weightOf) {
    this.bars(pen);
    this.ticks(pen);
    this.map(pen);
    this.partial(pen, marked, weightOf);
    this.outlines(pen, marked);
    if (hover !== null) this.line(pen, hover);
  }

  bars(pen) {
    const { samples, palette, left, right } = this, wide = (right - left) / samples.m, zero = this.y(0);
    this.said(pen, "score", left - 6, this.top + 10, "right");
    const [low, high] = samples.ends.x;
    for (const v of [high, low]) if (Math.abs(this.y(v) - zero) > 14) this.said(pen, number3(v), left - 6, Math.max(this.y(v) + 4, this.top + 24), "right");
    this.said(pen, "0", left - 6, zero + 4, "right");
    samples.order.forEach((s, r) => {
      const dress = wears(samples, classOf(samples, s), palette), y = this.y(samples.scores[s]);
      pen.globalAlpha = samples.count && !samples.picked[s] ? 0.2 : 0.8;
      pen.fillStyle = dress.colour;
      pen.fillRect(this.x(r), Math.min(y, zero), Math.max(wide * 0.86, 0.8), Math.max(Math.abs(y - zero), 1));
      pen.globalAlpha = 1;
      if (wide >= 7) mark(pen, dress, this.x(r) + wide * 0.43, y, Math.min(wide * 0.4, 4.5), samples.count && !samples.picked[s]);
    });
    pen.strokeStyle = palette.quiet;
    pen.lineWidth = 1;
    pen.strokeRect(left, zero, right - left, 0);
  }

  ticks(pen) {
    const { samples, palette } = this, wide = Math.max(((this.right - this.left) / samples.m) * 0.8, 1);
    this.kinds.forEach(({ name, c }, row) => {
      const y = this.rows + row * TICKS;
      this.said(pen, fitted(pen, name, this.left - 10), this.left - 6, y + 11, "right");
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
    const { palette, columns, features } = this, image = new ImageData(columns, features.length);
    const none = channels(palette.empty), above = channels(palette.series[1]), below = channels(palette.found);
    this.cells.forEach((level, at) => {
      const share = (level - 128) / 127, paint = share < 0 ? below : above, strength = Math.abs(share) ** 0.75;
      for (let i = 0; i < 3; i++) image.data[4 * at + i] = none[i] + (paint[i] - none[i]) * strength;
      image.data[4 * at + 3] = 255;
    });
    const small = new OffscreenCanvas(columns, features.length);
    small.getContext("2d").putImageData(image, 0, 0);
    return small;
  }

  map(pen) {
    const { palette, features } = this;
    if (this.paintedFor !== palette) [this.small, this.paintedFor] = [this.painted(), palette];
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.small, this.left, this.low, this.right - this.left, this.foot - this.low);
    this.said(pen, fitted(pen, "each feature: orange above its average, blue below", this.right - this.left), this.left, this.low - 5, "left");
    this.said(pen, fitted(pen, `${count(features.length)} rows`, this.left - 8), this.left - 6, (this.low + this.foot) / 2, "right");
    this.said(pen, "highest score", this.left, this.height - 4, "left");
    this.said(pen, "lowest score", this.right, this.height - 4, "right");
  }

  /** What the marked features alone give, as a line over the bars. */
  partial(pen, marked, weightOf) {
    const rows = Array.from(this.features.keys()).filter((row) => marked.has(this.features[row]) && weightOf(this.features[row]));
    if (!rows.length) return;
    pen.strokeStyle = this.palette.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    for (let c = 0; c < this.columns; c++) {
      const value = rows.reduce((sum, row) => sum
        + (weightOf(this.features[row]) * this.most[row] * (this.cells[row * this.columns + c] - 128)) / 127, 0);
      pen.lineTo(this.x((this.starts[c] + this.starts[c + 1]) / 2), this.y(value));
    }
    pen.stroke();
    this.said(pen, "line: from the marked features", this.right, this.top - 4, "right");
  }

  outlines(pen, marked) {
    const { samples, palette } = this, tall = (this.foot - this.low) / this.features.length;
    pen.strokeStyle = palette.ink;
    pen.fillStyle = palette.ink;
    pen.lineWidth = 2;
    this.features.forEach((i, row) => {
      if (!marked.has(i)) return;
      const y = this.low + row * tall;
      if (tall >= 5) pen.strokeRect(this.left, y, this.right - this.left, tall);
      else for (const x of [this.left - 6, this.right + 1]) pen.fillRect(x, y, 5, Math.max(tall, 2));
    });
    if (!samples.count) return;
    pen.fillStyle = palette.ink;
    const wide = Math.max(((this.right - this.left) / samples.m) * 0.9, 1);
    for (let s = 0; s < samples.m; s++) if (samples.picked[s]) pen.fillRect(this.x(samples.rank[s]), this.foot, wide, 4);
    if (samples.said[0] !== "r") return;
    const [from, to] = samples.said.slice(1).split("-").map(Number);
    this.band(pen, from - 1, to);
  }

  band(pen, from, to) {
    pen.strokeStyle = this.palette.ink;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.strokeRect(this.x(from), this.top - 2, this.x(to) - this.x(from), this.foot - this.top + 6);
    pen.setLineDash([]);
  }

  line(pen, s) {
    const x = this.x(this.samples.rank[s] + 0.5);
    pen.strokeStyle = this.palette.ink;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, this.top);
    pen.lineTo(x, this.foot);
    pen.stroke();
  }

  said(pen, text, x, y, align) {
    pen.font = `13px ${this.palette.font}`;
    pen.fillStyle = this.palette.ink;
    pen.textAlign = align;
    pen.fillText(text, x, y);
  }
}
