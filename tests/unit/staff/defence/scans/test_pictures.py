"""pictures: any format of scanners and phones, within limits; others give one line."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from autograder.records.errors import UserError
from autograder.staff.defence.scans import files
from autograder.staff.defence.scans.pictures import Scanned

GREY = np.tile(np.arange(200, dtype=np.uint8), (300, 1))


@pytest.mark.parametrize("form", ["png", "jpg", "tiff", "webp", "pdf"])
@pytest.mark.parametrize("mode", ["L", "RGB", "1"])
def test_each_form_and_mode_is_read(tmp_path: Path, form: str, mode: str) -> None:
    if (form, mode) in {("jpg", "1"), ("webp", "1")}:
        mode = "L"
    Image.fromarray(GREY).convert(mode).save(tmp_path / f"a.{form}")
    file = Scanned(tmp_path / f"a.{form}")
    picture = file.page(0)
    assert file.pages == 1
    assert picture.dtype == np.uint8
    assert picture[:, 0].mean() < 40 < 150 < picture[:, -4].mean()


def test_what_can_be_seen_through_is_white_paper(tmp_path: Path) -> None:
    Image.new("RGBA", (50, 50), (0, 0, 0, 0)).save(tmp_path / "a.png")
    assert Scanned(tmp_path / "a.png").page(0).min() == 255


def test_a_file_may_have_several_pages(tmp_path: Path) -> None:
    several = [Image.new("L", (60, 90), shade) for shade in (0, 120, 250)]
    for form in ("tiff", "pdf"):
        several[0].save(tmp_path / f"a.{form}", save_all=True, append_images=several[1:])
        file = Scanned(tmp_path / f"a.{form}")
        assert [round(float(file.page(n).mean()), -1) for n in range(file.pages)] == [0, 120, 250]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "neither a PDF nor a picture"),
        (b"hello", "neither a PDF nor a picture"),
        (b"%PDF-1.7\nnothing", "it is broken"),
        (b"\x00\x00\x00\x18ftypheic", "a HEIC picture; save it as JPEG"),
    ],
)
def test_what_is_no_scan_is_one_line(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(UserError, match=why):
        Scanned(tmp_path / "a")


def test_pages_of_the_same_name_have_different_places() -> None:
    """A line for two of them would take the letters of one student away."""
    found = [Path(f"/in/{name}") for name in ("a/1.jpg", "b/1.jpg", "b/2.jpg")]
    assert files.places_of(found) == ["a/1.jpg", "b/1.jpg", "2.jpg"]
    assert files.places_of(found[:1]) == ["1.jpg"]


def test_a_huge_picture_is_not_decoded(tmp_path: Path) -> None:
    Image.new("1", (20_000, 20_000)).save(tmp_path / "a.png")
    with pytest.raises(UserError, match="pixels"):
        Scanned(tmp_path / "a.png").page(0)


@pytest.mark.parametrize("form", ["png", "jpg"])
def test_a_cut_off_picture_is_one_line(tmp_path: Path, form: str) -> None:
    rng = np.random.default_rng(0)
    Image.fromarray(rng.integers(0, 255, (300, 300), np.uint8)).save(tmp_path / f"a.{form}")
    data = (tmp_path / f"a.{form}").read_bytes()
    (tmp_path / "b").write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match="cannot be decoded"):
        Scanned(tmp_path / "b").page(0)
