// A student's page: paint features, send each painting, hear its share of the proven upper bound.

const RETRY = 2000, LOOK = 4000; // milliseconds until a request that was lost is sent again, and between two looks at what is asked

function phone(data, main) {
  main.className = "phone";
  main.innerHTML = `<section class="question" hidden></section><h1></h1><p class="about"></p><canvas tabindex="0" role="application"></canvas>
    <p role="status"></p><div class="row"><button class="clear">Clear</button><label>Name (not needed) <input maxlength="16"></label></div>`;
  const [asked, title, about, canvas, status, clear, name] = [".question", "h1", ".about", "canvas", "[role=status]", ".clear", "input"].map((one) => main.querySelector(one));
  const scene = readScene(data.scene), { rows, columns } = scene.image, kept = `nnspca-room-${data.code}`;
  let painted = [], erasing = false, last = -1, cursor = 0, drawn, who = localStorage.getItem(kept) ?? "", busy = false, unsent = false, heard = "";
  title.textContent = `Room ${data.code}: ${data.title}`;
  about.textContent = `Paint ${data.k} ${data.noun} that vary together. Can you reach the proven maximum?`;

  const draw = () => {
    const palette = wearing(main), width = canvas.clientWidth, tall = (width * rows) / columns;
    const layers = painted.length ? [{ support: painted, weights: painted.map(() => 1), colour: palette.series[1] }] : [];
    const brush = brushOn(canvas, palette, width, tall);
    drawn = drawScene(brush, scene, layers);
    if (document.activeElement === canvas) brush.box(...drawn.frame(cursor), { edge: palette.ink, thick: 2 });
    canvas.setAttribute("aria-label", `${painted.length} of ${data.k} ${data.noun} painted. Arrow keys move, space paints.`);
  };
  const tell = (more = heard) => { status.textContent = `${painted.length} of ${data.k} ${data.noun}. ${more}`; };

  async function ask(what, said) {
    for (;;) {
      let wrong = "No connection: trying again …";
      try {
        const answer = await fetch(`${data.code}/${what}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(said) });
        const found = await answer.json();
        if (answer.status !== 429 && answer.status < 500) return found;
        wrong = found.error;
      } catch { /* no connection: the same again */ }
      tell(wrong);
      await new Promise((done) => setTimeout(done, RETRY));
    }
  }

  const place = (found) => `place ${found.place} of ${found.painters}`;
  const guesses = {}; // by chapter

  /** Look what is asked, while the page is seen: the question, then what was guessed, then the answer. */
  async function look() {
    try {
      const answer = document.hidden || !who ? null : await fetch(`${data.code}/now`);
      if (answer?.ok) showQuestion(await answer.json());
    } catch { /* no connection: the next look */ }
    setTimeout(look, LOOK);
  }
  function showQuestion(now) {
    const said = JSON.stringify([now, guesses[now.asked]]), question = data.questions?.[now.asked - 1];
    if (said === asked.dataset.said) return;
    asked.dataset.said = said;
    asked.hidden = !question;
    if (!question) return;
    const mine = guesses[now.asked], yours = mine === undefined ? "" : `Your guess: ${guessWords(question, mine)}. `;
    const take = async (value) => { const found = await ask("guess", { who, value }); if (!found.error) guesses[now.asked] = value; showQuestion(now); };
    if (now.answer !== null || mine !== undefined) asked.replaceChildren(element("p", { textContent: question.ask }), element("p", { textContent: yours + (now.answer === null ? "" : `It is ${guessWords(question, now.answer)}.`) }));
    else asked.replaceChildren(...askFor(question, take));
  }

  async function join() {
    const found = await ask("join", { who, name: name.value });
    if (found.error) { heard = found.error; tell(); return; }
    localStorage.setItem(kept, (who = found.who));
    name.value = found.name;
    if (!painted.length) painted = [...found.features];
    heard = `You are number ${found.number}.${found.best ? ` Your best: at least ${found.best} of the maximum, ${place(found)}.` : ""}`;
    draw();
    tell();
  }

  async function send() {
    unsent = true;
    if (busy || !who) return;
    busy = true;
    while (unsent) {
      unsent = false;
      const found = await ask("attempt", { who, features: painted });
      heard = found.error ?? (found.percent ? `At least ${found.percent} of the maximum; your best: ${found.best}, ${place(found)}. You are number ${found.number}.` : "");
      if (found.revealed) heard += " The solver's answer is on the wall.";
      tell();
      await new Promise((done) => setTimeout(done, 250)); // no more than the server counts
    }
    busy = false;
  }

  function touch(j) {
    if (j === undefined || j < 0 || j === last) return;
    last = cursor = j;
    const has = painted.includes(j);
    if (erasing && has) painted = painted.filter((i) => i !== j);
    else if (!erasing && !has && painted.length < data.k) painted = [...painted, j];
    draw();
    tell(!erasing && !has && painted.length === data.k && painted.at(-1) !== j ? "All are painted: touch one to erase it." : undefined);
  }
  const begin = (j) => { erasing = painted.includes(j); last = -1; touch(j); };
  const under = (event) => drawn.at(event.offsetX, event.offsetY);
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); begin(under(event)); });
  canvas.addEventListener("pointermove", (event) => { if (event.buttons) touch(under(event)); });
  canvas.addEventListener("pointerup", send);
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined && event.key !== " ") return;
    event.preventDefault();
    if (step === undefined) { begin(cursor); send(); } else if (cursor + step >= 0 && cursor + step < data.n) cursor += step;
    draw();
  });
  for (const change of ["focus", "blur"]) canvas.addEventListener(change, draw);
  clear.addEventListener("click", () => { painted = []; heard = ""; draw(); tell(); send(); });
  name.addEventListener("change", join);
  addEventListener("resize", draw);
  draw();
  tell();
  join();
  look();
}
