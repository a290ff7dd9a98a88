// Pictures: loadings in colour over what the features stand for: an image, an axis, or a list of names.

/** Draw coloured loadings over a grey mean image. `layers` are {support, weights, colour, fresh}; returns its box. */
function drawImage(brush, scene, layers) {
  const { pen, width, height, palette } = brush, { rows, columns, mean } = scene.image;
  const pixels = new ImageData(columns, rows), dim = layers.length ? 0.78 : 1;
  for (let i = 0; i < rows * columns; i++) {
    const grey = mean ? 18 + (mean[i] * dim * 237) / 255 : channels(palette.empty)[0];
    pixels.data.set([grey, grey, grey, 255], 4 * i);
  }
  for (const { support, weights, colour, negative, fresh } of layers) {
    const most = Math.max(...weights.map(Math.abs), 1e-300);
    const paint = channels(colour), other = channels(negative ?? colour);
    for (let j = 0; j < support.length; j++) {
      const share = Math.abs(weights[j]) / most, strength = 0.5 + 0.5 * share, at = 4 * support[j];
      const mix = weights[j] < 0 ? other : paint, glow = fresh?.has(support[j]) ? fresh.left : 0;
      for (let c = 0; c < 3; c++) {
        const laid = pixels.data[at + c] * (1 - strength) + mix[c] * strength;
        pixels.data[at + c] = laid + (255 - laid) * 0.75 * glow;
      }
    }
  }
  const small = new OffscreenCanvas(columns, rows);
  small.getContext("2d").putImageData(pixels, 0, 0);
  const scale = Math.min(width / columns, height / rows);
  const box = { x: (width - columns * scale) / 2, y: (height - rows * scale) / 2, scale, columns, rows };
  pen.imageSmoothingEnabled = false;
  pen.drawImage(small, box.x, box.y, columns * scale, rows * scale);
  return box;
}

/** Draw loadings as shaded stretches along an axis, over the mean curve. */
function drawAxis(brush, scene, layers) {
  const { width, height, palette } = brush, { order, values, mean, name, unit } = scene.axis;
  const left = 12, right = width - 12, top = 8, foot = height - 40;
  const low = values[order[0]], high = values[order.at(-1)];
  const x = (v) => left + ((v - low) / (high - low || 1)) * (right - left);
  const place = new Map(Array.from(order, (i, at) => [i, at]));
  const edge = (at) => x(at < 0 ? low : at >= order.length ? high : values[order[at]]);
  for (const { support, weights, colour, negative, fresh } of layers) {
    const most = Math.max(...weights.map(Math.abs), 1e-300);
    for (let j = 0; j < support.length; j++) {
      const at = place.get(support[j]), share = Math.abs(weights[j]) / most, fill = weights[j] < 0 ? negative ?? colour : colour;
      const from = (edge(at - 1) + edge(at)) / 2, to = (edge(at) + edge(at + 1)) / 2, wide = Math.max(to - from, 1.5), tall = share * 0.9 * (foot - top);
      brush.box(from, top, wide, foot - top, { fill, faint: 0.16 + 0.5 * (fresh?.has(support[j]) ? fresh.left : 0) });
      brush.box(from, foot - tall, wide, tall, { fill, faint: 0.95 });
    }
  }
  if (mean) {
    const least = Math.min(...mean), span = Math.max(...mean) - least || 1;
    brush.line(Array.from(order, (i) => [x(values[i]), foot - 6 - (0.9 * (mean[i] - least) * (foot - top)) / span]), { wide: 1.6 });
  }
  brush.line([[left, foot], [right, foot]], { colour: palette.quiet, wide: 1 });
  const ticks = 6;
  for (let t = 0; t < ticks; t++) {
    const v = low + ((high - low) * t) / (ticks - 1);
    brush.text(v.toPrecision(3), x(v), foot + 15, { size: 13, align: t ? (t === ticks - 1 ? "right" : "center") : "left" });
  }
  brush.text(unit ? `${name} (${unit}); line: the mean` : name, (left + right) / 2, foot + 32, { size: 13, align: "center" });
  return { x: left, y: top, at: (px) => nearest(order, values, low + ((px - left) / (right - left)) * (high - low)) };
}

function nearest(order, values, v) {
  let best = order[0];
  for (const i of order) if (Math.abs(values[i] - v) < Math.abs(values[best] - v)) best = i;
  return best;
}

/** Draw the heaviest loadings as bars with their names. */
function drawList(brush, scene, layers) {
  const { pen, width, height, palette } = brush, size = 13;
  const entries = layers.flatMap(({ support, weights, colour, negative, fresh }) =>
    Array.from(support, (i, j) => ({ i, weight: weights[j], colour: weights[j] < 0 ? negative ?? colour : colour, fresh })));
  entries.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const row = 22, apart = new Set(scene.unlisted), listed = entries.filter(({ i }) => !apart.has(i)), controls = entries.length - listed.length;
  const beside = scene.say ? 74 : 56; // pixels for the number beside the longest bar
  const most = Math.abs(entries[0]?.weight ?? 1);
  const unlisted = (many) => [
    listed.length > many && `and ${count(listed.length - many)} more with smaller ${scene.weights ?? "loadings"}`,
    controls && `${count(controls)} control ${controls === 1 ? "probe" : "probes"} not listed`,
  ].filter(Boolean);
  let room = Math.max(1, Math.floor((height - 26) / row)), rest = [unlisted(room).join("; ")];
  if (brush.measure(rest[0], size) > width - 12) {
    room = Math.max(1, room - 1);
    rest = unlisted(room);
  }
  const shown = listed.slice(0, room);
  const name = (i) => scene.names[i] ?? `feature ${i + 1}`;
  const label = Math.min(width * 0.5, Math.max(...shown.map((e) => brush.measure(name(e.i), size)), 30) + 12);
  shown.forEach(({ i, weight, colour, fresh }, r) => {
    const y = 4 + r * row, long = ((width - label - beside) * Math.abs(weight)) / most;
    brush.box(label, y + 3, Math.max(long, 2), row - 7, { fill: colour, faint: 0.85 });
    if (fresh?.has(i) && fresh.left) brush.box(label, y + 3, Math.max(long, 2), row - 7, { fill: palette.ink, faint: 0.6 * fresh.left });
    brush.text(fitted(pen, name(i), label - 8), label - 8, y + 15, { size, align: "right" });
    brush.text(scene.say?.(weight) ?? decimals(weight, 3), label + Math.max(long, 2) + 5, y + 15, { size });
  });
  rest.forEach((words, at) => brush.text(words, 8, 4 + shown.length * row + 15 + 18 * at, { size }));
  return { names: shown.map((e) => name(e.i)), at: (px, py) => shown[Math.floor((py - 4) / row)]?.i };
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

function drawScene(brush, scene, layers) {
  const draw = scene.image ? drawImage : scene.axis ? drawAxis : drawList;
  return draw(brush, scene, layers);
}
