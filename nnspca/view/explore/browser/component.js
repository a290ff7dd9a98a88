// The door: one player for each place on the page, kept while the path grows.

const players = new WeakMap();

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
  return leaving(player);
}
