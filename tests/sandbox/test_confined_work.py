"""What an agent runs all day works confined to its project, as it would have without."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.gate.projects import MOST_ENTRIES
from desktop.sandbox.confiner import SCRATCH, Confinement, Confiner, in_project, read_only, with_scratch
from tests.sandbox.confined import Box

pytestmark = pytest.mark.children

FILES = {
    "Makefile": "all: hello\n\t./hello\nhello: hello.c\n\t$(CC) -o $@ $<\nclean:\n\trm -f hello\n",
    "hello.c": '#include <stdio.h>\nint main(void) { puts("made"); return 0; }\n',
    "test_it.py": "def test_it(tmp_path):\n    (tmp_path / 'a').write_text('b')\n",
    "package.json": '{"name": "x", "scripts": {"build": "node build.js", "test": "node -e 0"}}',
    "build.js": "require('fs').mkdirSync('dist'); require('fs').writeFileSync('dist/a', 'built\\n')",
    "many.py": (
        "import multiprocessing as m\n"
        "if __name__ == '__main__':\n"
        "    print(sum(m.Pool(2).map(abs, [-1, -2])))\n"
    ),
    "serve.py": (
        "import http.server, threading, urllib.request as u\n"
        "s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
        "threading.Thread(target=s.serve_forever, daemon=True).start()\n"
        "print(u.urlopen(f'http://localhost:{s.server_port}/hello.c').status)\n"
    ),
    "local.py": (
        "import asyncio, os\n"
        "async def main():\n"
        "    async def answer(reader, writer):\n"
        "        writer.write(await reader.readline()); writer.close()\n"
        "    path = os.environ['TMPDIR'] + '/s'\n"
        "    async with await asyncio.start_unix_server(answer, path):\n"
        "        reader, writer = await asyncio.open_unix_connection(path)\n"
        "        writer.write(b'said\\n'); print((await reader.readline()).decode(), end='')\n"
        "asyncio.run(main())\n"
    ),
    # In a folder of its own: Go takes no package that has a file of C beside it.
    "go/go.mod": "module x\n\ngo 1.19\n",
    "go/x_test.go": 'package x\n\nimport "testing"\n\nfunc TestX(t *testing.T) { t.TempDir() }\n',
    "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "#[test]\nfn works() { assert_eq!(1 + 1, 2); }\n",
}
# The line, what it prints (None: not looked at), and the program that it needs.
WORK: dict[str, tuple[str, str | None, str]] = {
    "git status": ("git status --short | head -1", None, "git"),
    "git diff": ("echo x >> hello.c; git diff --stat | wc -l", "2\n", "git"),
    "git log": ("git log --oneline | wc -l", "1\n", "git"),
    "git commit": (
        "echo x > new; git add new; git commit -qm second; git log --oneline | wc -l",
        "2\n",
        "git",
    ),
    "git branch": ("git checkout -qb other; git branch --show-current", "other\n", "git"),
    "git stash": ("echo x >> hello.c; git stash -q; git stash list | wc -l", "1\n", "git"),
    "git init of another": ("mkdir sub && git init -q sub && ls -d sub/.git", "sub/.git\n", "git"),
    "make": ("make -s", "made\n", "make"),
    "cc": ("cc -o hello hello.c && ./hello", "made\n", "cc"),
    "pytest": (f"'{sys.executable}' -m pytest -q -p no:cacheprovider test_it.py | tail -1", None, ""),
    "npm run": ("npm run -s build && cat dist/a", "built\n", "npm"),
    "npm test": ("npm test -s && echo tested", "tested\n", "npm"),
    "node": ("node -e 'console.log(require(\"os\").tmpdir() == process.env.TMPDIR)'", "true\n", "node"),
    "go test": ("cd go && GOFLAGS=-mod=mod go test ./... | cut -c1-2", "ok\n", "go"),
    "cargo test": ("cargo test -q --offline 2>&1 | grep -c '1 passed'", "1\n", "cargo"),
    "a virtual environment": (
        f"'{sys.executable}' -m venv --without-pip env && env/bin/python -c 'print(1)'",
        "1\n",
        "",
    ),
    "processes that share memory": (f"'{sys.executable}' many.py", "3\n", ""),
    "a server on the loopback": (f"'{sys.executable}' serve.py 2>/dev/null", "200\n", ""),
    "a socket in TMPDIR": (f"'{sys.executable}' local.py", "said\n", ""),
    "a private pipe": ("mkfifo p; (echo through > p &); cat p", "through\n", ""),
    "pipes": ("seq 100000 | sort -rn | head -1", "100000\n", ""),
    "a here-document": (
        "cat <<'END' > doc\n$(not run) `nor this`\nEND\ncat doc",
        "$(not run) `nor this`\n",
        "",
    ),
    "process substitution": ("diff <(echo a) <(echo a) && echo same", "same\n", ""),
    "jobs": ("sleep 0.1 & sleep 0.1 & wait; echo all", "all\n", ""),
    "the last of a pipe": ("set -o pipefail; false | true; echo $?", "1\n", ""),
    "permissions": ("touch a; chmod 750 a; stat -c %a a", "750\n", ""),
    "times": ("touch -d 2001-01-01 a; date -r a +%Y", "2001\n", ""),
    "links": ("echo x > a; ln a b; ln -s a c; cat b c", "x\nx\n", ""),
    "archives": ("tar cf a.tar hello.c; mkdir d; tar xf a.tar -C d; ls d", "hello.c\n", ""),
    "moves between folders": ("mkdir d; mv hello.c d/; mv d/hello.c .; ls hello.c", "hello.c\n", ""),
    "a temporary file": ('f=$(mktemp); echo x > "$f"; case $f in "$TMPDIR"/*) cat "$f";; esac', "x\n", ""),
    "shared memory": ("echo x > /dev/shm/x; cat /dev/shm/x", "x\n", ""),
    "its own signals": ("trap 'echo heard' USR1; kill -USR1 $$", "heard\n", ""),
    "ending a child": ("sleep 60 & kill $!; wait $!; echo $?", "143\n", ""),
    "limits of its own": ("ulimit -n 64; ulimit -n", "64\n", ""),
    "empty variables": ("EMPTY= env | grep -c '^EMPTY=$'", "1\n", ""),
    "programs of the system": (
        "ls /etc/passwd; id -u > /dev/null; date > /dev/null; uname",
        "/etc/passwd\nLinux\n",
        "",
    ),
    "a terminal of its own": ("script -qec 'tty > /dev/null && echo one' /dev/null", None, "script"),
    "time": ("TIMEFORMAT=x; time true", "", ""),
    "xargs": ("printf 'a\\nb\\n' | xargs -P2 -n1 echo | sort", "a\nb\n", ""),
}


@pytest.fixture
def work(box: Box) -> Box:
    if reason := Confiner(box.paths).why_not_project():
        pytest.skip(str(reason))
    for name, text in FILES.items():
        (box.project / name).parent.mkdir(exist_ok=True)
        (box.project / name).write_text(text)
    (box.home / ".gitconfig").write_text(
        "[user]\nname = a\nemail = a@example.org\n[init]\ndefaultBranch = main\n"
    )
    (box.home / ".ssh").mkdir()
    for name in (".npmrc", ".netrc"):
        (box.home / name).write_text("# mine\n")
    environment = {**os.environ, "HOME": str(box.home)}
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=box.project, env=environment, check=True)
    return box


def confined(box: Box) -> Confinement:
    return in_project(box.paths, box.project)


@pytest.mark.parametrize("name", WORK)
def test_work_goes_on_as_always(work: Box, name: str) -> None:
    """With the output that it has elsewhere and nothing refused."""
    line, printed, program = WORK[name]
    if program and shutil.which(program) is None:
        pytest.skip(f"there is no {program} here")
    done = work.run(line, confined(work), environment=toolchains())
    assert done.returncode == 0, done.stderr.decode()
    if printed is not None:
        assert done.stdout.decode() == printed
    assert Confiner(work.paths).refusals("call") == ()


def toolchains() -> dict[str, str]:
    """Rust's own installation lies in a home folder; which one is told in variables."""
    found = shutil.which("cargo")
    home = Path(found).resolve().parents[1] if found else Path()
    return {"RUSTUP_HOME": str(home.with_name(".rustup"))} if (home.with_name(".rustup")).is_dir() else {}


