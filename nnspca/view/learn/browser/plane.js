// Figure in the plane: a cloud of points to drag.

FIGURES.cloud = (desk) => {
  const REACH = 3, first = desk.data.points, points = first.map((point) => [...point]);
  let across, up, held = 0;
  const place = ([x, y]) => [across(x), up(y)];
  const put = (at, x, y) => { points[at] = [x, y].map((value) => clamp(value, -REACH, REACH)); };
  const reset = () => { first.forEach((point, at) => put(at, ...point)); desk.changed(); };
  desk.button("Back to the first cloud", reset);

  /** Covariance of the points, PCA's axis, and the best axis with both loadings ≥ 0. */
  function judged() {
    const mean = [0, 1].map((c) => points.reduce((sum, p) => sum + p[c], 0) / points.length);
    const cov = (a, b) => points.reduce((sum, p) => sum + (p[a] - mean[a]) * (p[b] - mean[b]), 0) / points.length;
    const [a, b, d] = [cov(0, 0), cov(0, 1), cov(1, 1)], turn = Math.atan2(2 * b, a - d) / 2;
    const objective = (t) => a * Math.cos(t) ** 2 + 2 * b * Math.sin(t) * Math.cos(t) + d * Math.sin(t) ** 2;
    const ours = b >= 0 ? turn : a >= d ? 0 : Math.PI / 2; // a negative covariance leaves one of the axes
    return { mean, a, b, d, turn, ours, pca: objective(turn), least: objective(ours) };
  }

  return {
    press(x, y) {
      const near = nearestTo(x, y, points.map((point, at) => ({ at, x: place(point)[0], y: place(point)[1] })), 30 * desk.scale);
      if (near) held = near.at;
      return Boolean(near);
    },
    drag(x, y) { put(held, across.back(x), up.back(y)); },
    key(event) {
      const step = ARROWS[event.key], next = event.key === " " || event.key === "Enter", far = event.shiftKey ? 2 : 8;
      if (next) held = (held + 1) % points.length;
      if (step) { const [x, y] = place(points[held]); put(held, across.back(x + far * step[0]), up.back(y + far * step[1])); }
      return next || Boolean(step);
    },
    values: () => points.flat(),
    take(numbers) { if (numbers.length === 2 * points.length) points.forEach((_, at) => put(at, numbers[2 * at], numbers[2 * at + 1])); },
    tall: (width) => Math.min(width, 600 * desk.scale),
    draw(brush) {
      const { width, height, palette } = brush, half = Math.min(width, height) / 2, middle = width / 2;
      across = axisOf(-REACH, REACH, middle - half, middle + half);
      up = axisOf(-REACH, REACH, 2 * half, 0);
      const { mean, a, b, d, turn, ours, pca, least } = judged();
      const [x, y] = [across(mean[0]), up(mean[1])], long = half * 0.9;
      const to = (t, far) => [x + far * Math.cos(t), y - far * Math.sin(t)];
      brush.area([[x, y], to(0, long), ...Array.from({ length: 13 }, (_, s) => to((s * Math.PI) / 24, long))], palette.proven, 0.12);
      brush.text("both loadings ≥ 0", ...to(0.62, long * 0.62), { size: SIZES.small, colour: palette.ink });
      brush.line([[across(-REACH), up(0)], [across(REACH), up(0)]], { colour: palette.grid });
      brush.line([[across(0), up(-REACH)], [across(0), up(REACH)]], { colour: palette.grid });
      brush.text("feature 1", across(-REACH) + 4, up(0) - 6, { size: SIZES.small });
      brush.text("feature 2", across(0) + 6, up(REACH) + 14, { size: SIZES.small });
      brush.line([to(turn, -long), to(turn, long)], { colour: palette.series[1], wide: 2.5, dash: [9, 6] });
      brush.text("PCA", ...to(turn < 0 ? turn : turn - Math.PI, long * 0.93), { bold: true, halo: true });
      brush.arrow([x, y], to(ours, long), { colour: palette.found, wide: 3.5 });
      brush.text("ours", ...to(ours + 0.09, long * 0.9), { bold: true, halo: true });
      points.forEach((point, at) => brush.dot(across(point[0]), up(point[1]), desk.focused() && at === held ? 11 : 8, { fill: palette.ink }));
      const sign = b < 0 ? "The covariance is negative: **ours uses one feature alone.**" : `The covariance is ${b ? "positive" : "zero"}: **both agree.**`;
      desk.say(`Covariance A = [${decimals(a, 2)}, ${decimals(b, 2)}; ${decimals(b, 2)}, ${decimals(d, 2)}]. Variance: PCA ${decimals(pca, 2)}, ours ${decimals(least, 2)}. ${sign}`);
      desk.name(`Nine points; PCA's axis at ${degrees(turn)}, ours at ${degrees(ours)}. Arrow keys move a point, space takes the next.`);
    },
  };
};
