// What the picture says in words.

const degrees = (phi) => `${decimals((onAxis(phi) * 180) / Math.PI, 1)}°`;

/** A number with four telling digits, as the rest of the app writes it. */
function figure(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size <= -4 || size >= 7) {
    const raised = String(size).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return `${(value / 10 ** size).toFixed(3)} × 10${raised}`;
  }
  const digits = 3 - size;
  const rounded = Math.round(value * 10 ** digits) / 10 ** digits;
  return rounded.toLocaleString("en", { minimumFractionDigits: Math.max(digits, 0), maximumFractionDigits: Math.max(digits, 0) });
}

/** A curve's name in the middle of a sentence. */
function who(curves, i) { return curves.numbered ? `curve ${i + 1}` : curves.names[i] ?? `feature ${i + 1}`; }

function short(curves, i) { return curves.numbered ? `${i + 1}` : curves.names[i] ?? `feature ${i + 1}`; }

/** A set as people write it; long ones by their size. */
function setWords(curves, set, most = 6) {
  if (!set.length) return "nothing";
  if (set.length > (curves.numbered ? 12 : most)) return `${set.length} ${curves.numbered ? "curves" : "features"}`;
  return `{${set.map((i) => short(curves, i)).join(curves.numbered ? ", " : "; ")}}`;
}

const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function meetTitle(curves, meeting) {
  const where = curves.flipped(meeting.phi) ? `${degrees(meeting.phi)} of −v` : degrees(meeting.phi);
  const one = upper(who(curves, meeting.i));
  if (meeting.j < 0) return `${one} crosses zero at ${where}`;
  return `${one} and ${who(curves, meeting.j)} meet at ${where}`;
}

/** Why a crossing does or does not change the top set. */
function meetWords(curves, meeting, before, after) {
  const k = curves.k, top = k === 1 ? "highest curve" : `top ${k}`;
  const was = new Set(before), is = new Set(after);
  const out = before.filter((i) => !is.has(i)), into = after.filter((i) => !was.has(i));
  const list = (set) => set.map((i) => who(curves, i)).join(" and ");
  if (meeting.matters && (out.length || into.length)) {
    if (out.length > 1 || into.length > 1) {
      return `It matters: several curves change here at once. Out: ${list(out) || "none"}. In: ${list(into) || "none"}.`;
    }
    if (out.length && into.length) {
      return `It matters: the two trade places ${k} and ${k + 1}, so ${list(out)} leaves the ${top} and ${list(into)} comes in.`;
    }
    if (into.length) {
      return `It matters: fewer than ${k} curves were above zero, so as soon as ${list(into)} is, it is in.`;
    }
    return `It matters: ${list(out)} falls below zero, where nothing may be chosen, and no other curve above zero is left to replace it.`;
  }
  const places = curves.above(meeting);
  if (meeting.j < 0) {
    return `It does not matter for the ${top}: ${places} other curves are above zero here, and ${k} of them are enough.`;
  }
  if (curves.nonnegative && meeting.height < 0) {
    return `It does not matter: both are below zero here, where nothing may be chosen.`;
  }
  if (places + 2 <= k) {
    return `It does not matter: they trade places ${places + 1} and ${places + 2}, and both stay in the ${top}.`;
  }
  return `It does not matter: they trade places ${places + 1} and ${places + 2}, both outside the ${top}.`;
}

function circleWords(curves, set, arc) {
  if (!set.length) return "No curve is above zero in this direction.";
  if (!curves.nonnegative) return "Any direction is allowed, so the set's own leading direction u₁ is its best.";
  return arc.inside
    ? "The set's leading direction u₁ (solid) lies in the arc, so it is the best this set can do."
    : "The set's leading direction u₁ (hollow) lies outside the arc, so the best allowed is an end of the arc.";
}
