// The judge of the game: a covariance, and the variance of the best nonnegative loadings on painted features.

const FIRST = 25, LAST = 400; // power steps of every start, and of the best of them; none loses variance

class Judge {
  constructor(board) {
    this.n = board.n;
    this.columns = new Map();
    if (board.samples) {
      this.rows = board.rows;
      this.samples = unpack(board.samples); // Z, row after row: the covariance is Z'Z
      this.doubt = 2e-6; // single precision: so much of a variance may be rounding
    } else {
      const flat = unpack(board.triangle), { n } = this;
      for (let i = 0; i < n; i++) this.columns.set(i, new Float64Array(n));
      for (let i = 0, at = 0; i < n; i++) {
        for (let j = i; j < n; j++, at++) this.columns.get(i)[j] = this.columns.get(j)[i] = flat[at];
      }
      this.doubt = 1e-12;
    }
    this.diagonal = Float64Array.from({ length: this.n }, (_, j) => (this.samples ? this.norm(j) : this.columns.get(j)[j]));
  }

  norm(j) {
    let sum = 0;
    for (let r = 0; r < this.rows; r++) sum += this.samples[r * this.n + j] ** 2;
    return sum;
  }

  /** Column j of the covariance. */
  column(j) {
    let column = this.columns.get(j);
    if (!column) {
      column = new Float64Array(this.n);
      for (let r = 0; r < this.rows; r++) {
        const from = r * this.n, z = this.samples[from + j];
        for (let i = 0; i < this.n; i++) column[i] += z * this.samples[from + i];
      }
      this.columns.set(j, column);
    }
    return column;
  }

  /** x'Ax for any x. */
  variance(x) {
    let sum = 0;
    if (this.samples) {
      for (let r = 0; r < this.rows; r++) {
        let along = 0;
        for (let i = 0; i < this.n; i++) along += x[i] * this.samples[r * this.n + i];
        sum += along * along;
      }
    } else x.forEach((a, i) => x.forEach((b, j) => { sum += a * b * this.columns.get(i)[j]; }));
    return sum;
  }

  /**
   * The best unit loadings x ≥ 0 found on some features. A search from many starts: what it finds is there,
   * and where covariances are negative something better may be there too.
   */
  solve(features) {
    const size = features.length, block = new Float64Array(size * size);
    features.forEach((j, row) => { const column = this.column(j); features.forEach((i, at) => { block[row * size + at] = column[i]; }); });
    let best = { value: 0, loadings: new Float64Array(size) };
    for (let start = -1; start < size; start++) {
      const begun = Float64Array.from({ length: size }, (_, i) => Number(start < 0 || i === start));
      const found = climb(block, begun, FIRST);
      if (found.value > best.value) best = found;
    }
    return size ? climb(block, best.loadings, LAST) : best;
  }

  /** The feature that would add most to these loadings, were it painted too; −1 where none adds anything. */
  hint(features, { loadings, value }) {
    const pull = new Float64Array(this.n), taken = new Set(features);
    features.forEach((j, at) => { const column = this.column(j); for (let i = 0; i < this.n; i++) pull[i] += loadings[at] * column[i]; });
    let best = -1, most = value * (1 + 1e-9);
    for (let j = 0; j < this.n; j++) {
      if (taken.has(j)) continue;
      const own = this.diagonal[j], b = Math.max(pull[j], 0);
      const together = (value + own) / 2 + Math.hypot((value - own) / 2, b);
      if (together > most) { most = together; best = j; }
    }
    return best;
  }
}

/** Truncated power steps on a small matrix: x becomes the positive part of Bx, made a unit vector. */
function climb(block, begun, steps) {
  const size = begun.length;
  let value = 0, loadings = unit(begun);
  for (let step = 0; step < steps; step++) {
    const pulled = new Float64Array(size);
    let now = 0;
    for (let i = 0; i < size; i++) {
      let sum = 0;
      for (let j = 0; j < size; j++) sum += block[i * size + j] * loadings[j];
      pulled[i] = Math.max(sum, 0);
      now += sum * loadings[i];
    }
    const done = step > 0 && now - value <= 1e-13 * now, next = unit(pulled);
    value = now;
    if (done || step === steps - 1 || !next.some(Boolean)) break;
    loadings = next;
  }
  return { value, loadings };
}

/** Painted features as a text for the link, one bit each, and back. */
function maskText(features, n) {
  if (!features.length) return "";
  const bytes = new Uint8Array(Math.ceil(n / 8));
  for (const j of features) bytes[j >> 3] |= 1 << (j & 7);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function maskFeatures(text, n, most) {
  try {
    const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const features = Array.from({ length: n }, (_, j) => j).filter((j) => (bytes.charCodeAt(j >> 3) >> (j & 7)) & 1);
    return bytes.length === Math.ceil(n / 8) && features.length <= most ? features : [];
  } catch {
    return [];
  }
}

const judges = new Map();

/** The judge of a board: made once, for every figure that asks. */
function judgeOf(board) {
  if (!judges.has(board)) judges.set(board, new Judge(board));
  return judges.get(board);
}
