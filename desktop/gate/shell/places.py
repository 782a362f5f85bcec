"""What a path means: the gate's own files, devices, what lies outside, and what holds secrets."""

from __future__ import annotations

import posixpath
import re
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import repeat

from desktop.gate.shell.tables import vocabulary
from desktop.gate.shell.words import ANY_MARK, VARIABLE
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
      | \.claude[/\\](?:settings[^/\\]*\.json|hooks|plugins|agents|skills|commands) | \.claude\.json
      | \.claude[/\\]?$
      | managed-settings\.json | \.codex(?:[/\\](?:hooks\.json|config\.toml|rules)|[/\\]?$)
      | \.gemini(?:[/\\](?:settings\.json|config|policies)|[/\\]?$) | etc[/\\](?:gemini-cli|claude-code)
      | \.cursor(?:[/\\](?:hooks|cli|permissions)|[/\\]?$) | \.copilot | \.github[/\\]hooks
      | \.clinerules[/\\]hooks | \.cline[/\\]
      | \.opencode | \.config[/\\]opencode | opencode\.jsonc? | \.factory(?:[/\\](?:hooks|settings)|[/\\]?$)
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


# Disks below their file systems, memory, and what the user types, says, sees or is filmed doing.
_REVEALS = re.compile(
    r"(?:^|[=@:])/(?:dev/(?:(?:sd|hd|vd|xvd)[a-z]|nvme\d|mmcblk|dm-|mapper/|md\d|disk/|r?disk\d|nbd\d|zd\d|mem$|kmem|port$"
    r"|vcs|hidraw|input/|video\d|media\d|snd/(?:pcm|midi)|fb\d|ttyUSB|ttyACM|usbmon|bpf|crash|nvram|tpm)"
    r"|proc/(?:kcore|keys|vmallocinfo|kpage|\d{1,9}/(?:task/\d{1,9}/)?(?:fd|map_files)/))"
)


def reveals(path: str) -> bool:
    """Whether a device or another process gives away whatever somebody keeps or does."""
    return bool(_REVEALS.search(straight(path)))


_WINDOWS = re.compile(r"[A-Za-z]:|~/*\\|\\")

HOME = "/home/~"  # stands for the user's, wherever it is

# Links of the kernel, which lead where a process is, to its root, and to what it has open.
_OF_PROCESS = re.compile(
    r"proc/(?P<whose>[^/]+)(?:/task/[^/]+)?/(?:(?P<root>root)|(?P<cwd>cwd)|fd/[^/]+)|dev/fd/[^/]+"
)
_OWN_PROCESS = frozenset({"self", "thread-self"})


def past_processes(path: str, folder: str | None) -> str:
    """A path with where the links of processes lead in their place: `/proc/self/cwd/..` lies above `folder`.

    It begins with a mark where they lead to what another process has, or this one has open.
    """
    if path[:1] != "/" or ("proc" not in path and "dev" not in path):
        return path
    done: list[str] = []
    parts = path.split("/")
    for number, part in enumerate(parts):
        if part == "..":
            done[-1:] = []
        elif part not in ("", "."):
            done.append(part)
        found = _OF_PROCESS.fullmatch("/".join(done)) if part else None
        if found is None:
            continue
        rest = "/".join(parts[number + 1 :])
        if found["root"]:
            return past_processes(f"/{rest}", folder)
        if found["cwd"] and found["whose"] in _OWN_PROCESS:
            return f"{folder.rstrip('/')}/{rest}" if folder else rest or "."
        # A file that is open has no name of its own; a folder has what is below it.
        return f"{VARIABLE}/{rest}" if found["cwd"] or rest else path
    return path


def located(text: str, folder: str | None) -> str:
    """A path as the reading gives it, absolute where `folder` is known, with `/` between its parts.

    The user's home folder stands as `HOME`.
    """
    if _WINDOWS.match(text):
        text = text.removeprefix("\\\\?\\").replace("\\", "/")
    text = past_processes(text, folder)
    if text[:1] == "~":
        text = HOME + text.removeprefix("~") if text[1:2] in ("", "/") else f"/home/{text[1:]}"
    elif folder is not None and text[:1] != "/" and text[1:2] != ":":
        text = f"{located(folder, None)}/{text}"
    whole = posixpath.normpath(text)
    return whole[1:] if whole[:2] == "//" else whole


# -- places that hold secrets ----------------------------------------------------------------------

SECRET_WORDS = vocabulary("secrets")

HOME_FOLDER = r"(?:~[\w.-]{0,32}|/root|/(?:home|users)/[^/]{1,64})"

DATA = rf"(?:\.(?:{'|'.join(sorted(SECRET_WORDS.words('data_endings')))}))"

BY_PLACE = re.compile(
    rf"(?i)(?:^|[/=@:])(?:{'|'.join(sorted(SECRET_WORDS.words('places')))})"
    rf"|(?:^|[=@:]){HOME_FOLDER}/(?:{'|'.join(sorted(SECRET_WORDS.words('at_home')))})"
)

BY_NAME = re.compile(f"(?i){'|'.join(sorted(SECRET_WORDS.words('names'))).replace('DATA', DATA)}")

# Names that mean a secret in a program's own folder, and little elsewhere.
IN_DOT_FOLDER = re.compile(
    r"(?i)/\.[\w-]{1,40}/(?:[\w.-]{1,60}/){0,3}"
    r"(?:credentials?|tokens?|api[_-]?keys?|password|secrets?|auth\.json|access_token)$"
)
BOUNDARY = re.compile(r"[/=@:\s]")
HIGH_UP = re.compile(
    rf"(?i)(?:{HOME_FOLDER}(?:/\.config|/\.local(?:/share)?|/library)?|/home|/users|/etc)?/?(?:\.?\*+(?:\.\*)?)?"
)

