// The two small pictures: the circle of directions and the component.

/** The unit circle with the feasible arc of (P₂), ±u₁, the best allowed direction and the present one. */
function drawCircle(canvas, curves, palette, phi, set, arc) {
  const size = canvas.clientWidth || 230, height = Math.min(size, 210);
  const brush = brushOn(canvas, palette, size, height), r = Math.max(height / 2 - 18, 0), cx = size / 2, cy = height / 2;
  // c(φ) = (sin φ, cos φ): φ = 0 points up and φ grows clockwise
  const at = (angle, radius = r) => [cx + radius * Math.sin(angle), cy - radius * Math.cos(angle)];
  const sweep = (from, to, radius, look) => brush.line(Array.from({ length: 73 }, (_, s) => at(from + ((to - from) * s) / 72, radius)), look);
  brush.line([[cx - r, cy], [cx + r, cy]], { colour: palette.grid, wide: 1 });
  brush.line([[cx, cy - r], [cx, cy + r]], { colour: palette.grid, wide: 1 });
  brush.dot(cx, cy, r, { fill: null, edge: palette.ink, thick: 1 });
  if (set.length) {
    const [from, to] = arc.whole ? [0, TURN] : [arc.from, Math.max(arc.to, arc.from + 0.01)];
    sweep(from, to, r, { colour: palette.found, wide: 6 });
    sweep(...curves.edges(curves.region), r + 8, { colour: palette.found, wide: 4, faint: 0.45 });
    brush.line([at(arc.free), at(arc.free + Math.PI)], { dash: [3, 4] });
    for (const angle of [arc.free, arc.free + Math.PI]) brush.dot(...at(angle), 5, { fill: arc.contains(angle) ? palette.ink : palette.paper, edge: palette.ink });
    const [ux, uy] = at(arc.free, r - 16);
    brush.text("u₁", ux + 8 * Math.cos(arc.free), uy + 4 + 8 * Math.sin(arc.free), { size: SIZES.small, align: "center" });
    const [bx, by] = at(arc.best);
    brush.box(bx - 6, by - 6, 12, 12, { fill: palette.upper_bound, edge: palette.paper });
  }
  brush.line([[cx, cy], at(phi, r - 1)], { colour: palette.found, wide: 2.5 });
  brush.dot(...at(phi), 4, { fill: palette.found, edge: null });
}

/** The component at φ, over the image or along the axis of the features, or as bars; return where its features stand. */
function drawComponent(canvas, plot, palette, phi, set, lit) {
  const { curves } = plot, { scene } = curves, width = canvas.clientWidth || 230;
  const norm = Math.sqrt(curves.squares(set, phi)) || 1, loading = (i) => curves.entry(i, phi) / norm;
  const tall = scene?.image ? Math.min((width * scene.image.rows) / scene.image.columns, 240) : 180;
  const brush = brushOn(canvas, palette, width, tall);
  if (!scene) return drawBars(brush, plot, set, loading);
  const layer = { support: set, weights: set.map(loading), colour: palette.series[1], negative: palette.found };
  const drawn = drawScene(brush, scene, set.length ? [layer] : []);
  if (lit >= 0) {
    const place = drawn.frame(lit);
    brush.box(...place, { edge: palette.paper, thick: 4 });
    brush.box(...place, { edge: palette.ink, thick: 2 });
  }
  return drawn;
}

/** Few features: all of them, each in its own row for good. Many: the largest of the set. */
function drawBars(brush, plot, set, loading) {
  const { width, height, palette } = brush, { curves } = plot;
  const fixed = curves.n <= 12;
  const shown = fixed ? Array.from({ length: curves.n }, (_, i) => i)
    : [...set].sort((a, b) => Math.abs(loading(b)) - Math.abs(loading(a))).slice(0, 11);
  const step = height / Math.max(shown.length, fixed ? 1 : 11);
  const gutter = Math.min(Math.max(12, ...shown.map((i) => brush.measure(label(curves, i), SIZES.small))), 0.45 * width);
  const signed = !curves.nonnegative, from = gutter + 8, room = width - from - 42;
  const base = signed ? from + room / 2 : from, reach = signed ? room / 2 : room;
  const chosen = new Set(set);
  shown.forEach((i, row) => {
    const y = row * step, value = chosen.has(i) ? loading(i) : 0, length = value * reach;
    const { pen } = brush, bar = Math.min(step * 0.7, 22);
    pen.globalAlpha = chosen.has(i) ? 1 : 0.55;
    brush.text(label(curves, i), gutter, y + step / 2 + 4, { size: SIZES.small, align: "right", most: gutter });
    pen.globalAlpha = 1;
    brush.box(Math.min(base, base + length), y + (step - bar) / 2, Math.abs(length), bar, { fill: plot.tint(i) });
    brush.box(base - 0.5, y, 1, step, { fill: palette.grid });
    if (value) brush.text(decimals(value, 2), Math.max(base, base + length) + 5, y + step / 2 + 4, { size: SIZES.small });
  });
}
