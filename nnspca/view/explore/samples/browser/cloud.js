// The cloud: every sample at its two scores.

class Cloud {
  constructor(samples) { this.samples = samples; }

  layout(width, height, palette) {
    Object.assign(this, { width, height, palette, left: 46, right: width - 10, top: 10, foot: height - 34 });
    const along = [this.left + 8, this.right - 8], up = [this.foot - 8, this.top + 8], { x, y } = this.samples.ends;
    [this.x, this.y] = [axisOf(...x, ...along), axisOf(...y, ...up)];
    this.fine = [axisOf(0, FINE, ...along), axisOf(0, FINE, ...up)];
  }

  steps(...place) { return place.map((v, axis) => clamp(Math.round(this.fine[axis].back(v)), 0, FINE)); }

  draw(brush, hover, dragged) {
    const { samples, palette } = this, small = samples.m > 2000 ? 2 : samples.m > 400 ? 3 : 4.5;
    if (!samples.second) {
      brush.text("no second component yet", this.width / 2, this.height / 2, { align: "center" });
      return;
    }
    this.axes(brush);
    for (const faint of samples.count ? [true, false] : [false]) {
      for (let s = 0; s < samples.m; s++) {
        if (samples.count && Boolean(samples.picked[s]) === faint) continue;
        mark(brush.pen, wears(samples, classOf(samples, s), palette), this.x(samples.scores[s]), this.y(samples.second[s]), small, faint);
      }
    }
    if (hover !== null) {
      brush.dot(this.x(samples.scores[hover]), this.y(samples.second[hover]), small + 4, { fill: null, edge: palette.ink, thick: 2 });
    }
    if (dragged) brush.frame(...dragged);
    else if (samples.said[0] === "b") brush.frame(...this.corners(samples.said.slice(1).split("_").map(Number)));
  }

  corners([x0, x1, y0, y1]) {
    const [x, y] = this.fine;
    return [x(x0), y(y0), x(x1), y(y1)];
  }

  axes(brush) {
    const { palette, samples } = this, size = 13, middle = (this.left + this.right) / 2, { x, y } = samples.ends;
    brush.box(this.left, this.top, this.right - this.left, this.foot - this.top, { edge: palette.grid, thick: 1 });
    brush.text(number3(x[0]), this.left, this.foot + 14, { size });
    brush.text(number3(x[1]), this.right, this.foot + 14, { size, align: "right" });
    brush.text(number3(y[1]), this.left - 4, this.top + 12, { size, align: "right" });
    brush.text(number3(y[0]), this.left - 4, this.foot - 2, { size, align: "right" });
    brush.text("score on the component", middle, this.foot + 28, { size, align: "center" });
    brush.pen.save();
    brush.pen.translate(14, (this.top + this.foot) / 2);
    brush.pen.rotate(-Math.PI / 2);
    brush.text("score on the second component", 0, 0, { size, align: "center" });
    brush.pen.restore();
  }

  /** The sample nearest to a point, if it is near. */
  at(px, py) {
    const { scores, second } = this.samples;
    const places = Array.from(second ?? [], (_, s) => ({ s, x: this.x(scores[s]), y: this.y(second[s]) }));
    return nearestTo(px, py, places, 14)?.s ?? null;
  }
}
