"""Write the stored ledger: ``python -m tests.ledger [--seconds S] [--missing | --check | --certificates] [name …]``.

For each data set at hand (NNSPCA_DATA names the data), as it is and standardised, with the sign constraint and without:
a component and an upper bound at the k of :func:`grid`; at every k between where what is carried there would fall
behind its neighbours' (:func:`weakest`) a component, and an upper bound where the carried one is too weak; and in
the view that the data set opens with, those of 1 to 10 parts, and at k in steps of a ratio those of as many parts as
the page opens with. At the k of the grid a live certificate that leaves more
than ``ENOUGH`` is followed by a thorough run of so many processor seconds at most. Every certificate is verified before
it is written, and what is in the file already is only ever improved; with ``--missing`` only what is not in it yet is
proven, with ``--check`` nothing is, and what is missing is printed. With ``--certificates`` those of :func:`shown` are
made, no larger than ``MOST_BYTES``, and the upper bound stored becomes theirs; none takes the place of one that proves
more, and none is made that could not say "proven optimal" where what is stored does.
"""

import argparse
import io
import json
import math
import time
from dataclasses import astuple, replace
from itertools import pairwise

import numpy as np

import nnspca
from nnspca.bounds import branch, carried, elimination
from nnspca.bounds.selection import Limits
from nnspca.control.progress import Monitor
from nnspca.control.threads import one_blas_thread
from nnspca.covariance.problem import Problem
from nnspca.numerics import halves
from nnspca.result.rounded import OPTIMAL, optimal
from nnspca.studies import PRINTED
from nnspca.view import stored
from nnspca.view.certificate.proofs import SAME, file_of
from nnspca.view.explore import choices
from nnspca.view.link.state import default_k
from nnspca.view.parts.choices import default_parts
from tests import shelf
from tests.benchmarks import certificates, live

ENOUGH = 5e-4  # relative gap
CARRIED, WIDE, CARRIED_WIDE = 1e-3, 1000, 5e-3  # what may be added by carrying; of wider data
EVERY, FINE, RATIO = 64, 1000, 1.05  # every k up to the first, steps of a ratio up to the second, the path's k beyond
MOST_PARTS, MOST_OF_PARTS = 10, 100  # parts at the opening k; largest k of parts at others
SAVE_SECONDS = 60.0  # between writings of the file
IN_README = (("cbcl-faces", 180), ("lrs", 20), ("lrs", 90), ("leukemia", 50), ("digits", 10), ("pitprops", 5))
MOST_BYTES = 1_400_000  # of one certificate
LEAST, CLOSED = 1e-6, OPTIMAL / 2  # least gain that counts; gap at which no smaller one is sought
KEPT = (128, 144, 200)  # features of an elimination
STEPS, DIGITS = 300, (46, 14)  # of a case, and of L and M: where bytes count and time does not


def named(name, n):
    """Return the k that README, the benchmarks and the papers name of a data set of n features."""
    measured = [k for title, _, ks in live.DATA if title == name for k in ks]
    printed = [p.k for p in PRINTED if certificates.STUDIED.get(p.study) == name and p.k is not None]
    return {k for k in (*certificates.TABLE_KS, *measured, *printed) if k <= n}


def grid(name, n):
    """Return the k of a data set of n features at which results are stored, ascending."""
    steps = {round(EVERY * RATIO**i) for i in range(math.ceil(math.log(FINE / EVERY, RATIO)))}
    ks = {*range(1, EVERY + 1), *steps, *choices.path_ks(n, default_k(n, name)), *named(name, n)}
    return tuple(sorted(k for k in ks if k <= n))


def groups_of(record):
    """Return k and number of parts of all groups that are stored: first those of the opening k, then along k."""
    n, opening = record.n, record.opening
    steps = {opening - 1, opening + 1, *(round(RATIO**i) for i in range(math.ceil(math.log(MOST_OF_PARTS, RATIO))))}
    usual = [(k, default_parts(n, k)) for k in sorted(steps) if 0 < k < n]
    first = [(opening, r) for r in range(1, min(MOST_PARTS, n) + 1)]
    return list(dict.fromkeys([*first, *((k, r) for k, r in usual if r > 1)]))


def may_add(record):
    """Return what carrying to a k between may add to a gap."""
    return CARRIED if record.n <= WIDE else CARRIED_WIDE


