// The brush: strokes, marks and text on a canvas or an SVG pen, in the page's colours and at the room's size.

const TURN = 2 * Math.PI;
const NARROW = 430; // pixels: below, a figure stacks what it would put side by side

class Brush {
  constructor(pen, width, height, palette, scale) {
    Object.assign(this, { pen, width, height, palette, scale });
  }

  /** Fill and outline the path that `trace` takes. */
  shape(trace, { fill, edge, thick = 1.5, faint = 1, dash = [] }) {
    const { pen } = this;
    pen.save();
    pen.globalAlpha = faint;
    pen.beginPath();
    trace();
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (edge) {
      pen.strokeStyle = edge;
      pen.lineWidth = thick * this.scale;
      pen.setLineDash(dash);
      pen.stroke();
    }
    pen.restore();
  }

  /** Through points [x, y]. */
  path(points, look) { this.shape(() => { for (const [x, y] of points) this.pen.lineTo(x, y); }, look); }

  line(points, { colour = this.palette.ink, wide, dash, faint } = {}) { this.path(points, { edge: colour, thick: wide, dash, faint }); }

  area(points, fill, faint) { this.path(points, { fill, faint }); }

  arrow(from, to, look = {}) {
    const [x, y] = to, turn = Math.atan2(y - from[1], x - from[0]), size = 10 * this.scale;
    const wing = (side) => [x - size * Math.cos(turn + side), y - size * Math.sin(turn + side)];
    this.line([from, to], look);
    this.line([wing(0.45), to, wing(-0.45)], { ...look, dash: [] });
  }

  box(x, y, wide, tall, look) { this.shape(() => this.pen.rect(x, y, wide, tall), look); }

  /** A dashed frame between two corners. */
  frame(ax, ay, bx, by) {
    this.line([[ax, ay], [bx, ay], [bx, by], [ax, by], [ax, ay]], { dash: [4, 3] });
  }

  dot(x, y, radius, look) {
    const all = { fill: this.palette.ink, edge: this.palette.paper, ...look };
    this.shape(() => this.pen.arc(x, y, radius * this.scale, 0, TURN), all);
  }

  /** A ring; a `flash` from 1 to 0 spreads from it. */
  ring(x, y, flash) {
    this.dot(x, y, 10, { fill: null, edge: this.palette.ink, thick: 3 });
    if (flash) this.dot(x, y, 10 + 18 * (1 - flash), { edge: this.palette.ink, thick: 3, faint: 0.35 * flash });
  }

  star(x, y, radius, colour) {
    const corner = (p) => [x, y].map((at, axis) => at + radius * this.scale * (p % 2 ? 0.45 : 1)
      * (axis ? Math.sin : Math.cos)((p * Math.PI) / 5 - Math.PI / 2));
    this.area(Array.from({ length: 10 }, (_, p) => corner(p)), colour);
  }

  diamond(x, y, radius, { fill = this.palette.paper, edge = this.palette.ink, thick = 2 } = {}) {
    const r = radius * this.scale;
    this.path([[x, y - r], [x + r, y], [x, y + r], [x - r, y], [x, y - r], [x + r, y]], { fill, edge, thick });
  }

  text(words, x, y, { align = "left", colour = this.palette.ink, size = SIZES.label, bold = false, halo = false, most } = {}) {
    const { pen } = this;
    pen.font = `${bold ? 600 : 400} ${size * this.scale}px ${this.palette.font}`;
    pen.textAlign = align;
    if (halo) {
      pen.lineJoin = "round";
      pen.strokeStyle = this.palette.paper;
      pen.lineWidth = 4 * this.scale;
      pen.strokeText(words, x, y);
    }
    pen.fillStyle = colour;
    pen.fillText(words, x, y, most);
  }

  /** A small picture, each of its pixels a square. */
  image(small, x, y, wide, tall) {
    this.pen.imageSmoothingEnabled = false;
    this.pen.drawImage(small, x, y, wide, tall);
  }

  /** The first of some wordings, longest first, that fits. */
  fitting(wordings, room, size = SIZES.small) { return wordings.find((words) => this.measure(words, size) <= room) ?? wordings.at(-1); }

  /** How wide some words are. */
  measure(words, size = SIZES.label, bold = false) {
    this.pen.font = `${bold ? 600 : 400} ${size * this.scale}px ${this.palette.font}`;
    return this.pen.measureText(words).width;
  }
}

/** A brush for a canvas of its size on the page, which is cleared. */
function brushOn(canvas, palette, width = canvas.clientWidth, height = canvas.clientHeight, scale = 1) {
  return new Brush(sizedPen(canvas, width, height), width, height, palette, scale);
}

/** A map from numbers to places and back. */
function axisOf(low, high, from, to) {
  const at = (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  at.back = (place) => low + ((place - from) / (to - from || 1)) * (high - low);
  return at;
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (power) => (power < 0 ? "⁻" : "") + String(Math.abs(power)).replace(/\d/g, (d) => RAISED[d]);
