"""Between the composer and what it cannot do itself: files are read, texts counted, on the pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.chat.attachments import Attachment, AttachmentKind, AttachmentReader, Draft
from desktop.errors import Cancelled, UserFacing
from desktop.qt.background import Background, only_logged
from desktop.tools.clipboard import Clipboard
from desktop.tools.ocr import missing
from desktop.tools.screen import Picture, Screen
from desktop.ui import theme
from desktop.ui.chat.chips import size_words
from desktop.ui.chat.composer import Composer, files_in, takes
from desktop.ui.chat.info_windows import TextViewer
from desktop.ui.language import error_words, tr
from desktop.ui.widgets.toast import Toast

CHOOSING_S = 60.0


@dataclass(frozen=True)
class Sources:
    """Where attachments can come from. None: not on this computer, or not in this program."""

    attacher: AttachmentReader
    clipboard: Clipboard | None = None
    screen: Screen | None = None
    can_read_pictures: Callable[[], bool] = lambda: False


class AttachmentController(QObject):
    """Fills the composer's chips. Main thread only."""

    folder_given = Signal(object)  # Path: dropped or pasted
    picking = Signal(bool)  # the user marks a part of the screen: our window is in the way

    def __init__(
        self,
        sources: Sources,
        composer: Composer,
        drop_area: QWidget,
        background: Background,
        toast: Toast,
    ) -> None:
        """What is dropped anywhere on `drop_area` goes along."""
        super().__init__()
        self._sources = sources
        self._composer = composer
        self._area = drop_area
        self._background = background
        self._toast = toast
        self._dialog: QFileDialog | None = None
        self._viewer: TextViewer | None = None
        drop_area.setAcceptDrops(True)
        drop_area.installEventFilter(self)
        # Without this the frame would not show while a file is dragged over the text box.
        composer.text.viewport().installEventFilter(self)  # which takes what is dropped on it by itself
        self.drop_frame = DropFrame(drop_area)
        composer.file_choice_wanted.connect(self.choose_files)
        composer.screen_wanted.connect(self.pick)
        composer.clipboard_wanted.connect(self.add_clipboard)
        composer.files_given.connect(self.add_files)
        composer.picture_given.connect(self._on_picture_given)
        composer.attached.connect(self._count)
        composer.beginning_wanted.connect(self._on_beginning_wanted)
        composer.search_wanted.connect(self._on_search_wanted)
        composer.parts_wanted.connect(self._on_parts_wanted)
        composer.attachment_opened.connect(self.open)

    # -- what can be added --------------------------------------------------------------------

    def choose_files(self) -> None:
        """The system's dialog for files."""
        dialog = QFileDialog(self._area.window(), tr("Attach files"))
        dialog.setObjectName("attach_files")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters(
            [
                tr("All files") + " (*)",
                tr("Texts and documents") + " (*.txt *.md *.csv *.json *.log *.pdf *.html *.xml *.py)",
                tr("Pictures") + " (*.png *.jpg *.jpeg *.webp *.tif *.tiff *.bmp *.gif)",
            ]
        )
        dialog.filesSelected.connect(lambda names: self.add_files([Path(name) for name in names]))
        dialog.finished.connect(dialog.deleteLater)
        self._dialog = dialog
        dialog.open()

    def add_files(self, paths: Sequence[Path]) -> None:
        """Read them, each with a chip of its own."""
        for path in paths:
            # What is in it is looked for question by question: all of it has no room.
            if path.is_dir():
                self.folder_given.emit(path)
                continue
            if not self._read(path.name or str(path), self._sources.attacher.file, path):
                return
        self._composer.text.setFocus()

    def add_clipboard(self) -> None:
        """Its text, its files, or the text in its picture; nothing that a password manager marked."""
        if self._sources.clipboard is None:
            return
        try:
            clip = self._sources.clipboard.read()
        except UserFacing as error:
            self._toast.offer(error_words(error))
            return
        # Password managers mark what they copy. Read once, it would be in the database and in the model's
        # context.
        if clip.is_secret:
            self._toast.offer(
                tr("The clipboard holds something that a password manager marked as secret. It was not read.")
            )
        elif clip.text and clip.text.strip():
            self._composer.add_attachment(clip.text, AttachmentKind.CLIPBOARD)
        # Text first: a copied table or a web page comes with a picture of itself.
        elif not self._add_copied_picture():
            self._toast.offer(tr("There is no text on the clipboard. Copy some and try again."))

    def pick(self) -> None:
        """Let the user mark a part of the screen, and read the text in it."""
        if self._sources.screen is None:
            self._toast.offer(tr("The screen cannot be captured here. Attach a picture instead."))
            return
        if not self._sources.can_read_pictures():
            self._toast.offer(error_words(missing()))
            return
        # The window gets out of the way first: it may cover what the user wants to mark.
        self.picking.emit(True)
        self._background.run(
            self._sources.screen.choose, CHOOSING_S, done=self._on_picked, failed=self._on_not_picked
        )

    def count_again(self) -> None:
        """A model was loaded: what was a guess can be counted."""
        for each in self._composer.pending:
            # A count by the former model stays: it is near enough.
            if each.attachment is not None and each.attachment.about.is_estimate:
                self._count(each.key)

    def open(self, attachment: Attachment) -> None:
        """Show the text of one."""
        self.viewer.show_text(attachment.about.name, attachment.text, size_words(attachment.about))

    @property
    def viewer(self) -> TextViewer:
        """Made when it is first needed."""
        if self._viewer is None:
            self._viewer = TextViewer(self._area.window())
        return self._viewer

    # -- dropping -----------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self._show_where(event)
        # Only the frame is shown here for the others; they handle their own drops.
        if watched is not self._area:
            return False
        if isinstance(event, QDropEvent) and takes(event.mimeData()):
            # Whoever wants to select anew within a selection drags its words instead, and lets go of them
            # over the answer that they are of. The box itself takes what is meant for it.
            if event.source() is not None and not _is_file(event.mimeData()):
                event.ignore()
                return True
            if event.type() == QEvent.Type.Drop:
                if not self._composer.text.take_along(event.mimeData()):
                    self._composer.text.insertPlainText(event.mimeData().text())
                self._composer.text.setFocus()
            event.acceptProposedAction()
            return True
        return isinstance(event, QDragEnterEvent)

    def _show_where(self, event: QEvent) -> None:
        """The frame, as long as files or a picture are dragged over the chat."""
        if isinstance(event, QDragEnterEvent):
            self.drop_frame.show_over(_is_file(event.mimeData()))
        elif event.type() in (QEvent.Type.DragLeave, QEvent.Type.Drop):
            self.drop_frame.show_over(False)

    # -- inside -------------------------------------------------------------------------------

    def _read(self, name: str, read: Callable[..., Attachment], *arguments: object) -> bool:
        """A chip that says that it is being read, until it is. False: no more can go along."""
        key = self._composer.begin_attachment(name)
        if key is None:
            self._toast.offer(tr("No more than twelve things can be attached to one message."))
            return False
        self._background.run(
            read,
            *arguments,
            done=lambda made: self._composer.finish_attachment(key, made),
            failed=lambda error: self._on_failed(key, error),
        )
        return True

    def _on_failed(self, key: int, error: Exception) -> None:
        # A chip that will never be read would keep the message from being sent.
        if not isinstance(error, UserFacing):
            self._composer.remove_attachment(key)
            raise error
        self._composer.refuse_attachment(key, error)
        self._toast.offer(error_words(error))

    def _count(self, key: int) -> None:
        """With the tokenizer of the loaded model, where one is loaded."""
        found = next((each.attachment for each in self._composer.pending if each.key == key), None)
        if found is not None:
            self._background.run(
                self._sources.attacher.sized_anew,
                found,
                done=lambda sized: self._composer.finish_attachment(key, sized),
                failed=only_logged,  # the chip says that it is an estimate
            )

    def _on_beginning_wanted(self, key: int, tokens: int) -> None:
        found = next((each.attachment for each in self._composer.pending if each.key == key), None)
        if found is not None:
            self._background.run(
                self._sources.attacher.beginning,
                found,
                tokens,
                done=lambda part: self._composer.finish_attachment(key, part),
                failed=self._toast.refuse,
            )

    def _on_search_wanted(self, key: int, tokens: int) -> None:
        """By what is typed now: without a question there is nothing to look for."""
        question = self._composer.draft().strip()
        found = next((each.attachment for each in self._composer.pending if each.key == key), None)
        if found is None:
            return
        if not question:
            self._composer.text.setFocus()
            self._toast.offer(tr("Write your question first; passages about it are then looked for."))
            return
        # Most conversations have no such attachment.
        from desktop.chat.passages import matching

        size = self._sources.attacher.size
        self._background.run(
            lambda: matching(found, question, tokens, lambda text: size(text).tokens),
            done=lambda part: self._composer.finish_attachment(key, part),
            failed=self._toast.refuse,
        )

    def _on_parts_wanted(self, key: int) -> None:
        """Sent at once, with what is typed as the request: it is known what is to be done."""
        found = next((each.attachment for each in self._composer.pending if each.key == key), None)
        if found is None:
            return
        from desktop.chat.file_parts import in_parts

        self._composer.finish_attachment(key, in_parts(found))
        if not self._composer.draft().strip():
            self._composer.put_behind(Draft(tr("Summarise {name}", name=found.about.name)))
        self._composer.send()

    def _on_picture_given(self, picture: QImage) -> None:
        self._read(tr("Pasted picture"), self._read_picture, QImage(picture), tr("Pasted picture"))

    def _add_copied_picture(self) -> bool:
        picture = QGuiApplication.clipboard().image()
        if not picture.isNull():
            self._on_picture_given(picture)
        return not picture.isNull()

    def _read_picture(self, picture: QImage, name: str) -> Attachment:
        """On the pool."""
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        # PNG keeps the edges of letters, which OCR lives on.
        picture.save(buffer, b"PNG")
        return self._sources.attacher.picture(bytes(data.data()), name)

    def _on_picked(self, picture: Picture | None) -> None:
        self.picking.emit(False)
        if picture is not None:
            name = tr("Part of the screen")
            self._read(name, self._sources.attacher.picture, picture.png, name, AttachmentKind.SCREEN)

    def _on_not_picked(self, error: Exception) -> None:
        self.picking.emit(False)
        if isinstance(error, UserFacing):
            self._toast.offer(error_words(error))
        elif not isinstance(error, Cancelled):
            raise error


RADIUS, MARGIN, LINE = 12, 10, 2
VEIL = 0.9  # how much of the messages it covers


def _is_file(data: QMimeData) -> bool:
    return bool(files_in(data)) or data.hasImage()


class DropFrame(QWidget):
    """A dashed frame over a widget, with "Drop to attach" in it. Never in the way of what is dropped."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self.setObjectName("drop_frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.words)
        self.hide()

    @property
    def words(self) -> str:
        return tr("Drop to attach")

    def show_over(self, shown: bool) -> None:
        """Over all of the area as it is now, or away."""
        area = self.parentWidget()
        if shown and area is not None:
            self.setGeometry(area.rect())
            self.raise_()
        self.setVisible(shown)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(
            theme.px(MARGIN), theme.px(MARGIN), -theme.px(MARGIN), -theme.px(MARGIN)
        )
        veil = theme.colour("background")
        veil.setAlphaF(VEIL)
        painter.setBrush(veil)
        painter.setPen(QPen(theme.colour("accent"), theme.px(LINE), Qt.PenStyle.DashLine))
        painter.drawRoundedRect(frame, theme.px(RADIUS), theme.px(RADIUS))
        painter.setPen(theme.colour("text"))
        painter.setFont(theme.font())
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, self.words)
