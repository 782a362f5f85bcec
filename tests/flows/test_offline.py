"""Nothing leaves this computer but what was asked for: the real program behind a guard."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from desktop.agents.tokens import Tokens
from desktop.app import build_core
from desktop.paths import Paths
from tests.flows.desktop_session import ROOT, DesktopSession, choose_smollm2, stop, wait_for
from tests.flows.profile import answers
from tests.flows.remote_program import FAR, NAMED, NEAR
from tests.flows.socket_guard import SocketGuard, missing, socket_guard
from tests.ports import free_port

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.timeout(180),
    pytest.mark.skipif(bool(missing()) or sys.platform != "linux", reason="the guard needs Linux and cc"),
]

INDEX = "192.0.2.7"  # for documentation (RFC 5737): nobody is there


@pytest.fixture
def guard(tmp_path: Path) -> SocketGuard:
    return socket_guard(tmp_path)


def test_the_guard_notices_every_way_out(guard: SocketGuard) -> None:
    """Otherwise the other tests would prove nothing: connect, datagrams, names, and a child's."""
    code = """
import socket, subprocess, sys
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    try: socket.socket(type=kind).connect(("192.0.2.1", 80))
    except OSError: pass
try: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.2", 53))
except OSError: pass
try: socket.create_connection(("models.example", 443))
except OSError: pass
subprocess.run([sys.executable, "-c", "import socket; socket.socket().connect_ex(('192.0.2.3', 80))"])
listener = socket.create_server(("127.0.0.1", 0)); socket.create_connection(listener.getsockname())
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=guard.environment)
    assert guard.attempts == [
        *("connect 192.0.2.1", "connect 192.0.2.1", "send 192.0.2.2", "name models.example"),
        "connect 192.0.2.3",
    ]


def test_a_fresh_start_sends_nothing_until_the_user_agrees_to_a_download(
    session: DesktopSession, guard: SocketGuard, tmp_path: Path
) -> None:
    """No connection while it waits in its first window; after "Download" only to where the model is kept."""
    profile = tmp_path / "profile"
    program = session.start("--profile", str(profile), **guard.environment, **_index())
    try:
        session.activate_window("Welcome to Steward")
        time.sleep(3.0)  # what a program does of itself, it does soon after its start
        assert guard.attempts == []
        choose_smollm2(session, program)
        session.key("Return")
        wait_for(lambda: guard.attempts, "the download that was asked for", 60)
    finally:
        stop(program)
    assert {line.split()[1] for line in guard.attempts} == {INDEX}


def test_a_fresh_install_starts_hidden_without_window_login_item_or_listener(
    session: DesktopSession, guard: SocketGuard, tmp_path: Path
) -> None:
    """The listener comes once an agent is installed, and it is on loopback."""
    config = tmp_path / "config"
    profile = tmp_path / "profile"
    build_core(Paths.under(profile)).settings.change("hooks", "port", port := free_port())
    extra = {"XDG_CONFIG_HOME": str(config), "HOME": str(tmp_path / "home"), **guard.environment}
    program = session.start("--profile", str(profile), "run", "--hidden", **extra)
    try:
        session.tray_item()
        time.sleep(2.0)
        assert not session.windows("Steward")
        assert not session.windows("Welcome")
        assert not list((config / "autostart").glob("*"))
        assert _listens(program) == set()
        Tokens(Paths.under(profile)).make("claude-code")
        wait_for(lambda: _listens(program), "the listener after an agent was installed", 30)
        assert _listens(program) <= {("127.0.0.1", port), ("::1", port)}
    finally:
        stop(program)
    assert guard.attempts == []


def test_a_day_of_questions_pages_and_quick_ask_sends_nothing(
    session: DesktopSession, guard: SocketGuard, tmp_path: Path, smollm2: Path
) -> None:
    """Chat with the real small model, Quick-ask, and every page of the window: no connection at all."""
    profile = tmp_path / "profile"
    core = build_core(Paths.under(profile))
    core.settings.change("model", "active", core.library.import_file(smollm2).id)
    core.settings.change("model", "max_answer_tokens", 16)
    program = session.start("--profile", str(profile), **guard.environment)
    try:
        session.activate_window("^Steward$")
        session.type("What is the capital of France?")
        session.key("Return")
        wait_for(lambda: answers(profile, "complete") or answers(profile, "length"), "an answer", 60)
        session.choose_in_tray("Activity")
        session.activate_window("Activity")
        for _page in range(10):
            session.key("ctrl+Next")
            time.sleep(0.3)
        time.sleep(2.0)
    finally:
        stop(program)
    assert guard.attempts == []


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("models", "get", "smollm2-135m"), {INDEX}),
        (("doctor", "--json"), set[str]()),
        (("models", "list"), set[str]()),
        (("classify", "curl", "https://example.org"), set[str]()),
    ],
)
def test_verbs_go_out_only_for_what_they_are_asked(
    guard: SocketGuard, tmp_path: Path, words: tuple[str, ...], asked: set[str]
) -> None:
    """A download goes to the index and nowhere else; a report, a list, a verdict stay here."""
    command = [sys.executable, "-m", "desktop", "--profile", str(tmp_path / "profile"), *words]
    if words[0] == "classify":
        command = [sys.executable, "-m", "desktop", *words]
    environment = {**_environment(), **guard.environment, **_index()}
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=120)
    assert {line.split()[1] for line in guard.attempts} == asked


def test_a_web_search_asks_the_search_services_alone(guard: SocketGuard, tmp_path: Path) -> None:
    """The tool, called as a turn calls it: the names of the services, no others."""
    code = f"""