def proven_at(record):
    """Return the k at which an upper bound is stored, ascending."""
    return sorted(k for k, (_, upper) in record.components.items() if upper < math.inf)


def between(record):
    """Yield the k between each two neighbours with a bound, the bounds carried to them, and the ratio wanted there.

    That is the weaker ratio of the two, less what carrying may add. A bound above a carried one is none.
    """
    own = {k: record.components[k][1] for k in proven_at(record)}
    at, uppers = np.array(list(own)), np.array(list(own.values()))
    least = [carried.following(k, at, uppers, 0.0).min() for k in own]  # variances are at least 0
    for low, high in pairwise(k for k, upper in zip(own, least, strict=True) if own[k] <= upper):
        (lesser, its), (greater, upper) = record.components[low], record.components[high]
        ratio, ks = min(lesser.variance / its, greater.variance / upper) - may_add(record), np.arange(low + 1, high)
        yield ks, np.minimum(carried.at_larger(its, low, ks, 0.0), upper), ratio


def weakest(record, tried=frozenset()):
    """Return the first k that carries too little, or one halfway between its neighbours; none that was ``tried``.

    With it come the upper bound that is carried there, and the ratio wanted.
    """
    ks = sorted(record.components)
    best = np.maximum.accumulate([record.components[k][0].variance for k in ks])
    for each, uppers, ratio in between(record):
        for k in each[best[np.searchsorted(ks, each, side="right") - 1] < ratio * uppers].tolist():
            after = int(np.searchsorted(ks, k))
            weak = k if ks[after] == k else (ks[after - 1] + ks[after]) // 2
            if weak not in tried:
                return weak, uppers[weak - each[0]], ratio
    return None


def patience(seconds):
    """Return what tells a run that its processor seconds are spent."""
    end = time.process_time() + seconds
    return lambda: time.process_time() > end


class Book:
    """The records of the file, written again now and then."""

    def __init__(self):
        self.records = dict(shelf.records()) if stored.FILE.exists() else {}
        self.saved = time.monotonic()

    def of(self, key, data):
        """Return the record of these data, a new one where the stored one is of others."""
        name, standardise, nonnegative = key
        held = self.records.get(key)
        if held is None or held.content_hash != data.content_hash:
            n = data.n_features
            held = shelf.Record(name, data.content_hash, standardise, nonnegative, n, default_k(n, name), {}, {})
            self.records[key] = held
        return held

    def save(self, *, now=False):
        """Write all records into the one file, where the last writing is long ago."""
        if now or time.monotonic() > self.saved + SAVE_SECONDS:
            write(self.records)
            self.saved = time.monotonic()


def missing(key, record):
    """Return what a record lacks: k, and numbers of parts."""
    groups = groups_of(record) if key == stored.opening_key(record.name) else ()
    ks = grid(record.name, record.n)
    proven = proven_at(record)
    return [k for k in ks if k not in proven], [at for at in groups if at not in record.parts]


def prove(book, key, data, seconds, only_missing):
    """Improve what is stored of one data set at one scale and with one sign constraint."""
    name, standardise, _ = key
    record = book.of(key, data)
    cov = nnspca.Covariance.from_dataset(data, standardize=standardise)
    warm = None
    for k in missing(key, record)[0] if only_missing else sorted({*grid(name, record.n), *proven_at(record)}):
        warm = prove_at(book, record, cov, k, seconds, warm)
    tried = set()
    while (found := weakest(record, tried)) is not None:
        k, upper, ratio = found
        tried.add(k)
        warm = prove_at(book, record, cov, k, seconds, warm, upper, ratio)
    if key == stored.opening_key(name):
        prove_parts(book, key, cov, seconds, only_missing)


