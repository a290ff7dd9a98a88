// Figures on the faces: PCA's loadings, components by three methods.

const COUNTS = 0.05; // a loading below this share of its component's largest is not counted

/** A small picture of one loading a pixel: orange is positive, blue negative. */
function faceOf(image, loadings, palette) {
  const plus = channels(palette.series[1]), minus = channels(palette.found), empty = channels(palette.empty);
  const most = loadings.reduce((top, w) => Math.max(top, Math.abs(w)), 1e-300);
  return pixelsOf(image, (i) => blend([empty, loadings[i] < 0 ? minus : plus], Math.min(1, Math.abs(loadings[i]) / most)));
}

FIGURES.pca = (desk) => {
  const { data } = desk, n = data.image.rows * data.image.columns, flat = unpack(data.vectors);
  const judge = judgeOf(desk.lesson.data.figures.paint.boards.find((board) => board.name === "faces"));
  const largest = desk.slider("Largest loadings, k", { low: 1, high: n, value: n });
  const which = desk.choice("Component", data.values.map((_, at) => String(at + 1)));
  const curves = [];

  function cut(k) {
    const v = flat.subarray(which.value * n, (which.value + 1) * n), x = new Float64Array(n);
    for (const i of Array.from(v.keys()).sort((a, b) => Math.abs(v[b]) - Math.abs(v[a])).slice(0, k)) x[i] = v[i];
    return unit(x);
  }

  const share = (k) => (k === n ? data.values[which.value] : Math.min(judge.variance(cut(k)), data.values[0])) / data.values[0];
  const curve = () => curves[which.value] ??= Array.from({ length: 33 }, (_, at) => 1 + Math.round(((n - 1) * at) / 32)).map((k) => [k, share(k)]);

  return {
    flat: true,
    tall: (width) => (width < NARROW ? width + 190 : Math.min(0.62 * width, 460 * desk.scale)),
    draw(brush) {
      const { width, height, palette } = brush, narrow = width < NARROW, k = largest.value, x = cut(k);
      const size = narrow ? width : Math.min(height, 0.58 * width);
      brush.image(faceOf(data.image, x, palette), 0, 0, size, size);
      const negative = x.filter((w) => w < 0).length, zero = x.filter((w) => w === 0).length;
      desk.say(`**${count(n - zero)} of ${count(n)} pixels have a nonzero loading**, ${count(negative)} of them negative. They explain **${floorTo(100 * share(k), 1)} %** of λ₁.`);
      desk.name(`Component ${which.value + 1} of PCA, its ${k} largest loadings: orange is positive, blue negative.`);
      const left = narrow ? 40 : size + 56, top = narrow ? size + 26 : 40, foot = height - 34;
      const across = axisOf(1, n, left, width - 10), up = axisOf(0, 1, foot, top);
      brush.text("variance explained (% of λ₁)", left - 34, top - 12, { size: SIZES.small });
      drawLevels(brush, [0, 0.5, 1], up, left, width - 10, (mark) => `${100 * mark}`);
      brush.line(curve().map(([at, value]) => [across(at), up(value)]), { colour: palette.found, wide: 2.5 });
      brush.dot(across(k), up(share(k)), 7, { fill: palette.found });
      brush.text("1", across(1), foot + 18, { size: SIZES.small });
      brush.text(`k = ${n}`, width - 10, foot + 18, { size: SIZES.small, align: "right" });
    },
  };
};

FIGURES.ghosts = (desk) => {
  const { data } = desk, { rows, columns } = data.image, n = rows * columns;
  const titles = { pca: "PCA: every pixel, both signs", nmf: "NMF: one sign, most pixels", ours: "Nonnegative and sparse: parts" };
  const sets = data.sets.map(([name, packed]) => {
    const flat = unpack(packed), many = flat.length / n;
    return { name, parts: Array.from({ length: many }, (_, p) => flat.subarray(p * n, (p + 1) * n)) };
  });
  let pixel = 2 * columns + 13, tiles = [], sheets, dressed;

  function hear(x, y) {
    const tile = tiles.find((t) => x >= t.x && x < t.x + t.size && y >= t.y && y < t.y + t.size);
    if (tile) pixel = Math.floor(((y - tile.y) / tile.size) * rows) * columns + Math.floor(((x - tile.x) / tile.size) * columns);
    return Boolean(tile);
  }

  return {
    tall: (width) => 3 * ((width - 30) / 6 + 70),
    press: hear,
    drag: hear,
    hover: hear,
    key(event) {
      const step = ARROWS[event.key];
      if (step) pixel = clamp(pixel + step[0] + columns * step[1], 0, n - 1);
      return Boolean(step);
    },
    values: () => [pixel],
    take: ([at]) => { if (at >= 0 && at < n) pixel = Math.floor(at); },
    draw(brush) {
      const { width, palette } = brush, size = (width - 30) / 6;
      if (dressed !== palette.paper) {
        sheets = sets.map((set) => set.parts.map((part) => faceOf(data.image, part, palette)));
        dressed = palette.paper;
      }
      tiles = [];
      const uses = [];
      sets.forEach((set, row) => {
        const y = row * (size + 70) + 20;
        brush.text(titles[set.name], 0, y - 6, { bold: true, size: SIZES.label });
        let used = 0, minus = 0;
        set.parts.forEach((part, p) => {
          const x = p * (size + 6), loading = part[pixel];
          brush.image(sheets[row][p], x, y, size, size);
          tiles.push({ x, y, size });
          const cell = size / columns, px = x + (pixel % columns) * cell, py = y + Math.floor(pixel / columns) * cell;
          brush.box(px - 1, py - 1, cell + 2, cell + 2, { edge: palette.ink, thick: 2.5 });
          brush.box(px - 1, py - 1, cell + 2, cell + 2, { edge: palette.paper, thick: 1 });
          const zero = y + size + 22, tall = 16 * loading, counts = Math.abs(loading) > COUNTS;
          used += counts;
          minus += counts && loading < 0;
          brush.line([[x, zero], [x + size, zero]], { colour: palette.quiet, wide: 1 });
          if (counts) brush.box(x + size / 2 - 9, Math.min(zero, zero - tall), 18, Math.abs(tall), { fill: loading < 0 ? palette.found : palette.series[1] });
        });
        uses.push(`**${{ pca: "PCA", nmf: "NMF", ours: "ours" }[set.name]}: ${used} of 6**${minus ? ` (${minus} negative)` : ""}`);
      });
      desk.say(`The pixel in row ${Math.floor(pixel / columns) + 1}, column ${(pixel % columns) + 1} is used by ${uses.join("; ")}.`);
      desk.name("Six components of the faces by PCA, by NMF and by nonnegative sparse PCA. Arrow keys move the pixel.");
    },
  };
};
