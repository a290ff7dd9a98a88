// Figures of searching: the number of choices, the cost of directions, promises, cells on a sphere, EM.

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

FIGURES.promised = (desk) => {
  const { sets } = desk.data;
  const which = desk.choice("Data", sets.map((set) => set.name));
  const place = desk.slider("k", { low: 0, high: sets[0].ks.length - 1, value: sets[0].ks.indexOf(desk.data.k), say: (at) => String(sets[which.value].ks[at] ?? "") });
  const slider = desk.slider("Directions, d", { low: 1, high: 10, value: desk.data.d });
  let before = 0;

  return {
    ...desk.flat(0.8, 460),
    draw(brush) {
      const { width, height, palette } = brush, set = sets[which.value], d = slider.value;
      if (before !== which.value) { before = which.value; place.limit(set.ks.length - 1); }
      const at = Math.min(place.value, set.ks.length - 1), k = set.ks[at], { n, values } = set;
      const promise = (size) => Math.max(size / (2 * n), 1 / (1 + (2 * n * values[d]) / (size * values[0])));
      const across = axisOf(0, Math.log(n), 46, width - 20), up = axisOf(0, 1, height - 38, 24);
      drawLevels(brush, [0, 0.25, 0.5, 0.75, 1], up, 46, width - 20);
      const points = set.ks.map((size, p) => [across(Math.log(size)), up(set.shares[p])]);
      const line = Array.from({ length: 81 }, (_, s) => Math.exp((Math.log(n) * s) / 80)).map((size) => [across(Math.log(size)), up(promise(size))]);
      brush.area([...points, ...[...line].reverse()], palette.band);
      brush.line(line, { colour: palette.upper_bound, wide: 2.5, dash: [8, 5] });
      brush.line(points, { colour: palette.found, wide: 2.5 });
      for (const [x, y] of points) brush.dot(x, y, 5, { fill: palette.found });
      const x = across(Math.log(k));
      brush.line([[x, 24], [x, height - 38]], { colour: palette.quiet, dash: [4, 4] });
      brush.dot(x, up(set.shares[at]), 8, { fill: palette.found });
      brush.dot(x, up(promise(k)), 8, { fill: palette.upper_bound });
      brush.text("proven", across(0) + 14, up(1) + 30, { bold: true });
      brush.text("promised", across(Math.log(0.3 * n)) - 12, up(promise(0.3 * n)) - 10, { align: "right", bold: true });
      for (const size of [1, 10, 100].filter((s) => s < n)) brush.text(String(size), across(Math.log(size)), height - 18, { align: "center", size: 13 });
      brush.text(`k up to ${n}`, width - 20, height - 18, { align: "right", size: 13 });
      desk.say(`${set.name}, k = ${k}: promised **${floorTo(100 * promise(k), 1)} %** of the optimum, proven **at least ${provenPercent(set.shares[at])}**.`);
      desk.name(`Shares of the optimum against k: promised with d = ${d}, and proven.`);
    },
  };
};

FIGURES.cells = (desk) => {
  const { rounds, best } = desk.data;
  const slider = desk.slider("Round", { low: 0, high: rounds.length - 1, value: 0 });
  let turn = 0.5, tilt = 0.35, from = null;
  desk.button("▶ Play", () => { slider.value = 0; desk.play(() => { slider.value += 1; return slider.value < rounds.length - 1; }, 900); }, { primary: true });
  desk.button("Turn to the star", () => { turn = Math.PI / 2 - Math.atan2(best[1], best[0]); tilt = Math.asin(best[2]); desk.changed(); });

  const turned = ([x, y, z]) => {
    const [a, b] = [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)];
    return [a, z * Math.cos(tilt) - b * Math.sin(tilt), z * Math.sin(tilt) + b * Math.cos(tilt)]; // right, up, towards us
  };

  /** A cell in triangles so small that they look flat. */
  const fine = ([a, b, c]) => {
    const far = (p, q) => Math.hypot(...p.map((v, i) => v - q[i]));
    if (Math.max(far(a, b), far(b, c), far(c, a)) < 0.25) return [[a, b, c]];
    const [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(([p, q]) => unit(p.map((v, i) => v + q[i])));
    return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]].flatMap(fine);
  };

  return {
    press(x, y) { from = [x, y, turn, tilt]; },
    drag(x, y) { turn = from[2] + (x - from[0]) / 140; tilt = clamp(from[3] + (y - from[1]) / 140, -1.5, 1.5); },
    key(event) {
      const step = ARROWS[event.key];
      if (step) { turn += 0.1 * step[0]; tilt = clamp(tilt + 0.1 * step[1], -1.5, 1.5); }
      return Boolean(step);
    },
    values: () => [turn, tilt],
    take: ([a, b]) => { if (Number.isFinite(a + b)) { turn = a; tilt = clamp(b, -1.5, 1.5); } },
    tall: (width) => Math.min(width, 600 * desk.scale),
    draw(brush) {
      const { width, height, palette } = brush, round = rounds[slider.value], radius = Math.min(width, height) * 0.46;
      const put = ([a, b]) => [width / 2 + radius * a, height / 2 - radius * b];
      const cells = round.corners.map((c, i) => ({ points: [c.slice(0, 3), c.slice(3, 6), c.slice(6)].map(turned), open: round.open[i] === "1" }));
      cells.sort((p, q) => p.points.reduce((s, c) => s + c[2], 0) - q.points.reduce((s, c) => s + c[2], 0));
      brush.dot(width / 2, height / 2, radius / brush.scale, { fill: palette.empty, edge: palette.quiet });
      for (const { points, open } of cells) {
        const front = points.reduce((sum, c) => sum + c[2], 0) > 0, edge = [];
        if (open) for (const small of fine(points)) if (small.every((c) => c[2] > -0.02)) brush.area(small.map(put), palette.upper_bound, 0.55);
        for (let e = 0; e < 3; e++) for (let s = 0; s < 8; s++) {
          edge.push(put(unit(points[e].map((v, i) => v + (points[(e + 1) % 3][i] - v) * (s / 8)))));
        }
        brush.line([...edge, edge[0]], { colour: palette.ink, wide: 1, faint: front ? 0.6 : 0.08 });
      }
      const star = turned(best);
      if (slider.value === rounds.length - 1 || star[2] > 0) brush.star(...put(star), 13, star[2] > 0 ? palette.found : palette.quiet);
      const open = [...round.open].filter((c) => c === "1").length;
      const left = open ? `An open cell may hold up to ${ceilTo(100 * (round.upper / round.value - 1), 1)} % more.` : "**The best found is proven optimal.**";
      desk.say(`Round ${slider.value} of ${rounds.length - 1}: **${open} of ${cells.length} cells open**, ${round.examined} examined. Best found ${floorTo(round.value, 2)}. ${left}`);
      desk.name(`A sphere of directions with ${cells.length} cells, ${open} of them open. Arrow keys turn it.`);
    },
  };
};

