"""One command as words to findings: by its table, or by the function its table names."""

from __future__ import annotations

import re

from desktop.gate.shell import builtins, programs, ruin
from desktop.gate.shell.assign import check
from desktop.gate.shell.call import Call
from desktop.gate.shell.network import connect, connect_code
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.reading import FAR, Argv, Reading, shown
from desktop.gate.shell.tabled import ASSIGNS, apply
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import ANY_MARK, OPAQUE, Word
from desktop.gate.verdict import Effect

GLOB = re.compile(r"[*?\[]")
NOTHING_LATER = frozenset(
    [
        "cd",
        "echo",
        "export",
        "set",
        ":",
        "true",
        "false",
        "test",
        "[",
        "printf",
        "source",
        ".",
        "unset",
        "pushd",
        "popd",
        "hash",
    ]
)
CMDLET = re.compile(r"[A-Z][A-Za-z]+-[A-Z][A-Za-z]+\w*")
DATA = frozenset({":", "echo", "printf", "test", "[", "[["})
# Options whose value a program uses to sign in; it does not show it.
CREDENTIALS = frozenset(
    {
        *(
            "--env-file",
            "--key",
            "--cert",
            "--cacert",
            "--capath",
            "--identity",
            "--kubeconfig",
            "--password-file",
        ),
        *(
            "--private-key",
            "--netrc-file",
            "-i",
            "-E",
            "--cookie",
            "--vault-password-file",
            "--sslkey",
            "--ssl-key",
        ),
        *(
            "--tlskey",
            "--tlscert",
            "--tlscacert",
            "--client-key",
            "--client-certificate",
            "--ssl-cert",
            "--ssl-ca",
        ),
    }
)


def judge(argv: Argv, reading: Reading) -> None:
    """Judge one command. What it runs in turn is queued in `reading`."""
    with reading.step(tuple(word.text for word in argv.words)):
        _judge_step(argv, reading)


def _judge_step(argv: Argv, reading: Reading) -> None:
    word = argv.words[0]
    reading.takes_part(argv.words)
    base = reading.base
    if program_name(word.text) in ELSEWHERE:
        reading.base = FAR
    reading.worst = Effect.READ
    _judge(argv, word, reading)
    if reading.worst > Effect.READ:
        for each in argv.words[1:]:
            reading.guards_itself(each)
    ruin.look(reading, program_name(word.text).lower(), argv.words[1:], reading.worst)
    reading.base = base


# What these run and name is in a container, on another computer, or below another root.
ELSEWHERE = frozenset(
    [
        *["ssh", "autossh", "mosh", "docker", "podman", "nerdctl", "crictl", "lxc", "incus", "kubectl"],
        *["oc", "k3s", "chroot", "nsenter", "machinectl", "systemd-nspawn", "vagrant", "multipass", "adb"],
        *["limactl", "colima", "wsl", "distrobox", "toolbox", "docker-compose", "podman-compose"],
        *["arch-chroot", "schroot", "proot"],
    ]
)  # fmt: skip


def _judge(argv: Argv, word: Word, reading: Reading) -> None:
    call = Call(
        program_name(word.text),
        word,
        list(argv.words[1:]),
        reading,
        argv.scope,
        argv.nesting,
        argv.stdin,
        argv.filtered,
    )
    if word.text in argv.scope.functions:
        calls_function(call)
        return
    given = ASSIGNS.fullmatch(word.text)
    if given is not None and call.arguments:  # behind `time`, `!` or `then`
        check(reading, call.scope, call.nesting, given[1], given[2], word)
        call.argv(call.arguments)
        return
    if not is_plain_name(call):
        return
    if builtins.evaluates(call.name, [word.text for word in call.arguments]):
        reading.evaluates(word)
    if reading.armed is not None and call.name not in NOTHING_LATER:
        reading.found(Effect.UNKNOWN, *reading.armed)
    is_local = looks_local(word.text) and call.name != "steward"
    spec = None if is_local else reading.tables.spec(call.name)
    if spec is None or not spec.names_only:
        look_at_words(call)
    if spec is None:
        unknown_program(call)
    else:
        by_table(call, spec)


def calls_function(call: Call) -> None:
    """The body was judged where it is defined, with operands from outside; options would be news to it."""
    call.reading.is_static = False
    if any(word.text.startswith("-") or OPAQUE in word.text for word in call.arguments):
        call.found(Effect.UNKNOWN, f"{call.name} is defined in this line and gets options")
    call.found(Effect.READ, f"{call.name} is defined in this line")


