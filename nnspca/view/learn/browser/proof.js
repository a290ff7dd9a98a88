// Figures of proof: a 4 × 4 matrix with every number on the screen, four upper bounds, and a certificate to check.

/** A matrix as a table of numbers; `marked` cells stand out, `right` is written behind the rows. */
function drawMatrix(brush, name, rows, { x, y, cell, marked = () => false, right = [], digits = 0, say = decimals, picked }) {
  const { palette } = brush, wide = cell * rows.length;
  brush.text(name, x + wide / 2, y - 10, { align: "center", bold: true });
  for (const side of [x - 5, x + wide + 5]) {
    const inward = side < x ? 6 : -6;
    brush.line([[side + inward, y - 3], [side, y - 3], [side, y + wide + 3], [side + inward, y + wide + 3]], { wide: 2 });
  }
  rows.forEach((row, i) => row.forEach((value, j) => {
    const left = x + j * cell, top = y + i * cell;
    if (marked(i, j)) brush.box(left + 2, top + 2, cell - 4, cell - 4, { fill: palette.found, faint: 0.22 });
    if (picked?.[0] === i && picked[1] === j) brush.box(left + 2, top + 2, cell - 4, cell - 4, { edge: palette.upper_bound, thick: 3 });
    brush.text(plainly(value, digits, say), left + cell / 2, top + cell / 2 + 6, { align: "center", size: clamp(cell * 0.36 / brush.scale, SIZES.small, SIZES.text) });
  }));
  right.forEach(({ words, strong }, i) => brush.text(words, x + wide + 16, y + (i + 0.5) * cell + 5, { bold: strong, size: SIZES.text, colour: strong ? palette.upper_bound : palette.ink }));
}

/** A number without zeros behind the point that say nothing. */
const plainly = (value, digits, say = decimals) => say(value, digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

/** The largest eigenvalue of a symmetric matrix B ≥ 0, from above: at most the largest (Bx)_i / x_i, for any x > 0. */
function largestEigenvalue(B) {
  let x = B.map(() => 1), most = 0;
  for (let step = 0; step < 500; step++) {
    const y = B.map((row, i) => row.reduce((sum, value, j) => sum + value * x[j], x[i])); // (B + I)x: no entry becomes 0
    most = Math.max(...y.map((value, i) => value / x[i])) - 1;
    x = y.map((value) => Math.max(value / Math.max(...y), 1e-9));
  }
  return most;
}

/** The places of the largest entries of row i beside its own, so many. */
const dearest = (row, i, many = 1) => [...row.keys()].filter((j) => j !== i).sort((p, q) => row[q] - row[p]).slice(0, many);
const largestBeside = (row, i) => row[dearest(row, i)[0]];
const lowered = (...places) => places.map((i) => String(i + 1).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d])).join(places.some((i) => i > 8) ? "," : "");

const LOW = 4, HIGH = 9; // of the axis of bounds

