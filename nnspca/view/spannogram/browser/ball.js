// The ball: every direction in its colour, and the cells on it.

const BEND = 0.09; // radians a straight piece of a cell's edge spans
const ROUGHLY = 560; // pixels across, at most, in which the colours are worked out

const cross = ([a, b, c], [d, e, f]) => [b * f - c * e, c * d - a * f, a * e - b * d];

/** Rows: right, up and towards the eye, for an eye that looks at a direction. */
function lookingAt(direction) {
  const eye = unit(direction), up = Math.abs(eye[2]) < 0.95 ? [0, 0, 1] : [0, 1, 0];
  const right = unit(cross(up, eye));
  return [right, cross(eye, right), eye];
}

class Ball {
  constructor(data) {
    Object.assign(this, data);
    for (const name of ["objective", "points", "cells", "born", "gone", "closes", "best"]) this[name] = unpack(data[name]);
    this.last = data.values.length - 1;
    this.edges = new Map();
    const to = this.direction(this.last);
    this.turn = lookingAt([to[0] + 0.3, to[1] - 0.23, to[2] + 0.2]);
    this.small = document.createElement("canvas");
  }

  direction(round) { return Array.from(this.best.subarray(3 * round, 3 * round + 3)); }

  /** Turn the ball by angles about the screen's upright and level axes. */
  spin(across, down) {
    const [right, up, eye] = this.turn;
    const mix = (a, b, angle) => a.map((x, i) => x * Math.cos(angle) + b[i] * Math.sin(angle));
    const eye2 = mix(eye, right, -across), right2 = mix(right, eye, across);
    this.turn = [unit(right2), unit(mix(up, eye2, -down)), unit(mix(eye2, up, down))];
    this.painted = undefined;
  }

  face(direction) { this.turn = lookingAt(direction); this.painted = undefined; }

  layout(width, height, palette) {
    const key = `${width} ${height} ${palette.dark}`;
    if (key !== this.placed) this.painted = undefined;
    Object.assign(this, { placed: key, width, height, palette });
    this.radius = Math.min(width, height) / 2 - 14;
    this.scale = [palette.empty, ...palette.positive].map(channels);
  }

  /** The direction that is seen at a place of the screen, or null beside the ball. */
  seenAt(x, y) {
    const a = (x - this.width / 2) / this.radius, b = (this.height / 2 - y) / this.radius, rest = 1 - a * a - b * b;
    if (rest < 0) return null;
    const [right, up, eye] = this.turn, c = Math.sqrt(rest);
    return [0, 1, 2].map((i) => right[i] * a + up[i] * b + eye[i] * c);
  }

  /** Where a direction lies on the cube around the ball: face, row and column. */
  onCube(d) {
    const sizes = d.map(Math.abs), axis = sizes[0] >= sizes[1] && sizes[0] >= sizes[2] ? 0 : sizes[1] >= sizes[2] ? 1 : 2;
    const half = (this.side - 1) / 2, far = sizes[axis];
    return [2 * axis + (d[axis] < 0 ? 1 : 0), (d[(axis + 1) % 3] / far + 1) * half, (d[(axis + 2) % 3] / far + 1) * half];
  }

  /** What a direction is worth, from 0 to 1: between the nodes of the cube. */
  worth(d) {
    const [face, row, column] = this.onCube(d), { side, objective } = this;
    const r = Math.min(Math.floor(row), side - 2), c = Math.min(Math.floor(column), side - 2), a = row - r, b = column - c;
    const at = (face * side + r) * side + c;
    return ((1 - a) * ((1 - b) * objective[at] + b * objective[at + 1])
      + a * ((1 - b) * objective[at + side] + b * objective[at + side + 1])) / 255;
  }

