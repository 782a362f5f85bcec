"""What is under way when the plug is pulled: work that tells what it has promised, and what holds it to that.

`work` runs in a process of its own, which is killed at a random moment. It calls `ack` after each thing that
the program would have told its user; what was acknowledged must be there afterwards, and nothing may be half
there. `check` runs in the test's process, as the next start would find the profile.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.agents.settings_file import Computer
from desktop.app import Services, build_core
from desktop.backup.restore import finish, inspect, prepare
from desktop.backup.write import write_backup
from desktop.chat.export_import import ChatsForm, ConversationForm, MessageForm
from desktop.chat.messages import Role
from desktop.chat.projects import ChatProject
from desktop.chat.store import ChatStore
from desktop.database import Connection, Database
from desktop.engine.remote import Keyring as EngineKeyring
from desktop.engine.remote import RemoteSetup
from desktop.events import Bus
from desktop.extensions.registry import Registry
from desktop.extensions.state import StateStore
from desktop.gate.undo import undo
from desktop.mcp.pins import Pins, ToolPin, pin
from desktop.mcp.setup import Keyring as ServerKeyring
from desktop.mcp.setup import ServerSetup
from desktop.memory.capture import TrajectoryEvent
from desktop.models.download import Downloader
from desktop.offload.history import CommandRecord, History
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths
from desktop.sandbox.workspace import Workspace
from desktop.server.openai.programs import ProgramTokens
from desktop.system.secrets import Secrets
from desktop.temporary import temporary_folder
from desktop.tools.files import FileOperations
from desktop.tools.schedules import Scheduling
from tests.agents.installing import SETTINGS, Home
from tests.extensions.world import package
from tests.models.a_download import SHA256, a_file
from tests.models.conftest import QUICK

Ack = Callable[[Any], None]
OLD = "old.sqlite3"
MANY = 25  # conversations of one import
TEXT = "x" * 20_000


def whole(file: Path) -> bool:
    """Whether SQLite finds nothing wrong with a database, after its log has been replayed."""
    if not file.exists():
        return True
    with closing(sqlite3.connect(file)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok")


def paths_of(root: Path) -> Paths:
    return Paths.under(root / "profile")


@dataclass(frozen=True)
class Scenario:
    """`prepare` sets the scene. The last argument of `work` is the address of a server of files."""

    name: str
    work: Callable[[Path, Ack, str], None]
    check: Callable[[Path, list[Any]], None]
    prepare: Callable[[Path], None] = lambda _root: None


# -- conversations --------------------------------------------------------------------------------


def stream(root: Path, ack: Ack, _needs: str) -> None:
    core = build_core(paths_of(root))
    for number in itertools.count():
        conversation = core.store.create(f"chat {number}").id
        core.store.add(conversation, Role.USER, f"question {number}")
        answer = core.store.open_answer(conversation)
        said = ""
        for piece in range(12):
            part = f"[{number}.{piece}]"
            core.store.grow(answer.id, part, "")
            said += part
            ack([answer.id, said])


def check_stream(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    try:
        shown = dict(map(tuple, acks))
        for number, said in shown.items():
            assert core.store.message(number).text.startswith(said)
    finally:
        core.close()


def chats(number: int) -> ChatsForm:
    when = "2026-01-02T03:04:05Z"
    message = MessageForm.model_validate({"id": 1, "role": "user", "text": TEXT, "created_at": when})
    made = [
        ConversationForm.model_validate(
            {"title": f"{number}.{each}", "created_at": when, "updated_at": when, "messages": [message]}
        )
        for each in range(MANY)
    ]
    return ChatsForm(conversations=tuple(made))


def bring_in(root: Path, ack: Ack, _needs: str) -> None:
    core = build_core(paths_of(root))
    for number in itertools.count():
        core.exchange.import_chats(chats(number))
        ack(number)


def check_import(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    try:
        titles = [each.title for each in core.store.conversations(limit=-1)]
        counted = dict.fromkeys(acks, 0)
        for title in titles:
            number = int(title.partition(".")[0])
            counted[number] = counted.get(number, 0) + 1
        assert set(counted.values()) <= {MANY}, counted
    finally:
        core.close()


# -- files ----------------------------------------------------------------------------------------


def files_of(core: Services, root: Path) -> FileOperations:
    return FileOperations(Workspace(root / "workspace"), core.journal, lambda *_: None)


def make_workspace(root: Path) -> None:
    (root / "workspace").mkdir()


def content(number: int) -> str:
    return f"version {number}\n" + f"{number}" * 5_000 + f"\nend of {number}"


def versions(file: Path) -> int:
    """Which version the file holds, whole; -1 where there is none."""
    if not file.exists():
        return -1
    said = file.read_text(encoding="utf-8")
    number = int(said.split()[1])
    assert said == content(number), "half a file"
    return number


def write(root: Path, ack: Ack, _needs: str) -> None:
    core = build_core(paths_of(root))  # held: once it is collected nobody sees that this process is here
    files = files_of(core, root)
    for number in itertools.count():
        files.write_file("notes.txt", content(number), call=f"call-{number}")
        ack(number)


def check_write(root: Path, acks: list[Any]) -> None:
    latest = versions(root / "workspace" / "notes.txt")
    assert latest >= max(acks, default=-1)
    core = build_core(paths_of(root))
    try:
        core.journal.tidy()
        # The newest may be of a write that never happened: undo_controller that changes nothing.
        for entry in core.journal.entries()[:2] if latest > 0 else ():
            undo(core.journal, entry.id)
            if versions(root / "workspace" / "notes.txt") != latest:
                break
        assert versions(root / "workspace" / "notes.txt") == latest - 1 or latest <= 0
    finally:
        core.close()


def take_back(root: Path, ack: Ack, _needs: str) -> None:
    core = build_core(paths_of(root))
    files = files_of(core, root)
    files.write_file("notes.txt", content(0))
    for number in itertools.count(1):
        change = files.write_file("notes.txt", content(number)).changes[-1]
        undo(core.journal, change)
        ack(number)


def check_take_back(root: Path, acks: list[Any]) -> None:
    """Every version was taken back again, but the one that was under way."""
    under_way = max(acks, default=0) + 1
    found = versions(root / "workspace" / "notes.txt")
    assert found in (0, under_way) or (found == -1 and not acks)


# -- memory, log, settings ------------------------------------------------------------------------


def capture(root: Path, ack: Ack, _needs: str) -> None:
    """A thousand a second and more: as fast as the queue takes them."""
    core = build_core(paths_of(root))
    taken = 0
    while True:
        for number in range(50):
            arguments = {"path": f"{taken + number}.txt"}
            core.memory.capture.capture(TrajectoryEvent("read_file", True, arguments=arguments, session="1"))
        taken += 50
        core.memory.capture.flush()
        ack(core.memory.capture.figures.written)


def check_capture(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    try:
        # By number: the oldest go where there are more than are kept.
        sql = "SELECT coalesce(max(id), 0) FROM memory_events"
        kept = int(core.database.read(lambda c: c.execute(sql).fetchone()[0]))
        assert kept >= max(acks, default=0)
    finally:
        core.close()


def log_verdicts(root: Path, ack: Ack, _needs: str) -> None:
    core = build_core(paths_of(root))
    for number in itertools.count():
        ack(core.audit.append("hook", {"number": number, "text": "ls"}))


def check_log(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    try:
        assert core.audit.verify().is_whole
        assert len(core.audit.records()) >= min(len(acks), 100)
    finally:
        core.close()


def set_up(root: Path, ack: Ack, _needs: str) -> None:
    core = build_core(paths_of(root))
    for number in itertools.count():
        core.settings.change("chat", "system_prompt", f"prompt {number}")
        ack(number)


def check_set_up(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    try:
        prompt = core.settings.current.chat.system_prompt
        assert not acks or int(prompt.split()[1]) >= max(acks)
    finally:
        core.close()


# -- the whole profile ----------------------------------------------------------------------------


def fill(root: Path) -> None:
    core = build_core(paths_of(root))
    for number in range(30):
        core.store.add(core.store.create(f"old {number}").id, Role.USER, TEXT)
    core.settings.change("chat", "system_prompt", "old")
    core.close()


def a_conversation(connection: Connection) -> None:
    """In words that every schema has understood."""
    connection.execute(
        "INSERT INTO conversations (id, title, created_at, updated_at) VALUES (1, 'kept', 1, 1)"
    )
    connection.execute(
        "INSERT INTO messages (conversation_id, role, text, status, created_at)"
        " VALUES (1, 'user', 'kept', 'complete', 1)"
    )


def migrate(root: Path, ack: Ack, _needs: str) -> None:
    core = build_core(paths_of(root))
    steps = core.migrations
    # In an order of each run's own: one after another the kill would meet the oldest schemas alone.
    order = random.Random(root.name).sample(range(1, len(steps)), len(steps) - 1)
    for number, schema in enumerate(itertools.cycle(order)):
        file = root / f"old-{number}-{schema}.sqlite3"
        old = Database(file, steps[:schema])
        old.write(a_conversation)
        old.close()
        ack(file.name)
        Database(file, steps).close()


def migrate_one(root: Path, ack: Ack, needs: str) -> None:
    """From the schema with the number `needs`."""
    steps = build_core(paths_of(root)).migrations
    Database(root / OLD, steps[: int(needs)]).write(a_conversation)
    ack("old")
    Database(root / OLD, steps).close()
    while True:
        ack("new")


def check_migrate_one(root: Path, _acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    database = Database(root / OLD, core.migrations)
    assert [each.title for each in ChatStore(database).conversations()] == ["kept"]
    database.close()
    assert whole(root / OLD)
    core.close()


def check_migrate(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    for name in acks[-3:]:
        database = Database(root / name, core.migrations)
        titles = [each.title for each in ChatStore(database).conversations()]
        database.close()
        assert titles == ["kept"]
        assert whole(root / name)
    core.close()


def back_up(root: Path, ack: Ack, _needs: str) -> None:
    for number in itertools.count():
        file = root / "backups" / f"{number}.zip"
        write_backup(paths_of(root), file, "1.0")
        ack(file.name)


def check_back_up(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    try:
        folder = root / "backups"
        for file in folder.glob("*.zip") if folder.exists() else ():
            inspect(file, core.known)  # none is half
        assert all((folder / name).exists() for name in acks)
        assert len(core.store.conversations()) == 30
    finally:
        core.close()


def fill_two(root: Path) -> None:
    fill(root)
    write_backup(paths_of(root), root / "old.zip", "1.0")
    core = build_core(paths_of(root))
    core.settings.change("chat", "system_prompt", "new")
    core.store.add(core.store.create("new").id, Role.USER, TEXT)
    core.close()


def restore(root: Path, ack: Ack, _needs: str) -> None:
    paths = paths_of(root)
    core = build_core(paths)
    known = core.known
    core.close()
    prepare(root / "old.zip", paths, known)
    ack("prepared")
    finish(paths)
    ack("restored")
    while True:
        ack("idle")


def check_restore(root: Path, acks: list[Any]) -> None:
    finish(paths_of(root))
    core = build_core(paths_of(root))
    try:
        prompt = core.settings.current.chat.system_prompt
        count = len(core.store.conversations())
        assert (prompt, count) in {("old", 30), ("new", 31)}
        if "restored" in acks:
            assert prompt == "old"
    finally:
        core.close()


def download(root: Path, ack: Ack, needs: str) -> None:
    core = build_core(paths_of(root))
    downloader = Downloader(core.network, core.library, core.paths, core.bus, patience=QUICK)
    ack(str(downloader.get(a_file(needs)).path))
    while True:
        ack("idle")


def check_download(root: Path, acks: list[Any]) -> None:
    models = list(paths_of(root).models.glob("*.gguf"))
    for file in models:
        assert hashlib.sha256(file.read_bytes()).hexdigest() == SHA256
    assert not acks or len(models) == 1


# -- agents ---------------------------------------------------------------------------------------


def home_of(root: Path) -> Home:
    return Home(paths_of(root), Computer(root / "home"))


def settle_in(root: Path) -> None:
    for agent, texts in SETTINGS.items():
        home_of(root).put(agent, texts[0] if texts else None)


def install(root: Path, ack: Ack, _needs: str) -> None:
    """One agent after another, in an order of each run's own."""
    installer = home_of(root).installer
    for agent in itertools.cycle(random.Random(root.name).sample(sorted(SETTINGS), len(SETTINGS))):
        ack([agent, "under way"])
        installer.install(agent)
        ack([agent, "in"])
        ack([agent, "under way"])
        installer.uninstall(agent)
        ack([agent, "out"])


