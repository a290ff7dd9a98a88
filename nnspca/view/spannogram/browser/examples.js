// Examples for the six steps, found among whatever curves the page shows; what there is none of is said.

const NEAR = 0.14; // radians at most that a step begins before its crossing

/** Regions, the widest first. */
function byWidth(curves, most = 40) {
  const width = (r) => { const [from, to] = curves.edges(r); return to - from; };
  return Array.from({ length: curves.angles.length + 1 }, (_, r) => r).sort((a, b) => width(b) - width(a)).slice(0, most);
}

const middleOf = (curves, region) => { const [from, to] = curves.edges(region); return (from + to) / 2; };

/** Shortly before and after an angle: nearer to it than any other change of the set. */
function beside(curves, angle) {
  const at = countUpTo(curves.angles, angle - 1e-9), after = countUpTo(curves.angles, angle + 1e-9);
  const left = at ? curves.angles[at - 1] : curves.start, right = after < curves.angles.length ? curves.angles[after] : curves.end;
  return [angle - Math.min(NEAR, 0.45 * (angle - left)), angle + Math.min(NEAR, 0.45 * (right - angle))];
}

/** A change of the set that stands alone and is of a kind, farthest from its neighbours. */
function changeOf(curves, fits) {
  let found = null, widest = 1e-7;
  const { angles } = curves;
  for (let e = 0; e < angles.length; e++) {
    const gap = Math.min(angles[e] - (e ? angles[e - 1] : curves.start), (e + 1 < angles.length ? angles[e + 1] : curves.end) - angles[e]);
    if (gap > widest && fits(curves.leaving[e], curves.entering[e])) [found, widest] = [e, gap];
  }
  return found === null ? null : curves.changeAt(found);
}

/** Where two curves have the same height (or size), within the turn. */
function whereEqual(curves, i, j) {
  const { V } = curves, found = [];
  for (const sign of curves.nonnegative ? [1] : [1, -1]) {
    const a = V[2 * i] - sign * V[2 * j], b = V[2 * i + 1] - sign * V[2 * j + 1];
    if (!a && !b) continue;
    const angle = Math.atan2(-b, a);
    found.push(curves.wrap(angle), curves.wrap(angle + Math.PI));
  }
  return found;
}

/** Two curves that cross away from place k, above zero and alone. */
function dullCrossing(curves) {
  let best = null, most = 1e-6;
  const look = (i, j, phi) => {
    const height = curves.value(i, phi);
    if (height <= 0.02 * curves.peak || curves.swaps(phi, i, j)) return;
    const gap = Math.min(...beside(curves, phi).map((side) => Math.abs(side - phi)));
    const meeting = { phi, i, j, height, matters: false };
    if (gap > most && Math.abs(curves.value(i, phi) - curves.value(j, phi)) < 1e-9 * curves.peak) [best, most] = [meeting, gap];
  };
  for (const region of byWidth(curves, 6)) {
    const set = curves.setOf(region).slice(0, 12), others = [];
    for (let i = 0; i < curves.n && others.length < 12; i++) if (!set.includes(i)) others.push(i);
    for (const group of [set, others]) {
      group.forEach((i, at) => group.slice(at + 1).forEach((j) => { for (const phi of whereEqual(curves, i, j)) look(i, j, phi); }));
    }
    if (best) return best;
  }
  return best;
}

/** Where one curve crosses zero and the set stays as it is. */
function dullZero(curves) {
  for (let i = 0; i < Math.min(curves.n, 400); i++) {
    if (!curves.size(i)) continue;
    const angle = Math.atan2(-curves.V[2 * i + 1], curves.V[2 * i]);
    for (const phi of [curves.wrap(angle), curves.wrap(angle + Math.PI)]) {
      if (phi - curves.start > 1e-3 && curves.end - phi > 1e-3 && !curves.swaps(phi, i, i)) return { phi, i, j: -1, height: 0, matters: false };
    }
  }
  return null;
}

const whereIs = (phi) => `φ = ${degrees(phi)}`;
const among = (curves) => (curves.nonnegative ? "highest above zero" : "largest in size");
const heights = (curves, i, j, phi) => `${named(curves, i)} ${figure(curves.value(i, phi))}, ${named(curves, j)} ${figure(curves.value(j, phi))}`;
const signed = (value) => figure(value).replace("-", "−");

