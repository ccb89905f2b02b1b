"""Right notebooks that make, copy, pack and mark files of their own, as libraries do for them."""

from tests.redteam.attack import Build, Notebook, cell, edited, right, text

_SOURCES = {
    "copies a file with its mode and times": (
        "import shutil; open('a', 'w').close(); shutil.copy2('a', 'b'); shutil.copymode('a', 'b')"
    ),
    "copies a folder": (
        "import os, shutil; os.makedirs('d/e', 0o750); open('d/e/f', 'w').close()\n"
        "shutil.copytree('d', 'g'); shutil.move('g', 'h'); shutil.rmtree('h')"
    ),
    "marks a file as its own alone": "import os; open('a', 'w').close(); os.chmod('a', 0o600)",
    "sets a time": "import os; open('a', 'w').close(); os.utime('a'); os.utime('a', (1, 1))",
    "touches a file": "import pathlib; p = pathlib.Path('a'); p.touch(); p.touch(); p.chmod(0o644)",
    "packs and unpacks": (
        "import shutil, tarfile; open('a', 'w').close()\n"
        "shutil.make_archive('z', 'zip', '.', 'a'); shutil.unpack_archive('z.zip', 'out')\n"
        "with tarfile.open('t.tar', 'w') as t: t.add('a')\n"
        "with tarfile.open('t.tar') as t: t.extractall('out', filter='data')"
    ),
    "uses temporary folders": (
        "import tempfile, pathlib\n"
        "with tempfile.TemporaryDirectory() as d: pathlib.Path(d, 'a').write_text('x')\n"
        "tempfile.mkstemp(); tempfile.mkdtemp()"
    ),
    "keeps a table in a database": (
        "import sqlite3; c = sqlite3.connect('x.db'); c.execute('create table a (b)'); c.commit()"
    ),
    "saves arrays and weights": (
        "np.savez('a.npz', np.ones(3)); np.load('a.npz'); np.save('b.npy', np.ones(3), False)\n"
        "torch.save({'a': torch.ones(3)}, 'w.pt'); torch.load('w.pt')"
    ),
    "asks about itself": (
        "import os, getpass, pathlib, resource\n"
        "os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.cpu_count()\n"
        "getpass.getuser(), pathlib.Path.home(), resource.getrlimit(resource.RLIMIT_NOFILE)"
    ),
    "calls programs": "!ls -la\n!mkdir -p made && touch made/a && cp -p made/a made/b\nfound = !ls",
    "calls a shell": "%%bash\nmkdir -p made\necho x > made/a\nchmod 644 made/a\nls -l made",
}


def _failing_loudly(source: str) -> Build:
    """Return a builder of a right notebook; where its first cell fails, a design is not there."""
    if source.startswith(("!", "%%")):
        tried = f"{source}\n" if source.startswith("%%") else f"{source}\nassert 'made' in found\n"
        return edited(right, first=tried)
    lines = source.replace("\n", "\n    ")
    tried = f"failed = False\ntry:\n    {lines}\nexcept Exception:\n    failed = True\n    raise"

    def change(notebook: Notebook) -> None:
        answer = cell(notebook, "identity_answer")
        answer["source"] = f"{text(answer)}\nif failed: del identity_weights"

    return edited(right, first=tried, change=change)


HONEST = {title: _failing_loudly(source) for title, source in _SOURCES.items()}
