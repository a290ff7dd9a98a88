// Examples for the six steps, found among whatever curves the page shows; what there is none of is said.

const NEAR = 0.14; // radians at most that a step begins before its crossing

/** The top set of a region, leaving the curves where they are. */
function setOf(curves, region) {
  const here = curves.region;
  curves.goTo(region);
  const set = curves.set();
  curves.goTo(here);
  return set;
}

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

/** A change of the top set that stands alone and is of a kind, farthest from its neighbours. */
function changeOf(curves, fits) {
  let found = null, widest = 1e-7;
  const { angles } = curves;
  for (let e = 0; e < angles.length; e++) {
    const gap = Math.min(angles[e] - (e ? angles[e - 1] : curves.start), (e + 1 < angles.length ? angles[e + 1] : curves.end) - angles[e]);
    if (gap > widest && fits(curves.leaving[e], curves.entering[e])) [found, widest] = [e, gap];
  }
  return found === null ? null : curves.changeAt(found);
}

/** Where two curves have the same height (or size), within the range that is swept. */
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
    const set = setOf(curves, region).slice(0, 12), others = [];
    for (let i = 0; i < curves.n && others.length < 12; i++) if (!set.includes(i)) others.push(i);
    for (const group of [set, others]) {
      group.forEach((i, at) => group.slice(at + 1).forEach((j) => { for (const phi of whereEqual(curves, i, j)) look(i, j, phi); }));
    }
    if (best) return best;
  }
  return best;
}

/** Where one curve crosses zero and the top set stays as it is. */
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

const whereIs = (curves, phi) => `φ = ${degrees(phi)}${curves.flipped(phi) ? " of −v" : ""}`;
const among = (curves) => (curves.nonnegative ? "highest above zero" : "largest in size");
const heights = (curves, i, j, phi) => `${who(curves, i)} ${figure(curves.value(i, phi))}, ${who(curves, j)} ${figure(curves.value(j, phi))}`;
const signed = (value) => figure(value).replace("-", "−");
const plural = (many, one) => (many === 1 ? one : `${one}s`);

/** 1: which curves are lit, and why one is not. */
function aboutHeights(curves) {
  const caption = `**The top ${curves.k}.** A direction gives each ${curves.numbered ? "curve" : "feature"} one number. The ${curves.k} ${among(curves)} are lit: `
    + "no other set of that size is worth more in this direction.";
  for (const region of byWidth(curves)) {
    const phi = middleOf(curves, region), set = setOf(curves, region);
    let left = -1;
    for (let i = 0; i < curves.n; i++) {
      if (!set.includes(i) && (left < 0 || curves.value(i, phi) > curves.value(left, phi))) left = i;
    }
    if (!set.length || left < 0) continue;
    const value = curves.entry(left, phi), below = curves.nonnegative && value <= 0;
    const options = [curves.nonnegative ? "It is not above zero" : "Its value is negative",
      `${curves.k} others ${curves.nonnegative ? "stand higher" : "are larger in size"}`];
    const least = set.reduce((low, i) => (curves.value(i, phi) < curves.value(low, phi) ? i : low), set[0]);
    return { caption, phi, to: phi, options, right: below ? 0 : 1,
      question: `${upper(who(curves, left))} has ${signed(value)} here and is not lit. Why?`,
      answer: below ? `It has ${signed(value)}: with nonnegative loadings a value that is not above zero cannot take part, even where a place is free.`
        : `The least of the lit, ${who(curves, least)}, has ${signed(curves.entry(least, phi))}${curves.nonnegative ? "" : ", and only the size counts"}: there are ${curves.k} places and they are taken.` };
  }
  return { caption, none: `With k = ${curves.k} of ${curves.n} every curve is lit wherever it may be: there is nothing to leave out.` };
}

/** 2: two cross at place k. */
function aboutPlaceK(curves) {
  const caption = `**A crossing at place ${curves.k}.** The order of the curves changes only where two of them meet. Between places ${curves.k} and ${curves.k + 1} that changes the top set.`;
  const meeting = changeOf(curves, (out, into) => out >= 0 && into >= 0);
  if (!meeting) {
    return { caption, none: curves.k >= curves.n ? `Here k = n = ${curves.n}: there is no place ${curves.k + 1}, so no two curves can trade it.`
      : "No two of these curves cross at that place, so this picture has no such change." };
  }
  const [phi, to] = beside(curves, meeting.phi), { i, j } = meeting;
  return { caption, phi, to, meeting, options: [upper(who(curves, i)), upper(who(curves, j)), "Neither"], right: 0,
    question: `${upper(who(curves, i))} and ${who(curves, j)} cross at place ${curves.k}, at ${whereIs(curves, meeting.phi)}. Turning on: which one leaves?`,
    answer: `${upper(who(curves, i))} leaves and ${who(curves, j)} comes in. Before: ${heights(curves, i, j, phi)}. After: ${heights(curves, i, j, to)}.` };
}

