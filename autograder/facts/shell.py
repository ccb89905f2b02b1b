"""A Jupyter kernel without a process or a socket of its own: cells in, nbformat outputs out.

It is ipykernel's in-process kernel, so that magics, display, figures, errors and input()
are those of a real notebook.
"""

from collections.abc import Mapping
from typing import Any


class Shell:
    """A Jupyter kernel in this process; its outputs are those of a notebook."""

    def __init__(self, output_bytes: int) -> None:
        from ipykernel.inprocess.manager import InProcessKernelManager
        from traitlets.config import Config

        # The history that IPython would write to disk needs a thread, and nobody reads it.
        config = Config({"HistoryManager": {"enabled": False}})
        self.manager = InProcessKernelManager(config=config)
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self._allow_await(self.manager.kernel)
        self.shell = self.manager.kernel.shell
        self.shell.run_line_magic("matplotlib", "inline")
        self.shell.run_line_magic("colors", "NoColor")
        self.cell_names: dict[str, str] = {}
        self._cap_outputs(output_bytes)

    def _cap_outputs(self, left: int) -> None:
        """Drop what a submission prints beyond its share, as it comes."""
        channel = self.client.iopub_channel
        take = channel.call_handlers

        def take_some(message: Any) -> None:
            nonlocal left
            kind, content = message["msg_type"], message["content"]
            if kind in ("stream", "display_data", "execute_result"):
                size = len(content.get("text", "")) or len(str(content.get("data", "")))
                before, left = left, left - size
                if left < 0:
                    if kind != "stream" or before < 0:
                        return
                    content["text"] = content["text"][:before] + "\n[output cut here]\n"
            take(message)

        channel.call_handlers = take_some

    @staticmethod
    def _allow_await(kernel: Any) -> None:
        """Let cells use a top-level await: ipykernel then asks for a thread that we do not have."""
        execute = kernel.do_execute

        async def do_execute(*args: Any, **options: Any) -> Any:
            kernel.shell_channel_thread = _OneThread()
            try:
                return await execute(*args, **options)
            finally:
                kernel.shell_channel_thread = None

        kernel.do_execute = do_execute

    @property
    def namespace(self) -> dict[str, Any]:
        """What the cells have defined."""
        namespace: dict[str, Any] = self.shell.user_ns
        return namespace

    def run(self, name: str, source: str) -> tuple[list[dict[str, Any]], dict[str, str] | None]:
        """Run one cell; return its outputs as nbformat dictionaries, and its error."""
        self.cell_names[self.shell.compile.get_code_name(source, source, 0)] = name
        self.client.execute(source, allow_stdin=False)
        outputs: list[dict[str, Any]] = []
        error = None
        for message in self.client.iopub_channel.get_msgs():
            kind = message["msg_type"]
            if kind in ("stream", "display_data", "execute_result", "error"):
                # A message's content is an nbformat output but for its type and `transient`.
                output = {"output_type": kind, **message["content"]}
                output.pop("transient", None)
                if kind == "error":
                    output = _short(output)
                    error = {"name": output["ename"], "message": output["evalue"]}
                if outputs and _same_stream(outputs[-1], output):
                    outputs[-1]["text"] += output["text"]
                    continue
                outputs.append(output)
        while self.client.shell_channel.msg_ready():
            self.client.get_shell_msg()
        return outputs, error


def _short(error: dict[str, Any]) -> dict[str, Any]:
    """Return an error output without the megabytes that a message may have."""
    return error | {
        "evalue": error["evalue"][:2_000],
        "traceback": [line[:10_000] for line in error["traceback"][-50:]],
    }


def _same_stream(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return before["output_type"] == "stream" and before.get("name") == after.get("name")


class _OneThread:
    parent_thread = None
