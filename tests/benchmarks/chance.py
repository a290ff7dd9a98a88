"""How often statements about chance are wrong: ``python -m tests.benchmarks.chance [draws] [table …]``.

``python -m tests.benchmarks.chance store [name …]`` writes what the app knows of the data that come with the package.
"""

import json
import sys
import warnings

import numpy as np

import nnspca
from nnspca.view import chance, ledger
from nnspca.view.explore import run

SHAPES = ((30, 120), (60, 40), (200, 20))


def noise(rng, m, n, kind="normal"):
    """Independent columns: normal, of heavy tails, or of few counts."""
    draw = {
        "normal": rng.standard_normal,
        "heavy": lambda s: rng.standard_t(3, s),
        "counts": lambda s: rng.poisson(1, s),
    }
    return draw[kind]((m, n)).astype(float)


def planted(rng, m, n, k, strength, r=1):
    """Noise in which r blocks of k columns each have a part in common, of this strength."""
    X = rng.standard_normal((m, n))
    for c in range(r):
        X[:, c * k : (c + 1) * k] += strength * rng.standard_normal((m, 1))
    return X


def rejected(draws):
    """Share of tables of independent columns in which the first part is more than chance."""
    for m, n in SHAPES:
        for kind in ("normal", "heavy", "counts"):
            hits = [
                nnspca.parallel_analysis(
                    noise(np.random.default_rng([m, t]), m, n, kind), 5, method="greedy", seed=t
                ).is_more
                for t in range(draws)
            ]
            yield f"noise {m} × {n}, {kind}", np.mean(hits)


def store(names):
    """Write what chance gives beside the views that are stored: along k, and of 1 to 10 parts at the opening k."""
    kept = {problem: dict(held) for problem, held in chance.stored().items()} if chance.FILE.exists() else {}
    for problem, held in sorted(ledger.stored().items(), key=lambda item: not item[1].opened):
        if (names and held.name not in names) or problem in kept:
            continue
        data = nnspca.datasets.load(held.name)
        if data.kind != "covariance":
            how = {"standardise": problem[1], "nonnegative": problem[2]}
            path = run.cardinalities(data.n_features, held.opening)
            ks = {*run.few(path, 6), held.opening}
            rows = chance.rows_of(chance.measure(data, ks, **how))
            r = min(10, data.n_features)
            parts = chance.rows_of(chance.measure(data, held.opening, r=r, **how)) if held.opened else []
            kept[problem] = {
                "name": held.name,
                "hash": problem[0],
                **how,
                "k": held.opening,
                "ks": rows,
                "parts": parts,
            }
            lines = ",\n".join(json.dumps(each) for each in kept.values())
            chance.FILE.write_text(f"[\n{lines}\n]\n", "utf-8")
            print(held.name, *problem[1:], rows[len(rows) // 2], parts[-1:], flush=True)


TABLES = {"noise": rejected}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    count, *names = sys.argv[1:] or ["200"]
    if count == "store":
        store(names)
        sys.exit()
    for name in names or TABLES:
        for label, share in TABLES[name](int(count)):
            print(f"{name:10} {label:40} {share:.3f}", flush=True)
