"""Asking for an access token, where a site gives a model only to those who accepted its licence."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.error_card import ErrorCard
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, button
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX

LICENCE_CODE = "licence-not-accepted"


def wants_token(error: UserFacing) -> bool:
    """Whether the answer to this error is a token."""
    return error.code == LICENCE_CODE


class TokenCard(QWidget):
    """The site wants to know who asks: the error, and a field for the access token."""

    def __init__(
        self,
        error: UserFacing,
        on_token: Callable[[str], None],
        on_give_up: Callable[[], None],
    ) -> None:
        super().__init__()
        self.setObjectName("token_card")
        self._on_token = on_token
        self.field = QLineEdit()
        self.field.setObjectName("token_field")
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText("hf_…")
        self.field.setAccessibleName(tr("Access token"))
        label = Label(tr("Access token of your Hugging Face account"), SMALL_PX, name="token_label")
        label.setBuddy(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(8))
        column.addWidget(ErrorCard(error))
        column.addWidget(label)
        column.addWidget(self.field)
        column.addLayout(self._buttons(on_give_up))
        self.field.textChanged.connect(lambda text: self.save_button.setEnabled(bool(text.strip())))
        self.field.returnPressed.connect(self._on_save)

    def _buttons(self, on_give_up: Callable[[], None]) -> FlowLayout:
        self.save_button = button(tr("Save token and try again"), "save_token_button", primary=True)
        self.save_button.setEnabled(False)
        self.save_button.clicked.connect(self._on_save)
        other = button(tr("Choose another model"), "token_give_up_button")
        other.clicked.connect(lambda _checked: on_give_up())
        row = FlowLayout()
        row.addWidget(self.save_button)
        row.addWidget(other)
        return row

    def _on_save(self) -> None:
        token = self.field.text().strip()
        if token:
            self.field.clear()
            self._on_token(token)