FIGURES.em = (desk) => {
  const { A, k, optimum, genes } = desk.data, n = A.length, LONG = 24;
  const which = desk.choice("Data", ["Pit props, 13 features", `Genes, ${count(genes.n)} features`]);
  let runs = [];
  const once = desk.button("Start once", () => start(1), { primary: true });
  const often = desk.button("20 starts", () => start(20));
  desk.button("Clear", () => { runs = []; desk.changed(); });
  const apply = (w) => A.map((line) => line.reduce((sum, a, j) => sum + a * w[j], 0));
  const variance = (w) => apply(w).reduce((sum, v, i) => sum + v * w[i], 0);

  /** One EM run: multiply the loadings by A, shrink by the (k+1)-th largest, again and again. */
  function climbFrom() {
    let w = unit(Array.from({ length: n }, () => Math.abs(Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(TURN * Math.random()))));
    const trace = [];
    for (let step = 0; step < 200; step++) {
      const f = apply(w), positive = f.map((v) => Math.max(v, 0)), level = [...positive].sort((a, b) => b - a)[k];
      const shrunk = positive.map((v) => Math.max(v - level, 0));
      w = unit(shrunk.some(Boolean) ? shrunk : positive);
      trace.push(variance(w));
    }
    return trace;
  }

  function start(times) { for (let t = 0; t < times; t++) runs.push(climbFrom()); desk.changed(); }

  return {
    ...desk.flat(0.8, 460),
    draw(brush) {
      const { width, height, palette } = brush, timber = which.value === 0;
      once.disabled = often.disabled = !timber;
      const traces = timber ? runs.map((run) => run.map((v) => v / optimum)) : genes.traces;
      const across = axisOf(0, timber ? LONG : 20, 46, width - 16), up = axisOf(timber ? 0.4 : 0, 1.06, height - 36, 16);
      drawLevels(brush, timber ? [0.4, 0.6, 0.8, 1] : [0, 0.25, 0.5, 0.75, 1], up, 46, width - 16);
      brush.line([[46, up(1)], [width - 16, up(1)]], { colour: palette.upper_bound, wide: 4 });
      brush.text(timber ? "optimum" : "upper bound", width - 18, up(1) - 8, { align: "right", bold: true });
      traces.forEach((trace, r) => {
        const newest = timber && r === traces.length - 1;
        brush.line(trace.slice(0, LONG + 1).map((v, step) => [across(step), up(Math.max(v, timber ? 0.4 : 0))]), { colour: newest ? palette.series[1] : palette.found, wide: newest ? 3.5 : 1.8, faint: newest ? 1 : 0.5 });
      });
      if (!timber) for (const [value, words] of [[genes.again, "best loadings on EM's features"], [genes.lower, "the portfolio"]]) {
        brush.line([[46, up(value / genes.upper)], [width - 16, up(value / genes.upper)]], { colour: palette.proven, wide: 2, dash: [8, 5] });
        brush.text(words, width - 18, up(value / genes.upper) + 18, { align: "right", size: 13, halo: true });
      }
      brush.text("steps of EM", width / 2, height - 12, { align: "center", size: 13 });
      const ends = traces.map((trace) => trace.at(-1)), reached = ends.filter((v) => v > 1 - 1e-6).length;
      desk.say(timber
        ? runs.length ? `${runs.length} start${runs.length > 1 ? "s" : ""}: the last stops at **${floorTo(100 * ends.at(-1), 1)} %** of the optimum, the best at ${floorTo(100 * Math.max(...ends), 1)} %. ${reached ? `${reached} reached it.` : "None reached it."}` : `Thirteen measurements of timber, k = ${k}: press Start once.`
        : `Leukemia, k = ${genes.k}, stored runs: the best of ${genes.starts} starts stops at **${floorTo(100 * Math.max(...ends), 0)} %** of the upper bound; the portfolio reaches ${floorTo((100 * genes.lower) / genes.upper, 1)} %.`);
      desk.name(`Variance of EM step by step, ${traces.length} runs, below the ${timber ? "optimum" : "upper bound"}.`);
    },
  };
};
