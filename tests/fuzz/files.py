"""Mutated certificate files: refused when read, or by the judge, or true all the same."""

import functools
import io
import json
import zipfile

import numpy as np

import nnspca
from tests import oracle
from tests.fuzz import GotThrough, extremes, forged
from tests.fuzz.damage import damaged


@functools.cache
def saved():
    """Files of honest certificates, each with the problem it speaks about and what is feasible there."""
    made = []
    for target in forged.targets()[:8]:
        for parts in (False, True):
            if parts and not target.cov.holds_entries:
                continue
            ask = {"nonnegative": target.nonnegative}
            cert = (
                nnspca.certify_parts(target.cov, 2, target.k, **ask)
                if parts
                else nnspca.certify(target.cov, target.k, **ask)
            )
            buffer = io.BytesIO()
            nnspca.save_certificate(cert, buffer)
            made.append((buffer.getvalue(), target))
    return made


def attempt(rng):
    """Damage the file, or what is in it, read it and judge it."""
    content, target = saved()[rng.integers(len(saved()))]
    other = saved()[rng.integers(len(saved()))][0]
    kind = rng.integers(3)
    content = (
        damaged(rng, content, other)
        if kind == 0
        else repacked(rng, content, other)
        if kind == 1
        else retold(rng, content)
    )
    try:
        cert = nnspca.load_certificate(content)
        nnspca.verify(cert, target.cov)
    except nnspca.CertificateError:
        return False
    single = isinstance(cert, nnspca.Certificate)
    if single and (cert.k, cert.nonnegative) == (target.k, target.nonnegative):
        known = target.attained
    elif not single and (cert.n_components, cert.k, cert.nonnegative) == (2, target.k, target.nonnegative):
        known = target.pair
    else:  # another problem was proven: any feasible variance at hand must be below
        known = oracle.exact(np.array(max(target.A.diagonal()) * (1 - 1e-9)))[()]
    if not oracle.allows(cert.upper, known):
        raise GotThrough(f"a mutated file proves {cert.upper!r}, where {float(known)!r} is feasible")
    return True


def unpacked(content):
    """The members by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as held:
        return {name: held.read(name) for name in held.namelist()}


def packed(members):
    """An archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in members.items():
            made.writestr(name, content)
    return buffer.getvalue()


def repacked(rng, content, other):
    """Damage members behind the archive's checksums, swap two, or take some from another certificate."""
    members, others = unpacked(content), unpacked(other)
    names = list(members)
    a, b = (names[i] for i in rng.integers(len(names), size=2))
    kind = rng.integers(4)
    if kind == 0:
        members[a], members[b] = members[b], members[a]
    elif kind == 1:
        members[a] = list(others.values())[rng.integers(len(others))]
    elif kind == 2:
        del members[a]
    else:
        members[a] = damaged(rng, members[a], members[b])
    return packed(members)


def retold(rng, content):
    """Change one value in the JSON."""
    members = unpacked(content)
    told = json.loads(str(np.load(io.BytesIO(members["certificate.npy"]))))
    place = told
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = list(keys)[rng.integers(len(keys))]
        if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.9:
            place = place[key]
            continue
        honest = place[key] if isinstance(place[key], int | float) and not isinstance(place[key], bool) else 1.0
        made = extremes.number(rng, honest)
        if not isinstance(made, int | float | str | list | dict | None):
            made = repr(made)
        if isinstance(place, list) or rng.random() < 0.8:
            place[key] = made
        else:
            del place[key]
        break
    buffer = io.BytesIO()
    np.save(buffer, np.array(json.dumps(told)))
    return packed({**members, "certificate.npy": buffer.getvalue()})