def check_install(root: Path, acks: list[Any]) -> None:
    """Each file is as the last acknowledgement says, or whole where that was under way."""
    home, known = home_of(root), dict(acks)
    for agent, texts in SETTINGS.items():
        before = texts[0].encode() if texts else None
        place, found, said = home.installer.place(agent), home.bytes_of(agent), known.get(agent, "out")
        if said != "under way":
            assert (found == before) is (said == "out"), agent
        elif found is not None:
            place.hooks(found.decode())  # raises for what is half there
        home.installer.install(agent)
        home.installer.uninstall(agent)
        assert home.bytes_of(agent) == before, agent


# -- what other programs and extensions have --------------------------------------------------------


def keep_state(root: Path, ack: Ack, _needs: str) -> None:
    """As an extension does in the midst of a turn; some of its entries go for want of room."""
    store = StateStore(build_core(paths_of(root)).database)
    for number in itertools.count():
        store.put("notes", f"key {number % 40}", json.dumps([number, TEXT]))
        ack(number)


def check_state(root: Path, acks: list[Any]) -> None:
    core = build_core(paths_of(root))
    try:
        store = StateStore(core.database)
        kept = [json.loads(store.get("notes", key) or "null") for key in store.keys("notes")]
        assert all(text == TEXT for _number, text in kept)
        assert max((number for number, _text in kept), default=-1) >= max(acks, default=-1)
    finally:
        core.close()


