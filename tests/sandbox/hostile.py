"""Acts that a confined command may try: lines for bash, which print ESCAPED where they seem to manage.

Variables: OUT, a folder outside the project with kept.txt; SECRET, a private key; VICTIM, a process outside;
SERVICE, a local socket of a service outside; ABSTRACT, the same by an abstract name; MEMORY, QUEUE and
SEMAPHORE, the numbers of what another program shares; PY, the beginning of a Python program that calls the
system by `call`. None does harm where nothing confines it.
"""

from __future__ import annotations

PY = """
import ctypes, errno, mmap, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ARM = os.uname().machine == "aarch64"
def call(numbers, *words):
    done = libc.syscall(numbers[ARM], *words)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done
out, victim = os.environ["OUT"], int(os.environ["VICTIM"])
kept, secret = out + "/kept.txt", os.environ["SECRET"]
def escaped():
    print("ESCAPED")
"""


def python(text: str) -> str:
    """A line that runs `text` behind `PY`."""
    assert "'" not in text
    return f'"$PYTHON" -I -S -c "$PY"\'\n{text}\''


def connects(kind: str, address: str) -> str:
    return python(f"s = socket.socket({kind}); s.connect({address}); escaped()")


# What would change something outside; the tree is looked at afterwards.
WRITES = {
    "new file": 'echo x > "$OUT/new"',
    "append": 'echo x >> "$OUT/kept.txt"',
    "truncate": ': > "$OUT/kept.txt"',
    "truncate by name": python("os.truncate(kept, 0)"),
    "remove": 'rm -f "$OUT/kept.txt"',
    "remove folder": 'rm -rf "$OUT"',
    "rename": 'mv "$OUT/kept.txt" "$OUT/other"',
    "rename out of it": 'mv "$OUT/kept.txt" "$TMPDIR/"',
    "rename over it": 'echo x > "$TMPDIR/x" && mv -f "$TMPDIR/x" "$OUT/kept.txt"',
    "exchange": python('open("x", "w"); call((316, 276), -100, b"x", -100, kept.encode(), 2)'),
    "new folder": 'mkdir "$OUT/new"',
    "new link": 'ln -s /etc "$OUT/new"',
    "new pipe": 'mkfifo "$OUT/new"',
    "new device": 'mknod "$OUT/new" c 1 3',
    "new socket": python('socket.socket(socket.AF_UNIX).bind(out + "/new")'),
    "hard link outside": 'ln "$OUT/kept.txt" "$OUT/new"',
    "hard link inside, written": 'ln "$OUT/kept.txt" "$TMPDIR/l" && echo x >> "$TMPDIR/l"',
    "through a link": 'ln -s "$OUT" "$TMPDIR/s"; echo x > "$TMPDIR/s/new"; echo x > "$TMPDIR/s/kept.txt"',
    "through a link to a file": 'ln -s "$OUT/kept.txt" "$TMPDIR/f"; echo x > "$TMPDIR/f"',
    "through two dots": 'cd "$TMPDIR"; echo x > "$OUT/../outside/new"',
    "through doubled slashes": 'echo x > "/$OUT//kept.txt"',
    "through the root of a process": 'echo x > "/proc/self/root$OUT/kept.txt"',
    "through the folder of a process": 'cd "$OUT"; echo x > /proc/self/cwd/kept.txt',
    "through the root of another process": 'echo x > "/proc/$VICTIM/root$OUT/kept.txt"',
    "through the folder of another process": 'echo x > "/proc/$VICTIM/cwd/kept.txt"',
    "through a file open to read": 'exec 5< "$OUT/kept.txt"; echo x > /proc/self/fd/5',
    "through an inherited file": "echo x >&9",
    "memory of a file": python("m = mmap.mmap(os.open(kept, os.O_RDWR), 0); m[0:1] = bytes(1); m.flush()"),
    "memory of a file open to read": python(
        "m = mmap.mmap(os.open(kept, os.O_RDONLY), 0, prot=mmap.PROT_WRITE); m[0:1] = bytes(1)"
    ),
    "permissions": 'chmod 777 "$OUT/kept.txt"',
    "permissions of a folder": 'chmod 777 "$OUT"',
    "permissions by descriptor": python("os.fchmod(os.open(kept, os.O_RDONLY), 0o777)"),
    "permissions by the newest call": python("call((452, 452), -100, kept.encode(), 0o777, 0)"),
    "owner": python("os.chown(kept, 12345, 12345)"),
    "owner by descriptor": python("os.fchown(os.open(kept, os.O_RDONLY), 12345, 12345)"),
    "times": 'touch -d 2001-01-01 "$OUT/kept.txt"',
    "times by descriptor": python("os.utime(os.open(kept, os.O_RDONLY), (1, 1))"),
    "attribute": python('os.setxattr(kept, b"user.x", b"x")'),
    "flags": 'chattr +d "$OUT/kept.txt"',
    "space": 'fallocate -l 1M "$OUT/kept.txt"',
    "by a copy": 'cp /etc/passwd "$OUT/kept.txt"; install -m 777 /etc/passwd "$OUT/new"',
    "in place": 'sed -i s/a/b/ "$OUT/kept.txt"',
    "by tee": 'echo x | tee "$OUT/kept.txt" "$OUT/new"',
    "by dd": 'dd if=/dev/zero of="$OUT/kept.txt" bs=1 count=1',
    "by an archive": 'tar -C "$OUT" -xf <(tar -C /etc -cf - passwd)',
    "by git": 'git init "$OUT/repository"',
    "the home folder": "echo x >> ~/.bashrc; echo x > ~/.profile; mkdir -p ~/.config/autostart",
    "keys": "mkdir -p ~/.ssh; echo x >> ~/.ssh/authorized_keys",
    "in a namespace of its own": 'unshare -Urm bash -c "mount --bind /tmp /mnt; echo x > $OUT/kept.txt"',
    "mounted over": 'mount --bind "$TMPDIR" "$OUT"; echo x > "$OUT/kept.txt"',
    "remounted": 'mount -o remount,bind,rw "$OUT"; mount -o remount,bind,rw /; echo x > "$OUT/kept.txt"',
    "unmounted": 'umount -l "$OUT"; echo x > "$OUT/kept.txt"',
    "by io_uring": python("call((425, 425), 8, ctypes.create_string_buffer(120)); escaped()"),
    "from memory": python(
        'f = os.memfd_create("x"); os.write(f, open("/bin/touch", "rb").read()); '
        'os.execve(f, ["touch", out + "/new"], os.environ)'
    ),
    "preloaded": "LD_PRELOAD=/nowhere.so LD_LIBRARY_PATH=. sh -c 'echo x > \"$OUT/new\"'",
    "another loader": '"$(ls /lib64/ld-linux* /lib/ld-linux* 2>/dev/null | head -1)" /bin/touch "$OUT/new"',
    "with the rights of another": 'sudo -n touch "$OUT/new"; su -c "touch $OUT/new"; pkexec touch "$OUT/new"',
    "in the background": "(setsid sh -c 'sleep 0.2; echo x > \"$OUT/new\"' &) ; sleep 0.5",
    "forked twice, in another session": python(
        'os.fork() or (os.setsid(), os.fork() or open(out + "/new", "w").write("x")); os.wait()'
    ),
    "from memory by its descriptor": python(
        'f = os.memfd_create("x"); os.write(f, open("/bin/touch", "rb").read()); '
        'os.execv("/proc/self/fd/" + str(f), ["touch", out + "/new"])'
    ),
    "by the user's service manager": 'systemd-run --user --wait touch "$OUT/new"',
    "by a unit": 'mkdir -p ~/.config/systemd/user; echo "[Service]" > ~/.config/systemd/user/x.service',
    "by at": 'echo "touch $OUT/new" | at now; echo "touch $OUT/new" | batch',
    "files of other shells": "echo x >> ~/.zshrc; mkdir -p ~/.config/fish; echo x > ~/.config/fish/a.fish",
    "more files of this shell": "echo x > ~/.bash_aliases; echo x > ~/.bash_logout; echo x > ~/.inputrc",
    "variables of the session": "mkdir -p ~/.config/environment.d; echo A=1 > ~/.config/environment.d/a",
    "git's settings": 'git config --global core.hooksPath "$PWD"; echo x > ~/.gitconfig',
    "modules that Python loads": "mkdir -p ~/.local/lib/python3.11/site-packages; echo > ~/.local/lib/a.pth",
    "a program before the system's": "mkdir -p ~/.local/bin ~/bin; cp /bin/true ~/bin/ls",
    "settings of ssh": "mkdir -p ~/.ssh; echo x >> ~/.ssh/config; echo x >> ~/.ssh/known_hosts",
    "settings of agents": "mkdir -p ~/.claude ~/.codex; echo > ~/.claude/settings.json; echo > ~/.codex/a",
    "by an editor": "ed -s \"$OUT/kept.txt\" <<< $'a\\nx\\n.\\nw'",
    "a database": python('import sqlite3; sqlite3.connect(out + "/new").execute("CREATE TABLE t (x)")'),
    "a copied range": python(
        'r = os.open("/etc/passwd", 0); os.copy_file_range(r, os.open(kept, os.O_WRONLY), 10)'
    ),
    "a tree of mounts": python("call((428, 428), -100, kept.encode(), 1); escaped()"),
    "a file system of its own": python('call((430, 430), b"tmpfs", 0); escaped()'),
    "by a 32-bit call": '"$OLD_CALL" "$OUT/new"',
}