/** 3: two cross elsewhere. */
function aboutElsewhere(curves) {
  const caption = "**A crossing at any other place.** Most crossings are of this kind; the picture marks them with dots, not rings, where it marks them at all.";
  const meeting = dullCrossing(curves);
  if (!meeting) return { caption, none: "Among these curves none was found that crosses another above zero and away from place k." };
  const [phi, to] = beside(curves, meeting.phi), { i, j } = meeting, places = curves.above(meeting);
  const inside = places + 2 <= curves.k;
  return { caption, phi, to, meeting, options: [upper(who(curves, i)), upper(who(curves, j)), "Neither"], right: 2,
    question: `${upper(who(curves, i))} and ${who(curves, j)} cross at places ${places + 1} and ${places + 2}, at ${whereIs(curves, meeting.phi)}. Which one leaves the top ${curves.k}?`,
    answer: `Neither: they trade places ${places + 1} and ${places + 2}, and both ${inside ? "stay in" : "are outside"} the top ${curves.k}. Before: ${heights(curves, i, j, phi)}. After: ${heights(curves, i, j, to)}.` };
}

/** 4: one crosses zero. */
function aboutZero(curves) {
  const caption = curves.nonnegative
    ? "**A crossing with zero.** What is not above zero may not be lit, so zero counts as one more curve."
    : "**A change of sign.** Where signs are free only the size counts: at zero a curve touches the floor and rises again.";
  const falling = curves.nonnegative ? changeOf(curves, (out, into) => out >= 0 && into < 0) : null;
  const meeting = falling ?? dullZero(curves);
  if (!meeting) return { caption, none: "No curve was found here that crosses zero by itself." };
  const [phi, to] = beside(curves, meeting.phi), { i } = meeting, { before, after } = curves.around(meeting.phi);
  const was = before.includes(i), is = after.includes(i), name = upper(who(curves, i));
  const right = was && !is ? 0 : 1;
  const lit = (set) => `${set.length} ${plural(set.length, "curve")} lit`;
  return { caption, phi, to, meeting, options: ["It loses a member", "It stays as it is", "Another curve comes in"], right,
    question: `${name} crosses zero at ${whereIs(curves, meeting.phi)}: from ${signed(curves.entry(i, phi))} to ${signed(curves.entry(i, to))}. What happens to the lit set?`,
    answer: right === 0 ? `${name} leaves and nobody comes in: no other curve above zero is left. Before: ${lit(before)}; after: ${lit(after)}, although ${curves.k} are allowed.`
      : is ? `Nothing: ${who(curves, i)} stays, as k = ${curves.k} leaves room for it.`
        : `Nothing: ${who(curves, i)} was not lit, as ${curves.above(meeting)} other curves ${curves.nonnegative ? "are above zero" : "are larger"} and ${curves.k} are enough.` };
}

/** 5: the best direction of one set. */
function aboutArc(curves) {
  const caption = curves.nonnegative
    ? "**The best direction of one set.** A set keeps its curves above zero only on an arc of directions (thick, on the circle). Without that wish its best direction would be its leading one, u₁."
    : "**The best direction of one set.** Without a sign constraint every direction is allowed.";
  const regions = byWidth(curves, 200).filter((r) => curves.ids[r] >= 0);
  const wide = (r) => { const [from, to] = curves.edges(r); return to - from > 1e-6; };
  const arcs = regions.filter(wide).map((region) => { const set = setOf(curves, region); return { region, set, arc: curves.arc(set) }; });
  const found = arcs.find(({ arc }) => !arc.inside) ?? arcs[0];
  if (!found) return { caption, none: "No set is lit anywhere, so there is none to look at." };
  const phi = middleOf(curves, found.region), { set, arc } = found, best = curves.wrap(arc.best);
  const free = set.reduce((sum, i) => sum + curves.entry(i, arc.free) ** 2, 0);
  return { caption, phi, to: best, options: ["u₁, its leading direction", "An end of the arc"], right: arc.inside ? 0 : 1,
    question: `Where on the circle is ${setWords(curves, set)} at its best${curves.nonnegative ? ", with all its values nonnegative" : ""}?`,
    answer: arc.inside ? `u₁ is allowed, at ${whereIs(curves, best)}, and worth ${figure(arc.value)}: nothing is better for this set.`
      : `u₁ would be worth ${figure(free)} but lies outside the arc: there some value is negative. Of what is allowed the end at ${whereIs(curves, best)} is best: ${figure(arc.value)}.` };
}

/** 6: how few sets need to be tried. */
function aboutList(curves) {
  const caption = "**The short list.** The set changes only at rings, so turning once meets every set that can be best. Each has one best direction: try those, and take the largest.";
  const many = count(curves.candidates), options = [...new Set([many, count(curves.bound), curves.choices])];
  const size = curves.nonnegative ? `at most ${curves.k}` : curves.k;
  const { phi, value } = curves.optimum;
  const said = `${many} ${plural(curves.candidates, "set")} ${curves.candidates === 1 ? "is" : "are"} met (the paper allows ${count(curves.bound)}), of ${curves.choices} ways to choose ${size} of ${count(curves.n)}. The best of them: ${figure(value)} at ${whereIs(curves, phi)}.`;
  if (options.length < 2) return { caption, none: said, to: phi };
  return { caption, phi: curves.wrap(phi - 0.35), to: phi, options, right: 0,
    question: `How many different sets does one whole turn meet, of n = ${count(curves.n)} curves and k = ${curves.k}?`, answer: said };
}

const EXAMPLES = [aboutHeights, aboutPlaceK, aboutElsewhere, aboutZero, aboutArc, aboutList];
