"""The pictures of the documents, made from the real program: `python -m tests.flows.pictures PROFILE`.

The answers in chat.png, chat-dark.png, permission.png and the chats with extensions are the model's; the
chats and notes in the others were written by hand (pictured_profile.py). `--only` makes some of them again.

PROFILE is a folder in which the recommended model is installed (`steward --profile PROFILE models get
--recommended`). Its conversations are not touched: the pictures are made in a copy of its list of models.

The scene "project" needs no model, but the real Claude Code in the folder that STEWARD_TEST_AGENTS names
(tests/agents/test_real_programs.py); its model service is a script.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bootstrap.native import build_native
from desktop.agents.install import Installer
from desktop.agents.settings_file import Computer, hook_client
from desktop.app import Services, build_core
from desktop.extensions.authoring import shipped
from desktop.gate.grants import Covers, GrantKind, GrantScope
from desktop.models.library import InstalledModel
from desktop.paths import Paths
from tests.agents.scripted_service import Script, Service
from tests.extensions.world import package
from tests.flows.desktop_session import ROOT, DesktopSession, desktop_session, stop, wait_for
from tests.flows.pictured_profile import fill
from tests.flows.profile import answers, installed
from tests.ports import free_port

IMAGES = ROOT / "docs" / "images"
SCENES = ("first run", "chat", "windows", "extensions", "agents", "gate", "project")
QUESTIONED = "rm -r build && mkdir build"
WHY = {
    QUESTIONED: "Remove the old build before making a new one",
    "npm test": "Run the tests",
    "make test": "Run the tests",
    "git push origin main": "Publish the notes",
}
PROJECT_LINES = (
    "git status --short",
    "make test",
    "cat > notes.md <<'END'\n# Notes\nThe tests pass.\nEND",
    "git add -A && git commit -qm 'Add notes'",
    "git log --stat",
    "python3 build.py",
    "git push origin main",
)
MAKEFILE = "test:\n\t@echo 12 tests passed > result.txt\n"
# It writes a file, then reaches for what project mode does not give.
BUILD = """
import pathlib, urllib.request
pathlib.Path("out.txt").write_text("built")
try:
    urllib.request.urlopen("https://telemetry.example.com/", timeout=5)
except OSError as error:
    print(error)
"""
OWN_RULES = ["Bash(npm run test:*)", "Bash(make lint)", "Bash(*)", "WebFetch(domain:docs.example.org)"]
EXTENDED = {
    "extension-units.png": "How many miles is a marathon? Answer in one short sentence with the number.",
    "extension-expand.png": ";sum The mill was built in 1780. In 1902 it burnt down. Today it is a museum.",
    "extension-table.png": "Show Berlin, Paris and Rome with their countries as a table.",
}
ELSEWHERE = "def on_input_messages(text, context):\n    return text.replace('France', 'Italy')\n"
QUESTION = "Compare a list and a tuple in Python in a small table, then show a short example of each."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profile", type=Path)
    parser.add_argument("--only", nargs="*", choices=SCENES, default=SCENES)
    arguments = parser.parse_args()
    if set(arguments.only) <= {"agents", "gate", "project"}:  # the scenes without a model
        with tempfile.TemporaryDirectory() as folder, desktop_session("1180x820x24") as session:
            _without_model(session, Path(folder), arguments.only)
        return
    models = build_core(Paths.under(arguments.profile)).library.installed()
    model = next(model for model in models if model.id == "qwen2.5-coder-1.5b")
    with (
        tempfile.TemporaryDirectory(dir=arguments.profile.parent) as folder,
        desktop_session("1180x820x24") as session,
    ):
        empty, ready, full = (Path(folder) / name for name in ("empty", "ready", "full"))
        own = Path(folder) / model.path.name
        os.link(model.path, own)
        if "first run" in arguments.only:
            _first_run(session, empty, own)
        if "chat" in arguments.only:
            core = _profile(ready, model)
            _chat(session, ready, "light")
            core.settings.change("window", "theme", "dark")
            _dark(session, ready)
            core.settings.change("window", "theme", "light")
        if "extensions" in arguments.only:
            _extensions(session, _profile(Path(folder) / "extended", model), Path(folder))
        _without_model(session, Path(folder), arguments.only)
        if "windows" in arguments.only:
            core = _profile(full, model)
            fill(core)
            _windows(session, full)
            _quick_ask(session, full)
            core.settings.change("window", "language", "de")
            _german(session, full)


def _without_model(session: DesktopSession, folder: Path, only: Sequence[str]) -> None:
    if "agents" in only:
        _agents(session, build_core(Paths.under(folder / "agents")))
    if "gate" in only:
        _gate(session, build_core(Paths.under(folder / "gate")))
    if "project" in only:
        _project(session, build_core(Paths.under(folder / "project")))


def _profile(profile: Path, model: InstalledModel) -> Services:
    """A new one in which the model is installed; its file is the same, by another name."""
    core = build_core(Paths.under(profile))
    own = core.paths.models / model.path.name
    own.parent.mkdir(parents=True)
    os.link(model.path, own)
    core.library.add_downloaded(model.id, model.name, own, model.sha256)
    core.settings.change("model", "active", model.id)
    core.settings.change("model", "temperature", 0.2)
    core.settings.change("window", "set_up", True)
    core.settings.change("chat", "workspace", str(profile.parent / "Steward"))
    return core


def _first_run(session: DesktopSession, profile: Path, file: Path) -> None:
    """Choosing, then the step after a file of one's own."""
    home = Path(tempfile.gettempdir()) / "ada"  # a name that tells nothing of whose computer it was
    program = session.start("--profile", str(profile), STEWARD_CHAT__WORKSPACE=str(home / "Steward"))
    _picture(session, "Welcome to Steward", "first-run.png")
    session.key("Tab", "Tab", "Tab", "space")
    session.activate_window("Choose a model file")
    session.type(str(file))
    session.key("Return")
    wait_for(lambda: installed(profile), "the model", 120)
    time.sleep(1.0)
    session.activate_window("Welcome to Steward")
    session.key("Return")
    _picture(session, "Welcome to Steward", "first-run-keys.png")
    stop(program)
    shutil.rmtree(home, ignore_errors=True)


