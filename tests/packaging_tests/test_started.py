"""The bundle at work, wherever somebody may have put it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bootstrap.package import contents
from desktop.extensions.process import can_confine
from desktop.memory.vectors.minilm import MINILM
from desktop.paths import Paths, ensure, resources
from tests.extensions.world import package
from tests.flows.desktop_session import DesktopSession, desktop_session, missing_programs, stop, wait_for
from tests.memory.vectors.conftest import tensors, write_safetensors

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

EMULATED_S = 840  # a minute of processor time, of which a busy computer has little


@pytest.fixture(scope="module")
def elsewhere(bundle: Path) -> Iterator[Path]:
    """In a folder with spaces and umlauts. Everybody may read it, nobody may write to it, not even root."""
    with tempfile.TemporaryDirectory(prefix="Grüße an Zoë ") as made:
        Path(made).chmod(0o755)
        folder = Path(made) / "Mein Steward (neu)"
        with read_only_mount(bundle, folder) if os.geteuid() == 0 else read_only_copy(bundle, folder):
            yield folder / "steward"


@contextmanager
def read_only_copy(source: Path, target: Path) -> Iterator[None]:
    shutil.copytree(source, target, symlinks=True)
    folders = [target, *(path for path in target.rglob("*") if path.is_dir() and not path.is_symlink())]
    for path in folders:
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in folders:
            path.chmod(0o755)


@contextmanager
def read_only_mount(source: Path, target: Path) -> Iterator[None]:
    target.mkdir()
    subprocess.run(["mount", "--bind", source, target], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", target], check=True)
        yield
    finally:
        subprocess.run(["umount", target], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root can have a disk of its own here")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], check=True)
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def call(program: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run it with nothing of this checkout in its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    return subprocess.run(
        [str(program), *words], env=kept | extra, capture_output=True, text=True, timeout=240, cwd="/"
    )


def selftest_of(program: Path, *words: str, **extra: str) -> dict[str, str]:
    """What its self-test found, by name; fails with the report where something is broken."""
    done = call(program, "selftest", "--json", *words, **extra)
    found = {row["name"]: row["result"] for row in json.loads(done.stdout)}
    assert "broken" not in found.values(), done.stdout
    assert done.returncode == 0
    return found


@pytest.mark.model
def test_every_part_works_from_a_folder_with_umlauts_that_is_read_only(
    elsewhere: Path, smollm2: Path
) -> None:
    """Files, child processes, hook client, window and a model that answers."""
    found = selftest_of(elsewhere, "--model", str(smollm2))
    for name in ("Files", "Command", "Libraries", "Child processes", "Model", "Hook client", "Window"):
        assert found[name] == "works", name


def test_what_it_starts_does_not_see_its_libraries(elsewhere: Path, tmp_path: Path) -> None:
    """The search path of libraries and Qt's plugin path are those of the user, or none."""
    program = tmp_path / "python3"  # the bundle asks the pip of the computer for its version
    told = tmp_path / "told"
    program.write_text(f'#!/bin/sh\nenv > "{told}"\nexit 1\n')
    program.chmod(0o755)
    profile = str(tmp_path / "profile")
    call(elsewhere, "--profile", profile, "models", "get", "smollm2-135m", PATH=f"{tmp_path}:/usr/bin:/bin")
    environment = dict(line.split("=", 1) for line in told.read_text().splitlines() if "=" in line)
    assert "LD_LIBRARY_PATH" not in environment
    assert "QT_PLUGIN_PATH" not in environment
    assert not [name for name in environment if name.startswith("_PYI_")]


def test_a_broken_model_file_is_refused_in_words(elsewhere: Path, tmp_path: Path) -> None:
    """The reason on stderr and exit code 1, no traceback."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\xff" * 4096)
    done = call(elsewhere, "--profile", str(tmp_path / "profile"), "ask", "--model", str(broken), "Hello?")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "broken" in done.stderr
    assert done.stdout == ""


def test_a_full_disk_is_told_in_words(elsewhere: Path, small_disk: Path) -> None:
    """The download says what is missing before it begins; the profile still opens and nothing is broken."""
    profile = ("--profile", str(small_disk / "profile"))
    refused = call(elsewhere, *profile, "models", "get", "smollm2-135m")
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert "space" in refused.stderr, refused.stderr
    with (small_disk / "filled").open("wb") as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 65536)
            file.flush()
    for verb in (["reminders", "list"], ["undo", "--list"], ["models", "list"]):
        done = call(elsewhere, *profile, *verb)
        assert "Traceback" not in done.stderr, done.stderr
    (small_disk / "filled").unlink()
    assert call(elsewhere, *profile, "reminders", "list").returncode == 0


def test_search_by_meaning_computes(elsewhere: Path, tmp_path: Path) -> None:
    """With an encoder of random weights, of the shape and the place of the real one."""
    paths = Paths.under(tmp_path)
    profile = ("--profile", str(tmp_path))
    call(elsewhere, *profile, "memory", "add", "My bike is red")
    ensure(paths.embedding)
    pieces = len((resources() / "memory" / "wordpieces.txt").read_text(encoding="utf-8").split("\n"))
    write_safetensors(paths.embedding / MINILM.file_name, tensors(pieces=pieces))
    done = call(elsewhere, *profile, "memory", "search", "bike", STEWARD_MEMORY__MEANING="true")
    assert done.returncode == 0, done.stderr
    assert "My bike is red" in done.stdout
    assert "embedding model loaded" in paths.log_file.read_text(encoding="utf-8")


def emulated(program: Path, processor: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it on another processor; what its starter does, which ends on the real one, is done here."""
    inside = {
        "_PYI_ARCHIVE_FILE": str(program),
        "_PYI_PARENT_PROCESS_LEVEL": "-1",
        "LD_LIBRARY_PATH": str(program.parent / "_internal"),
    }
    return subprocess.run(
        ["qemu-x86_64", "-cpu", processor, program, *words],
        env=os.environ | inside,
        capture_output=True,
        text=True,
        timeout=EMULATED_S,
    )


