// Cards: the samples at both ends, as pictures or by name, and the classes with what each is worth.

const ENDS = 8;

function cards(sheet) {
  const { samples, palette } = sheet, half = Math.min(ENDS, Math.ceil(samples.m / 2));
  const high = Array.from(samples.order.subarray(0, half));
  const low = Array.from(samples.order.subarray(Math.max(samples.m - ENDS, half))).reverse();
  const card = (s) => {
    const item = document.createElement("li"), button = document.createElement("button");
    const picture = document.createElement("canvas"), words = document.createElement("span"), small = document.createElement("small");
    button.type = "button";
    button.dataset.sample = String(s);
    button.title = samples.name(s);
    button.setAttribute("aria-label", samples.name(s));
    words.textContent = number3(samples.scores[s]);
    const kind = samples.labels && samples.classes[samples.labels[s]];
    small.textContent = kind && !kind.other ? kind.name : samples.short(s);
    if (portrait(picture, samples, s, palette)) button.append(picture);
    else button.append(badge(sheet, classOf(samples, s), 28));
    if (!samples.pictures && kind && !kind.other) words.textContent = `${samples.short(s)}: ${words.textContent}`;
    button.append(words, small);
    button.addEventListener("click", () => { samples.toggle(s); sheet.changed(); });
    for (const [on, whom] of [["pointerenter", s], ["pointerleave", null]]) {
      button.addEventListener(on, () => { sheet.hover = whom; sheet.wake(); });
    }
    item.append(button);
    return item;
  };
  sheet.find(".high").replaceChildren(...high.map(card));
  sheet.find(".low").replaceChildren(...low.map(card));
}

function badge(sheet, c, size = 16) {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  canvas.width = canvas.height = 2 * size;
  canvas.style.width = canvas.style.height = `${size}px`;
  canvas.style.margin = size > 16 ? "4px auto" : "0";
  mark(pen, wears(sheet.samples, c, sheet.palette), size, size, size * 0.55, false);
  return canvas;
}

function chips(sheet) {
  const { samples } = sheet;
  const chip = (kind, c) => {
    const button = document.createElement("button"), words = document.createElement("span");
    button.type = "button";
    button.dataset.class = String(c);
    button.disabled = !kind.count;
    words.textContent = `${kind.name} (${kind.count ? count(kind.count) : "none here"})${kind.area ? ` · AUC ${kind.area}` : ""}`;
    button.title = kind.area ? `AUC ${kind.area}: how often a sample of ${kind.name} scores higher than one of another class` : kind.name;
    button.append(badge(sheet, c), words);
    button.addEventListener("click", () => { samples.pick(samples.said === `c${c}` ? "" : `c${c}`); sheet.changed(); });
    return button;
  };
  const shown = samples.classes.map((kind, c) => [kind, c]).filter(([kind]) => kind.count || !kind.other);
  sheet.find(".classes").replaceChildren(...shown.map(([kind, c]) => chip(kind, c)));
}
