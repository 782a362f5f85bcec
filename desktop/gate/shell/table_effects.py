"""What a command does as its table says it: class, options, operands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from desktop.gate.reasons import GateReason
from desktop.gate.shell import programs
from desktop.gate.shell.network import connect, is_elsewhere, leaves
from desktop.gate.shell.operands import Operands, lookup, operand_files, skipped_words
from desktop.gate.shell.places import is_outside, looks_local
from desktop.gate.shell.reading import DOES, Call, Passed, shown
from desktop.gate.shell.tables import OptionAction, Spec, vocabulary
from desktop.gate.shell.variables import check
from desktop.gate.shell.words import ANY_MARK, OUTPUT, Word
from desktop.gate.verdict import Effect, Flag

ASSIGNS = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


def apply(call: Call, found: Operands) -> None:
    """What a table says about sorted words."""
    spec = found.spec
    connect(call, spec)
    if spec.names_hosts and found.path:
        leaves(call)
    # Code first, where a subcommand is too much for a table.
    if spec.handler and found.path and programs.handle_sub(call, found):
        return
    what = f"{call.name} {' '.join(found.path)}".strip()
    if spec.run:
        _runs(call, found)
    effect = class_of(found)
    apply_options(call, found, what)
    if effect is None:
        _not_known(call, found, what)
        return
    effect = raised_by_operands(call, found, effect)
    if effect is Effect.READ:
        effect = raised_by_names(call, found)
    if effect is Effect.READ:
        asks_about_unnamed(call, found, what)
    # Of a program without a table no word is known for a subcommand.
    if spec.plain and not spec.unnamed and found.words and found.words[0].text in ACTS:
        reason = GateReason.IS_NOT_KNOWN.of(name=f"{what} {shown(found.words[0].text)}")
        call.found(Effect.UNKNOWN, reason, found.words[0])
    call.found(effect, DOES[effect].of(name=what))
    _flags(call, found, what, effect)
    if effect >= Effect.CREATE:
        changes(call, found)
    # What was read is there, so that a later `>>` to it makes nothing new.
    elif not spec.names_only:
        call.reading.seen.update(word.text for word in found.words)


def _not_known(call: Call, found: Operands, what: str) -> None:
    if found.lost is None:
        call.found(Effect.UNKNOWN, GateReason.UNKNOWN_SUBCOMMAND.of(name=shown(what)))
    else:
        reason = GateReason.UNKNOWN_PART.of(text=shown(found.lost.text), what=what)
        call.found(Effect.UNKNOWN, reason, found.lost)


def _flags(call: Call, found: Operands, what: str, effect: Effect) -> None:
    spec = found.spec
    hides = found.has(*spec.secret_without)
    for flag in spec.flags:
        if flag is Flag.SECRET and hides:
            continue
        if flag is not Flag.GATE or effect > Effect.READ:  # a rehearsal or a listing of it harms nobody
            call.flag(flag, FLAG_REASONS[flag].of(name=what))
    dumps = (spec.dumps_always or (spec.dumps and not found.words)) and not call.passed
    names = names_secrets(found) or is_named_for_secrets(found)
    if ((names or dumps) and not hides) or asks_for_secrets(found):
        call.flag(Flag.SECRET, GateReason.SHOWS_SECRETS.of(name=what))


def names_secrets(found: Operands) -> bool:
    """Whether an operand names a secret, and the options show it."""
    spec = found.spec
    if not spec.secret or (spec.secret_with and not found.has(*spec.secret_with)):
        return False
    return any(fnmatchcase(word.text, pattern) for word in found.words for pattern in spec.secret)


def is_named_for_secrets(found: Operands) -> bool:
    """Whether the words of a subcommand say that it shows keys or tokens: of the clouds' thousands of
    subcommands a table names the verbs, not each."""
    path = "/".join(found.path)
    patterns = found.root.secret_subs if path and found.spec is not found.root else ()
    if any(pattern[0] == "!" and fnmatchcase(path, pattern[1:]) for pattern in patterns):
        return False
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def asks_for_secrets(found: Operands) -> bool:
    """Whether the value of an option names what is secret: `--format '{{.Config.Env}}'`."""
    patterns = found.spec.secret_values
    return bool(patterns) and any(
        fnmatchcase(value.text.lower(), pattern) for _, _, value in found.options for pattern in patterns
    )


def raised_by_operands(call: Call, found: Operands, effect: Effect) -> Effect:
    """Operands that stand for an action, and operands that are written."""
    for pattern, raised in {**dict(found.root.words), **dict(found.spec.words)}.items():
        if any(fnmatchcase(word.text, pattern) for word in call.arguments):
            effect = max(effect, raised)
    for pattern, raised in found.spec.patterns:
        if any(fnmatchcase(word.text, pattern) for word in found.words):
            effect = max(effect, raised)
    if Effect.READ in instead(found):
        return effect
    written = [call.writes(file) for file in operand_files(found.spec, found.words)]
    if not written:
        return effect
    # `cp a /dev/null` makes nothing, although cp makes files.
    return max(written) if effect is Effect.CREATE else max(effect, *written)


FLAG_REASONS = {
    Flag.SENDS: GateReason.SENDS_FROM_HERE,
    Flag.PRIVILEGED: GateReason.RUNS_AS_ANOTHER_USER,
    Flag.SECRET: GateReason.MAY_SHOW_SECRETS,
    Flag.OUTSIDE: GateReason.REACHES_BEYOND_THE_FOLDER,
    Flag.GATE: GateReason.CHANGES_GUARD,
}


def class_of(found: Operands) -> Effect | None:
    """The class before options raise it; None when the table does not know the subcommand."""
    spec = found.spec
    sets = instead(found)
    if sets:
        # `--dry-run` beside `--force` is a rehearsal all the same.
        return min(sets)
    if found.path and spec is found.root and found.path not in spec.prefixes:
        return None  # words that only look like the beginning of a subcommand
    if not found.words and spec.bare is not None and (not found.unknown or spec.bare is not Effect.READ):
        return spec.bare
    if (
        found.words
        and spec.effect is Effect.READ
        and found.path in found.root.prefixes
        and not spec.takes_words
    ):
        return None  # a group of subcommands, and one that is not known
    if spec.by_count:
        return spec.by_count[min(len(found.words), len(spec.by_count) - 1)]
    if spec.effect is not None:
        return spec.effect
    if spec.run:
        return Effect.READ
    if found.words or found.lost is not None:
        return None
    is_group = found.path in spec.prefixes or not found.path
    return Effect.READ if spec.has_subs and is_group else None


# Of a program they only tell about it; of a subcommand they may be the version that it installs.
TELLS_VERSION = frozenset({"--version", "-version", "-V", "-v", "-vV"})


def instead(found: Operands) -> list[Effect]:
    """The classes that options put in the place of the program's."""
    return [
        action.sets
        for number, (name, action, value) in enumerate(found.options)
        if action.sets is not None
        and (not action.only or action.value != "yes" or value.text in action.only)
        and is_honoured(found, name, action)
        and not found.is_undone(number)
        and not (name in TELLS_ABOUT and (found.brought or (found.words and runs_operands(found.spec))))
    ]