def a_tool(number: int) -> ToolPin:
    made = pin({"name": "look", "description": f"Looks {number} times.", "inputSchema": {"type": "object"}})
    assert made is not None
    return made


def agree(root: Path, ack: Ack, _needs: str) -> None:
    pins = Pins(paths_of(root).served_tools)
    for number in itertools.count():
        pins.see("server", [a_tool(number)])
        pins.agree("server")
        ack(number)


def check_agree(root: Path, acks: list[Any]) -> None:
    """What was agreed to is agreed to, and nothing newer than the one that was under way."""
    (tool,) = Pins(paths_of(root).served_tools).tools("server") or (None,)
    latest = max(acks, default=-1)
    assert tool is not None or not acks
    if tool is not None:
        assert tool.agreed in (a_tool(latest), a_tool(latest + 1))


def let_in(root: Path, ack: Ack, _needs: str) -> None:
    programs = ProgramTokens(paths_of(root))
    for number in itertools.count():
        ack([number, programs.make(f"program-{number % 30}")])
        programs.revoke(f"program-{(number + 15) % 30}")
        ack([number, ""])


def check_let_in(root: Path, acks: list[Any]) -> None:
    """The last token that was handed out opens, and those that were revoked do not."""
    programs = ProgramTokens(paths_of(root))
    made = [(number, token) for number, token in acks if token]
    for number, token in made[-10:]:
        assert programs.name_of(token) == f"program-{number % 30}"
    ended = [number for number, token in acks if not token]
    old = [token for number, token in made if number + 15 in ended]
    assert not any(programs.name_of(token) for token in old)


