"""A solution's pictures are recognised on any background."""

import io

import pytest
from PIL import Image, ImageDraw

from autograder.authoring.leaks import contents


def drawn() -> Image.Image:
    """Return bars in translucent colours on a transparent background."""
    picture = Image.new("RGBA", (400, 300), (255, 255, 255, 0))
    pen = ImageDraw.Draw(picture)
    for place, strength in enumerate((40, 90, 140, 200, 255)):
        pen.rectangle(
            (20 + 75 * place, 20, 80 + 75 * place, 60 + 50 * place), (150, 60, 20, strength)
        )
    return picture


def on(ground: str) -> Image.Image:
    page = Image.new("RGBA", (400, 300), ground)
    page.alpha_composite(drawn())
    return page.convert("RGB")


def compressed(picture: Image.Image) -> Image.Image:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=70)
    return Image.open(file)


@pytest.mark.parametrize("page", [on("white"), on("black"), drawn().convert("RGB"), drawn()])
def test_a_picture_is_known_on_any_page(page: Image.Image) -> None:
    """This includes formats without transparency that keep the colours."""
    given = contents.thumbnails(compressed(page) if page.mode == "RGB" else page)
    known = contents.thumbnails(drawn())
    assert any(contents.alike(one, other) for one in given for other in known)


def test_a_different_picture_is_not_known() -> None:
    """This holds even for the same colours."""
    other = drawn().transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    known = contents.thumbnails(drawn())
    assert not any(contents.alike(one, two) for one in contents.thumbnails(other) for two in known)
