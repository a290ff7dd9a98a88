// The closing interval: best value and upper bound by round, as far as the round that is shown; what is to come is faint.

function drawClosing(pen, width, height, ball, round, palette) {
  const left = 8, right = width - 8, top = 22, foot = height - 26;
  const bounds = ball.uppers.filter(Number.isFinite), most = 1.05 * Math.max(...bounds, ball.most);
  const least = Math.min(...ball.values), low = least > 0.6 * most ? least - 0.5 * (most - least) : 0;
  const x = (r) => left + 4 + (ball.last ? r / ball.last : 0.5) * (right - left - 8);
  const y = (value) => foot - ((value - low) / (most - low || 1)) * (foot - top);
  const line = (values, upTo, colour, wide, dash, faint) => {
    pen.strokeStyle = colour;
    pen.lineWidth = wide;
    pen.setLineDash(dash);
    pen.globalAlpha = faint;
    pen.beginPath();
    values.slice(0, upTo + 1).forEach((value, r) => pen.lineTo(x(r), y(value)));
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  };
  pen.fillStyle = palette.band;
  pen.beginPath();
  for (let r = 0; r <= round; r++) pen.lineTo(x(r), y(ball.uppers[r]));
  for (let r = round; r >= 0; r--) pen.lineTo(x(r), y(ball.values[r]));
  pen.fill();
  line(ball.uppers, ball.last, palette.upper_bound, 1.4, [6, 4], 0.35);
  line(ball.values, ball.last, palette.found, 1.4, [], 0.35);
  line(ball.uppers, round, palette.upper_bound, 2.4, [6, 4], 1);
  line(ball.values, round, palette.found, 2.4, [], 1);
  for (const [values, colour] of [[ball.uppers, palette.upper_bound], [ball.values, palette.found]]) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x(round), y(values[round]), 4.5, 0, 7);
    pen.fill();
  }
  pen.strokeStyle = palette.quiet;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(left, foot);
  pen.lineTo(right, foot);
  pen.stroke();
  pen.fillStyle = palette.ink;
  pen.font = `13px ${palette.font}`;
  pen.textAlign = "left";
  pen.fillText(low ? "objective (the axis does not begin at 0)" : "objective, from 0", left, 12);
  pen.fillText("0", x(0) - 4, foot + 15);
  pen.textAlign = "right";
  if (ball.last) pen.fillText(String(ball.last), right, foot + 15);
  pen.textAlign = "center";
  pen.fillText("round", (left + right) / 2, foot + 15);
}
