// Pictures: loadings in colour over what the features stand for: an image, an axis, or a list of names.

/** A small picture, `colourAt(i)` its pixel i. */
function pixelsOf({ rows, columns }, colourAt) {
  const small = new OffscreenCanvas(columns, rows), pixels = new ImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) pixels.data.set([...colourAt(i), 255], 4 * i);
  small.getContext("2d").putImageData(pixels, 0, 0);
  return small;
}

/** Every loading of some layers {support, weights, colour, negative, most, fresh}: its share of `most`, by default the layer's
 * largest, how faint the least of them is, and how it shines. */
const loadingsOf = (layers) => layers.flatMap(({ support, weights, colour, negative = colour, most, fresh }) => {
  const full = most || Math.max(...weights.map(Math.abs), 1e-300), faintest = most ? 0.1 : 0.5;
  return Array.from(support, (i, j) => ({ i, weight: weights[j], share: Math.abs(weights[j]) / full, faintest,
    colour: weights[j] < 0 ? negative : colour, glow: fresh?.has(i) ? fresh.left : 0 }));
});

/** Draw coloured loadings over a grey mean image. */
function drawImage(brush, scene, layers) {
  const { width, height, palette } = brush, { rows, columns, mean } = scene.image, painted = new Map();
  const dim = layers.length ? 0.78 : 1, empty = channels(palette.empty)[0];
  const under = (i) => painted.get(i) ?? Array(3).fill(mean ? 18 + (mean[i] * dim * 237) / 255 : empty);
  for (const { i, share, colour, faintest, glow } of loadingsOf(layers)) {
    const strength = faintest + (1 - faintest) * share, laid = blend([under(i), channels(colour)], strength);
    painted.set(i, laid.map((c) => c + (255 - c) * 0.75 * glow));
  }
  const scale = Math.min(width / columns, height / rows), x = (width - columns * scale) / 2, y = (height - rows * scale) / 2;
  brush.image(pixelsOf(scene.image, under), x, y, columns * scale, rows * scale);
  const at = (v, from) => Math.floor((v - from) / scale);
  return {
    between(x0, y0, x1, y1) {
      const found = [];
      for (let r = Math.max(at(y0, y), 0); r <= Math.min(at(y1, y), rows - 1); r++) {
        for (let c = Math.max(at(x0, x), 0); c <= Math.min(at(x1, x), columns - 1); c++) found.push(r * columns + c);
      }
      return found;
    },
    frame: (i) => [x + (i % columns) * scale, y + Math.floor(i / columns) * scale, scale, scale],
  };
}

/** Draw loadings as shaded stretches along an axis, over the mean curve. */
function drawAxis(brush, scene, layers) {
  const { width, height, palette } = brush, { order, values, mean, sample, name, unit } = scene.axis;
  const left = 12, right = width - 12, top = 8, foot = height - 40;
  const low = values[order[0]], high = values[order.at(-1)];
  const x = axisOf(low, high, left, right), place = new Map(Array.from(order, (i, at) => [i, at]));
  const edge = (at) => x(at < 0 ? low : at >= order.length ? high : values[order[at]]);
  for (const { i, share, colour, glow } of loadingsOf(layers)) {
    const at = place.get(i), from = (edge(at - 1) + edge(at)) / 2, to = (edge(at) + edge(at + 1)) / 2;
    const wide = Math.max(to - from, 1.5), tall = share * 0.9 * (foot - top);
    brush.box(from, top, wide, foot - top, { fill: colour, faint: 0.16 + 0.5 * glow });
    brush.box(from, foot - tall, wide, tall, { fill: colour, faint: 0.95 });
  }
  const lines = [mean, sample].filter(Boolean), all = lines.flatMap((line) => [...line]);
  const least = Math.min(...all), span = Math.max(...all) - least || 1;
  lines.forEach((line, l) => {
    const points = Array.from(order, (i) => [x(values[i]), foot - 6 - (0.9 * (line[i] - least) * (foot - top)) / span]);
    brush.line(points, l ? { wide: 2.2, colour: palette.found } : { wide: 1.6 });
  });
  brush.line([[left, foot], [right, foot]], { colour: palette.quiet, wide: 1 });
  const ticks = width < 300 ? 3 : 6;
  for (let t = 0; t < ticks; t++) {
    const v = low + ((high - low) * t) / (ticks - 1);
    brush.text(v.toPrecision(3), x(v), foot + 15, { size: SIZES.small, align: t ? (t === ticks - 1 ? "right" : "center") : "left" });
  }
  brush.text(`${unit ? `${name} (${unit})` : name}${sample ? "; blue: the sample" : ""}${mean ? "; line: the mean" : ""}`, (left + right) / 2, foot + 32, { size: SIZES.small, align: "center" });
  const nearest = (px) => order.reduce((best, i) => (Math.abs(values[i] - x.back(px)) < Math.abs(values[best] - x.back(px)) ? i : best));
  return {
    between: (x0, _, x1) => Array.from(order.subarray(place.get(nearest(x0)), place.get(nearest(x1)) + 1)),
    frame: (i) => [x(values[i]) - 2, top, 4, foot - top],
  };
}