def _windows(session: DesktopSession, profile: Path) -> None:
    """Versions, files that went along, a search; then pages of the other window."""
    program = session.start("--profile", str(profile))
    session.activate_window("Steward$")
    session.key("F6", "Home", "Return")
    _picture(session, "Dough", "versions.png")
    session.key("F6", "Home", "Down", "Return")
    _picture(session, "harbour", "attachments.png")
    session.key("ctrl+shift+f")
    session.type("salt")
    _picture(session, "harbour", "search.png")
    session.key("Escape", "ctrl+m")
    _picture(session, "^Memory", "memory.png")
    session.key("End", "Up")
    _picture(session, "^Settings", "settings.png")
    stop(program)


def _quick_ask(session: DesktopSession, profile: Path) -> None:
    """A rule's answer, without the model."""
    icons = len([fact for fact in session.facts if "item" in fact])
    program = session.start("--profile", str(profile), "run", "--hidden")
    wait_for(lambda: len([fact for fact in session.facts if "item" in fact]) > icons, "the icon")
    session.start("--profile", str(profile), "toggle-quick-ask").wait(60)
    session.activate_window("^Quick-ask")
    session.type("18 % of 240")
    _picture(session, "^Quick-ask", "quick-ask.png")
    stop(program)


def _german(session: DesktopSession, profile: Path) -> None:
    program = session.start("--profile", str(profile))
    session.activate_window("Steward$")
    session.key("F6", "Home", "Return")
    _picture(session, "Dough", "german.png")
    stop(program)


def _chat(session: DesktopSession, profile: Path, theme: str) -> None:
    program = session.start("--profile", str(profile), STEWARD_WINDOW__THEME=theme)
    session.activate_window("^Steward$")
    session.type(QUESTION)
    session.key("Return")
    wait_for(lambda: answers(profile, "complete"), "the answer", 180)
    _picture(session, " – Steward$", "chat.png")
    session.type("Write a file hello.txt with the text Good morning")
    session.key("Return")
    _picture(session, "Permission", "permission.png", timeout_s=240)
    session.key("Escape")
    session.choose_in_tray("Models")
    _picture(session, "^Models$", "models.png")
    session.choose_in_tray("Quit")
    program.wait(30)
    stop(program, signal.SIGTERM)


def _dark(session: DesktopSession, profile: Path) -> None:
    icons = len([fact for fact in session.facts if "item" in fact])
    program = session.start("--profile", str(profile))
    wait_for(lambda: len([fact for fact in session.facts if "item" in fact]) > icons, "the icon")
    session.activate_window("Steward$")
    session.key("F6", "Home", "Return")
    _picture(session, " – Steward$", "chat-dark.png")
    stop(program)