/** 1: which curves are in the set, and why one is not. */
function aboutHeights(curves) {
  const caption = `**The set of ${curves.k}.** A direction gives each ${curves.numbered ? "curve" : "feature"} one number. The ${curves.k} ${among(curves)} form the set, in colour: `
    + "no other set of that size has a larger sum of squares here.";
  for (const region of byWidth(curves)) {
    const phi = middleOf(curves, region), set = curves.setOf(region);
    let left = -1;
    for (let i = 0; i < curves.n; i++) {
      if (!set.includes(i) && (left < 0 || curves.value(i, phi) > curves.value(left, phi))) left = i;
    }
    if (!set.length || left < 0) continue;
    const value = curves.entry(left, phi), below = curves.nonnegative && value <= 0;
    const options = [curves.nonnegative ? "It is not above zero" : "Its value is negative",
      `${curves.k} others ${curves.nonnegative ? "are higher" : "are larger in size"}`];
    const least = set.reduce((low, i) => (curves.value(i, phi) < curves.value(low, phi) ? i : low), set[0]);
    return { caption, phi, to: phi, options, right: below ? 0 : 1,
      question: `${upper(named(curves, left))} has ${signed(value)} here and is not in the set. Why?`,
      answer: below ? `It has ${signed(value)}. Loadings are nonnegative, so a curve must be above zero to be in the set, even where a place is free.`
        : `The lowest of the set, ${named(curves, least)}, has ${signed(curves.entry(least, phi))}${curves.nonnegative ? "" : ", and only the size counts"}: all ${curves.k} places are taken.` };
  }
  return { caption, none: `With k = ${curves.k} of ${curves.n}, every curve that may be in the set is in it.` };
}

/** 2: two cross at place k. */
function aboutPlaceK(curves) {
  const caption = `**A crossing at place ${curves.k}.** The order of the curves changes only where two of them cross. At places ${curves.k} and ${curves.k + 1} that changes the set.`;
  const meeting = changeOf(curves, (out, into) => out >= 0 && into >= 0);
  if (!meeting) {
    return { caption, none: curves.k >= curves.n ? `Here k = n = ${curves.n}: there is no place ${curves.k + 1}.`
      : "No two of these curves cross at that place." };
  }
  const [phi, to] = beside(curves, meeting.phi), { i, j } = meeting;
  return { caption, phi, to, meeting, options: [upper(named(curves, i)), upper(named(curves, j)), "Neither"], right: 0,
    question: `${upper(named(curves, i))} and ${named(curves, j)} cross at place ${curves.k}, at ${whereIs(meeting.phi)}. Which one leaves the set?`,
    answer: `${upper(named(curves, i))} leaves, ${named(curves, j)} enters. Before: ${heights(curves, i, j, phi)}. After: ${heights(curves, i, j, to)}.` };
}

/** 3: two cross elsewhere. */
function aboutElsewhere(curves) {
  const caption = "**A crossing at any other place.** Most crossings are of this kind; where marked, they have dots instead of rings.";
  const meeting = dullCrossing(curves);
  if (!meeting) return { caption, none: "None of these curves crosses another above zero and away from place k." };
  const [phi, to] = beside(curves, meeting.phi), { i, j } = meeting, places = curves.above(meeting);
  return { caption, phi, to, meeting, options: [upper(named(curves, i)), upper(named(curves, j)), "Neither"], right: 2,
    question: `${upper(named(curves, i))} and ${named(curves, j)} cross at places ${places + 1} and ${places + 2}, at ${whereIs(meeting.phi)}. Which one leaves the set?`,
    answer: `Neither: they swap places ${places + 1} and ${places + 2}, and both stay ${places + 2 <= curves.k ? "in" : "out of"} the set. Before: ${heights(curves, i, j, phi)}. After: ${heights(curves, i, j, to)}.` };
}

