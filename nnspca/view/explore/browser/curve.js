// The curve: variance against k with its band above, what is left to the best possible below, on one k axis.

const LEAST_MISSING = 1e-4; // below, a gap counts as closed

class Curve {
  layout(path, width, height, palette) {
    Object.assign(this, { path, width, height, palette });
    this.left = 46;
    this.right = width - 14;
    this.top = 24;
    this.foot = height - 34;
    this.split = this.top + (height < 260 ? 0.42 : 0.54) * (this.foot - this.top);
    this.below = this.split + 34;
    const { ks } = path;
    this.low = Math.log(Math.max(ks[0], 1) * 0.9);
    this.high = Math.log(Math.max(ks.at(-1), ks[0] + 1) * 1.06);
    const tops = [...path.shares, ...path.ceilings.filter(Number.isFinite)].filter((v) => v <= 1.2);
    this.most = Math.max(...tops, 0.05) * 1.04;
    const known = ks.map((_, s) => path.kept(s)).filter((v) => v !== undefined).map((v) => Math.max(1 - v, LEAST_MISSING));
    const wide = Math.max(...known, 0), thin = Math.min(...known, wide);
    this.logarithmic = known.length > 1 && wide / thin > 30;
    this.wide = Math.max(this.logarithmic ? wide * 1.5 : wide * 1.15, 1e-3);
  }

  x(k) { return this.left + ((Math.log(k) - this.low) / (this.high - this.low)) * (this.right - this.left); }
  kAt(x) { return Math.exp(this.low + ((x - this.left) / (this.right - this.left)) * (this.high - this.low)); }
  y(share) { return this.split - (share / this.most) * (this.split - this.top); }

  /** Height of a missing share in the lower panel: 100 % of what is possible is its upper edge. */
  gapY(missing) {
    const deep = this.logarithmic
      ? Math.log(Math.max(missing, LEAST_MISSING) / LEAST_MISSING) / Math.log(this.wide / LEAST_MISSING) : missing / this.wide;
    return this.below + Math.min(deep, 1) * (this.foot - this.below);
  }

  draw(pen) {
    this.axes(pen);
    this.band(pen);
    this.line(pen);
    this.gap(pen);
  }

  axes(pen) {
    const { palette, path } = this;
    pen.font = `12px ${palette.font}`;
    pen.fillStyle = palette.ink;
    pen.textAlign = "left";
    pen.fillText("Variance kept (% of λ₁); shaded: where the optimum lies", 4, 13);
    pen.fillText("What is left to the best possible", 4, this.below - 10);
    pen.strokeStyle = palette.grid;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    for (const share of evenly(this.most)) this.rule(pen, this.y(share), `${Math.round(100 * share * 10) / 10}`);
    if (path.ks.some((_, s) => path.kept(s) !== undefined)) {
      for (const missing of this.gapTicks()) this.rule(pen, this.gapY(missing), missing ? `−${Number((100 * missing).toPrecision(1))} %` : "100 %");
    }
    pen.textAlign = "center";
    const last = path.ks.at(-1);
    for (const k of this.kTicks((text) => pen.measureText(text).width)) pen.fillText(count(k), this.x(k), this.foot + 15);
    pen.fillText("k, features allowed", (this.left + this.right) / 2, this.foot + 30);
  }

  /** The first k and the last, and of the round ones between them those that have room. */
  kTicks(widthOf) {
    const { ks } = this.path, last = ks.at(-1), kept = [last];
    const apart = (a, b) => Math.abs(this.x(a) - this.x(b)) - (widthOf(count(a)) + widthOf(count(b))) / 2;
    for (const k of [1, 10, 100, 1000, 10000, 5, 50, 500, 5000, 2, 20, 200, 2000]) {
      if (k >= ks[0] && k < last && kept.every((other) => apart(k, other) >= 6)) kept.push(k);
    }
    return kept;
  }

  gapTicks() {
    const all = this.logarithmic ? [LEAST_MISSING, 1e-3, 1e-2, 1e-1].filter((v) => v <= this.wide)
      : [0, ...evenly(this.wide).filter((v) => v > 0)];
    const kept = []; // on a phone there is no room for all
    for (const missing of all) if (!kept.length || this.gapY(missing) - this.gapY(kept.at(-1)) >= 13) kept.push(missing);
    return kept;
  }

