// The page around: its address, written without asking the server anything, and where a thing stands on it.

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

/** How far below the top of the whole page a thing stands, wherever the page is scrolled to. */
function placeOnPage(element) {
  const main = (element.getRootNode().host ?? element).closest("[data-testid=stMain]");
  return element.getBoundingClientRect().top + (main?.scrollTop ?? scrollY);
}
