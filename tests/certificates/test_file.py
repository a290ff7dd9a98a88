"""A certificate survives the file; anything else in a file is refused."""

import dataclasses
import io
import json
import os
import struct
import time
import zipfile

import numpy as np
import pytest

import nnspca
from nnspca.certificates import npz
from tests import oracle
from tests.disk import full_after

COV = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 4, 13])
def test_a_saved_certificate_is_the_same_and_still_proves_its_claim(k, nonnegative, pitprops):
    cert = nnspca.certify(pitprops, k, nonnegative=nonnegative)
    back = oracle.read_back(cert, pitprops)
    assert (back.lower, back.upper, back.k, back.nonnegative) == (cert.lower, cert.upper, cert.k, cert.nonnegative)
    assert [b.name for b in back.bounds] == [b.name for b in cert.bounds]
    np.testing.assert_array_equal(back.component.loadings, cert.component.loadings)
    assert back.component.options == cert.component.options


def test_a_file_of_an_earlier_format_is_refused_and_says_what_to_do():
    nnspca.save_certificate(nnspca.certify(COV, 2), file := io.BytesIO(), COV)
    held = dict(np.load(io.BytesIO(file.getvalue())))
    content = json.loads(str(held["certificate"]))
    assert content["written_by"] == f"nnspca {nnspca.__version__}"
    older = np.array(json.dumps({**content, "format": content["format"] - 1}))
    np.savez(before := io.BytesIO(), **{**held, "certificate": older})
    assert "certify again" in refused(before.getvalue())


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 damaged"])
def test_a_file_that_is_no_certificate_is_refused_in_words(content):
    assert "not a certificate" in refused(content)


# ---------------------------------------------------------------------- damaged and hostile files


@pytest.fixture(scope="module")
def saved():
    """Members of an honest certificate's file, by name."""
    nnspca.save_certificate(nnspca.certify(COV, 1), buffer := io.BytesIO(), COV)
    with zipfile.ZipFile(buffer) as held:
        return {name: held.read(name) for name in held.namelist()}


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    """An archive of these members, (name, content) each."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        for name, content in members:
            made.writestr(name, content)
    return buffer.getvalue()


def npy(header, data=b""):
    """An array in NumPy's format with any header at all."""
    text = header.encode("latin1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def refused(content):
    with pytest.raises(nnspca.CertificateError) as caught:
        nnspca.load_certificate(content)
    return str(caught.value)


def with_text(saved, change):
    """The file with its JSON changed."""
    content = json.loads(str(np.load(io.BytesIO(saved["certificate.npy"]))))
    buffer = io.BytesIO()
    np.save(buffer, np.array(change(content)))
    return zipped({**saved, "certificate.npy": buffer.getvalue()}.items())


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",  # no data
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,",  # a token that never ends
        "{'descr': '<f8', 'fortran_order': False, 'shape': ('''",
        "(" * 5000,  # deeper than any parser goes
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",  # its bytes overflow to none
        "__import__('os').abort()",
        "",
    ],
)
def test_an_array_of_a_broken_header_is_refused(saved, header):
    assert "not a certificate" in refused(zipped({**saved, "loadings.npy": npy(header)}.items()))


def test_a_pickle_is_never_opened(saved):
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "not a certificate" in refused(zipped({**saved, "loadings.npy": buffer.getvalue()}.items()))


def test_an_encrypted_or_strangely_packed_member_is_refused(saved):
    content = bytearray(zipped(saved.items()))
    entry = content.find(b"PK\x01\x02")
    for field, value in ((8, 1), (8, 1 << 5), (10, 99), (10, 14)):  # flags: encrypted, patched; method: unknown, LZMA
        changed = content.copy()
        changed[entry + field : entry + field + 2] = struct.pack("<H", value)
        assert "not a certificate" in refused(bytes(changed))


def test_json_that_is_too_deep_or_no_number_is_refused(saved):
    assert "not a certificate" in refused(with_text(saved, lambda content: "[" * 200_000))
    text = "NaN is no number"
    assert text in refused(with_text(saved, lambda content: json.dumps({**content, "format": float("nan")})))
    assert "not a certificate" in refused(with_text(saved, lambda content: "7" * 10_000))
    assert "not a certificate" in refused(with_text(saved, lambda content: json.dumps([content])))


@pytest.mark.parametrize(
    "key", ["format", "upper", "fingerprint", "method", "loadings", "component", "value", "fields"]
)
def test_json_that_says_a_thing_twice_is_refused(saved, key):
    """A reader that takes the first would see another certificate than one that takes the last."""

    def change(content):
        text = json.dumps(content)
        if f'"{key}":' not in text:
            return text.replace("{", f'{{"{key}": 1, "{key}": 1, ', 1)
        return text.replace(f'"{key}":', f'"{key}": 1, "{key}":', 1)

    assert f"'{key}' is said twice" in refused(with_text(saved, change))


