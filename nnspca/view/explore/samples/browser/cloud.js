// The cloud: every sample at its two scores.

class Cloud {
  constructor(samples) { this.samples = samples; }

  layout(width, height, palette) {
    Object.assign(this, { width, height, palette, left: 46, right: width - 10, top: 10, foot: height - 34 });
  }

  x(v) { const [a, b] = this.samples.ends.x; return this.left + 8 + ((v - a) / (b - a)) * (this.right - this.left - 16); }
  y(v) { const [a, b] = this.samples.ends.y; return this.foot - 8 - ((v - a) / (b - a)) * (this.foot - this.top - 16); }
  steps(px, py) {
    const within = (share) => Math.max(0, Math.min(FINE, Math.round(FINE * share)));
    return [within((px - this.left - 8) / (this.right - this.left - 16)), within((this.foot - 8 - py) / (this.foot - this.top - 16))];
  }

  draw(pen, hover, dragged) {
    const { samples, palette } = this, small = samples.m > 2000 ? 2 : samples.m > 400 ? 3 : 4.5;
    if (!samples.second) {
      pen.fillStyle = palette.ink;
      pen.font = `14px ${palette.font}`;
      pen.textAlign = "center";
      pen.fillText("no second component yet", this.width / 2, this.height / 2);
      return;
    }
    this.axes(pen);
    for (const faint of samples.count ? [true, false] : [false]) {
      for (let s = 0; s < samples.m; s++) {
        if (samples.count && Boolean(samples.picked[s]) === faint) continue;
        mark(pen, wears(samples, classOf(samples, s), palette), this.x(samples.scores[s]), this.y(samples.second[s]), small, faint);
      }
    }
    if (hover !== null) {
      pen.strokeStyle = palette.ink;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(this.x(samples.scores[hover]), this.y(samples.second[hover]), small + 4, 0, 7);
      pen.stroke();
    }
    if (dragged) this.frame(pen, dragged);
    else if (samples.said[0] === "b") this.frame(pen, this.corners(samples.said.slice(1).split("_").map(Number)));
  }

  corners([x0, x1, y0, y1]) {
    const wide = this.right - this.left - 16, tall = this.foot - this.top - 16;
    return [this.left + 8 + (x0 / FINE) * wide, this.foot - 8 - (y0 / FINE) * tall,
      this.left + 8 + (x1 / FINE) * wide, this.foot - 8 - (y1 / FINE) * tall];
  }

  frame(pen, [ax, ay, bx, by]) {
    pen.strokeStyle = this.palette.ink;
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.strokeRect(Math.min(ax, bx), Math.min(ay, by), Math.abs(bx - ax), Math.abs(by - ay));
    pen.setLineDash([]);
  }

  axes(pen) {
    const { palette, samples } = this;
    pen.strokeStyle = palette.grid;
    pen.lineWidth = 1;
    pen.strokeRect(this.left, this.top, this.right - this.left, this.foot - this.top);
    pen.fillStyle = palette.ink;
    pen.font = `13px ${palette.font}`;
    for (const [v, align] of [[samples.ends.x[0], "left"], [samples.ends.x[1], "right"]]) {
      pen.textAlign = align;
      pen.fillText(number3(v), align === "left" ? this.left : this.right, this.foot + 14);
    }
    pen.textAlign = "right";
    pen.fillText(number3(samples.ends.y[1]), this.left - 4, this.top + 12);
    pen.fillText(number3(samples.ends.y[0]), this.left - 4, this.foot - 2);
    pen.textAlign = "center";
    pen.fillText("score on the component", (this.left + this.right) / 2, this.foot + 28);
    pen.save();
    pen.translate(14, (this.top + this.foot) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText("score on the second component", 0, 0);
    pen.restore();
  }

  /** The sample nearest to a point, if it is near. */
  at(px, py, reach = 14) {
    const { samples } = this;
    let best = null, near = reach;
    if (samples.second) {
      for (let s = 0; s < samples.m; s++) {
        const away = Math.hypot(this.x(samples.scores[s]) - px, this.y(samples.second[s]) - py);
        if (away < near) [best, near] = [s, away];
      }
    }
    return best;
  }
}