def _extensions(session: DesktopSession, core: Services, folder: Path) -> None:
    """What each that comes with Steward does to a chat; then one that gives the model another question."""
    registry = core.extensions.registry
    for shipped_one in shipped().values():
        registry.accept(registry.install(shipped_one).id, on=True)
    _asked(session, core, EXTENDED)
    for each in registry.installed():
        registry.remove(each.id)
    hooks = ("on_input_messages",)
    registry.accept(registry.install(package(folder / "elsewhere", ELSEWHERE, hooks)).id, on=True)
    _asked(
        session,
        core,
        {"extension-changed.png": "What is the capital of France? Answer in one short sentence."},
    )


def _asked(session: DesktopSession, core: Services, questions: Mapping[str, str]) -> None:
    """A chat for each question, and its picture once it is answered."""
    profile = core.paths.profile
    program = session.start("--profile", str(profile))
    session.activate_window("^Steward$")
    for name, question in questions.items():
        done = len(answers(profile, "complete"))
        session.key("ctrl+n")
        session.type(question)
        session.key("Return")
        wait_for(lambda done=done: len(answers(profile, "complete")) > done, name, 180)  # type: ignore[misc]
        _picture(session, " – Steward$", name)
    stop(program)


def _agents(session: DesktopSession, core: Services) -> None:
    """A project, an agent that wants to clean it up, and what became of its hooks."""
    token = core.tokens.make("claude-code")
    core.settings.change("hooks", "port", free_port())
    core.settings.change("window", "set_up", True)
    project = Path(tempfile.gettempdir()) / "website"  # a name that tells nothing of whose computer it was
    (project / "build").mkdir(parents=True)
    for name in ("index.html", "style.css"):
        (project / "build" / name).write_text("x" * 4000)
    program = session.start("--profile", str(core.paths.profile), "run", "--hidden")
    wait_for(lambda: core.tokens.published() is not None, "the server")
    for number, command in enumerate(("git status", "ls -la src", "grep -rn TODO src", "npm --version")):
        _hook(core, token, project, command, number)
    asking = threading.Thread(target=_hook, args=(core, token, project, QUESTIONED, 10))
    asking.start()
    _picture(session, "Permission", "agent-question.png")
    session.key("Escape")
    asking.join()
    session.choose_in_tray("Activity")
    session.activate_window("^Activity")
    session.key("Tab", "Tab", "Tab", "Tab", "Tab", "Home")
    _picture(session, "^Activity", "activity.png")
    stop(program)
    shutil.rmtree(project)


def _gate(session: DesktopSession, core: Services) -> None:
    """What is offered beside a single yes, several questions at once, and the rules."""
    tokens = {agent: core.tokens.make(agent) for agent in ("claude-code", "codex")}
    core.settings.change("hooks", "port", free_port())
    core.settings.change("window", "set_up", True)
    rules = (
        {"effect": "never", "program": "terraform destroy", "reason": "Only people take production down."},
        {"effect": "deny", "program": "git push --force", "reason": "History stays."},
        {"effect": "ask", "path": "~/work/customers", "agent": "codex"},
    )
    for number, rule in enumerate(rules):
        core.settings.insert("gate", "rules", number, rule)
    project = Path(tempfile.gettempdir()) / "work" / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "build").mkdir()
    program = session.start("--profile", str(core.paths.profile), "run", "--hidden")
    wait_for(lambda: core.tokens.published() is not None, "the server")
    waiting = [("claude-code", "npm test"), ("codex", QUESTIONED), ("claude-code", "git push origin main")]
    asking = [
        threading.Thread(target=_hook, args=(core, tokens[agent], project, command, number, agent))
        for number, (agent, command) in enumerate(waiting)
    ]
    asking[0].start()
    _picture(session, "Permission", "agent-offer.png")
    for each in asking[1:]:
        each.start()
        time.sleep(1.5)  # one after the other
    _picture(session, "Permission", "agent-queue.png")
    for _ in asking:
        session.key("Escape")
        time.sleep(1.5)  # the next has half a second of its own
    for each in asking:
        each.join()
    session.choose_in_tray("Permissions")
    session.activate_window("^Permissions")
    session.key("ctrl+Next", "Tab")
    session.run("xdotool", "type", "sudo git -C shop push --force origin main")
    _picture(session, "^Rules", "rules.png")
    stop(program)
    shutil.rmtree(project.parent)