def is_honoured(found: Operands, name: str, action: OptionAction) -> bool:
    """Whether an option that makes a reader of a program makes one of its subcommand, too.

    Many take `--dry-run` wherever it stands and do what they are told: `npm run x --dry-run` runs x, and
    `systemctl --dry-run stop` stops. So a table names the subcommands that rehearse.
    """
    # A word that no table knows may be a program of its own: `cargo x -n`, `kubectl x --dry-run`.
    if found.lost is not None and name in REHEARSALS:
        return "*" in found.root.rehearses
    is_programs = bool(found.path) and found.root.options.get(name) is action
    if not is_programs:
        return True
    if name in TELLS_ABOUT:
        return name not in TELLS_VERSION
    path = "/".join(found.path)
    return any(fnmatchcase(path, pattern) for pattern in found.root.rehearses)


# Behind a program or script that is named, these are its options: `java -jar x.jar --version`.
TELLS_ABOUT = TELLS_VERSION | {"-h", "--help", "-help", "-?"}


def runs_operands(spec: Spec) -> bool:
    """Whether what an operand names is run, as far as the table says."""
    return bool(spec.run) or Effect.UNKNOWN in (spec.effect, *spec.by_count)


REHEARSALS = frozenset(
    {
        *(
            "-n",
            "--dry-run",
            "--dryrun",
            "--simulate",
            "--just-print",
            "--no-act",
            "--noop",
            "--assumeno",
            "--pretend",
        ),
        *("--what-if", "--whatif", "--recon", "--nono", "--no"),
    }
)


