// Figures of searching: the number of choices, the cost of directions.

/** log₁₀ of n choose k. */
function logChoices(n, k) {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log10(n - k + i) - Math.log10(i);
  return sum;
}

/** A power of ten in words. */
const power = (log) => (log < 6 ? count(Math.round(10 ** log)) : `10${raised(Math.floor(log))}`);

/** The same with one digit before it, where something is computed from it. */
function closely(log) {
  if (log < 6) return power(log);
  const exponent = Math.floor(log + 1e-9 - Math.log10(9.5)) + 1;
  return `${Math.round(10 ** (log - exponent))} × 10${raised(exponent)}`;
}

function duration(log) {
  const seconds = log - 9;
  if (seconds < 0) return "less than a second";
  if (seconds < 4.9) return `${count(Math.max(1, Math.round(10 ** seconds)))} seconds`;
  const years = seconds - Math.log10(365.25 * 86400);
  return years < 0 ? `${count(Math.round(10 ** seconds / 86400))} days` : `${power(years)} years`;
}

FIGURES.counting = (desk) => {
  const size = desk.slider("Features, n", { low: 5, high: 1000, value: desk.data.n });
  const chosen = desk.slider("Chosen, k", { low: 1, high: 100, value: desk.data.k });
  const MARKS = [[9, "a second"], [13.94, "a day"], [16.5, "a year"], [26.64, "the age of the universe"], [80, "atoms in the universe"]];

  return {
    ...desk.flat(0.8, 460),
    draw(brush) {
      const { width, height, palette } = brush, n = size.value;
      chosen.limit(Math.min(100, n));
      const k = chosen.value, log = logChoices(n, k), end = Math.min(100, n);
      const most = Math.max(30, 1.05 * logChoices(n, Math.min(end, n >> 1))), across = axisOf(0, end, 46, width - 14), up = axisOf(0, most, height - 34, 26);
      brush.text("number of choices (log scale)", 8, 15, { size: 13 });
      const step = most > 60 ? 20 : 10;
      const marks = Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
      drawLevels(brush, marks, up, 46, width - 14, (mark) => (mark ? `10${raised(mark)}` : "1"));
      let free = Infinity;
      for (const [mark, words] of MARKS.filter(([m]) => m < most)) {
        if (up(mark) >= free - 15) continue; // a line without its words says nothing
        brush.line([[46, up(mark)], [width - 14, up(mark)]], { colour: palette.upper_bound, wide: 1, dash: [5, 5] });
        brush.text(words, width - 16, up(mark) - 4, { align: "right", size: 13, halo: true });
        free = up(mark);
      }
      brush.line(Array.from({ length: end + 1 }, (_, at) => [across(at), up(logChoices(n, at))]), { colour: palette.found, wide: 3 });
      brush.dot(across(k), up(log), 8, { fill: palette.found });
      brush.text(`k = ${k}`, across(k), height - 12, { align: "center", size: 13 });
      desk.say(`**C(${n}, ${k}) is ${log < 6 ? "" : "about "}${power(log)}.** At a billion a second that takes **${duration(log)}**.`);
      desk.name(`The number of choices of k among ${n} features, for each k. Dashed: how many choices a machine tries in the time marked, at a billion a second, and the number of atoms in the universe.`);
    },
  };
};

FIGURES.rankd = (desk) => {
  const names = Object.keys(desk.data.spectra), CHOSEN = { faces: 40, digits: 16 };
  const which = desk.choice("Data", names.map((name) => name[0].toUpperCase() + name.slice(1)));
  const slider = desk.slider("Directions, d", { low: 1, high: 10, value: 3 });

  return {
    ...desk.flat(0.8, 460),
    draw(brush) {
      const { width, height, palette } = brush, name = names[which.value], d = slider.value;
      const { n, values } = desk.data.spectra[name], k = CHOSEN[name], foot = height - 122;
      const across = axisOf(0, values.length, 14, width - 14), up = axisOf(0, values[0] * 1.1, foot, 24);
      brush.text("variance along each direction: λ", 8, 15, { size: 13 });
      values.forEach((value, at) => {
        const next = at === d;
        brush.box(across(at + 0.12), up(value), (across(1) - across(0)) * 0.76, foot - up(value), { fill: at < d ? palette.found : next ? palette.upper_bound : palette.empty, edge: at < d || next ? undefined : palette.quiet, thick: 1 });
        brush.text(String(at + 1), across(at + 0.5), foot + 15, { align: "center", size: 13 });
      });
      brush.text(`the next: ${decimals((100 * values[d]) / values[0], 0)} % of λ₁`, across(d + 0.1), up(values[d]) - 8, { size: 13, halo: true });
      const candidates = d * Math.log10(2) + logChoices(n + 1, d), all = logChoices(n, k);
      const long = axisOf(0, Math.max(all, candidates) * 1.02, 118 * brush.scale, width - 70 * brush.scale);
      [["candidates", candidates, palette.found], ["all choices", all, palette.ink]].forEach(([words, log, colour], row) => {
        const y = foot + 36 + row * 34;
        brush.text(words, 110 * brush.scale, y + 14, { align: "right" });
        brush.box(long(0), y, Math.max(long(log) - long(0), 2), 20, { fill: colour, faint: 0.85 });
        brush.text(power(log), long(log) + 6, y + 15, { bold: true });
      });
      brush.text("log scale", width - 8, height - 4, { size: 13, align: "right" });
      desk.say(`d = ${d}: at most 2ᵈ·C(n+1, d), some **${closely(candidates)} candidates** instead of ${power(all)}: at a million a second ${duration(candidates + 3)}. The directions left out add at most **${ceilTo((100 * values[d]) / values[0], 1)} % of λ₁**.`);
      desk.name(`The first ${values.length} eigenvalues, ${d} of them chosen, and how many candidates that leaves.`);
    },
  };
};
