// Figures in the plane: a cloud to drag, one vector by hand, three rows and the directions they allow.

/** Rows of numbers within ±`reach`, dragged or moved by arrow keys: `place(row, at)` is where one stands, `back(x, y)` its numbers there. */
function handles(desk, first, reach, { place, back }) {
  const rows = first.map((row) => [...row]);
  let dragged = 0, chosen = 0;
  const put = (at, numbers) => numbers.forEach((value, c) => { rows[at][c] = clamp(value, -reach, reach); });
  return {
    rows,
    get chosen() { return desk.focused() ? chosen : -1; },
    press(x, y) {
      const places = rows.map((row, at) => { const [left, top] = place(row, at); return { at, x: left, y: top }; });
      const near = nearestTo(x, y, places, 30 * desk.scale);
      if (near) dragged = chosen = near.at;
      return Boolean(near);
    },
    drag(x, y) { put(dragged, back(x, y)); },
    key(event) {
      const step = ARROWS[event.key], next = event.key === " " || event.key === "Enter";
      if (next) chosen = (chosen + 1) % rows.length;
      if (step) {
        const far = event.shiftKey ? 2 : 8, [x, y] = place(rows[chosen], chosen);
        put(chosen, back(x + far * step[0], y + far * step[1]));
      }
      return next || Boolean(step);
    },
    values: () => rows.flat(),
    take(numbers) {
      const wide = rows[0].length;
      if (numbers.length === wide * rows.length) rows.forEach((_, at) => put(at, numbers.slice(wide * at, wide * (at + 1))));
    },
    reset() { first.forEach((row, at) => put(at, row)); desk.changed(); },
  };
}

FIGURES.cloud = (desk) => {
  const REACH = 3;
  let across, up;
  const figure = handles(desk, desk.data.points, REACH, { place: ([x, y]) => [across(x), up(y)], back: (x, y) => [across.back(x), up.back(y)] });
  const points = figure.rows;
  desk.button("Back to the first cloud", () => figure.reset());

  /** Covariance of the points, PCA's axis, and the best axis with both loadings ≥ 0. */
  function judged() {
    const mean = [0, 1].map((c) => points.reduce((sum, p) => sum + p[c], 0) / points.length);
    const cov = (a, b) => points.reduce((sum, p) => sum + (p[a] - mean[a]) * (p[b] - mean[b]), 0) / points.length;
    const [a, b, d] = [cov(0, 0), cov(0, 1), cov(1, 1)], turn = Math.atan2(2 * b, a - d) / 2;
    const objective = (t) => a * Math.cos(t) ** 2 + 2 * b * Math.sin(t) * Math.cos(t) + d * Math.sin(t) ** 2;
    const ours = b >= 0 ? turn : a >= d ? 0 : Math.PI / 2; // a negative covariance leaves one of the axes
    return { mean, a, b, d, turn, ours, pca: objective(turn), least: objective(ours) };
  }

  return Object.assign(figure, {
    tall: (width) => Math.min(width, 600 * desk.scale),
    draw(brush) {
      const { width, height, palette } = brush, half = Math.min(width, height) / 2, middle = width / 2;
      across = axisOf(-REACH, REACH, middle - half, middle + half);
      up = axisOf(-REACH, REACH, 2 * half, 0);
      const { mean, a, b, d, turn, ours, pca, least } = judged();
      const [x, y] = [across(mean[0]), up(mean[1])], long = half * 0.9;
      const to = (t, far) => [x + far * Math.cos(t), y - far * Math.sin(t)];
      brush.area([[x, y], to(0, long), ...Array.from({ length: 13 }, (_, s) => to((s * Math.PI) / 24, long))], palette.proven, 0.12);
      brush.text("both loadings ≥ 0", ...to(0.62, long * 0.62), { size: 13, colour: palette.ink });
      brush.line([[across(-REACH), up(0)], [across(REACH), up(0)]], { colour: palette.grid });
      brush.line([[across(0), up(-REACH)], [across(0), up(REACH)]], { colour: palette.grid });
      brush.text("feature 1", across(-REACH) + 4, up(0) - 6, { size: 13 });
      brush.text("feature 2", across(0) + 6, up(REACH) + 14, { size: 13 });
      brush.line([to(turn, -long), to(turn, long)], { colour: palette.series[1], wide: 2.5, dash: [9, 6] });
      brush.text("PCA", ...to(turn < 0 ? turn : turn - Math.PI, long * 0.93), { bold: true, halo: true });
      brush.arrow([x, y], to(ours, long), { colour: palette.found, wide: 3.5 });
      brush.text("ours", ...to(ours + 0.09, long * 0.9), { bold: true, halo: true });
      points.forEach((point, at) => brush.dot(across(point[0]), up(point[1]), at === figure.chosen ? 11 : 8, { fill: palette.ink }));
      const sign = b < -0.005 ? "The covariance is negative: **ours uses one feature alone.**" : "The covariance is positive: **both agree.**";
      desk.say(`Covariance A = [${decimals(a, 2)}, ${decimals(b, 2)}; ${decimals(b, 2)}, ${decimals(d, 2)}]. Variance: PCA ${decimals(pca, 2)}, ours ${decimals(least, 2)}. ${sign}`);
      desk.name(`Nine points; PCA's axis at ${Math.round((turn * 180) / Math.PI)}°, ours at ${Math.round((ours * 180) / Math.PI)}°. Arrow keys move a point, space takes the next.`);
    },
  });
};