def is_rehearsal(found: Operands) -> bool:
    """Whether it only tells what it would do."""
    return any(
        name in REHEARSALS
        and action.sets is Effect.READ
        and is_honoured(found, name, action)
        and not found.is_undone(number)
        for number, (name, action, _) in enumerate(found.options)
    )


def apply_options(call: Call, found: Operands, what: str) -> None:
    rehearses = is_rehearsal(found)
    is_hidden = call.passed is Passed.NOTHING or found.has(*found.spec.secret_without)
    for name, action, value in found.options:
        # A rehearsal changes nothing, but code that an option loads runs in it, too.
        if action.raises is not None and (action.raises is Effect.UNKNOWN or not rehearses):
            call.found(action.raises, DOES[action.raises].of(name=f"{what} {name}"), value)
        for flag in action.flags:
            if flag is Flag.SECRET and is_hidden:
                continue
            call.flag(flag, FLAG_REASONS[flag].of(name=f"{what} {name}"), value)
        if action.kind and value.text not in action.only:
            use_value(call, name, action.kind, value, found)


def use_value(call: Call, name: str, kind: str, value: Word, found: Operands) -> None:
    # The kinds are the words by which a table says what an option's value is.
    if kind in ("file", "append"):
        call.writes(value, append=kind == "append")
    elif kind == "shell":
        call.shell(value.text, value)
    elif kind == "powershell":
        call.shell(value.text, value, "powershell")
    elif kind == "argv":
        call.argv(found.words)
    elif kind == "script":
        call.found(
            Effect.UNKNOWN, GateReason.RUNS.of(name=f"{call.name} {name}", text=shown(value.text)), value
        )
    elif kind == "root":
        runs_below(call, value)
    elif kind == "package":
        _asks_about_package(call, value)
    elif kind == "jq":
        programs.look_at_jq(call, value)
    elif kind in BY_NAME:
        BY_NAME[kind](call, name, value)


def signs_in_at(call: Call, name: str, value: Word) -> None:
    """An address that the line chooses gets the token by which the program signs in."""
    if is_elsewhere(value.text):
        call.flag(Flag.SENDS, GateReason.SENDS_CREDENTIALS.of(name=f"{call.name} {name}"), value)


def runs_below(call: Call, folder: Word) -> None:
    """Below another root the programs are those that lie there, whatever they are called."""
    if folder.text and (not folder.text.startswith("/") or ANYBODYS.match(folder.text)):
        call.found(Effect.UNKNOWN, GateReason.RUNS.of(name=call.name, text=shown(folder.text)), folder)


