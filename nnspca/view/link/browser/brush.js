// The brush: strokes, marks and text on a canvas or an SVG pen, in the page's colours and at the room's size.

const TURN = 2 * Math.PI;
const NARROW = 430; // pixels: below, a figure stacks what it would put side by side

class Brush {
  constructor(pen, width, height, palette, scale) {
    Object.assign(this, { pen, width, height, palette, scale });
  }

  /** One stroke through points [x, y]. */
  line(points, { colour = this.palette.ink, wide = 1.5, dash = [], faint = 1 } = {}) {
    const { pen } = this;
    pen.save();
    pen.globalAlpha = faint;
    pen.strokeStyle = colour;
    pen.lineWidth = wide * this.scale;
    pen.setLineDash(dash);
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(x, y);
    pen.stroke();
    pen.restore();
  }

  arrow(from, to, look = {}) {
    const [x, y] = to, turn = Math.atan2(y - from[1], x - from[0]), size = 10 * this.scale;
    const wing = (side) => [x - size * Math.cos(turn + side), y - size * Math.sin(turn + side)];
    this.line([from, to], look);
    this.line([wing(0.45), to, wing(-0.45)], { ...look, dash: [] });
  }

  area(points, colour, faint = 1) {
    const { pen } = this;
    pen.save();
    pen.globalAlpha = faint;
    pen.fillStyle = colour;
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(x, y);
    pen.fill();
    pen.restore();
  }

  box(x, y, wide, tall, { fill, edge, thick = 1.5, faint = 1 } = {}) {
    const { pen } = this;
    pen.save();
    pen.globalAlpha = faint;
    if (fill) { pen.fillStyle = fill; pen.fillRect(x, y, wide, tall); }
    if (edge) { pen.strokeStyle = edge; pen.lineWidth = thick * this.scale; pen.strokeRect(x, y, wide, tall); }
    pen.restore();
  }

  /** A dashed frame between two corners. */
  frame(ax, ay, bx, by) {
    this.line([[ax, ay], [bx, ay], [bx, by], [ax, by], [ax, ay]], { dash: [4, 3] });
  }

  dot(x, y, radius, { fill = this.palette.ink, edge = this.palette.paper, thick = 1.5, faint = 1 } = {}) {
    const { pen } = this;
    pen.save();
    pen.globalAlpha = faint;
    pen.beginPath();
    pen.arc(x, y, radius * this.scale, 0, TURN);
    if (fill) { pen.fillStyle = fill; pen.fill(); }
    if (edge) { pen.strokeStyle = edge; pen.lineWidth = thick * this.scale; pen.stroke(); }
    pen.restore();
  }

  star(x, y, radius, colour) {
    const corner = (p) => [x, y].map((at, axis) => at + radius * this.scale * (p % 2 ? 0.45 : 1)
      * (axis ? Math.sin : Math.cos)((p * Math.PI) / 5 - Math.PI / 2));
    this.area(Array.from({ length: 10 }, (_, p) => corner(p)), colour);
  }

  diamond(x, y, radius, { fill = this.palette.paper, edge = this.palette.ink, thick = 2 } = {}) {
    const r = radius * this.scale, corners = [[x, y - r], [x + r, y], [x, y + r], [x - r, y], [x, y - r], [x + r, y]];
    this.area(corners, fill);
    this.line(corners, { colour: edge, wide: thick });
  }

  text(words, x, y, { align = "left", colour = this.palette.ink, size = 14, bold = false, halo = false, most } = {}) {
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

  /** The first of some wordings, longest first, that fits. */
  fitting(wordings, room, size = 13) { return wordings.find((words) => this.measure(words, size) <= room) ?? wordings.at(-1); }

  /** How wide some words are. */
  measure(words, size = 14, bold = false) {
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
