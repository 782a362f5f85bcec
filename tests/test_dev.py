"""dev.py sets up a fresh computer, repairs what was interrupted, and gets out of the way when all is there.

The set-up runs for real (virtual environment, pip, hashes, locks, kills) in a small copy of the tree. Two
wheels made here stand for the real packages, and a `steward` that repeats its arguments stands for ours.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import dev
from bootstrap import computer, environment, llama, locks, programs, testing

ROOT = Path(__file__).resolve().parent.parent
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="signals and pseudo-terminals of POSIX")
MOST_MODULES = 260  # it loads 214 with Python 3.11
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="package managers of Linux")

STEWARD = """
import json, os, sys
said = json.dumps([sys.argv[1:], os.environ.get("DISPLAY", "")])
sys.stderr.write("steward: " + said + "\\n")
if "models" not in sys.argv:
    print(said)
if "--screenshot" in sys.argv:
    open(sys.argv[-1], "w").close()
sys.exit(7 if "fail" in sys.argv else 0)
"""


def make_wheel(folder: Path, name: str, version: str, modules: dict[str, str]) -> Path:
    """A real wheel of a few modules."""
    info = f"{name}-{version}.dist-info"
    files = {path: text.encode() for path, text in modules.items()}
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{path},sha256={_record_hash(body)},{len(body)}\n" for path, body in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, body in files.items():
            archive.writestr(path, body)
    return wheel


def _record_hash(body: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()


@dataclass(frozen=True)
class Copy:
    """A small copy of the tree, with an environment in which nothing is reached outside of it."""

    root: Path
    environ: dict[str, str]

    @property
    def command(self) -> list[str]:
        return [sys.executable, str(self.root / "dev.py")]

    def dev(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command, *words],
            cwd=self.root.parent,
            env={**self.environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.command, *words],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def build_copy(place: Path) -> Copy:
    root, cache, index = place / "tree", place / "cache", place / "index"
    for folder in (root / "requirements", root / "desktop", cache, index):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "dev.py", root)
    shutil.copytree(ROOT / "bootstrap", root / "bootstrap", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "desktop" / "__init__.py").touch()
    (root / "desktop" / "__main__.py").write_text(STEWARD, encoding="utf-8")
    (root / "requirements" / "system.toml").write_text("[run]\n[screen]\n[compiler]\n", encoding="utf-8")
    modules = {f"PySide6/{name}.py": "" for name in ("__init__", "QtWidgets")} | {"qasync.py": ""}
    write_locks(root, make_wheel(index, "drawing", "1.0", modules))
    environ = {
        **{
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("PIP_", "DISPLAY", "WAYLAND"))
        },
        **{name: str(cache) for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME")},
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": index.as_uri(),
        "CMAKE_ARGS": "",
    }
    copy = Copy(root, environ)
    put_wheel_into_cache(copy)
    return copy


def adopt(copy: Copy, made: Copy) -> None:
    """As if the set-up had come as far as its virtual environment, and no further."""
    shutil.copytree(made.root / ".venv", copy.root / ".venv", symlinks=True)
    (copy.root / ".venv" / "steward-setup.json").unlink()


def write_locks(root: Path, wheel: Path) -> None:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    for name in ("run", "dev"):
        lock = root / "requirements" / f"{name}.lock"
        lock.write_text(f"drawing==1.0 \\\n    --hash=sha256:{digest}\n", encoding="utf-8")
    (root / "requirements" / "llama.lock").write_text("llama-cpp-python==0.0.1 \\\n", encoding="utf-8")


def put_wheel_into_cache(copy: Copy) -> None:
    """As if llama.cpp had been compiled before."""
    ask = (
        "from bootstrap import llama, programs; import platform; v = platform.python_version_tuple()"
        "; print(programs.cache_folder() / 'wheels' / llama.wheel_name('.'.join(v[:2]), ''))"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=copy.root,
        env=copy.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    folder = Path(done.stdout.strip())
    folder.mkdir(parents=True)
    make_wheel(folder, "llama_cpp_python", "0.0.1", {"llama_cpp.py": ""})


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy in which the set-up has run once."""
    copy = build_copy(tmp_path_factory.mktemp("set up"))
    done = copy.dev("run", "--version")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["--version"], ""]
    assert "Making the virtual environment" in done.stderr
    return copy


