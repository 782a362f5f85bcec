"""sh and its kind, PowerShell and cmd as programs, and the builtins that run text or change the shell."""

from __future__ import annotations

import re
from dataclasses import replace

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import sort_words
from desktop.gate.shell.reading import Call, Scope, shown
from desktop.gate.shell.tables import Spec, vocabulary
from desktop.gate.shell.variables import check, set_parameters
from desktop.gate.shell.words import ANY_MARK, Word
from desktop.gate.verdict import Effect, Flag

LETTERS = frozenset("abefhilmnprtuvxBCEPTcsq")
LONG = frozenset({"--login", "--norc", "--noprofile", "--posix", "--verbose", "--restricted", "--noediting"})
WITH_VALUE = frozenset({"-o", "-O", "+o", "+O"})


def judge_shell(call: Call, _spec: Spec) -> None:
    """bash and its kin: -c takes code, an operand is a script, nothing means standard input."""
    letters: set[str] = set()
    words = list(call.arguments)
    while words and (words[0].text[:1] in ("-", "+") or not words[0].text):
        word = words.pop(0)
        if word.text in ("-", "--"):
            break
        if word.text[-2:] in WITH_VALUE or (word.text[:1] == "-" and word.text[-1:] in ("o", "O")):
            _named_option(call, word, words.pop(0) if words else None)
            letters |= set(word.text[1:-1])
        elif word.text not in LONG:
            letters |= _letters(call, word)
    if "c" in letters:
        run_code(call, words)
    elif words and words[0].text not in ("-", "/dev/stdin") and "s" not in letters:
        if "n" in letters:
            call.found(Effect.READ, GateReason.N_ONLY_CHECKS_THE_SYNTAX.of(name=call.name))
        else:
            call.found(
                Effect.UNKNOWN,
                GateReason.RUNS_THE_SCRIPT.of(name=call.name, text=shown(words[0].text)),
                words[0],
            )
    else:
        run_input(call)


def _named_option(call: Call, word: Word, value: Word | None) -> None:
    if value is None or value.text not in OPTION_NAMES:
        call.found(
            Effect.UNKNOWN,
            GateReason.SETS_AN_UNKNOWN_OPTION.of(name=f"{call.name} {shown(word.text)}"),
            value or word,
        )


def _letters(call: Call, word: Word) -> set[str]:
    """The letters of a cluster. What is taken back with + or is not known to be harmless is asked about."""
    letters = set(word.text[1:])
    if not letters <= (LETTERS if word.text[:1] == "-" else LETTERS - {"n", "c"}):
        call.found(
            Effect.UNKNOWN, GateReason.NOT_KNOWN_HARMLESS.of(name=f"{call.name} {shown(word.text)}"), word
        )
    return letters if word.text[:1] == "-" and word.text[:2] != "--" else set()


def run_code(call: Call, words: list[Word]) -> None:
    if not words:
        call.found(Effect.UNKNOWN, GateReason.C_GETS_ITS_CODE_FROM_ELSEWHERE.of(name=call.name))
        return
    # A copy: what the inner shell sets is gone when it ends.
    scope = Scope(dict(call.scope.values), set(call.scope.functions), aliases=set(call.scope.aliases))
    # The word behind the code is $0, and only the next ones are its operands.
    set_parameters(scope, tuple(word.text for word in words[2:]))
    if len(words) > 1:
        scope.values["0"] = (words[1].text,)
    # Its `set` gives a variable, and bash's does not.
    if call.name == "fish" and re.search(r"\b(?:set|source|psub|string\s+\w+\s+\|)", words[0].text):
        call.found(Effect.UNKNOWN, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name=call.name), words[0])
    shell = "bash"
    call.found(Effect.READ, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name=call.name))
    call.reading.shell(words[0].text, words[0], call.nesting, scope, shell)


