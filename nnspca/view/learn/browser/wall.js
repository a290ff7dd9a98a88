// The wall: every attempt a point under one line, the proven upper bound; in the end the solver's answer and the best drawings.

const EVERY = 1000; // milliseconds between two looks
const SHOWN = 5000; // attempts, the latest
const NEAREST = -4; // the power of ten of the smallest distance to the proven maximum that is told apart

function wall(data, main) {
  main.innerHTML = `<div class="wall"><section><h1></h1><canvas role="img"></canvas><p role="status"></p>
    <canvas class="guesses" role="img" hidden></canvas><div class="row own"><button class="primary reveal">Show the solver's answer</button><label>Ask: <select><option value="0">no question</option></select></label><button class="answer" hidden>Show the answer</button><button class="close">Close the room</button></div>
    <div class="row own"><button class="csv">Results (CSV)</button><button class="png">All paintings (PNG)</button></div></section>
    <aside><p>Open this address on a phone:</p><p class="address"></p><img src="code.svg" alt="QR code of the address"><p class="code"></p><ol></ol><details hidden><summary>Everyone in the room</summary><div class="row everyone"></div></details></aside></div>
    <div class="drawings"></div>
    <dialog><p>Close this room? The game ends for everyone.</p>
    <form method="dialog" class="row"><button autofocus>Keep it open</button><button value="close">Close it</button></form></dialog>`;
  const [title, canvas, status, guesses, select, answer, reveal, close, address, image, code, leaders, everyone, drawings, sure] = ["h1", "canvas", "[role=status]", ".guesses", "select", ".answer", ".reveal",
    ".close", ".address", "img", ".code", "ol", ".everyone", ".drawings", "dialog"].map((one) => main.querySelector(one));
  const owner = location.hash.slice(1), scene = readScene(data.scene);
  let points = [], count = 0, solver = null, shown = "", listed = "", next = 0;
  const called = (one) => one.name || `Phone ${one.number}`;
  title.textContent = `Paint ${data.k} ${data.noun} that vary together: can you reach the line?`;
  const base = location.href.replace(/\/wall.*/, "");
  if (/^(localhost|127\.)/.test(location.hostname)) {
    address.textContent = `${base} works on this computer only. For phones, start the app with --server.address 0.0.0.0, and open it by this computer's name.`;
    image.hidden = true;
  } else address.textContent = base;
  image.src = `${base}/code.svg${location.protocol === "https:" ? "?tls" : ""}`;
  code.textContent = data.code;
  everyone.parentElement.hidden = !owner;
  for (const row of main.querySelectorAll(".own")) row.hidden = !owner;
  select.append(...(data.questions ?? []).map(({ ask }, at) => new Option(`${at + 1}. ${ask}`, at + 1)));

  function draw() {
    const palette = wearing(main), width = canvas.clientWidth, tall = Math.min(width * 0.6, innerHeight * 0.68);
    const brush = brushOn(canvas, palette, width, tall), size = 22, left = 104, right = width - 16, top = 48, foot = tall - 48;
    const below = (share) => Math.max(Math.log10(1 - share), NEAREST); // the distance to the proven maximum, as a power of ten
    const far = Math.max(-1, ...points.map(([share]) => below(share))), near = Math.max(NEAREST, Math.floor(Math.min(-2, ...points.map(([share]) => below(share)), solver ? below(solver.share) : 0)));
    const at = axisOf(far + 0.1, near, foot, top), y = (share) => at(Math.max(below(share), near)), x = axisOf(count - points.length, Math.max(count, 20), left, right);
    for (const percent of [100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02].filter((one) => Math.log10(one / 100) <= far + 0.1 && Math.log10(one / 100) > near)) {
      const level = at(Math.log10(percent / 100));
      brush.line([[left, level], [right, level]], { colour: palette.grid, wide: 1 });
      brush.text(`−${percent} %`, left - 8, level + 7, { size, align: "right" });
    }
    brush.area([[left, top], [right, top], [right, 0], [left, 0]], palette.band);
    brush.line([[left, top], [right, top]], { colour: palette.upper_bound, wide: 4 });
    brush.text(brush.fitting([`at most ${100 * 10 ** near} % below the proven maximum (log scale): none is above it`, `${100 * 10 ** near} % below the proven maximum (log)`], right - left - 90, size), left + 8, top - 12, { size, bold: true });
    points.forEach(([share], at) => brush.dot(x(count - points.length + at + 1), y(share), 6, { fill: palette.series[1], faint: 0.8 }));
    if (solver) {
      const level = y(solver.share);
      brush.line([[left, level], [right, level]], { colour: palette.found, wide: 3, dash: [8, 5] });
      brush.text(`solver: at least ${solver.percent}`, right - 8, level + 26, { size, bold: true, align: "right", halo: true });
    }
    brush.text("attempts, one after another", (left + right) / 2, tall - 10, { size, align: "center" });
    canvas.setAttribute("aria-label", `${count} attempts, all below the proven upper bound`);
  }

  /** The solver's component and the best drawings, side by side. */
  function show(best) {
    const cards = [{ title: `Solver: at least ${solver.percent}`, support: solver.support, weights: solver.loadings, hue: "found" },
      ...best.map((one, at) => ({ title: `${called(one)}: ${one.percent}`, support: one.features, weights: one.features.map(() => 1) }))];
    drawings.replaceChildren(...cards.map((card) => {
      const picture = element("canvas");
      requestAnimationFrame(() => {
        const palette = wearing(main), wide = picture.clientWidth, { rows, columns } = scene.image;
        drawScene(brushOn(picture, palette, wide, (wide * rows) / columns), scene, [{ ...card, colour: palette[card.hue] ?? palette.series[1] }]);
      });
      return element("figure", {}, picture, element("figcaption", { textContent: card.title }));
    }));
  }

  /** The question that is asked, and all guesses. */
  function showGuesses({ asked, guesses: given, answer: told }) {
    const question = data.questions?.[asked - 1];
    guesses.hidden = !question;
    canvas.hidden = Boolean(question);
    answer.hidden = !question || told !== null;
    if (document.activeElement !== select) select.value = String(asked);
    title.textContent = question ? `${question.ask} (${given.length} ${given.length === 1 ? "guess" : "guesses"})` : `Paint ${data.k} ${data.noun} that vary together: can you reach the line?`;
    if (!question) return;
    drawGuesses(brushOn(guesses, wearing(main), guesses.clientWidth, innerHeight * 0.5), { question, guesses: given, answer: told }, 22);
    guesses.setAttribute("aria-label", `${given.length} guesses: ${given.map((one) => guessWords(question, one)).join(", ")}`);
  }

  const save = (name, content) => element("a", { href: URL.createObjectURL(content), download: `room-${data.code}.${name}` }).click();
  /** All paintings in one picture, the best first. */
  async function paintings() {
    const { paintings: all } = await (await tell("results")).json(), across = Math.ceil(Math.sqrt(all.length || 1)), wide = 200, tall = (wide * scene.image.rows) / scene.image.columns + 30;
    const sheet = element("canvas", { width: across * wide, height: Math.ceil(all.length / across) * tall || tall }), palette = wearing(main), pen = sheet.getContext("2d");
    new Brush(pen, sheet.width, sheet.height, palette, 1).box(0, 0, sheet.width, sheet.height, { fill: palette.paper });
    all.forEach((one, at) => {
      pen.setTransform(1, 0, 0, 1, (at % across) * wide, Math.floor(at / across) * tall);
      drawScene(new Brush(pen, wide - 8, tall - 30, palette, 1), scene, [{ support: one.features, weights: one.features.map(() => 1), colour: palette.series[1] }]);
      new Brush(pen, wide, tall, palette, 1).text(`${called(one)}: ${one.percent}`, 0, tall - 10, { size: 14, most: wide - 8 });
    });
    sheet.toBlob((file) => save("png", file));
  }

  /** Everyone, for the owner, who may take a person out with all attempts. */
  function list(people) {
    points = points.filter(([, number]) => people.some((one) => one.number === number));
    if (listed === JSON.stringify(people)) return;
    listed = JSON.stringify(people);
    everyone.replaceChildren(...people.map((one) => button({ textContent: `Remove ${called(one)}`, onclick: () => tell("remove", one) })));
  }

  async function look() {
    try {
      const answer = await fetch(`${base}/news?since=${count}`, { headers: { owner } });
      if (!answer.ok) { status.textContent = await answer.text(); return; }
      const said = await answer.json();
      points = [...points, ...said.points].slice(-SHOWN);
      ({ count, solver } = said);
      status.textContent = `${said.people} ${said.people === 1 ? "person" : "people"}, ${count} ${count === 1 ? "attempt" : "attempts"}`;
      leaders.replaceChildren(...said.leaders.map((one) => element("li", { textContent: `${called(one)}: ${one.percent}` })));
      if (said.everyone) list(said.everyone);
      showGuesses(said);
      reveal.hidden = close.hidden = select.parentElement.hidden = said.closed;
      if (said.closed) status.textContent = `The room is closed. ${status.textContent}`;
      const now = JSON.stringify(said.leaders);
      if (solver && now !== shown) show(said.leaders);
      if (solver) shown = now;
      draw();
    } catch {
      status.textContent = "No connection: trying again …";
    }
    next = setTimeout(look, EVERY);
  }
  const tell = (what, about) => fetch(`${base}/${what}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ...about, owner }) });
  reveal.addEventListener("click", () => tell("ask", { chapter: 0, answered: true }));
  select.addEventListener("change", () => tell("ask", { chapter: Number(select.value) }));
  answer.addEventListener("click", () => tell("ask", { chapter: Number(select.value), answered: true }));
  main.querySelector(".csv").addEventListener("click", async () => save("csv", new Blob([(await (await tell("results")).json()).csv], { type: "text/csv" })));
  main.querySelector(".png").addEventListener("click", paintings);
  close.addEventListener("click", () => { sure.returnValue = ""; sure.showModal(); });
  sure.addEventListener("close", () => sure.returnValue && tell("close"));
  addEventListener("resize", draw);
  look();
}
