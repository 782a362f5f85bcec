"""What options say by their name alone, where a program's table says nothing about them.

A reader with `--log-file x` writes x, one with `--plugin x` runs it, one with `--config x` does what x says.
A table that gives an option a class, also READ, has the last word.
"""

from __future__ import annotations

import re

from desktop.gate.shell.call import Call
from desktop.gate.shell.operands import Operands, lookup
from desktop.gate.shell.places import is_outside
from desktop.gate.shell.reading import shown
from desktop.gate.shell.tables import Action
from desktop.gate.shell.vocabulary import vocabulary
from desktop.gate.shell.words import ANY_MARK, Word
from desktop.gate.verdict import Effect

WORDS = vocabulary("options")
CLASSES = WORDS.effects()
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
        |status
        )-?(?:file|dir|directory|path|folder|to|log|bin|output|profile)
    | --(?:log|logfile|save-[a-z-]{1,20}|write-[a-z-]{1,20}|dump-to|record|results|joblog
        |(?:cpu|mem|block|heap)-?profile|sess-out|cookie-jar|listed-incremental|incremental-file|lsp-log|tee|combined|differ|missing-on-(?:src|dst))"""
)
# The value is a program, a piece of code, or names one to load.
RUNS = re.compile(
    r"""(?x)--(?!no-)(?:[a-z]{1,12}-){0,2}(?:exec|execute|executable|eval|cmd|command|script|shell|rsh|hooks?|plugins?
        |preload|require|pager|editor|browser|viewer|helper|wrapper|interpreter|engine|askpass|rulesdir
        |rules-dir|program|preprocessor|postprocessor|invoke)
        (?:-?(?:file|path|dir|bin|cmd|command))?"""
)
# The value holds settings, and settings may name programs, plugins and files.
SETTINGS = re.compile(
    r"""(?x)--(?!no-)(?:[a-z]{1,12}-)?(?:config|conf|configuration|settings|rc|defaults|defaults-extra|options|flags
        |lesskey-src|lesskey-content)-?(?:file|path|dir|directory|option)?
    | --(?:config|user-?config|global-?config|kubeconfig|homedir|home-dir|data-?dir|admindir|init-?file
        |load-path|config-search-path|ackrc)"""
)
# Scripts of nmap's own; another name may be a file.
OWN_SCRIPTS = re.compile(
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
FORMAT = re.compile(
    r"(?i)(?:[\w-]{0,20}(?:json|ya?ml|toml|xml|csv|tsv|text|txt|table|html|markdown|md|sarif|junit|plain|pretty|raw|short|long|full"
    r"|brief|wide|name|none|all|list|tree|dot|human|compact|concise|grouped|github|gitlab|tap|unix|stylish|columns?|template"
    r"|id|ids|value|quiet|verbose|default|summary|simple|detailed|prometheus|openmetrics|cyclonedx|spdx|gcc|checkstyle|yes|no"
    r"|true|false|stdout|stderr|export|props|parsable|parseable|inline|url|path|paths|env|diff|cat|ascii|hex|base64|binary|pem|der))"
    r"(?:[=@:].*)?|\d+|[\w-]+=.*|[\w.]+(?:,[\w.+-]+)+|",
    re.DOTALL,
)
ANYBODYS = re.compile(r"/(?:tmp|var/tmp|dev)/")
# Readers whose -o is no file.
OTHER_O = WORDS.words("other_o")


def raised_by_names(call: Call, found: Operands) -> Effect:
    """The class of a reader with such options: output files, --fix, --delete, plugins, settings."""
    effect = Effect.READ
    for number, word in enumerate(call.arguments):
        name, equals, value = word.text.partition("=")
        if name[:1] != "-" or len(name) < 2:
            continue
        _, known = lookup(found.spec, name)
        if known is not None and says_what_it_does(known):
            continue
        following = call.arguments[number + 1] if number + 1 < len(call.arguments) else None
        target = word.but(value) if equals else following
        effect = max(effect, _told(call, found, name, known, target))
    return effect


def says_what_it_does(action: Action) -> bool:
    """Whether a table says more of an option than that a value follows."""
    return action.raises is not None or action.sets is not None or bool(action.kind or action.flags)


def _told(call: Call, found: Operands, name: str, known: Action | None, target: Word | None) -> Effect:
    if known is None and name in CLASSES:
        return CLASSES[name]
    if target is None or not target.text:
        return Effect.READ
    is_short_o = name == "-o" and found.spec.plain and call.name not in OTHER_O
    if known is None and (name in OUTPUTS or is_short_o) and not WRITES.fullmatch(name):
        return call.writes(target) if may_be_file(name, target.text) else Effect.READ
    if name[:2] != "--" or (target.text[0] == "-" and target.text != "-"):
        return Effect.READ
    return _by_pattern(call, name, target)


def _by_pattern(call: Call, name: str, target: Word) -> Effect:
    if WRITES.fullmatch(name):
        return call.writes(target) if not target.text.isdigit() else Effect.READ
    if RUNS.fullmatch(name):
        if call.name == "nmap" and OWN_SCRIPTS.fullmatch(target.text):
            return Effect.READ
        call.found(Effect.UNKNOWN, f"{call.name} {name} may run {shown(target.text)}", target)
    elif SETTINGS.fullmatch(name) and not is_usual(call, target.text):
        call.found(Effect.UNKNOWN, f"what {call.name} {name} {shown(target.text)} sets is not known", target)
    return Effect.READ


def is_usual(call: Call, settings: str) -> bool:
    """Whether settings lie where a tool looks for them anyway, or where agents write nothing unasked."""
    if ANY_MARK.match(settings) or settings in ("-", "/dev/null") or USUAL_SETTINGS.fullmatch(settings):
        return True
    reading = call.reading
    is_far = settings.startswith("/") and not ANYBODYS.match(settings)
    return is_far and is_outside(settings, reading.folder, reading.root)


def may_be_file(option: str, value: str) -> bool:
    """A short -o takes any name but a number; a long option any that is no format."""
    return not value.isdigit() if option == "-o" else not FORMAT.fullmatch(value)
