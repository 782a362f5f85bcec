"""One command as words to findings: by its table, or by the function its table names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.gate.reasons import GateReason
from desktop.gate.shell import never, programs
from desktop.gate.shell.data_words import asks_about_given
from desktop.gate.shell.network import ADDRESS, connect, connect_code, leaves
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.places import SECRET_WORDS, looks_local
from desktop.gate.shell.reading import FAR, Argv, Call, Passed, Reading, shown
from desktop.gate.shell.table_effects import ASSIGNS, apply
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.variables import check, evaluates
from desktop.gate.shell.words import ANY_MARK, GIVEN, OPAQUE, Word
from desktop.gate.verdict import Effect, Flag, Network

GLOB = re.compile(r"[*?\[]")
# These run no other program, so a variable that steers programs does nothing to them.
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
# An address of a key, by which the library that knows the device is loaded.
LOADS_MODULE = re.compile(r"(?i)\bpkcs11:[^\s]{0,1000}module-(?:path|name)=")
CMDLET = re.compile(r"[A-Z][A-Za-z]+-[A-Z][A-Za-z]+\w*")
DATA = frozenset({":", "echo", "printf", "test", "[", "[["})
# Behind these a key file is used by the program and not shown.
CREDENTIALS = SECRET_WORDS.words("credential_options")
SHORT_CREDENTIALS = frozenset({"-i", "-E", "-b"})  # of what talks to other computers
NO_CONTENTS = SECRET_WORDS.words("show_no_contents")
LOOKS_AT_NAMES = DATA | SECRET_WORDS.words("look_at_names")
LOOKS_AT_DEVICES = SECRET_WORDS.words("look_at_devices") | NO_CONTENTS
PATTERN_FIRST = SECRET_WORDS.words("take_pattern_first")
GIVES_PATTERN = re.compile(r"-[a-zA-Z]*[ef]|--(?:regexp|file)")
READS_BELOW = SECRET_WORDS.words("read_below")
READS_BELOW_WHEN_TOLD = SECRET_WORDS.words("read_below_when_told")
RECURSES = re.compile(r"-[a-zA-Z]*[rR]|--(?:dereference-)?recursive|-[a-zA-Z]*a[a-zA-Z]*$|--archive")

BELOW_ON_WINDOWS = re.compile(r"(?i)(?:/[a-z])*/s(?:/[a-z])*")


def judge(argv: Argv, reading: Reading) -> None:
    """Judge one command. What it runs in turn is queued in `reading`."""
    outer = reading.begin_step(tuple([word.text for word in argv.words]))
    try:
        _judge_step(argv, reading)
    finally:
        reading.draft = outer


def _judge_step(argv: Argv, reading: Reading) -> None:
    word = argv.words[0]
    reading.takes_part(argv.words)
    base = reading.base
    # Its paths are those of another computer, and must not be taken for files here.
    if program_name(word.text) in ELSEWHERE:
        reading.base = FAR
    reading.worst = Effect.READ
    _judge(argv, word, reading)
    # A command that only reads may name hooks and settings; one that changes something asks.
    if reading.worst > Effect.READ:
        for each in argv.words[1:]:
            reading.guards_itself(each)
    never.look(reading, program_name(word.text).lower(), argv.words[1:], reading.worst)
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
        argv.passed,
    )
    # Before the tables: the line may have given a harmless name another meaning.
    if word.text in argv.scope.functions:
        calls_function(call)
        return
    if word.text in argv.scope.aliases:
        call.found(Effect.UNKNOWN, GateReason.ALIAS_OF_THE_LINE.of(name=call.name))
    given = ASSIGNS.fullmatch(word.text)
    if given is not None and call.arguments:  # behind `time`, `!` or `then`
        check(reading, call.scope, call.nesting, given[1], given[2], word)
        call.argv(call.arguments)
        return
    if not is_plain_name(call):
        return
    if evaluates(call.name, [word.text for word in call.arguments]):
        reading.evaluates(word)
    if reading.armed is not None and call.name not in NOTHING_LATER:
        reading.found(Effect.UNKNOWN, *reading.armed)
        reading.is_steered()
    # ./git is not git, whatever its name says.
    is_local = looks_local(word.text) and call.name != "steward"
    spec = None if is_local else reading.tables.spec(call.name)
    look_at_words(call, spec)
    look_for_modules(call)
    if spec is not None:
        asks_about_given(call, spec)
    if spec is None and call.name in reading.wrappers and is_wrapping(call):
        call.found(Effect.READ, GateReason.RUNS_WHAT_FOLLOWS.of(name=call.name))
        call.argv(call.arguments)
    elif spec is None:
        unknown_program(call)
    else:
        by_table(call, spec)


def look_for_modules(call: Call) -> None:
    """An address of a key may name the library that is loaded for it, whatever the program."""
    for word in call.arguments:
        if LOADS_MODULE.search(word.text):
            call.found(Effect.UNKNOWN, GateReason.LOADS.of(name=call.name, text=shown(word.text)), word)


def is_wrapping(call: Call) -> bool:
    """Whether a wrapper of the user's is called as one: by its plain name, with a command behind it."""
    return call.word.text == call.name and bool(call.arguments) and call.arguments[0].text[:1] not in "-"


