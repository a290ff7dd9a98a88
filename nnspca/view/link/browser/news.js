// News: what the server publishes for a component is asked for beside Streamlit's own connection, without a rerun.

const listeners = new WeakMap();

/** Ask an address every so many milliseconds what is new since the version at hand; `root` has one listener at most. */
function askNews(root, address, every, take) {
  listeners.get(root)?.();
  let timer, over = false, version = "";
  const ask = async () => {
    try {
      const answer = await fetch(`${address}?version=${encodeURIComponent(version)}`, { cache: "no-store" });
      const news = answer.status === 200 ? await answer.json() : null;
      if (news && !over) {
        version = news.version ?? "";
        take(news);
      }
    } catch { /* the server does not answer now: it is asked again */ }
    if (!over) timer = setTimeout(ask, every);
  };
  const end = () => {
    over = true;
    clearTimeout(timer);
  };
  timer = setTimeout(ask, every);
  listeners.set(root, end);
  return end;
}
