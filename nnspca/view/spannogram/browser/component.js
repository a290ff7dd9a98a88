// The door: one show for each place on the page, kept while the page sends new data.

const shows = new WeakMap();

export default function (component) {
  const { data, parentElement } = component;
  let show = shows.get(parentElement);
  if (!show || !parentElement.contains(show.box)) {
    show?.detach();
    show = new Input(parentElement, data);
    show.tour = new Tour(show, data.step);
    shows.set(parentElement, show);
  } else {
    const before = show.signature;
    show.take(data);
    if (show.signature !== before) show.tour.again();
  }
  show.attach(component);
  return leaving(show);
}
