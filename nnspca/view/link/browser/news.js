// News: what the server publishes for a component is asked for beside Streamlit's own connection, without a rerun.

const listeners = new WeakMap();
const AGAIN = 3000; // milliseconds after which a rerun that did not come is asked for again

/**
 * Ask an address every so many milliseconds what is new since the version at hand; `root` has one listener at most.
 * `take` is given the news and returns whether the page is to be run again, which `rerun` asks for.
 */
function askNews(root, address, every, take, rerun) {
  listeners.get(root)?.();
  let timer, over = false, version = "", asked = -AGAIN;
  const ask = async () => {
    try {
      const answer = await fetch(`${address}?version=${encodeURIComponent(version)}`, { cache: "no-store" });
      const news = answer.status === 200 ? await answer.json() : null;
      if (news && !over) {
        version = news.version ?? "";
        if (take(news) && performance.now() - asked >= AGAIN) {
          asked = performance.now();
          rerun();
        }
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