def program_name(text: str) -> str:
    """`/usr/bin/git` and `C:\\Git\\GIT.EXE` are git."""
    name = text.rpartition("/")[2] if "/" in text else text
    if "\\" in name:
        name = name.rpartition("\\")[2]
    if name[-4:].lower() in (".exe", ".com"):
        name = name[:-4].lower()
    return name or text


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
    return "/" in text and text != "/" and not SYSTEM.fullmatch(text) and not INSTALLED.fullmatch(text)


def is_plain_name(call: Call) -> bool:
    """Whether the line tells what is run."""
    text = call.word.text
    if ANY_MARK.search(text) or (GLOB.search(text) and text not in ("[", "[[", "?")) or not text:
        call.found(Effect.UNKNOWN, f"which program {shown(text) or 'the empty word'} is cannot be told")
        return False
    if any(OPAQUE in word.text for word in call.arguments) and call.name not in DATA:
        place = next(word for word in call.arguments if OPAQUE in word.text)
        call.found(Effect.UNKNOWN, f"what {call.name} gets is put together in the line", place)
    return True


def look_at_words(call: Call) -> None:
    """Secret places among the arguments, whatever the program."""
    if call.name in DATA:
        return
    before = ""
    for word in call.arguments:
        if (
            len(word.text) > 3
            and before not in CREDENTIALS
            and word.text.partition("=")[0] not in CREDENTIALS
        ):
            call.reading.reads(word)
        before = word.text


def unknown_program(call: Call) -> None:
    text = call.word.text
    if call.reading.lenient and CMDLET.fullmatch(text):
        return
    if not looks_local(text) and len(call.arguments) == 1 and call.arguments[0].text in HELP | SHORT_HELP:
        call.found(Effect.READ, f"{call.name} only tells about itself")
        return
    what = "the project's own program" if looks_local(text) else "not a program that is known"
    if not looks_local(text) and call.nesting == 0:
        call.reading.unknown_program = call.name
    call.found(Effect.UNKNOWN, f"{shown(text)} is {what}")


HELP = frozenset({"--help", "--version", "-help", "-version", "--usage", "/?", "-?"})
SHORT_HELP = frozenset({"-h", "-V"})
HALTS = frozenset({"shutdown", "halt", "poweroff", "reboot", "init", "telinit"})  # their -h ends everything


def asks_help(call: Call, spec: Spec) -> bool:
    """`x --help`, `x sub --help`: it only tells about itself."""
    texts = [word.text for word in call.arguments]
    if not texts or call.name in DATA or call.name == "env":
        return False
    if len(texts) == 1 and texts[0] in SHORT_HELP:
        return call.name not in HALTS and spec.handler != "shell" and texts[0] not in spec.options
    if len(texts) == 1:
        return texts[0] in HELP or (texts[0] in ("help", "version") and spec.has_subs)
    if not spec.has_subs or spec.run or spec.handler in RUNNERS:
        return False
    plain = all(text[:1] not in "-/" and not ANY_MARK.search(text) for text in texts[:-1])
    is_help = texts[0] == "help" and all(text[:1] != "-" for text in texts)
    return is_help or (
        plain and ((texts[-1] in HELP and len(texts) <= 5) or (texts[-1] == "-h" and len(texts) == 2))
    )


RUNNERS = frozenset(
    {
        "shell",
        "env",
        "xargs",
        "eval",
        "command",
        "ssh",
        "find",
        "sudo",
        "echo",
        "source",
        "python",
        "interpreter",
    }
)


# What these define or run decides at run time what is touched.
UNREADABLE = frozenset(
    [
        *["alias", "trap", "eval", "source", "xargs", "parallel", "python", "perl", "ruby", "php", "lua"],
        *["node", "mongosh", "awk", "editor", "fzf", "ansible"],
    ]
)  # fmt: skip

INLINE_CODE = frozenset({"python", "perl", "ruby", "php", "lua", "node", "mongosh", "awk"})


def by_table(call: Call, spec: Spec) -> None:
    if asks_help(call, spec):
        call.found(Effect.READ, f"{call.name} only tells about itself")
        return
    if spec.handler:
        if spec.handler in UNREADABLE:
            call.reading.is_static = False
        connect(call, spec)
        if spec.handler in INLINE_CODE:
            connect_code(call)
        programs.handle(call, spec)
        return
    apply(call, sort_words(spec, call.arguments))