def a_job(number: int) -> CommandRecord:
    return CommandRecord(
        f"job {number}", float(number), "/p", f"make {TEXT[:2_000]}", "make", "one", is_over=True
    )


def send_builds(root: Path, ack: Ack, _needs: str) -> None:
    """The list of workers and the history of jobs, which is shortened on the way."""
    paths = paths_of(root)
    workers, history = WorkerFile(paths), History(paths)
    for number in itertools.count():
        workers.put(Worker(f"w{number % 5}", "host", (f"/project/{number}",)))
        try:
            history.put(a_job(number))
        except OSError:
            continue  # as the client does: a build is not given up for a line of its history
        ack(number)


def check_builds(root: Path, acks: list[Any]) -> None:
    paths = paths_of(root)
    told = [job.id for job in History(paths).jobs()]
    latest = max(acks, default=-1)
    wanted = [f"job {number}" for number in range(max(0, latest - 100), latest + 1)]
    assert [each for each in told if each in set(wanted)] == wanted
    named = {each.name: each.folders for each in WorkerFile(paths).all()}
    for number in range(max(0, latest - 3), latest + 1):
        assert named[f"w{number % 5}"] in ((f"/project/{number}",), (f"/project/{number + 5}",))
    # The next start goes on in the same file.
    History(paths).put(a_job(-1))
    assert History(paths).jobs()[-1] == a_job(-1)


