// The door: one player for each place on the page, kept while the path grows.

const players = new WeakMap();
const AGAIN = 3000; // milliseconds after which a rerun that did not come is asked for again

export default function (component) {
  const { data, parentElement } = component;
  let player = players.get(parentElement);
  if (!player || !parentElement.contains(player.box)) {
    player?.detach();
    player = new Player(parentElement, data);
    players.set(parentElement, player);
  } else {
    player.take(data);
  }
  player.attach(component);
  const leave = leaving(player);
  if (!data.address) {
    askNews(parentElement, "", 0, () => {})();
    return leave;
  }
  let asked = -AGAIN;
  const end = askNews(parentElement, data.address, data.every, (news) => {
    player.take(news);
    if (news.running || performance.now() - asked < AGAIN) return;
    asked = performance.now();
    component.setTriggerValue("ended", data.assignments);
  });
  return () => {
    end();
    leave();
  };
}
