"""Six servers of tools from their packages, driven by the recommended model through the real window.

STEWARD_TEST_SERVERS names the folder that holds them: `npm install @modelcontextprotocol/server-filesystem
@modelcontextprotocol/server-everything @modelcontextprotocol/server-memory` in it, and beside `node_modules`
an environment `py` with `mcp-server-git`, `mcp-server-fetch` and `mcp-server-time`; where there is Node,
`npm install` in its `readabilipy/javascript`, which the server of pages else tries at its first call. Asked
is as a person asks, the permission window is answered by its key, and what came of it is looked at on the
disk."""

from __future__ import annotations

import http.server
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.app import Services
from desktop.chat.store import Message, MessageStatus, Role
from tests.bench.mcp import entries_of
from tests.flows.desktop_session import DesktopSession, stop, wait_for
from tests.flows.test_memory_window import with_model

pytestmark = [pytest.mark.desktop, pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(1500)]

SERVERS = os.environ.get("STEWARD_TEST_SERVERS", "")
ANSWER_S = 300.0
ALLOW_ONCE = "alt+a"
PAGE = """<html><head><title>Opening hours</title></head><body><h1>Town library</h1>
<p>The library opens at 10 o'clock from Tuesday to Saturday. On Mondays it is closed.</p></body></html>"""


class Library(http.server.BaseHTTPRequestHandler):
    """One page on loopback; there are no rules for robots."""

    def do_GET(self) -> None:
        is_page = self.path == "/hours"
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode() if is_page else b"")

    def log_message(self, *_about: object) -> None:
        """Nothing: the test asserts what was asked for."""


@contextmanager
def library() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Library) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/hours"
        server.shutdown()
        thread.join()


@dataclass
class Desk:
    """The program on its desktop, and the person before it."""

    session: DesktopSession
    core: Services
    repository: Path
    pictures: Path

    def ask(self, question: str, picture: str = "") -> list[Message]:
        """Typed; questions are allowed once. What was said and called from then on, without the question."""
        before = {message.id for message in self._messages()}
        self.session.type(question)
        self.session.key("Return")
        wait_for(lambda: self._has_answered(before, picture), question, ANSWER_S)
        if picture:
            time.sleep(1.0)  # the last repaint
            self.session.screenshot(self.pictures / f"servers-{picture}.png")
        new = [each for each in self._messages() if each.id not in before]
        for each in new:  # shown where a test fails, and with -s
            called = f"{each.tool.name} {dict(each.tool.arguments)} {each.tool.ending}" if each.tool else ""
            print(f"{each.role}: {called} {each.text[:700]!r}")
        return [each for each in new if each.role is not Role.USER]

    def _messages(self) -> list[Message]:
        newest = max((each.id for each in self.core.store.conversations()), default=0)
        return list(self.core.store.messages(newest, limit=None))

    def _has_answered(self, before: set[int], picture: str) -> bool:
        if self.session.windows("Permission"):
            self.session.activate_window("Permission")
            time.sleep(0.8)  # keys count half a second after the window has become active
            if picture:
                self.session.screenshot(self.pictures / f"servers-{picture}-asked.png")
            with suppress(AssertionError):
                self.session.key(ALLOW_ONCE)
            time.sleep(0.5)
        said = [each for each in self._messages() if each.id not in before and each.role is Role.ASSISTANT]
        return bool(said) and said[-1].status is not MessageStatus.STREAMING

    def new_chat(self) -> None:
        self.session.key("ctrl+n")


@pytest.fixture
def desk(session: DesktopSession, tmp_path: Path, artefacts: Path) -> Iterator[Desk]:
    """The six are set up, and there is a repository with one changed file."""
    if not SERVERS:
        pytest.skip("STEWARD_TEST_SERVERS names no folder with the servers")
    repository = tmp_path / "garden"
    git = ("git", "-C", str(repository), "-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    (repository / "plants.md").write_text("# Plants\n\n- three tomatoes\n- one fig\n", encoding="utf-8")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "The first bed"], check=True)
    (repository / "plants.md").write_text("# Plants\n\n- seven tomatoes\n- one fig\n", encoding="utf-8")
    core = with_model(tmp_path / "profile")
    entries = entries_of(Path(SERVERS), repository, repository)
    # By itself it fetches from public addresses only, and the test's page is on this computer.
    entries["fetch"]["command"].append("--allow-private-ips")
    for name, entry in entries.items():
        core.server_setup.add(name, entry, {})
        core.servers.stop(name)
    program = session.start("--profile", str(tmp_path / "profile"), HOME=str(tmp_path))
    try:
        session.activate_window("^Steward$")
        yield Desk(session, core, repository, artefacts)
    finally:
        stop(program)
        core.close()


def calls(said: list[Message]) -> list[str]:
    return [each.tool.name for each in said if each.tool is not None]


def words(said: list[Message]) -> str:
    """Of the last answer."""
    return said[-1].text


def test_a_repository_and_a_file_there(desk: Desk) -> None:
    """What changed is told from the server of Git; "there" is its repository, in which the server of files
    writes, asked about in the window, and by which nothing else is touched."""
    said = desk.ask("What changed in this repository?", "git")
    assert calls(said) == ["git_diff_unstaged"]
    assert "tomato" in words(said), words(said)
    facts = "the fence is green, the gate squeaks, the pond has six fish"
    said = desk.ask(f"Put these three facts into a file there: {facts}.", "write")
    assert calls(said) == ["filesystem_write_file"]
    (made,) = set(desk.repository.iterdir()) - {desk.repository / ".git", desk.repository / "plants.md"}
    kept = made.read_text("utf-8").casefold()
    assert all(fact in kept for fact in facts.replace("the ", "").split(", ")), kept
    assert made.name in words(said), words(said)
    assert list(desk.core.workspace.root.iterdir()) == []


def test_something_kept_and_found_again(desk: Desk) -> None:
    """The knowledge graph has it on the disk, and tells it when it is asked."""
    said = desk.ask("Create an entity Anna, a person who likes tea, in the knowledge graph.", "memory")
    assert calls(said) == ["create_entities"]
    assert "Anna" in (desk.repository / "memory.json").read_text("utf-8")
    said = desk.ask("What does the knowledge graph say about Anna?", "memory-read")
    assert "tea" in words(said), words(said)


def test_a_time_there_and_what_was_said(desk: Desk) -> None:
    """Two chats, each with a server of its own."""
    said = desk.ask("Convert 16:30 from Berlin to Tokyo time.", "time")
    assert calls(said) == ["convert_time"]
    # Tokyo has no summer time, Berlin has.
    assert any(hour in words(said) for hour in ("23:30", "00:30")), words(said)
    desk.new_chat()
    said = desk.ask("Echo the words good morning garden.", "everything")
    assert calls(said) == ["echo"]
    assert "good morning garden" in words(said).casefold(), words(said)


def test_a_page_of_this_computer(desk: Desk) -> None:
    """Fetched after the question whether it may, and what was asked is told from it."""
    with library() as page:
        said = desk.ask(f"With the fetch server, get {page} and tell me when the library opens.", "fetch")
    assert calls(said) == ["fetch"]
    assert "10" in words(said), words(said)
    assert "Tuesday" in words(said), words(said)
