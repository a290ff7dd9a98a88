"""Check a certificate against its data in exact arithmetic, with Python's standard library alone.

    python check.py certificate.npz data.npy [BILLIONS of products at most; if not given 20, fifteen minutes]

Status 0: all of it holds; 1: something does not; 2: this checker cannot tell (check_more.py knows more kinds of proof).
"""

import ast
import io
import json
import struct
import sys
import zipfile
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from heapq import nlargest
from itertools import accumulate, combinations
from math import isqrt, prod, sqrt
from operator import add, mul
from pathlib import Path
from typing import Any

MOST, READ, FINE, LEFT = 2**28, 2000, 2**96, [20 * 10**9]  # bytes of a file, rows all read, grid of quotients, products
FINER, SMALLER = 58, 40  # binary digits of factors; of quotients, beyond those of the numbers divided
CODES = {c[:2]: c[2] for c in ("f8d", "f4f", "i8q", "i4i", "i2h", "i1b", "u8Q", "u4I", "u2H", "u1B", "b1?")}


class Refused(Exception):
    """A claim fails or is malformed; with status 2: this checker cannot decide."""


def need(holds: bool, otherwise: str, status: int = 1) -> None:
    """Refuse unless it holds."""
    if not holds:
        raise Refused(otherwise, status)


def pay(products: int, bits: int = 0) -> None:
    """Refuse to begin what takes more products than are left; those of long numbers count for more."""
    LEFT[0] -= products * (1 + (bits * bits >> 12))
    need(LEFT[0] >= 0, "it takes more work than is allowed; a third argument allows so many billions of products", 2)


def shown(value: Fraction, rounding: str = ROUND_CEILING) -> str:
    """Twelve digits, rounded up unless told otherwise."""
    return str(Context(prec=12, rounding=rounding).divide(value.numerator, value.denominator))


def read_array(content: bytes, codes: Any = CODES) -> Any:
    """Read an array in NumPy's format, as rows where it has two sides, or one text; no object is made of it."""
    start = {b"\x93NUMPY\x01": 10, b"\x93NUMPY\x02": 12}[content[:7]]
    end = start + int.from_bytes(content[8:start], "little")
    header = ast.literal_eval(content[start : min(end, 10_000)].decode("latin-1").strip())
    shape, kind = header["shape"], header["descr"]
    if kind[:2] == "<U" and shape == ():
        return content[end:].decode("utf-32-le").rstrip("\0")
    fits = len(shape) in (1, 2) and all(type(n) is int and (n > 0 or shape == (0,)) for n in shape)
    need(fits and kind[1:] in codes and kind[0] in "<>|", f"an array of {kind!r:.20} holds no plain numbers in rows", 2)
    flat = struct.unpack(f"{kind[0].replace('|', '<')}{prod(shape)}{CODES[kind[1:]]}", content[end:])
    m, n = shape if shape[1:] else (0, 0)
    return [flat[i::m] if header["fortran_order"] else flat[i * n : (i + 1) * n] for i in range(m)] or flat


