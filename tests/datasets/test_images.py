import io
import tarfile
import time
import zipfile

import numpy as np
import pytest
from PIL import Image, ImageOps

from nnspca.datasets import read
from nnspca.errors import DataError

SUFFIXES = {"PNG": "png", "JPEG": "jpg", "PPM": "pgm", "BMP": "bmp", "TIFF": "tif", "GIF": "gif"}


def picture(seed=0, size=(4, 6), fmt="PNG", mode="L"):
    grey = np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(grey).convert(mode).save(out, fmt)
    return grey, out.getvalue()


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(files, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


PACKERS = {
    "t.zip": zipped,
    "t.tar": tarred,
    "t.tar.gz": lambda files: tarred(files, "w:gz"),
    "t.tgz": lambda files: tarred(files, "w:gz"),
}


def refused(data, filename="t.zip", **arguments):
    start = time.process_time()
    with pytest.raises(DataError) as caught:
        read(data, filename, **arguments)
    assert time.process_time() - start < 2
    return str(caught.value)


@pytest.mark.parametrize("filename", PACKERS)
@pytest.mark.parametrize("fmt", ["PNG", "PPM", "BMP", "TIFF", "GIF"])
def test_images_come_back_pixel_by_pixel(filename, fmt):
    pictures = [picture(seed, fmt=fmt) for seed in range(3)]
    files = {f"{i}.{SUFFIXES[fmt]}": content for i, (_, content) in enumerate(pictures)}
    ds = read(PACKERS[filename](files), filename)
    assert (ds.kind, ds.image_shape, ds.labels) == ("images", (4, 6), None)
    np.testing.assert_array_equal(ds.X.reshape(-1, 4, 6), [grey for grey, _ in pictures])


def test_lossy_and_coloured_images_become_grey():
    files = {"1.jpg": picture(1, fmt="JPEG")[1], "2.png": picture(2, mode="RGB")[1], "3.gif": picture(3, fmt="GIF", mode="P")[1]}  # fmt: skip  # noqa: E501
    X = read(zipped(files), "t.zip").X
    assert X.shape == (3, 24)
    np.testing.assert_array_equal(X[1].reshape(4, 6), picture(2)[0])


def test_sixteen_bits_are_kept():
    grey = (np.arange(24).reshape(4, 6) * 2000).astype(np.uint16)
    out = io.BytesIO()
    Image.fromarray(grey).save(out, "PNG")
    ds = read(zipped({"a.png": out.getvalue(), "b.png": picture()[1]}), "t.zip")
    np.testing.assert_array_equal(ds.X[0].reshape(4, 6), grey)


def test_folders_are_labels_and_order_is_by_name():
    files = {f"all/{folder}/{i}.png": picture(i)[1] for i, folder in enumerate("baab")}
    ds = read(zipped(files), "t.zip")
    assert ds.label_names == ("a", "b")
    np.testing.assert_array_equal(ds.labels, [0, 0, 1, 1])
    np.testing.assert_array_equal(ds.X[0].reshape(4, 6), picture(1)[0])


def test_what_systems_add_is_not_looked_at():
    files = {f"{i}.png": picture(i)[1] for i in range(3)}
    extra = {"__MACOSX/._0.png": b"?", "._1.png": b"?", "Thumbs.db": b"?", "read me.txt": b"hello"}
    ds = read(zipped({**files, **extra}), "t.zip")
    assert ds.shape == (3, 24)
    assert tuple(map(str, ds.notes)) == ("Left out what is no image: 1 of the files in the archive.",)


def test_images_of_other_sizes_than_most_are_resized_and_counted():
    files = {f"{i}.png": picture(i, size=(4, 6 if i else 5))[1] for i in range(4)}
    ds = read(zipped(files), "t.zip")
    assert ds.image_shape == (4, 6) and "1 of 4 images were resized to 6×4 pixels" in str(ds.notes[0])
    np.testing.assert_array_equal(ds.X[1].reshape(4, 6), picture(1, size=(4, 6))[0])
    small = read(zipped(files), "t.zip", image_size=(2, 3))
    assert small.image_shape == (2, 3) and small.shape == (4, 6)
    photos = {f"{i}.png": picture(i, size=(8 + i, 12 - i))[1] for i in range(3)}
    assert read(zipped(photos), "t.zip").image_shape == (8, 10)
    deep = {
        "a.tif": picture(1, fmt="TIFF", mode="I;16")[1],
        "b.tif": picture(2, size=(5, 5), fmt="TIFF", mode="I;16")[1],
    }
    assert read(zipped(deep), "t.zip").image_shape == (4, 5)
    with pytest.raises(ValueError, match="image_size"):
        read(zipped(files), "t.zip", image_size=(2,))


def test_a_damaged_image_is_named():
    message = refused(zipped({"good.png": picture()[1], "bad.png": b"no image"}))
    assert "'bad.png'" in message
    cut = picture(fmt="PPM")[1][:-5]
    assert "'cut.pgm'" in refused(zipped({"good.pgm": picture(fmt="PPM")[1], "cut.pgm": cut}))


def test_an_archive_without_images_says_what_it_holds():
    message = refused(zipped({"inner.zip": b"", "table.csv": b"1,2"}))
    assert "'.zip'" in message
    assert "unpacked first" in message
    assert "leave its samples as rows" in refused(zipped({"a.png": picture()[1]}), samples="columns")


def test_one_image_alone_is_one_sample():
    assert "one sample" in refused(picture()[1], "face.png")
    assert "1 row" in refused(zipped({"a.png": picture()[1]}))


@pytest.mark.parametrize("held", range(1, 9))
@pytest.mark.parametrize("fmt", ["PNG", "TIFF"])
def test_every_way_a_camera_is_held_is_turned_as_pillow_turns_it(fmt, held):
    exif = Image.Exif()
    exif[0x0112] = held
    files, upright = {}, []
    for seed in (0, 1):
        grey = np.random.default_rng(seed).integers(0, 256, (4, 6), dtype=np.uint8)
        out = io.BytesIO()
        Image.fromarray(grey).save(out, fmt, exif=exif)
        files[f"{seed}.{SUFFIXES[fmt]}"] = out.getvalue()
        upright.append(np.asarray(ImageOps.exif_transpose(Image.open(out)), dtype=float))
    found = read(zipped(files), "t.zip")
    assert found.image_shape == upright[0].shape
    np.testing.assert_array_equal(found.X, [image.ravel() for image in upright])


def photograph():
    """One that says something beside its pixels, and is held sideways."""
    out, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(np.zeros((4, 6), np.uint8)).save(out, "JPEG", exif=exif, comment=b"a remark")
    return out.getvalue()


@pytest.mark.parametrize("cut", [3, 7, 30, 200])
def test_a_photograph_cut_short_within_what_it_says_is_damaged_like_any_other(cut):
    packed = zipped({"a.jpg": photograph()[:cut], "b.jpg": photograph()})
    assert "'a.jpg' cannot be read as an image" in refused(packed)


def test_links_devices_and_outside_names_are_never_followed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in [("a.png", tarfile.SYMTYPE), ("b.png", tarfile.LNKTYPE), ("c.png", tarfile.CHRTYPE)]:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        for i, name in enumerate(["../../up.png", "/root.png", "C:\\windows\\x.png"]):
            content = picture(i)[1]
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    ds = read(out.getvalue(), "t.tar")
    assert ds.shape == (3, 24)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real_data
def test_the_raw_cbcl_archive_is_read_with_faces_and_non_faces_as_classes(raw_folder):
    ds = read(raw_folder / "face.train.tar.gz")
    assert ds.shape == (2429 + 4548, 361)
    assert ds.label_names == ("face", "non-face")
    np.testing.assert_array_equal(np.bincount(ds.labels), [2429, 4548])
