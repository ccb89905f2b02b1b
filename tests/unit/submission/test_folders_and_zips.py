"""find: students' folders beside students' zips."""

import zipfile
from pathlib import Path

from autograder.submission import discover


def test_beside_a_zip_a_folder_with_another_form_of_file_is_a_student_s(tmp_path: Path) -> None:
    """Nobody is lost silently; neither a folder of figures nor an unpacked zip is a person."""
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        archive.writestr("toy.ipynb", "{}")
    for name in ("ben/toy.docx", "figures/head.png", "ada/toy.pdf"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")
    found, complaints = discover.find([tmp_path], homework="toy")
    assert [one.student for one in found] == ["ada", "ben"]
    assert "ignored: toy.pdf" in found[0].note
    assert found[1].unusable
    assert "no notebook in it, only toy.docx" in found[1].unusable.why
    assert complaints == []
