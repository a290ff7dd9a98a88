// The two small pictures: the circle of directions and the component.

/** The unit circle with the feasible arc of (P₂), ±u₁, the best allowed direction and the present one. */
function drawCircle(canvas, curves, palette, phi, set, arc) {
  const size = canvas.clientWidth || 230, height = Math.min(size, 210);
  const pen = sizedPen(canvas, size, height), brush = new Brush(pen, size, height, palette, 1), r = height / 2 - 18, cx = size / 2, cy = height / 2;
  // c(φ) = (sin φ, cos φ): φ = 0 points up and φ grows clockwise
  const at = (angle, radius = r) => [cx + radius * Math.sin(angle), cy - radius * Math.cos(angle)];
  const sweep = (from, to, radius) => pen.arc(cx, cy, radius, from - QUARTER, to - QUARTER);
  const dot = (angle, solid) => {
    pen.beginPath();
    pen.arc(...at(angle), 5, 0, TURN);
    pen.fillStyle = solid ? palette.ink : palette.paper;
    pen.fill();
    pen.stroke();
  };
  pen.strokeStyle = palette.grid;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(cx - r, cy);
  pen.lineTo(cx + r, cy);
  pen.moveTo(cx, cy - r);
  pen.lineTo(cx, cy + r);
  pen.stroke();
  pen.strokeStyle = palette.ink;
  pen.beginPath();
  pen.arc(cx, cy, r, 0, TURN);
  pen.stroke();
  if (set.length) {
    pen.strokeStyle = palette.found;
    pen.lineWidth = 6;
    pen.beginPath();
    if (arc.whole) sweep(0, TURN, r); else sweep(arc.from, Math.max(arc.to, arc.from + 0.01), r);
    pen.stroke();
    const [from, to] = curves.edges(curves.region);
    pen.lineWidth = 4;
    pen.globalAlpha = 0.45;
    pen.beginPath();
    sweep(from, to, r + 8);
    pen.stroke();
    pen.globalAlpha = 1;
    pen.strokeStyle = palette.ink;
    pen.lineWidth = 1.5;
    pen.setLineDash([3, 4]);
    pen.beginPath();
    pen.moveTo(...at(arc.free));
    pen.lineTo(...at(arc.free + Math.PI));
    pen.stroke();
    pen.setLineDash([]);
    const within = (angle) => arc.whole || (((angle - arc.from) % TURN) + TURN) % TURN <= arc.to - arc.from + 1e-9;
    for (const angle of [arc.free, arc.free + Math.PI]) dot(angle, within(angle));
    pen.font = `13px ${palette.font}`;
    pen.fillStyle = palette.ink;
    pen.textAlign = "center";
    const [ux, uy] = at(arc.free, r - 16);
    pen.fillText("u₁", ux + 8 * Math.cos(arc.free), uy + 4 + 8 * Math.sin(arc.free));
    const [bx, by] = at(arc.best);
    brush.box(bx - 6, by - 6, 12, 12, { fill: palette.upper_bound, edge: palette.paper });
  }
  pen.strokeStyle = palette.found;
  pen.fillStyle = palette.found;
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.moveTo(cx, cy);
  pen.lineTo(...at(phi, r - 1));
  pen.stroke();
  pen.beginPath();
  pen.arc(...at(phi), 4, 0, TURN);
  pen.fill();
}

/** The component at φ: as an image, along an axis, or as bars. */
function drawComponent(canvas, plot, palette, phi, set, cache) {
  const width = canvas.clientWidth || 230, { curves } = plot;
  if (curves.image) return drawPixels(canvas, curves, palette, phi, set, cache);
  const pen = sizedPen(canvas, width, 180);
  pen.font = `13px ${palette.font}`;
  const norm = Math.sqrt(set.reduce((sum, i) => sum + curves.entry(i, phi) ** 2, 0)) || 1;
  const loading = (i) => curves.entry(i, phi) / norm;
  if (curves.axis) drawStems(pen, curves, palette, set, loading, width, 180);
  else drawBars(pen, plot, palette, set, loading, width, 180);
  return undefined;
}

const ONE_SIDED = { light: [[238, 242, 244], [169, 211, 234], [79, 163, 209], [0, 114, 178], [10, 58, 102]],
  dark: [[31, 41, 48], [29, 76, 110], [47, 130, 184], [98, 182, 238], [212, 239, 255]] };
const BELOW_ZERO = { light: [[238, 242, 244], [242, 201, 168], [224, 137, 74], [194, 87, 12], [109, 44, 0]],
  dark: [[31, 41, 48], [107, 58, 26], [179, 98, 43], [243, 156, 90], [255, 227, 204]] };

function blend(steps, share) {
  const place = Math.min(share, 1) * (steps.length - 1), low = Math.min(Math.floor(place), steps.length - 2);
  return steps[low].map((c, p) => c + (place - low) * (steps[low + 1][p] - c));
}

