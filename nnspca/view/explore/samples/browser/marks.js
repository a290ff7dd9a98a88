// Marks: one shape and colour for each class, pictures of single samples, and rings around features of the part.

const SHAPES = [
  (pen, x, y, r) => { pen.arc(x, y, r, 0, 7); },
  (pen, x, y, r) => polygon(pen, [[x, y - 1.3 * r], [x + 1.3 * r, y], [x, y + 1.3 * r], [x - 1.3 * r, y]]),
  (pen, x, y, r) => { pen.rect(x - r, y - r, 2 * r, 2 * r); },
  (pen, x, y, r) => polygon(pen, [[x, y - 1.2 * r], [x + 1.2 * r, y + r], [x - 1.2 * r, y + r]]),
  (pen, x, y, r) => polygon(pen, [[x, y + 1.2 * r], [x + 1.2 * r, y - r], [x - 1.2 * r, y - r]]),
  (pen, x, y, r) => polygon(pen, [[x - r, y - 1.3 * r], [x + r, y], [x - r, y + 1.3 * r]]),
];

function polygon(pen, corners) {
  corners.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
}

/** What a class wears; two classes of one colour differ by their shape. */
function wears(samples, c, palette) {
  if (c === null) return { colour: palette.found, shape: SHAPES[0] };
  if (samples.classes[c]?.other) return { colour: palette.quiet, shape: SHAPES[0] };
  return { colour: palette.series[c % 6], shape: SHAPES[(c + Math.floor(c / 6)) % 6] };
}

const classOf = (samples, s) => (samples.labels ? samples.labels[s] : null);

function mark(pen, { colour, shape }, x, y, size, faint) {
  pen.globalAlpha = faint ? 0.22 : 0.85;
  pen.fillStyle = colour;
  pen.beginPath();
  shape(pen, x, y, size);
  pen.fill();
  pen.globalAlpha = 1;
}

/** Draw one sample, where its picture is at hand: an image in greys, or a curve. Returns whether it is. */
function portrait(canvas, samples, s, palette) {
  const values = samples.pictures?.of(s);
  if (!values) return false;
  const { rows, places } = samples.pictures, pen = canvas.getContext("2d");
  if (rows) paint(canvas, values, samples.pictures);
  else {
    canvas.width = canvas.height = 144;
    pen.fillStyle = palette.empty;
    pen.fillRect(0, 0, 144, 144);
    pen.strokeStyle = palette.ink;
    pen.lineWidth = 3;
    pen.beginPath();
    values.forEach((v, i) => pen.lineTo(6 + 132 * places[i], 136 - (128 * v) / 255));
    pen.stroke();
  }
  return true;
}

function paint(canvas, values, { rows, columns }) {
  canvas.width = columns;
  canvas.height = rows;
  const pixels = new ImageData(columns, rows);
  values.forEach((v, i) => pixels.data.set([v, v, v, 255], 4 * i));
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

/** Where features stand in the picture of the part: asks in pixels, answers with features, and rings some. */
class Features {
  constructor(scene, support, weights, n) {
    Object.assign(this, { scene, support, weights, n });
    const heavy = Array.from(support.keys()).sort((a, b) => Math.abs(weights[b]) - Math.abs(weights[a]) || a - b);
    this.listed = heavy.map((at) => support[at]);
    if (scene.axis) {
      this.place = new Map(Array.from(scene.axis.order, (i, at) => [i, at]));
      const { order, values } = scene.axis;
      this.span = [values[order[0]], values[order.at(-1)]];
    }
  }

  draw(brush) {
    const { width, height, palette } = brush;
    Object.assign(this, { width, height });
    const layer = { support: this.support, weights: this.weights, colour: palette.series[1], negative: palette.found };
    this.box = drawScene(brush, this.scene, [layer]);
    this.rows = this.box.names?.length ?? 0;
  }

  /** The features between two corners, in pixels; of one point, the one there, used or not. */
  between(ax, ay, bx, by) {
    const [x0, x1] = [Math.min(ax, bx), Math.max(ax, bx)], [y0, y1] = [Math.min(ay, by), Math.max(ay, by)], found = [];
    if (this.scene.image) {
      const { x, y, scale, columns, rows } = this.box, at = (v, from) => Math.floor((v - from) / scale);
      for (let r = Math.max(at(y0, y), 0); r <= Math.min(at(y1, y), rows - 1); r++) {
        for (let c = Math.max(at(x0, x), 0); c <= Math.min(at(x1, x), columns - 1); c++) found.push(r * columns + c);
      }
    } else if (this.scene.axis) {
      const [from, to] = [this.place.get(this.box.at(x0)), this.place.get(this.box.at(x1))];
      for (let at = from; at <= to; at++) found.push(this.scene.axis.order[at]);
    } else {
      const row = (v) => Math.floor((v - 4) / 22);
      for (let r = Math.max(row(y0), 0); r <= Math.min(row(y1), this.rows - 1); r++) found.push(this.listed[r]);
    }
    return found;
  }

  ring(brush, marked) {
    for (const i of marked) {
      const frame = this.frame(i);
      if (!frame) continue;
      brush.box(...frame, { edge: brush.palette.paper, thick: 4 });
      brush.box(...frame, { edge: brush.palette.ink, thick: 2 });
    }
  }

  frame(i) {
    if (this.scene.image) {
      const { x, y, scale, columns } = this.box;
      return [x + (i % columns) * scale, y + Math.floor(i / columns) * scale, scale, scale];
    }
    if (this.scene.axis) {
      const [low, high] = this.span, x = 12 + ((this.scene.axis.values[i] - low) / (high - low || 1)) * (this.width - 24);
      return [x - 2, 8, 4, this.height - 48];
    }
    const r = this.listed.indexOf(i);
    return r >= 0 && r < this.rows ? [2, 4 + 22 * r, this.width - 4, 21] : null;
  }

  name(i, names) {
    if (names[i]) return names[i];
    if (this.scene.image) return `row ${Math.floor(i / this.scene.image.columns) + 1}, column ${(i % this.scene.image.columns) + 1}`;
    return this.scene.axis ? `${this.scene.axis.values[i].toPrecision(4)} ${this.scene.axis.unit}` : `feature ${i + 1}`;
  }
}
