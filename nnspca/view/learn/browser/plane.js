// Figures in the plane: a cloud to drag, one vector by hand, three rows and the directions they allow.

/** Points that can be dragged by hand or moved by the arrow keys; `all()` lists {x, y, name, move(x, y)}. */
function handles(desk, all) {
  let dragged = null, chosen = 0;
  const nearest = (x, y) => {
    let best = null, near = 30 * desk.scale;
    all().forEach((handle, at) => {
      const away = Math.hypot(handle.x - x, handle.y - y);
      if (away < near) { near = away; best = at; }
    });
    return best;
  };
  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  return {
    get chosen() { return desk.focused() ? chosen : -1; },
    press(x, y) { dragged = nearest(x, y); if (dragged !== null) chosen = dragged; return dragged !== null; },
    drag(x, y) { if (dragged !== null) all()[dragged]?.move(x, y); },
    release() { dragged = null; },
    key(event) {
      const many = all();
      if (event.key === " " || event.key === "Enter") { chosen = (chosen + 1) % many.length; desk.redraw(); return true; }
      const step = STEPS[event.key], handle = many[chosen];
      if (!step || !handle) return false;
      const far = event.shiftKey ? 2 : 8;
      handle.move(handle.x + far * step[0], handle.y + far * step[1]);
      return true;
    },
  };
}

FIGURES.cloud = (desk) => {
  const points = desk.data.points.map((point) => [...point]), REACH = 3;
  let across, up;
  const figure = handles(desk, () => points.map((point, at) => ({
    x: across(point[0]), y: up(point[1]), name: `point ${at + 1}`,
    move(x, y) { point[0] = clamp(across.back(x), -REACH, REACH); point[1] = clamp(up.back(y), -REACH, REACH); },
  })));
  desk.button(desk.row(), "Back to the first cloud", () => {
    desk.data.points.forEach((point, at) => { points[at] = [...point]; });
    desk.changed();
  });

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
    values: () => points.flat(),
    take(numbers) {
      if (numbers.length !== 2 * points.length) return;
      points.forEach((point, at) => { point[0] = clamp(numbers[2 * at], -REACH, REACH); point[1] = clamp(numbers[2 * at + 1], -REACH, REACH); });
    },
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
  const a = [...desk.data.a], REACH = 2.5;
  const size = desk.slider("Features allowed, k", { low: 1, high: a.length, value: desk.data.k });
  let across, up;
  const figure = handles(desk, () => a.map((value, at) => ({
    x: across(at + 0.5), y: up(value), name: `a${at + 1}`,
    move(_, y) { a[at] = clamp(Math.round(up.back(y) * 20) / 20, -REACH, REACH); },
  })));

  function candidate(sign) {
    const order = a.map((value, i) => [sign * value, i]).filter(([value]) => value > 0).sort((p, q) => q[0] - p[0]).slice(0, size.value);
    return { support: order.map(([, i]) => i).sort((p, q) => p - q), value: order.reduce((sum, [value]) => sum + value ** 2, 0) };
  }

  return Object.assign(figure, {
    values: () => a,
    take(numbers) { numbers.slice(0, a.length).forEach((value, at) => { a[at] = clamp(value, -REACH, REACH); }); },
    flat: true,
    tall: (width) => Math.min(0.75 * width, 440 * desk.scale),
    draw(brush) {
      const { width, height, palette } = brush;
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
  const V = desk.data.V.map((row) => [...row]), REACH = 2;
  let centre, unitLong;
  const place = ([x, y], far = 1) => [centre[0] + far * unitLong * x, centre[1] - far * unitLong * y];
  const figure = handles(desk, () => V.map((row, at) => {
    const [x, y] = place(row);
    return { x, y, name: `row ${at + 1}`, move(px, py) {
      row[0] = clamp((px - centre[0]) / unitLong, -REACH, REACH);
      row[1] = clamp((centre[1] - py) / unitLong, -REACH, REACH);
    } };
  }));
  desk.button(desk.row(), "Back to the first rows", () => { desk.data.V.forEach((row, at) => { V[at] = [...row]; }); desk.changed(); });
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
    values: () => V.flat(),
    take(numbers) { if (numbers.length === 2 * V.length) V.forEach((row, at) => { row[0] = numbers[2 * at]; row[1] = numbers[2 * at + 1]; }); },
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