def prove_at(book, record, cov, k, seconds, warm, upper=math.inf, ratio=1 - ENOUGH):
    """Improve what is stored at one k; return the certificate that the next k may start from.

    Of a new k, a component is enough that has the ``ratio`` wanted to the ``upper`` bound carried, with half of what
    carrying may add left for the k around it. A live certificate of less than that ratio is followed by a longer one,
    at k between until it is reached.
    """
    held = record.components.get(k)
    if held is not None and held[0].variance > (1 - SAME) * held[1]:
        return warm
    settings = {"nonnegative": record.nonnegative, "should_stop": patience(seconds)}
    part = nnspca.solve(cov, k, start=_start(record, k), **settings)
    if held is None and part.variance > (ratio + may_add(record) / 2) * upper:
        record.components[k] = packed(part, cov, k), math.inf
        return warm
    proof = nnspca.certify(cov, k, nonnegative=record.nonnegative, component=part, warm_start=warm)
    if proof.ratio < ratio:
        settings["should_stop"] = patience(seconds)
        gap = 0.0 if math.isinf(upper) else 1 - ratio - may_add(record) / 2
        more = nnspca.certify(cov, k, gap=gap, component=proof.component, warm_start=proof, **settings)
        proof = min(proof, more, key=lambda c: c.upper)
    nnspca.verify(proof, cov)
    component, upper = packed(proof.component, cov, k), proof.upper
    if held is None or upper < held[1]:
        record.made[k] = made(proof)
    if held is not None:
        component, upper = max(component, held[0], key=lambda c: c.variance), min(upper, held[1])
    record.components[k] = component, upper
    print(record.name, record.standardise, record.nonnegative, f"k={k}: {component.variance / upper:.7f}", flush=True)
    book.save()
    return proof


def made(proof):
    """Return what is kept of how a certificate was made."""
    return stored.Origin(time.strftime("%Y-%m-%d"), proof.winner.name, proof.effort, round(proof.seconds, 1))


def _start(record, k):
    """Return the loadings of the best stored component that is feasible at k."""
    held = [part for at, (part, _) in record.components.items() if at <= k]
    return max(held, key=lambda part: part.variance).loadings if held else None


def prove_parts(book, key, cov, seconds, only_missing):
    """Improve what is stored of several parts: a longer proof at the opening k, a live one at others."""
    record = book.records[key]
    one, warm = record.components[record.opening], None
    record.parts[record.opening, 1] = (one[0],), one[1]
    for k, r in groups_of(record)[1:]:
        held = record.parts.get((k, r))
        if held is not None and (only_missing or sum(p.variance for p in held[0]) > (1 - SAME) * held[1]):
            continue
        found = nnspca.decompose(cov, r, k, deflation="together")
        proof = nnspca.certify_parts(cov, r, k, found, warm_start=warm if k == record.opening else None)
        if k == record.opening:
            settings = {"effort": "thorough", "warm_start": proof, "should_stop": patience(seconds)}
            warm = min(proof, nnspca.certify_parts(cov, r, k, proof.parts, **settings), key=lambda c: c.upper)
            proof = warm
        nnspca.verify(proof, cov)
        made, upper = tuple(packed(part, cov, k) for part in proof.parts), proof.upper
        if held is not None:
            made = max(made, held[0], key=lambda group: math.fsum(p.variance for p in group))
            upper = min(upper, held[1])
        record.parts[k, r] = made, upper
        print(f"{record.name} k={k} r={r}: {math.fsum(p.variance for p in made) / upper:.6f}", flush=True)
        book.save()


def shown():
    """Yield data set, scale and k of every certificate that comes with the package."""
    for held in stored.problems().values():
        if held.opened:
            yield held.name, held.problem[1], held.opening
    for name, k in IN_README:
        yield name, False, k


def certify_shown(book, name, standardise, k, seconds):
    """Write the certificate of a problem as a file; what is stored of it is what the file proves."""
    record, best = book.records[name, standardise, True], None
    (part, upper), held = record.components[k], file_of(name, standardise, k)
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load(name), standardize=standardise)
    for proof in tried(cov, part, seconds):
        file, leading = io.BytesIO(), next(bound for bound in proof.bounds if bound.value == proof.leading)
        alone = replace(proof, bounds=(proof.winner, *[leading] * (leading is not proof.winner)))
        if best is None or proof.upper < best[0].upper:
            nnspca.save_certificate(alone, file, cov)
            best = (alone, file.getvalue()) if len(file.getvalue()) <= MOST_BYTES else best
        if best is not None and best[0].gap <= CLOSED:
            break
    proof, content = best
    looser = held.exists() or (optimal(part.variance, upper) and not optimal(proof.lower, proof.upper))
    written = proof.upper <= upper or not looser
    print(f"{name} {standardise} k={k}: {proof.ratio:.7f}, {len(content):,} bytes{', not' * (not written)} written")
    if written:
        nnspca.verify(proof, cov)
        part = replace(part, variance=proof.lower)
        record.components[k], record.made[k] = (part, proof.upper), made(proof)
        if k == record.opening and record.parts:
            record.parts[k, 1] = (part,), proof.upper
        held.write_bytes(content)
        book.save()


