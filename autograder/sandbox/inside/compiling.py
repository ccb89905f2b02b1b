"""How a cell becomes code: as IPython does it, but once, and ahead of a fork where it is known."""

import ast
import inspect
import re
import warnings
from collections.abc import Iterable
from types import CodeType
from typing import Any

from ipykernel.compiler import XCachingCompiler, get_tmp_hash_seed, murmur2_x86
from IPython.core.async_helpers import _should_be_async
from IPython.core.inputtransformer2 import TransformerManager

# Blank or indented at its beginning, a line of blanks, one as of a magic or a prompt, an
# assignment from one, a question: only these make IPython change a cell, and it reads each with
# tokenize to find out.
_MAY_CHANGE = re.compile(
    r"\A\s|^\s+$|^[ \t]*(?:[!%?,;/]|>>>|\.\.\.|In \[)|=\s*[!%]|\?", re.MULTILINE
)


class Transformers(TransformerManager):
    """Turns a cell into Python once, though the kernel asks twice.

    A transformer that students added may do something each time: then it is asked twice, too.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._own = self._all()
        self._last: tuple[str | None, str] = (None, "")
        self._ahead: dict[str, str] = {}

    def _all(self) -> list[Any]:
        return [*self.cleanup_transforms, *self.line_transforms, *self.token_transformers]

    def transform_cell(self, cell: str) -> str:
        """Return a cell as Python."""
        if self._all() != self._own:
            transformed: str = super().transform_cell(cell)
            return transformed
        if cell in self._ahead:
            return self._ahead[cell]
        if not _MAY_CHANGE.search(cell):
            return cell if cell.endswith("\n") else f"{cell}\n"
        if cell != self._last[0]:
            self._last = cell, super().transform_cell(cell)
        return self._last[1]

    def read_ahead(self, cell: str) -> str:
        """Transform a cell that is known before it runs."""
        self._ahead[cell] = self.transform_cell(cell)
        return self._ahead[cell]


class Compiler(XCachingCompiler):  # type: ignore[misc]
    """IPython's compiler, which may read and compile cells before they run.

    Each is used once, so that what a notebook does to its tree is not found by the next cell.
    """

    def __init__(self) -> None:
        super().__init__()
        self.flags: int = self.flags
        self._trees: dict[tuple[str, str, int], ast.Module] = {}
        self._codes: dict[tuple[int, str, int], tuple[ast.stmt, CodeType]] = {}
        self._never_async: set[str] = set()

    def read_ahead(self, cells: Iterable[str], transformers: Transformers) -> None:
        """Read cells that are known before they run; those that warn or fail are left to then."""
        flags = self.flags
        for cell in cells:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    self._read(cell, transformers.read_ahead(cell))
                except (SyntaxError, ValueError, Warning):
                    continue
                finally:
                    self.flags = flags

    def _read(self, cell: str, transformed: str) -> None:
        if _should_be_async(transformed):
            return
        name = self.get_code_name(cell, transformed, 0)
        flags = self.flags
        tree = super().ast_parse(transformed, name)
        codes = {}
        with self.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            within = self.flags
            for node in tree.body:
                shown = node is tree.body[-1] and isinstance(node, ast.Expr)
                one = ast.Interactive([node]) if shown else ast.Module([node], [])
                symbol = "single" if shown else "exec"
                codes[id(node), symbol, within] = node, self(one, name, symbol)
            if self.flags != within:  # it imports from __future__
                return
        self._never_async.add(transformed)
        self._trees[transformed, name, flags] = tree
        self._codes |= codes

    def forget(self) -> None:
        """Read every cell when it runs from now on."""
        self._trees.clear()

    def is_async(self, transformed: str) -> bool:
        """Whether a cell awaits something outside of its functions."""
        return transformed not in self._never_async and _should_be_async(transformed)

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:  # noqa: ARG002
        """Return the name of a cell's file, once a cell: its digest takes long."""
        # A kernel's has the number of its process; here that is known before the fork.
        name = f"/tmp/ipykernel_1/{murmur2_x86(raw_code, get_tmp_hash_seed())}.py"
        # Else every line of a traceback is looked for in each module that was imported.
        inspect.modulesbyfile[name] = "__main__"
        return name

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> ast.AST:
        """Return a cell's tree: `compile`'s, with the flags of the cells before it."""
        ahead = self._trees.pop((source, filename, self.flags), None)
        tree: ast.AST = ahead or super().ast_parse(source, filename, symbol)
        return tree

    def __call__(self, source: Any, filename: str, symbol: str, **options: Any) -> Any:
        """Compile a piece of a cell."""
        node = source.body[0] if isinstance(source, ast.Module | ast.Interactive) else None
        known, code = self._codes.get((id(node), symbol, self.flags), (None, None))
        if code is not None and known is node:
            return code
        return super().__call__(source, filename, symbol, **options)