def read_certificate(content: bytes) -> Any:
    """Return what a certificate says, each witness in the place that names it."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    members = {member.filename: member for member in archive.infolist() if member.compress_type in (0, 8)}
    small = sum(m.file_size for m in archive.infolist()) <= MOST >= 8 * members["certificate.npy"].file_size
    need(small and len(members) == len(archive.namelist()), "too large, or two have one name, or one is packed oddly")

    def parse(pairs: list[tuple[str, Any]]) -> Any:
        item = dict(pairs)
        need(len(item) == len(pairs), "it says something twice")
        n, V, times = item.get("n", 0), sum(map(len, item.get("V", ()))), 1 + len(item.get("further", ()))
        need(type(n) is int and n >= 0, f"n = {n!r:.20}")
        pay(1000 + times * n * n * (60 + n // 3) + n * V)  # before it begins
        member = members.pop(item["witness"]) if "witness" in item else None  # used up, and not read beyond its size
        return read_array(archive.open(member).read(member.file_size), ("f8", "i8", "u1")) if member else item

    return json.loads(parse([("witness", "certificate.npy")]), object_pairs_hook=parse)


def grid(rows: Any, width: int, height: int = 0) -> tuple[list[list[int]], int]:
    """Return rows of numbers as whole multiples of a power of two, and how often it halves 1."""
    need({*map(len, rows)} == {width} and len(rows) == (height or len(rows)), "a table or list does not fit the data")
    pairs = [[value.as_integer_ratio() for value in row] for row in rows]
    bits = max((q.bit_length() for row in pairs for _, q in row), default=1)
    need(len(rows) * width * bits <= 32 * MOST, f"{bits} bits for each of its numbers are more than are made", 2)
    return [[p << bits - q.bit_length() for p, q in row] for row in pairs], bits - 1


def whole(flat: Any, size: int) -> list[int]:
    """Return the whole numbers that bytes stand for: the lowest bytes of all come first."""
    parts = [flat[i : i + size] for i in range(0, len(flat), size or 1)]
    return [int.from_bytes(each, "little", signed=True) for each in zip(*parts, strict=True)]


class Matrix:
    """A symmetric matrix of whole numbers over one denominator: by its rows, or as inner products of columns."""

    def __init__(self, over: int, rows: Any = None, columns: Any = None) -> None:
        self.over, self.rows, self.columns, self.n = over, rows, columns, len(rows or columns)
        self.cost = (20, 0) if rows else (len(columns[0]) + 20, max(max(map(abs, c)) for c in columns).bit_length())
        pay(self.n * self.cost[0] * (1 if rows or self.n > READ else self.n // 2), self.cost[1])
        if not rows and self.n <= READ:
            half = [[sum(map(mul, a, b)) for b in columns[: i + 1]] for i, a in enumerate(columns)]
            self.rows = [[half[max(i, j)][min(i, j)] for j in range(self.n)] for i in range(self.n)]
        self.diagonal = [r[i] for i, r in enumerate(self.rows)] if self.rows else [sum(map(mul, c, c)) for c in columns]

    def _row(self, i: int) -> list[int]:
        pay(self.n * self.cost[0], self.cost[1])
        return self.rows[i] if self.rows else [sum(map(mul, self.columns[i], c)) for c in self.columns]

    def restricted(self, S: Any) -> "Matrix":
        """Return the matrix of some features, each once and in order."""
        need(all(a < b for a, b in zip([-1, *S], [*S, self.n], strict=True)), "features are not in order")
        rows = [[self.rows[i][j] for j in S] for i in S] if self.rows else None
        return Matrix(self.over, rows, [self.columns[i] for i in S] if self.columns else None)

    def attained(self, loadings: Any, k: int, nonnegative: bool, inside: Any = ()) -> Fraction:
        """Return x'Ax / x'x of a vector that is allowed, whatever its norm; the features inside take places anyhow."""
        ((x,), _) = grid([loadings], self.n)
        used = [i for i, weight in enumerate(x) if weight]
        need(any(x) and len({*used, *inside}) <= k and (min(x) >= 0 or not nonnegative), "too many nonzeros, or < 0")
        samples = [sum(x[i] * self.columns[i][r] for i in used) for r in range(len((self.columns or [[]])[0]))]
        total = sum(map(mul, samples, samples)) or sum(x[i] * sum(map(mul, self._row(i), x)) for i in used)
        return Fraction(total, self.over * sum(map(mul, x, x)))


def covariance(data: Any, reading: str) -> Matrix:
    """Return the matrix that a file of data stands for, exactly (standardised: up to a factor of 1 + 2^-60)."""
    table, bits = grid(data, len(data) if reading == "matrix" else len(data[0]))
    if reading == "matrix":  # of which the symmetric part counts
        return Matrix(2 << bits, [[v + w[i] for v, w in zip(row, table, strict=True)] for i, row in enumerate(table)])
    columns = [[len(c) * value - total for value in c] for c in zip(*table, strict=True) for total in [sum(c)]]
    if reading == "centred":
        return Matrix(len(table) ** 3 << 2 * bits, None, columns)
    squares = [sum(map(mul, c, c)) for c in columns]
    half = max(squares).bit_length() // 2 + 66
    scales = [isqrt((1 << 2 * half) // v) if v else 0 for v in squares]
    return Matrix(1 << 2 * half, None, [[s * v for v in c] for s, c in zip(scales, columns, strict=True)])


def factor(S: list[list[float]], less: float) -> list[list[float]] | None:
    """Return rows of a triangular R with RR' near S − less · I, lower halves all three; None if there is none."""
    R: list[list[float]] = []
    for i, row in enumerate(S):
        line: list[float] = []
        for value, above in zip(row, R, strict=False):  # map ends with the shorter of two
            line.append((value - sum(map(mul, line, above))) / above[-1] if above[-1] else 0.0)
        rest = row[i] - less - sum(map(mul, line, line))
        if not rest >= 0:
            return None
        R.append([*line, sqrt(rest)])
    return R