FIGURES.bounds = (desk) => {
  const { A, k, leading, optimum } = desk.data;
  const KINDS = ["1  λ₁", "2  Row sums", "3  Split", "4  Share"];
  const kind = desk.choice("The upper bound", KINDS);
  const level = desk.slider("ρ, the level of the split", { low: 0, high: 2, step: 0.05, value: 1, say: (v) => v.toFixed(2) });
  let weights = A.map(() => 1 / A.length), held = -1; // x_i² of each feature: they add up to 1
  const sharing = desk.slider("s, how row 1 shares with the others", { low: 0.5, high: 4, step: 0.05, value: 1, say: (v) => v.toFixed(2) });
  const split = (rho) => largestEigenvalue(A.map((row) => row.map((v) => Math.max(v - rho, 0)))) + rho * k;
  /** M: row 1 gives the s-th part of each pair and the others take s times it; the rest is shared evenly. */
  const shared = (s) => A.map((row, i) => row.map((v, j) => (i === j ? 0 : Math.max(v, 0) * (i === 0 ? 1 / s : j === 0 ? s : 1))));
  const totals = (M) => A.map((row, i) => row[i] + largestBeside(M[i], i));
  const sums = (M) => totals(M).map((sum, i) => ({ words: `${A[i][i]} + ${plainly(largestBeside(M[i], i), 2, ceilTo)} = ${plainly(sum, 2, ceilTo)}`, strong: sum === Math.max(...totals(M)) }));
  const bounds = () => [leading, Math.max(...totals(A)), split(level.value), Math.max(...totals(shared(sharing.value)))];
  /** The average of the rows with these weights, and what becomes of the pair that weighs most. */
  function weighed(M) {
    const [i, j] = [...weights.keys()].sort((p, q) => weights[q] - weights[p]).slice(0, 2).sort((p, q) => p - q);
    const pair = 2 * Math.max(A[i][j], 0) * Math.sqrt(weights[i] * weights[j]), room = M[i][j] * weights[i] + M[j][i] * weights[j], average = averageOf(M);
    return `Drag the weights x_i² on the left: they add up to 1, and **the average of the rows, now ${plainly(average, 2, ceilTo)}, is never above the largest row, ${plainly(Math.max(...totals(M)), 2, ceilTo)}.** Each pair has room in its two rows, here 2·A${lowered(i, j)}·x${lowered(i)}·x${lowered(j)} = ${plainly(pair, 2, floorTo)} ≤ ${plainly(room, 2, ceilTo)}, so x'Ax is at most that average for x ≥ 0 on two features.`;
  }
  const averageOf = (M) => totals(M).reduce((sum, total, i) => sum + weights[i] * total, 0);
  const WORDS = [
    () => `For every x of length 1, x'Ax is at most the largest eigenvalue: **${ceilTo(leading, 2)}**.`,
    () => `With k = 2, row i uses its own entry and one more. ${weighed(shared(1))}`,
    () => `The matrix on the right holds what lies below ρ = ${level.value.toFixed(2)}. As x ≥ 0 and (x₁+…+x₄)² ≤ k, it adds at most ρ·k = ${plainly(level.value * k, 2)}. The excess has λ₁ = ${ceilTo(bounds()[2] - level.value * k, 2)}. Together **${ceilTo(bounds()[2], 2)}**.`,
    () => {
      const value = bounds()[3], tight = value <= optimum + 1e-9;
      return `Each pair's covariance is shared between its two rows: 2·A_ij·x_i·x_j ≤ M_ij·x_i² + M_ji·x_j² if M ≥ 0 and M_ij·M_ji ≥ max(A_ij, 0)². ${weighed(shared(sharing.value))} ${tight ? "**Every row is at most 7, and the pair {1, 2} has variance 7: it is optimal.**" : "Slide s until the first three rows are equal."}`;
    },
  ];

  /** Give a feature a weight; the others share the rest as before. */
  function weigh(i, share) {
    const rest = 1 - weights[i], to = clamp(share, 0, 1);
    weights = weights.map((one, j) => (j === i ? to : rest > 1e-9 ? (one * (1 - to)) / rest : (1 - to) / (A.length - 1)));
    desk.changed();
    return true;
  }
  let rowAt = () => -1, shareAt = () => 0;

  return {
    flat: true,
    tall: (width) => 4 * Math.min(72 * desk.scale, (width - 90 - clamp(width / 6, 44, 110)) / 9.2) + (width < NARROW ? 230 : 170),
    press(x, y) { held = [1, 3].includes(kind.value) ? rowAt(y) : -1; return held >= 0 && held < A.length && weigh(held, shareAt(x)); },
    drag(x) { weigh(held, shareAt(x)); },
    key: (event) => "1234".includes(event.key) && weigh(Number(event.key) - 1, 1),
    values: () => weights,
    take(numbers) { if (numbers.length === A.length && numbers.every((one) => one >= 0) && numbers.some(Boolean)) weights = numbers.map((one) => one / numbers.reduce((p, q) => p + q)); },
    draw(brush) {
      const { width, height, palette } = brush, which = kind.value, wide = clamp(width / 6, 44, 110), cell = Math.min(72 * brush.scale, (width - 90 - wide) / 9.2), top = 40;
      level.show(which === 2);
      sharing.show(which === 3);
      const small = axisOf(LOW, HIGH, 16, width - 16), y = height - 58, now = bounds();
      if (which === 0) drawMatrix(brush, "A", A, { x: width / 2 - 2 * cell, y: top, cell });
      if (which === 1) drawMatrix(brush, "A", A, { x: wide + 28, y: top, cell, marked: (i, j) => i === j || dearest(A[i], i).includes(j), right: sums(A) });
      if (which === 2) {
        const rho = level.value;
        drawMatrix(brush, "excess: max(A − ρ, 0)", A.map((row) => row.map((v) => Math.max(v - rho, 0))), { x: 14, y: top, cell, digits: 2, marked: (i, j) => A[i][j] > rho });
        brush.text("+", 14 + 4.5 * cell + 6, top + 2.1 * cell, { size: SIZES.head, align: "center" });
        drawMatrix(brush, "min(A, ρ)", A.map((row) => row.map((v) => Math.min(v, rho))), { x: 22 + 5 * cell, y: top, cell, digits: 2 });
      }
      if (which === 3) {
        const M = shared(sharing.value);
        drawMatrix(brush, "A", A, { x: wide + 28, y: top, cell, marked: (i, j) => i === j });
        drawMatrix(brush, "M", M, { x: wide + 42 + 4.4 * cell, y: top, cell, digits: 2, say: ceilTo, marked: (i, j) => dearest(M[i], i).includes(j), right: width < NARROW ? [] : sums(M) });
        if (width < NARROW) sums(M).forEach(({ words, strong }, i) => brush.text(`row ${i + 1}: ${words}`, 14 + (i % 2) * (width / 2), top + 4 * cell + 32 + 22 * Math.floor(i / 2), { bold: strong }));
      }
      rowAt = (at) => Math.floor((at - top) / cell);
      shareAt = axisOf(0, 1, 8, 8 + wide).back;
      const M = which === 1 ? shared(1) : which === 3 ? shared(sharing.value) : null;
      if (M) {
        brush.text("weights x²", 8, top - 10, { size: SIZES.small, bold: true });
        weights.forEach((share, i) => {
          brush.box(8, top + (i + 0.2) * cell, wide, 0.6 * cell, { fill: palette.empty, edge: palette.quiet, thick: 1 });
          brush.box(8, top + (i + 0.2) * cell, share * wide, 0.6 * cell, { fill: palette.series[1] });
        });
        for (const total of totals(M)) brush.dot(small(total), y, 4, { fill: palette.upper_bound });
        const at = small(averageOf(M));
        brush.arrow([at, y - 44], [at, y - 8], { colour: palette.series[1], wide: 3 });
        brush.text("average", clamp(at, 40, width - 40), y - 50, { align: "center", halo: true });
      }
      brush.line([[16, y], [width - 16, y]], { wide: 1.5 });
      for (let mark = LOW; mark <= HIGH; mark++) { brush.line([[small(mark), y - 4], [small(mark), y + 4]]); brush.text(String(mark), small(mark), y + 22, { align: "center", size: SIZES.small }); }
      brush.star(small(optimum), y, 12, palette.found);
      brush.text("best pair", small(optimum), y + 42, { align: "center", bold: true });
      now.forEach((value, at) => {
        const here = at === which, x = small(clamp(value, LOW, HIGH));
        brush.line([[x, y - (here ? 26 : 16)], [x, y + 5]], { colour: here ? palette.upper_bound : palette.quiet, wide: here ? 4 : 2 });
        const same = now.map((other, place) => (Math.abs(other - value) < 1e-9 && place !== which ? place + 1 : 0)).filter(Boolean).join(", ");
        brush.text(here ? `${at + 1}: ${ceilTo(value, 2)}` : same, clamp(x, 30, width - 34), y - (here ? 32 : 20), { align: "center", bold: here, size: here ? SIZES.text : SIZES.small, halo: true });
      });
      desk.say(WORDS[which]());
      desk.name(`Upper bound ${which + 1} of four: ${ceilTo(now[which], 2)}; the best pair has variance 7.`);
    },
  };
};