def calls_function(call: Call) -> None:
    """The body was judged where it is defined, with operands from outside; options would be news to it."""
    call.reading.is_static = False
    if any(
        word.text.startswith("-") or OPAQUE in word.text or GIVEN.search(word.text) for word in call.arguments
    ):
        call.found(Effect.UNKNOWN, GateReason.FUNCTION_GETS_OPTIONS.of(name=call.name))
    call.found(Effect.READ, GateReason.FUNCTION_OF_THE_LINE.of(name=call.name))
    # What it reads of its arguments was read as a variable where it is defined.
    for word in call.arguments:
        call.reading.reads(word)
        if call.reading.takes_in_secrets(word.text) and call.reading.unnamed_below is not None:
            reason = GateReason.READS_ALL_BELOW.of(name=call.name, text=shown(word.text))
            call.flag(Flag.SECRET, reason, word)


def program_name(text: str) -> str:
    """`/usr/bin/git` and `C:\\Git\\GIT.EXE` are git."""
    # By the last part, as a table would have to know every place where it may be installed.
    name = text.rpartition("/")[2] if "/" in text else text
    if "\\" in name:
        name = name.rpartition("\\")[2]
    if name[-4:].lower() in (".exe", ".com"):
        name = name[:-4].lower()
    return name or text


def is_plain_name(call: Call) -> bool:
    """Whether the line tells what is run."""
    text = call.word.text
    if ANY_MARK.search(text) or (GLOB.search(text) and text not in ("[", "[[", "?")) or not text:
        call.found(
            Effect.UNKNOWN,
            GateReason.UNTOLD_PROGRAM.of(text=shown(text) or GateReason.EMPTY_WORD.of()),
        )
        return False
    # A word that another command prints may be an option that changes what the program does.
    if any(OPAQUE in word.text for word in call.arguments) and call.name not in DATA:
        place = next(word for word in call.arguments if OPAQUE in word.text)
        call.found(Effect.UNKNOWN, GateReason.INPUT_PUT_TOGETHER.of(name=call.name), place)
    return True


def look_at_words(call: Call, spec: Spec | None) -> None:
    """Secret places among the arguments, whatever the program."""
    reading = call.reading
    is_list = spec is not None and spec.names_only
    if is_list or call.name in LOOKS_AT_NAMES or (call.name == "git" and _lists(call)):
        for word in call.arguments:
            # `-l` and `.` name no secret, and most words of a listing are such.
            if len(word.text) > 2:
                reading.lists(word)
        return
    _look_at_contents(call, spec)
    _look_below(call, spec)


