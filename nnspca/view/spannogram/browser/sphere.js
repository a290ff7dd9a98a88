// The door: one player of the sphere for each place on the page, kept while the page around it is drawn anew.

const players = new WeakMap();

export default function ({ data, parentElement }) {
  let player = players.get(parentElement);
  if (!player || !parentElement.contains(player.box)) {
    player?.detach();
    player = new Rounds(parentElement, data);
    players.set(parentElement, player);
  } else {
    player.take(data);
  }
  player.attach();
  return leaving(player);
}
