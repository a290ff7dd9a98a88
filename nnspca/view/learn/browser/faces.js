// Figures on the faces: PCA's loadings, components by three methods, several parts.

const COUNTS = 0.05; // a loading below this share of its component's largest is not counted

/** A small picture of one loading a pixel: orange is positive, blue negative; over the mean face where there is one. */
function faceOf(image, loadings, palette, { mean = false, paints = null } = {}) {
  const plus = channels(palette.series[1]), minus = channels(palette.found), empty = channels(palette.empty);
  const grey = mean ? unpack(image.mean) : null;
  const most = loadings ? loadings.reduce((top, w) => Math.max(top, Math.abs(w)), 1e-300) : 1;
  return pixelsOf(image, (i) => {
    const painted = paints?.get(i), strength = painted ? 0.82 : loadings ? Math.min(1, Math.abs(loadings[i]) / most) : 0;
    return blend([grey ? Array(3).fill(18 + 0.78 * grey[i] * 0.93) : empty, painted ?? (loadings?.[i] < 0 ? minus : plus)], strength);
  });
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

  const share = (k) => Math.min(1, judge.variance(cut(k)) / data.values[0]);
  const curve = () => curves[which.value] ??= Array.from({ length: 33 }, (_, at) => 1 + Math.round(((n - 1) * at) / 32)).map((k) => [k, share(k)]);

  return {
    flat: true,
    tall: (width) => (width < NARROW ? width + 190 : Math.min(0.62 * width, 460 * desk.scale)),
    draw(brush) {
      const { width, height, palette } = brush, narrow = width < NARROW, k = largest.value, x = cut(k);
      const size = narrow ? width : Math.min(height, 0.58 * width);
      brush.image(faceOf(data.image, x, palette), 0, 0, size, size);
      const negative = x.filter((w) => w < 0).length, zero = x.filter((w) => w === 0).length;
      desk.say(`**${count(n - zero)} of ${count(n)} pixels have a nonzero loading**, ${count(negative)} of them negative. They explain **${floorTo(100 * share(k) + 1e-4, 1)} %** of λ₁.`);
      desk.name(`Component ${which.value + 1} of PCA, its ${k} largest loadings: orange is positive, blue negative.`);
      const left = narrow ? 40 : size + 56, top = narrow ? size + 26 : 40, foot = height - 34;
      const across = axisOf(1, n, left, width - 10), up = axisOf(0, 1, foot, top);
      brush.text("variance explained (% of λ₁)", left - 34, top - 12, { size: 13 });
      drawLevels(brush, [0, 0.5, 1], up, left, width - 10, (mark) => `${100 * mark}`);
      brush.line(curve().map(([at, value]) => [across(at), up(value)]), { colour: palette.found, wide: 2.5 });
      brush.dot(across(k), up(share(k)), 7, { fill: palette.found });
      brush.text("1", across(1), foot + 18, { size: 13 });
      brush.text(`k = ${n}`, width - 10, foot + 18, { size: 13, align: "right" });
    },
  };
};

FIGURES.ghosts = (desk) => {
  const { data } = desk, { rows, columns } = data.image, n = rows * columns;
  const titles = { pca: "PCA: every pixel, both signs", nmf: "NMF: one sign, nearly every pixel", ours: "Nonnegative and sparse: parts" };
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
        brush.text(titles[set.name], 0, y - 6, { bold: true, size: 14 });
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

FIGURES.several = (desk) => {
  const { data } = desk, most = data.apart.supports.length;
  const way = desk.choice("Found", ["one after the other", "together"]);
  const shown = desk.slider("Parts shown", { low: 1, high: most, value: most });
  const owner = (parts) => new Map(parts.supports.flatMap((support, p) => support.map((i) => [i, p])));
  const owners = [owner(data.apart), owner(data.together)];
  const moved = new Set([...owners[0].keys(), ...owners[1].keys()].filter((i) => owners[0].has(i) !== owners[1].has(i)));

  return {
    flat: true,
    tall: (width) => (width < NARROW ? width + 250 : Math.min(0.66 * width, 480 * desk.scale)),
    draw(brush) {
      const { width, height, palette } = brush, narrow = width < NARROW;
      const parts = [data.apart, data.together][way.value], r = shown.value;
      const paints = new Map();
      parts.supports.slice(0, r).forEach((support, p) => support.forEach((i) => paints.set(i, channels(palette.series[p % palette.series.length]))));
      const size = narrow ? width : Math.min(height, 0.58 * width);
      brush.image(faceOf(data.image, null, palette, { mean: true, paints }), 0, 0, size, size);
      const cell = size / data.image.columns, { columns } = data.image;
      for (const [i, p] of owners[way.value]) {
        if (!moved.has(i) || p >= r) continue;
        brush.dot((i % columns + 0.5) * cell, (Math.floor(i / columns) + 0.5) * cell, cell / 6, { fill: palette.paper, edge: palette.ink, thick: 1 });
      }
      const left = narrow ? 8 : size + 24, top = narrow ? size + 24 : 22, row = (height - top - 64) / most;
      const longest = Math.max(...data.apart.variances, ...data.together.variances), bound = `${ceilTo((100 * data.upper) / data.leading, 1)} %`;
      brush.text("variance explained (% of λ₁)", left, top - 8, { size: 13 });
      parts.variances.forEach((value, p) => {
        const y = top + p * row, long = ((width - left - 74) * value) / longest;
        brush.box(left, y, long, row * 0.7, { fill: palette.series[p % palette.series.length], faint: p < r ? 1 : 0.18 });
        if (p < r) brush.text(`${floorTo((100 * value) / data.leading, 1)} %`, left + long + 6, y + row * 0.5, { size: 14 });
      });
      const sum = parts.variances.slice(0, r).reduce((a, b) => a + b, 0), y = height - 40;
      const reach = axisOf(0, data.upper, left, width - 12);
      brush.box(left, y, width - 12 - left, 16, { edge: palette.quiet, thick: 1 });
      brush.box(left, y, reach(sum) - left, 16, { fill: palette.ink, faint: 0.6 });
      brush.line([[width - 12, y - 6], [width - 12, y + 22]], { colour: palette.upper_bound, wide: 4 });
      brush.text(`upper bound of the sum: ${bound}`, width - 12, y + 34, { size: 13, align: "right" });
      const proven = r === most ? ` The upper bound is ${bound}, so this is at least **${provenPercent(sum / data.upper)}** of the optimum.` : "";
      desk.say(`${r} part${r > 1 ? "s" : ""}, found ${["one after the other", "together"][way.value]}, explain **${floorTo((100 * sum) / data.leading, 1)} %** of λ₁.${proven} Dots: pixels that only one of the two ways uses.`);
      desk.name(`The mean face with ${r} parts in colours.`);
    },
  };
};