def _look_at_contents(call: Call, spec: Spec | None) -> None:
    reading = call.reading
    # Of such a program `-i` names the key to sign in with; of others it may be anything.
    signs_in = spec is not None and spec.network is not Network.NONE
    before = ""
    pattern = _pattern(call)
    for word in call.arguments:
        text = word.text
        is_credential = before in CREDENTIALS or (signs_in and before in SHORT_CREDENTIALS)
        is_elsewhere = word is pattern or (signs_in and ADDRESS.match(text) and text[:5].lower() != "file:")
        # Also of one letter: only the disk tells that such a file is a link.
        if not is_credential and not is_elsewhere and text.partition("=")[0] not in CREDENTIALS:
            reading.reads(word)
            if call.name not in LOOKS_AT_DEVICES:
                reading.reads_device(word)
        if reading.unnamed is None and call.name not in NO_CONTENTS and not word.fixed:
            reading.unnamed = call.word
        before = text


def _pattern(call: Call) -> Word | None:
    """What grep and its kin look for, which is no file."""
    # With -e the pattern stands elsewhere, and the first word is a file.
    if call.name not in PATTERN_FIRST or any(GIVES_PATTERN.match(word.text) for word in call.arguments):
        return None
    return next((word for word in call.arguments if word.text[:1] != "-"), None)


# Of git: what tells about files without their contents, unless one of the options is given.
GIT_LISTS = SECRET_WORDS.words("git_lists")
GIT_SHOWS = re.compile(
    r"-[a-zA-Z]*[pucL]|-[SG].*|--patch.*|--word-diff.*|--cc|-U\d*|--unified.*|--full-diff|--function-context|-W"
)


def _lists(call: Call) -> bool:
    texts = [word.text for word in call.arguments]
    verb = next((text for text in texts if text[:1] != "-"), "")
    if verb == "diff":
        return any(
            text in ("--stat", "--name-only", "--name-status", "--numstat", "--shortstat") for text in texts
        )
    return verb in GIT_LISTS and not any(GIT_SHOWS.fullmatch(text) for text in texts)


def _look_below(call: Call, spec: Spec | None) -> None:
    """What reads a whole home folder reads the secrets in it, by whatever way it got there."""
    texts = [word.text for word in call.arguments]
    told = call.name in READS_BELOW_WHEN_TOLD and any(map(RECURSES.match, texts))
    told = told or (call.name.lower() == "findstr" and any(map(BELOW_ON_WINDOWS.fullmatch, texts)))
    # Outside of a repository, and in one beyond its files.
    told = told or (call.name == "git" and "grep" in texts and "--no-index" in texts)
    is_git = call.name == "git" and "grep" in texts  # what it tracks
    if is_git and not told:
        call.reading.reads_below(".")
    if not told and call.name not in READS_BELOW:
        return
    _notes_places(call, spec, is_told=told)
    if call.passed is Passed.NAMED:
        return
    pattern = _pattern(call)
    named = call.arguments if spec is None or spec.has_subs else sort_words(spec, call.arguments).words
    for word in call.arguments:
        is_place = (
            word is not pattern and word.text[:1] not in ("", "-") and any(word is each for each in named)
        )
        if call.reading.takes_in_secrets(word.text):
            call.flag(Flag.SECRET, GateReason.READS_ALL_BELOW.of(name=call.name, text=shown(word.text)), word)
        elif is_place and shows(call) and call.reading.reaches_secrets(word, call.scope):
            reason = GateReason.READS_BELOW_AN_UNTOLD_FOLDER.of(name=call.name, text=shown(word.text))
            call.flag(Flag.SECRET, reason, word)
    # Without a place it reads the folder that it works in, unless it reads what it is fed.
    is_fed = call.stdin is not None and not told
    is_here = call.name in PATTERN_FIRST and not is_fed and not _has_place(call, spec)
    if is_here and call.reading.takes_in_secrets("."):
        call.flag(Flag.SECRET, GateReason.READS_ALL_BELOW.of(name=call.name, text="."))
    elif is_here and call.reading.reaches_secrets(call.word.but("."), call.scope):
        call.flag(Flag.SECRET, GateReason.READS_BELOW_AN_UNTOLD_FOLDER.of(name=call.name, text="."))