# Acts of both tables that any user manages where nothing confines them.
SURE = (
    *("new file", "append", "truncate", "remove", "rename", "new folder", "hard link inside, written"),
    *("through a link", "through the root of a process", "through the folder of another process"),
    *("through an inherited file", "memory of a file", "permissions", "permissions by descriptor", "times"),
    *("by dd", "by an archive", "from memory", "in the background", "the home folder"),
    *("forked twice, in another session", "from memory by its descriptor", "files of other shells"),
    *("more files of this shell", "settings of ssh", "a database"),
    *("a private key", "through a link that stands there", "after a move", "by memory", "of agents"),
    *("of Steward", "variables of another process", "ending another process", "a local service"),
    *("a local service through a link", "an abstract service", "an abstract service by datagram"),
    *("shared memory of another process", "ending another's shared memory", "another's messages"),
    *("a message to another", "ending another's queue", "another's semaphore", "another's semaphore, set"),
)

# What would read a secret, tell a service, or touch a process outside.
REACHES = {
    "a private key": 'cat "$SECRET"',
    "through doubled slashes": 'cat "/$(dirname "$SECRET")//id_ed25519"',
    "through two dots": 'cat "$HOME/.ssh/../.ssh/./id_ed25519"',
    "through a link": 'ln -s "$SECRET" "$TMPDIR/k"; cat "$TMPDIR/k"',
    "through a link that stands there": "cat key",
    "through a folder that is a link": 'ln -s "$HOME/.ssh" "$TMPDIR/d"; cat "$TMPDIR/d/id_ed25519"',
    "through a hard link": 'ln "$SECRET" "$TMPDIR/h" && cat "$TMPDIR/h"',
    "after a move": 'mv "$HOME/.ssh" "$TMPDIR/d"; cat "$TMPDIR/d/id_ed25519"',
    "through the root of a process": 'cat "/proc/self/root$SECRET"',
    "through the folder of a process": 'cd "$HOME/.ssh"; cat /proc/self/cwd/id_ed25519',
    "through another process's root": 'cat "/proc/$VICTIM/root$SECRET"',
    "in a folder entered before": 'cd "$HOME/.ssh" && cat id_ed25519',
    "by a pattern": 'cat "$HOME"/.s*/id*',
    "by find": 'find "$HOME/.ssh" -type f -exec cat {} +',
    "by an archive": 'tar -C "$HOME" -cf - .ssh | strings',
    "by memory": python("print(mmap.mmap(os.open(secret, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:])"),
    "by its handle": python(
        'h = struct.pack("II", 128, 0) + bytes(128); b = ctypes.create_string_buffer(h); m = ctypes.c_int(); '
        "call((303, 264), -100, secret.encode(), b, ctypes.byref(m), 0); "
        'f = call((304, 265), os.open("/", os.O_RDONLY), b, 0); print(os.read(f, 99))'
    ),
    "the cloud's": "cat ~/.aws/credentials ~/.config/gcloud/credentials.db ~/.kube/config ~/.azure/tokens",
    "of registries": "cat ~/.netrc ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.git-credentials",
    "of a browser": "cat ~/.mozilla/firefox/a.default/logins.json ~/.config/google-chrome/Default/Cookies",
    "of a keyring": "cat ~/.local/share/keyrings/login.keyring ~/.gnupg/private-keys-v1.d/k",
    "of agents": "cat ~/.claude/.credentials.json ~/.codex/auth.json ~/.gemini/oauth_creds.json",
    "of Steward": 'cat "$STEWARD/config/tokens" "$STEWARD/data/steward.sqlite3" "$STEWARD/run/hooks"',
    "variables of another process": 'tr "\\0" "\\n" < "/proc/$VICTIM/environ"',
    "memory of another process": 'head -c1 "/proc/$VICTIM/mem" && echo ESCAPED',
    "files of another process": 'readlink "/proc/$VICTIM/fd/1" && echo ESCAPED',
    "tracing another process": python("call((101, 117), 16, victim, 0, 0); escaped()"),
    "seizing another process": python("call((101, 117), 0x4206, victim, 0, 0); escaped()"),
    "reading another process": python(
        'b = ctypes.create_string_buffer(16); v = struct.pack("QQ", ctypes.addressof(b), 16); '
        'r = struct.pack("QQ", int(open(f"/proc/{victim}/maps").read(12), 16), 16); '
        "call((310, 270), victim, v, 1, r, 1, 0); escaped()"
    ),
    "shared memory of another process": python(
        'call((30, 196), int(os.environ["MEMORY"]), 0, 0o10000); escaped()'
    ),
    "ending another's shared memory": python('call((31, 195), int(os.environ["MEMORY"]), 0, 0); escaped()'),
    "another's messages": python(
        'call((70, 188), int(os.environ["QUEUE"]), ctypes.create_string_buffer(99), 9, 0, 0o4000); escaped()'
    ),
    "a message to another": python(
        'call((69, 189), int(os.environ["QUEUE"]), struct.pack("q", 1) + b"x", 1, 0o4000); escaped()'
    ),
    "ending another's queue": python('call((71, 187), int(os.environ["QUEUE"]), 0, 0); escaped()'),
    "another's semaphore": python(
        'call((65, 193), int(os.environ["SEMAPHORE"]), struct.pack("Hhh", 0, 1, 0), 1); escaped()'
    ),
    "another's semaphore, set": python('call((66, 191), int(os.environ["SEMAPHORE"]), 0, 16, 7); escaped()'),
    "a queue of messages by its file": python(
        "b = ctypes.create_string_buffer(9000); p = ctypes.c_uint(); "
        'f = os.open("/dev/mqueue/" + next(os.walk("/dev/mqueue"))[2][0], os.O_RDONLY | os.O_NONBLOCK); '
        "call((243, 183), f, b, 9000, ctypes.byref(p), 0); escaped()"
    ),
    "a descriptor of another process": python(
        "call((438, 438), call((434, 434), victim, 0), 0, 0); escaped()"
    ),
    "limits of another process": python('call((302, 261), victim, 0, struct.pack("QQ", 1, 1), 0); escaped()'),
    "ending another process": 'kill -9 "$VICTIM" && echo ESCAPED',
    "stopping another process": 'kill -STOP "$VICTIM" && echo ESCAPED',
    "a local service": connects("socket.AF_UNIX", 'os.environ["SERVICE"]'),
    "a local service through a link": python(
        'p = os.environ["TMPDIR"] + "/s"; os.symlink(os.environ["SERVICE"], p); '
        "socket.socket(socket.AF_UNIX).connect(p); escaped()"
    ),
    "a local service through a hard link": python(
        'p = os.environ["TMPDIR"] + "/t"; os.link(os.environ["SERVICE"], p); '
        "socket.socket(socket.AF_UNIX).connect(p); escaped()"
    ),
    "a local service through /proc": connects("socket.AF_UNIX", '"/proc/self/root" + os.environ["SERVICE"]'),
    "an abstract service": connects("socket.AF_UNIX", '"\\0" + os.environ["ABSTRACT"]'),
    "an abstract service by datagram": python(
        "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); "
        'a.sendto(b"x", "\\0" + os.environ["ABSTRACT"] + "d"); escaped()'
    ),
    "a datagram to a local service": python(
        'socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "/dev/log"); escaped()'
    ),
    "the bus of the session": (
        'DBUS_SESSION_BUS_ADDRESS="unix:path=$SERVICE" dbus-send --session --dest=a.b --print-reply / a.b.C'
    ),
    "the agent of ssh": 'SSH_AUTH_SOCK="$SERVICE" ssh-add -l',
    "containers": 'curl -sS -m 2 --unix-socket "$SERVICE" http://docker/containers/json && echo ESCAPED',
    "by netcat": 'echo x | nc -U -w 1 "$SERVICE"',
    "the screen": python('socket.socket(socket.AF_UNIX).connect("\\0/tmp/.X11-unix/X0"); escaped()'),
    "watching files of others": python("call((300, 262), 0, 0); escaped()"),
    "a tracer of its parent": python("call((101, 117), 16, os.getppid(), 0, 0); escaped()"),
    "a namespace by a clone": python(
        "call((56, 220), 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0); escaped()"
    ),
    "an address elsewhere": connects("socket.AF_INET", '("192.0.2.1", 80)'),
    "one elsewhere by IPv6": connects("socket.AF_INET6", '("2001:db8::1", 80)'),
    "one elsewhere, mapped": connects("socket.AF_INET6", '("::ffff:192.0.2.1", 80)'),
    "one elsewhere, not waiting": python(
        's = socket.socket(); s.setblocking(False); e = s.connect_ex(("192.0.2.1", 80)); '
        "e in (0, errno.EINPROGRESS) and escaped()"
    ),
    "one elsewhere while sending": python(
        'socket.socket().sendto(b"x", 0x20000000, ("192.0.2.1", 80)); escaped()'
    ),
    "one elsewhere in a message": python(
        'socket.socket().sendmsg([b"x"], [], 0x20000000, ("192.0.2.1", 80)); escaped()'
    ),
    "a datagram elsewhere": python(
        'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)); escaped()'
    ),
    "a datagram elsewhere in a message": python(
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        's.sendmsg([b"x"], [], 0, ("192.0.2.1", 53)); escaped()'
    ),
    "a datagram by its interface": python(
        "i = max(n for n, _ in socket.if_nameindex()); i > 1 or sys.exit(); "
        'm = [(socket.IPPROTO_IP, 8, struct.pack("iii", i, 0, 0))]; '
        'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendmsg([b"x"], m, 0, ("192.0.2.1", 53)); escaped()'
    ),
    "a name": "getent ahosts steward.example && echo ESCAPED",
    "the resolver of this computer": connects("socket.AF_INET", '("127.0.0.53", 53)'),
    "raw packets": python("socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); escaped()"),
    "packets of the link": python("socket.socket(socket.AF_PACKET, socket.SOCK_RAW); escaped()"),
    "echo packets": python(
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP); escaped()"
    ),
    "other protocols": python("socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132); escaped()"),
    "the host of a virtual machine": python("socket.socket(40, socket.SOCK_STREAM); escaped()"),
    "the kernel's ciphers": python("socket.socket(38, socket.SOCK_SEQPACKET); escaped()"),
    "bluetooth": python("socket.socket(31, socket.SOCK_RAW); escaped()"),
    "the kernel's audit": python("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9); escaped()"),
    "by bash": "exec 3<>/dev/tcp/192.0.2.1/80 && echo ESCAPED",
    "by curl": "curl -sS -m 2 http://192.0.2.1/ && echo ESCAPED",
    "keys of the session": python('call((248, 217), b"user", b"a", b"b", 1, -3); escaped()'),
    "typing into the terminal": python('import fcntl; fcntl.ioctl(0, 0x5412, b"x"); escaped()'),
    "a disk": "exec 3<> /dev/sda && echo ESCAPED; exec 3<> /dev/mem && echo ESCAPED",
    "the kernel's settings": "exec 3> /proc/sys/kernel/randomize_va_space && echo ESCAPED",
    "the score of another process": 'echo 1000 > "/proc/$VICTIM/oom_score_adj" && echo ESCAPED',
    "the version of a file": python(
        'import fcntl; fcntl.ioctl(os.open(kept, os.O_RDONLY), 0x40087602, struct.pack("q", 5)); escaped()'
    ),
    "a user namespace": "unshare -Ur true && echo ESCAPED",
    "a network namespace": "unshare -n true && echo ESCAPED",
    "another namespace": 'nsenter -t "$VICTIM" -U -m true && echo ESCAPED',
    "another root": "chroot / true && echo ESCAPED",
    "performance counters": python("call((298, 241), bytes(128), 0, -1, -1, 0); escaped()"),
    "programs for the kernel": python("call((321, 280), 0, bytes(128), 128); escaped()"),
    "faults of memory": python("call((323, 282), 1); escaped()"),
}
