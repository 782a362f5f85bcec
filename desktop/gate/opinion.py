"""What a model thinks of a command: a class and how sure it is. Never a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop.gate.verdict import Effect

# Above this the 1.5B model took no write for a read, of 200 labelled commands (design/engine.md) and of those
# that `dev.py bench judge` holds.
SURE = 0.97

_WORDS = {
    Effect.READ: "only reads",
    Effect.CREATE: "makes something new",
    Effect.UPDATE: "changes something",
    Effect.DELETE: "deletes something",
}


@dataclass(frozen=True)
class Opinion:
    """`probabilities` has one for each of READ, CREATE, UPDATE, DELETE; they add up to 1."""

    effect: Effect
    probability: float
    probabilities: Mapping[str, float]
    model: str  # its name
    ms: float  # 0.0 where it was remembered

    def in_words(self) -> str:
        """For the dialog, which says beside it that a model's opinion is not a check."""
        said = _WORDS.get(self.effect, "cannot be told")
        return f"{self.model} thinks that it {said} ({self.probability:.0%})"

    @property
    def is_sure_to_read(self) -> bool:
        return self.effect is Effect.READ and self.probability >= SURE