@pytest.mark.parametrize("mode", ["read only", "project"])
@pytest.mark.parametrize("code", [0, 1, 2, 125, 126, 127, 128, 130, 255])
def test_exit_codes_are_the_commands(work: Box, mode: str, code: int) -> None:
    """All of them, also those that a shell gives by itself."""
    given = read_only(work.paths) if mode == "read only" else confined(work)
    assert work.run(f"exit {code}", given).returncode == code


@pytest.mark.parametrize("mode", ["read only", "project"])
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGINT, signal.SIGHUP]
)
def test_death_by_a_signal_is_seen(work: Box, mode: str, number: signal.Signals) -> None:
    """By whoever started it, not as an exit code."""
    given = read_only(work.paths) if mode == "read only" else confined(work)
    line = "exec " + Confiner(work.paths).rewritten(f"kill -{number.value} $$", given, "call")
    assert work.shell(line).returncode == -number


@pytest.mark.parametrize("mode", ["read only", "project"])
def test_input_passes_whole(work: Box, mode: str) -> None:
    """Ten megabytes of any bytes."""
    given = read_only(work.paths) if mode == "read only" else confined(work)
    sent = os.urandom(10_000_000)
    done = work.run("cat", given, stdin=sent)
    assert done.stdout == sent


@pytest.mark.parametrize("mode", ["read only", "project"])
def test_a_signal_to_the_process_reaches_the_command(work: Box, mode: str) -> None:
    """The process that the agent knows is the command, which may tidy up before it ends."""
    given = read_only(work.paths) if mode == "read only" else confined(work)
    command = "trap 'echo tidied; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
    line = "exec " + Confiner(work.paths).rewritten(command, given, "call")
    with subprocess.Popen(["/bin/bash", "-c", line], cwd=work.project, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.terminate()
        assert process.stdout.read() == b"tidied\n"
        assert process.wait() == 5


def test_many_variables_pass(work: Box) -> None:
    """A large environment is handed on."""
    many = {f"VARIABLE_{number}": "x" * 1000 for number in range(500)}
    assert work.run("env | grep -c ^VARIABLE_", confined(work), environment=many).stdout == b"500\n"


def test_a_folder_that_is_gone_is_told(work: Box) -> None:
    """Where nobody could say which folder the command works in, it is not started."""
    gone = work.project / "gone"
    gone.mkdir()
    line = Confiner(work.paths).rewritten("echo ran", confined(work), "call")
    done = work.shell(f"rmdir ../gone; {line}", folder=gone)
    assert (done.returncode, done.stdout) == (126, b"")
    assert b"nothing was started" in done.stderr


def test_what_stays_in_the_background_keeps_no_pipe(work: Box) -> None:
    """The agent sees the end of the output when the command's own processes have let go of it."""
    done = work.run("sleep 3600 > /dev/null 2>&1 & echo $!", confined(work))
    assert done.returncode == 0
    os.kill(int(done.stdout), signal.SIGKILL)  # it is still there


def test_the_supervisor_is_not_taken_for_the_command(work: Box) -> None:
    """Whoever looks for a command by its words finds the command alone."""
    mark = f"steward-mark-{os.getpid()}"
    line = Confiner(work.paths).rewritten(f"echo ready; read word; : {mark}", confined(work), "call")
    with subprocess.Popen(
        ["/bin/bash", "-c", f"exec {line}"], cwd=work.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        found = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True, check=False)
        assert found.stdout.split() == [str(process.pid)]
        process.communicate(b"go\n")


def test_a_server_left_behind_answers_the_next_command(work: Box) -> None:
    """As developers do it: started in one command, asked in the next, ended by its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    python = f"'{sys.executable}' -m http.server --bind 0.0.0.0 {port}"
    ask = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/hello.c').status)"
    work.run(f"{python} > log 2>&1 & echo $! > server.pid", confined(work))
    try:
        tries = (
            f"for i in $(seq 50); do '{sys.executable}' -c \"{ask}\" 2>/dev/null && break; sleep 0.1; done"
        )
        assert work.run(tries, confined(work)).stdout == b"200\n"
    finally:
        os.kill(int((work.project / "server.pid").read_text()), signal.SIGKILL)


@contextmanager
def at_terminal(box: Box, given: Confinement, command: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The rewritten line in an interactive shell at a terminal of 40 by 100."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 100))
    line = Confiner(box.paths).rewritten(command, given, "call")
    environment = {**os.environ, "HOME": str(box.home), "PS1": "", "TERM": "dumb", "HISTFILE": "/dev/null"}
    process = subprocess.Popen(
        ["/bin/bash", "--norc", "--noediting", "-i"],
        cwd=box.project,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: set_controlling(theirs),  # noqa: PLW1509 - the only thread that matters here is this
    )
    os.close(theirs)
    os.write(ours, b"stty -echo\n" + line.encode() + b"; echo code=$?\n")
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def set_controlling(terminal: int) -> None:
    import fcntl

    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def read_until(terminal: int, wanted: bytes, timeout_s: float = 20) -> bytes:
    seen = b""
    timer = threading.Timer(timeout_s, lambda: os.write(terminal, b"\x04exit\n"))
    timer.start()
    try:
        while wanted not in seen:
            seen += os.read(terminal, 4096)
    except OSError as error:
        raise AssertionError(f"it never said {wanted!r}: {seen!r}") from error
    finally:
        timer.cancel()
    return seen


@pytest.mark.parametrize("mode", ["read only", "project"])
def test_ctrl_c_ends_it(work: Box, mode: str) -> None:
    """Typed at the terminal, as for any program."""
    given = read_only(work.paths) if mode == "read only" else confined(work)
    with at_terminal(work, given, "echo rea''dy; exec sleep 60") as (_, terminal):
        read_until(terminal, b"ready\r\n")
        os.write(terminal, b"\x03")
        os.write(terminal, b"echo then=$?\n")
        assert b"then=130" in read_until(terminal, b"then=130")


@pytest.mark.parametrize("mode", ["read only", "project"])
def test_ctrl_z_stops_it_and_fg_goes_on(work: Box, mode: str) -> None:
    """Job control is the shell's, over one process."""
    given = read_only(work.paths) if mode == "read only" else confined(work)
    with at_terminal(work, given, "echo rea''dy; read word; echo got=$word; exit 3") as (_, terminal):
        read_until(terminal, b"ready\r\n")
        os.write(terminal, b"\x1a")
        read_until(terminal, b"Stopped")
        os.write(terminal, b"fg\n")
        time.sleep(0.2)
        os.write(terminal, b"hello\n")
        assert b"got=hello" in read_until(terminal, b"got=hello")


@pytest.mark.parametrize("mode", ["read only", "project"])
def test_the_size_of_the_terminal_is_seen(work: Box, mode: str) -> None:
    """And it is one."""
    given = read_only(work.paths) if mode == "read only" else confined(work)
    with at_terminal(work, given, "stty size; tty > /dev/null && echo is''one; echo w > /dev/tty") as (
        _,
        terminal,
    ):
        said = read_until(terminal, b"code=0")
    assert b"40 100" in said
    assert b"isone" in said
    assert b"w\r\n" in said


@pytest.fixture
def stranger() -> Iterator[Path]:
    """A folder in /tmp with something in it, and a pipe beside it."""
    if len(os.listdir(SCRATCH)) > MOST_ENTRIES - 8:
        pytest.skip("/tmp holds so much that the gate gives no project a place there")
    place = SCRATCH / f"steward-test-{uuid.uuid4().hex}"
    place.mkdir()
    (place / "file").write_text("kept")
    os.mkfifo(f"{place}.pipe")
    yield place
    shutil.rmtree(place)
    os.unlink(f"{place}.pipe")


def test_its_own_in_tmp_can_be_made_changed_and_removed(work: Box, stranger: Path) -> None:
    """As without confinement, and seen by everybody; what it leaves there stays."""
    own = Path(f"{stranger}.own")
    moved = f"mv {own} {own}2 && mv {own}2 {own}"
    line = f"mkdir {own} && echo a > {own}/a && {moved} && cat {stranger}/file {own}/a"
    ran = work.run(line, with_scratch(confined(work), [str(own)]))
    assert (ran.returncode, ran.stdout) == (0, b"kepta\n"), ran.stderr
    assert (own / "a").read_text() == "a\n"
    again = work.run(f"echo b >> {own}/a && rm -r {own}", with_scratch(confined(work), [str(own)]))
    assert (again.returncode, own.exists()) == (0, False), again.stderr


@pytest.mark.parametrize(
    "line",
    [
        "echo x > {0}/file",
        "echo x > {0}/new",
        "rm -rf {0}",
        "mv {0} {0}.moved",
        "chmod 700 {0}",
        "touch {0}/file",
        "ln {0}/file {0}.own",
        "timeout 1 sh -c 'echo x > {0}.pipe'",
        "rm {0}.pipe",
        "mv /dev/null {0}.pipe",
    ],
)
def test_what_others_have_in_tmp_stays_as_it_is(work: Box, stranger: Path, line: str) -> None:
    """Whatever of /tmp is its own: content, permissions, times and names of the rest are held."""
    before = (stranger.stat(), (stranger / "file").stat(), sorted(os.listdir(stranger)))
    ran = work.run(line.format(stranger), with_scratch(confined(work), [f"{stranger}.own"]))
    assert ran.returncode != 0
    assert before[2] == sorted(os.listdir(stranger))
    assert before[0].st_mode == stranger.stat().st_mode
    assert before[1] == (stranger / "file").stat()
    assert Path(f"{stranger}.pipe").is_fifo()
