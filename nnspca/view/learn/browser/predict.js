// The question before a figure: a guess, by a slider or by buttons, and how all guesses of a room lie around the answer.

/** What a guess, or the answer, is called. */
const guessWords = ({ options, unit }, value) => (options ? options[value] : `${Number(value.toFixed(2))}${unit && ` ${unit}`}`);

/** Ask; `take` is told the guess. */
function askFor(question, take) {
  const { options, low, high, step } = question;
  if (options) return [element("p", { textContent: question.ask }), element("div", { className: "row" }, ...options.map((words, at) => button({ textContent: words, onclick: () => take(at) })))];
  const slider = element("input", { type: "range", min: low, max: high, step, value: (low + high) / 2, ariaLabel: question.ask });
  const said = element("output"), keep = button({ className: "primary", textContent: "This is my guess", disabled: true, onclick: () => take(Number(slider.value)) });
  slider.addEventListener("input", () => { keep.disabled = false; said.textContent = guessWords(question, Number(slider.value)); });
  return [element("p", { textContent: question.ask }), slider, element("div", { className: "row" }, said, keep)];
}

/** Draw guesses as dots above an axis, or as bars of options; the answer once it is known. */
function drawGuesses(brush, { question, guesses, answer }, size) {
  const { options, low = -0.5, high = (options?.length ?? 1) - 0.5 } = question, { width, height, palette } = brush;
  const bins = options ? options.length : 40, across = axisOf(low, high, 24, width - 24), foot = height - 2.2 * size, heaps = new Array(bins).fill(0);
  const bin = (value) => clamp(Math.floor(((value - low) / (high - low)) * bins), 0, bins - 1);
  const most = Math.max(4, ...guesses.map((value) => ++heaps[bin(value)])), tall = (foot - 2 * size) / most, wide = (width - 48) / bins;
  heaps.forEach((many, at) => { if (many) brush.box(24 + at * wide + 1, foot - many * tall, wide - 2, many * tall, { fill: palette.series[1] }); });
  brush.line([[24, foot], [width - 24, foot]]);
  for (const value of options ? options.keys() : [low, (low + high) / 2, high]) brush.text(guessWords(question, value), clamp(across(value), 40, width - 50), foot + 1.3 * size, { size, align: "center" });
  if (answer === null) return;
  brush.line([[across(answer), foot], [across(answer), 1.4 * size]], { colour: palette.upper_bound, wide: 4 });
  brush.text(guessWords(question, answer), clamp(across(answer), 100, width - 100), size, { size, bold: true, align: "center", colour: palette.upper_bound });
}