needs_qemu = pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-user is missing")


@needs_qemu
@pytest.mark.model
@pytest.mark.timeout(900)
def test_a_processor_of_2008_answers_a_question(
    bundle: Path, smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nehalem is x86-64-v2 and no more: no AVX, and nothing in the bundle that needs it."""
    monkeypatch.setenv("STEWARD_MODEL__MAX_ANSWER_TOKENS", "16")
    words = ("--profile", str(tmp_path / "profile"), "ask", "--json", "--model", str(smollm2), "Say hello.")
    done = emulated(bundle / "steward", "Nehalem", *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answer"]


@needs_qemu
def test_an_older_processor_is_told_in_words(bundle: Path, tmp_path: Path) -> None:
    """Core 2: before an instruction that it lacks ends the program."""
    done = emulated(bundle / "steward", "core2duo", "--profile", str(tmp_path), "ask", "hello")
    assert done.returncode == 1
    assert "too old for Steward: it lacks SSE4.1, SSE4.2, POPCNT" in done.stderr


@pytest.mark.model
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_a_back_end_without_its_driver_is_passed_over(bundle: Path, smollm2: Path, tmp_path: Path) -> None:
    """A library for graphics cards that asks for a driver which is not here, as CUDA's does: the processor
    computes, and the answer says so."""
    copy = tmp_path / "steward"
    subprocess.run(["cp", "--recursive", "--no-dereference", "--reflink=auto", bundle, copy], check=True)
    folder = copy / "_internal" / "llama_cpp" / "lib"
    driver, back_end = folder / "libdriver.so.1", folder / "libggml-cuda.so"
    compiled("int driver(void) { return 1; }", driver)
    compiled("int driver(void); int ggml_backend_init(void) { return driver(); }", back_end, str(driver))
    driver.unlink()
    words = ["--profile", str(tmp_path / "profile"), "ask", "--json", "--model", str(smollm2), "Say hello."]
    done = call(copy / "steward", *words, STEWARD_MODEL__MAX_ANSWER_TOKENS="16")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["metrics"]["device"] == "cpu"


def compiled(source: str, target: Path, *linked: str) -> None:
    """A shared library from one line of C."""
    file = target.with_suffix(".c")
    file.write_text(source)
    words = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{target.name}", "-o", str(target), str(file), *linked]
    subprocess.run(words, check=True)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs root to become somebody else")
def test_a_user_without_a_home_gets_the_command_line(elsewhere: Path) -> None:
    """What needs no folder of the user works without one."""
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(elsewhere)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    for verb in (["--version"], ["classify", "--no-model", "ls"]):
        done = subprocess.run([*words, *verb], env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def session() -> Iterator[DesktopSession]:
    if missing_programs():
        pytest.skip(f"a virtual desktop needs {', '.join(missing_programs())}")
    with desktop_session() as found:
        yield found


@pytest.mark.desktop
def test_started_twice_at_once_there_is_one(elsewhere: Path, session: DesktopSession, tmp_path: Path) -> None:
    """Of two that start together one stays, with one icon in the tray; the other ends without a word."""
    words = [str(elsewhere), "--profile", str(tmp_path / "profile"), "run", "--hidden"]
    two = [
        subprocess.Popen(
            words, env=session.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        session.tray_item(60)
        ended = wait_for(lambda: [one for one in two if one.poll() is not None], "the second to end", 30)
        assert [one.returncode for one in ended] == [0]
        session.choose_in_tray("Quit")
        assert sorted(one.wait(30) for one in two) == [0, 0]
    finally:
        said = [stop(one) for one in two]
    assert all("Traceback" not in err for _, err in said), said
    assert len([fact for fact in session.facts if "item" in fact]) == 1


PROBE = """
def on_plain_text(text, context):
    missing, reached = [], []
    for name in context.settings["modules"].split():
        try:
            __import__(name)
        except ImportError:
            missing.append(name)
    for what in ("open('/etc/passwd')", "__import__('socket').socket()", "__import__('os').fork()"):
        try:
            reached.append(eval(what))
        except PermissionError:
            pass
    return f"missing {missing}, reached {reached}"
"""


@pytest.mark.skipif(not can_confine(), reason="this system has no Landlock or no seccomp")
def test_an_extension_runs_in_it_with_all_that_was_promised_and_no_more(
    elsewhere: Path, tmp_path: Path
) -> None:
    """Its process is the bundle itself: the modules of docs/extensions-api.md are there, files are not."""
    modules = f'[[settings]]\nname = "modules"\ndefault = "{" ".join(contents.FOR_EXTENSIONS)}"\n'
    folder = package(tmp_path / "probe", PROBE, more=modules)
    recorded = '[[call]]\nhook = "on_plain_text"\ntext = "a"\ngives = "missing [], reached []"\n'
    (folder / "calls.toml").write_text(recorded, encoding="utf-8")
    done = call(elsewhere, "extensions", "test", str(folder))
    assert done.stdout == "✓ 1. on_plain_text\n", done.stdout + done.stderr
    told = call(elsewhere, "--profile", str(tmp_path), "extensions", "install", "units", "--yes")
    assert "units is on." in told.stdout, told.stderr
