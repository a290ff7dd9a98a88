// Leaving a place on the page: Streamlit calls a component's door late, so the farewell to one call can come after the
// next call has begun, and would still what is on show.

/** Return the farewell to this call: it detaches `thing` unless the door has been called again since. */
function leaving(thing) {
  const call = (thing.calls = (thing.calls ?? 0) + 1);
  return () => { if (thing.calls === call) thing.detach(); };
}
