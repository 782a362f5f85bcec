"""The hosted build, which nobody runs here: what it calls is what there is.

Looked at as text, since no reader of YAML is among the packages.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import textwrap

import pytest

from bootstrap.package.build import KINDS
from tests.packaging_tests.conftest import ROOT
from tests.packaging_tests.test_release import script

WORDS = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
SCRIPTS = tuple(
    re.sub(r"\$\{\{.*?\}\}", "filled_in", textwrap.dedent(block))
    for block in re.findall(r"^ +run: \|\n((?: {10}.*\n|\n)+)", WORDS, re.MULTILINE)
)
KINDS_BUILT = tuple(re.findall(r"^ +- \{ name:.*kind: (\w+) \}", WORDS, re.MULTILINE))


def calls() -> list[list[str]]:
    """Every call of the release script, with a kind in the place of the matrix's."""
    joined = "\n".join(SCRIPTS).replace("\\\n", " ")
    found = re.findall(r"python3 packaging/release\.py (.*)", joined)
    return [shlex.split(words.replace("filled_in", kind)) for words in found for kind in KINDS_BUILT]


def test_every_file_that_it_names_is_there() -> None:
    """Scripts are called by their path."""
    named = set(re.findall(r"\b((?:packaging|installers|bootstrap|requirements)/[\w./]+)", WORDS))
    assert {"packaging/release.py", "packaging/vulkan_sdk.sh"} <= named
    assert [name for name in sorted(named) if not (ROOT / name.rstrip(".")).is_file()] == []


def test_its_debian_gets_the_python_that_builds() -> None:
    """A bare Debian 12 with `python3` alone can make no environment, and has no library for PyInstaller."""
    tools = re.search(r"- name: Tools of Linux\n.*?apt-get install -y (.*?)\n +- name", WORDS, re.DOTALL)
    assert tools is not None
    assert {"python3-venv", "libpython3.11", "binutils", "g++", "git"} <= set(tools[1].split())