def run_input(call: Call) -> None:
    """A shell without a script: what it reads is what it runs."""
    if call.stdin is not None and call.stdin.text is not None:
        call.shell(call.stdin.text, call.word)
    elif call.stdin is not None:
        call.found(Effect.UNKNOWN, GateReason.RUNS_WHAT_IT_IS_FED.of(name=call.name))
    else:
        call.found(Effect.UNKNOWN, GateReason.OPENS_A_SESSION.of(name=call.name))


def judge_eval(call: Call, _spec: Spec) -> None:
    text = " ".join(word.text for word in call.arguments)
    call.found(Effect.READ, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name="eval"))
    if ANY_MARK.search(text):
        call.found(Effect.UNKNOWN, GateReason.EVAL_RUNS_WHAT_IS_MADE_AT_RUN_TIME.of())
    if text.strip():
        call.shell(text, call.arguments[0])


ACTIVATES = re.compile(
    r".*(?:^|/)(?:bin|Scripts)/activate(?:\.\w+)?|.*/(?:nvm|conda|mamba|sdkman-init|asdf)\.sh|.*/\.?(?:emsdk_env|vcvars\w*)\.\w+"
)


def judge_source(call: Call, _spec: Spec) -> None:
    # fish: what is fed to it is run.
    if not call.arguments and call.stdin is not None:
        if call.stdin.text is None:
            call.found(Effect.UNKNOWN, GateReason.GETS_ITS_CODE_FROM_ELSEWHERE.of(name=call.name))
        else:
            call.shell(call.stdin.text, call.word)
        return
    if not call.arguments:
        call.found(Effect.READ, GateReason.THERE_IS_NOTHING_TO_SOURCE.of())
        return
    script = call.arguments[0]
    # Written by the tool that made the environment; agents source one in every other line.
    if ACTIVATES.fullmatch(script.text):
        call.found(Effect.READ, GateReason.ACTIVATES_ENVIRONMENT.of())
    elif script.text in ("/dev/stdin", "-") and call.stdin is not None and call.stdin.text is not None:
        call.shell(call.stdin.text, script)
    else:
        call.found(Effect.UNKNOWN, GateReason.RUNS_TEXT.of(text=shown(script.text)), script)


def judge_trap(call: Call, _spec: Spec) -> None:
    words = [word for word in call.arguments if word.text not in ("-l", "-p", "--")]
    call.found(Effect.READ, GateReason.ONLY_CHANGES_THIS_SHELL.of(name="trap"))
    # It runs later, and may run.
    if len(words) > 1 and words[0].text not in ("-", ""):
        call.shell(words[0].text, words[0])


def judge_alias(call: Call, _spec: Spec) -> None:
    """An alias has the class of its body."""
    call.found(Effect.READ, GateReason.ONLY_CHANGES_THIS_SHELL.of(name="alias"))
    for word in call.arguments:
        name, equals, body = word.text.partition("=")
        if equals:
            call.scope.aliases.add(name)
        if equals and name and body.strip():
            call.shell(body, word)
    # fish: a name and its body, without a sign between them.
    words = [word for word in call.arguments if word.text[:1] != "-"]
    if len(words) > 1 and "=" not in words[0].text:
        call.scope.aliases.add(words[0].text)
        call.shell(" ".join(word.text for word in words[1:]), words[1])


def judge_command(call: Call, spec: Spec) -> None:
    """command, builtin, exec: a prefix, unless it only tells where a program is."""
    found = sort_words(replace(spec, run="argv"), call.arguments)
    call.found(Effect.READ, GateReason.RUNS_WHAT_FOLLOWS.of(name=call.name))
    # Only tells where a program is.
    if call.name == "command" and (found.has("-v", "-V")):
        return
    if found.words:
        call.argv(found.words)


PS_CODE = ("-command", "-c", "-com", "-comm", "-encodedcommand", "-e", "-ec", "-enc", "-encoded")
PS_VALUES = (
    "-executionpolicy",
    "-ep",
    "-ex",
    "-version",
    "-windowstyle",
    "-w",
    "-outputformat",
    "-inputformat",
    "-configurationname",
    "-workingdirectory",
    "-wd",
    "-settingsfile",
    "-custompipename",
)


