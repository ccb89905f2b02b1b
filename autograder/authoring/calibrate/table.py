"""What each part of `check --large` gives: lines to print, and what fell short."""

from dataclasses import dataclass, field


@dataclass
class Table:
    """One part's result.

    Args:
        title: What was tried.
        lines: To print below it.
        tried: How many things were tried.
        short: What fell short, one sentence each; empty when all is well.
    """

    title: str
    lines: list[str] = field(default_factory=list)
    tried: int = 0
    short: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the table as it is printed."""
        verdict = "FELL SHORT" if self.short else "all well" if self.tried else "nothing to try"
        complaints = [f"    short: {sentence}" for sentence in self.short[:20]]
        body = [f"    {line}" for line in self.lines]
        return "\n".join([f"{self.title}: {self.tried:,} tried, {verdict}", *body, *complaints])