def test_the_release_script_takes_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once to build, for each kind, and once to collect."""
    release = script("packaging/release.py")
    asked = []
    for words in calls():
        monkeypatch.setattr(sys, "argv", ["release.py", *(word for word in words if "[@]" not in word)])
        asked.append(release.arguments())
    assert {each.kind for each in asked if each.collect is None} == set(KINDS_BUILT) <= set(KINDS)
    assert {str(each.collect) for each in asked if each.collect is not None} == {"parts"}
    assert all(each.url for each in asked)  # winget's manifests name it, and the release file
    assert "path: parts\n" in WORDS
    assert "path: dist/release/*\n" in WORDS
    assert release.OUT == ROOT / "dist" / "release"


def test_somebody_reads_each_variable_that_it_sets() -> None:
    """A step that sets what nobody asks for does nothing, and says nothing."""
    readers = [*ROOT.glob("packaging/*"), *ROOT.glob("installers/macos/*"), *ROOT.glob("bootstrap/**/*.py")]
    read = "".join(path.read_text(encoding="utf-8") for path in readers if path.is_file())
    named = set(re.findall(r"\b(STEWARD_[A-Z_]+|VULKAN_SDK)\b", WORDS))
    assert {"STEWARD_APPIMAGE_RUNTIME", "STEWARD_NOTARY_PROFILE", "VULKAN_SDK"} <= named
    assert {name for name in named if name not in read} == set()


def test_publishing_needs_only_what_was_built_by_hand() -> None:
    """What never ran may fail: the rest is published, and the notes name every build that is not there."""
    rows = re.findall(r"^ +- \{ name: ([\w-]+),(.*)\}", WORDS, re.MULTILINE)
    required = [name for name, more in rows if "optional: true" not in more]
    optional = {name for name, more in rows if "optional: true" in more}
    assert required == ["linux-cpu"]
    assert "continue-on-error: ${{ matrix.optional == true }}" in WORDS
    named = re.search(r"for name in ([\w -]+); do", WORDS)
    assert named is not None
    assert set(named[1].split()) == optional
    assert "Windows with CUDA, Linux on arm64" in WORDS


def test_a_step_of_signing_is_done_whole_or_said_to_be_left_out() -> None:
    """The keychain stays open for the build and goes afterwards; without a secret a sentence says so."""
    assert re.search(r"set-keychain-settings -lut (\d+)", WORDS)[1] == "21600"  # type: ignore[index]
    assert "security delete-keychain" in WORDS
    # Named in the step that has the certificate only, and looked for where the profile was put.
    assert re.findall(r".*STEWARD_CODESIGN_IDENTITY.*", WORDS) == [
        '          echo "STEWARD_CODESIGN_IDENTITY=$IDENTITY" >> "$GITHUB_ENV"'
    ]
    assert 'echo "STEWARD_NOTARY_KEYCHAIN=$keychain" >> "$GITHUB_ENV"' in WORDS
    for secret in ("MACOS_CERTIFICATE", "NOTARY_APPLE_ID", "WINDOWS_SIGN_COMMAND"):
        assert re.search(rf"not (?:signed|notarized)[^\n]*{secret} is empty", WORDS), secret
    attest = WORDS.index("actions/attest-build-provenance@")
    assert "continue-on-error: true" in WORDS[attest : attest + 200]


def test_what_is_proposed_is_tested_on_three_systems() -> None:
    """Without secrets and without the right to write; its verbs are those of dev.py."""
    words = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    assert "pull_request:" in words
    assert re.findall(r"name: (linux|windows|macos), os", words) == ["linux", "windows", "macos"]
    assert "secrets." not in words
    assert "write" not in words
    dev = (ROOT / "dev.py").read_text(encoding="utf-8")
    verbs = re.findall(r"python3 dev\.py (\w+)", words)
    assert verbs == ["check", "test"]
    assert all(f"python3 dev.py {verb}" in dev for verb in verbs)
    assert all(re.fullmatch(r"[0-9a-f]{40}", pin) for pin in re.findall(r"uses: \S+@(\S+)", words))


def test_its_head_names_every_secret() -> None:
    """They are all that somebody who releases has to know of, and none is needed."""
    used = set(re.findall(r"secrets\.(\w+)", WORDS))
    head = WORDS.partition("\nname:")[0]
    assert used == {name for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", head) if name != "SHA256SUMS"}


def test_what_is_downloaded_is_compared_with_a_hash() -> None:
    """The runtime that an AppImage begins with is code of others that users start."""
    assert re.search(r"^ +APPIMAGE_RUNTIME: https://github\.com/AppImage/\S+/download/\d{8}/", WORDS, re.M)
    assert re.search(r"^ +APPIMAGE_RUNTIME_SHA256: [0-9a-f]{64}$", WORDS, re.MULTILINE)
    assert '"$APPIMAGE_RUNTIME_SHA256  $RUNNER_TEMP/runtime" | sha256sum -c -' in WORDS


def test_every_step_may_do_as_little_as_it_can() -> None:
    """Only what attests gets a token for that, and only what publishes may write."""
    build, _, publish = WORDS.partition("\n  publish:\n")
    assert "\npermissions:\n  contents: read\n" in build
    assert build.count("write") == build.count("id-token: write") + build.count("attestations: write") == 2
    assert publish.count("write") == publish.count("contents: write") == 1
    assert WORDS.count("persist-credentials: false") == WORDS.count("actions/checkout@")


@pytest.mark.parametrize("program", [["bash", "-n"], ["shellcheck", "-s", "bash", "-S", "warning"]])
def test_the_shell_takes_its_steps(program: list[str]) -> None:
    """Each block of commands is one that bash reads."""
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is missing")
    assert len(SCRIPTS) >= 8
    for words in SCRIPTS:
        done = subprocess.run(
            [*program, "/dev/stdin"], input=words, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("program", [["bash", "-n"], ["shellcheck"]])
def test_the_shell_takes_the_scripts_of_the_packages(program: list[str]) -> None:
    """Those that run on systems that are not at hand here, too."""
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is missing")
    for name in ("installers/macos/make_dmg.sh", "installers/linux/AppRun", "packaging/vulkan_sdk.sh"):
        done = subprocess.run([*program, ROOT / name], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