@pytest.mark.parametrize(
    ("part", "claim"),
    [("component", {"options": {"restarts": [1]}}), ("component", {"history": ["1"]}), ("certificate", {"effort": 3})],
    ids=str,
)
def test_what_a_file_says_beside_its_numbers_is_judged(saved, part, claim):
    made = with_text(saved, lambda content: json.dumps({**content, part: {**content[part], **claim}}))
    cert = nnspca.load_certificate(made)
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(cert, COV)


def test_a_file_of_one_component_and_of_parts_is_neither(saved):
    both = with_text(saved, lambda content: json.dumps({**content, "parts": [content["component"]]}))
    assert "either a component or parts" in refused(both)
    assert "either a component or parts" in refused(with_text(saved, lambda told: json.dumps({**told, "more": 1})))


@pytest.mark.parametrize("part", ["certificate", "component", "bounds", "format"])
@pytest.mark.parametrize("value", [None, [], {}, 7, [None]], ids=str)
def test_json_of_another_structure_is_refused(saved, part, value):
    content = with_text(saved, lambda content: json.dumps({**content, part: value}))
    if part == "bounds" and value in ([], {}):  # a certificate without bounds: the judge's to refuse
        with pytest.raises(nnspca.CertificateError, match="no deterministic bound"):
            nnspca.verify(nnspca.load_certificate(content), COV)
    else:
        assert "the file" in refused(content)


@pytest.mark.parametrize("claim", [{"method": "<b>"}, {"method": None}, {"history": 5}, {"options": 5}], ids=str)
def test_a_component_of_no_method_options_or_history_is_refused(saved, claim):
    made = with_text(saved, lambda content: json.dumps({**content, "component": {**content["component"], **claim}}))
    assert "not a certificate" in refused(made)


def test_a_proof_of_an_unknown_type_is_refused(saved):
    def change(content):
        content["bounds"][0]["proof"]["type"] = "Magic"
        return json.dumps(content)

    assert "not a certificate" in refused(with_text(saved, change))


def test_a_missing_file_is_called_missing(tmp_path):
    assert "does not exist" in refused(tmp_path / "nowhere.npz")
    assert "cannot be opened" in refused(tmp_path)
    assert "cannot be opened" in refused("a\0b")
    (tmp_path / "empty.npz").write_bytes(b"")
    assert "not a certificate" in refused(tmp_path / "empty.npz")


@pytest.mark.parametrize("given", [None, 3, ["a"], io.StringIO("text")], ids=["none", "number", "list", "text"])
def test_what_is_no_file_is_told_what_to_give(given):
    assert "binary" in refused(given)


def test_a_path_and_an_open_file_are_read_as_bytes_are(saved, tmp_path):
    path = tmp_path / "certificate.npz"
    path.write_bytes(zipped(saved.items()))
    with path.open("rb") as stream:
        both = nnspca.load_certificate(path), nnspca.load_certificate(stream)
    assert both[0].upper == both[1].upper == nnspca.load_certificate(path.read_bytes()).upper


class Counted(zipfile.ZipExtFile):
    """A member that counts what is unpacked of it."""

    unpacked = 0

    def read(self, n=-1):
        content = super().read(n)
        Counted.unpacked += len(content)
        return content


def test_no_more_is_unpacked_than_a_certificate_can_hold(saved, monkeypatch):
    """Zeros pack a thousandfold: sizes are told before anything is unpacked."""
    monkeypatch.setattr(zipfile, "ZipExtFile", Counted)
    monkeypatch.setattr(Counted, "unpacked", 0)
    monkeypatch.setattr(npz, "MEMBER", 10**6)
    monkeypatch.setattr(npz, "TOTAL", 2 * 10**6)
    one = zipped([*saved.items(), ("huge.npy", bytes(10**6 + 1))])
    many = zipped([*saved.items(), *((f"huge{i}.npy", bytes(9 * 10**5)) for i in range(3))])
    for content in (one, many):
        assert "larger than" in refused(content)
    assert Counted.unpacked == 0
    lying = bytearray(one)
    for magic, field in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        entry = lying.rfind(magic)
        lying[entry + field : entry + field + 4] = struct.pack("<I", 200)
    assert "not a certificate" in refused(bytes(lying))
    assert Counted.unpacked < 10**5


