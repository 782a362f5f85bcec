"""node -e, deno eval, bun -e, mongosh --eval."""

from __future__ import annotations

import re
from dataclasses import replace

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.programs import reach
from desktop.gate.shell.programs.tokens import LanguageWords, read_tokens
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.table_effects import judge_options
from desktop.gate.shell.tables import Spec, vocabulary
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect, Flag, Network

STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`", re.DOTALL)
JAVASCRIPT = LanguageWords(
    harmless=vocabulary("javascript").words("harmless"),
    effects=vocabulary("javascript").effects(),
    strings=STRINGS,
    inside=re.compile(r"\$\{([^}]*)\}"),
    comments=re.compile(r"//[^\n]*|/\*.{0,2000}?\*/", re.DOTALL),
    defines=re.compile(
        r"(?:const|let|var|function|class)\s+(\w+)|(?:const|let|var)\s*[{\[]([^}\]=]*)[}\]]|\(?\b(\w+)\)?\s*=>|\(([\w,\s{}]*)\)\s*=>|function\s*\w*\s*\(([\w,\s]*)\)|catch\s*\((\w+)\)|[{,]\s*(\w+)\s*:|\.(\w+)(?!\s*[\w(`])(?=\s*(?:[;,)}\]|&?:+<>.=-]|$))"
    ),
    shells=re.compile(
        r"(?:require\(['\"](?:node:)?child_process['\"]\)\s*\.\s*)?\bexec(?:Sync)?\(\s*(?P<q>['\"`])(?P<command>(?:(?!(?P=q)|\$\{)[^\\])*)(?P=q)[^()]*\)"
    ),
    forbidden=re.compile(
        r"\bimport\b|\beval\b|\bFunction\b|child_process|\[\s*['\"`]\w+['\"`]\s*(?:\+|\]\s*\()|\bglobalThis\b"
        r"|\bprocess\s*(?:\.\s*(?:binding|dlopen|kill|mainModule|abort|chdir|getBuiltinModule)|\[)|\bconstructor\b"
        r"|__proto__|\\u|\\x|\bmethod\s*:|\bvm\b|\brequire\b(?!\s*\()"
    ),
    calls=re.compile(r"\]\s*(?:\?\.\s*)?\(|\bthis\b|\bwith\s*\("),
    environment=re.compile(r"\benv\b"),
    variables=re.compile(r"\benv\s*(?:\.\s*(\w+)|\[\s*['\"`](\w+)['\"`]\s*\])"),
    expressions=re.compile(
        r"(?P<literal>(?!))|(?:^|[(,;{=:\[!&|?]|\breturn\b)\s*"
        r"(?P<bare>/(?![/*])(?:[^\\/\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)(?!\w)"
    ),
    doubtful=re.compile(r"/|<!--|-->"),
    odd=re.compile(r"[\r\u2028\u2029]|\$\{[^}]*[`'\"{]"),
    reach=reach.JAVASCRIPT,
    files=re.compile(r"(?:readFileSync|readFile|createReadStream|require)\(\s*['\"`](?P<file>[^'\"`]+)"),
)

REQUIRE = re.compile(r"\brequire\s*\(\s*(?:['\"`]([^'\"`]*)['\"`]\s*\))?")
MODULES = vocabulary("javascript").words("modules")

# A module is followed by what is taken of it, or is given a name or names.
BUILT_IN = frozenset(
    {
        *(
            "fs",
            "path",
            "os",
            "url",
            "util",
            "http",
            "https",
            "net",
            "dgram",
            "tls",
            "dns",
            "cluster",
            "module",
        ),
        *("process", "v8", "zlib", "crypto", "stream", "events", "inspector", "worker_threads", "repl", "vm"),
        *("child_process", "readline", "promises", "Deno", "Bun", "Reflect", "Proxy"),
    }
)
MEMBERS = vocabulary("javascript").words("members")
NAMED = re.compile(
    r"\b(?:const|let|var)\s+(?:(?P<name>\w+)|\{(?P<names>[^}]*)\})\s*=\s*"
    r"(?:require\s*\(\s*['\"`](?P<module>[^'\"`]*)['\"`]\s*\)|(?P<other>\w+))\s*(?P<part>\.\s*\w+)?\s*(?:[;,\n]|$)"
)

