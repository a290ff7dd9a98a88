// The wall: every attempt a point under one line, the proven upper bound; in the end the solver's answer and the best drawings.

const EVERY = 1000; // milliseconds between two looks
const SHOWN = 5000; // attempts, the latest

function wall(data, main) {
  main.innerHTML = `<div class="wall"><section><h1></h1><canvas role="img"></canvas><p role="status"></p>
    <div class="row"><button class="primary reveal">Show the solver's answer</button><button class="close">Close the room</button></div></section>
    <aside><p>Open this address on a phone:</p><p class="address"></p><img src="code.svg" alt="QR code of the address"><p class="code"></p><ol></ol><details hidden><summary>Everyone in the room</summary><div class="row everyone"></div></details></aside></div>
    <div class="drawings"></div>
    <dialog><p>Close this room? The game ends for everyone.</p>
    <form method="dialog" class="row"><button autofocus>Keep it open</button><button value="close">Close it</button></form></dialog>`;
  const [title, canvas, status, reveal, close, address, image, code, leaders, everyone, drawings, sure] = ["h1", "canvas", "[role=status]", ".reveal",
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
  reveal.hidden = close.hidden = everyone.parentElement.hidden = !owner;

  function draw() {
    const palette = wearing(main), width = canvas.clientWidth, tall = Math.min(width * 0.6, innerHeight * 0.68);
    const brush = brushOn(canvas, palette, width, tall), size = 22, left = 84, right = width - 16, top = 48, foot = tall - 48;
    const low = Math.min(0.9, ...points.map(([share]) => share)) - 0.02;
    const y = axisOf(low, 1, foot, top), x = axisOf(count - points.length, Math.max(count, 20), left, right);
    for (const share of [0, 0.25, 0.5, 0.6, 0.7, 0.8, 0.9, 1].filter((one) => one >= low)) {
      brush.line([[left, y(share)], [right, y(share)]], { colour: palette.grid, wide: 1 });
      brush.text(`${100 * share} %`, left - 8, y(share) + 7, { size, align: "right" });
    }
    brush.area([[left, y(1)], [right, y(1)], [right, 0], [left, 0]], palette.band);
    brush.line([[left, y(1)], [right, y(1)]], { colour: palette.upper_bound, wide: 4 });
    brush.text("proven: no painting is above this line", left + 8, y(1) - 12, { size, bold: true });
    points.forEach(([share], at) => brush.dot(x(count - points.length + at + 1), y(share), 6, { fill: palette.series[1], faint: 0.8 }));
    if (solver) {
      const share = Number.parseFloat(solver.percent) / 100;
      brush.line([[left, y(share)], [right, y(share)]], { colour: palette.found, wide: 3, dash: [8, 5] });
      brush.text(`solver: at least ${solver.percent}`, right - 8, y(share) + 26, { size, bold: true, align: "right", halo: true });
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
  reveal.addEventListener("click", () => tell("reveal"));
  close.addEventListener("click", () => { sure.returnValue = ""; sure.showModal(); });
  sure.addEventListener("close", async () => {
    if (!sure.returnValue || !(await tell("close")).ok) return;
    clearTimeout(next);
    reveal.hidden = close.hidden = true;
    status.textContent = "The room is closed.";
  });
  addEventListener("resize", draw);
  look();
}