def eigenvalue(rows: Any, over: int, p: Any) -> Fraction:
    """Return a bound on λ_max(rows / over): t − min_i (E_ii − Σ_j |E_ij|), with E = tI − rows / over − RR'.

    R is found here, in doubles: whatever it is, RR' has no negative eigenvalue.
    """
    n, t, own, other = len(rows), Fraction(float(p["t"])), list[int](), list[int]()
    need(n == p["n"], f"a proof is about {n} numbers, not {p['n']!r:.20}")
    up, down, most = t.numerator * over, t.denominator, max(map(abs, (row[i] for i, row in enumerate(rows))))
    S = [[(up if i == j else 0) - down * v for j, v in enumerate(row[: i + 1])] for i, row in enumerate(rows)]
    size = max(abs(up), down * most).bit_length()
    near, spare = [[v / (1 << size) for v in row] for row in S], n * n * 2.0**-52
    found = next(filter(None, (factor(near, spare * less) for less in (32, 1, 1 / 64, 0, -1))), None)
    need(found is not None, f"an eigenvalue exceeds {shown(t)}")
    R = [[int(v * 2.0**FINER) for v in row] for row in found or ()]
    for i, row in enumerate(R):
        left = [abs((S[i][j] << 2 * FINER) - (sum(map(mul, R[j], row)) << size)) for j in range(i)]
        other = [*map(add, other, left), sum(left)]
        own.append((S[i][i] << 2 * FINER) - (sum(map(mul, row, row)) << size))
    return t - Fraction(min(map(int.__sub__, own, other)), over * down << 2 * FINER)