FIRST = SECRET_WORDS.words("folders")

SAMPLES = tuple(tuple(each.rstrip("/").split("/")) for each in sorted(SECRET_WORDS.words("samples")))

# Of those the folders of which everything is secret.
SECRET_FOLDERS = tuple(
    tuple(each[:-1].split("/")) for each in sorted(SECRET_WORDS.words("samples")) if each[-1:] == "/"
)

AT_HOME = re.compile(f"(?i){HOME_FOLDER}")
PATTERN = re.compile(r"[*?\[]")
ENDS = re.compile(r"([^*?\[]*)[*?\[](?:.*[*?\]])?(.*)", re.DOTALL)
PROC_ROOT = re.compile(r"/proc/(?:self|thread-self|\d{1,9})(?:/task/\d{1,9})?/root(?=/|$)")
LONGEST = 4096  # characters; what is longer names no file


@lru_cache(maxsize=2048)
def holds_secrets(path: str) -> bool:
    """Whether the text of a path, or a pattern of paths, may name a secret."""
    if len(path) > LONGEST:
        return False
    plain = straight(path)
    folder, _, name = plain.rpartition("/")
    is_near = not folder or not FIRST.isdisjoint(BOUNDARY.split(plain.lower()))
    if is_near and BY_PLACE.search(plain):
        return True
    if "/." in folder and IN_DOT_FOLDER.search(plain):
        return True
    if BY_NAME.fullmatch(name[max(map(name.rfind, "=@:")) + 1 :]):
        return True
    return "\\" not in path and bool(PATTERN.search(plain)) and _may_match(plain)


def is_found_below(name: str) -> bool:
    """Whether a name or a pattern of names, looked for below a home folder, finds a secret."""
    return any(_matches(sample[-1], name.lower()) for sample in SAMPLES)


def holds_all(path: str) -> bool:
    """Whether a folder is so high up that secrets lie somewhere below it."""
    return bool(HIGH_UP.fullmatch(straight(path)))


def straight(path: str) -> str:
    """A path without detours: `~/.ssh/../.ssh//./id_rsa` is `~/.ssh/id_rsa`, and other roots are this one."""
    plain = path.replace("\\", "/") if "\\" in path else path
    if "/proc/" in plain:
        plain = PROC_ROOT.sub("", plain) or "/"
    if ("//" in plain or "/." in plain) and "://" not in plain:
        place = max(plain.rfind("="), plain.rfind("@")) + 1
        name = plain[place:]
        if name:
            plain = plain[:place] + posixpath.normpath(name) + ("/" if name.endswith("/") else "")
    return plain


def _may_match(pattern: str) -> bool:
    """Whether a pattern, from some folder on, matches a sample; a bare * matches no name with a dot."""
    parts = pattern.lower().split("/")
    if _matches_secret_folder(parts):
        return True
    ends = ENDS.fullmatch(parts[-1])
    head, tail = ends.groups() if ends is not None else (parts[-1], parts[-1])
    near = [each for each in SAMPLES if each[-1].startswith(head) and each[-1].endswith(tail)]
    return any(map(_fits, near, repeat(parts)))


def _matches_secret_folder(parts: list[str]) -> bool:
    """`~/.s*/x`: of a folder that a pattern in the midst matches everything may be secret."""
    for end, part in enumerate(parts[:-1], 1):
        if not PATTERN.search(part):
            continue
        # Only in a home folder: elsewhere it may be a regular expression, as in `sed s/.*/x/`.
        for sample in SECRET_FOLDERS:
            if _fits(sample, parts[:end]) and AT_HOME.fullmatch("/".join(parts[: end - len(sample)])):
                return True
    return False


def _fits(sample: tuple[str, ...], parts: list[str]) -> bool:
    return len(parts) >= len(sample) and all(map(_matches, sample, parts[-len(sample) :]))


def _matches(name: str, pattern: str) -> bool:
    if not PATTERN.search(pattern):
        return name == pattern
    if not pattern.strip("*?") or (name[0] == "." and pattern[0] not in ".["):
        return False
    return fnmatchcase(name, pattern)


# -- programs -------------------------------------------------------------------------------------

SYSTEM = re.compile(
    r"""(?x)
      (?:/usr(?:/local)?)?/s?bin/.* | /opt/(?:homebrew|local)/.* | /(?:snap|nix)/.*
    | /usr/(?:libexec|games|lib)/.*
    | /(?:System|Library|Applications)/.* | /home/linuxbrew/.* | /run/current-system/.*
    | (?i:c:)?[\\/](?i:windows|program)\b.* | (?i:[a-z]:)\\.*
    """
)
# Where package managers put programs beside a project; what is there was installed by name.
INSTALLED = re.compile(
    r"""(?x)(?:[\w.~/-]*/)?(?:
        (?:\.?venv[\w.-]* | env | \.tox/[\w.-]+)/(?:bin|Scripts) | node_modules/\.bin | vendor/bin
      | \.local/bin | \.cargo/bin | go/bin | \.bun/bin | \.pyenv/(?:shims|bin) | (?:mini|ana)conda3?/bin
    )/[\w.-]+$"""
)


def looks_local(text: str) -> bool:
    """A path to something that is not an installed program: the project's own code."""
    path = text.replace("\\", "/")
    return "/" in path and path != "/" and not SYSTEM.fullmatch(text) and not INSTALLED.fullmatch(path)