def judge_powershell(call: Call, _spec: Spec) -> None:
    words = list(call.arguments)
    while words:
        option = words[0].text.lower()
        if option in PS_VALUES or any(len(option) > 3 and value.startswith(option) for value in PS_VALUES):
            words = words[2:]
        elif (
            option in PS_CODE
            or ("-command".startswith(option) and len(option) > 1)
            or ("-encodedcommand".startswith(option) and len(option) > 3)
        ):
            _powershell_code(call, option, words[1:])
            return
        elif option in ("-file", "-f"):
            call.found(Effect.UNKNOWN, GateReason.RUNS_A_SCRIPT.of(name=call.name))
            return
        elif option in ("-help", "-?", "--version", "-h", "/?"):
            call.found(Effect.READ, GateReason.ONLY_TELLS_ABOUT_ITSELF.of(name=call.name))
            return
        elif option.startswith("-"):
            words = words[1:]
        else:
            break
    if words and words[0].text.lower().endswith(".ps1"):
        call.found(Effect.UNKNOWN, GateReason.RUNS_A_SCRIPT.of(name=call.name), words[0])
    # Windows PowerShell takes bare words for code, PowerShell 7 for the name of a script.
    elif words and call.name.startswith("powershell"):
        _powershell_code(call, "-command", words)
    else:
        call.found(Effect.UNKNOWN, GateReason.OPENS_A_SESSION_OR_RUNS_A_SCRIPT.of(name=call.name))


def _powershell_code(call: Call, option: str, words: list[Word]) -> None:
    call.found(Effect.READ, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name=call.name))
    text = " ".join(word.text for word in words)
    if not words or text == "-":
        call.found(Effect.UNKNOWN, GateReason.GETS_ITS_CODE_FROM_ELSEWHERE.of(name=call.name))
    elif option.startswith("-e"):
        _encoded(call, words[0])
    else:
        call.shell(
            text.strip().removeprefix("& {").removesuffix("}") if text.startswith("& {") else text,
            words[0],
            "powershell",
        )


def _encoded(call: Call, word: Word) -> None:
    import base64
    import binascii

    try:
        text = base64.b64decode(word.text, validate=True).decode("utf-16-le")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        call.found(Effect.UNKNOWN, GateReason.RUNS_CODE_THAT_CANNOT_BE_DECODED.of(), word)
        return
    call.shell(text, word, "powershell")


def judge_cmd(call: Call, _spec: Spec) -> None:
    """cmd /c and /k run the rest."""
    for number, word in enumerate(call.arguments):
        text = word.text.lower().lstrip("/")
        if text in ("c", "k", "r") and word.text.startswith("/"):
            rest = call.arguments[number + 1 :]
            call.found(Effect.READ, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name="cmd"))
            if rest:
                call.shell(" ".join(each.text for each in rest), rest[0], "cmd")
            return
    call.found(Effect.UNKNOWN, GateReason.OPENS_A_SESSION.of(name="cmd"))


MILD_SIGNALS = frozenset(
    [
        "HUP",
        "1",
        "USR1",
        "10",
        "USR2",
        "12",
        "STOP",
        "19",
        "CONT",
        "18",
        "WINCH",
        "28",
        "TSTP",
        "20",
        "URG",
        "23",
        "CHLD",
        "17",
    ]
)