FIGURES.one = (desk) => {
  const REACH = 2.5, rows = desk.data.a.map((value) => [value]);
  const size = desk.slider("Features allowed, k", { low: 1, high: rows.length, value: desk.data.k });
  let across, up;
  const figure = handles(desk, rows, REACH, {
    place: ([value], at) => [across(at + 0.5), up(value)],
    back: (_, y) => [Math.round(up.back(y) * 20) / 20],
  });

  function candidate(sign) {
    const order = figure.rows.map(([value], i) => [sign * value, i]).filter(([value]) => value > 0).sort((p, q) => q[0] - p[0]).slice(0, size.value);
    return { support: order.map(([, i]) => i).sort((p, q) => p - q), value: order.reduce((sum, [value]) => sum + value ** 2, 0) };
  }

  return Object.assign(figure, {
    ...desk.flat(0.75, 440),
    draw(brush) {
      const { width, height, palette } = brush, a = figure.rows.flat();
      across = axisOf(0, a.length, 10, width - 10);
      up = axisOf(-REACH, REACH, height - 20, 12);
      const plus = candidate(1), minus = candidate(-1), best = plus.value >= minus.value ? plus : minus;
      const wide = (across(1) - across(0)) * 0.62;
      a.forEach((value, at) => {
        const x = across(at + 0.5), taken = best.support.includes(at), other = (best === plus ? minus : plus).support.includes(at);
        const look = taken ? { fill: palette.found } : { fill: palette.empty, edge: palette.quiet, thick: other ? 2.5 : 1 };
        brush.box(x - wide / 2, Math.min(up(0), up(value)), wide, Math.abs(up(value) - up(0)), look);
        brush.dot(x, up(value), at === figure.chosen ? 10 : 7, { fill: palette.ink });
        brush.text(decimals(value, 2), x, up(value) + (value < 0 ? 24 : -12) * brush.scale, { align: "center", size: 13 });
      });
      brush.line([[4, up(0)], [width - 4, up(0)]], { colour: palette.ink });
      const set = (part) => (part.support.length ? `{${part.support.map((i) => i + 1).join(", ")}}` : "nothing");
      const loadings = best.support.map((i) => decimals(Math.abs(a[i]) / Math.sqrt(best.value), 2)).join(", ");
      desk.say(`From a: ${set(plus)}, variance ${floorTo(plus.value, 2)}. From −a: ${set(minus)}, variance ${floorTo(minus.value, 2)}. **Optimum: ${set(best)}**, loadings ${loadings || "none"}.`);
      desk.name(`Eight bars, the entries of a; blue ones are chosen: ${set(best)}. Arrow keys change a bar, space takes the next.`);
    },
  });
};

