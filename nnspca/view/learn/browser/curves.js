// Figures of curves over a direction, drawn by the spannogram's own code: one turn, how often the set changes, ε-net.

/** Angles are turned by hand on the picture, by a slider, or by the arrow keys. */
function turning(slider, toPhi) {
  const turn = (x) => { slider.value = (clamp(toPhi(x), -QUARTER, 3 * QUARTER) * 180) / Math.PI; };
  return {
    flat: true,
    plays: "across",
    press(x) { turn(x); },
    drag(x) { turn(x); },
    key(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) slider.value = slider.value + step * (event.shiftKey ? 10 : 2);
      return Boolean(step);
    },
  };
}

FIGURES.two = (desk) => {
  const curves = curvesOf(desk.data.V, desk.data.k), plot = new Plot(curves), SAMPLED = 720;
  curves.objective = Array.from({ length: SAMPLED + 1 }, (_, s) => curves.objectiveAt(-QUARTER + (s * TURN) / SAMPLED));
  curves.optimum = { phi: curves.wrap(desk.data.optimum[0]), value: desk.data.optimum[1] };
  const angle = desk.slider("Direction φ", { low: -90, high: 270, step: 0.1, value: -70, say: (v) => degrees((v * Math.PI) / 180) });
  const stops = guided();
  let at = -1;
  desk.button("← change", () => visit(-1));
  desk.button("change →", () => visit(1), { primary: true });
  desk.button("★ Optimum", () => { at = stops.length - 1; visit(0); });

  /** What there is to see in a turn: one crossing that changes nothing, every change, then the optimum. */
  function guided() {
    const list = [curves.meetings.find((m) => !m.matters && m.j >= 0), ...curves.angles.map((_, e) => curves.changeAt(e))]
      .map((meeting) => { const { before, after } = curves.around(meeting.phi); return { phi: meeting.phi, meeting, words: `${changeWords(curves, meeting, before, after)}.` }; })
      .sort((p, q) => p.phi - q.phi);
    const { phi, value } = curves.optimum;
    curves.goTo(curves.regionAt(phi));
    return [...list, { phi, words: `The optimum: ${setWords(curves, curves.set())} with ${floorTo(value, 2)}. No other set needs to be tried.` }];
  }

  function visit(by) {
    at = clamp(at + by, 0, stops.length - 1);
    angle.value = (stops[at].phi * 180) / Math.PI;
    desk.changed();
  }

  return {
    ...turning(angle, (x) => plot.x.back(x)),
    ...desk.flat(0.9, 440),
    draw(brush) {
      const now = clamp((angle.value * Math.PI) / 180, curves.start, curves.end - 1e-9);
      curves.goTo(curves.regionAt(now));
      const set = curves.set(), words = setWords(curves, set), stop = stops.find((s) => Math.abs(s.phi - now) < 2e-3);
      plot.layout(brush.width, brush.height, brush.palette, brush.scale);
      plot.drawStill(brush);
      plot.drawSet(brush, set);
      plot.drawMoving(brush, now, set, { ring: stop?.meeting });
      desk.say(stop ? `**${stop.words}**` : `k = ${curves.k}. At ${degrees(now)} the set is **${words}**, objective ${floorTo(curves.objectiveAt(now), 2)}. In a whole turn the set changes ${curves.angles.length} times.`);
      desk.name(`Four curves over a whole turn; the set at ${degrees(now)}: ${words}. Arrow keys turn.`);
    },
  };
};

FIGURES.changes = (desk) => {
  const rows = desk.data.V, known = {};
  const size = desk.slider("Curves, n", { low: 3, high: rows.length, value: desk.data.n });
  const inSet = desk.slider("In the set, k", { low: 1, high: 12, value: desk.data.k });

  return {
    ...desk.flat(0.9, 440),
    draw(brush) {
      const { width, height, palette } = brush, n = size.value, room = 96 * brush.scale;
      inSet.limit(Math.min(12, n));
      const k = inSet.value, plot = known[`${n} ${k}`] ??= new Plot(curvesOf(rows.slice(0, n), k), {}), { curves } = plot;
      plot.layout(width, height - room, palette, brush.scale);
      plot.drawStill(brush);
      let choices = 0;
      for (let s = 1; s <= k; s++) choices += 10 ** logChoices(n, s);
      const crossings = curves.meetings.length, left = 90 * brush.scale, long = axisOf(0, 10, left + 8, width - 90 * brush.scale);
      [["crossings", crossings, palette.ink], ["sets met", curves.candidates, palette.upper_bound], ["choices", choices, palette.found]].forEach(([words, value, colour], line) => {
        const y = height - room + (10 + line * 28) * brush.scale, x = long(Math.log10(Math.max(value, 1)));
        brush.text(words, left, y + 14 * brush.scale, { align: "right" });
        brush.box(long(0), y, Math.max(x - long(0), 2), 18 * brush.scale, { fill: colour, faint: 0.85 });
        brush.text(count(Math.round(value)), x + 8, y + 14 * brush.scale, { bold: true });
      });
      desk.say(`${n} curves: **${count(crossings)} crossings in a whole turn**, those with zero included. The set of at most ${k} changes **${curves.angles.length} times**: **${count(curves.candidates)} sets** of **${count(Math.round(choices))} choices**. Bars: log scale.`);
      desk.name(`${n} curves; rings mark the ${curves.angles.length} changes of the set of ${k}.`);
    },
  };
};
