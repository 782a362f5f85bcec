"""Which command lines are for a worker, and what they need."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.offload.plan import WorkerPlan, begins_with_program, passed_variables, plan_of, words_of
from desktop.offload.programs import CommandKind, read_programs
from desktop.offload.reasons import OffloadReason
from desktop.reasons import Reason

PROGRAMS = read_programs()
ROOT = Path("/home/ada/work/project")


def plan(line: str, folder: Path = ROOT) -> WorkerPlan | Reason:
    words = words_of(line)
    return plan_of(words, folder, ROOT, PROGRAMS) if words else OffloadReason.NOT_PLAIN.of()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("cargo build", CommandKind.BUILD),
        ("cargo build --release --features a,b", CommandKind.BUILD),
        ("cargo test adds -- --nocapture", CommandKind.TEST),
        ("cargo clippy --all-targets", CommandKind.BUILD),
        ("cargo -p sums test", CommandKind.TEST),
        ("RUST_BACKTRACE=1 cargo test", CommandKind.TEST),
        ("go build ./...", CommandKind.BUILD),
        ("go test -run TestX ./pkg/...", CommandKind.TEST),
        ("make", CommandKind.BUILD),
        ("make -j8 all", CommandKind.BUILD),
        ("make -j 8", CommandKind.BUILD),
        ("make -j test", CommandKind.TEST),
        ("make check CFLAGS=-O2", CommandKind.TEST),
        ("make src/main.o", CommandKind.BUILD),
        ("cmake --build build --target app", CommandKind.BUILD),
        ("ninja -C build", CommandKind.BUILD),
        ("gcc -O2 -Iinclude -o prog main.c", CommandKind.BUILD),
        ("g++ main.cpp -I/usr/include/eigen3", CommandKind.BUILD),
        ("clang -c a.c", CommandKind.BUILD),
        ("npm run build", CommandKind.BUILD),
        ("npm test", CommandKind.TEST),
        ("pnpm run test", CommandKind.TEST),
        ("yarn build", CommandKind.BUILD),
        ("bun run build", CommandKind.BUILD),
        ("pytest -q tests/a.py", CommandKind.TEST),
        ("tsc -p .", CommandKind.BUILD),
        ("mvn -q package", CommandKind.BUILD),
        ("gradle test", CommandKind.TEST),
        ("cargo test 2>&1", CommandKind.TEST),
    ],
)
def test_builds_and_tests_are_known(line: str, kind: CommandKind) -> None:
    """By program and verb, whatever options stand between."""
    found = plan(line)
    assert isinstance(found, WorkerPlan), str(found)
    assert found.kind is kind


@pytest.mark.parametrize(
    "line",
    [
        "ls -la",
        "cargo run",
        "cargo install ripgrep",
        "cargo publish",
        "cargo",
        "cargo +nightly build",
        "cargo build --manifest-path ../x/Cargo.toml",
        "cargo build --target-dir /tmp/x",
        "cargo build --target-dir=/tmp/x",
        "CARGO_REGISTRY_TOKEN=x cargo build",
        "PATH=/tmp cargo build",
        "LD_PRELOAD=./x.so make",
        "make install",
        "make clean",
        "make all install",
        "make -C ../other",
        "make -C../other",
        "make -f /tmp/Makefile",
        "cmake -S . -B build",
        "cmake --install build",
        "gcc -o /tmp/prog main.c",
        "gcc -o../prog main.c",
        "gcc -B. main.c",
        "gcc --version",
        "go run .",
        "go test -exec ./x .",
        "npm install",
        "npm run deploy",
        "npm --prefix ../x test",
        "npx tsc",
        "pytest --pdb",
        "pytest ~/other",
        "pytest ../other",
        "tsc --watch",
        "mvn deploy",
        "mvn clean install",
        "gradle publish",
        "sudo make",
        "time make",
        "./make",
        "/usr/bin/make",
        "cargo build | tail",
        "cargo build && ls",
        "cargo build > log",
        "cargo build &",
        "cargo build; rm x",
        "cargo build $X",
        "cargo build `x`",
        "cargo test a*",
        "cargo test {a,b}",
        "cargo build \\\n --release",
        "cargo test 'unended",
        "make !!",
        "",
        "cargo build " + "x" * 2000,
    ],
)
def test_everything_else_runs_here(line: str) -> None:
    """What may do more, leaves the project, is unknown or is more than one plain command."""
    assert isinstance(plan(line), Reason)


@given(st.text(max_size=60))
def test_no_line_raises(line: str) -> None:
    """Whatever is typed, the answer is a plan or a reason, and a plan begins with a program of the table."""
    found = plan(line)
    if isinstance(found, WorkerPlan):
        assert begins_with_program(line, PROGRAMS)


@given(st.sampled_from(["make", "cargo build", "pytest a.py"]), st.sampled_from(";|&<>$`(){}*?[]~#\\\n!"))
def test_what_a_shell_acts_on_makes_it_no_plan(line: str, sign: str) -> None:
    """Wherever it stands, also in quotes: nobody has to be sure of quoting."""
    assert isinstance(plan(f"{line} {sign}"), Reason)
    assert isinstance(plan(f"{line} 'a{sign}b'"), Reason)


def test_only_named_variables_are_handed_on() -> None:
    """Never one whose name tells of a secret, also where a pattern of the table would cover it."""
    found = plan("CFLAGS=-O3 make")
    assert isinstance(found, WorkerPlan)
    environment = {
        "LANG": "C",
        "CFLAGS": "-O1",
        "HOME": "/home/ada",
        "PATH": "/bin",
        "GITHUB_TOKEN": "x",
        "CARGO_PROFILE_RELEASE_LTO": "true",
    }
    assert passed_variables(found, environment, PROGRAMS) == {"LANG": "C", "CFLAGS": "-O3"}
    cargo = plan("cargo build")
    assert isinstance(cargo, WorkerPlan)
    spoiled = {"CARGO_PROFILE_SECRET_KEY": "x", "CARGO_PROFILE_RELEASE_LTO": "true"}
    assert passed_variables(cargo, spoiled, PROGRAMS) == {"CARGO_PROFILE_RELEASE_LTO": "true"}


def test_a_user_adds_a_program_and_replaces_one(tmp_path: Path) -> None:
    """A file of the same form in the settings folder."""
    own = tmp_path / "offload.toml"
    own.write_text(
        '[programs.zig]\nbuild = "build"\nidentity = ["zig version"]\n[programs.make]\nbuild = "mine"\n'
    )
    programs = read_programs(own)
    assert isinstance(plan_of(("zig", "build"), ROOT, ROOT, programs), WorkerPlan)
    assert isinstance(plan_of(("make", "mine"), ROOT, ROOT, programs), WorkerPlan)
    assert isinstance(plan_of(("make", "all"), ROOT, ROOT, programs), Reason)
    assert isinstance(plan_of(("cargo", "build"), ROOT, ROOT, programs), WorkerPlan)


@pytest.mark.parametrize(
    "text", ["[programs", "programs = 5\n", "[programs]\nmake = 5\n", '[programs.x]\nsame = "y"\n']
)
def test_a_damaged_table_is_a_sentence(tmp_path: Path, text: str) -> None:
    """It names the file."""
    own = tmp_path / "offload.toml"
    own.write_text(text)
    with pytest.raises(UserFacing, match=str(own)):
        read_programs(own)
