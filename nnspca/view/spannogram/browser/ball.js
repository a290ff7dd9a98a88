// The ball: every direction in its colour, and the cells on it, in space or as a flat map.

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
    for (const name of ["objective", "supports", "points", "cells", "born", "gone", "closes", "best"]) this[name] = unpack(data[name]);
    this.last = data.values.length - 1;
    this.edges = new Map();
    const to = this.direction(this.last);
    this.turn = lookingAt([to[0] + 0.3, to[1] - 0.23, to[2] + 0.2]);
    this.map = lookingAt(to);
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

  layout(width, height, flat, bySet, palette) {
    const key = `${width} ${height} ${flat} ${bySet} ${palette.dark}`;
    if (key !== this.placed) this.painted = undefined;
    Object.assign(this, { placed: key, width, height, flat, bySet, palette });
    this.radius = Math.min(width, height) / 2 - 14;
    this.wide = Math.min(width - 8, 2 * (height - 8));
    this.scale = [palette.empty, ...palette.positive].map(channels);
  }

  /** The direction that is seen at a place of the screen, or null beside the ball. */
  seenAt(x, y) {
    const right = x - this.width / 2, up = this.height / 2 - y;
    if (this.flat) {
      const lon = (right / this.wide) * TURN, lat = (up / this.wide) * TURN;
      if (Math.abs(lon) > Math.PI || Math.abs(lat) > Math.PI / 2) return null;
      return this.back(this.map, Math.cos(lat) * Math.sin(lon), Math.sin(lat), Math.cos(lat) * Math.cos(lon));
    }
    const a = right / this.radius, b = up / this.radius, rest = 1 - a * a - b * b;
    return rest < 0 ? null : this.back(this.turn, a, b, Math.sqrt(rest));
  }

  back([right, up, eye], a, b, c) {
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

  tint(d) {
    const [face, row, column] = this.onCube(d), { side } = this;
    return this.supports[(face * side + Math.round(row)) * side + Math.round(column)];
  }

  /** A colour for each set: hues by the golden angle, lightness in three steps, so that neighbours differ. */
  tints() {
    return Array.from({ length: 256 }, (_, s) => {
      const light = (this.palette.dark ? [42, 54, 33] : [72, 84, 62])[s % 3];
      return channels(`hsl(${(198 + s * 137.508) % 360} 50% ${light}%)`);
    });
  }

  /** The colours of all directions in sight, kept until the ball is turned. */
  paint() {
    if (this.painted) return;
    const tall = this.flat ? this.wide / 2 : 2 * this.radius, across = this.flat ? this.wide : tall;
    const ratio = Math.min(devicePixelRatio || 1, ROUGHLY / across), w = Math.max(2, Math.round(across * ratio)), h = Math.max(2, Math.round(tall * ratio));
    [this.small.width, this.small.height] = [w, h];
    const pen = this.small.getContext("2d"), image = pen.createImageData(w, h), pixels = image.data;
    const levels = Array.from({ length: 256 }, (_, v) => blend(this.scale, v / 255)), tints = this.bySet ? this.tints() : null;
    const left = (this.width - across) / 2, top = (this.height - tall) / 2;
    for (let py = 0; py < h; py++) {
      for (let px = 0; px < w; px++) {
        const x = left + ((px + 0.5) * across) / w, y = top + ((py + 0.5) * tall) / h, d = this.seenAt(x, y);
        if (!d) continue;
        const tint = tints ? tints[this.tint(d)] : levels[Math.round(255 * this.worth(d))];
        let shade = 1, cover = 255;
        if (!this.flat) {
          const away = Math.hypot(x - this.width / 2, y - this.height / 2) / this.radius, deep = Math.sqrt(Math.max(0, 1 - away * away));
          shade = 0.8 + 0.2 * deep;
          cover = 255 * Math.min(1, (1 - away) * this.radius + 0.2);
        }
        const at = 4 * (py * w + px);
        pixels[at] = tint[0] * shade;
        pixels[at + 1] = tint[1] * shade;
        pixels[at + 2] = tint[2] * shade;
        pixels[at + 3] = cover;
      }
    }
    pen.putImageData(image, 0, 0);
    this.painted = [left, top, across, tall];
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
    const [right, up, eye] = this.flat ? this.map : this.turn;
    const a = right[0] * d[0] + right[1] * d[1] + right[2] * d[2], b = up[0] * d[0] + up[1] * d[1] + up[2] * d[2], c = eye[0] * d[0] + eye[1] * d[1] + eye[2] * d[2];
    if (!this.flat) return { x: this.width / 2 + this.radius * a, y: this.height / 2 - this.radius * b, front: c > -0.01 };
    return { x: this.width / 2 + (Math.atan2(a, c) / TURN) * this.wide, y: this.height / 2 - (Math.asin(Math.min(1, Math.max(-1, b))) / TURN) * this.wide, front: true };
  }

  trace(pen, lines) {
    for (const line of lines) {
      let before = null;
      for (const direction of line) {
        const here = this.place(direction);
        const far = before && this.flat && Math.abs(here.x - before.x) > this.wide / 2; // over the map's edge
        if (!here.front || !before || far) pen.moveTo(here.x, here.y);
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
    const stroke = (cells, colour, wide, cover) => {
      if (!cells.length || cover <= 0) return;
      pen.strokeStyle = colour;
      pen.lineWidth = wide;
      pen.globalAlpha = cover;
      pen.beginPath();
      for (const cell of cells) this.trace(pen, this.outline(cell));
      pen.stroke();
      pen.globalAlpha = 1;
    };
    stroke(groups.closed, palette.quiet, 1, 0.6);
    stroke(groups.closing, palette.quiet, 1, 0.6 * (1 - fresh));
    stroke(groups.closing, palette.upper_bound, 2.6, fresh);
    stroke(groups.open, palette.upper_bound, 2.6, 1);
    stroke(groups.split, palette.upper_bound, 2.6, 1 - fresh);
    const best = this.direction(round), brush = new Brush(pen, this.width, this.height, palette, 1);
    for (const d of this.nonnegative ? [best] : [best, best.map((x) => -x)]) {
      const { x, y, front } = this.place(d);
      if (front && this.open[round]) brush.diamond(x, y, 9, { edge: palette.upper_bound, thick: 3 });
      else if (front) { brush.star(x, y, 16, palette.paper); brush.star(x, y, 12, palette.upper_bound); }
    }
  }
}
