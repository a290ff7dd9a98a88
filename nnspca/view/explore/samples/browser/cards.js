// Cards: the samples at both ends, as pictures or by name, and the classes with what each is worth.

const ENDS = 8;

function cards(sheet) {
  const { samples, palette } = sheet, half = Math.min(ENDS, Math.ceil(samples.m / 2));
  const high = Array.from(samples.order.subarray(0, half));
  const low = Array.from(samples.order.subarray(Math.max(samples.m - ENDS, half))).reverse();
  const card = (s) => {
    const kind = samples.labels && samples.classes[samples.labels[s]], named = kind && !kind.other, score = number3(samples.scores[s]);
    const picture = element("canvas"), sight = portrait(picture, samples, s, palette) ? picture : badge(sheet, classOf(samples, s), 28);
    const words = element("span", { textContent: !samples.pictures && named ? `${samples.short(s)}: ${score}` : score });
    const small = element("small", { textContent: named ? kind.name : samples.short(s) });
    const hover = (on) => { sheet.hover = on; sheet.wake(); };
    const acts = { onclick: () => { samples.toggle(s); sheet.changed(); }, onpointerenter: () => hover(s), onpointerleave: () => hover(null) };
    return element("li", {}, button({ title: samples.name(s), ariaLabel: samples.name(s), dataset: { sample: s }, ...acts }, sight, words, small));
  };
  sheet.find(".high").replaceChildren(...high.map(card));
  sheet.find(".low").replaceChildren(...low.map(card));
}

function badge(sheet, c, size = 16) {
  const canvas = element("canvas"), pen = canvas.getContext("2d");
  canvas.width = canvas.height = 2 * size;
  canvas.style.width = canvas.style.height = `${size}px`;
  canvas.style.margin = size > 16 ? "4px auto" : "0";
  mark(pen, wears(sheet.samples, c, sheet.palette), size, size, size * 0.55, false);
  return canvas;
}

function chips(sheet) {
  const { samples } = sheet;
  const chip = (kind, c) => {
    const words = `${kind.name} (${kind.count ? count(kind.count) : "none here"})${kind.area ? ` · AUC ${kind.area}` : ""}`;
    const title = kind.area ? `AUC ${kind.area}: how often a sample of ${kind.name} scores higher than one of another class` : kind.name;
    const onclick = () => { samples.pick(samples.said === `c${c}` ? "" : `c${c}`); sheet.changed(); };
    return button({ title, disabled: !kind.count, dataset: { class: c }, onclick }, badge(sheet, c), element("span", { textContent: words }));
  };
  const shown = samples.classes.map((kind, c) => [kind, c]).filter(([kind]) => kind.count || !kind.other);
  sheet.find(".classes").replaceChildren(...shown.map(([kind, c]) => chip(kind, c)));
}