def _runs(call: Call, found: Operands) -> None:
    """Operands that are a command of their own."""
    kind, _, skipped = found.spec.run.partition(":")
    words = found.words[skipped_words(found.spec, found.words) :]
    # `nvm exec node x.js`: a version, or the program of that name.
    if skipped == "?" and len(words) < len(found.words) and found.words[0].text.isalpha():
        call.argv(found.words)
    # These take assignments before the command, as a shell does.
    while words and call.name in ("sudo", "doas") and (given := ASSIGNS.fullmatch(words[0].text)):
        check(call.reading, call.scope, call.nesting, given[1], given[2], words[0])
        words = words[1:]
    if not words:
        return
    asks_about_options(call, found)
    if call.name in ROOTS and found.words:
        runs_below(call, found.words[0])
    if found.spec.fetches:
        _asks_about_packages(call, found, words[0])
    if kind == "argv":
        call.argv(words)
    elif kind == "shells":
        for word in words:
            call.shell(word.text, word)
    else:
        call.shell(" ".join(word.text for word in words), words[0])


# Their first operand is the root of what they run.
ROOTS = frozenset({"chroot", "arch-chroot"})
# What is there already, in the project, is run; nothing is fetched.
ONLY_LOCAL = ("--no-install", "--no", "--offline")
SOURCES = (
    "-p",
    "--package",
    "--from",
    "--with",
    "--with-editable",
    "--with-requirements",
    "--spec",
    "--registry",
)
PACKAGED = vocabulary("packaged").words("names")
PACKAGE_VERSION = re.compile(r"(?<!^)(?:@|==).*", re.DOTALL)


def _asks_about_packages(call: Call, found: Operands, program: Word) -> None:
    """An index has a package of nearly every name, and whoever was first with it wrote what is run.

    Only names that a package of that kind has had for long stand for the program that they are known for.
    """
    if found.has(*ONLY_LOCAL):
        return
    for word in (program, *found.values(*SOURCES)):
        _asks_about_package(call, word)


def _asks_about_package(call: Call, word: Word) -> None:
    if PACKAGE_VERSION.sub("", word.text) not in PACKAGED:
        reason = GateReason.FETCHES_A_PROGRAM.of(name=call.name, text=shown(word.text))
        call.found(Effect.UNKNOWN, reason, word)


def asks_about_options(call: Call, found: Operands) -> None:
    """An option that is not known may take the next word: then something else is run than it seems."""
    if found.unsure is not None:
        call.found(
            Effect.UNKNOWN,
            GateReason.UNTOLD_BEHIND.of(name=call.name, text=shown(found.unsure.text)),
            found.unsure,
        )


def changes(call: Call, found: Operands) -> None:
    """What the operands name is changed; where the table says that they are paths, they are told."""
    for word in found.words:
        call.reading.guards(word)
    for word in changed_paths(found):
        call.reading.touches(word)


def changed_paths(found: Operands) -> Sequence[Word]:
    words = found.words
    return {"all": words, "last": words[-1:], "first": words[:1], "rest": words[1:]}.get(found.spec.paths, ())


def sends_what_it_reads(call: Call, words: Sequence[Word]) -> None:
    """A name or address made from what another command printed carries it away."""
    for word in words:
        if OUTPUT in word.text:
            call.flag(Flag.SENDS, GateReason.SENDS_WHAT_ANOTHER_COMMAND_PRINTED.of(name=call.name), word)


# -- options by their names, where a table says nothing of them ------------------------------------

