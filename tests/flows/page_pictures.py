"""Pictures of pages for the documents: `python -m tests.flows.page_pictures [NAME …]`.

They need neither a model nor a coding agent: the real program shows a profile that is filled here.
`pictures.py` makes those that need one; the rest were made by hand, and `BY_HAND` says of what.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bootstrap.native import build_native
from desktop.agents.install import Installer
from desktop.agents.settings_file import Computer
from desktop.app import Services, build_core
from desktop.chat.destinations import Agreed, Destinations, written_by
from desktop.chat.intent_words import say
from desktop.chat.messages import ToolRecord
from desktop.chat.projects import ChatProject
from desktop.chat.receipts import told_difference
from desktop.chat.store import AnswerEnding, MessageStatus, Role
from desktop.extensions.authoring import shipped
from desktop.gate.grants import Covers, GrantKind, GrantScope
from desktop.gate.reasons import GateReason
from desktop.offload.history import CommandRecord, History
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.schedules import Scheduling
from desktop.tools.times import local_now
from tests.extensions.world import package
from tests.flows.desktop_session import DesktopSession, desktop_session, settle, stop, wait_for
from tests.flows.pictures import IMAGES, OWN_RULES
from tests.models.tiny_gguf import TinyGguf

SCREEN = "1180x860x24"
WIDE, TALL = 1000, 760  # of the window of the pages
HOUR_S = 3600.0
UP, DOWN = "4", "5"  # what X calls the turns of the wheel

# What is shown that no script makes: the answers of a model, or several programs at once.
BY_HAND = {
    "chat-folder.png": "an answer of the model from a folder of texts",
    "first-run-set-up.png": "the first start of a checkout without its packages",
    "fix-escalated.png": "`steward fix` with a check that three tries do not solve",
    "fix-solved.png": "tests/flows/test_fix.py with STEWARD_FIX_PICTURES, a check that the second try solves",
    "formulas.png": "an answer with formulas, a table and tasks",
    "parts.png": "a long text, read part by part by the model",
    "selected-text.png": "text of another program's window, rewritten",
    "selection.png": "a rewritten sentence in the message box",
}

# What the programs of the picture "servers" say of themselves; each is a small script of that name.
SERVER_TOOLS: Mapping[str, Mapping[str, str]] = {
    "mcp-server-git": {
        "git_status": "Shows the working tree status",
        "git_diff_unstaged": "Shows changes in the working directory that are not yet staged",
        "git_log": "Shows the commit logs",
        "git_show": "Shows the contents of a commit",
    },
    "mcp-server-filesystem": {
        "read_text_file": "Reads a file as text",
        "write_file": "Makes a file or replaces its content",
        "list_directory": "Lists what is in a folder",
    },
    "mcp-server-time": {
        "get_current_time": "Tells the time in a time zone",
        "convert_time": "Converts a time between time zones",
    },
}
SKY = (
    "Air scatters short waves of light more than long ones, so blue reaches the eye from everywhere. "
    "At sunset the way through the air is long, and what is left is red."
)
DIFFERENCE = """diff --git a/plants.md b/plants.md
--- a/plants.md
+++ b/plants.md
@@ -1,3 +1,4 @@
 fig