def an_extension(downloads: Path, number: int) -> Path:
    """A package on the disk of somebody else, as a download is."""
    code = f"NUMBER = {number}\n\ndef on_plain_text(text, context):\n    return text\n"
    return package(Path(tempfile.mkdtemp(dir=downloads)) / "plain", code, version=f"1.{number}")


def install_extensions(root: Path, ack: Ack, _needs: str) -> None:
    registry = Registry(paths_of(root).extensions, Bus())
    # Not on the disk that is small, or read-only; and it goes, for this is killed.
    with temporary_folder("plug") as downloads:
        for number in itertools.count():
            made = registry.install(an_extension(downloads, number))
            registry.accept(made.id, on=True)
            ack(number)


def check_extensions(root: Path, acks: list[Any]) -> None:
    """One whole version: the last that was agreed to, or the one that was under way, which waits then."""
    registry = Registry(paths_of(root).extensions, Bus())
    latest = max(acks, default=-1)
    found = registry.installed()
    assert found or not acks
    for each in found:
        number = int((each.folder / "extension.py").read_text().splitlines()[0].removeprefix("NUMBER = "))
        assert number in (latest, latest + 1)
        # What is on is what somebody agreed to, whole.
        assert not each.is_on or each.manifest.version == f"1.{number}"
    with temporary_folder("plug") as downloads:
        again = registry.install(an_extension(downloads, 10_000))
    assert registry.accept(again.id, on=True).is_on


# -- the newer rooms: `needs` of one letter tells two processes in one profile apart ----------------

KEPT = 20  # things of a kind that a scenario leaves; older ones are taken away again


class NoKeyring:
    """A computer without one: secrets are in the file, which is what a kill or a full disk can hurt."""

    def __getattr__(self, _name: str) -> Any:
        from keyring.errors import NoKeyringError

        raise NoKeyringError


def tag(needs: str) -> str:
    return needs if len(needs) == 1 else "a"


def secrets_of(core: Services, root: Path) -> Secrets:
    return Secrets(paths_of(root), NoKeyring)


def a_server(name: str, number: int) -> dict[str, Any]:
    return {
        "command": ["program", f"{number}"],
        "folders": [f"/srv/{number}", TEXT[:300]],
        "environment": {"KEY": f"keyring:mcp:{name}:KEY"},
    }


def add_servers(root: Path, ack: Ack, needs: str) -> None:
    """Settings and secrets of servers of tools: added, changed, and the oldest taken away."""
    core = build_core(paths_of(root))
    secrets = secrets_of(core, root)
    setup = ServerSetup(core.settings, core.servers, ServerKeyring(secrets.set, secrets.delete))
    for number in itertools.count():
        name = f"{tag(needs)}{number}"
        setup.add(name, a_server(name, number), {f"mcp:{name}:KEY": f"secret {number}"}, look=False)
        ack([number, "added"])
        setup.change(name, enabled=False)
        ack([number, "off"])
        if number >= KEPT:
            setup.remove(f"{tag(needs)}{number - KEPT}")
            ack([number - KEPT, "gone"])


