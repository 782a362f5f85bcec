"""What a confined server tries outside of what it was given: over sixty acts, none of which may succeed."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.mcp.access import ServerReach
from tests.mcp.conftest import House, hostile, needs_confinement
from tests.mcp.test_servers import call

# `T` is a folder that it was not given, with the file `kept`; `P` a port on which somebody listens.
WRITES = (
    "Path(T, 'new').write_text('x')",
    "Path(T, 'kept').write_text('x')",
    "open(os.path.join(T, 'kept'), 'a').write('x')",
    "Path(T, 'kept').unlink()",
    "os.rename(os.path.join(T, 'kept'), os.path.join(T, 'moved'))",
    "os.rename(os.path.join(T, 'kept'), 'stolen')",
    "os.replace(os.path.join(T, 'kept'), os.path.join(T, 'other'))",
    "os.link(os.path.join(T, 'kept'), os.path.join(T, 'linked'))",
    "os.link(os.path.join(T, 'kept'), 'linked'); open('linked', 'w').write('x')",
    "os.symlink('/etc/passwd', os.path.join(T, 'link'))",
    "os.symlink(T, 'way'); Path('way/kept').write_text('x')",
    "os.symlink(os.path.join(T, 'kept'), 'door'); Path('door').write_text('x')",
    "Path(T, 'folder').mkdir()",
    "os.rmdir(os.path.join(T, 'inner'))",
    "os.mkfifo(os.path.join(T, 'pipe'))",
    "os.mknod(os.path.join(T, 'node'))",
    "os.truncate(os.path.join(T, 'kept'), 0)",
    "os.open(os.path.join(T, 'kept'), os.O_WRONLY | os.O_TRUNC)",
    "os.open(os.path.join(T, 'kept'), os.O_RDWR)",
    "os.open(T, os.O_TMPFILE | os.O_WRONLY)",
    "os.chmod(os.path.join(T, 'kept'), 0o777)",
    "os.chmod(T, 0o777)",
    "os.chown(os.path.join(T, 'kept'), os.getuid(), os.getgid())",
    "os.utime(os.path.join(T, 'kept'), (1, 1))",
    "os.setxattr(os.path.join(T, 'kept'), 'user.x', b'1')",
    "os.chdir(T); open('kept', 'w').write('x')",
    "h = os.open(T, os.O_RDONLY); os.open('kept', os.O_WRONLY, dir_fd=h)",
    "h = os.open(T, os.O_RDONLY); os.unlink('kept', dir_fd=h)",
    "h = os.open(T, os.O_RDONLY); os.mkdir('x', dir_fd=h)",
    "open(f'/proc/self/root{T}/kept', 'w').write('x')",
    "open(f'/proc/self/cwd/../{os.path.basename(T)}/kept', 'w').write('x')",
    "subprocess.run(['sh', '-c', f'echo x > {T}/kept'], check=True, stderr=-3)",
    "subprocess.run(['rm', '-f', f'{T}/kept'], check=True, stderr=-3)",
    "subprocess.run(['mv', f'{T}/kept', f'{T}/x'], check=True, stderr=-3)",
    "subprocess.run(['touch', f'{T}/kept'], check=True, stderr=-3)",
    "subprocess.run(['cp', '/etc/hostname', f'{T}/kept'], check=True, stderr=-3)",
    "subprocess.run(['ln', '-sf', '/etc/hostname', f'{T}/kept'], check=True, stderr=-3)",
    "subprocess.run([sys.executable, '-c', f'open(\"{T}/kept\", \"w\")'], check=True, stderr=-3)",
    "Path.home().joinpath('.steward-test-hostile').write_text('x')",
    "Path('/tmp/steward-test-hostile').write_text('x')",
    "Path('/var/tmp/steward-test-hostile').write_text('x')",
    "Path('/dev/shm/steward-test-hostile').write_text('x')",
    "Path('/proc/self/oom_score_adj').write_text('0')",
    "os.kill(int(os.popen(f'cat {T}/pid').read()), 9)",
    "os.kill(int(Path(T, 'pid').read_text()), 0)",
    "open(f'/proc/{Path(T, \"pid\").read_text()}/mem', 'r+b')",
    "Path(SETTINGS).read_text()",
    "os.listdir(SETTINGS) and Path(SETTINGS, 'settings.toml').write_text('x')",
    "os.unshare(0x10000000)",
    "os.setns(os.open('/proc/self/ns/mnt', os.O_RDONLY), 0)",
)
NETWORK = (
    "socket.create_connection(('127.0.0.1', P), 1)",
    "socket.create_connection(('localhost', P), 1)",
    "socket.create_connection(('::1', P), 1)",
    "socket.create_connection(('192.0.2.1', 80), 1)",
    "socket.socket(socket.AF_INET, socket.SOCK_STREAM)",
    "socket.socket(socket.AF_INET6, socket.SOCK_STREAM)",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', P))",
    "socket.socket(socket.AF_INET, socket.SOCK_RAW)",
    "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
    "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "socket.create_server(('127.0.0.1', 0))",
    "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "subprocess.run(['bash', '-c', f'echo > /dev/tcp/127.0.0.1/{P}'], check=True, stderr=-3)",
    "subprocess.run([sys.executable, '-c', 'import socket; socket.socket()'], check=True, stderr=-3)",
)


@pytest.fixture
def port() -> Iterator[int]:
    """Somebody who listens on this computer; a connection fails the test."""
    met = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        ended = threading.Event()

        def wait() -> None:
            while not ended.is_set():
                try:
                    met.append(server.accept())
                except TimeoutError:
                    continue

        thread = threading.Thread(target=wait)
        thread.start()
        yield server.getsockname()[1]
        ended.set()
        thread.join()
    assert not met


def _seen(folder: Path) -> list[tuple[str, int, int, bytes]]:
    """All of a folder: names, modes, times and contents."""
    return [
        (
            each.name,
            each.lstat().st_mode,
            each.lstat().st_mtime_ns,
            each.read_bytes() if each.is_file() else b"",
        )
        for each in sorted((folder, *folder.rglob("*")))
    ]


@needs_confinement
@pytest.mark.parametrize("writes", [False, True], ids=["reads", "writes in its folder"])
def test_no_hostile_act_of_a_confined_server_succeeds(
    house: House, tmp_path: Path, port: int, writes: bool
) -> None:
    """Neither what it says nor what it does changes anything outside its folder or reaches anybody."""
    target = tmp_path / "target"
    (target / "inner").mkdir(parents=True)
    (target / "kept").write_text("as it was")
    (target / "pid").write_text(str(os.getpid()))
    folders = [str(house.folder)] if writes else []
    house.settings = {"it": hostile("plain", folders=folders, folder=str(house.folder))}
    servers = house.servers()
    assert servers.access("it").reach is (ServerReach.WRITES if writes else ServerReach.READS)
    servers.look("it")
    head = f"T, P, SETTINGS = {str(target)!r}, {port}, {str(house.core.paths.config)!r}\n"
    house.core.settings.change("window", "zoom_percent", 110)  # so that there is a file of settings
    before = _seen(target)
    acts = (*WRITES, *NETWORK) if writes else (*WRITES, *NETWORK, "Path('mine').write_text('x')")
    assert len(acts) >= 60
    done = [act for act in acts if call(servers, head + act, tool="act") == "done"]
    # A link in its own folder to something outside is its own; what it leads to stays as it was.
    assert not [act for act in done if "symlink" not in act]
    assert _seen(target) == before
    assert not Path("/tmp/steward-test-hostile").exists()
    if writes:
        assert call(servers, f"Path({str(house.folder)!r}, 'mine').write_text('x')", tool="act") == "done"