class Checker:
    """Derives bounds for one sign constraint, and says each inequality that it finds to hold."""

    def __init__(self, nonnegative: bool, say: Any) -> None:
        self.nonnegative, self.say, self.further_kinds = nonnegative, say, dict[str, Any]()  # how each is checked

    def _found(self, most: Fraction, *why: str) -> Fraction:
        self.why = why
        self.say(f"<= {shown(most)}: {'; '.join(why)}")
        return most

    def _part(self, value: int) -> int:  # what an entry counts for
        return value if value > 0 else 0 if self.nonnegative else -value

    def upper_bound(self, p: Any, k: int, A: Matrix, inside: Any = ()) -> Fraction:
        """Return the upper bound that a proof gives for at most k features of A, those ``inside`` among them."""
        need(type(p["k"]) is int and k <= p["k"] <= A.n, f"a proof is for {p['k']!r:.20} features, not for {k}")
        pay(A.n * (20 + p["k"]))
        kinds = {"pairs": self.pairs, "cases": self.cases, "few": self.few, **self.further_kinds}
        need(p["kind"] in kinds, f"no way to check a proof by {p['kind']!r:.99} is known here", 2)
        return kinds[p["kind"]](p, p["k"], A, inside)

    def pairs(self, p: Any, k: int, A: Matrix, inside: Any) -> Fraction:
        """λ_max(A − L) + max_i [L_ii + the k − 1 largest M_ij]; outside S, L is A."""
        S, most, n = p.get("S", range(A.n)), Fraction(float(p.get("level", 0))), len(p.get("S", range(A.n)))
        limits = p.get("limits", [0] * n)
        need(n == A.n or not inside, "what is known to be there must be in S")
        if n:
            B, (L, M, fine, (theta,)) = A.restricted(S), self.halves(p, k, n, [limits])
            rest = [[(a << fine) - B.over * L[i][j] for j, a in enumerate(row)] for i, row in enumerate(B.rows)]
            tail, costs = eigenvalue(rest, B.over << fine, p), []
            for i, row in enumerate(M):
                sure = [row[f] for f in inside if f != i]
                others = [v for j, v in enumerate(row) if j != i and j not in inside] + [theta[i]] * (k - 1)
                shares = sum(sure) + sum(nlargest(max(k - 1 - len(sure), 0), others))
                costs.append(Fraction(L[i][i] + shares, 1 << fine))
            rows = f"2 L_ij x_i x_j <= M_ij x_i² + M_ji x_j², as M_ij M_ji >= L_ij²: x'Lx <= {shown(max(costs))}"
            most = self._found(tail + max(costs), f"tI − A + L = RR' + remainder: λ_max(A − L) <= {shown(tail)}", rows)
        return self.outside(p, k, A, dict(zip(S, map(Fraction, limits), strict=True)), {}, most) if n < A.n else most

    def halves(self, p: Any, k: int, n: int, lists: Any, apart: Any = None) -> Any:
        """Return L and M, ``fine``, and lists of n numbers, all in units of 2^-fine.

        Of M_ij and M_ji the file has the larger, negative if that is M_ji; L_ij² divided by it is the other. If L's
        diagonal is missing, it is such that no row costs anything.
        """
        pay(40 * n * n)
        size, e = n * (n - 1) // 2, p["exponent"]
        (own, *lists), fine = grid([p.get("own", [0] * n), *lists], n)
        need(type(e) is int and abs(e) < 2000, f"the exponent {e!r:.20} is not allowed")
        more = max(SMALLER - e - fine, 0)
        up = fine + more + e
        L, M = ([[0] * n for _ in range(n)] for _ in "LM")
        pairs = zip(combinations(range(n), 2), whole(p["L"], size), whole(p["M"], size), strict=True)
        for (i, j), value, share in pairs:
            covered = share or not self._part(value) or (apart and j in apart[i])
            need(bool(covered), f"M_ij M_ji is below L_ij² at {i}, {j}")
            L[i][j] = L[j][i] = value << up
            both = abs(share) << up, -(-(value * value << up) // abs(share)) if share else 0
            M[i][j], M[j][i] = both if share > 0 else both[::-1]
        for i, value in enumerate(own):
            L[i][i] = value << more if "own" in p else -sum(nlargest(k - 1, M[i]))
        return L, M, fine + more, [[value << more for value in values] for values in lists]

    def outside(self, p: Any, k: int, A: Matrix, limits: Any, prices: Any, most: Fraction) -> Fraction:
        """Raise ``most`` to what the heaviest row without a limit costs; A_ij² <= A_ii A_jj tells which to read."""
        ((d,), _) = grid([p.get("weights", [1] * A.n)], A.n)
        need(min(d) > 0 and min(limits.values(), default=1) > 0, "a weight or a limit is not positive")
        rows, reach, read = [i for i in range(A.n) if i not in limits], [0] * A.n, 0
        if not A.rows:  # then A is semidefinite
            s = [isqrt(v << 64) + 1 for v in A.diagonal]
            near = sum(nlargest(k - 1, (s[i] * d[i] for i in rows)))
            across = 1 + sum(nlargest(k - 1, (A.diagonal[i] / (A.over * t) for i, t in limits.items())))
            reach = [int(v * across) + (r * near // w >> 64) + 2 for v, r, w in zip(A.diagonal, s, d, strict=True)]
        for i in sorted(rows, key=reach.__getitem__, reverse=True):
            if reach[i] and Fraction(reach[i], A.over) <= most:
                break
            read, shares = read + 1, []
            for j, entry in enumerate(A._row(i)):
                value = self._part(entry) * FINE if j != i else 0
                if j in limits:
                    value = -(-value * value * limits[j].denominator // (limits[j].numerator * A.over * FINE))
                    value = max(value - int(prices.get(j, 0) * A.over * FINE), 0)
                shares.append(value if j in limits else -(-value * d[j] // d[i]))
            most = max(most, Fraction(A.diagonal[i] * FINE + sum(nlargest(k - 1, shares)), A.over * FINE))
        why = self.why if limits else ("2 A_ij x_i x_j <= A_ij (x_i² d_j/d_i + x_j² d_i/d_j)", "a square is >= 0")
        return self._found(most, why[0], f"{why[1]}; {read} of {len(rows)} rows outside are read: <= {shown(most)}")

    def cases(self, p: Any, k: int, A: Matrix, inside: Any) -> Fraction:
        """The largest bound over cases that together cover all supports: without a feature, or with it."""
        splits, leaves, most, todo = iter(p["splits"]), iter(p["leaves"]), Fraction(0), list[Any]([((), (*inside,))])
        while todo:
            (out, sure), feature = todo.pop(), next(splits)
            pay(A.n * (1 + len(out)))
            if feature >= 0:
                need(feature not in out + sure and len(sure) < k, "a case that is already decided is split again")
                todo += [(out, (*sure, feature)), ((*out, feature), sure)]
            else:
                rest = sorted(sure) if len(sure) == k else [i for i in range(A.n) if i not in out]
                inside = [rest.index(i) for i in sure]
                most = max(most, self.upper_bound(next(leaves), min(k, len(rest)), A.restricted(rest), inside))
        return self._found(most, f"{len(p['leaves'])} cases cover all supports", f"none has more than {shown(most)}")

    def few(self, p: Any, k: int, A: Matrix, inside: Any, joint: Any = lambda *_: {}) -> Fraction:
        """Elimination: with q features outside T that hold a share e of x at most, max_q U / (1 − e)."""
        T, most, mass = set(p["T"]), Fraction(0), list[Fraction]()  # A + low I is semidefinite
        low = most if A.columns else max(eigenvalue([[-v for v in row] for row in A.rows], A.over, p["least"]), most)
        part, x = A.restricted(p["T"]), dict(zip(p["support"], p["loadings"], strict=True))
        best = A.attained([x.get(i, 0) for i in range(A.n)], k, self.nonnegative) + low
        cases = [case | also for case in p["cases"] for also in [{}, *case.get("further", ())]]
        proven = [(case["k"], self.upper_bound(case, case["k"], part) + low) for case in cases]
        own = {i: (Fraction(v, A.over) + low) / best for i, v in enumerate(A.diagonal)}
        own |= (known := joint(p, k, A, best, own))  # without reading their rows
        for i in sorted(own.keys() - T, key=own.__getitem__, reverse=True):
            if len(mass) == k and own[i] <= mass[-1]:
                break
            if p["light"] < own[i] < 1 and i not in known:
                b = sum(v * v for v in nlargest(k - 1, (self._part(v) for j, v in enumerate(A._row(i)) if j != i)))
                own[i] = min(own[i], b / (b + (best * A.over * (1 - own[i])) ** 2))
            mass = nlargest(k, [*mass, Fraction(-(-own[i] * FINE // 1), FINE)])
        need(sum(mass) < 1, "the features outside could hold all of a component")
        for q, e in enumerate(accumulate(mass[: k - 1], initial=Fraction(0))):
            most = max(most, min(U for c, U in proven if c >= min(k - q, len(T))) / (1 - e))
        first = f"of an optimal x {shown(sum(mass, low * 0))} at most is outside T, for (Ax)_i = OPT x_i there"
        return self._found(most - low, first, f"U/(1 − e) of q such, U proven on T: <= {shown(most - low)}")


def check(certificate: bytes, data: bytes, say: Any = print, billions: float = 20, make: Any = None) -> Any:
    """Return what the vectors attain and the bound on all, both proven; Refused where the certificate claims more."""
    LEFT[0] = int(billions * 10**9)
    file = read_certificate(certificate)
    need("check" in file, "it carries no proof for this checker: nnspca.save_certificate(cert, file, cov) adds one", 2)
    claim, given, X = file["certificate"], file["check"], file["check"]["loadings"]
    k, nonnegative, r, reading = claim["k"], claim["nonnegative"], claim.get("n_components", 1), given["reading"]
    need(type(k) is type(r) is int and type(nonnegative) is bool, f"k = {k!r:.9}, nonnegative = {nonnegative!r:.9}")
    low, high, own = (Fraction(float(v)) for v in (claim["lower"], given["upper"], claim["upper"]))
    known = given["version"] == 1 and reading in ("centred", "standardised", "matrix") and (r == 1 or make)
    need(known, "its format is another version, or it speaks of several parts, which check_more.py checks", 2)
    A, checker = covariance(read_array(data), reading), make(nonnegative, say, r) if make else Checker(nonnegative, say)
    X, off, F = [X] if type(X[0]) in (int, float) else X, reading == "standardised", sorted({*claim.get("include", ())})
    T = [i for i in range(A.n) if i not in claim.get("exclude", ()) and (i in F or len(F) < k)]
    need((r == 1 or not F) and {i for x in X for i, w in enumerate(x) if w} | {*F} <= {*T}, "a feature is excluded")
    on = f", {F} among them" * (F != []) + f", none outside {len(T)} features" * (len(T) < A.n)
    A, X = (A.restricted(T), [[x[i] for i in T] for x in X]) if len(T) < A.n else (A, X)
    sure = [place for place, i in enumerate(T) if i in F]
    need(len(X) <= r <= A.n and all(sum(map(bool, column)) <= 1 for column in zip(*X, strict=True)), "parts overlap")
    lower = sum(A.attained(x, k, nonnegative, sure) for x in X) - Fraction(off * r * A.n, 2**61)
    upper = checker.upper_bound(given["proof"], k, A, sure if given.get("inside") else ()) * (1 + Fraction(off, 2**60))
    say(f"{r} x of {k} nonzeros at most{on}{', none negative' * nonnegative}: {shown(lower, ROUND_FLOOR)} is attained")
    need(abs(low - lower) <= lower / 10**9, "the vector does not attain what is claimed")
    need(lower <= upper <= high, f"a bound of {shown(high)} is claimed, one of {shown(upper)} is proven")
    need(upper <= own <= high + high / 10**9, f"{shown(high)} is proven, its {shown(own)} is beyond this checker", 2)
    last = f"so no such x has more than {shown(high)}; ratio {shown(lower / high, ROUND_FLOOR)}; data read as {reading}"
    say("\n".join(f"{number}. {line}" for number, line in enumerate((*checker.why, last), start=1)))
    return lower, high


def main(names: list[str], make: Any = None) -> int:
    """Check the files named; return the status."""
    try:
        need(len(names) in (2, 3) and (*names, "20")[2].isdecimal(), "usage: " + __doc__.split("\n")[2].strip(), 2)
        check(Path(names[0]).read_bytes(), Path(names[1]).read_bytes(), print, int((*names, "20")[2]), make)
        why, code = "ACCEPTED", 0
    except Exception as e:  # a refusal, or whatever damaged files lead to
        why, code = e.args if isinstance(e, Refused) else (f"{type(e).__name__}: {e!s:.99}", 1 + isinstance(e, OSError))
    print(("", "REFUSED: ", "CANNOT CHECK: ")[code] + why)
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
