// The closing interval: best value and upper bound by round, as far as the round that is shown; what is to come is faint.

function drawClosing(brush, ball, round) {
  const { width, height, palette } = brush;
  const left = 8, right = width - 8, top = 22, foot = height - 26;
  const bounds = ball.uppers.filter(Number.isFinite), most = 1.05 * Math.max(...bounds, ball.most);
  const least = Math.min(...ball.values), low = least > 0.6 * most ? least - 0.5 * (most - least) : 0;
  const x = ball.last ? axisOf(0, ball.last, left + 4, right - 4) : () => (left + right) / 2, y = axisOf(low, most, foot, top);
  const points = (values, upTo) => Array.from(values.slice(0, upTo + 1), (value, r) => [x(r), y(value)]);
  brush.area([...points(ball.uppers, round), ...points(ball.values, round).reverse()], palette.band);
  for (const [values, colour, dash] of [[ball.uppers, palette.upper_bound, [6, 4]], [ball.values, palette.found, []]]) {
    brush.line(points(values, ball.last), { colour, wide: 1.4, dash, faint: 0.35 });
    brush.line(points(values, round), { colour, wide: 2.4, dash });
    brush.dot(x(round), y(values[round]), 4.5, { fill: colour, edge: null });
  }
  brush.line([[left, foot], [right, foot]], { colour: palette.quiet, wide: 1 });
  brush.text(low ? "objective (the axis does not begin at 0)" : "objective, from 0", left, 12, { size: SIZES.small });
  brush.text("0", x(0) - 4, foot + 15, { size: SIZES.small });
  if (ball.last) brush.text(String(ball.last), right, foot + 15, { size: SIZES.small, align: "right" });
  brush.text("round", (left + right) / 2, foot + 15, { size: SIZES.small, align: "center" });
}