OPTIONS = vocabulary("options")
CLASSES = OPTIONS.effects()
ACTS = OPTIONS.words("acts")
OUTPUTS = frozenset(
    [
        "--output",
        "--output-file",
        "--outfile",
        "--out-file",
        "--out",
        "--of",
        "--save-as",
        "--report-file",
        "--o",
    ]
)
# The value is a file or folder that is written, whatever it looks like.
WRITES = re.compile(
    r"""(?x)--(?!no-)(?:[a-z]{1,12}-){0,2}(?:out|output|log|logs|logger|report|save|dump|trace|record|cache|write|export
        |profile|cpu|mem|debug|stats|results?|artifacts?|attribute|session|junit|html|sarif|pid|reject|snapshot|keylog|hsts|history
        |status|reporter
        )-?(?:file|dir|directory|path|folder|location|to|log|bin|output|profile|error)
    | --(?:log|logfile|apilog|save-[a-z-]{1,20}|write-[a-z-]{1,20}|dump-to|record|results|joblog
        |(?:[a-z]{1,20}-){1,2}report|output-[a-z-]{1,20}-path
        |(?:cpu|mem|memory|block|heap|mutex)-?profile|profile-(?:cpu|mem|alloc|block|trace)
        |sess-out|cookie-jar|listed-incremental|incremental-file|lsp-log|tee|combined|differ|missing-on-(?:src|dst))"""
)
# The value is a program, a piece of code, or names one to load.
RUNS = re.compile(
    r"""(?x)--(?!no-)(?:[a-z]{1,12}-){0,2}(?:exec|execute|executable|eval|cmd|command|script|shell|rsh|hooks?|plugins?
        |preload|require|pager|editor|browser|viewer|helper|wrapper|interpreter|engine|askpass|rulesdir
        |rules-dir|program|preprocessor|postprocessor|invoke)
        (?:-?(?:files?|paths?|dirs?|bin|cmd|command))?"""
)
# The value is the name of one that is built in or installed, or the file of somebody's own, which is code.
LOADS = re.compile(
    r"""(?x)--(?!no-)(?:[a-z]{1,12}-){0,2}(?:format|formatter|reporter|syntax|parser|resolver|processor|transform|transformer
        |loader|rules|ruleset|rulesets|standard|addon|addons|bootstrap|autoload|autoloader|register|tests-dir|checks-dir
        |dialect|renderer|theme|preset|extension|extensions|module|modules|layout|template|templates)(?:-?(?:file|path|dir|module))?"""
)
CODE_FILE = re.compile(
    r"(?:\.{1,2}|~|[A-Za-z]:)?[/\\].*|\.{1,2}"
    r"|.*\.(?:[cm]?[jt]sx?|py|rb|php|lua|p[lm]|jar|so|dll|dylib|wasm|sh|bash|exs?|clj|groovy)",
    re.DOTALL,
)
# The value holds settings, and settings may name programs, plugins and files.
SETTINGS = re.compile(
    r"""(?x)--(?!no-|(?:print|show|list|find|check|validate)-)(?:[a-z]{1,12}-)?(?:config|conf|configuration|settings|rc|defaults|defaults-extra|options|flags
        |lesskey-src|lesskey-content)(?:-?(?:file|path|dir|directory|basedir|name|option)){0,2}
    | --(?:(?:use-)?[a-z]{2,8}(?<![acs])rc|config|user-?config|global-?config|kubeconfig|homedir|home-dir
        |data-?dir|admindir|init-?file|load-path|config-search-path|ackrc)"""
)
# Scripts of nmap's own; another name may be a file.
OWN_SCRIPTS = re.compile(
    r"(?!.*(?:brute|put|exec|cmdshell|run|update|exploit|upload|fuzz|flood|slowloris|dos|backdoor|stored|shellshock))"
    r"(?:,?(?:default|safe|version|discovery|vuln|auth|banner|(?:https?|ssl|tls|ssh2?|dns|smb2?|ftp|smtp|snmp|ntp"
    r"|mysql|rdp|ldap|imap|pop3|vnc|rpc|nfs|whois|ms-sql|redis|mongodb)-[\w-]{1,40}))+"
)
# Where a project or its user keeps the settings of a tool; without the option it would read them too.
USUAL_SETTINGS = re.compile(
    r"""(?xi)(?:~|/etc/|/usr/|\$HOME).* | (?:[\w@.~/-]*/)?(?:
        pyproject\.toml | setup\.cfg | tox\.ini | package\.json | deno\.jsonc? | Cargo\.toml
      | go\.mod | rebar\.config
      | [jt]sconfig[\w.-]*\.json | \.?[\w-]{1,40}rc(?:\.(?:c?js|mjs|jsonc?|ya?ml|toml|cfg|ini))?
      | [\w-]{1,40}\.(?:config|conf)\.(?:[cm]?[jt]s|jsonc?|toml|ya?ml)
      | \.[\w-]{1,40}(?:\.(?:jsonc?|ya?ml|toml|cfg|ini|cjs|mjs))?
      | \.?(?:ruff|mypy|clippy|rustfmt|biome|taplo|typos
          |deny|cspell|knip|yamllint|gitleaks|golangci|markdownlint(?:-cli2)?
          |stylelint|flake8|pylint|bandit|semgrep|vale|codespell|dprint)
          \.(?:toml|ini|cfg|jsonc?|ya?ml))"""
)
BY_PATTERN = (LOADS, SETTINGS)
FORMAT = re.compile(
    r"(?i)(?:[\w-]{0,20}(?:json|ya?ml|toml|xml|csv|tsv|text|txt|table|html|markdown|md|sarif|junit|plain|pretty|raw|short|long|full"
    r"|brief|wide|name|none|all|list|tree|dot|human|compact|concise|grouped|github|gitlab|tap|unix|stylish|columns?|template"
    r"|id|ids|value|quiet|verbose|default|summary|simple|detailed|prometheus|openmetrics|cyclonedx|spdx|gcc|checkstyle|yes|no"
    r"|true|false|stdout|stderr|export|props|parsable|parseable|inline|url|path|paths|env|diff|cat|ascii|hex|base64|binary|pem|der))"
    r"(?:[=@:].*)?|\d+|[\w-]+=.*|[\w.]+(?:,[\w.+-]+)+|",
    re.DOTALL,
)
# The interpreter that is started, unless it is one that was installed.
INTERPRETERS = re.compile(
    r"--(?:[a-z]{1,12}-)?(?:python3?|node|ruby|perl|php|java|jvm)(?:-?(?:executable|exe|path|bin|binary|interpreter))?"
)
# `text:report.txt` is a format, and behind the colon the file that gets it.
FORMAT_TO_FILE = re.compile(r"--(?:out|output)-format|--formats?")
TO_FILE = re.compile(r"[a-z][\w.-]{0,40}:(?!//)([\w~./-]{1,200}).*", re.DOTALL)
# As programs in Go and Java write their long options; fewer letters are as many options of one letter each.
AFTER_ONE_DASH = re.compile(
    r"-(?:[a-z][a-z0-9]{3,20}|[a-z][a-z0-9]{1,20}(?=[.-]))(?:[.-][a-z0-9]{1,20}){0,3}"
)
JVM_LOADS = re.compile(r"-J(?:@|-(?:javaagent|agent|Xrun|XX|Xlog|D|-?c))")
CAMEL = re.compile(r"(?<=[a-z])([A-Z])(?=[a-z])")  # --outputFile and --output-file are alike
ANYBODYS = re.compile(r"/(?:tmp|var/tmp|dev)/")
# Readers whose -o is no file.
OTHER_O = OPTIONS.words("other_o")


