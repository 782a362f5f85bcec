"""What the user does on the Memory page: each wish goes to the pool, its outcome into words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from desktop.memory.housekeeping import Housekeeping, Promotion, broader
from desktop.memory.item import Item
from desktop.memory.memory import MemoryReply
from desktop.qt.background import Background
from desktop.ui.language import plural, tr
from desktop.ui.memory.list import count_words, layer_words
from desktop.ui.widgets.toast import Toast


class Shows(Protocol):
    """What of the page is needed here."""

    @property
    def toast(self) -> Toast: ...

    def ask(self, words: str, yes: str, no: str, act: Callable[[], None]) -> None: ...

    def read_again(self, chosen: int | None = None) -> None: ...

    def take_away(self, ids: tuple[int, ...]) -> None: ...

    def fail(self, error: Exception) -> None: ...

    def say(self, words: str) -> None: ...


class MemoryActions:
    """One for the page. Main thread only."""

    def __init__(
        self,
        keeping: Housekeeping,
        background: Background,
        page: Shows,
        shared: Callable[[], bool] = lambda: False,
    ) -> None:
        self._memory = keeping.memory
        self._keeping = keeping
        self._background = background
        self._page = page
        self._shared = shared

    # -- one memory -------------------------------------------------------------------------------

    def save(self, item: Item, words: str) -> None:
        """Give a memory other words."""
        # Saving the same words would make a new version that says nothing new.
        if words == item.text:
            self._page.read_again(item.id)
            return
        self._run(self._memory.store.change, item.id, words, says=tr("Saved."), chosen=item.id)

    def pin(self, item: Item, pinned: bool) -> None:
        says = tr("Pinned: it applies in every conversation.") if pinned else tr("No longer pinned.")
        self._run(self._keeping.pin, item.id, pinned, says=says, chosen=item.id)

    def accept(self, item: Item) -> None:
        self._run(self._keeping.accept, item.id, says=tr("Accepted: it is a note now."))

    def forget(self, item: Item, says: str = "") -> None:
        """Gone from the disk at once; Undo brings it back while its toast is there."""
        # Gone from the list at once: nobody should wonder whether the key was pressed.
        self._page.take_away((item.id,))
        self._background.run(
            self._keeping.forget,
            item.id,
            done=lambda gone: self._on_forgotten(gone, says),
            failed=self._failed,
        )

    def decline(self, item: Item) -> None:
        self.forget(item, tr("Declined, and gone from the disk."))

    def _on_forgotten(self, gone: tuple[Item, ...], says: str) -> None:
        # What repeats a memory goes with it, else it would come back from an old turn of a conversation.
        others = len(gone) - 1
        words = says or tr("Forgotten, and gone from the disk.")
        if others > 0:
            also = plural(
                "So is {count} older note or turn that said it.",
                "So are {count} older notes or turns that said it.",
                others,
            )
            words = f"{words} {also}"
        self._page.read_again()
        if gone:
            self._page.toast.offer(words, tr("Undo"), lambda: self._restore(gone))

    def _restore(self, gone: tuple[Item, ...]) -> None:
        self._run(self._keeping.restore, gone, says="", chosen=gone[-1].id)

    # -- promoting --------------------------------------------------------------------------------

    def promote(self, item: Item) -> None:
        """Ask with the text that would be seen; only a yes to it does anything."""
        layer = broader(item, self._shared())
        if layer is not None:
            self._background.run(
                self._keeping.promotion, item.id, layer, done=self._on_promotion, failed=self._failed
            )

    def _on_promotion(self, promotion: Promotion) -> None:
        # Sharing is asked in other words than counting in more places of one's own.
        if promotion.layer.is_shared:
            self._ask_share(promotion)
            return
        where = layer_words(promotion.layer)
        left_out = tr(" Personal numbers and addresses are left out.") if promotion.is_redacted else ""
        words = tr(
            "Let this apply to: {where}?{left_out} This is what is kept:", where=where, left_out=left_out
        )
        self._page.ask(
            # Word for word: a yes is to the text that stands here.
            f"{words}\n“{promotion.text}”",
            tr("Promote"),
            tr("Leave it where it is"),
            lambda: self._run(
                self._keeping.promote,
                promotion,
                says=tr("It applies to: {where}.", where=where),
                chosen=promotion.item.id,
            ),
        )

    def _ask_share(self, promotion: Promotion) -> None:
        """What is shared is out of one's hands: all of it is shown before."""
        where = layer_words(promotion.layer)
        left_out = tr(" Personal numbers and addresses are left out.") if promotion.is_redacted else ""
        words = tr(
            "Share this with all of the group: {where}?{left_out} This is what is sent; your own note stays "
            "as it is:",
            where=where,
            left_out=left_out,
        )
        self._page.ask(
            f"{words}\n“{promotion.text}”",
            tr("Share"),
            tr("Keep it to myself"),
            lambda: self._run(
                self._keeping.promote,
                promotion,
                says=tr("Shared with the group: {where}.", where=where),
                chosen=promotion.item.id,
            ),
        )

    # -- all of it --------------------------------------------------------------------------------

    def export(self, path: Path) -> None:
        """Write everything as Markdown."""

        def done(_lines: int) -> None:
            self._page.say(tr("Written to {path}.", path=path))

        self._background.run(self._keeping.export, path, done=done, failed=self._failed)

    def ask_delete_everything(self) -> None:
        """The first of two questions."""
        # Counted first, so that the question says how much would be gone.
        self._background.run(self._counted, done=self._on_counted, failed=self._failed)

    def _counted(self) -> tuple[int, int, tuple[Path, ...]]:
        counts = self._memory.counts()
        items = sum(self._memory.store.counts().values())
        return items, counts["known_fixes"], self._keeping.backups

    def _on_counted(self, counted: tuple[int, int, tuple[Path, ...]]) -> None:
        items, fixes, backups = counted
        known = plural("{count} fix", "{count} fixes", fixes)
        self._page.ask(
            tr(
                "Delete everything that is remembered: {items}, {fixes}?",
                items=count_words(items),
                fixes=known,
            ),
            tr("Delete everything…"),
            tr("Keep it"),
            lambda: self._ask_again(backups),
        )

    def _ask_again(self, backups: tuple[Path, ...]) -> None:
        words = tr("This cannot be undone.")
        # Steward deletes no copy of the database that it made before an update; the words say where they are.
        if backups:
            names = ", ".join(path.name for path in backups)
            copies = tr(
                "Copies from before updates may still hold some of it; delete them yourself: "
                "{names} in {folder}.",
                names=names,
                folder=backups[0].parent,
            )
            words = f"{words} {copies}"
        self._page.ask(words, tr("Delete for good"), tr("Keep it"), self._delete_everything)

    def _delete_everything(self) -> None:
        def done(reply: MemoryReply) -> None:
            self._page.read_again()
            self._page.say(reply.says)

        self._background.run(self._memory.forget_everything, done=done, failed=self._failed)

    # -- inside -----------------------------------------------------------------------------------

    def _run(
        self, fn: Callable[..., object], *values: object, says: str = "", chosen: int | None = None
    ) -> None:
        def done(_result: object) -> None:
            self._page.read_again(chosen)
            if says:
                self._page.toast.offer(says)

        self._background.run(fn, *values, done=done, failed=self._failed)

    def _failed(self, error: Exception) -> None:
        # Whatever failed, the list must not show what is not so.
        self._page.read_again()
        self._page.fail(error)