-tomatoes 3
+tomatoes 7
+basil
 beans"""
# Asked, the tool, why it could run, what it said, and what Steward makes of that where it is no difference.
SERVED = (
    ("What changed in this repository?", "git_diff_unstaged", GateReason.IT_ONLY_READS.of(), DIFFERENCE, ""),
    (
        "Put these facts into facts.txt there: the fence is green, the pond has six fish.",
        "filesystem_write_file",
        GateReason.ALLOWED_BY_THE_USER.of(),
        "Successfully wrote to facts.txt",
        say("served", "en", a="write_file", b="filesystem", c="```\nSuccessfully wrote to facts.txt\n```"),
    ),
)
SERVER = """#!{python}
import json, sys
TOOLS = {tools!r}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        result = {{"protocolVersion": version, "capabilities": {{"tools": {{}}}},
                  "serverInfo": {{"name": "pictured", "version": "1"}}}}
    else:
        texts = {{each: {{"type": "string"}} for each in ("path", "content")}}
        schema = {{"type": "object", "properties": texts}}
        result = {{"tools": [{{"name": name, "description": said, "inputSchema": schema}}
                            for name, said in TOOLS.items()]}}
    print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*SCENES, []], help="all of them where none is named")
    names = parser.parse_args().names or list(SCENES)
    home = Path(tempfile.gettempdir()) / "ada"  # a name that tells nothing of whose computer it was
    home.mkdir()
    try:
        with desktop_session(SCREEN) as session:
            session.environment["HOME"] = str(home)
            for name in names:
                core = _core(home, name)
                try:
                    SCENES[name](session, core, home)
                finally:
                    core.close()
    finally:
        shutil.rmtree(home)


def _core(home: Path, name: str) -> Services:
    core = build_core(Paths.under(home / "profiles" / name))
    core.settings.change("window", "set_up", True)
    core.settings.change("chat", "workspace", str(home / "Steward"))
    return core


def _add_model(core: Services) -> None:
    """A file in place of one, so that there are chats; a scripted model answers."""
    own = core.paths.models / "model.gguf"
    own.parent.mkdir(parents=True)
    own.write_bytes(TinyGguf().content)
    sha256 = hashlib.sha256(own.read_bytes()).hexdigest()
    core.library.add_downloaded("qwen2.5-coder-1.5b", "Qwen2.5 Coder 1.5B Instruct", own, sha256)
    core.settings.change("model", "active", "qwen2.5-coder-1.5b")


@contextmanager
def _page(session: DesktopSession, core: Services, title: str, **more: str) -> Iterator[str]:
    """The window with this page: from the tray, then page by page."""
    icons = len([fact for fact in session.facts if "item" in fact])
    program = session.start("--profile", str(core.paths.profile), "run", "--hidden", **more)
    try:
        wait_for(lambda: len([fact for fact in session.facts if "item" in fact]) > icons, "the icon")
        session.choose_in_tray("Settings")
        window = session.activate_window("^Settings")
        settle(program)
        while not session.run("xdotool", "getwindowname", window).startswith(title):
            session.key("ctrl+Next")
            settle(program)
        session.run("xdotool", "windowsize", "--sync", window, str(WIDE), str(TALL))
        settle(program)
        yield window
    finally:
        stop(program)


def _turn_wheel(session: DesktopSession, window: str, button: str) -> None:
    """To the beginning or the end of what scrolls."""
    session.run("xdotool", "mousemove", "--window", window, "560", "600")
    session.run("xdotool", "click", "--repeat", "40", button)


def _take(session: DesktopSession, window: str, name: str) -> None:
    time.sleep(0.8)  # the window manager's frame and the last repaint
    session.run("import", "-window", window, str(IMAGES / name))


def _permissions(session: DesktopSession, core: Services, home: Path) -> None:
    """Project mode, what was allowed; then what an agent allows by itself, and a wrapper."""
    shop, api = home / "work" / "shop", home / "work" / "api"
    for folder in (shop, api):
        folder.mkdir(parents=True)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"allow": OWN_RULES}}))
    core.settings.change("gate", "wrappers", ["rtk"])
    core.grants.add(
        GrantScope.WEEK, Covers("exec_command of codex", GrantKind.PROGRAM, "go test", api.resolve())
    )
    project = core.projects.begin(shop, time.time() + 5 * HOUR_S)
    for _ in range(4):
        core.projects.use(project)
    core.projects.close()  # writes what was counted
    hooks = core.settings.current.hooks
    Installer(core.paths, core.tokens, hooks, Computer(home, session.environment)).install("claude-code")
    with _page(session, core, "Permissions") as window:
        _take(session, window, "permissions.png")
        _turn_wheel(session, window, DOWN)
        _take(session, window, "agent-rules.png")


