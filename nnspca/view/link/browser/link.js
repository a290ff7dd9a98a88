// The address says what the page shows. Each choice of the sidebar is an entry of the history, nothing else is: Back asks for
// the choices before. A change of the theme is asked for, too: Streamlit restyles its own elements alone.

let page, shown = "", turn = 0, waits = false, ask = () => {};

addEventListener("popstate", (event) => {
  [shown, turn, waits] = [location.search, turn + 1, true];
  if (location.pathname !== page) return; // Streamlit draws the other page, and then it is asked
  event.stopImmediatePropagation();
  ask();
}, { capture: true });

function write(data) {
  const here = new URLSearchParams(location.search), said = new URLSearchParams(here), before = new URLSearchParams(shown);
  for (const key of data.keys) said.delete(key);
  for (const [key, texts] of Object.entries(data.says)) for (const text of texts) said.append(key, text);
  const chosen = data.choices.some((key) => String(said.getAll(key)) !== String(before.getAll(key)));
  waits &&= chosen && data.turn !== turn;
  if (waits) return ask(); // this was drawn before anyone knew of the step back
  const address = (link) => `${location.pathname}${link && "?"}${link}${location.hash}`, link = String(said);
  if (chosen && location.pathname === page && data.turn === turn) {
    history.replaceState(history.state, "", address(String(before))); // a player has moved k in it meanwhile
    history.pushState(history.state, "", address(link));
  } else if (link !== String(here)) history.replaceState(history.state, "", address(link));
  [page, shown] = [location.pathname, link];
}

function mount({ data, parentElement, setTriggerValue }) {
  if (!data.part) ask = () => setTriggerValue("back", { link: shown, turn });
  write(data);
  if (data.part) return;
  let said = data.theme;
  const looking = setInterval(() => {
    const theme = wearing(parentElement.host).dark ? "dark" : "light";
    if (theme !== said) setTriggerValue("theme", (said = theme));
  }, 250);
  return () => clearInterval(looking);
}