def check_servers(root: Path, acks: list[Any], who: str = "a") -> None:
    """Each that is there is whole, with its secret; none that was taken away is."""
    core = build_core(paths_of(root))
    try:
        secrets, found = secrets_of(core, root), core.settings.current.mcp.servers
        said = [(number, what) for number, what in acks]
        gone = {number for number, what in said if what == "gone"}
        off = {number for number, what in said if what == "off"}
        latest = max((number for number, _what in said), default=-1)
        for number, what in said:
            # The one that was being taken away may be gone before that was told.
            if what == "added" and number not in gone and number > latest - KEPT:
                assert f"{who}{number}" in found
        for name, server in found.items():
            number = int(name[1:])
            assert server.command == ["program", f"{number}"]
            assert server.folders[1] == TEXT[:300]
            # The oldest may have been on its way out, where the secret goes first.
            is_oldest = number == min(int(each[1:]) for each in found if each[0] == name[0])
            kept = secrets.get(f"mcp:{name}:KEY")
            assert kept == f"secret {number}" or (kept is None and is_oldest and len(found) > KEPT)
            if name[0] == who:
                assert number not in gone
                assert not (number in off and server.enabled)
    finally:
        core.close()


def keep_engines(root: Path, ack: Ack, needs: str) -> None:
    """Keys of model servers, and what the settings say of them."""
    core = build_core(paths_of(root))
    secrets = secrets_of(core, root)
    setup = RemoteSetup(core.settings, core.remote_engines, EngineKeyring(secrets.set, secrets.delete))
    names = [f"{tag(needs)}{each}" for each in range(5)]
    for name in names:
        entry = {"url": "https://models.example.org/v1", "model": name, "has_key": False}
        core.settings.put("engines", "servers", name, entry)
    for number in itertools.count():
        setup.set_key(names[number % 5], f"key-{number}")
        ack(number)


def check_engines(root: Path, acks: list[Any], who: str = "a") -> None:
    core = build_core(paths_of(root))
    try:
        secrets, found = secrets_of(core, root), core.settings.current.engines.servers
        assert all(server.model == name and server.url for name, server in found.items())
        latest = max(acks, default=-1)
        for number in range(max(0, latest - 4), latest + 1):
            name = f"{who}{number % 5}"
            assert found[name].has_key
            # The next one may be on the disk before it was told.
            assert secrets.get(f"model-server:{name}") in (f"key-{number}", f"key-{number + 5}")
    finally:
        core.close()


def keep_projects(root: Path, ack: Ack, needs: str) -> None:
    """Made with a chat in it, given instructions, and the oldest deleted with its name alone."""
    core = build_core(paths_of(root))
    projects, made = core.chat_projects, []
    for number in itertools.count():
        project = projects.save(ChatProject(f"{tag(needs)}{number}", str(root), f"first {number}"))
        ack([number, "made"])
        chat = core.store.create(f"chat {tag(needs)}{number}").id
        core.store.add(chat, Role.USER, "hello")  # one without messages is in no list
        projects.move([chat], project.id)
        ack([number, "moved"])
        projects.save(replace(project, instructions=f"second {number} {TEXT[:1_000]}"))
        ack([number, "changed"])
        made.append(project.id)
        if number >= KEPT:
            projects.delete(made[number - KEPT])
            ack([number - KEPT, "gone"])


def check_projects(root: Path, acks: list[Any], who: str = "a") -> None:
    core = build_core(paths_of(root))
    try:
        found = {each.name: each for each in core.chat_projects.all()}
        titles = {each.title: each.project for each in core.store.conversations(limit=-1)}
        told: dict[int, set[str]] = {}
        for number, what in acks:
            told.setdefault(number, set()).add(what)
        latest = max(told, default=-1)
        for number, what in told.items():
            name = f"{who}{number}"
            if "gone" in what:
                assert name not in found
                assert titles[f"chat {name}"] == ""  # the chat stays
            elif number > latest - KEPT:
                assert name in found
                assert "moved" not in what or titles[f"chat {name}"] == name
                assert "changed" not in what or found[name].instructions.startswith(f"second {number}")
        ends = {f"first {name[1:]}" for name in found} | {
            f"second {name[1:]} {TEXT[:1_000]}" for name in found
        }
        assert {each.instructions for each in found.values()} <= ends
    finally:
        core.close()


