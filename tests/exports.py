"""Exports of platforms as a test writes them: folders and zips, and Gradescope's metadata."""

import zipfile
from pathlib import Path

import yaml

Files = dict[str, bytes]


def unpacked(top: Path, files: Files) -> Path:
    """Write files below a folder; a name that ends with / is an empty folder."""
    top.mkdir(parents=True)
    for name, data in files.items():
        path = top / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_bytes(data)
    return top


def packed(path: Path, files: Files) -> Path:
    """Write the same as a zip."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def metadata(**submissions: dict[str, object]) -> bytes:
    return yaml.safe_dump(submissions).encode()


def submission(
    *people: tuple[str, str], created: str = "2026-03-04 05:06:07.123456789 Z"
) -> dict[str, object]:
    """Return what Gradescope writes of one, by :sid and :email."""
    return {
        ":submitters": [
            {":name": f"Person {sid}", ":sid": sid or None, ":email": email}
            for sid, email in people
        ],
        ":created_at": created,
        ":status": "processed",
        ":history": [{":created_at": created, ":results": {"tests": [{"name": "[[["}]}}],
    }
