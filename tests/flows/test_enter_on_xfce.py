"""Enter on desktops whose buttons take it for a press, as those of the GNOME kind: it still goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.desktop_session import ROOT, DesktopSession

pytestmark = pytest.mark.desktop

# A radio button of Qt's own beside it: where that does not take the key, the desktop is not of this kind.
PRESSES = """
import sys
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QRadioButton, QVBoxLayout
from pathlib import Path
from desktop.app import build_core
from desktop.paths import Paths
from desktop.settings import Theme as Mode
from desktop.ui.models.cards import ChoiceCard
from desktop.ui.theme import Theme

app = QApplication([])
theme = Theme(app, Mode.LIGHT)
choice = build_core(Paths.under(Path(sys.argv[1]))).setup.choices(4096)[0]
for make in (QRadioButton, lambda: ChoiceCard(choice)):
    dialog, chosen, main, pressed = QDialog(), make(), QPushButton("Download"), []
    column = QVBoxLayout(dialog)
    column.addWidget(chosen)
    column.addWidget(main)
    main.setDefault(True)
    main.clicked.connect(lambda: pressed.append(True))
    dialog.show()
    QTest.qWaitForWindowExposed(dialog)
    chosen.setFocus()
    QTest.keyClick(chosen, Qt.Key.Key_Return)
    print(bool(pressed))
"""


def test_enter_on_a_model_presses_the_main_button(session: DesktopSession, tmp_path: Path) -> None:
    """On Xfce a radio button takes the key; a model's card leaves it to the window."""
    done = subprocess.run(
        [sys.executable, "-c", PRESSES, str(tmp_path)],
        cwd=ROOT,
        env=session.environment | {"XDG_CURRENT_DESKTOP": "XFCE"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.split() == ["False", "True"], done.stderr