def keep_schedules(root: Path, ack: Ack, needs: str) -> None:
    """Set, switched off and on, asked once with a chat and an answer, and the oldest ended."""
    core = build_core(paths_of(root))
    scheduling, made = Scheduling(core.reminders), []
    for number in itertools.count():
        series = scheduling.add(f"question {tag(needs)}{number}", "every day at 8")
        ack([number, "set"])
        core.reminders.set_on(series.id, False)
        ack([number, "off"])
        put = core.reminders.run_now(series.id, is_taken=True)
        assert put is not None
        chat = core.store.create(f"answer {tag(needs)}{number}").id
        core.reminders.begun(put.id, chat)
        core.reminders.answered(put.id, "answered")
        ack([number, "answered"])
        made.append(series.id)
        if number >= KEPT:
            core.reminders.end(made[number - KEPT])
            ack([number - KEPT, "ended"])


def check_schedules(root: Path, acks: list[Any], who: str = "a") -> None:
    core = build_core(paths_of(root))
    try:
        found = {each.reminder.text: each for each in core.reminders.schedules()}
        told: dict[int, set[str]] = {}
        for number, what in acks:
            told.setdefault(number, set()).add(what)
        latest = max(told, default=-1)
        for number, what in told.items():
            text = f"question {who}{number}"
            if "ended" in what:
                assert text not in found
            elif number > latest - KEPT:
                assert "off" not in what or not found[text].reminder.is_on
                run = found[text].latest
                assert "answered" not in what or (run is not None and run.outcome == "answered" and run.chat)
        # Whatever is due next start is claimed once, and nothing of it twice.
        claimed = [each.id for each in core.reminders.claim("next start")]
        assert len(claimed) == len(set(claimed))
        assert core.reminders.claim("another start") == ()
    finally:
        core.close()


# What puts its own house in order when it is first asked for.
PARTS = ("store", "journal", "audit", "memory", "reminders", "library", "extensions", "chat_projects")


def start_again(root: Path, ack: Ack, _needs: str) -> None:
    """As verbs in a terminal, or a second click on the icon."""
    while True:
        core = build_core(paths_of(root))
        for name in PARTS:
            getattr(core, name)
        core.close()
        ack("started")


SCENARIOS = (
    Scenario("streaming an answer", stream, check_stream),
    Scenario("importing chats", bring_in, check_import),
    Scenario("writing a file", write, check_write, make_workspace),
    Scenario("undo_controller", take_back, check_take_back, make_workspace),
    Scenario("capturing events", capture, check_capture),
    Scenario("logging verdicts", log_verdicts, check_log),
    Scenario("changing settings", set_up, check_set_up),
    Scenario("migrating a database", migrate, check_migrate),
    Scenario("backing up", back_up, check_back_up, fill),
    Scenario("restoring", restore, check_restore, fill_two),
    Scenario("downloading a model", download, check_download),
    Scenario("installing the gate", install, check_install, settle_in),
    Scenario("keeping an extension's state", keep_state, check_state),
    Scenario("agreeing to a server's tools", agree, check_agree),
    Scenario("letting programs in", let_in, check_let_in),
    Scenario("sending builds", send_builds, check_builds),
    Scenario("installing extensions", install_extensions, check_extensions),
    Scenario("adding servers of tools", add_servers, check_servers),
    Scenario("keeping keys of model servers", keep_engines, check_engines),
    Scenario("keeping projects", keep_projects, check_projects),
    Scenario("setting schedules", keep_schedules, check_schedules),
)
# What two processes do in one profile: each has names of its own, and checks them.
BY_TWO: dict[str, Callable[[Path, list[Any], str], None]] = {
    "adding servers of tools": check_servers,
    "keeping keys of model servers": check_engines,
    "keeping projects": check_projects,
    "setting schedules": check_schedules,
}
ONE_SCHEMA = Scenario("migrating one schema", migrate_one, check_migrate_one)
BESIDE = Scenario("starting beside it", start_again, lambda _root, _acks: None)
BY_NAME = {scenario.name: scenario for scenario in (*SCENARIOS, ONE_SCHEMA, BESIDE)}
