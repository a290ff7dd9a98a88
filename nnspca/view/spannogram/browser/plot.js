// The main picture: curves, strips of cells and regions, and the objective, all over one axis of angles.

const SAMPLES = 120;

/** Colours of the theme the page has now. */
function paletteOf(element) {
  const style = getComputedStyle(element);
  const read = (name, or) => style.getPropertyValue(`--st-${name}`).trim() || or;
  const series = read("chart-categorical-colors", "").split(",").map((c) => c.trim()).filter(Boolean);
  return {
    ink: read("text-color", "#1f2a33"),
    paper: read("background-color", "#ffffff"),
    shade: read("secondary-background-color", "#f2f5f7"),
    line: read("border-color", "#d5dde3"),
    lit: series[0] ?? "#0072b2",
    mark: series[1] ?? "#c2570c",
    font: read("font", "sans-serif"),
  };
}

function sizeCanvas(canvas, width, height, given) {
  const ratio = given ?? (window.devicePixelRatio || 1) * zoomOf(canvas);
  const w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

function star(pen, x, y, r) {
  pen.beginPath();
  for (let p = 0; p < 10; p++) {
    const a = (p * Math.PI) / 5 - Math.PI / 2, s = p % 2 ? r * 0.45 : r;
    pen.lineTo(x + s * Math.cos(a), y + s * Math.sin(a));
  }
  pen.closePath();
}

class Plot {
  constructor(curves) {
    this.curves = curves;
    this.paths = new Map();
    this.sheets = new Map();
  }

  /** Place everything for a width; forget what was drawn at another size or in other colours. */
  layout(width, palette, scale, room) {
    const { curves } = this;
    this.palette = palette;
    this.width = width;
    this.text = 12 * scale;
    this.left = 34 * scale;
    this.right = curves.numbered && curves.n <= 12 ? 22 * scale : 8;
    this.top = 10;
    const tall = Math.max(210, Math.min(0.52 * width, scale > 1 ? 0.46 * window.innerHeight : room || 360));
    this.middle = this.top + (curves.nonnegative ? tall / 2 : tall);
    this.bottom = this.top + tall;
    this.scaleY = (curves.nonnegative ? tall / 2 : tall) / (1.04 * curves.peak);
    let y = this.bottom + 8;
    this.strips = [];
    const add = (kind, sheet, height, label) => { this.strips.push({ kind, sheet, y, height, label }); y += height + 4; };
    const sheets = curves.nonnegative ? [0, 1] : [0];
    if (this.showsCells()) add("cells", 0, 10, "cells");
    for (const sheet of sheets) add("regions", sheet, 18, curves.nonnegative ? (sheet ? "−v" : "v") : "sets");
    this.ticks = y + 12 * scale;
    y += 22 * scale;
    this.goalTop = y + 16 * scale;
    this.goalBottom = this.goalTop + 84;
    this.height = this.goalBottom + 6;
    let most = 1e-12;
    for (const g of curves.objective) most = Math.max(most, g);
    this.goalMost = most;
    this.paths.clear();
    this.sheets.clear();
  }

  showsCells() { return this.curves.meetings !== null && this.curves.meetings.length <= 700; }

  /** Horizontal place of an angle of the axis, and back. */
  x(angle) { return this.left + ((angle + QUARTER) / Math.PI) * (this.width - this.left - this.right); }

  angleAt(x) {
    const share = (x - this.left) / (this.width - this.left - this.right);
    return -QUARTER + Math.PI * Math.min(1, Math.max(0, share));
  }

  y(value) { return this.middle - value * this.scaleY; }

  yGoal(value) { return this.goalBottom - (value / (1.06 * this.goalMost)) * (this.goalBottom - this.goalTop); }

  /** The path of curve i on a sheet (0: v, 1: −v), made once for each size. */
  path(i, sheet) {
    const key = 2 * i + sheet;
    let path = this.paths.get(key);
    if (!path) {
      path = new Path2D();
      const turn = sheet * Math.PI;
      const zero = this.curves.nonnegative ? null : onAxis(Math.atan2(-this.curves.V[2 * i + 1], this.curves.V[2 * i]));
      let before = -QUARTER;
      for (let s = 0; s <= SAMPLES; s++) {
        const angle = -QUARTER + (Math.PI * s) / SAMPLES;
        if (zero !== null && before < zero && zero < angle) path.lineTo(this.x(zero), this.y(0));
        path.lineTo(this.x(angle), this.y(this.curves.value(i, angle + turn)));
        before = angle;
      }
      this.paths.set(key, path);
    }
    return path;
  }

  /** The layer that stays while the cursor moves: one for each sheet, drawn when first needed. */
  still(sheet, both) {
    const key = `${sheet}${both}`;
    let layer = this.sheets.get(key);
    if (!layer) {
      layer = document.createElement("canvas");
      this.drawStill(sizeCanvas(layer, this.width, this.height, this.ratio), sheet, both);
      this.sheets.set(key, layer);
    }
    return layer;
  }

  drawStill(pen, sheet, both) {
    const { curves, palette } = this;
    const many = curves.drawn.length > 40;
    pen.font = `${this.text}px ${palette.font}`;
    this.drawFrame(pen);
    pen.strokeStyle = palette.ink;
    if (both && curves.nonnegative) {
      pen.globalAlpha = many ? 0.1 : 0.28;
      pen.lineWidth = 1;
      pen.setLineDash([4, 5]);
      for (const i of curves.drawn) pen.stroke(this.path(i, 1 - sheet));
      pen.setLineDash([]);
    }
    pen.globalAlpha = many ? Math.max(0.1, Math.min(0.3, 40 / curves.drawn.length)) : 0.5;
    pen.lineWidth = many ? 1 : 1.6;
    for (const i of curves.drawn) pen.stroke(this.path(i, sheet));
    pen.globalAlpha = 1;
    this.drawMeetings(pen, sheet);
    this.drawStrips(pen);
    this.drawGoal(pen, sheet);
    if (curves.numbered && curves.n <= 12) this.drawNumbers(pen, sheet);
  }

  drawFrame(pen) {
    const { palette } = this;
    const w = Math.max(this.width - this.right, this.left);
    pen.strokeStyle = palette.line;
    pen.fillStyle = palette.ink;
    pen.lineWidth = 1;
    pen.textAlign = "center";
    for (const [angle, name] of [[-90, "−90°"], [-45, "−45°"], [0, "0°"], [45, "45°"], [90, "90°"]]) {
      const x = this.x((angle * Math.PI) / 180);
      pen.beginPath();
      pen.moveTo(x, this.top);
      pen.lineTo(x, this.bottom);
      pen.moveTo(x, this.goalTop);
      pen.lineTo(x, this.goalBottom);
      pen.stroke();
      pen.textAlign = angle === 90 ? "right" : angle === -90 ? "left" : "center";
      pen.fillText(name, angle === 90 ? x + this.right - 2 : x, this.ticks);
    }
    pen.textAlign = "right";
    const zero = this.y(0);
    pen.fillText("0", this.left - 6, zero + 4);
    pen.strokeStyle = palette.ink;
    pen.globalAlpha = 0.7;
    pen.beginPath();
    pen.moveTo(this.left, zero);
    pen.lineTo(w, zero);
    pen.moveTo(this.left, this.goalBottom);
    pen.lineTo(w, this.goalBottom);
    pen.stroke();
    pen.globalAlpha = 1;
    pen.save();
    pen.translate(this.text, (this.top + this.bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(this.curves.nonnegative ? "value of each feature" : "size of each value", 0, 0);
    pen.restore();
  }

  /** Crossings: those that change the top set as rings, the rest as dots, zero crossings as diamonds. */
  drawMeetings(pen, sheet) {
    const { curves, palette } = this;
    const all = curves.meetings ?? Array.from(curves.angles, (_, e) => curves.changeAt(e));
    const few = all.length <= 80;
    const crowd = all.length > 1200 && !curves.meetings;
    const rings = few ? 5 : crowd ? 1 : 2.6;
    for (const meeting of all) {
      if (curves.flipped(meeting.phi) !== (sheet === 1)) continue;
      const x = this.x(onAxis(meeting.phi)), y = this.y(meeting.height);
      pen.beginPath();
      if (meeting.j < 0 && (few || meeting.matters)) {
        const r = meeting.matters ? rings + 1 : 3;
        pen.moveTo(x, y - r);
        pen.lineTo(x + r, y);
        pen.lineTo(x, y + r);
        pen.lineTo(x - r, y);
        pen.closePath();
      } else {
        pen.arc(x, y, meeting.matters ? rings : few ? 2.2 : 0.8, 0, TURN);
      }
      pen.fillStyle = crowd ? palette.mark : meeting.matters ? palette.paper : palette.ink;
      pen.globalAlpha = (meeting.matters || few) && !crowd ? 1 : 0.5;
      pen.fill();
      pen.globalAlpha = 1;
      if (meeting.matters && !crowd) {
        pen.strokeStyle = palette.mark;
        pen.lineWidth = few ? 2 : 1.2;
        pen.stroke();
      }
    }
  }

  drawStrips(pen) {
    const { curves, palette } = this;
    pen.fillStyle = palette.ink;
    pen.textAlign = "right";
    for (const strip of this.strips) {
      const edges = strip.kind === "cells"
        ? [-QUARTER, ...new Set(curves.meetings.filter((m) => !curves.flipped(m.phi)).map((m) => m.phi)), QUARTER]
        : this.regionEdges(strip.sheet);
      edges.slice(1).forEach((to, c) => {
        const [a, b] = [this.x(edges[c]), this.x(to)];
        pen.fillStyle = palette.ink;
        pen.globalAlpha = (c + strip.sheet) % 2 ? (strip.kind === "cells" ? 0.3 : 0.22) : 0.09;
        pen.fillRect(a, strip.y, b - a, strip.height);
      });
      pen.globalAlpha = 1;
      pen.fillText(strip.label, this.left - 4, strip.y + strip.height / 2 + this.text * 0.35);
    }
  }

  /** Ends of the regions of a sheet, as places on the axis. */
  regionEdges(sheet) {
    const turn = sheet * Math.PI;
    const within = Array.from(this.curves.angles).filter((a) => a - turn > -QUARTER && a - turn < QUARTER);
    return [-QUARTER, ...within.map((a) => a - turn), QUARTER];
  }

  goalPath(sheet) {
    const { curves } = this, half = curves.nonnegative ? (curves.objective.length - 1) / 2 : curves.objective.length - 1;
    const path = new Path2D();
    for (let s = 0; s <= half; s++) {
      path.lineTo(this.x(-QUARTER + (Math.PI * s) / half), this.yGoal(curves.objective[s + sheet * half]));
    }
    return path;
  }

  drawGoal(pen, sheet) {
    const { curves, palette } = this;
    pen.fillStyle = palette.ink;
    pen.textAlign = "left";
    pen.fillText("objective: the sum of squares of the lit values", this.left, this.goalTop - 7);
    pen.strokeStyle = palette.ink;
    pen.lineWidth = 1.2;
    if (curves.nonnegative) {
      pen.globalAlpha = 0.4;
      pen.setLineDash([4, 5]);
      pen.stroke(this.goalPath(1 - sheet));
      pen.setLineDash([]);
    }
    pen.globalAlpha = 1;
    pen.lineWidth = 1.8;
    pen.stroke(this.goalPath(sheet));
    const x = this.x(onAxis(curves.optimum.phi)), y = this.yGoal(curves.optimum.value);
    pen.strokeStyle = pen.fillStyle = palette.mark;
    pen.setLineDash([2, 4]);
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, this.top);
    pen.lineTo(x, this.goalBottom);
    pen.stroke();
    pen.setLineDash([]);
    star(pen, x, y, 9);
    pen.lineWidth = 1.6;
    if (curves.flipped(curves.optimum.phi) === (sheet === 1)) pen.fill();
    else pen.stroke();
  }

  /** Numbers at the right end of a few curves, pushed apart. */
  drawNumbers(pen, sheet) {
    const { curves, palette } = this;
    const turn = sheet * Math.PI;
    const ends = Array.from(curves.drawn, (i) => ({ i, y: this.y(curves.value(i, QUARTER + turn)) })).sort((a, b) => a.y - b.y);
    ends.forEach((end, e) => { if (e) end.y = Math.max(end.y, ends[e - 1].y + this.text); });
    pen.fillStyle = palette.ink;
    pen.textAlign = "left";
    pen.font = `600 ${this.text}px ${palette.font}`;
    for (const end of ends) pen.fillText(`${end.i + 1}`, this.width - this.right + 6, end.y + this.text * 0.35);
  }

  /** Everything that moves. */
  drawMoving(pen, phi, set, picked, handles) {
    const { curves, palette } = this;
    const sheet = curves.flipped(phi) ? 1 : 0, angle = onAxis(phi), x = this.x(angle);
    pen.clearRect(0, 0, this.width, this.height);
    pen.strokeStyle = palette.lit;
    if (set.length <= 100) {
      pen.lineWidth = set.length > 12 ? 1.3 : 3;
      pen.globalAlpha = set.length > 12 ? 0.75 : 1;
      for (const i of set) pen.stroke(this.path(i, sheet));
      pen.globalAlpha = 1;
    }
    this.litRegion(pen, phi, sheet);
    pen.strokeStyle = palette.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, this.top);
    pen.lineTo(x, this.bottom);
    pen.moveTo(x, this.goalTop);
    pen.lineTo(x, this.goalBottom);
    pen.stroke();
    this.markValues(pen, phi, x, set);
    const goal = set.reduce((sum, i) => sum + curves.value(i, phi) ** 2, 0);
    pen.beginPath();
    pen.arc(x, this.yGoal(goal), 5, 0, TURN);
    pen.fillStyle = palette.lit;
    pen.fill();
    if (picked) this.ring(pen, picked);
    if (handles) this.drawHandles(pen);
    return goal;
  }

  litRegion(pen, phi, sheet) {
    const { curves, palette } = this;
    const strip = this.strips.find((s) => s.kind === "regions" && s.sheet === sheet);
    const [from, to] = curves.edges(curves.region), turn = sheet * Math.PI;
    const a = this.x(Math.max(from - turn, -QUARTER)), b = this.x(Math.min(to - turn, QUARTER));
    pen.fillStyle = palette.lit;
    pen.fillRect(a, strip.y, Math.max(b - a, 1.5), strip.height);
    pen.globalAlpha = 0.1;
    pen.fillRect(a, this.top, Math.max(b - a, 1.5), this.bottom - this.top);
    pen.globalAlpha = 1;
  }

  markValues(pen, phi, x, set) {
    const { curves, palette } = this;
    const many = set.length > 24;
    pen.fillStyle = palette.lit;
    pen.strokeStyle = palette.paper;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const i of set) {
      const y = this.y(curves.value(i, phi));
      if (many) {
        pen.rect(x - 5, y - 1, 10, 2);
      } else {
        pen.moveTo(x + 5.5, y);
        pen.arc(x, y, 5.5, 0, TURN);
      }
    }
    pen.fill();
    if (!many) pen.stroke();
  }

  ring(pen, meeting) {
    pen.strokeStyle = this.palette.mark;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(this.x(onAxis(meeting.phi)), this.y(meeting.height), 10, 0, TURN);
    pen.stroke();
  }

  /** Where curve i has its only peak or trough on the axis. */
  handle(i) {
    const { V } = this.curves;
    const angle = onAxis(Math.atan2(V[2 * i], V[2 * i + 1]));
    return { i, x: this.x(angle), y: this.y(this.curves.value(i, angle)) };
  }

  drawHandles(pen) {
    pen.strokeStyle = this.palette.ink;
    pen.fillStyle = this.palette.paper;
    pen.lineWidth = 1;
    for (let i = 0; i < this.curves.n; i++) {
      const { x, y } = this.handle(i);
      pen.beginPath();
      pen.rect(x - 3.5, y - 3.5, 7, 7);
      pen.fill();
      pen.stroke();
    }
  }
}
