"""Tables that `check --large` prints: what was tried, and what fell short."""

from dataclasses import dataclass, field


@dataclass
class Table:
    """One part's result: how many things were tried, lines to print, and what fell short, in sentences."""

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
