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

function paint(canvas, values, size) {
  canvas.width = size.columns;
  canvas.height = size.rows;
  canvas.getContext("2d").drawImage(pixelsOf(size, (i) => Array(3).fill(values[i])), 0, 0);
}

/** The picture of a part, and rings around some of its features. */
class Features {
  constructor(scene, support, weights) {
    Object.assign(this, { scene, support, weights, box: { between: () => [], at: () => undefined } }); // nothing is drawn yet
  }

  draw(brush) {
    const { palette } = brush, layer = { support: this.support, weights: this.weights, colour: palette.series[1], negative: palette.found };
    this.box = drawScene(brush, this.scene, [layer]);
  }

  ring(brush, marked) {
    for (const i of marked) {
      const frame = this.box.frame(i);
      if (!frame) continue;
      brush.box(...frame, { edge: brush.palette.paper, thick: 4 });
      brush.box(...frame, { edge: brush.palette.ink, thick: 2 });
    }
  }
}
