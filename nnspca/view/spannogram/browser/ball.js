// The ball: every direction in the shade of its set or the colour of its worth, and the cells on it.

const BEND = 0.09; // radians a straight piece of a cell's edge spans
const ROUGHLY = 560; // pixels across, at most, in which the colours are worked out; half as many while the ball turns
const FEW = 30; // rows up to which regions are drawn; those of more are too small to be seen
const SHADES = [0.04, 0.22, 0.1, 0.28, 0.16]; // of ink, for regions in turn; the stretches of the circle have two of them

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
    for (const name of ["objective", "points", "cells", "born", "gone", "closes", "best", "V"]) this[name] = unpack(data[name]);
    this.last = data.values.length - 1;
    this.edges = new Map();
    [this.top, this.which] = [new Float64Array(this.k), new Int32Array(this.k)];
    this.order = new Map(); // of sets, as they were first seen
    const to = this.direction(this.last);
    this.turn = lookingAt([to[0] + 0.3, to[1] - 0.23, to[2] + 0.2]);
    this.small = document.createElement("canvas");
  }

  /** Put the largest values in a direction into `top`, falling, their rows into `which`; return the size of the set. */
  choose(x, y, z) {
    const { V, n, k, nonnegative, top, which } = this;
    let size = 0;
    for (let i = 0; i < n; i++) {
      const entry = V[3 * i] * x + V[3 * i + 1] * y + V[3 * i + 2] * z, value = nonnegative ? entry : Math.abs(entry);
      if ((nonnegative && value <= 0) || (size === k && value <= top[k - 1])) continue;
      let at = size < k ? size++ : k - 1;
      for (; at && top[at - 1] < value; at--) { top[at] = top[at - 1]; which[at] = which[at - 1]; }
      top[at] = value;
      which[at] = i;
    }
    return size;
  }

  /** The set in a direction, ascending, and its sum of squares. */
  setAt(direction) {
    const size = this.choose(...direction);
    return { set: [...this.which.subarray(0, size)].sort((a, b) => a - b), value: this.top.subarray(0, size).reduce((sum, v) => sum + v * v, 0) };
  }

  /** The set of few rows as bits. */
  bits(x, y, z) {
    let bits = 0;
    for (let at = this.choose(x, y, z); at--;) bits |= 1 << this.which[at];
    return bits;
  }

  /** The direction that is in front once the ball is turned by an angle. */
  ahead(across) { return this.turn[2].map((x, i) => x * Math.cos(across) - this.turn[0][i] * Math.sin(across)); }

  /** Where within an angle another set comes to the front, a hair before and behind it; nothing where none does. */
  changeWithin(angle) {
    const inFront = (across) => this.setAt(this.ahead(across)).set, same = (a, b) => a.join() === b.join();
    let low = 0, high = angle;
    const before = inFront(low);
    if (same(before, inFront(high))) return undefined;
    while (high - low > 1e-9) {
      const middle = (low + high) / 2;
      if (same(before, inFront(middle))) low = middle; else high = middle;
    }
    return { angle: high, before, after: inFront(high) };
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

  layout(width, height, palette, cells, rough) {
    const key = `${width} ${height} ${palette.dark} ${cells} ${rough}`;
    if (key !== this.placed) this.painted = undefined;
    Object.assign(this, { placed: key, width, height, palette, withCells: cells, rough });
    this.radius = Math.min(width, height) / 2 - 14;
    this.scale = [palette.empty, ...palette.positive].map(channels);
  }

  /** The direction that is seen at a place of the screen, or null beside the ball. */
  seenAt(x, y) {
    const a = (x - this.width / 2) / this.radius, b = (this.height / 2 - y) / this.radius, rest = 1 - a * a - b * b;
    if (rest < 0) return null;
    const [right, up, eye] = this.turn, c = Math.sqrt(rest);
    return [right[0] * a + up[0] * b + eye[0] * c, right[1] * a + up[1] * b + eye[1] * c, right[2] * a + up[2] * b + eye[2] * c];
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
    const across = 2 * this.radius, w = Math.max(2, Math.round(across * Math.min(devicePixelRatio || 1, ROUGHLY / across) / (this.rough ? 2 : 1)));
    [this.small.width, this.small.height] = [w, w];
    const pen = this.small.getContext("2d"), image = pen.createImageData(w, w), pixels = image.data;
    const levels = Array.from({ length: 256 }, (_, v) => blend(this.scale, v / 255));
    const { order, palette } = this, bySet = this.n <= FEW && !this.withCells, line = [], front = bySet && this.bits(...this.turn[2]);
    const [paper, ink, found] = [palette.paper, palette.ink, palette.found].map(channels), shades = SHADES.map((shade) => blend([paper, ink], shade));
    const shadeOf = (set) => shades[(order.has(set) ? order : order.set(set, order.size % SHADES.length)).get(set)];
    const left = (this.width - across) / 2, top = (this.height - across) / 2;
    for (let py = 0; py < w; py++) {
      for (let px = 0; px < w; px++) {
        const x = left + ((px + 0.5) * across) / w, y = top + ((py + 0.5) * across) / w, d = this.seenAt(x, y);
        const before = line[px - 1], above = line[px], set = (line[px] = d && bySet ? this.bits(d[0], d[1], d[2]) : undefined);
        if (!d) continue;
        const isArc = (before !== undefined && before !== set) || (above !== undefined && above !== set);
        const tint = !bySet ? levels[Math.round(255 * this.worth(d))] : isArc ? ink : set === front ? found : shadeOf(set);
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

  /** Draw the ball after a round; `flash` falls from 1 to 0 at a change of the set in front. */
  draw(pen, round, flash) {
    const { palette } = this;
    this.paint();
    pen.drawImage(this.small, ...this.painted);
    const groups = { closed: [], open: [] };
    for (let cell = 0; this.withCells && cell < this.born.length; cell++) {
      if (round < this.born[cell] || round >= this.gone[cell]) continue;
      groups[round >= this.closes[cell] ? "closed" : "open"].push(cell);
    }
    const brush = new Brush(pen, this.width, this.height, palette, 1);
    const stroke = (cells, edge, thick, faint) => {
      if (cells.length) brush.shape(() => { for (const cell of cells) this.trace(pen, this.outline(cell)); }, { edge, thick, faint });
    };
    stroke(groups.closed, palette.quiet, 1, 0.6);
    stroke(groups.open, palette.upper_bound, 2.6, 1);
    const best = this.direction(round);
    for (const d of this.nonnegative ? [best] : [best, best.map((x) => -x)]) {
      const { x, y, front } = this.place(d);
      if (front && this.open[round]) brush.diamond(x, y, 9, { edge: palette.upper_bound, thick: 3 });
      else if (front) { brush.star(x, y, 16, palette.paper); brush.star(x, y, 12, palette.upper_bound); }
    }
    if (this.withCells) return;
    brush.dot(this.width / 2, this.height / 2, 10, { fill: null, edge: palette.paper, thick: 6 });
    brush.ring(this.width / 2, this.height / 2, flash);
  }
}
