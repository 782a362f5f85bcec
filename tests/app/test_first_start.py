"""The window of a first start needs only the first set, and becomes the program when the rest is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Stands for dev.py: the rest is there when the test says so.
FINISH = """
import json, time
from pathlib import Path
here = Path(__file__).parent
print(json.dumps({"step": "packages", "bytes": 10, "of_bytes": 40}), flush=True)
while not (here / "go").exists():
    time.sleep(0.02)
print(json.dumps({"done": True}), flush=True)
"""

# A program of its own, in which every package that is not of the first set is absent until the rest is there.
WALK = """
import importlib.metadata, json, re, sys
from pathlib import Path

root, folder = sys.argv[1], Path(sys.argv[2])
sys.path.insert(0, root)
from bootstrap.first_window import FIRST

def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()

# Of the standard library, of this tree, and what an interpreter brings.
free = set(sys.stdlib_module_names) | {"desktop", "bootstrap", "_distutils_hack", "__main__"}
absent = {
    top
    for top, owners in importlib.metadata.packages_distributions().items()
    if top not in free and not any(plain(owner) in FIRST for owner in owners)
}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            # The finders after this one would find it: the environment of the tests has everything.
            for finder in sys.meta_path:
                if type(finder).__module__ == "desktop.system.installation":
                    return finder.find_spec(name.partition(".")[0])
            raise ModuleNotFoundError(name)
        return None

blocker = Absent()
sys.meta_path.insert(0, blocker)
from desktop.cli import build_core, run_desktop, start_logging
from desktop.paths import Paths

paths = Paths.under(folder / "profile")
start_logging(paths, None)
core = build_core(paths)
seen = []

from PySide6.QtCore import QTimer
from desktop.app import first_start

class Walk(first_start.FirstStart):
    async def live(self):
        QTimer.singleShot(0, self.walk)
        self.installation.done.connect(lambda: sys.meta_path.remove(blocker))
        whole = await super().live()
        seen.append("whole" if whole else "quit")
        QTimer.singleShot(0, look)
        global made
        made = self._windows
        return whole

    def walk(self):
        window = self._windows.first_run_window
        seen.append(window.pages.currentWidget().objectName())
        window._begin_setup()
        seen.append(window.pages.currentWidget().objectName())
        # Started with the computer before the end, the environment may lack what a start imports.
        seen.append(window._setup_page._autostart._command[1] == str(folder / "finish.py"))
        window._on_back()
        window.choose_page.all_button.click()
        try:
            import numpy
        except ImportError as error:
            seen.append(type(error).__name__)
        window.choose_page.skip_button.click()
        seen.append(window.pages.currentWidget().objectName())
        (folder / "go").touch()

def look():
    if "chat" in made.desktop.__dict__ and made.desktop.chat.isVisible():
        seen.append("chat")
        made.desktop.quit()
    else:
        QTimer.singleShot(20, look)

first_start.FirstStart = Walk
code = run_desktop(core, finish_with=folder / "finish.py")
core.close()
print(json.dumps([code, seen]))
"""


@pytest.mark.desktop
def test_the_first_window_needs_only_the_first_set(tmp_path: Path) -> None:
    """All of its pages are walked while every other package is absent; then the chat opens by itself, in the
    same process.
    """
    (tmp_path / "finish.py").write_text(FINISH)
    command = [sys.executable, "-P", "-c", WALK, str(ROOT), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    code, seen = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert seen == ["choose_page", "setup_page", True, "NotInstalledYet", "wait_page", "whole", "chat"]
    assert "NotInstalledYet" not in done.stderr  # nobody else asked for a package that is not there