def _notes_places(call: Call, spec: Spec | None, *, is_told: bool) -> None:
    """The folders that it goes through, for rules about what lies in them."""
    texts = [word.text for word in call.arguments]
    if call.name in ARCHIVERS and not any(map(ADDS.fullmatch, texts[:1])) and not ADDS_LONG & set(texts):
        return
    words = [word for word in call.arguments if word.text[:1] not in ("", "-") and word is not _pattern(call)]
    # The last of several is where the copies go.
    named = words[:-1] if call.name in COPIES_LAST and len(words) > 1 else words
    for word in named:
        call.reading.reads_below(word.text)
    is_fed = call.stdin is not None and not is_told
    if call.name in PATTERN_FIRST and not is_fed and not _has_place(call, spec):
        call.reading.reads_below(".")


COPIES_LAST = frozenset({"cp", "gcp", "rsync", "scp", "rclone"})
ADDS = re.compile(r"-?[a-zA-Z]*[cru][a-zA-Z]*")  # of tar, in its first word
ADDS_LONG = frozenset({"-c", "--create", "-r", "--append", "-u", "--update"})
# They write what they read to another place, which is asked about by itself.
COPIES = frozenset({"cp", "gcp", "rsync", "scp", "rclone", "zip", "7z", "cpio", "pax"})
ARCHIVERS = frozenset({"tar", "bsdtar"})


def shows(call: Call) -> bool:
    """Whether what it reads comes to its output."""
    if call.name in COPIES:
        return False
    return call.name not in ARCHIVERS or any(word.text == "-" for word in call.arguments)


def _has_place(call: Call, spec: Spec | None) -> bool:
    operands = call.arguments if spec is None else sort_words(spec, call.arguments).words
    return len(operands) > (_pattern(call) is not None)


def unknown_program(call: Call) -> None:
    text = call.word.text
    # The reader of PowerShell judges it; bash would only say that it does not know it.
    if call.reading.lenient and CMDLET.fullmatch(text):
        return
    is_itself = call.nesting == 0 and not looks_local(text)  # nothing runs it that may bring it along
    if is_itself and len(call.arguments) == 1 and call.arguments[0].text in HELP | SHORT_HELP:
        call.found(Effect.READ, GateReason.ONLY_TELLS_ABOUT_ITSELF.of(name=call.name))
        return
    code = GateReason.OWN_PROGRAM if looks_local(text) else GateReason.UNKNOWN_PROGRAM
    # The model may be asked about a public program, never about the project's own code, which it cannot know.
    if not looks_local(text) and call.nesting == 0:
        call.reading.unknown_program = call.name
    call.found(Effect.UNKNOWN, code.of(text=shown(text)))


HELP = frozenset({"--help", "--version", "-help", "-version", "--usage", "/?", "-?"})
SHORT_HELP = frozenset({"-h", "-V"})
HALTS = frozenset({"shutdown", "halt", "poweroff", "reboot", "init", "telinit"})  # their -h ends everything


