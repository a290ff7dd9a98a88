// Drawing: a brush that every figure of the lesson shares, in the page's colours and at the room's size.

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

  text(words, x, y, { align = "left", colour = this.palette.ink, size = 14, bold = false, halo = false } = {}) {
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
    pen.fillText(words, x, y);
  }

  /** How wide some words are. */
  measure(words, size = 14, bold = false) {
    this.pen.font = `${bold ? 600 : 400} ${size * this.scale}px ${this.palette.font}`;
    return this.pen.measureText(words).width;
  }
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

/** Points that can be dragged by hand or moved by the arrow keys; `all()` lists {x, y, name, move(x, y)}. */
function handles(desk, all) {
  let held = null, chosen = 0;
  const nearest = (x, y) => {
    let best = null, near = 30 * desk.scale;
    all().forEach((handle, at) => {
      const away = Math.hypot(handle.x - x, handle.y - y);
      if (away < near) { near = away; best = at; }
    });
    return best;
  };
  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  return {
    get chosen() { return desk.focused() ? chosen : -1; },
    press(x, y) { held = nearest(x, y); if (held !== null) chosen = held; return held !== null; },
    drag(x, y) { if (held !== null) all()[held]?.move(x, y); },
    release() { held = null; },
    key(event) {
      const many = all();
      if (event.key === " " || event.key === "Enter") { chosen = (chosen + 1) % many.length; desk.redraw(); return true; }
      const step = STEPS[event.key], handle = many[chosen];
      if (!step || !handle) return false;
      const far = event.shiftKey ? 2 : 8;
      handle.move(handle.x + far * step[0], handle.y + far * step[1]);
      return true;
    },
  };
}