MEMBER = re.compile(r"\s*(?:\?\.|\.)\s*(\w+)")


def look_at_modules(call: Call, code: Word) -> None:
    """Of a built-in module only what is listed may be taken; the module itself may not be handed around."""
    names = set(BUILT_IN)
    given = [_takes(call, code, found, names) for found in NAMED.finditer(code.text)]
    alone = re.compile(
        rf"(?<![.\w'\"`/:-])(?:node:)?(?P<module>{'|'.join(map(re.escape, names))})\b(?!\s*:|['\"`/])"
    )
    for found in alone.finditer(code.text):
        if not any(first <= found.start() < last for first, last in given):
            _is_before_member(call, code, found["module"], found.end(), names)
    for found in REQUIRE.finditer(code.text):
        module = (found[1] or "").removeprefix("node:").partition("/")[0]
        if module in BUILT_IN and not any(first <= found.start() < last for first, last in given):
            _is_before_member(call, code, module, found.end(), names)


def _takes(call: Call, code: Word, found: re.Match[str], names: set[str]) -> tuple[int, int]:
    """`const f = require('fs')` and `const {a, b: c} = fs`: a new name, or parts that are listed."""
    module = (found["module"] or found["other"] or "").removeprefix("node:").partition("/")[0]
    if module not in names or found["part"]:
        return (0, 0)
    taken = {part.partition(":")[0].strip() for part in (found["names"] or "").split(",")} - {""}
    if found["name"]:
        names.add(found["name"])
    elif not taken <= MEMBERS:
        call.found(Effect.UNKNOWN, GateReason.TAKES_MORE_OF_THAN_READS.of(name=call.name, text=module), code)
    return found.span()


def _is_before_member(call: Call, code: Word, module: str, end: int, names: set[str]) -> None:
    taken = MEMBER.match(code.text, end)
    if taken is None or taken[1] not in MEMBERS | names:
        call.found(Effect.UNKNOWN, GateReason.TAKES_MORE_OF_THAN_READS.of(name=call.name, text=module), code)


def read_javascript(call: Call, code: Word) -> None:
    """Inline code; a module of the project is its code, a JSON file is data."""
    for found in REQUIRE.finditer(code.text):
        name = (found[1] or "").removeprefix("node:")
        if name not in MODULES and not name.endswith(".json"):
            call.found(
                Effect.UNKNOWN,
                GateReason.LOADS.of(name=call.name, text=shown(name) or GateReason.MADE_AT_RUN_TIME.of()),
                code,
            )
    look_at_modules(call, code)
    read_tokens(call, code.text, code, JAVASCRIPT)
    fetched = FETCHES.findall(code.text)
    if fetched:
        call.reading.connects(Network.USES)
    if not all(fetched):
        call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name=call.name), code)


# A request, and the address in it where that is all that it gets.
FETCHES = re.compile(r"\b(?:fetch|https?\s*\.\s*(?:get|request))\s*\(\s*(['\"`][^'\"`$]*['\"`]\s*[,)])?")
NODE_OPTION = re.compile(
    r"--(?:no-(?:warnings|deprecation)|trace-(?:warnings|deprecation|uncaught)|expose-gc|use-strict|harmony[\w-]*"
    r"|experimental-(?:strip-types|vm-modules|fetch|global-webcrypto)|stack-size|interactive|v8-options"
    r"|disable-warning|enable-source-maps|unhandled-rejections|throw-deprecation|preserve-symlinks|abort-on-\w+)"
)