def asks_help(call: Call, spec: Spec) -> bool:
    """`x --help`, `x sub --help`: it only tells about itself."""
    texts = [word.text for word in call.arguments]
    if len(texts) == 1 and texts[0] in spec.options and spec.options[texts[0]].raises:
        return False  # that help is what a file of the project says
    # Of these the last word is data: `echo --help` says nothing about echo.
    if not texts or call.name in DATA or call.name == "env" or is_brought(call):
        return False
    if len(texts) == 1 and texts[0] in SHORT_HELP:
        return call.name not in HALTS and spec.handler != "shell" and texts[0] not in spec.options
    if len(texts) == 1:
        return texts[0] in HELP or (texts[0] in ("help", "version") and tells_by_word(spec, texts[0]))
    if not spec.has_subs or spec.run or spec.handler in RUNNERS:
        return False
    if texts[0] == "help":
        return all(text[:1] != "-" for text in texts)
    plain = all(text[:1] not in "-/" and not ANY_MARK.search(text) for text in texts[:-1])
    asks = (texts[-1] in HELP and len(texts) <= 5) or (texts[-1] == "-h" and len(texts) == 2)
    return plain and asks and is_about_subcommand(spec, texts[:-1])


def tells_by_word(spec: Spec, word: str) -> bool:
    """Whether `x version` shows the version: `changeset version` and `yarn version` make a new one."""
    changes = (Effect.CREATE, Effect.UPDATE, Effect.DELETE)
    own = spec.find((word,))
    return spec.has_subs and (own or spec).effect not in changes


# These bring a program along, from the project or from an index: its name does not tell what it is.
BRINGS = frozenset(
    [
        *["npx", "bunx", "pnpx", "pnpm", "yarn", "npm", "bun", "uvx", "uv", "poetry", "pdm", "pipenv"],
        *["bundle", "pipx", "mise", "asdf", "nix", "nix-shell", "devbox", "direnv", "conda", "mamba", "go"],
        *["docker", "podman", "nerdctl", "kubectl", "docker-compose", "deno", "pixi", "rustup", "hatch"],
    ]
)  # fmt: skip


def is_brought(call: Call) -> bool:
    """Whether a program runs this one that may put another in its place."""
    number = call.reading.run_by
    while number >= 0:
        draft = call.reading.drafts[number]
        if draft.words and program_name(draft.words[0]) in BRINGS:
            return True
        number = draft.run_by
    return False


def is_about_subcommand(spec: Spec, words: Sequence[str]) -> bool:
    """`x sub --help` is; behind a subcommand that runs something, --help is that one's: `uv run x --help`."""
    path: tuple[str, ...] = ()
    for word in words:
        longer = (*path, word)
        if spec.find(longer) is None and longer not in spec.prefixes:
            break
        path = longer
    found = spec.find(path)
    if not path or len(path) == len(words):
        return bool(path)
    return found is not None and not found.run and found.effect not in (None, Effect.UNKNOWN)


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

# Their long words are texts, not code.
TAKES_DATA = frozenset(
    [
        "git",
        "print",
        "curl",
        "wget",
        "httpie",
        "cp",
        "tee",
        "shell",
        "eval",
        "env",
        "ssh",
        "awscli",
        "dd",
        "find",
    ]
)
MAX_CODE = 10_000  # characters of other languages than a shell's


def is_long(call: Call) -> bool:
    """Whether a program gets more text than is looked at."""
    fed = call.stdin.text if call.stdin is not None else None
    return len(fed or "") > MAX_CODE or any(len(word.text) > MAX_CODE for word in call.arguments)


def by_table(call: Call, spec: Spec) -> None:
    if asks_help(call, spec):
        call.found(Effect.READ, GateReason.ONLY_TELLS_ABOUT_ITSELF.of(name=call.name))
        return
    if spec.names_hosts:
        leaves(call)
    # Code decides where a table cannot: what these do depends on their words.
    if spec.handler:
        if spec.handler not in TAKES_DATA and is_long(call):
            call.found(
                Effect.UNKNOWN,
                GateReason.GETS_TOO_MUCH_CODE.of(name=call.name, count=MAX_CODE),
            )
            return
        if spec.handler in UNREADABLE:
            call.reading.is_static = False
        connect(call, spec)
        if spec.handler in INLINE_CODE:
            connect_code(call)
        programs.handle(call, spec)
        return
    found = sort_words(spec, call.arguments)
    found.brought = is_brought(call)
    apply(call, found)
