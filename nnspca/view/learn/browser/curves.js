// Figures of curves over an angle: the spannogram guided, how often its set changes, and random directions.

const QUARTER = Math.PI / 2;
const heightAt = ([a, b], phi) => a * Math.sin(phi) + b * Math.cos(phi);

/** The highest k curves above zero, in the order of their numbers. */
function topSet(V, k, phi) {
  return V.map((row, i) => [heightAt(row, phi), i]).filter(([h]) => h > 0).sort((p, q) => q[0] - p[0]).slice(0, k).map(([, i]) => i).sort((a, b) => a - b);
}

const worthOf = (V, k, phi) => topSet(V, k, phi).reduce((sum, i) => sum + heightAt(V[i], phi) ** 2, 0);

/** Every angle of the whole turn where two curves meet, or one meets zero (j = −1), in order. */
function meetings(V) {
  const all = [];
  for (let i = 0; i < V.length; i++) {
    for (let j = -1; j < i; j++) {
      const [a, b] = j < 0 ? V[i] : [V[i][0] - V[j][0], V[i][1] - V[j][1]];
      const at = Math.atan2(-b, a);
      for (const phi of [at, at + Math.PI]) all.push({ i, j, phi: phi - TURN * Math.floor((phi + QUARTER) / TURN) });
    }
  }
  return all.sort((p, q) => p.phi - q.phi);
}

/** Every region of the turn: where it begins and ends, and its set. */
function regionsOf(V, k) {
  const edges = [-QUARTER, ...meetings(V).map((m) => m.phi), 3 * QUARTER], found = [];
  edges.slice(1).forEach((to, e) => {
    if (to - edges[e] < 1e-12) return;
    const set = topSet(V, k, (edges[e] + to) / 2), key = set.join(" ");
    if (found.length && found.at(-1).key === key) found.at(-1).to = to;
    else found.push({ from: edges[e], to, set, key });
  });
  return found;
}

/** The curves over a whole turn; `lit` ones stand out. Returns the axes. */
function drawCurves(brush, V, { top = 8, foot, lit = [], phi, many = false }) {
  const { width, palette } = brush, reach = Math.max(...V.map((row) => Math.hypot(...row))) * 1.05;
  const across = axisOf(-QUARTER, 3 * QUARTER, 8, width - 8), up = axisOf(-reach, reach, foot, top);
  brush.line([[8, up(0)], [width - 8, up(0)]], { colour: palette.quiet, wide: 1 });
  const path = (row) => Array.from({ length: 121 }, (_, s) => -QUARTER + (s * TURN) / 120).map((t) => [across(t), up(heightAt(row, t))]);
  V.forEach((row, i) => brush.line(path(row), { colour: lit.includes(i) ? palette.found : palette.ink, wide: lit.includes(i) ? 3.5 : 1.2, faint: lit.includes(i) ? 1 : many ? 0.25 : 0.5 }));
  if (phi !== undefined) {
    brush.line([[across(phi), top], [across(phi), foot]], { wide: 1.5 });
    for (const i of lit) brush.dot(across(phi), up(heightAt(V[i], phi)), 6, { fill: palette.found });
  }
  return { across, up };
}

const degrees = (phi) => `${decimals((phi * 180) / Math.PI, 0)}°`;
const braces = (set) => (set.length ? `{${set.map((i) => i + 1).join(", ")}}` : "nothing");