def test_a_stream_is_read_up_to_the_limit_only(monkeypatch):
    monkeypatch.setattr(npz, "TOTAL", 1000)

    class Endless(io.RawIOBase):
        asked = 0

        def read(self, n=-1):
            assert 0 <= n <= 1001
            Endless.asked += n
            return bytes(n)

    assert "larger than" in refused(Endless())
    assert Endless.asked == 1001


def test_a_path_to_more_than_the_limit_is_not_read(monkeypatch, tmp_path):
    (tmp_path / "long.npz").write_bytes(bytes(1001))
    monkeypatch.setattr(npz, "TOTAL", 1000)
    assert "MB, over" in refused(tmp_path / "long.npz")


def test_many_members_or_one_name_twice_are_refused(saved, monkeypatch):
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped([*saved.items(), ("loadings.npy", saved["loadings.npy"])])
    assert "one name twice" in refused(twice)
    monkeypatch.setattr(npz, "MEMBERS", 3)
    assert "members" in refused(zipped(saved.items()))


def test_an_interrupt_is_no_damaged_file(saved, monkeypatch):
    def interrupted(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "frombuffer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        nnspca.load_certificate(zipped(saved.items()))


def test_arrays_in_another_order_of_bytes_or_columns_are_the_same(saved):
    """A file may come from a machine that writes the other end first."""
    members = dict(saved)
    for name, content in saved.items():
        given = np.load(io.BytesIO(content))
        if given.dtype.kind == "f":
            buffer = io.BytesIO()
            np.save(buffer, np.asfortranarray(given.astype(">f8")))
            members[name] = buffer.getvalue()
    nnspca.verify(nnspca.load_certificate(zipped(members.items())), COV)


def test_only_regular_files_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        assert "no regular file" in refused(path)


@pytest.mark.parametrize("options", [{"a": np.int64(2)}, {"a": float("nan")}, {1: 2}, {"a": [1]}])
def test_options_that_a_file_cannot_hold_are_refused_with_their_name(options):
    cert = nnspca.certify(COV, 1)
    odd = dataclasses.replace(cert, component=dataclasses.replace(cert.component, options=options))
    with pytest.raises(ValueError, match=r"a file holds plain numbers|not finite"):
        nnspca.save_certificate(odd, io.BytesIO(), COV)


def test_an_array_speaks_for_one_proof_only(saved):
    """Many proofs of the same few arrays would ask for work that the file's size does not tell."""

    def twice(content):
        entry = next(b for b in content["bounds"] if "array" in str(b.get("proof")))
        return json.dumps(content | {"bounds": [*content["bounds"], entry]})

    assert "is used twice, or missing" in refused(with_text(saved, twice))


def test_a_thing_said_twice_among_many_is_found_at_once(saved):
    keys = ",".join(f'"{i}":1' for i in range(200_000))
    start = time.process_time()
    assert "'199999' is said twice" in refused(with_text(saved, lambda content: "{" + keys + ',"199999":1}'))
    assert time.process_time() - start < 5


def test_more_words_than_a_certificate_has_are_not_read(saved):
    """A file of a few kilobytes holds them, and the objects they describe take tens of times their size."""
    said = refused(with_text(saved, lambda content: "[" + "[]," * 3_000_000 + "[]]"))
    assert "its words take 34 MB" in said


def test_certificate_and_file_may_come_in_either_order_and_a_path_without_an_ending_is_found_again(tmp_path):
    cert = nnspca.certify(COV, 1)
    a, b, c = tmp_path / "a", tmp_path / "b", str(tmp_path / "c.npz")
    nnspca.save_certificate(cert, a, COV)
    nnspca.save_certificate(b, cert, COV)
    with pytest.warns(UserWarning, match="cov"):
        nnspca.save_certificate(c, cert)
    for path in (a, b, c):
        nnspca.verify(nnspca.load_certificate(path), COV)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.npz", "b.npz", "c.npz"]


def test_on_a_full_disk_the_file_saved_before_stays_and_no_half_of_another(tmp_path):
    cov = nnspca.Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]) + 0.5)
    place = tmp_path / "held.npz"
    nnspca.save_certificate(nnspca.certify(cov, 1), place, cov)
    before = place.read_bytes()
    with full_after(len(before) // 2), pytest.raises(OSError, match="File too large"):
        nnspca.save_certificate(nnspca.certify(cov, 2), place, cov)
    assert place.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["held.npz"]
    nnspca.save_certificate(nnspca.certify(cov, 2), place, cov)
    assert nnspca.load_certificate(place).k == 2
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert place.stat().st_mode == plain.stat().st_mode