const LINE = () => (isScene() ? 17 : 22); // pixels of a test

/** What a table M has to pass for a claim about at most k features: its products, rows and signs, each in words. */
function testsOf({ L, M, k, claim }) {
  const places = [...L.keys()], least = Math.min(...M.flatMap((line, i) => line.filter((_, j) => j !== i)));
  const pair = (i, j) => {
    const need = Math.max(L[i][j], 0) ** 2, have = M[i][j] * M[j][i];
    return { words: `M${lowered(i, j)}·M${lowered(j, i)} = ${plainly(have, 2)} ≥ ${need}`, holds: have >= need, of: [i, j] };
  };
  const pairs = places.flatMap((i) => places.slice(i + 1).map((j) => pair(i, j)));
  const rows = places.map((i) => {
    const adds = [L[i][i], ...dearest(M[i], i, k - 1).map((j) => M[i][j])], sum = adds.reduce((p, q) => p + q);
    return { words: `row ${i + 1}: ${adds.map((v) => plainly(v, 2)).join(" + ")} = ${plainly(sum, 2)} ≤ ${plainly(claim, 2)}`, holds: sum <= claim, sum };
  });
  return { pairs, rows, signs: [{ words: `least entry of M: ${plainly(least, 2)} ≥ 0`, holds: least >= 0 }] };
}