def _programs(session: DesktopSession, core: Services, _home: Path) -> None:
    """Two that have asked, and one that has not."""
    core.settings.change("api", "enabled", True)
    for name in ("continue", "llm", "opencode"):
        core.program_tokens.make(name)
    for _ in range(38):
        core.program_log.answered("continue", 1268, 161)
    core.program_log.answered("llm", 902, 311)
    core.program_log.refused("llm")
    core.program_log.close()
    with _page(session, core, "Programs") as window:
        _take(session, window, "programs.png")


def _add_servers(session: DesktopSession, core: Services, home: Path) -> None:
    """Three; they are as little as they say."""
    programs = home / "bin"
    programs.mkdir(exist_ok=True)  # two scenes have them
    for name, tools in SERVER_TOOLS.items():
        (programs / name).write_text(SERVER.format(python=sys.executable, tools=dict(tools)))
        (programs / name).chmod(0o755)
    notes = home / "Notes"
    notes.mkdir(exist_ok=True)
    os.environ["PATH"] = session.environment["PATH"] = f"{programs}:{session.environment['PATH']}"
    build_native()  # what confines them
    entries = {
        "git": {"command": ["mcp-server-git"]},
        "notes": {"command": ["mcp-server-filesystem", str(notes)], "folders": [str(notes)]},
        "time": {"command": ["mcp-server-time"]},
    }
    for name, entry in entries.items():
        core.server_setup.add(name, entry, {})
        core.servers.stop(name)


def _servers(session: DesktopSession, core: Services, home: Path) -> None:
    """Three, and the tools of the first."""
    _add_servers(session, core, home)
    with _page(session, core, "Servers") as window:
        session.key("Tab", "space")
        time.sleep(0.8)  # its tools come into sight first
        _turn_wheel(session, window, UP)
        _take(session, window, "servers.png")


def _server_question(session: DesktopSession, core: Services, home: Path) -> None:
    """What is asked before a server's tool writes."""
    _add_servers(session, core, home)
    _add_model(core)
    program = session.run_module("tests.flows.served_call_program", str(core.paths.profile))
    try:
        window = session.activate_window("Permission")
        settle(program)
        _take(session, window, "servers-permission.png")
        session.key("Escape")
    finally:
        stop(program)


def _served_chat(session: DesktopSession, core: Services, _home: Path) -> None:
    """What a tool that looks up has found, and what one that acts has said."""
    chat = core.store.create("The garden").id
    for asked, name, why, said, written in SERVED:
        _question, empty = core.store.open_turn(chat, asked)
        core.store.remove(empty.id)
        record = ToolRecord("1", name, {}, CallStatus.DONE, seconds=0.3, why=why)
        core.store.close_call(core.store.add_call(chat, record).id, record, said)
        found = CallResult(Call("1", name, {}), CallStatus.DONE, said)
        core.store.add(chat, Role.ASSISTANT, told_difference((found,), asked) or written)
    _add_model(core)
    program = session.run_module("tests.flows.scripted_program", str(core.paths.profile))
    try:
        window = session.activate_window("Steward$")
        session.run("xdotool", "windowsize", "--sync", window, "960", "720")
        session.key("F6", "Home", "Return")
        settle(program)
        session.run("xdotool", "mousemove", "0", "0")  # nothing is pointed at
        settle(program)
        _take(session, window, "servers-chat.png")
    finally:
        stop(program)