def _project(session: DesktopSession, core: Services) -> None:
    """Project mode with the real Claude Code: offered, at work, and where it stands afterwards."""
    build_native()
    home = Path(tempfile.gettempdir()) / "ada"  # a name that tells nothing of whose computer it was
    project = home / "work" / "shop"
    project.mkdir(parents=True)
    (project / "Makefile").write_text(MAKEFILE)
    (project / "build.py").write_text(BUILD)
    for words in ("init -q -b main", "config user.name Ada", "config user.email ada@example.org"):
        subprocess.run(["git", *words.split()], cwd=project, check=True)
    agents = Path(os.environ["STEWARD_TEST_AGENTS"])
    environment = {"PATH": f"{agents / '.bin'}:{os.environ['PATH']}", "HOME": str(home)}
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"allow": OWN_RULES}}))
    core.settings.change("hooks", "port", free_port())
    core.settings.change("window", "set_up", True)
    core.settings.change("gate", "wrappers", ["rtk"])
    core.grants.add(
        GrantScope.WEEK, Covers("exec_command of codex", GrantKind.PROGRAM, "go test", home / "work" / "api")
    )
    Installer(core.paths, core.tokens, core.settings.current.hooks, Computer(home, environment)).install(
        "claude-code"
    )
    icons = len([fact for fact in session.facts if "item" in fact])
    program = session.start("--profile", str(core.paths.profile), "run", "--hidden", **environment)
    wait_for(lambda: core.tokens.published() is not None, "the server")
    wait_for(lambda: len([fact for fact in session.facts if "item" in fact]) > icons, "the icon")
    service = Service()
    try:
        with _claude_at_work(agents, project, environment, service):
            _picture(session, "Permission", "project-offer.png", timeout_s=90)
            _press_today(session)
            _picture(session, "Permission", "project-push.png", timeout_s=90)
            session.key("Escape")
    finally:
        service.close()
    session.choose_in_tray("Activity")
    session.activate_window("^Activity")
    session.key("Tab", "Tab", "Tab", "Tab", "Tab", "Home", "Down")
    _picture(session, "^Activity", "project-activity.png")
    session.choose_in_tray("Permissions")
    window = _picture(session, "^Permissions", "permissions.png")
    session.run("xdotool", "mousemove", "--window", window, "560", "600")
    session.run("xdotool", "click", "--repeat", "30", "5")  # the wheel, to the end
    _picture(session, "^Permissions", "agent-rules.png")
    stop(program)
    shutil.rmtree(home)


def _press_today(session: DesktopSession) -> None:
    """The first button of the offer, which stands above the row with Deny."""
    window = session.activate_window("Permission")
    shape = session.run("xdotool", "getwindowgeometry", "--shell", window)
    height = int(re.findall(r"HEIGHT=(\d+)", shape)[0])
    session.run("xdotool", "mousemove", "--window", window, "62", str(height - 162), "click", "1")


@contextmanager
def _claude_at_work(
    agents: Path, project: Path, environment: Mapping[str, str], service: Service
) -> Iterator[None]:
    """Runs its commands one after the other; waits for its end."""
    calls = tuple({"command": line, "description": WHY.get(line, "Work")} for line in PROJECT_LINES)
    service.script = Script("Bash", calls[0], then=calls[1:])
    names = {"ANTHROPIC_BASE_URL": service.url, "ANTHROPIC_API_KEY": "none", "DISABLE_AUTOUPDATER": "1"}
    claude = subprocess.Popen(
        [str(agents / "@anthropic-ai/claude-code/bin/claude.exe"), "-p", "go"],
        cwd=project,
        env={**environment, **names},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
        claude.wait(90)
    finally:
        claude.kill()
        claude.wait()


def _hook(
    core: Services, token: str, project: Path, command: str, number: int, agent: str = "claude-code"
) -> None:
    api = core.tokens.published()
    assert api is not None
    hook = {
        "session_id": "pictures",
        "cwd": str(project),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": WHY.get(command, "")},
        "tool_use_id": f"toolu_{number}",
    }
    words = [*hook_client(core.paths.data).words, agent, str(api.socket), token, "60"]
    subprocess.run(words, input=json.dumps(hook).encode(), capture_output=True, timeout=90, check=True)


def _picture(session: DesktopSession, title: str, name: str, timeout_s: float = 30.0) -> str:
    """The window that it is of."""
    window = session.activate_window(title, timeout_s)
    file, taken = str(IMAGES / name), [""]

    def rests() -> bool:
        time.sleep(0.8)  # the window manager's frame and the last repaint
        session.run("import", "-window", window, file)
        taken.append(session.run("identify", "-format", "%#", file))  # of its pixels
        return taken[-1] == taken[-2]

    # On a busy machine a window that was just opened shows for seconds what stands behind it.
    wait_for(rests, f"{title} to be drawn", timeout_s)
    return window


if __name__ == "__main__":
    main()
