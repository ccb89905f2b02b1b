"""Tables that `check --large` prints: the tries and the shortfalls."""

from dataclasses import dataclass, field


@dataclass
class Table:
    """One part's result: the number of tries, lines to print, and any shortfalls as sentences."""

    title: str
    lines: list[str] = field(default_factory=list)
    tried: int = 0
    short: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the printed form of the table."""
        verdict = "FELL SHORT" if self.short else "all well" if self.tried else "nothing to try"
        complaints = [f"    short: {sentence}" for sentence in self.short[:20]]
        body = [f"    {line}" for line in self.lines]
        return "\n".join([f"{self.title}: {self.tried:,} tried, {verdict}", *body, *complaints])