def _remote(session: DesktopSession, core: Services, _home: Path) -> None:
    """A chat that a server answers, which is nowhere."""
    server = {"url": "https://models.example.org/v1", "model": "qwen3-32b"}
    core.settings.put("engines", "servers", "office", server)
    chat = core.store.create("Why the sky is blue").id
    core.turns.choose_server(chat, "office")
    destinations = Destinations(core.database)
    chosen = destinations.of(chat)
    assert chosen is not None
    destinations.agree(chat, chosen, "https://models.example.org", Agreed())
    _asked, empty = core.store.open_turn(chat, "Why is the sky blue?")
    core.store.grow(empty.id, SKY, "")
    wrote = written_by("qwen3-32b", "models.example.org")
    core.store.close_answer(empty.id, AnswerEnding(MessageStatus.COMPLETE, wrote, None, 41, 38.2, 1.4))
    _add_model(core)
    program = session.run_module("tests.flows.scripted_program", str(core.paths.profile))
    try:
        window = session.activate_window("Steward$")
        session.run("xdotool", "windowsize", "--sync", window, "960", "640")
        session.key("F6", "Home", "Return")
        settle(program)
        session.run("xdotool", "mousemove", "0", "0")  # nothing is pointed at
        session.type("And on Mars?")
        settle(program)
        _take(session, window, "remote.png")
    finally:
        stop(program)


def _remote_question(session: DesktopSession, core: Services, home: Path) -> None:
    """What is asked before the first sentence of a chat goes to a server."""
    server = {"url": "https://models.example.org/v1", "model": "qwen3-32b"}
    core.settings.put("engines", "servers", "office", server)
    chat = core.store.create("Why the sky is blue").id
    for asked, answered in (("Why is the sky blue?", SKY), ("And at noon?", "Then it is palest.")):
        _question, empty = core.store.open_turn(chat, asked)
        core.store.grow(empty.id, answered, "")
        core.store.close_answer(empty.id, AnswerEnding(MessageStatus.COMPLETE, "Tiny", None, 41, 38.2, 1.4))
    core.turns.choose_server(chat, "office")
    core.settings.change("chat", "workspace", str(home / "Documents"))
    _add_model(core)
    program = session.run_module("tests.flows.scripted_program", str(core.paths.profile))
    try:
        session.activate_window("Steward$")
        session.key("F6", "Home", "Return")
        settle(program)
        session.type("And on Mars?")
        session.key("Return")
        window = session.activate_window("Send this chat")
        settle(program)
        _take(session, window, "remote-question.png")
        session.key("Escape")
    finally:
        stop(program)


def _extensions(session: DesktopSession, core: Services, home: Path) -> None:
    """The three that come with Steward; the settings of one; an update that may do more."""
    registry = core.extensions.registry
    for folder in shipped().values():
        registry.accept(registry.install(folder).id, on=True)
    with _page(session, core, "Extensions") as window:
        _take(session, window, "extensions.png")
    for each in registry.installed():
        registry.remove(each.id)
    for name in ("expand", "units"):
        registry.accept(registry.install(shipped()[name]).id, on=True)
    more = 'name = "Weather"\ndescription = "Says what the weather is where an answer asks for it."\n'
    sends = 'state = true\nhosts = ["api.example.org"]'
    registry.install(package(home / "weather", "", ("on_llm_output",), more=more, permissions=sends))
    with _page(session, core, "Extensions") as window:
        session.key("Tab", "Tab", "Tab", "Tab", "space")
        _take(session, window, "extension-settings.png")
    for each in registry.installed():
        registry.remove(each.id)
    first = package(home / "update", "", ("on_llm_output",), more=more, permissions="state = true")
    registry.accept(registry.install(first).id, on=True)
    second = package(home / "update", "", ("on_llm_output",), version="2.0", more=more, permissions=sends)
    registry.install(second)
    with _page(session, core, "Extensions") as window:
        _take(session, window, "extension-update.png")


def _schedules(session: DesktopSession, core: Services, _home: Path) -> None:
    """A question, one that is switched off, and a reminder that repeats."""
    scheduling = Scheduling(core.reminders, local_now)
    scheduling.schedule_question("What is in my notes for today?", "every weekday at 8")
    scheduling.schedule_question("Summarise week.md in three sentences", "every Friday at 17:00")
    off = core.reminders.schedules()[-1].reminder
    core.reminders.set_on(off.id, False)
    rent = read_when("on the 1st of every month at 10", local_now())
    core.reminders.add("Pay the rent", rent.at, rent.repeats)
    with _page(session, core, "Schedules") as window:
        _take(session, window, "schedules.png")


