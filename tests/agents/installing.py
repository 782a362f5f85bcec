"""What tests of the installer share: a home, settings as people have them, a daemon that answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop.agents.agent_list import AGENTS
from desktop.agents.install import Installer
from desktop.agents.settings_file import Computer
from desktop.agents.tokens import Tokens
from desktop.paths import Paths
from desktop.settings import HookSettings
from tests.agents.agent_cases import all_cases
from tests.agents.answering import Answer, Answering, says

INSTALLABLE = tuple(each.name for each in AGENTS if each.programs)
SETTINGS = {each.agent: each.settings for each in all_cases() if each.agent in INSTALLABLE}
CASES = [(agent, text) for agent, texts in SETTINGS.items() for text in (*texts, None)]
SHARED = [case for case in CASES if SETTINGS[case[0]]]  # files in which ours stands beside the user's


@dataclass
class Home:
    """A user's home with one profile of Steward."""

    paths: Paths
    computer: Computer
    port: int = 47615
    fail_closed: tuple[str, ...] = ()

    @property
    def tokens(self) -> Tokens:
        return Tokens(self.paths)

    @property
    def installer(self) -> Installer:
        settings = HookSettings(port=self.port, fail_closed=list(self.fail_closed))
        return Installer(self.paths, self.tokens, settings, self.computer)

    def file(self, agent: str) -> Path:
        return self.installer.place(agent).file

    def put(self, agent: str, text: str | None) -> Path:
        """Give the agent these settings; None: it was started but has none."""
        file = self.file(agent)
        self.installer.place(agent).folder.mkdir(parents=True, exist_ok=True)
        if text is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        return file

    def bytes_of(self, agent: str) -> bytes | None:
        file = self.file(agent)
        return file.read_bytes() if file.exists() else None


def everything_in(folder: Path) -> dict[str, bytes | str]:
    """Every file below, with what is in it; links by where they point."""
    return {
        str(each.relative_to(folder)): f"-> {each.readlink()}" if each.is_symlink() else each.read_bytes()
        for each in folder.rglob("*")
        if each.is_symlink() or each.is_file()
    }


NO_OPINION = says()


class Daemon(Answering):
    """Proves itself and has no opinion, as the real server for whoever has a token that did not end."""

    def __init__(self, paths: Paths, path: Path | None = None, answer: Answer = NO_OPINION) -> None:
        self._paths = paths
        super().__init__(answer, path, tokens=self._known)

    def _known(self) -> tuple[str, ...]:
        files = (self._paths.config / "hook_tokens").glob("*.token")
        tokens = [each.read_text().splitlines()[0] for each in files]
        return tuple(each for each in tokens if Tokens(self._paths).agent_of(each) is not None)
