"""What `make grade` installs with: uv is told all that pip is told, or pip installs."""

import runpy
from pathlib import Path

import pytest

from tests.helpers import ROOT

PIP = """\
global.timeout='60'
global.extra-index-url='https://one.example/simple https://two.example/simple'
:env:.find-links='/wheels /more'
global.find-links='/elsewhere'
global.cert='/certificates'
"""
install = runpy.run_path(str(ROOT / ".ci" / "install.py"))


def told(tmp_path: Path, text: str) -> dict[str, str]:
    """Return the settings of a pip that lists them like this."""
    (tmp_path / "settings").write_text(text)
    found = install["settings"](["sh", "-c", f"cat {tmp_path}/settings #"])
    assert isinstance(found, dict)
    return found


def test_uv_is_told_what_pip_is_told(tmp_path: Path) -> None:
    """Indexes, wheels on the disk and certificates; the environment counts before a file."""
    assert install["uv_environment"](told(tmp_path, PIP)) == {
        "UV_INDEX": "https://one.example/simple https://two.example/simple",
        "UV_FIND_LINKS": "/wheels,/more",
        "SSL_CERT_FILE": "/certificates",
        "UV_HTTP_TIMEOUT": "60",
    }
    assert install["uv_environment"](told(tmp_path, "")) == {}


@pytest.mark.parametrize("line", ["global.no-index='true'", "install.only-binary=':all:'"])
def test_pip_installs_where_uv_cannot_be_told(tmp_path: Path, line: str) -> None:
    """Otherwise uv would use sources that pip must not."""
    assert install["uv_environment"](told(tmp_path, f"{PIP}{line}\n")) is None


def test_settings_that_change_no_file_do_not_matter(tmp_path: Path) -> None:
    """One example is the verbosity of pip."""
    assert install["uv_environment"](told(tmp_path, "global.progress-bar='off'\n")) == {}