def _projects(session: DesktopSession, core: Services, home: Path) -> None:
    """Two, one with instructions."""
    for name, said in (("Garden", ""), ("Letters", "Answer formally, in British English.")):
        folder = home / name.lower()
        folder.mkdir()
        made = core.chat_projects.save(ChatProject(name, folder=str(folder), instructions=said))
        for title in ("Seeds", "Beds")[: len(name) - 5]:
            core.store.add(core.store.create(title, project_id=made.id).id, Role.USER, f"{title}?")
    with _page(session, core, "Projects") as window:
        _take(session, window, "projects.png")


# Answers for machines that are not there. One of them is away.
SSH = """#!/bin/sh
case "$*" in
  *attic.invalid*)
    echo 'ssh: Could not resolve hostname attic.invalid: Name or service not known' >&2; exit 255;;
  *login.example.org*bash*) load=2.0;;
  *bash*) load=1.4;;
  *) exit 0;;
esac
printf 'system Linux x86_64 glibc 2.36\\ncores 16\\nload %s\\nfree 84000000\\n' $load
"""


def _workers(session: DesktopSession, core: Services, home: Path) -> None:
    """Three machines, one away, and what ran on them; then what three builds have sent."""
    programs, shop = home / "ssh", str(home / "work" / "shop")
    programs.mkdir()
    (programs / "ssh").write_text(SSH)
    (programs / "ssh").chmod(0o755)
    core.settings.change("offload", "enabled", True)
    workers = WorkerFile(core.paths)
    workers.put(Worker("tower", "tower", (str(home / "work"),)))
    workers.put(Worker("cluster", "login.example.org", (shop,), partition="short"))
    workers.put(Worker("attic", "attic.invalid", (str(home / "work"),)))
    history, began = History(core.paths), time.time()

    def run(*table: tuple[str, float, str, int | None, float, float, int]) -> None:
        for command, at, worker, code, took_s, saved_s, sent_bytes in table:
            name = command.replace(" ", "-")
            job = CommandRecord(
                name, began + at, shop, command, command, worker, worker, code, took_s, saved_s
            )
            job = replace(job, sent_bytes=sent_bytes, sent_files=1 + sent_bytes // 60, fetched_bytes=16_000)
            history.put(replace(job, is_over=True, has_left=bool(worker)))

    run(
        ("cargo test --workspace", -900, "tower", 101, 12.2, 141.5, 20_000),
        ("make -j8", -600, "cluster", 0, 31.2, 241.5, 1_200_000),
        ("pytest -q", -300, "", 0, 3.2, 0.0, 0),
        ("make check", -120, "tower", None, 44.0, 0.0, 2_000),
    )
    with _page(session, core, "Workers", PATH=f"{programs}:{session.environment['PATH']}") as window:
        began = time.time()
        run(
            ("make lint", 0, "tower", 0, 1.6, 9.1, 209),
            ("make docs", 2, "tower", 0, 0.6, 4.0, 48),
            ("make test", 4, "tower", 0, 1.0, 6.0, 32),
        )
        time.sleep(4)  # for the machines, and for the clock that reads what has left
        _take(session, window, "workers.png")
        while not session.run("xdotool", "getwindowname", window).startswith("Network"):
            session.key("ctrl+Prior")
            time.sleep(0.5)
        time.sleep(2)
        _take(session, window, "network-workers.png")


SCENES: Mapping[str, Callable[[DesktopSession, Services, Path], None]] = {
    "permissions": _permissions,
    "programs": _programs,
    "servers": _servers,
    "extensions": _extensions,
    "schedules": _schedules,
    "projects": _projects,
    "workers": _workers,
    "server question": _server_question,
    "remote": _remote,
    "remote question": _remote_question,
    "served chat": _served_chat,
}


if __name__ == "__main__":
    main()
