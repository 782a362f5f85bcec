"""Askers for tests: they answer as told and remember what they were asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from desktop.asking import ALLOWED_ONCE, DENIED, Answer, AskTimedOut, Question


@dataclass
class FakeAsker:
    """Gives the same `answer` to every question; None: nobody answers."""

    answer: Answer | None = ALLOWED_ONCE
    questions: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        if self.answer is None:
            raise AskTimedOut
        return self.answer

    @classmethod
    def denying(cls) -> FakeAsker:
        return cls(DENIED)
