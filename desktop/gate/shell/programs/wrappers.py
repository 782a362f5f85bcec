"""env, xargs, parallel, ssh: programs whose business is to run another."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Sequence
from dataclasses import replace

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.places import SECRET_VARIABLE
from desktop.gate.shell.reading import DOES, Call, shown
from desktop.gate.shell.table_effects import apply, asks_about_options, use_value
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.variables import check
from desktop.gate.shell.words import ANY_MARK, GIVEN, LOOSE, NAMES, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect, Flag

MAX_RUNS = 16  # of one command, with what the line spells out
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


def judge_env(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv"), call.arguments)
    asks_about_options(call, found)
    call.found(Effect.READ, GateReason.RUNS_WHAT_FOLLOWS.of(name="env"))
    for value in found.values("-C", "--chdir"):
        # Relative paths of the command begin there.
        call.reading.goes_to(value.text)
    words = found.words
    while words and (given := ASSIGNMENT.fullmatch(words[0].text)):
        check(call.reading, call.scope, call.nesting, given[1], given[2], words[0])
        words = words[1:]
    split = found.values("-S", "--split-string")
    if split:
        rest = " ".join(quoted(word.text) for word in words)
        _split_string(call, f"{split[0].text} {rest}", split[0])
    elif words:
        call.argv(words)
    # Alone, env prints every variable, and tokens are kept in variables.
    elif not found.has("-i", "--ignore-environment", "-") and not call.passed:
        call.flag(Flag.SECRET, GateReason.SHOWS_ALL_VARIABLES_ALSO_TOKENS.of(name="env"))


def _split_string(call: Call, text: str, place: Word) -> None:
    """env -S: words split at blanks, with assignments in front."""
    call.shell(text.replace("\\_", " "), place)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# Programs that take code in one of their words; a mark in the midst of it is replaced before they read it.
SHELLS = {*("sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh"), "pwsh", "eval", "ssh"}
LANGUAGES = {*("python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "tclsh")}
SMALL_LANGUAGES = {*("awk", "gawk", "mawk", "nawk", "sed", "gsed")}
NOT_A_PATH = re.compile(r"[^\w./{}%=@:,+~-]")


def asks_about_code(
    call: Call, words: Sequence[Word], mark: str, programs: Container[str] = SHELLS | LANGUAGES
) -> None:
    """What is put into the midst of code becomes code: a file may be called `x; rm -rf ~`, or hold it."""
    if not any(posixpath.basename(word.text) in programs for word in words):
        return
    for word in words:
        # Alone, or in a path, it is one word of the code's, such as `"$1"`.
        if mark in word.text and NOT_A_PATH.search(word.text):
            call.found(Effect.UNKNOWN, GateReason.PUTS_INTO_CODE.of(name=call.name), word)


def judge_xargs(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv"), call.arguments)
    call.found(Effect.READ, GateReason.RUNS_WHAT_FOLLOWS.of(name="xargs"))
    if not found.words:
        return
    asks_about_options(call, found)
    # Each command gets the number of its slot by that variable, and a file may be called so.
    for name in found.values("--process-slot-var"):
        check(call.reading, call.scope, call.nesting, name.text, "0", name)
    marks = [
        value.text or "{}" for name, _, value in found.options if name in ("-I", "-i", "--replace", "-J")
    ]
    fed = call.stdin.text if call.stdin is not None else None
    if marks and fed is None:
        asks_about_code(call, found.words, marks[0], SHELLS | LANGUAGES | SMALL_LANGUAGES)
    given = what_is_fed(call, found)
    lines = [line.strip() for line in (fed or "").splitlines()]
    if marks and 1 < len(lines) <= MAX_RUNS:
        # The command runs once for each line.
        for line in lines:
            call.argv([word.but(word.text.replace(marks[0], line)) for word in found.words])
        return
    if marks:
        value = given if fed is None else fed.strip() if len(fed.split()) == 1 else VARIABLE
        if fed is not None and "-" in fed and value == VARIABLE:
            # A word that begins with a dash would be an option of the command.
            value = "\x03"
        # In the midst of code, which was asked about above, a mark stands for no word.
        words = [
            word.but(
                word.text.replace(
                    marks[0],
                    VARIABLE if fed is None and NOT_A_PATH.search(word.text.replace(marks[0], "")) else value,
                )
            )
            for word in found.words
        ]
        if found.has("-J") and not any(ANY_MARK.search(word.text) for word in words):
            words.append(call.word.but(VARIABLE))
    else:
        extra = (fed or "").split()
        if fed is None or given == OUTPUT:
            extra.append(given if given != OUTPUT else OUTPUT + LOOSE)
        # Without a mark xargs appends what it is fed.
        words = [*found.words, *(call.word.but(text) for text in extra[:32])]
    call.argv(words)


def what_is_fed(call: Call, found: Operands) -> str:
    """What stands for the words that xargs and parallel add: data, names, or nobody feeds them."""
    if found.has("-a", "--arg-file"):
        return OUTPUT
    if call.stdin is None:
        return OUTPUT if call.nesting else VARIABLE
    return OUTPUT + NAMES if call.stdin.is_names or call.stdin.text is not None else OUTPUT


def judge_parallel(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv"), call.arguments)
    call.found(Effect.READ, GateReason.RUNS_WHAT_FOLLOWS.of(name="parallel"))
    asks_about_options(call, found)
    for value in found.values("--results", "--joblog"):
        call.writes(value)
    for value in found.values("-S", "--sshlogin"):
        # Before the name may stand what to sign in with: `-S './evil host'`.
        if not all(map(SSH_LOGIN.fullmatch, value.text.split(","))):
            runs = GateReason.RUNS.of(name="parallel -S", text=shown(value.text))
            call.found(Effect.UNKNOWN, runs, value)
    words = found.words
    end = next((n for n, word in enumerate(words) if re.fullmatch(r":{3,4}\+?", word.text)), len(words))
    command, inputs = words[:end], words[end + 1 :]
    if not command:
        # Without a command each input is a command.
        if inputs and words[end].text.startswith(":::") and "::::" not in words[end].text:
            for word in inputs:
                call.shell(word.text, word)
        elif call.stdin is not None and call.stdin.text is not None:
            call.shell(call.stdin.text, call.word)
        else:
            call.found(Effect.UNKNOWN, GateReason.PARALLEL_RUNS_THE_LINES_THAT_IT_IS_FED.of())
        return
    text = " ".join(word.text for word in command)
    places = re.compile(r"\{(?:\d*[./#%]*|[\d./#%]+)\}")
    is_told = inputs and "::::" not in words[end].text and not any(GIVEN.search(word.text) for word in inputs)
    scope = call.scope
    stands_for = VARIABLE
    if not is_told and (inputs or what_is_fed(call, found) == OUTPUT):
        # What parallel is fed it quotes: one word, which may be an option.
        scope = replace(scope, values={**scope.values, FED: (OUTPUT,)})
        stands_for = f'"${FED}"'
    if any(word.text.startswith("-") for word in inputs) or not places.search(text):
        text += " " + " ".join(quoted(word.text) for word in inputs[:16]) if is_told else " " + stands_for
    call.reading.shell(places.sub(stands_for, text), command[0], call.nesting, scope)


FED = "PARALLEL_INPUT"
SSH_LOGIN = re.compile(r"(?:\d{1,6}/|@[\w+]{1,80}/){0,2}[\w.@:\[\]-]*")


SSH_RUNS = re.compile(
    r"(?i)(?:proxycommand|localcommand|knownhostscommand|proxyusefdpass|xauthlocation)\s*[= ]\s*(.*)",
    re.DOTALL,
)
SSH_LOADS = re.compile(r"(?i)(?:pkcs11provider|securitykeyprovider|match|include)\s*[= ]")


SSH_WRITES = re.compile(r"(?i)userknownhostsfile\s*[= ]\s*(.*)", re.DOTALL)
SSH_SETS = re.compile(r"(?i)setenv\s*[= ]\s*(.*)", re.DOTALL)
SSH_SENDS = re.compile(r"(?i)sendenv\s*[= ]\s*(.*)", re.DOTALL)


# Whoever rules the other computer may use the keys, and see and press what is on this screen, meanwhile.
SSH_LENDS = re.compile(r"(?i)forward(?:agent|x11(?:trusted)?)\s*[= ]\s*(?!no\b).", re.DOTALL)
SSH_TRUSTS = re.compile(r"(?i)stricthostkeychecking\s*[= ]\s*(?:no|off|accept-new)\s*")
SSH_KEEPS_HOSTS = re.compile(r"(?i)userknownhostsfile\s*[= ]\s*(?:none|/dev/null)\s*")


def _ssh_options(call: Call, found: Operands) -> None:
    """What a settings file or an option makes ssh run and write here, and lend the other computer."""
    settings = found.values("-o")
    lends = [value for value in settings if SSH_LENDS.match(value.text)]
    if lends or found.has("-A", "-X", "-Y"):
        call.flag(Flag.SENDS, GateReason.SSH_LENDS.of(), lends[0] if lends else call.word)
    if not any(SSH_KEEPS_HOSTS.fullmatch(value.text) for value in settings):
        for value in filter(lambda each: SSH_TRUSTS.fullmatch(each.text), settings):
            call.found(Effect.UPDATE, GateReason.SSH_TRUSTS_A_NEW_HOST.of(), value)
    for value in found.values("-F"):
        # Such a file may hold ProxyCommand, which ssh runs on this computer.
        if value.text.lower() not in ("none", "/dev/null"):
            call.found(
                Effect.UNKNOWN,
                GateReason.TAKES_ITS_OPTIONS_FROM.of(name="ssh", text=shown(value.text)),
                value,
            )
    for value in found.values("-E"):
        call.writes(value, append=True)
    for name, action, value in found.options:  # of mosh
        if action.kind:
            use_value(call, name, action.kind, value, found)
    for value in found.values("-o"):
        _ssh_setting(call, value)


def _ssh_setting(call: Call, value: Word) -> None:
    given = SSH_WRITES.match(value.text)
    if given and given[1].strip().lower() not in ("none", "/dev/null"):
        call.writes(value.but(given[1].strip()), append=True)
    sent = SSH_SENDS.match(value.text)
    if sent and any(each == "*" or SECRET_VARIABLE.search(each) for each in sent[1].split()):
        call.flag(Flag.SENDS, GateReason.SENDS_A_VARIABLE_WITH_SECRETS.of(name="ssh"), value)
    remote = SSH_SETS.match(value.text)
    for each in remote[1].split() if remote else ():
        name, _, text = each.partition("=")
        check(call.reading, call.scope, call.nesting, name, text, value)
    runs = SSH_RUNS.match(value.text)
    if runs and runs[1].strip().lower() != "none":
        call.shell(runs[1], value)
    elif SSH_LOADS.match(value.text):
        call.found(Effect.UNKNOWN, GateReason.LOADS_OTHER_CODE.of(name="ssh"), value)


def judge_ssh(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv:1"), call.arguments)
    call.found(Effect.READ, GateReason.SSH_RUNS_ELSEWHERE.of())
    _ssh_options(call, found)
    for value in found.values("-I"):
        call.found(Effect.UNKNOWN, GateReason.LOADS_OTHER_CODE.of(name="ssh"), value)
    # These print settings and connect to nobody.
    if found.has("-G", "-Q", "-V"):
        return
    if found.has("-O"):
        call.found(Effect.UPDATE, GateReason.SSH_O_STEERS_A_CONNECTION.of())
        return
    command = found.words[1:]
    # Others may use these doors for as long as the command runs, and longer with ControlPersist.
    if found.has("-L", "-R", "-D", "-w", "-M"):
        call.found(Effect.CREATE, GateReason.SSH_KEEPS_A_CONNECTION_OPEN.of())
    if command:
        # What is read over there is shown here.
        for word in command:
            call.reading.reads(word)
        call.shell(" ".join(word.text for word in command), command[0])
    elif found.has("-N", "-L", "-R", "-D", "-W", "-f", "-M") or call.name == "autossh":
        call.found(Effect.CREATE, GateReason.SSH_KEEPS_A_CONNECTION_OPEN.of())
    elif call.stdin is not None and call.stdin.text is not None:
        call.shell(call.stdin.text, call.word)
    else:
        host = found.words[0].text if found.words else ""
        call.found(
            Effect.UNKNOWN,
            GateReason.OPENS_A_SESSION_ON.of(name="ssh", host=shown(host))
            if host
            else GateReason.OPENS_A_SESSION.of(name="ssh"),
        )


def judge_ionice(call: Call, spec: Spec) -> None:
    """With a process it shows its class, or sets it; else it runs a command."""
    found = sort_words(spec, call.arguments)
    if not found.has("-p", "--pid", "-P", "--pgid", "-u", "--uid"):
        apply(call, found)
        return
    sets = found.has("-c", "--class", "-n", "--classdata")
    effect = Effect.UPDATE if sets else Effect.READ
    call.found(effect, DOES[effect].of(name=call.name))


FZF_RUNS = re.compile(
    r"(?:execute(?:-silent)?|become|reload(?:-sync)?|transform[\w-]*|(?:change-)?preview)"
    r"\s*(?:\((.*?)\)|\[(.*?)\]|\{(.*?)\}|:(.*))",
    re.DOTALL,
)


def judge_fzf(call: Call, spec: Spec) -> None:
    """fzf only chooses, but previews and bindings run commands."""
    found = sort_words(spec, call.arguments)
    call.found(Effect.READ, GateReason.FZF_ONLY_CHOOSES_LINES.of())
    for name, action, value in found.options:
        if name == "--preview":
            call.shell(value.text.replace("{}", VARIABLE), value)
        elif name == "--bind":
            for runs in FZF_RUNS.finditer(value.text):
                code = next(filter(None, runs.groups()), "")
                call.shell(code.replace("{}", VARIABLE), value)
        elif action.raises is not None:
            call.found(action.raises, GateReason.FZF_LISTENS.of(name=name), value)
        elif action.kind:
            use_value(call, name, action.kind, value, found)