FIGURES.half = (desk) => {
  let centre, unitLong;
  const place = ([x, y], far = 1) => [centre[0] + far * unitLong * x, centre[1] - far * unitLong * y];
  const back = (x, y) => [(x - centre[0]) / unitLong, (centre[1] - y) / unitLong];
  const figure = handles(desk, desk.data.V, 2, { place: (row) => place(row), back }), V = figure.rows;
  desk.button("Back to the first rows", () => figure.reset());
  const value = (row, t) => row[0] * Math.cos(t) + row[1] * Math.sin(t);
  const objective = (t) => V.reduce((sum, row) => sum + value(row, t) ** 2, 0);
  const allowed = (t) => V.every((row) => value(row, t) >= -1e-9);

  /** The allowed arc and the best direction in it. */
  function judged() {
    const [a, b, d] = [0, 1, 2].map((e) => V.reduce((sum, row) => sum + [row[0] ** 2, row[0] * row[1], row[1] ** 2][e], 0));
    const lead = Math.atan2(2 * b, a - d) / 2;
    const ends = V.flatMap((row) => [1, -1].map((s) => Math.atan2(row[1], row[0]) + (s * Math.PI) / 2)).filter(allowed);
    const tops = [lead, lead + Math.PI].filter(allowed);
    const best = [...tops, ...ends].sort((s, t) => objective(t) - objective(s))[0];
    return { lead, best, inside: tops.length > 0, arc: Array.from({ length: 361 }, (_, s) => (s * TURN) / 360).map((t) => [t, allowed(t)]) };
  }

  return Object.assign(figure, {
    tall: (width) => Math.min(width, 600 * desk.scale),
    draw(brush) {
      const { width, height, palette } = brush;
      centre = [width / 2, (height - 26) / 2];
      unitLong = Math.min(width, height - 26) / 4.3;
      const on = (t, far = 1) => place([Math.cos(t), Math.sin(t)], far);
      const { lead, best, inside, arc } = judged();
      brush.line(arc.map(([t]) => on(t)), { colour: palette.grid, wide: 2 });
      let piece = [];
      const flush = () => { if (piece.length > 1) { brush.area([centre, ...piece], palette.proven, 0.16); brush.line(piece, { colour: palette.proven, wide: 7 }); } piece = []; };
      for (const [t, ok] of arc) if (ok) piece.push(on(t)); else flush();
      flush();
      brush.line([on(lead, 2.1), on(lead + Math.PI, 2.1)], { colour: palette.series[1], wide: 2, dash: [8, 6] });
      brush.line([[10, height - 16], [44, height - 16]], { colour: palette.series[1], wide: 2, dash: [8, 6] }); // below the picture: no arrow crosses it
      brush.text("leading direction u₁", 52, height - 11, { size: 14 });
      brush.star(width / 2 + 24, height - 16, 9, palette.found);
      brush.text("best allowed", width / 2 + 40, height - 11, { size: 14 });
      V.forEach((row, at) => {
        const side = Math.atan2(row[1], row[0]) + Math.PI / 2;
        brush.line([on(side, 2.1), on(side + Math.PI, 2.1)], { colour: palette.quiet, wide: 1, dash: [3, 4] });
        brush.arrow(centre, place(row), { wide: 2.5 });
        const [x, y] = place(row);
        brush.dot(x, y, at === figure.chosen ? 11 : 8);
        brush.text(`v${"₁₂₃"[at]}`, x + 12, y - 10, { bold: true, halo: true });
      });
      if (best !== undefined) { brush.line([centre, on(best)], { colour: palette.found, wide: 4 }); brush.star(...on(best), 13, palette.found); }
      const verdict = best === undefined ? "**No direction is allowed: this set is never the best.**"
        : inside ? "**The leading direction is allowed: it is the best.**" : "**It is not allowed: the best is an end of the arc.**";
      desk.say(`The leading direction has variance ${decimals(objective(lead), 2)}. ${verdict}${best === undefined ? "" : ` The best allowed has ${floorTo(objective(best) + 1e-9, 2)}, with values ${V.map((row) => decimals(value(row, best), 2)).join(", ")}.`}`);
      desk.name("Three rows as arrows, the allowed arc of directions, the leading direction, and the best allowed one. Arrow keys move a row, space takes the next.");
    },
  });
};