from pathlib import Path
from desktop.app import build_core
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.tools.web_search import WebSearch, services
core = build_core(Paths.under(Path({str(tmp_path / "profile")!r})))
parser = Parser(lambda: available().best)
try: WebSearch(core.network, services(core.network, parser)).web_search("lighthouses")
except UserFacing: pass
core.close()
"""
    environment = {**_environment(), **guard.environment}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True)
    hosts = {line.split()[1] for line in guard.attempts}
    assert hosts
    assert all(host.endswith(("duckduckgo.com", "mojeek.com", "brave.com")) for host in hosts), hosts


def test_no_word_of_a_chat_leaves_without_its_sign(guard: SocketGuard, tmp_path: Path) -> None:
    """Chats here and on three servers, in every way that a chat can be asked, agreed to and not: each attempt
    to reach a host, or to look its name up, stands between that host's sign and its end."""
    words = ["-m", "tests.flows.remote_program", str(tmp_path / "profile"), str(guard.log)]
    environment = {**_environment(), **guard.environment}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=170
    )
    assert done.returncode == 0, done.stderr[-2000:]
    shown: list[str] = []
    reached: dict[str, int] = {}
    for line in guard.attempts:
        what, _, host = line.partition(" ")
        bare = host.rpartition(":")[0] or host  # a sign has the port, where it is not the usual one
        if what == "sign":
            shown.append(bare)
        elif what == "over":
            shown.remove(bare)
        else:
            assert host in shown, f"{line} without its sign; shown were {shown}"
            reached[host] = reached.get(host, 0) + 1
    assert shown == []
    assert set(reached) == {FAR, NEAR, NAMED}
    assert min(reached.values()) >= 4  # asked twice, answered anew, edited


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}


def _index() -> dict[str, str]:
    return {
        "PIP_INDEX_URL": f"https://{INDEX}/simple",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_RETRIES": "0",
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"), ""),
    }


def _listens(program: subprocess.Popen[str]) -> set[tuple[str, int]]:
    found = psutil.Process(program.pid).net_connections(kind="inet")
    return {(each.laddr.ip, each.laddr.port) for each in found if each.status == psutil.CONN_LISTEN}