function drawPixels(canvas, curves, palette, phi, set, cache) {
  const [rows, columns] = curves.image, width = canvas.clientWidth || 230;
  const height = Math.min((width * rows) / columns, 180);
  const pen = sizedPen(canvas, width, height);
  cache.small ??= document.createElement("canvas");
  if (cache.small.width !== columns || cache.small.height !== rows) [cache.small.width, cache.small.height] = [columns, rows];
  const tiny = cache.small.getContext("2d"), pixels = tiny.createImageData(columns, rows);
  const theme = channels(palette.paper)[0] < 128 ? "dark" : "light";
  const empty = ONE_SIDED[theme][0];
  for (let p = 0; p < rows * columns; p++) pixels.data.set([...empty, 255], 4 * p);
  let most = 1e-300;
  for (const i of set) most = Math.max(most, curves.value(i, phi));
  for (const i of set) {
    const v = curves.entry(i, phi);
    const colour = blend(v < 0 ? BELOW_ZERO[theme] : ONE_SIDED[theme], 0.15 + (0.85 * Math.abs(v)) / most);
    pixels.data.set(colour, 4 * (curves.place ? curves.place[i] : i));
  }
  tiny.putImageData(pixels, 0, 0);
  pen.imageSmoothingEnabled = false;
  const breadth = (height * columns) / rows;
  pen.drawImage(cache.small, (width - breadth) / 2, 0, breadth, height);
}

function drawStems(pen, curves, palette, set, loading, width, height) {
  const { values, name, unit } = curves.axis;
  setAxisRange(curves);
  const [low, high] = curves.axisRange, signed = !curves.nonnegative;
  const base = signed ? (height - 24) / 2 : height - 26, tall = signed ? base - 4 : base - 8;
  const x = (i) => 6 + ((values[i] - low) / (high - low || 1)) * (width - 12);
  pen.strokeStyle = pen.fillStyle = palette.ink;
  pen.globalAlpha = 0.7;
  pen.beginPath();
  pen.moveTo(4, base);
  pen.lineTo(width - 4, base);
  pen.stroke();
  pen.globalAlpha = 1;
  pen.textAlign = "left";
  pen.fillText(`${+low.toPrecision(3)}`, 4, height - 8);
  pen.textAlign = "right";
  pen.fillText(`${+high.toPrecision(3)} ${unit}`, width - 4, height - 8);
  pen.textAlign = "center";
  pen.fillText(name, width / 2, height - 8);
  pen.strokeStyle = palette.found;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const i of set) {
    pen.moveTo(x(i), base);
    pen.lineTo(x(i), base - loading(i) * tall);
  }
  pen.stroke();
}

function setAxisRange(curves) {
  if (curves.axisRange) return;
  let low = Infinity, high = -Infinity;
  for (const v of curves.axis.values) { low = Math.min(low, v); high = Math.max(high, v); }
  curves.axisRange = [low, high];
}

/** Few features: all of them, each in its own row for good. Many: the largest of the set. */
function drawBars(pen, plot, palette, set, loading, width, height) {
  const { curves } = plot;
  const fixed = curves.n <= 12;
  const shown = fixed ? Array.from({ length: curves.n }, (_, i) => i)
    : [...set].sort((a, b) => Math.abs(loading(b)) - Math.abs(loading(a))).slice(0, 11);
  const step = height / Math.max(shown.length, fixed ? 1 : 11);
  let gutter = 12;
  for (const i of shown) gutter = Math.max(gutter, pen.measureText(label(curves, i)).width);
  gutter = Math.min(gutter, 0.45 * width);
  const signed = !curves.nonnegative, from = gutter + 8, room = width - from - 42;
  const base = signed ? from + room / 2 : from, reach = signed ? room / 2 : room;
  const chosen = new Set(set);
  shown.forEach((i, row) => {
    const y = row * step, value = chosen.has(i) ? loading(i) : 0, length = value * reach;
    pen.textAlign = "right";
    pen.fillStyle = palette.ink;
    pen.globalAlpha = chosen.has(i) ? 1 : 0.55;
    pen.fillText(label(curves, i), gutter, y + step / 2 + 4, gutter);
    pen.globalAlpha = 1;
    pen.fillStyle = plot.tint(i);
    const bar = Math.min(step * 0.7, 22);
    pen.fillRect(Math.min(base, base + length), y + (step - bar) / 2, Math.abs(length), bar);
    pen.fillStyle = palette.grid;
    pen.fillRect(base - 0.5, y, 1, step);
    if (value) {
      pen.fillStyle = palette.ink;
      pen.textAlign = "left";
      pen.fillText(decimals(value, 2), Math.max(base, base + length) + 5, y + step / 2 + 4);
    }
  });
}