def judge_node(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv"), call.arguments)
    codes = found.values("-e", "--eval", "-p", "--print", "-pe", "-ep")
    for name, _, value in found.options:
        if name in ("-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file"):
            call.found(
                Effect.UNKNOWN, GateReason.LOADS.of(name=f"{call.name} {name}", text=shown(value.text)), value
            )
    for option in found.unknown:
        if not NODE_OPTION.fullmatch(option.text):
            call.found(
                Effect.UNKNOWN,
                GateReason.NOT_KNOWN_HARMLESS.of(name=f"{call.name} {shown(option.text)}"),
                option,
            )
    for code in codes:
        read_javascript(call, code)
    if codes and not found.has("-i"):
        return
    if found.has("-v", "--version", "-h", "--help", "--v8-options") and not found.words:
        call.found(Effect.READ, GateReason.ONLY_TELLS_ABOUT_ITSELF.of(name=call.name))
    elif found.has("-c", "--check"):
        call.found(Effect.READ, GateReason.ONLY_CHECKS_THE_SYNTAX.of(name=call.name))
    else:
        _script_or_input(call, found)


def judge_deno_eval(call: Call, found: Operands) -> bool:
    """`deno eval CODE`."""
    for code in found.words[:1]:
        read_javascript(call, code)
    return bool(found.words)


def _script_or_input(call: Call, found: Operands) -> None:
    if found.words and found.words[0].text != "-":
        call.found(
            Effect.UNKNOWN,
            GateReason.RUNS.of(name=call.name, text=shown(found.words[0].text)),
            found.words[0],
        )
    elif call.stdin is not None and call.stdin.text is not None:
        read_javascript(call, call.word.but(call.stdin.text))
    else:
        call.found(Effect.UNKNOWN, GateReason.OPENS_A_SESSION_OR_RUNS_INPUT.of(name=call.name))


MONGO = vocabulary("mongo").effects()


def judge_mongosh(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    judge_options(call, found)
    codes = found.values("--eval")
    for code in codes:
        _mongo_code(call, code)
    if found.has("-f", "--file") or any(word.text.endswith((".js", ".mongodb")) for word in found.words):
        call.found(Effect.UNKNOWN, GateReason.RUNS_A_SCRIPT.of(name=call.name))
    elif not codes:
        if call.stdin is not None and call.stdin.text is not None:
            _mongo_code(call, call.word.but(call.stdin.text))
        else:
            call.found(Effect.UNKNOWN, GateReason.OPENS_A_CONSOLE.of(name=call.name))


# Members whose names are worked out, escapes in which a name hides, and what leads out of the database.
MONGO_UNREADABLE = re.compile(
    r"\]\s*\(|[{,]\s*\[[^\]]{0,200}\]\s*:|\]\s*=(?!=)|\\[ux]|\w\s*`|\b(?:process|globalThis|this|constructor|prototype)\b"
)


def _mongo_code(call: Call, code: Word) -> None:
    if re.search(r"\$(?:out|merge)\b|\[\s*'", code.text):
        call.found(Effect.UPDATE, GateReason.WRITES_TO_A_COLLECTION.of(name=call.name), code)
    if MONGO_UNREADABLE.search(code.text):
        call.found(Effect.UNKNOWN, GateReason.RUNS_UNSEEN_CODE.of(name=call.name), code)
    for word in re.findall(r"\.\s*(\w+)\b(?!\s*\()", code.text):  # handed to another function
        call.found(MONGO.get(word, Effect.READ), GateReason.CALLS.of(name=call.name, text=word), code)
    for word in re.findall(r"(\w+)\s*\(", code.text):  # also in texts: a quote may stand in a comment
        effect = MONGO.get(word)
        if effect is None:
            effect = (
                Effect.READ if word in ("adminCommand", "runCommand") and _asks(code.text) else Effect.UNKNOWN
            )
        call.found(effect, GateReason.CALLS.of(name=call.name, text=word), code)
    call.found(Effect.READ, GateReason.ONLY_READS.of(name=call.name), code)


def _asks(text: str) -> bool:
    """Whether a command document only asks."""
    named = re.search(r"\{\s*['\"]?(\w+)", text)
    return named is not None and MONGO.get(named[1]) is Effect.READ
