// Figure of searching: the number of choices.

/** log₁₀ of n choose k. */
function logChoices(n, k) {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log10(n - k + i) - Math.log10(i);
  return sum;
}

/** A number in words, by its logarithm: large ones by the power of ten below. */
const power = (log) => (log < 6 ? count(Math.round(10 ** log)) : `more than 10${raised(Math.floor(log))}`);

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
      brush.text("number of choices (log scale)", 8, 15, { size: SIZES.small });
      const step = most > 60 ? 20 : 10;
      const marks = Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
      drawLevels(brush, marks, up, 46, width - 14, (mark) => (mark ? `10${raised(mark)}` : "1"));
      let free = Infinity;
      for (const [mark, words] of MARKS.filter(([m]) => m < most)) {
        if (up(mark) >= free - 15) continue; // a line without its words says nothing
        brush.line([[46, up(mark)], [width - 14, up(mark)]], { colour: palette.upper_bound, wide: 1, dash: [5, 5] });
        brush.text(words, width - 16, up(mark) - 4, { align: "right", size: SIZES.small, halo: true });
        free = up(mark);
      }
      brush.line(Array.from({ length: end + 1 }, (_, at) => [across(at), up(logChoices(n, at))]), { colour: palette.found, wide: 3 });
      brush.dot(across(k), up(log), 8, { fill: palette.found });
      brush.text(`k = ${k}`, across(k), height - 12, { align: "center", size: SIZES.small });
      desk.say(`**C(${n}, ${k}) is ${power(log)}.** At a billion a second that takes **${duration(log)}**.`);
      desk.name(`The number of choices of k among ${n} features, for each k. Dashed: how many choices a machine tries in the time marked, at a billion a second, and the number of atoms in the universe.`);
    },
  };
};
