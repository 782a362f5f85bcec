"""What can be done about an answer that failed: the buttons of its card, in every window that answers."""

from __future__ import annotations

from collections.abc import Callable

from desktop.errors import UserFacing
from desktop.ui.chat.services import ChatServices
from desktop.ui.language import tr
from desktop.ui.widgets.error_card import Action

MODEL_ERRORS = frozenset(
    {
        "no-model",
        "model-load-failed",
        "model-unsafe",
        "model-file-refused",
        "model-file-missing",
        "model-file-unreadable",
    }
)
MEMORY_ERRORS = frozenset({"context-too-large", "model-too-large"})


class ErrorActions:
    """Knows which button helps with which error. Main thread only."""

    def __init__(self, services: ChatServices, choose_model: Callable[[], None]) -> None:
        self._engine = services.engine
        self._file = services.settings
        self._background = services.background
        self._choose_model = choose_model

    def actions(
        self, error: UserFacing, again: Callable[[], None], edit: Callable[[], object] | None = None
    ) -> tuple[Action, ...]:
        """`again` asks once more; `edit` changes the question, where that can be done."""
        # To ask the same again cannot help; only a shorter message can.
        if error.code == "message-too-long" and edit is not None:
            return ((tr("Edit the message"), edit),)
        repeat = (tr("Try again"), again)
        model = (tr("Choose a model"), self._choose_model)
        # The surest way first: a file that is broken will not load the second time either.
        if error.code in MODEL_ERRORS:
            return (model, repeat)
        # A file that once took the program down with it is loaded only when the user insists.
        if error.code == "crashed-while-loading":
            return (model, (tr("Load it anyway"), lambda: self._insist(again)))
        if error.code in MEMORY_ERRORS:
            return (*self._smaller_context(again), model, repeat)
        if error.code == "model-failed":
            return (repeat, model)
        return (repeat,)

    def _insist(self, again: Callable[[], None]) -> None:
        self._engine.use(self._engine.model, insist=True)
        again()

    def _smaller_context(self, again: Callable[[], None]) -> tuple[Action, ...]:
        """A button "Use 4,096 tokens" that does so, for every chat, and asks `again`; none where no smaller
        context would help."""
        tokens = self._engine.smaller_context()
        if not tokens:
            return ()

        def use() -> None:
            self._background.run(
                self._file.change, "model", "context_tokens", tokens, done=lambda _changed: again()
            )

        return ((tr("Use {tokens:,} tokens", tokens=tokens), use),)