  /** The colours of all directions in sight, kept until the ball is turned. */
  paint() {
    if (this.painted) return;
    const across = 2 * this.radius, w = Math.max(2, Math.round(across * Math.min(devicePixelRatio || 1, ROUGHLY / across)));
    [this.small.width, this.small.height] = [w, w];
    const pen = this.small.getContext("2d"), image = pen.createImageData(w, w), pixels = image.data;
    const levels = Array.from({ length: 256 }, (_, v) => blend(this.scale, v / 255));
    const left = (this.width - across) / 2, top = (this.height - across) / 2;
    for (let py = 0; py < w; py++) {
      for (let px = 0; px < w; px++) {
        const x = left + ((px + 0.5) * across) / w, y = top + ((py + 0.5) * across) / w, d = this.seenAt(x, y);
        if (!d) continue;
        const tint = levels[Math.round(255 * this.worth(d))];
        const away = Math.hypot(x - this.width / 2, y - this.height / 2) / this.radius;
        const shade = 0.8 + 0.2 * Math.sqrt(Math.max(0, 1 - away * away));
        const at = 4 * (py * w + px);
        pixels[at] = tint[0] * shade;
        pixels[at + 1] = tint[1] * shade;
        pixels[at + 2] = tint[2] * shade;
        pixels[at + 3] = 255 * Math.min(1, (1 - away) * this.radius + 0.2);
      }
    }
    pen.putImageData(image, 0, 0);
    this.painted = [left, top, across, across];
  }

  /** The edges of a cell as directions along the ball. */
  outline(cell) {
    let lines = this.edges.get(cell);
    if (lines) return lines;
    lines = [];
    const corner = (c) => { const p = this.cells[this.corners * cell + c]; return this.points.subarray(3 * p, 3 * p + 3); };
    for (let one = 0; one < this.corners; one++) {
      for (let two = one + 1; two < this.corners; two++) {
        const from = corner(one), to = corner(two), apart = Math.acos(Math.min(1, Math.max(-1, from[0] * to[0] + from[1] * to[1] + from[2] * to[2])));
        const pieces = Math.max(1, Math.ceil(apart / BEND));
        lines.push(Array.from({ length: pieces + 1 }, (_, s) => unit([0, 1, 2].map((i) => from[i] + (s / pieces) * (to[i] - from[i])))));
      }
    }
    this.edges.set(cell, lines);
    return lines;
  }

  /** Where a direction is drawn; `front` tells whether it is seen. */
  place(d) {
    const [right, up, eye] = this.turn;
    const a = right[0] * d[0] + right[1] * d[1] + right[2] * d[2], b = up[0] * d[0] + up[1] * d[1] + up[2] * d[2], c = eye[0] * d[0] + eye[1] * d[1] + eye[2] * d[2];
    return { x: this.width / 2 + this.radius * a, y: this.height / 2 - this.radius * b, front: c > -0.01 };
  }

  trace(pen, lines) {
    for (const line of lines) {
      let before = null;
      for (const direction of line) {
        const here = this.place(direction);
        if (!here.front || !before) pen.moveTo(here.x, here.y);
        else pen.lineTo(here.x, here.y);
        before = here.front ? here : null;
      }
    }
  }

  /** Draw the ball after a round; `fresh` falls from 1 to 0 while what the round brought comes in. */
  draw(pen, round, fresh) {
    const { palette } = this;
    this.paint();
    pen.drawImage(this.small, ...this.painted);
    const groups = { closed: [], closing: [], open: [], split: [] };
    for (let cell = 0; cell < this.born.length; cell++) {
      if (round < this.born[cell] || round >= this.gone[cell]) continue;
      const shut = round >= this.closes[cell];
      groups[shut ? (this.closes[cell] === round ? "closing" : "closed") : this.born[cell] === round && round ? "split" : "open"].push(cell);
    }
    const brush = new Brush(pen, this.width, this.height, palette, 1);
    const stroke = (cells, edge, thick, faint) => {
      if (cells.length && faint > 0) brush.shape(() => { for (const cell of cells) this.trace(pen, this.outline(cell)); }, { edge, thick, faint });
    };
    stroke(groups.closed, palette.quiet, 1, 0.6);
    stroke(groups.closing, palette.quiet, 1, 0.6 * (1 - fresh));
    stroke(groups.closing, palette.upper_bound, 2.6, fresh);
    stroke(groups.open, palette.upper_bound, 2.6, 1);
    stroke(groups.split, palette.upper_bound, 2.6, 1 - fresh);
    const best = this.direction(round);
    for (const d of this.nonnegative ? [best] : [best, best.map((x) => -x)]) {
      const { x, y, front } = this.place(d);
      if (front && this.open[round]) brush.diamond(x, y, 9, { edge: palette.upper_bound, thick: 3 });
      else if (front) { brush.star(x, y, 16, palette.paper); brush.star(x, y, 12, palette.upper_bound); }
    }
  }
}