def wait_for(condition: Callable[[], bool], timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.setup
def test_second_run_adds_nothing(copy: Copy) -> None:
    """When everything is there, dev.py installs and says nothing, and loads little before it is steward."""
    python = str(copy.root / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    bare = [python, "-P", "-m", "desktop", "classify"]
    said = {**copy.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    alone = subprocess.run(bare, capture_output=True, check=True, text=True, env=said)
    with_dev = copy.dev("run", "classify", PYTHONPROFILEIMPORTTIME="1")
    # Modules and not seconds: beside other work a start takes any time, and its cost is what it loads.
    assert modules_loaded(with_dev) - modules_loaded(alone) <= MOST_MODULES
    before = installed_files(copy)
    assert copy.dev("run", "classify").stderr == 'steward: [["classify"], ""]\n'
    assert installed_files(copy) == before


@POSIX_ONLY
@pytest.mark.setup
def test_an_environment_less_some_packages_has_the_files_of_the_whole(copy: Copy) -> None:
    """Without Qt nothing is installed a second time: what is left out cannot be imported, the rest can, and a
    command starts the interpreter beside it."""
    ask = (
        "import dataclasses; from bootstrap import environment as e"
        "; less = dataclasses.replace(e.WITHOUT_QT, left_out={'drawing'}, proof='import llama_cpp')"
        "; print(e.set_up(less)); assert e.is_ready(less)"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=copy.root, env=copy.environ, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    python = Path(done.stdout.strip())
    whole = copy.root / ".venv" / "bin" / "python"
    for interpreter, has_it in ((python, False), (whole, True)):
        tried = subprocess.run(
            [interpreter, "-c", "import llama_cpp, PySide6"], capture_output=True, text=True
        )
        assert (tried.returncode == 0) is has_it
        assert has_it or "No module named 'PySide6'" in tried.stderr
        pip = interpreter.with_name("pip")
        assert str(interpreter) in pip.read_text(encoding="utf-8")
        subprocess.run([pip, "--version"], check=True, capture_output=True)


def modules_loaded(done: subprocess.CompletedProcess[str]) -> int:
    """By one process after the other, where one became the next."""
    return done.stderr.count("import time:")


def installed_files(copy: Copy) -> dict[Path, int]:
    """When each file of the environment was written."""
    files = (each for each in (copy.root / ".venv").rglob("*") if each.suffix != ".pyc" and each.is_file())
    return {each: each.stat().st_mtime_ns for each in files}


@pytest.mark.setup
def test_arguments_and_exit_code_pass_unchanged(copy: Copy) -> None:
    """steward sees the words exactly as typed, and dev.py ends with its exit code."""
    done = copy.dev("run", "classify", "--", "a b", "", "--quick", "fail")
    assert json.loads(done.stdout)[0] == ["classify", "--", "a b", "", "--quick", "fail"]
    assert done.returncode == 7


@pytest.mark.parametrize(
    ("words", "started"),
    [
        (["ask", "hello"], [["models", "get", "--recommended", "--if-none"], ["ask", "hello"]]),
        (
            ["--profile", "p", "chat"],
            [["--profile", "p", "models", "get", "--recommended", "--if-none"], ["--profile", "p", "chat"]],
        ),
        (["ask", "--model", "m.gguf", "hello"], [["ask", "--model", "m.gguf", "hello"]]),
        (["doctor"], [["doctor"]]),
        (["ask", "--help"], [["ask", "--help"]]),
    ],
)
def test_only_what_needs_a_model_fetches_one(copy: Copy, words: list[str], started: list[list[str]]) -> None:
    """`ask` and `chat` see to a model first, in the same profile; nothing else starts a download."""
    done = copy.dev("run", *words)
    said = [json.loads(line.removeprefix("steward: "))[0] for line in done.stderr.splitlines()]
    assert said == started
    assert json.loads(done.stdout)[0] == words


def test_with_a_display_the_window_starts_at_once(copy: Copy) -> None:
    """The first-run window does the download itself."""
    done = copy.dev("run", DISPLAY=":5")
    assert json.loads(done.stdout) == [[], ":5"]


@LINUX_ONLY
@pytest.mark.skipif(not shutil.which("xvfb-run"), reason="needs a virtual screen")
def test_without_display_and_terminal_one_question_is_answered(copy: Copy) -> None:
    """The window opens on a virtual screen; the answer is on stdout and its picture is named on stderr."""
    done = copy.dev("run", STEWARD_DEMO_QUESTION="Why?")
    words, display = json.loads(done.stdout)
    assert words[:3] == ["demo", "--question", "Why?"]
    assert display.startswith(":")
    assert words[-1] in done.stderr.splitlines()[-1]
    assert "no display" in done.stderr


@LINUX_ONLY
def test_without_display_in_a_terminal_the_chat_starts(copy: Copy) -> None:
    """A terminal is enough for a conversation, in the same profile."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [*copy.command, "run", "--profile", "p"],
        env=copy.environ,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert os.read(ours, 4096).decode().strip() == '[["--profile", "p", "chat"], ""]'
    os.close(ours)
    assert "no display" in said


@pytest.mark.slow
@pytest.mark.setup
def test_changed_locks_are_noticed(copy: Copy, tmp_path: Path) -> None:
    """A wheel with another hash than the lock file's is refused, and the repaired lock sets up again."""
    # One of its own: once an environment is set up for development, the lock of running is not asked.
    made, copy = copy, build_copy(tmp_path)
    adopt(copy, made)
    assert copy.dev("run", "classify").returncode == 0
    lock = copy.root / "requirements" / "run.lock"
    right = lock.read_text(encoding="utf-8")
    lock.write_text(right[:-2] + ("0" if right[-2] != "0" else "1") + "\n", encoding="utf-8")
    shutil.rmtree(next((copy.root / ".venv").rglob("drawing-1.0.dist-info")))
    refused = copy.dev("run", "classify")
    lock.write_text(right, encoding="utf-8")
    assert refused.returncode == 1
    assert "HASHES" in refused.stderr
    assert refused.stdout == ""
    assert copy.dev("run", "classify").returncode == 0


@POSIX_ONLY
@pytest.mark.setup
def test_killed_set_up_is_repaired(copy: Copy, tmp_path: Path) -> None:
    """After a kill -9 while packages are installed, the next run waits for pip to end and starts afresh."""
    made, copy = copy, build_copy(tmp_path)
    adopt(copy, made)
    first = copy.start("run", "classify")
    wait_for((copy.root / ".venv" / "steward-unfinished").exists)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert not (copy.root / ".venv" / "steward-setup.json").exists()
    second = copy.dev("run", "classify")
    assert second.returncode == 0, second.stderr
    assert "interrupted" in second.stderr
    assert json.loads(second.stdout)[0] == ["classify"]


@POSIX_ONLY
@pytest.mark.setup
def test_two_set_ups_take_turns(copy: Copy, tmp_path: Path) -> None:
    """The second of two says that it waits, then finds everything done."""
    made, copy = copy, build_copy(tmp_path)
    adopt(copy, made)
    first = copy.start("run", "classify")
    wait_for((copy.root / ".venv" / "steward-unfinished").exists)
    second = copy.dev("run", "classify")
    assert first.communicate(timeout=60)[0] == second.stdout
    assert second.returncode == 0
    assert "waiting" in second.stderr
    assert "Making" not in second.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fly"], "no verb 'fly'"),
        (["package"], "one of these kinds: cpu"),
        (["package", "metal"], "kind metal is not built on this system"),
        (["bench", "everything"], "engine, lookup, extensions, offload, api"),
        (["test", "--fast"], "--quick or --full"),
        (["check", "--fix"], "no arguments"),
        (["lock", "--all"], "--upgrade"),
    ],
)
def test_wrong_usage_is_explained(words: list[str], said: str) -> None:
    """What dev.py does not know ends with 2 and the words that it does know, before anything is set up."""
    with pytest.raises(programs.Stop, match=said) as stopped:
        dev.main(words)
    assert stopped.value.code == 2


def test_the_full_run_ends_with_the_acceptance_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with its tests, in a run of its own whose failure is the failure of the whole."""
    runs: list[tuple[list[str], str | None]] = []

    def ran(_left_out: object, extra: list[str], _report: str) -> int:
        runs.append((extra, os.environ.get("STEWARD_ACCEPTANCE")))
        return 1

    monkeypatch.delenv("STEWARD_ACCEPTANCE", raising=False)
    monkeypatch.setenv("STEWARD_BUNDLE", "built before")
    monkeypatch.setenv("STEWARD_TEST_PROFILE", "fetched before")
    monkeypatch.setattr(testing, "all_lanes", lambda _left_out: 0)
    monkeypatch.setattr(testing, "all_rooms", ran)
    assert dev.test([]) == 0
    assert runs == []
    assert dev.test(["--full"]) == 1
    assert runs == [(["tests/acceptance"], "1")]


@pytest.mark.parametrize("is_fetched", [True, False])
def test_the_full_run_has_its_model(monkeypatch: pytest.MonkeyPatch, is_fetched: bool) -> None:
    """Without it the tests that talk with one would be skipped, and the whole be called passed."""
    seen: list[str | None] = []

    def ran(_left_out: object) -> int:
        seen.append(os.environ.get("STEWARD_TEST_PROFILE"))
        return 0

    monkeypatch.setenv("STEWARD_TEST_PROFILE", "")  # so that it is as before afterwards
    monkeypatch.delenv("STEWARD_TEST_PROFILE")
    monkeypatch.setenv("STEWARD_BUNDLE", "built before")
    monkeypatch.setattr(testing, "set_up", lambda _environment: Path("python"))
    monkeypatch.setattr(testing, "call", lambda _command: 0 if is_fetched else 1)
    monkeypatch.setattr(testing, "all_lanes", ran)
    monkeypatch.setattr(testing, "acceptance", lambda: 0)
    if is_fetched:
        assert dev.test(["--full"]) == 0
        assert seen == [str(programs.cache_folder() / "test-profile")]
    else:
        with pytest.raises(programs.Stop, match="STEWARD_TEST_PROFILE"):
            dev.test(["--full"])
        assert seen == []


@pytest.mark.parametrize(
    ("words", "verb", "window", "model"),
    [
        ([], "run", True, False),
        (["run"], "run", True, False),
        (["--profile", "ask"], "run", True, False),
        (["--log-format", "json", "run"], "run", True, False),
        (["--version"], "run", False, False),
        (["run", "--help"], "run", False, False),
        (["ask", "run"], "ask", False, True),
        (["--profile=p", "chat", "--session", "s.json"], "chat", False, True),
        (["chat", "--model=m"], "chat", False, False),
        (["models", "list"], "models", False, False),
        (["classify"], "classify", False, False),
    ],
)
def test_request(words: list[str], verb: str, window: bool, model: bool) -> None:
    """The verb is found behind steward's own options, and tells what has to be there first."""
    request = dev.Request.read(words)
    assert (request.verb, request.opens_window, request.needs_model_first) == (verb, window, model)


@pytest.fixture
def poor_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lacks one library, one program and one font, and has no package manager yet; returns its PATH."""
    table = tmp_path / "system.toml"
    row = '{ apt = "%s-deb", dnf = "%s-rpm", pacman = "%s", zypper = "%s-suse" }'
    kinds = {
        "libraries": "libnowhere.so.9",
        "programs": "noprogram",
        "fonts": "nofont",
        "modules": "nomodule",
    }
    table.write_text("".join(f'[run.{k}]\n"{n}" = {row.replace("%s", k)}\n' for k, n in kinds.items()))
    monkeypatch.setattr(computer, "SYSTEM_PACKAGES", table)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@LINUX_ONLY
@pytest.mark.parametrize(
    ("manager", "command"),
    [
        (
            "apt-get",
            "sudo apt-get install -y --no-install-recommends "
            "fonts-deb libraries-deb modules-deb programs-deb",
        ),
        ("dnf", "sudo dnf install -y fonts-rpm libraries-rpm modules-rpm programs-rpm"),
        ("pacman", "sudo pacman -S --needed fonts libraries modules programs"),
        ("zypper", "sudo zypper install -y fonts-suse libraries-suse modules-suse programs-suse"),
    ],
)
def test_missing_system_packages_are_named(poor_computer: Path, manager: str, command: str) -> None:
    """Without the right to install, this distribution's exact command is printed and dev.py ends with 3."""
    program = poor_computer / manager
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(programs.Stop) as stopped:
        computer.need_from_system("run")
    assert f"\n  {command}\n" in str(stopped.value)
    assert stopped.value.code == 3


def test_every_system_package_has_a_name_everywhere() -> None:
    """Each row of system.toml names its package for all four managers."""
    groups = ("run", "compiler", "screen", "tests", "neighbours")
    for column in ("apt", "dnf", "pacman", "zypper"):
        assert isinstance(computer.missing_packages(groups, column), list)


def test_lock_file_without_some_packages() -> None:
    """A package goes with its hashes and markers; its neighbours stay as they are."""
    text = "a==1 \\\n    --hash=x \\\n    --hash=y\nQAsync==2 ; x\\\n    --hash=z\nc.d==3 \\\n    --hash=w\n"
    left = locks.without(text, frozenset({"qasync"}))
    assert left == "a==1 \\\n    --hash=x \\\n    --hash=y\nc.d==3 \\\n    --hash=w\n"
    assert locks.locked(left) == ["a", "c.d"]


def test_packages_left_out_without_qt_are_locked() -> None:
    """A renamed Qt package would otherwise stay in the environment that must not have it."""
    names = {name.lower() for name in locks.locked(environment.DEV.lock.read_text(encoding="utf-8"))}
    assert names >= environment.QT_PACKAGES


def test_wheel_is_named_after_what_shapes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another Python, other build options or another processor: another wheel; the same: the same."""
    name = llama.wheel_name("3.11", "")
    assert name == llama.wheel_name("3.11", "")
    others = {llama.wheel_name("3.12", ""), llama.wheel_name("3.11", "-DGGML_CUDA=on")}
    monkeypatch.setattr(llama, "processor", lambda: "another")
    assert len({name, *others, llama.wheel_name("3.11", "")}) == 4


def test_amx_is_left_out_of_a_native_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """On processors that have it, beside the user's own options; it changes nothing on others."""
    monkeypatch.setattr(llama, "processor", lambda: "x86_64 avx2 avx512f amx_tile amx_int8")
    assert llama.native_options("-DGGML_CUDA=on").split(" ", 1)[1] == f"{llama.NO_AMX} -DGGML_CUDA=on"
    monkeypatch.setattr(llama, "processor", lambda: "x86_64 avx2")
    assert llama.native_options("-DGGML_CUDA=on") == f"{llama.FEWER_TARGETS} -DGGML_CUDA=on"


def test_only_what_is_called_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither mtmd nor the library of llama.cpp's tools, also from a folder with a space in its name; where
    the checkout lies shapes no wheel, so two checkouts share one.
    """
    given: list[dict[str, str]] = []
    targets = tmp_path / "my checkout" / "llama_targets.cmake"
    monkeypatch.setattr(llama, "step", lambda *_words, **environ: given.append(environ))
    before = llama.wheel_name("3.11", "")
    monkeypatch.setattr(llama, "TARGETS", targets)
    assert llama.wheel_name("3.11", "") == before
    llama.compile_into(tmp_path, Path("python"), "-DGGML_CUDA=on", ())
    words = shlex.split(given[-1]["CMAKE_ARGS"])
    assert f"-DCMAKE_PROJECT_llama.cpp_INCLUDE={targets.as_posix()}" in words
    assert words[-1] == "-DGGML_CUDA=on"
    assert "-DLLAVA_BUILD=OFF" in words
    assert "LLAMA_BUILD_COMMON OFF" in (ROOT / "bootstrap" / "llama_targets.cmake").read_text()


def test_build_options_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build for CUDA stays one when a later run does not repeat CMAKE_ARGS."""
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    assert llama.build_options("-DGGML_CUDA=on") == "-DGGML_CUDA=on"
    monkeypatch.setenv("CMAKE_ARGS", "")
    assert llama.build_options("-DGGML_CUDA=on") == ""


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("Collecting a\n  Downloading a.whl\n\n", "Downloading a.whl"),
        ("[3/193] g++ -c a\n[12/193] g++ -c b\nb.c: warning\n   | ^~~\n", "12 of 193"),
        ("", "working"),
    ],
)
def test_progress_says_what_goes_on(tmp_path: Path, log: str, line: str) -> None:
    """A build shows how far it is; anything else its last line."""
    (tmp_path / "log").write_text(log, encoding="utf-8")
    assert programs.last_line(tmp_path / "log")[0] == line


def test_failed_step_shows_its_last_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason of a failure is on the screen, and where to find all of it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    program = "print('first'); print('the reason'); raise SystemExit(4)"
    with pytest.raises(programs.Stop, match=r"exit code 4(?s:.*)the reason(?s:.*)doing-this\.log"):
        programs.step("Doing this: slowly", [sys.executable, "-c", program])