def raised_by_names(call: Call, found: Operands) -> Effect:
    """The class of a reader with such options: output files, --fix, --delete, plugins, settings.

    Where an option makes a reader of it (`--check`, `--dry-run`, `--list`) it does not fix or delete, but it
    loads its plugins and settings all the same, and writes its log.
    """
    effect = Effect.READ
    sets = instead(found)
    if sets and tells_about_itself(found):
        return effect
    for number, word in enumerate(call.arguments):
        # What a tool of the JDK hands on to the machine that it runs in.
        if JVM_LOADS.match(word.text):
            effect = Effect.UNKNOWN
        if word.text[:1] != "-" or len(word.text) < 2:
            continue
        name, value, known = named(found, word.text)
        # The table has been asked; names are looked at where it is silent.
        if known is not None and says_what_it_does(known):
            continue
        following = call.arguments[number + 1] if number + 1 < len(call.arguments) else None
        target = following if value is None else word.but(value)
        if not sets:
            effect = max(effect, _told(call, found, name, known, target))
        elif target is not None and target.text and takes_words(name, target):
            effect = max(effect, _by_pattern(call, name, target))
    return effect


def named(found: Operands, text: str) -> tuple[str, str | None, OptionAction | None]:
    """An option as it is usually spelled, the value that is joined to it, and what the table knows of it.

    `--output` may be all of an option, and not the beginning of `--output-format`, of which the table only
    tells that a value follows.
    """
    option, equals, value = text.partition("=")
    known = found.spec.options.get(option)
    name = usually_spelled(option)
    if known is None and AFTER_ONE_DASH.fullmatch(name):
        name = f"-{name}"
    if known is None:
        full, known = lookup(found.spec, name)
        known = None if full != name and known is not None and known.is_harmless else known
    return name, value if equals else None, known