def tried(cov, part, seconds):
    """Yield certificates of a component: on all features, and by elimination on few, whose L and M are smaller."""
    k, more = part.k, {"gap": CLOSED, "time_limit": math.inf, "should_stop": patience(seconds)}
    yield (proof := nnspca.certify(cov, k, component=part))
    yield nnspca.certify(cov, k, component=part, warm_start=proof, **more)
    problem, work, goal = (
        Problem(cov, k),
        elimination.Budget(math.inf, math.inf, gain=LEAST),
        proof.lower * (1 + CLOSED),
    )
    for size in (size for size in KEPT if k < size < cov.n_features):
        began, limits, monitor = time.perf_counter(), Limits(size, 0.0, smallest=size), Monitor(patience(seconds))
        for bound in elimination.eliminate(problem, part.loadings, math.inf, limits, work, goal=goal, monitor=monitor):
            spent = {"effort": "thorough", "seconds": time.perf_counter() - began}
            yield replace(proof, upper=bound.value, bounds=(*proof.bounds, bound), **spent)


def packed(component, cov, k):
    """Return a component as it is read back, with the variance that is left."""
    loadings = stored.unit_vector(*shelf.pack(component.loadings), len(component.loadings))
    return replace(component, loadings=loadings, variance=cov.variance(loadings), k=k)


def write(records):
    """Write all records into the one file."""
    about, arrays = [], {}
    for place, record in enumerate(records[key] for key in sorted(records)):
        ks, counts = sorted(record.components), sorted(record.parts)
        groups = [record.parts[at][0] for at in counts]
        told = {
            "name": record.name,
            "content_hash": record.content_hash,
            "standardise": record.standardise,
            "nonnegative": record.nonnegative,
            "arrays": place,
            "n": record.n,
            "opening": record.opening,
            "ks": ks,
            "upper": [record.components[k][1] for k in ks],
            "made": [astuple(record.made.get(k, stored.Origin())) for k in ks],
            "parts_ks": [k for k, _ in counts],
            "counts": [r for _, r in counts],
            "parts_of": [len(group) for group in groups],
            "parts_upper": [record.parts[at][1] for at in counts],
        }
        for kind, listed in (("", [record.components[k][0] for k in ks]), ("parts_", [p for g in groups for p in g])):
            chain = list(shelf.chained((shelf.pack(part.loadings) for part in listed), record.n))
            moved, changes = zip((np.empty(0, "<u2"), np.empty(0, "<i2")), *chain, strict=True)
            told |= {f"{kind}lower": [p.variance for p in listed], f"{kind}moved": [len(move) for move in moved[1:]]}
            planes = np.concatenate(changes).view("u1").reshape(-1, 2).T  # low bytes, high bytes: less when compressed
            arrays[f"{place}/{kind}moved"] = np.concatenate(moved)
            arrays[f"{place}/{kind}changes"] = np.ascontiguousarray(planes)
        about.append(told)
    np.savez_compressed(stored.FILE, about=np.array(json.dumps(about).encode()), **arrays)
    print(f"{stored.FILE.name}: {stored.FILE.stat().st_size / 1e3:.0f} kB", flush=True)


def main():
    """Improve what is stored of the data sets named, or of all at hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--certificates", action="store_true")
    chosen = parser.parse_args()
    book = Book()
    if chosen.certificates:
        branch.NODE_STEPS, branch.is_stalling, halves.DIGITS = STEPS, lambda *_: False, DIGITS
        for name, standardise, k in dict.fromkeys(shown()):
            if not chosen.names or name in chosen.names:
                with one_blas_thread():
                    certify_shown(book, name, standardise, k, chosen.seconds)
        book.save(now=True)
        return
    names = [info.name for info in nnspca.datasets.available() if info.local]
    keys = [
        (name, stored.opening_key(name)[1] ^ other, nonnegative)
        for other, nonnegative in ((False, True), (True, True), (False, False), (True, False))
        for name in names
        if not chosen.names or name in chosen.names
    ]
    for key in keys:
        data = nnspca.datasets.load(key[0])
        if chosen.check:
            record = book.of(key, data)
            found = weakest(record)
            print(*key, *missing(key, record), f"and between, from {found[0]}" if found else "")
            continue
        with one_blas_thread():
            prove(book, key, data, chosen.seconds, chosen.missing)
        book.save(now=True)


if __name__ == "__main__":
    main()