def judge_kill(call: Call, _spec: Spec) -> None:
    """kill, pkill, killall: the signal decides."""
    signal = None
    texts = [word.text for word in call.arguments]
    for number, text in enumerate(texts):
        if text in ("-l", "-L", "--list", "--table") and call.name != "pkill":
            call.found(Effect.READ, GateReason.ONLY_LISTS.of(name=call.name))
            return
        if (
            text in ("-s", "--signal", "-n")
            and number + 1 < len(texts)
            and call.name in ("kill", "pkill", "killall", "skill")
        ):
            signal = signal or texts[number + 1]
        elif text.startswith("--signal="):
            signal = text.partition("=")[2]
        elif (
            re.fullmatch(r"-(?:SIG)?[A-Z0-9]+[0-9]?|-\d+", text)
            and signal is None
            and (len(text) > 2 or text[1:].isdigit())
        ):
            signal = text[1:]
    name = (signal or "TERM").upper().removeprefix("SIG")
    if name in ("0", "EXIT"):
        call.found(Effect.READ, GateReason.LOOKS_WHETHER_A_PROCESS_RUNS.of(name=call.name))
    elif name in MILD_SIGNALS:
        call.found(Effect.UPDATE, GateReason.SENDS_TO_A_PROCESS.of(name=call.name, text=name))
    else:
        call.found(Effect.DELETE, GateReason.ENDS_PROCESSES.of(name=call.name))


# zsh: expands the text as it does a prompt, substitutions too.
PROMPTS = re.compile(r"-[a-zA-Z]*P[a-zA-Z]*")


def judge_print(call: Call, _spec: Spec) -> None:
    """echo and printf: harmless, except that they may show a secret of the environment."""
    call.found(Effect.READ, GateReason.ONLY_PRINTS.of(name=call.name))
    expands = call.name == "print" and any(PROMPTS.fullmatch(word.text) for word in call.arguments)
    for word in call.arguments:
        if ANY_MARK.search(word.text) and call.reading.shows_secret(word):
            call.flag(Flag.SECRET, GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name=call.name), word)
        if expands and ("$(" in word.text or "`" in word.text):
            call.found(Effect.UNKNOWN, GateReason.GETS_ITS_CODE_FROM_ELSEWHERE.of(name="print -P"), word)


# -- set, shopt, setopt: options of the shell itself -----------------------------------------------

# Letters and names that change how the line fails, prints or finds files, not what its words mean.
SET_LETTERS = frozenset("abefhmnptuvxBCEPT")

OPTION_NAMES = vocabulary("shell").words("options")


def judge_set(call: Call, _spec: Spec) -> None:
    """Options that are known to be harmless; `set` alone shows every variable."""
    call.found(Effect.READ, GateReason.ONLY_CHANGES_THIS_SHELL.of(name=call.name))
    if call.name == "set":
        _set(call)
        return
    for word in call.arguments:
        if word.text.lower() not in OPTION_NAMES and not _is_letters(word, "supqo"):
            _unknown_option(call, word)


def _set(call: Call) -> None:
    _set_of_fish(call)
    if not call.arguments and not call.passed:
        call.flag(Flag.SECRET, GateReason.SHOWS_ALL_VARIABLES_ALSO_TOKENS.of(name="set"))
    words = list(call.arguments)
    while words:
        word = words.pop(0)
        if word.text in ("--", "-") or word.text[:1] not in ("-", "+"):
            return  # the rest are parameters
        letters = word.text[1:]
        if letters.endswith("o") and letters[:-1] != "-":
            if words and words.pop(0).text not in OPTION_NAMES:
                _unknown_option(call, word)
            letters = letters[:-1]
        if not set(letters) <= SET_LETTERS:
            _unknown_option(call, word)


FISH_NAME = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?")


def _set_of_fish(call: Call) -> None:
    """`set -x NAME VALUE…` gives a variable in fish, and parameters in other shells."""
    words = [word for word in call.arguments if word.text[:1] not in "-+"]
    given = FISH_NAME.fullmatch(words[0].text) if words else None
    if given is None or any(word.text in ("--", "-") for word in call.arguments):
        return
    name = "PATH" if given[1] in ("fish_user_paths", "fish_function_path") else given[1]
    value = ":".join(word.text for word in words[1:])
    check(call.reading, call.scope, call.nesting, name, value, words[0])


def _is_letters(word: Word, letters: str) -> bool:
    return word.text[:1] in ("-", "+") and set(word.text[1:]) <= set(letters)


def _unknown_option(call: Call, word: Word) -> None:
    call.found(Effect.UNKNOWN, GateReason.NOT_KNOWN_HARMLESS.of(name=f"{call.name} {shown(word.text)}"), word)
