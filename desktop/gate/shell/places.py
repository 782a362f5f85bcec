"""Which files belong to the gate itself, and what writing to a place means."""

from __future__ import annotations

import posixpath
import re

from desktop.gate.shell.words import ANY_MARK
from desktop.gate.verdict import Effect

SECRET_VARIABLE = re.compile(
    r"(?i)(?:secret|token|passw(?:or)?d|passphrase|api_?key|private_?key|access_?key|credential|_pat$|_auth$)"
)
# Settings of the gate, and the files in which agents keep their hooks and permissions.
GATE = re.compile(
    r"""(?ix)(?:^|[/\\=@:])(?:
        (?:\.config|\.local[/\\]share|\.cache|appdata[/\\](?:local|roaming)|application\ support
            |run[/\\]user[/\\]\d+)
            [/\\]steward(?:[/\\]|$)
      | \.claude[/\\](?:settings[^/\\]*\.json|hooks|plugins|agents|skills) | \.claude\.json | \.claude[/\\]?$
      | managed-settings\.json | \.codex(?:[/\\](?:hooks\.json|config\.toml|rules)|[/\\]?$)
      | \.gemini(?:[/\\](?:settings\.json|config|policies)|[/\\]?$) | etc[/\\](?:gemini-cli|claude-code)
      | \.cursor(?:[/\\](?:hooks|cli|permissions)|[/\\]?$) | \.copilot | \.github[/\\]hooks
      | \.clinerules[/\\]hooks | \.cline[/\\]
      | \.opencode | \.config[/\\]opencode | opencode\.jsonc? | \.factory[/\\]hooks\.json
    )"""
)
# The program itself: its process, its service, its folder.
OWN_NAME = re.compile(r"(?i)(?:[^:]*[/\\])?steward(?:\.(?:service|exe|desktop|app))?")
# Files that surely exist, so writing them alters.
EXISTING = re.compile(
    r"""(?x)^(?:
        /etc/(?:hosts|passwd|group|g?shadow|fstab|sudoers|resolv\.conf|hostname|profile|environment|crontab|bash\.bashrc
              |motd|issue|ssh/sshd?_config|ld\.so\.preload|ld\.so\.conf|sysctl\.conf|apt/sources\.list
              |pacman\.conf|exports|nsswitch\.conf|timezone|locale\.gen|default/[\w.-]+|nginx/nginx\.conf
              |selinux/config|inittab|modules|shells)
      | /(?:proc|sys)/.*
      | (?:~|/root|/home/[^/]+)/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc
              |zprofile|zshenv|vimrc|gitconfig|inputrc|tmux\.conf|ssh/(?:config|authorized_keys|known_hosts)
              |npmrc|netrc|bash_history|zsh_history)
    )$"""
)
SINKS = frozenset(
    {
        "/dev/null",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/tty",
        "/dev/fd/1",
        "/dev/fd/2",
        "-",
        "NUL",
        "nul",
        "NUL:",
        "CON",
        "con",
        "/dev/full",
        "/dev/zero",
    }
)
DEVICE = re.compile(r"^/dev/(?!shm/|fd/|pts/|tty|tcp/|udp/|stdin|random|urandom)|^\\\\\.\\")
SENDING = re.compile(r"^/dev/(?:tcp|udp)/")


def effect_of_writing(path: str, *, append: bool = False) -> Effect:
    """What writing new content to `path` leaves behind, when the text is all that is known."""
    if path in SINKS:
        return Effect.READ
    if path.startswith(("/dev/fd/", "/dev/tty", "/dev/pts/")):
        return Effect.READ
    if DEVICE.match(path):
        return Effect.DELETE
    if append or EXISTING.match(path):
        return Effect.UPDATE
    return Effect.CREATE


def is_outside(path: str, folder: str | None, project: str | None = None) -> bool:
    """Whether `path` lies beyond `folder`, or beyond the `project` that it is a part of.

    With no folder known: whether it leaves the current one.
    """
    if path in SINKS or path.startswith(("/dev/", "/proc/self/fd")) or ANY_MARK.match(path):
        return False
    if path.startswith("~"):
        return True
    if folder is None:
        return path.startswith("/") or posixpath.normpath(path).split("/")[0] == ".."
    whole = posixpath.normpath(posixpath.join(folder, path))
    root = posixpath.normpath(project or folder)
    return whole != root and not whole.startswith(root.rstrip("/") + "/")


# Devices that hold nothing which somebody would miss.
_NO_DISK = re.compile(
    r"/dev/(?:loop|ram|zram|kvm|dri|net|snd|video|input|fuse|ptmx|console|full|zero|null|kmsg|watchdog|hidraw"
    r"|usb|bus|rfkill|uinput|vhost|stdout|stderr|vcs|i2c|spidev|gpio|fb\d|lp\d|hwrng|mqueue|hugepages)"
)
_WINDOWS_DISK = re.compile(r"(?i)\\\\[.?]\\(?:PhysicalDrive\d+|[a-z]:|Volume\{|Harddisk)")


def is_disk(path: str) -> bool:
    """Whether it is a disk, a part of one, or the memory of the computer."""
    if path in SINKS:
        return False
    return bool(_WINDOWS_DISK.match(path) or (DEVICE.match(path) and not _NO_DISK.match(path)))


_WINDOWS = re.compile(r"[A-Za-z]:|~/*\\|\\")


HOME = "/home/~"  # stands for the user's, wherever it is


def located(text: str, folder: str | None) -> str:
    """A path as the reading gives it, absolute where `folder` is known, with `/` between its parts.

    The user's home folder stands as `HOME`.
    """
    if _WINDOWS.match(text):
        text = text.removeprefix("\\\\?\\").replace("\\", "/")
    if text[:1] == "~":
        text = HOME + text.removeprefix("~") if text[1:2] in ("", "/") else f"/home/{text[1:]}"
    elif folder is not None and text[:1] != "/" and text[1:2] != ":":
        text = f"{located(folder, None)}/{text}"
    whole = posixpath.normpath(text)
    return whole[1:] if whole[:2] == "//" else whole