/** Cells side by side, so many in a row: where each is, and which is at a point (−1: none). */
const gridAt = (x, y, across, down, wide, tall = wide) => ({
  x, y, across, down,
  cell: (i) => [x + (i % wide) * across, y + Math.floor(i / wide) * down, across, down],
  under(px, py) {
    const [right, below] = [Math.floor((px - x) / across), Math.floor((py - y) / down)];
    return right >= 0 && right < wide && below >= 0 && below < tall ? right + wide * below : -1;
  },
});

/** Draw a small face and, of one of its pixels, the row of its certificate as a second face; return where both are. */
function drawFace(brush, { L, M, k, picked: [row, column], image, mean }, { pairs, rows }) {
  const { width, palette, scale } = brush, narrow = width < NARROW, { rows: tall, columns: wide } = image;
  const size = narrow ? 104 * scale : Math.min(150 * scale, 0.27 * width), left = narrow ? 4 : size + 24, top = (narrow ? 154 : 24) * scale;
  const face = gridAt(4, 24 * scale, size / wide, size / tall, wide, tall), table = gridAt(left, top, (width - left - 4) / wide, 2 * LINE() * scale, wide, tall);
  const dear = dearest(M[row], row, k - 1), label = { size: SIZES.small, bold: true }, tint = (holds) => (holds ? palette.ink : palette.upper_bound);
  const inner = ([x, y, a, d], look) => brush.box(x + 2, y + 2, a - 4, d - 4, look);
  const write = ([x, y, a, d], words, down, look) => brush.text(words, x + a / 2, y + d / 2 + down * scale, { ...label, align: "center", ...look });
  brush.text("Press a pixel", face.x, face.y - 9 * scale, label);
  brush.text(`Row ${row + 1} in hundredths: M · that of the other row ≥ L²`, left, top - 9 * scale, { ...label, most: width - left });
  brush.image(pixelsOf(image, (i) => Array(3).fill(18 + (mean[i] * 237) / 255)), face.x, face.y, size, size);
  rows.forEach(({ holds }, i) => { if (!holds) write(face.cell(i), "✗", 5, { halo: true, colour: tint(false) }); });
  for (const j of dear) inner(face.cell(j), { edge: palette.found, thick: 3 });
  inner(face.cell(row), { edge: palette.upper_bound, thick: 4 });
  M[row].forEach((entry, j) => {
    const own = j === row, need = Math.max(L[row][j], 0), holds = own || entry * M[j][row] >= need ** 2;
    if (own || dear.includes(j)) inner(table.cell(j), { fill: own ? palette.upper_bound : palette.found, faint: 0.22 });
    write(table.cell(j), own ? `L ${L[j][j]}` : `${plainly(entry, 0)} · ${plainly(M[j][row], 0)}`, -3, { colour: tint(holds) });
    write(table.cell(j), own ? `row ${j + 1}` : `${holds ? "≥" : "✗ <"} ${need}²`, 13, { colour: tint(holds), bold: false });
  });
  inner(table.cell(column), { edge: palette.ink, thick: 2 });
  const pair = pairs.find(({ of }) => of.includes(row) && of.includes(column)), last = { words: "A − L has no eigenvalue above 0 (by computer)", holds: true };
  [rows[row], pair, last].forEach(({ words, holds }, at) => {
    brush.text(`${holds ? "✓" : "✗"} ${words}`, 4, top + (2 * tall + at + 1.2) * LINE() * scale, { bold: !holds, size: narrow ? SIZES.small : SIZES.text, colour: tint(holds) });
  });
  return [table, face];
}