/** Angles are turned by hand on the picture, by a slider, or by the arrow keys. */
function turning(slider, toPhi) {
  const turn = (x) => { slider.value = (clamp(toPhi(x), -QUARTER, 3 * QUARTER) * 180) / Math.PI; };
  return {
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
  const { V, k } = desk.data, regions = regionsOf(V, k), all = meetings(V);
  const changes = new Set(regions.slice(1).map((region) => region.from.toFixed(9)));
  const [best] = desk.data.optimum;
  const angle = desk.slider("Direction φ", { low: -90, high: 270, step: 0.1, value: -70, say: (v) => degrees((v * Math.PI) / 180) });
  const stops = guided();
  let at = -1, across;
  const row = desk.row();
  desk.button(row, "← Stop", () => visit(-1));
  desk.button(row, "Next stop →", () => visit(1), { primary: true });
  desk.button(row, "★ Best", () => { at = stops.length - 1; visit(0); });
  const phi = () => (angle.value * Math.PI) / 180;

  /** What there is to see on the way round: one crossing that does nothing, then every change, then the best. */
  function guided() {
    const dull = all.find((m) => !changes.has(m.phi.toFixed(9)) && m.j >= 0);
    const list = [{ phi: dull.phi, words: `Curves ${dull.j + 1} and ${dull.i + 1} cross here, but not at place ${k}: **the lit set stays.**` }];
    regions.slice(1).forEach((region, r) => {
      const meeting = all.find((m) => Math.abs(m.phi - region.from) < 1e-9), before = regions[r].set;
      const how = meeting.j < 0 ? `Curve ${meeting.i + 1} passes zero` : `Curves ${meeting.j + 1} and ${meeting.i + 1} change places ${k} and ${k + 1}`;
      list.push({ phi: region.from, words: `${how}: **${braces(before)} becomes ${braces(region.set)}.**` });
    });
    list.sort((p, q) => p.phi - q.phi);
    const value = floorTo(desk.data.optimum[1], 2);
    return [...list, { phi: best > 3 * QUARTER ? best - TURN : best, words: `**The best of all: ${braces(topSet(V, k, best))} with ${value}.** No other set needs to be tried.` }];
  }

  function visit(by) {
    at = clamp(at + by, 0, stops.length - 1);
    angle.value = (stops[at].phi * 180) / Math.PI;
    desk.changed();
  }

  return {
    ...turning(angle, (x) => across.back(x)),
    tall: (width) => Math.min(0.75 * width, 440 * desk.scale),
    draw(brush) {
      const { height, palette } = brush, now = phi(), set = topSet(V, k, now), foot = height - 128;
      const axes = drawCurves(brush, V, { foot, lit: set, phi: now });
      across = axes.across;
      for (const m of all) {
        const matters = changes.has(m.phi.toFixed(9)), y = axes.up(heightAt(V[m.i], m.phi));
        brush.dot(across(m.phi), y, matters ? 5 : 2.5, matters ? { fill: palette.paper, edge: palette.ceiling, thick: 2.5 } : {});
      }
      V.forEach((row, i) => brush.text(String(i + 1), across(3 * QUARTER) - 4, axes.up(heightAt(row, 3 * QUARTER)) + 4, { align: "right", bold: true, halo: true }));
      regions.forEach((region, r) => {
        const here = now >= region.from && now <= region.to;
        brush.box(across(region.from), foot + 6, across(region.to) - across(region.from), 18, { fill: here ? palette.found : palette.ink, faint: here ? 1 : r % 2 ? 0.3 : 0.12 });
      });
      const most = desk.data.optimum[1] * 1.1, goal = axisOf(0, most, height - 22, foot + 44);
      brush.text("worth of the lit set", 8, foot + 40, { size: 13 });
      brush.line(Array.from({ length: 241 }, (_, s) => -QUARTER + (s * TURN) / 240).map((t) => [across(t), goal(worthOf(V, k, t))]), { wide: 2 });
      const star = stops.at(-1).phi;
      brush.star(across(star), goal(desk.data.optimum[1]), 11, palette.ceiling);
      brush.dot(across(now), goal(worthOf(V, k, now)), 6, { fill: palette.found });
      for (const mark of [-90, 0, 90, 180, 270]) brush.text(`${mark}°`.replace("-", "−"), across((mark * Math.PI) / 180), height - 4, { size: 13, align: mark < 0 ? "left" : mark > 180 ? "right" : "center" });
      const stop = stops.find((s) => Math.abs(s.phi - now) < 2e-3);
      const here = regions.findIndex((region) => now >= region.from && now <= region.to);
      desk.say(stop ? stop.words : `At ${degrees(now)} the lit set is **${braces(set)}**, worth ${floorTo(worthOf(V, k, now), 2)}. Region ${here + 1} of ${regions.length}.`);
      desk.name(`Four curves over a whole turn; lit at ${degrees(now)}: ${braces(set)}. Arrow keys turn.`);
    },
  };
};

FIGURES.changes = (desk) => {
  const rows = desk.data.V;
  const size = desk.slider("Curves, n", { low: 3, high: rows.length, value: desk.data.n });
  const kept = desk.slider("Lit, k", { low: 1, high: 12, value: desk.data.k });
  const known = {};
  const choose = (n, k) => { let ways = 1; for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i; return ways; };

  return {
    tall: (width) => Math.min(0.7 * width, 420 * desk.scale),
    draw(brush) {
      const { width, height, palette } = brush, n = size.value;
      kept.limit(Math.min(12, n));
      const k = kept.value, V = rows.slice(0, n);
      const found = known[`${n} ${k}`] ??= regionsOf(V, k);
      const foot = height - 130, { across, up } = drawCurves(brush, V, { foot, many: true });
      for (const region of found.slice(1)) {
        const order = V.map((row) => heightAt(row, region.from)).sort((a, b) => b - a);
        const y = up(Math.max(order[k - 1] ?? 0, 0));
        brush.line([[across(region.from), y], [across(region.from), foot + 8]], { colour: palette.ceiling, wide: 1, faint: 0.6 });
        brush.dot(across(region.from), y, 4, { fill: palette.paper, edge: palette.ceiling, thick: 2 });
      }
      found.forEach((region, r) => brush.box(across(region.from), foot + 8, across(region.to) - across(region.from), 10, { fill: palette.ink, faint: r % 2 ? 0.35 : 0.12 }));
      const sets = new Set(found.map((region) => region.key).filter(Boolean)).size;
      let supports = 0;
      for (let s = 1; s <= k; s++) supports += choose(n, s);
      const counts = [["crossings", (n * (n + 1)) / 2, palette.ink], ["supports met", sets, palette.ceiling], ["all supports", supports, palette.found]];
      const long = axisOf(0, 10, 120 * brush.scale, width - 110 * brush.scale);
      counts.forEach(([words, value, colour], row) => {
        const y = foot + 34 + row * 30, x = long(Math.log10(Math.max(value, 1)));
        brush.text(words, 112 * brush.scale, y + 13, { align: "right" });
        brush.box(long(0), y, Math.max(x - long(0), 2), 18, { fill: colour, faint: 0.85 });
        brush.text(count(Math.round(value)), x + 8, y + 14, { bold: true });
      });
      desk.say(`${n} curves cross (or pass zero) at **${count((n * (n + 1)) / 2)}** directions. The ${k} highest change **${found.length - 1}** times in a whole turn and meet **${sets} supports** of **${count(Math.round(supports))}**. Bars: each tenfold is one step.`);
      desk.name(`${n} curves; rings mark the ${found.length - 1} changes of the highest ${k}.`);
    },
  };
};

FIGURES.net = (desk) => {
  const { V, k } = desk.data, [, best] = desk.data.optimum, STEPS = 2000;
  const loss = desk.slider("ε, what you may lose", { low: 1, high: 30, value: 5, say: (v) => `${v} %` });
  const size = desk.slider("Directions thrown, m", { low: 1, high: 100, value: 20 });
  const grid = Array.from({ length: STEPS }, (_, s) => worthOf(V, k, -QUARTER + ((s + 0.5) * TURN) / STEPS));
  let thrown = [], tally = { hits: 0, throws: 0, of: "" };
  const row = desk.row();
  desk.button(row, "Throw", () => many(1), { primary: true });
  desk.button(row, "Throw 100 times", () => many(100));

  const enough = () => (1 - loss.value / 100) * best;
  function many(times) {
    for (let t = 0; t < times; t++) {
      thrown = Array.from({ length: size.value }, () => -QUARTER + Math.random() * TURN);
      tally.throws++;
      if (thrown.some((phi) => worthOf(V, k, phi) >= enough())) tally.hits++;
    }
    desk.changed();
  }

  return {
    tall: (width) => Math.min(0.62 * width, 380 * desk.scale),
    draw(brush) {
      const { width, height, palette } = brush, about = `${loss.value} ${size.value}`;
      if (tally.of !== about) { tally = { hits: 0, throws: 0, of: about }; thrown = []; }
      const across = axisOf(-QUARTER, 3 * QUARTER, 8, width - 8), up = axisOf(0, best * 1.12, height - 26, 14);
      const along = (s) => 8 + ((width - 16) * s) / STEPS, good = grid.map((value) => value >= enough());
      for (let s = 0, from = 0; s <= STEPS; s++) {
        if (s === STEPS || good[s] !== good[from]) {
          if (good[from]) brush.box(along(from), 14, along(s) - along(from), height - 40, { fill: palette.proven, faint: 0.25 });
          from = s;
        }
      }
      brush.line([[8, up(enough())], [width - 8, up(enough())]], { colour: palette.proven, wide: 2, dash: [7, 5] });
      brush.text("1 − ε of the best", 12, up(enough()) - 6, { size: 13, halo: true });
      brush.line(grid.map((value, s) => [8 + ((width - 16) * (s + 0.5)) / STEPS, up(value)]), { wide: 2 });
      for (const phi of thrown) {
        const value = worthOf(V, k, phi), good = value >= enough();
        brush.line([[across(phi), height - 26], [across(phi), up(value)]], { colour: good ? palette.found : palette.quiet, wide: 1, faint: 0.7 });
        brush.dot(across(phi), up(value), good ? 7 : 5, { fill: good ? palette.found : palette.paper, edge: palette.ink });
      }
      for (const mark of [-90, 0, 90, 180, 270]) brush.text(`${mark}°`.replace("-", "−"), across((mark * Math.PI) / 180), height - 6, { size: 13, align: mark < 0 ? "left" : mark > 180 ? "right" : "center" });
      const share = grid.filter((value) => value >= enough()).length / STEPS, chance = 1 - (1 - share) ** size.value;
      const seen = tally.throws ? ` So far ${tally.hits} of ${tally.throws} throws hit.` : " Press Throw.";
      desk.say(`Good directions: ${floorTo(100 * share, 1)} % of the turn. ${size.value} directions hit one with **probability ${floorTo(100 * Math.min(chance, 0.99999), 2)} %: likely, not proven.**${seen}`);
      desk.name(`The worth of every direction; shaded: within ${loss.value} % of the best; ${thrown.length} directions thrown.`);
    },
  };
};