PLAIN = vocabulary("plain")
# What means the same everywhere; and in programs that somebody has written a table of.
EVERYWHERE = PLAIN.words("everywhere")
ALIKE = EVERYWHERE | PLAIN.words("alike")


def asks_about_unnamed(call: Call, found: Operands, what: str) -> None:
    """Manuals are full of options that write, run or send: one that no table names may be such a one."""
    if tells_about_itself(found):
        return
    # A -o that stands for itself is judged with its value.
    told = not found.spec.plain and (
        call.name in OTHER_O or any(word.text.partition("=")[0] == "-o" for word in call.arguments)
    )
    option = next(
        (
            each
            for each in found.unknown
            if not (each.text == "-o" and told) and not is_named_elsewhere(found.spec, each.text)
        ),
        None,
    )
    if option is not None:
        reason = GateReason.NOT_KNOWN_HARMLESS.of(name=f"{what} {shown(option.text)}")
        call.found(Effect.UNKNOWN, reason, option)


def is_named_elsewhere(spec: Spec, option: str) -> bool:
    """Whether an option that the table does not name means the same everywhere, or is judged by its name."""
    if spec.unnamed and option.startswith(spec.unnamed[:-1]):
        return True
    shared = EVERYWHERE if spec.plain else ALIKE
    positive = f"--{option[5:]}" if option[:5] == "--no-" else option
    return option in shared or positive in shared or positive in spec.options or is_told(option)


def judge_options(call: Call, found: Operands) -> None:
    """What options do, as a table or their names tell, of programs of which code judges the rest."""
    apply_options(call, found, call.name)
    effect = raised_by_names(call, found)
    if effect is Effect.READ:
        asks_about_unnamed(call, found, call.name)
    call.found(effect, DOES[effect].of(name=call.name))


def usually_spelled(name: str) -> str:
    """Bazel and its like write --output_file, others --outputFile or --output.file."""
    name = name.replace("_", "-")
    if name[:2] == "--":
        name = name.replace(".", "-")
    if name[:2] == "--" and not name.islower():
        name = CAMEL.sub(lambda letter: f"-{letter[1].lower()}", name)
    return name


def is_told(option: str) -> bool:
    """Whether a long option is judged by its name, wherever it is met."""
    name = usually_spelled(option)
    if name[:2] != "--" or RUNS.fullmatch(name) or WRITES.fullmatch(name):
        return False
    return name in CLASSES or name in OUTPUTS or any(each.fullmatch(name) for each in BY_PATTERN)


def tells_about_itself(found: Operands) -> bool:
    """Whether only its version or help is asked for, for which nothing is loaded."""
    return any(name in TELLS_ABOUT and action.sets is not None for name, action, _ in found.options)


def says_what_it_does(action: OptionAction) -> bool:
    """Whether a table says more of an option than that a value follows."""
    return action.raises is not None or action.sets is not None or bool(action.kind or action.flags)