/** Draw the heaviest loadings as bars with their names. */
function drawList(brush, scene, layers) {
  const { pen, width, height, palette } = brush, size = SIZES.small;
  const entries = loadingsOf(layers).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const row = 22, room = Math.max(1, Math.floor((height - 26) / row)), shown = entries.slice(0, room);
  const beside = scene.beside ?? (scene.say ? 74 : 56); // pixels for the number beside the longest bar
  const most = Math.abs(entries[0]?.weight ?? 1);
  const label = Math.min(width * 0.5, Math.max(...shown.map((e) => brush.measure(featureName(scene, e.i), size)), 30) + 12);
  const signed = shown.some((e) => e.weight < 0), reach = (width - label - beside) / (signed ? 2 : 1), zero = label + (signed ? reach : 0);
  shown.forEach(({ i, weight, colour, glow }, r) => {
    const y = 4 + r * row, long = Math.max((reach * Math.abs(weight)) / most, 2), left = weight < 0 ? zero - long : zero;
    brush.box(left, y + 3, long, row - 7, { fill: colour, faint: 0.85 });
    if (glow) brush.box(left, y + 3, long, row - 7, { fill: palette.ink, faint: 0.6 * glow });
    brush.text(fitted(pen, featureName(scene, i), label - 8), label - 8, y + 15, { size, align: "right" });
    brush.text(scene.say?.(weight, i) ?? decimals(weight, 3), left + long + 5, y + 15, { size });
  });
  const more = entries.length - room;
  if (more > 0) brush.text(`and ${count(more)} more with smaller ${scene.weights ?? "loadings"}`, 8, 4 + room * row + 15, { size });
  const rowAt = (y) => Math.floor((y - 4) / row);
  return {
    between: (_, y0, __, y1) => shown.slice(Math.max(rowAt(y0), 0), Math.max(rowAt(y1) + 1, 0)).map((e) => e.i),
    frame(i) {
      const r = shown.findIndex((e) => e.i === i);
      return r < 0 ? null : [2, 4 + row * r, width - 4, row - 1];
    },
  };
}

/** What a feature is called: a pixel by its place, a point of an axis by its value. */
function featureName({ image, axis, names }, i) {
  if (image) return `row ${Math.floor(i / image.columns) + 1}, column ${(i % image.columns) + 1}`;
  return axis ? `${axis.values[i].toPrecision(4)} ${axis.unit}` : names[i] ?? `feature ${i + 1}`;
}

function fitted(pen, text, most) {
  if (pen.measureText(text).width <= most) return text;
  let short = text;
  while (short.length > 1 && pen.measureText(`${short}…`).width > most) short = short.slice(0, -1);
  return `${short}…`;
}

/** What the features stand for, unpacked once. */
function readScene(packed) {
  const scene = { ...packed };
  if (packed.image) scene.image = { ...packed.image, mean: packed.image.mean && unpack(packed.image.mean) };
  if (packed.axis) {
    const values = unpack(packed.axis.values);
    const order = Int32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
    scene.axis = { ...packed.axis, values, order, mean: packed.axis.mean && unpack(packed.axis.mean) };
  }
  return scene;
}

/** Frame a feature so that it is seen on any colour. */
function frameAt(brush, place, thick, dash) {
  brush.box(...place, { edge: brush.palette.ink, thick: thick + 1.5 });
  brush.box(...place, { edge: brush.palette.paper, thick, dash });
}

/** Draw a scene; return where its features stand: those `between` two places, the one `at` a place, a `frame` around one. */
function drawScene(brush, scene, layers) {
  const drawn = (scene.image ? drawImage : scene.axis ? drawAxis : drawList)(brush, scene, layers);
  return { ...drawn, at: (x, y) => drawn.between(x, y, x, y)[0] };
}
