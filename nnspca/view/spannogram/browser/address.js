// The address: what the browser keeps there of the view, without asking the server anything.

/** Let the address say `said`; what is empty is left out. Only on the page it was begun on. */
function sayInAddress(home, said) {
  if (location.pathname !== home || !location.protocol.startsWith("http")) return;
  const address = new URL(location.href);
  for (const [key, value] of Object.entries(said)) {
    if (value === "") address.searchParams.delete(key);
    else address.searchParams.set(key, value);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
}