/** 4: one crosses zero. */
function aboutZero(curves) {
  const caption = curves.nonnegative
    ? "**A crossing with zero.** A curve must be above zero to be in the set, so zero counts as one more curve."
    : "**A change of sign.** Only the size counts: at zero a curve touches the axis and rises again.";
  const falling = curves.nonnegative ? changeOf(curves, (out, into) => out >= 0 && into < 0) : null;
  const meeting = falling ?? dullZero(curves);
  if (!meeting) return { caption, none: "None of these curves crosses zero away from another crossing." };
  const [phi, to] = beside(curves, meeting.phi), { i } = meeting, { before, after } = curves.around(meeting.phi);
  const was = before.includes(i), is = after.includes(i), name = upper(named(curves, i));
  const right = was && !is ? 0 : 1;
  const size = (set) => `${set.length} ${plural(set.length, "curve")}`;
  return { caption, phi, to, meeting, options: ["It loses a curve", "It stays the same", "Another curve enters"], right,
    question: `${name} crosses zero at ${whereIs(meeting.phi)}, from ${signed(curves.entry(i, phi))} to ${signed(curves.entry(i, to))}. What happens to the set?`,
    answer: right === 0 ? `${name} leaves and none enters: no other curve is above zero. Before: ${size(before)}; after: ${size(after)}, although ${curves.k} are allowed.`
      : is ? `Nothing: ${named(curves, i)} stays, as k = ${curves.k} leaves a place for it.`
        : `Nothing: ${named(curves, i)} was not in the set. ${curves.above(meeting)} other curves are ${curves.nonnegative ? "above zero" : "larger"}, and ${curves.k} are enough.` };
}

/** 5: the best direction of one set. */
function aboutArc(curves) {
  const caption = curves.nonnegative
    ? "**The best direction of one set.** All curves of a set are above zero only on an arc of directions (thick, on the circle). Without that condition its best direction would be its leading direction u₁."
    : "**The best direction of one set.** Without a sign constraint every direction is allowed.";
  const regions = byWidth(curves, 200).filter((r) => curves.ids[r] >= 0);
  const wide = (r) => { const [from, to] = curves.edges(r); return to - from > 1e-6; };
  const arcs = regions.filter(wide).map((region) => { const set = curves.setOf(region); return { region, set, arc: curves.arc(set) }; });
  const found = arcs.find(({ arc }) => !arc.inside) ?? arcs[0];
  if (!found) return { caption, none: "No curve is above zero anywhere, so there is no set." };
  const phi = middleOf(curves, found.region), { set, arc } = found, best = curves.wrap(arc.best);
  const free = curves.squares(set, arc.free);
  return { caption, phi, to: best, options: ["u₁, its leading direction", "An end of the arc"], right: arc.inside ? 0 : 1,
    question: `Which direction is best for ${setWords(curves, set)}${curves.nonnegative ? ", with all values nonnegative" : ""}?`,
    answer: arc.inside ? `u₁, at ${whereIs(best)}: it is allowed, and the objective there is ${figure(arc.value)}, the largest for this set.`
      : `An end of the arc, at ${whereIs(best)}: ${figure(arc.value)}. At u₁ the sum of squares would be ${figure(free)}, but some value is negative there.` };
}

/** 6: how few sets need to be tried. */
function aboutList(curves) {
  const caption = "**The short list.** The set changes only at rings, so one turn shows every set that can be the best. Compare the best directions of all of them.";
  const many = count(curves.candidates), options = [...new Set([many, count(curves.bound), curves.choices])];
  const size = curves.nonnegative ? `at most ${curves.k}` : curves.k;
  const { phi, value } = curves.optimum;
  const words = `${many} ${plural(curves.candidates, "set")} (Asteris et al. prove at most ${count(curves.bound)}), of ${curves.choices} ways to choose ${size} of ${count(curves.n)}. The best: ${figure(value)} at ${whereIs(curves.wrap(phi))}.`;
  if (options.length < 2) return { caption, none: words, to: phi };
  return { caption, phi: curves.wrap(phi - 0.35), to: phi, options, right: 0, anywhere: true,
    question: `How many different sets does one whole turn have, of n = ${count(curves.n)} curves and k = ${curves.k}?`, answer: words };
}

const EXAMPLES = [aboutHeights, aboutPlaceK, aboutElsewhere, aboutZero, aboutArc, aboutList];