  rule(pen, y, text) {
    pen.beginPath();
    pen.moveTo(this.left, y);
    pen.lineTo(this.right, y);
    pen.stroke();
    pen.fillText(text, this.left - 5, y + 4);
  }

  /** Shade between what was found and the ceiling, in steps: a ceiling holds at all k up to its own. */
  band(pen) {
    const { path, palette } = this, { ks } = path;
    const known = ks.map((_, s) => s).filter((s) => Number.isFinite(path.ceilings[s]));
    if (!known.length) return;
    pen.fillStyle = palette.band;
    pen.beginPath();
    known.forEach((s, at) => {
      const y = this.y(Math.min(path.ceilings[s], this.most));
      if (at) pen.lineTo(this.x(ks[known[at - 1]]), y);
      pen.lineTo(this.x(ks[s]), y);
    });
    for (const s of [...known].reverse()) pen.lineTo(this.x(ks[s]), this.y(path.shares[s]));
    pen.fill();
    pen.strokeStyle = palette.ceiling;
    pen.lineWidth = 2;
    for (const s of known.filter((at) => path.proven.has(ks[at]))) {
      pen.beginPath();
      pen.moveTo(this.x(ks[s]) - 4, this.y(path.ceilings[s]));
      pen.lineTo(this.x(ks[s]) + 4, this.y(path.ceilings[s]));
      pen.stroke();
    }
  }

  line(pen) {
    const { path, palette } = this;
    pen.strokeStyle = palette.found;
    pen.lineWidth = 2;
    pen.beginPath();
    path.ks.forEach((k, s) => pen.lineTo(this.x(k), this.y(path.shares[s])));
    pen.stroke();
  }

  gap(pen) {
    const { path, palette } = this;
    const known = path.ks.map((_, s) => s).filter((s) => path.kept(s) !== undefined);
    if (!known.length) {
      pen.fillStyle = palette.ink;
      pen.textAlign = "center";
      pen.fillText("ceilings are being proven …", (this.left + this.right) / 2, (this.below + this.foot) / 2);
      return;
    }
    const place = (s) => [this.x(path.ks[s]), this.gapY(1 - path.kept(s))];
    pen.fillStyle = palette.band;
    pen.beginPath();
    pen.moveTo(this.x(path.ks[known[0]]), this.below);
    known.forEach((s) => pen.lineTo(...place(s)));
    pen.lineTo(this.x(path.ks[known.at(-1)]), this.below);
    pen.fill();
    pen.strokeStyle = palette.ceiling;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(this.x(path.ks[known[0]]), this.below);
    pen.lineTo(this.x(path.ks[known.at(-1)]), this.below);
    pen.stroke();
    pen.strokeStyle = palette.found;
    pen.beginPath();
    known.forEach((s) => pen.lineTo(...place(s)));
    pen.stroke();
    pen.strokeStyle = palette.proven;
    for (const s of known.filter((at) => path.proven.has(path.ks[at]) && path.kept(at) >= 1 - OPTIMAL)) {
      pen.beginPath();
      pen.arc(this.x(path.ks[s]), place(s)[1], 4, 0, 7);
      pen.stroke();
    }
  }

  /** The dot that runs: between two stops it slides along the line. */
  dot(pen, k) {
    const { path, palette } = this, s = path.stopAt(k), next = Math.min(s + 1, path.ks.length - 1);
    const span = Math.log(path.ks[next] / path.ks[s]) || 1, part = Math.min(Math.max(Math.log(k / path.ks[s]) / span, 0), 1);
    const share = path.shares[s] + (path.shares[next] - path.shares[s]) * part, x = this.x(k);
    pen.strokeStyle = palette.quiet;
    pen.lineWidth = 1;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(x, this.top);
    pen.lineTo(x, this.foot);
    pen.stroke();
    pen.setLineDash([]);
    this.mark(pen, x, this.y(share));
    if (path.kept(s) !== undefined && path.kept(next) !== undefined) {
      this.mark(pen, x, this.gapY(1 - (path.kept(s) + (path.kept(next) - path.kept(s)) * part)));
    }
  }

  mark(pen, x, y) {
    pen.fillStyle = this.palette.found;
    pen.strokeStyle = this.palette.paper;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, 6.5, 0, 7);
    pen.fill();
    pen.stroke();
  }
}

/** A few round values from 0 up to `most`. */
function evenly(most) {
  const rough = most / 4, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * size).find((v) => v >= rough);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}