def _told(call: Call, found: Operands, name: str, known: OptionAction | None, target: Word | None) -> Effect:
    if known is None and name in CLASSES:
        return CLASSES[name]
    if target is None or not target.text:
        return Effect.READ
    # Before another option it is a switch, and none that takes a file.
    is_switch = target.text[0] == "-" and target.text != "-"
    is_short_o = name == "-o" and call.name not in OTHER_O and (found.spec.plain or not is_switch)
    if (
        known is None
        and (name in OUTPUTS or is_short_o or name.endswith("-output"))
        and not WRITES.fullmatch(name)
    ):
        is_file = may_be_file(name, target.text, is_plain=found.spec.plain)
        return call.writes(target) if is_file else Effect.READ
    if name == "-f" and found.spec.plain and (file := TO_FILE.fullmatch(target.text)) is not None:
        return call.writes(target.but(file[1]))
    return _by_pattern(call, name, target) if takes_words(name, target) else Effect.READ


def takes_words(name: str, target: Word) -> bool:
    """Whether this is a long option, and what follows no option itself."""
    return name[:2] == "--" and (target.text[0] != "-" or target.text == "-")


def _by_pattern(call: Call, name: str, target: Word) -> Effect:
    if WRITES.fullmatch(name):
        return call.writes(target) if not target.text.isdigit() else Effect.READ
    if RUNS.fullmatch(name):
        if call.name == "nmap" and OWN_SCRIPTS.fullmatch(target.text):
            return Effect.READ
        call.found(
            Effect.UNKNOWN, GateReason.MAY_RUN.of(name=f"{call.name} {name}", text=shown(target.text)), target
        )
    elif INTERPRETERS.fullmatch(name):
        starts_interpreter(call, name, target)
    elif FORMAT_TO_FILE.fullmatch(name) and (file := TO_FILE.fullmatch(target.text)) is not None:
        return call.writes(target.but(file[1]))
    elif LOADS.fullmatch(name):
        loads(call, name, target)
    elif SETTINGS.fullmatch(name):
        takes_settings(call, name, target)
    return Effect.READ


def loads(call: Call, name: str, value: Word) -> None:
    """Formats, rules and their like by name are harmless; a file of one's own is code that is run."""
    if CODE_FILE.fullmatch(value.text):
        call.found(
            Effect.UNKNOWN, GateReason.MAY_RUN.of(name=f"{call.name} {name}", text=shown(value.text)), value
        )


def takes_settings(call: Call, name: str, value: Word) -> None:
    """Settings from another place than the usual ones may name any program or plugin."""
    if not is_usual(call, value.text):
        call.found(
            Effect.UNKNOWN,
            GateReason.SETS_WHAT_IS_NOT_KNOWN.of(name=call.name, name2=name, text=shown(value.text)),
            value,
        )


def is_usual(call: Call, settings: str) -> bool:
    """Whether settings lie where a tool looks for them anyway, or where agents write nothing unasked."""
    if ANY_MARK.match(settings) or settings in ("-", "/dev/null") or USUAL_SETTINGS.fullmatch(settings):
        return True
    reading = call.reading
    is_far = settings.startswith("/") and not ANYBODYS.match(settings)
    return is_far and is_outside(settings, reading.folder, reading.root)


def starts_interpreter(call: Call, name: str, value: Word) -> None:
    """A version, or the path of what is started: one of the project's own is code."""
    if looks_local(value.text):
        call.found(
            Effect.UNKNOWN, GateReason.RUNS.of(name=f"{call.name} {name}", text=shown(value.text)), value
        )


def gives_variable(call: Call, _name: str, value: Word) -> None:
    """`-e NAME=VALUE`, for what is run."""
    given = ASSIGNS.fullmatch(value.text)
    if given is not None:
        check(call.reading, call.scope, call.nesting, given[1], given[2], value)


BY_NAME: dict[str, Callable[[Call, str, Word], None]] = {
    "variable": gives_variable,
    "interpreter": starts_interpreter,
    "module": loads,
    "settings": takes_settings,
    "server": signs_in_at,
}


def may_be_file(option: str, value: str, *, is_plain: bool) -> bool:
    """The -o of a program without a table takes any name but a number; others any that is no format."""
    return not value.isdigit() if option == "-o" and is_plain else not FORMAT.fullmatch(value)