FIGURES.check = (desk) => {
  const { A, k, optimum, small } = desk.data, many = small.M.length;
  const claim = desk.slider("The claim: the variance of a pair is at most", { low: 6, high: 8, step: 0.05, value: 7, say: (v) => v.toFixed(2) });
  const pair = {
    L: A, k, claim, given: desk.data.M, claimed: 7, forged: 6.5, best: optimum, unit: 1, picked: [1, 0], step: 0.5, controls: ["A face", "− ½", "+ ½"],
    any: "two of these features", had: "{1, 2} has 7", shrunk: (_, i, j) => (i === 0 ? 0.5 : j === 0 ? 3 : 1), below: () => -6,
  };
  const face = {
    ...small, mean: unpack(small.grey), claim: {}, given: small.M, claimed: small.claim, forged: small.lower - 1, best: small.lower, unit: 100, picked: [13, 18], step: 1, controls: ["4 features", "− 1", "+ 1"],
    any: `${small.k} of these ${many} pixels`, had: `${small.k} of them have ${plainly(small.lower / 100, 2)}`,
    shrunk: (v, i) => (i === face.picked[0] ? Math.floor(0.9 * v) : v), below: (v, i, j) => ([i, j].includes(face.picked[0]) ? -Math.abs(v) : v),
  };
  let now = pair, grids = [];
  const reset = (one) => { [one.M, one.claim.value] = [one.given.map((line) => [...line]), one.claimed]; };
  const act = (change) => () => { change(); desk.changed(); };
  const nudge = (by) => act(() => { now.M[now.picked[0]][now.picked[1]] += by * now.step; });
  const forge = (kind) => act(() => { now.M = now.M.map((line, i) => line.map((v, j) => (i === j ? v : now[kind](v, i, j)))); if (now === pair) claim.value = pair.forged; });
  [pair, face].forEach(reset);
  const controls = [act(() => { now = now === pair ? face : pair; }), nudge(-1), nudge(1)].map((press, at) => desk.button("", press, { title: ["Another certificate", "Less in the framed cell of M", "More in the framed cell of M"][at] }));
  desk.row();
  desk.button("Reset", act(() => reset(now)));
  desk.button("Forge: claim", act(() => { now.claim.value = now.forged; }));
  desk.button("Forge: shrink M", forge("shrunk")); // the products alone reveal it
  desk.button("Forge: M below 0", forge("below")); // and this its signs alone

  /** Places and entries of the face's M that are not as they were. */
  const changed = () => face.M.flatMap((line, i) => line.flatMap((v, j) => (v === small.M[i][j] ? [] : [i * many + j, v])));
  const choose = (i, j) => { if (now.M[i]?.[j] !== undefined && i !== j) now.picked = [i, j]; };

  /** The two tables of the pair's certificate, and each test; where the second table is. */
  function drawTables(brush, { pairs, rows, signs }) {
    const { width, palette } = brush, cell = Math.min(58 * brush.scale, (width - 50) / 8.6), top = 36;
    drawMatrix(brush, "A", A, { x: 12, y: top, cell, marked: (i, j) => i === j });
    const table = gridAt(34 + 4.3 * cell, top, cell, cell, 4);
    drawMatrix(brush, "M (press a cell)", now.M, { ...table, cell, digits: 2, picked: now.picked });
    const columns = [[["Every product is large enough", "Products"], pairs], [["Every row is at most the claim, and M ≥ 0", "Rows, and M ≥ 0"], [...rows, ...signs]]];
    const begin = top + 4 * cell + 38, line = LINE() * brush.scale;
    columns.forEach(([titles, list], column) => {
      const x = 12 + column * (width / 2);
      brush.text(brush.fitting(titles, width / 2 - 24, SIZES.text), x, begin, { bold: true, size: width < NARROW ? SIZES.small : SIZES.text });
      list.forEach(({ words, holds }, at) => {
        brush.text(`${holds ? "✓" : "✗"} ${words}`, x, begin + 8 + (at + 1) * line, { bold: !holds, size: width < NARROW ? SIZES.small : SIZES.text, colour: holds ? palette.ink : palette.upper_bound });
      });
    });
    return [table];
  }

  return {
    press(x, y) {
      const [cell, pixel = -1] = grids.map((grid) => grid.under(x, y)), [row, column] = now.picked;
      if (pixel >= 0) choose(pixel, pixel === column ? row : column);
      else choose(...(now === pair ? [Math.floor(cell / 4), cell % 4] : [row, cell]));
      return cell >= 0 || pixel >= 0;
    },
    key(event) {
      const [right, down] = ARROWS[event.key] ?? [], [i, j] = now.picked, [di, dj] = now === pair ? [down, right] : [0, right + small.image.columns * down];
      if (event.key === "+" || event.key === "-") { nudge(event.key === "+" ? 1 : -1)(); return true; }
      if (event.key === "Enter") choose(j, i);
      else if (i + di === j + dj) choose(i + 2 * di, j + 2 * dj); // over the diagonal
      else choose(i + di, j + dj);
      return right !== undefined || event.key === "Enter";
    },
    values: () => [...pair.M.flat(), ...(now === pair ? [] : [...face.picked, face.claim.value, ...changed()])],
    take(numbers) {
      const [i, j, told, ...others] = numbers.slice(16).map(Math.round), put = ({ M }, at, v) => { if (M.flat()[at] !== undefined) M[Math.floor(at / M.length)][at % M.length] = v; };
      if (numbers.length >= 16) numbers.slice(0, 16).forEach((v, at) => put(pair, at, v));
      if (told === undefined) return;
      [now, face.claim.value] = [face, told];
      choose(i, j);
      others.forEach((v, at) => { if (at % 2) put(face, others[at - 1], v); });
    },
    tall: (width) => (now === pair ? 4 * Math.min(58 * desk.scale, (width - 50) / 8.6) + 82 + 8 * LINE() * desk.scale
      : ((2 * small.image.rows + 4) * LINE() + (width < NARROW ? 144 : 14)) * desk.scale),
    draw(brush) {
      const told = now.claim.value, tests = testsOf({ ...now, claim: told }), all = [...tests.pairs, ...tests.rows, ...tests.signs], bad = all.filter((test) => !test.holds);
      claim.show(now === pair);
      controls.forEach((node, at) => { node.textContent = now.controls[at]; });
      grids = now === pair ? drawTables(brush, tests) : drawFace(brush, now, tests);
      const verdict = bad.length ? `**✗ Refused**: ${bad.length} of ${all.length} tests ${bad.length === 1 ? "fails" : "fail"}, first “${bad[0].words}”.` : `**✓ Accepted: any ${now.any} have variance at most ${plainly(told / now.unit, 2)}.** All ${all.length} tests hold, and ${now.had}${told <= now.best + 1e-9 ? ": it is optimal" : ""}.`;
      desk.say(verdict + (bad.length && told < now.best - 1e-9 ? ` (It is false: ${now.had}.)` : ""));
      desk.lesson.box.dataset.verdict = bad.length ? "refused" : "accepted";
      desk.name(`${now === pair ? "The matrix A, the certificate M" : `A small face, row ${now.picked[0] + 1} of its certificate`}, and its tests: ${bad.length ? `${bad.length} fail` : "all hold"}. Arrow keys choose a cell of M, plus and minus change it, Enter opens its row.`);
    },
  };
};
