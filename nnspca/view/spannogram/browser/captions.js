// What the picture says in words.

const degrees = (phi) => `${decimals((phi * 180) / Math.PI, 1)}°`;
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const plural = (many, one) => (many === 1 ? one : `${one}s`);

/** A number with four telling digits, as the rest of the app writes it. */
function figure(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size <= -4 || size >= 7) return `${(value / 10 ** size).toFixed(3)} × 10${raised(size)}`;
  const digits = 3 - size;
  const rounded = Math.round(value * 10 ** digits) / 10 ** digits;
  return rounded.toLocaleString("en", { minimumFractionDigits: Math.max(digits, 0), maximumFractionDigits: Math.max(digits, 0) });
}

/** A curve's name alone, and in the middle of a sentence. */
const label = (curves, i) => (curves.numbered ? `${i + 1}` : curves.names[i] ?? `feature ${i + 1}`);
const named = (curves, i) => (curves.numbered ? `curve ${i + 1}` : label(curves, i));

/** A set as people write it; long ones by their size. */
function setWords(curves, set, most = 6) {
  if (!set.length) return "nothing";
  if (set.length > (curves.numbered ? 12 : most)) return `${set.length} ${curves.numbered ? "curves" : "features"}`;
  return `{${set.map((i) => label(curves, i)).join(curves.numbered ? ", " : "; ")}}`;
}

/** What happens at a crossing: who meets, who leaves and enters, and what the set becomes. */
function changeWords(curves, meeting, before, after) {
  const { k } = curves, pair = curves.numbered && meeting.j >= 0;
  const meet = pair ? `Curves ${Math.min(meeting.i, meeting.j) + 1} and ${Math.max(meeting.i, meeting.j) + 1} cross`
    : meeting.j < 0 ? `${upper(named(curves, meeting.i))} crosses zero` : `${upper(named(curves, meeting.i))} and ${named(curves, meeting.j)} cross`;
  const names = (set) => set.map((i) => label(curves, i)).join(" and ");
  const out = before.filter((i) => !after.includes(i)), into = after.filter((i) => !before.includes(i));
  if (out.length || into.length) {
    const moves = [out.length && `${names(out)} ${out.length > 1 ? "leave" : "leaves"}`, into.length && `${names(into)} ${into.length > 1 ? "enter" : "enters"}`];
    const long = Math.max(before.length, after.length) > (curves.numbered ? 12 : 4);
    const stay = before.length - out.length;
    const moved = moves.filter(Boolean).join(", ");
    return `${curves.numbered || meeting.j < 0 ? `${meet}: ${moved}` : upper(moved)}; ${long ? `${stay} ${plural(stay, "feature")} ${stay === 1 ? "stays" : "stay"}` : `${setWords(curves, before)} becomes ${setWords(curves, after)}`}`;
  }
  const places = curves.above(meeting);
  const why = meeting.j < 0 ? before.includes(meeting.i) ? "it stays in" : `${places} ${plural(places, "curve")} ${places === 1 ? "is" : "are"} above it`
    : curves.nonnegative && meeting.height < 0 ? "both are below zero" : places + 2 <= k ? `places ${places + 1} and ${places + 2}, both in` : `places ${places + 1} and ${places + 2}, both out`;
  return `${meet}: the set stays ${setWords(curves, before)} (${why})`;
}

function circleWords(curves, set, arc) {
  if (!set.length) return "No curve is above zero in this direction.";
  if (!curves.nonnegative) return "Every direction is allowed, so the leading direction u₁ of the set is its best (■).";
  return arc.inside ? "The leading direction u₁ of the set lies in the arc, so it is the best of this set (■)."
    : "The leading direction u₁ of the set lies outside the arc, so the best of this set (■) is an end of the arc.";
}
