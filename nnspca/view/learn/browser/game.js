// Beat the proof: paint k features; see the variance they explain, the solver's component, and the upper bound.

/** A share of the total variance, with as many decimals as tell the best known from the upper bound. */
const explained = (value, board, to = floorTo) => `${to((100 * value) / board.whole, board.digits)} %`;

/** A proven share, rounded down, and never said to be all. */
const provenPercent = (share) => `${floorTo(100 * Math.min(share, 0.9999), gapDigits(1 - share))} %`;

const GAUGE = 192, BELOW = 84; // pixels beside the board, or below it

FIGURES.paint = (desk) => {
  const { boards } = desk.data;
  const session = desk.data.session ??= {}; // board -> {painted, best}: kept while the page is open
  const pick = desk.choice("Paint on", boards.map((board) => board.title),
    Math.max(0, boards.findIndex((board) => board.name === desk.link.board)));
  let board, judge, scene, mine, cursor = 0, drawn, erasing = false, last = -1, readout = "", hinted = -1, solver = null;

  const buttons = {
    solve: desk.button("Show the solver", () => reveal(), { primary: true }),
    hint: desk.button("Hint", () => hint(), { title: "Mark the feature that adds most" }),
    undo: desk.button("Undo", () => undo()),
    clear: desk.button("Clear", () => { mine.past.push(mine.painted); solver = null; paint([]); desk.changed(); }),
  };

  function open() {
    board = boards[pick.value];
    desk.lesson.tell(board.words);
    judge = judgeOf(board);
    scene = board.read ??= readScene(board.scene);
    const linked = desk.link.board === board.name || (!desk.link.board && board === boards[0]);
    mine = session[board.name] ??= {
      painted: linked ? maskFeatures(desk.link.painted, board.n, board.k) : [],
      best: linked ? maskFeatures(desk.link.best, board.n, board.k) : [],
      past: [],
    };
    if (linked && desk.link.painted && !mine.painted.length && !mine.past.length) desk.lesson.toast("The pixels in the link do not fit these data: the board is empty.");
    solver = null;
    cursor = Math.floor(board.n / 2);
    hinted = -1;
    weigh();
  }

  function weigh() {
    mine.found = judge.solve(mine.painted);
    const best = judge.solve(mine.best).value;
    mine.bestValue = best;
    if (mine.painted.length === board.k && mine.found.value > best) {
      mine.best = mine.painted;
      mine.bestValue = mine.found.value;
    }
    Object.assign(desk.link, { board: board === boards[0] ? "" : board.name,
      painted: maskText(mine.painted, board.n), best: maskText(mine.best, board.n) });
    tell();
  }

  /** Let these be painted. */
  function paint(features) {
    mine.painted = features;
    hinted = -1;
    weigh();
  }

  function undo() {
    if (!mine.past.length) return;
    paint(mine.past.pop());
    desk.changed();
  }

  function hint() {
    const full = mine.painted.length >= board.k;
    hinted = full ? -1 : judge.hint(mine.painted, mine.found);
    if (hinted >= 0) cursor = hinted;
    tell(full ? `All ${board.k} are painted: erase one first.` : hinted < 0
      ? "No further feature adds variance to these loadings." : "The ringed one adds most to these loadings.");
    desk.changed();
  }

  /** The solver's features appear, the largest loading first; then the upper bound. */
  function reveal() {
    if (solver) { solver = null; tell(); desk.changed(); return; }
    const order = board.solver.support.map((j, at) => [board.solver.loadings[at], j]).sort((a, b) => b[0] - a[0]).map(([, j]) => j);
    solver = { shown: [], value: 0, done: false };
    desk.play(() => {
      if (!solver) return false;
      solver.shown.push(order[solver.shown.length]);
      solver.value = judge.solve(solver.shown).value;
      solver.done = solver.shown.length === order.length;
      if (solver.done) { solver.value = board.solver.variance; tell(); }
      return !solver.done;
    }, 1600 / order.length);
    tell();
    desk.changed();
  }

  const gaugeWide = () => GAUGE * desk.scale;
  const sure = (value) => value * (1 - judge.doubt); // what the browser's arithmetic may claim
  const share = (value) => Math.min(sure(value) / board.upper, 1);
  const solverShare = () => Math.min(board.solver.variance / board.upper, 1);
  const shown = (value) => explained(value, board);

  function words() {
    const { painted, found } = mine, zero = found.loadings.filter((w) => w < 1e-9).length;
    if (solver?.done) {
      const its = board.optimal ? "proven optimal" : `at least ${provenPercent(solverShare())} of the optimum`;
      const yours = painted.length ? `**You: ${shown(sure(found.value))} of the total variance, at least ${provenPercent(share(found.value))} of the optimum. ` : "**";
      const beaten = painted.length && sure(found.value) > board.solver.variance ? " **You beat the solver!**" : "";
      return `${yours}Solver: ${shown(board.solver.variance)} of the total variance, ${its}.** No ${board.k} ${board.noun} explain more than ${explained(board.upper, board, ceilTo)}: that is the proven upper bound.${beaten}`;
    }
    if (solver) return `Solver: ${solver.shown.length} of ${board.solver.support.length} ${board.noun} …`;
    if (!painted.length) return `${board.about} **Paint ${board.k} ${board.noun} that vary together.**`;
    const count = `**${painted.length} of ${board.k} ${board.noun}. They explain ${shown(sure(found.value))} of the total variance.**`;
    const none = zero ? ` ${zero} of them have loading 0.` : "";
    return painted.length < board.k ? `${count}${none}` : `${count}${none} All painted: now show the solver.`;
  }
  function tell(extra = "") {
    readout = extra ? `${words()} ${extra}` : words();
    desk.say(readout);
    buttons.undo.disabled = !mine.past.length;
    buttons.clear.disabled = !mine.painted.length;
    buttons.solve.textContent = solver ? "Hide the solver" : "Show the solver";
    desk.name(`${board.title}: ${mine.painted.length} of ${board.k} ${board.noun} painted. Arrow keys move, space paints.`);
  }

  /** Which feature lies under a point, −1 for none. */
  const under = (x, y) => (drawn && x >= 0 && x <= drawn.wide && y <= drawn.tall ? drawn.at(x, y) ?? -1 : -1);

  function touch(j) {
    if (j < 0 || j === last) return;
    last = cursor = j;
    const { painted } = mine, has = painted.includes(j);
    if (erasing && has) paint(painted.filter((i) => i !== j));
    else if (!erasing && !has && painted.length < board.k) paint([...painted, j]);
    else if (!erasing && !has) tell(`All ${board.k} are painted: paint over one to erase it.`);
  }

  /** Paint a feature, or erase where it is painted; what is dragged over is treated alike. */
  function begin(j) {
    if (j < 0) return false;
    mine.past.push(mine.painted);
    erasing = mine.painted.includes(j);
    last = -1;
    touch(j);
    return true;
  }

  let opened = -1;
  const figure = {
    tall(width) {
      if (opened !== pick.value) { opened = pick.value; open(); }
      return width >= NARROW ? Math.min(width - gaugeWide(), 600 * desk.scale) : (scene.image ? width : 280) + BELOW;
    },
    press(x, y) { return begin(under(x, y)); },
    drag(x, y) { touch(under(x, y)); },
    release() { last = -1; },
    key(event) {
      const columns = scene.image?.columns ?? 1, x = cursor % columns;
      const step = { ArrowLeft: x || !scene.image ? -1 : 0, ArrowRight: x < columns - 1 || !scene.image ? 1 : 0,
        ArrowUp: scene.image ? -columns : 0, ArrowDown: scene.image ? columns : 0 }[event.key];
      if (step !== undefined) {
        if (cursor + step >= 0 && cursor + step < board.n) cursor += step;
        return true;
      }
      if (event.key === " " || event.key === "Enter") return begin(cursor);
      if (event.key === "z" || event.key === "Backspace") { undo(); return true; }
      return false;
    },
    leave() { solver = null; },
    draw(brush) {
      const { pen, width, height, palette } = brush, wideEnough = width >= NARROW;
      const wide = wideEnough ? width - gaugeWide() : width;
      const tall = wideEnough ? height : height - BELOW;
      const layers = [];
      if (mine.painted.length) layers.push({ support: mine.painted, weights: mine.found.loadings, colour: palette.series[1] });
      const box = drawScene(new Brush(pen, wide, tall, palette, 1), scene, layers);
      drawn = { ...box, wide, tall };
      const ring = (j, colour, thick, small = false) => {
        const [x, y, across, down] = box.frame(j);
        if (scene.image) brush.box(x + 1, y + 1, across - 2, down - 2, { edge: colour, thick });
        else if (small) brush.box(x, y - 6, 4, 12, { fill: colour });
        else brush.box(x - 2, y, 8, down, { edge: colour, thick });
      };
      for (const j of solver?.shown ?? []) ring(j, palette.dark ? "#62b6ee" : "#3aa0e0", 2, true);
      if (hinted >= 0) { ring(hinted, palette.paper, 5); ring(hinted, palette.upper_bound, 3); }
      if (desk.focused()) { ring(cursor, "#000000", 4); ring(cursor, "#ffffff", 2); }
      const levels = { you: mine.found.value, best: mine.bestValue, solver: solver?.value, line: solver?.done };
      if (wideEnough) gauge(brush, { x: wide + 18, y: 30, wide: 28, tall: height - 34 }, levels, true);
      else gauge(brush, { x: 4, y: tall + 28, wide: width - 8, tall: 16 }, levels, false);
      desk.lesson.box.dataset.you = String(share(mine.found.value));
      desk.lesson.box.dataset.painted = mine.painted.join(",");
    },
  };

  /** How far each is from zero to the upper bound: upright beside the board, or level below it. */
  function gauge(brush, box, levels, upright) {
    const { palette } = brush, long = upright ? box.tall : box.wide;
    const at = (value) => (clamp(value / board.upper, 0, 1) * long);
    const bar = (from, to, look) => (upright ? brush.box(box.x, box.y + long - to, box.wide, to - from, look)
      : brush.box(box.x + from, box.y, to - from, box.tall, look));
    bar(0, long, { fill: palette.empty, edge: palette.quiet, thick: 1 });
    bar(0, at(levels.you), { fill: palette.series[1] });
    if (levels.line) bar(at(board.solver.variance), long, { fill: palette.band });
    const marks = [];
    if (levels.solver) marks.push([levels.solver, `solver ${shown(levels.solver)}`, palette.found]);
    if (levels.best > levels.you * (1 + 1e-9)) marks.push([levels.best, `best ${shown(sure(levels.best))}`, palette.ink]);
    if (mine.painted.length) marks.push([levels.you, `you ${shown(sure(levels.you))}`, palette.series[1]]);
    marks.sort((a, b) => b[0] - a[0]); // equals stay in this order, and no variance is above the upper bound:
    marks.unshift([board.upper, levels.line ? `upper bound ${explained(board.upper, board, ceilTo)}` : "upper bound", palette.upper_bound]);
    const size = SIZES.small, step = 17 * brush.scale, taken = [[], [], []];
    let free = box.y;
    marks.forEach(([value, words, colour], order) => {
      const along = at(value), thick = order ? 2.5 : 4;
      if (upright) {
        const y = box.y + long - along;
        brush.line([[box.x - 6, y], [box.x + box.wide + 6, y]], { colour, wide: thick });
        free = Math.max(y + 5, free);
        brush.text(words, box.x + box.wide + 10, free, { size, bold: true });
        free += step;
        return;
      }
      const x = box.x + along;
      brush.line([[x, box.y - 5], [x, box.y + box.tall + 5]], { colour, wide: thick });
      const half = brush.measure(words, size, true) / 2, middle = clamp(x, box.x + half, box.x + box.wide - half);
      const line = taken.findIndex((others) => others.every(([other, wide]) => Math.abs(other - middle) > wide + half + 8));
      if (line < 0) return; // three lines are full: what it says stands above
      taken[line].push([middle, half]);
      brush.text(words, middle, [box.y - 10, box.y + box.tall + 18, box.y + box.tall + 35][line], { size, bold: true, align: "center" });
    });
  }

  return figure;
};
