"""SQL by statement, and the consoles that run it: psql, mysql, sqlite3, redis-cli and their kin."""

from __future__ import annotations

import re

from desktop.gate.reasons import GateReason
from desktop.gate.shell.network import is_here
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.reading import DOES, Call, shown
from desktop.gate.shell.table_effects import judge_options
from desktop.gate.shell.tables import Spec, vocabulary
from desktop.gate.shell.words import OUTPUT, Word
from desktop.gate.verdict import Effect, Flag

BY_KEYWORD = vocabulary("sql").effects()
# MySQL runs what stands in /*! … */. Lengths are bounded: what begins often and never ends costs its square.
NOISE = re.compile(r"--[^\n]*|/\*(?!M?!).{0,2000}?\*/|#[^\n]*(?=\n|$)", re.DOTALL)
STRING = re.compile(r"'(?:[^']|'')*'|\$(\w{0,64})\$.{0,2000}?\$\1\$", re.DOTALL)
NAME = re.compile(r"\"[^\"]*\"|`[^`]*`|\[[^\]]{0,200}\]")
CHANGES = re.compile(r"(?i)\b(insert\s+into|update\s+\S+\s+set|delete\s+from|merge\s+into|truncate)\b")
FUNCTIONS = {
    Effect.DELETE: re.compile(r"(?i)\b(?:pg_terminate_backend|lo_unlink|pg_drop_\w+|pg_file_unlink)\s*\("),
    Effect.UNKNOWN: re.compile(
        r"(?i)\b(?:load_extension|xp_cmdshell|sp_oacreate|sys_exec|sys_eval|dblink\w*|pg_execute\w*|system|edit|fts3_tokenizer"
        r"|dbms_\w+|query_to_xml\w*|openrowset|shell)\s*\("
    ),
    Effect.UPDATE: re.compile(
        r"(?i)\b(?:setval|nextval|set_config|pg_reload_conf|pg_cancel_backend|pg_switch_wal|pg_rotate_logfile|pg_promote"
        r"|pg_advisory_\w*lock\w*|pg_stat_reset\w*|lo_put|pg_logical_\w+|get_lock|release_lock)\s*\("
    ),
    Effect.CREATE: re.compile(
        r"(?i)\b(?:writefile|lo_import|lo_export|lo_creat\w*|pg_file_write|pg_create_\w+)\s*\("
    ),
}
# Functions that are known to compute, or to tell about the server; a table's own may do anything.
KNOWN = vocabulary("sql").words("functions")
KNOWN_FAMILIES = re.compile("|".join(sorted(vocabulary("sql").words("function_families"))))
CALLED = re.compile(r"(?<![\w$.\"])(?:pg_catalog\.)?([a-z_][\w$.]*|\"n\")\s*\(", re.IGNORECASE)
NAMED_BEFORE = re.compile(r"(?i)(?:\b(?:with|recursive|table|into|as|on|references|index|view|join|,)|,)\s*$")
READS_FILE = re.compile(r"(?i)\b(?:readfile|pg_read_\w*file|load_file|pg_ls_dir)\s*\(")
# Where servers keep the passwords of their users.
PASSWORDS = re.compile(
    r"(?i)\bpg_(?:shadow|authid|user_mappings?)\b|\brolpassword\b|\bauthentication_string\b|\bsql_logins\b"
    r"|\bsys\.user\$|\*[^;]{0,200}\bmysql\W{1,3}user\b|\bsecret_text\b"
)
OUTFILE = re.compile(r"(?i)\binto\s+(?:outfile|dumpfile)\b")
INTO = re.compile(r"(?i)\binto\s+(?!outfile|dumpfile)[\w\".@#:]+")
# Statements whose first word does not tell everything.
EXCEPTIONS = (
    (
        "pragma",
        # With a value in brackets it sets it, unless that is the name of a table or index.
        re.compile(
            r"(?i)=|\b(?:optimize|wal_checkpoint|incremental_vacuum|shrink_memory)"
            r"|^pragma\s+(?:[\w\"]+\s*\.\s*)?(?!(?:(?:table|index)_x?info|(?:table|index|foreign_key|function)_list"
            r"|(?:integrity|quick|foreign_key)_check)\s*\()\w+\s*\("
        ),
        Effect.UPDATE,
    ),
    ("start", re.compile(r"(?i)^start\s+(?!transaction\b)"), Effect.UPDATE),
    ("alter", re.compile(r"(?i)\b(?:drop|delete|clear)\b"), Effect.DELETE),
    ("create", re.compile(r"(?i)\bor\s+replace\b"), Effect.UPDATE),
    (
        "insert",
        re.compile(r"(?i)^insert\s+or\s+replace|\bon\s+(?:conflict|duplicate)\b.*\bupdate\b"),
        Effect.UPDATE,
    ),
)


def statements(text: str) -> list[str]:
    """The statements of a text, with comments out and literals emptied."""
    # Strings first: a comment mark inside one begins no comment.
    text = STRING.sub("''", text)
    text = NOISE.sub(" ", text)
    return [part.strip() for part in NAME.sub('"n"', text).split(";") if part.strip()]


def read_sql(call: Call, text: str, place: Word) -> None:
    """Judge every statement. MySQL runs what stands in /*! … */, so that is not a comment."""
    if OUTPUT in text and not text.strip(OUTPUT + "; \n"):
        call.found(Effect.UNKNOWN, GateReason.RUNS_WHAT_ANOTHER_COMMAND_PRINTS.of(name=call.name), place)
        return
    # In the text as it stands: a name may be quoted.
    if PASSWORDS.search(text):
        call.flag(Flag.SECRET, GateReason.SHOWS_SECRETS.of(name=call.name), place)
    for statement in statements(text.replace("/*!", " ; ").replace("*/", " ; ") if "/*!" in text else text):
        effect = class_of_statement(statement)
        call.found(effect, GateReason.RUNS_STATEMENT.of(name=call.name, text=shown(statement, 40)), place)
        if READS_FILE.search(statement):
            call.flag(Flag.SECRET, GateReason.READS_A_FILE_OF_THE_SERVER.of(name=call.name), place)


def class_of_statement(statement: str) -> Effect:
    words = statement.lower().lstrip("( \t\n").split(None, 2)
    keyword = words[0].rstrip("(") if words else "select"
    effect = BY_KEYWORD.get(keyword, Effect.UNKNOWN)
    if keyword == "explain":
        return _explained(statement)
    # A WITH may change tables in one of its parts and select in the last.
    if keyword == "with" or (effect is Effect.READ and keyword == "prepare"):
        effect = max(
            (BY_KEYWORD[word[0].split()[0].lower()] for word in CHANGES.finditer(statement)),
            default=Effect.READ,
        )
    if keyword == "copy":
        return _copy(statement)
    for first, pattern, other in EXCEPTIONS:
        if keyword == first and pattern.search(statement):
            return other
    if effect is Effect.READ and (
        OUTFILE.search(statement) or (keyword in ("select", "with") and INTO.search(statement))
    ):
        effect = Effect.CREATE
    for raised, pattern in FUNCTIONS.items():
        if pattern.search(statement):
            effect = max(effect, raised)
    return max(effect, Effect.UNKNOWN) if keyword in CALLS and _calls_unknown(statement) else effect


# What these run on the way is part of them.
CALLS = frozenset({"select", "with", "values", "show", "table", "explain"})


def _calls_unknown(statement: str) -> bool:
    """Whether a function is called that is on no list; before `(` may also stand a table or an alias."""
    for found in CALLED.finditer(statement):
        name = found[1].lower()
        # A closed list: a function of the database's own may do anything at all.
        if name in KNOWN or KNOWN_FAMILIES.fullmatch(name):
            continue
        if not _names_columns(statement, found):
            return True
    return False


def _names_columns(statement: str, found: re.Match[str]) -> bool:
    """`with x(a, b) as (…)`: a name with its columns."""
    end = statement.find(")", found.end())
    follows = statement[end + 1 : end + 40].lstrip().lower() if end >= 0 else ""
    return follows.startswith("as") and bool(NAMED_BEFORE.search(statement[: found.start()]))


def _explained(statement: str) -> Effect:
    rest = re.sub(r"(?i)^explain\s*", "", statement)
    analyzes = bool(
        re.match(r"(?i)(?:\([^)]*\banalyze\b[^)]*\)|(?:verbose\s+)?analyze\b)", rest)
    ) and not re.match(r"(?i)\([^)]*analyze\s+(?:false|off|0)", rest)
    # Without ANALYZE nothing runs; the plan alone is shown.
    if not analyzes:
        return Effect.READ
    rest = re.sub(r"(?i)^(?:\([^)]*\)|(?:analyze|verbose|format\s*=?\s*\w+)\b)\s*", "", rest)
    rest = re.sub(r"(?i)^(?:verbose|analyze)\s+", "", rest)
    return class_of_statement(rest) if rest else Effect.READ


def _copy(statement: str) -> Effect:
    # A program of the server's, on its computer.
    if re.search(r"(?i)\b(?:to|from)\s+program\b", statement):
        return Effect.UNKNOWN
    if re.search(r"(?i)\bto\b", statement):
        return Effect.READ if re.search(r"(?i)\bto\s+(?:stdout|pstdout)\b", statement) else Effect.CREATE
    return Effect.CREATE


def run_sql_or_input(call: Call, found: Operands, codes: list[Word], *, console: str) -> None:
    """SQL given on the line, else from standard input, else a console."""
    for code in codes:
        read_script(call, code.text, code)
    if codes:
        call.found(Effect.READ, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name=call.name))
    elif found.has("--help", "--version", "-V", "-?", "--list", "-l") and console != "sqlite":
        call.found(Effect.READ, GateReason.ONLY_LISTS.of(name=call.name))
    elif call.stdin is not None and call.stdin.text is not None:
        read_script(call, call.stdin.text, call.word)
        call.found(Effect.READ, GateReason.RUNS_WHAT_IS_SPELLED_OUT.of(name=call.name))
    elif call.stdin is not None:
        call.found(Effect.UNKNOWN, GateReason.RUNS_STATEMENTS_FROM_ELSEWHERE.of(name=call.name))
    else:
        call.found(Effect.UNKNOWN, GateReason.OPENS_A_CONSOLE.of(name=call.name))


META_SHELL = re.compile(
    r"\\!\s*(.*)|\.(?:shell|system)\s+(.*)|\\sys(?:tem)?\s+(.*)|(?:system|\\system)\s+(.*)"
)
META_FILE = re.compile(
    r"(?:\\o(?:ut)?|\\(?:gx?|G|s|w)|\.(?:output|once|excel|save|backup|log|clone|trace)|\\T|tee)\s+(.+)"
)
META_READS = re.compile(
    r"\\(?:d\S*|l\+?|z|sf?|sv|x|a|t|timing|pset\s.*|conninfo|encoding|\?|h.*|q|echo\s.*|qecho\s.*|du.*|dt.*|H|f.*|C.*|r|p|errverbose|c\s.*|connect\s.*|s|g|G|set\s.*|unset\s.*|if.*|else|endif|gset.*|watch.*|u\s.*)(?:\s.*)?"
    r"|\.(?:tables|schema|headers?|mode|databases|dbinfo|indexes|indices|show|stats|timer|width|separator|nullvalue|echo|help|quit|exit"
    r"|fullschema|lint|print|prompt|scanstats|sha3sum|eqp|explain|changes|bail|limit|dump|limits?|vfs\w*|dbconfig|parameter\s+list|columns|maxrows|maxwidth|rows|constant|large_number_rendering)\b.*"
)


BACKTICKS = re.compile(r"`([^`]*)`")


def read_script(call: Call, text: str, place: Word) -> None:
    """SQL with the console's own commands between."""
    rest = []
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith((".", "\\")) or re.match(r"(?:system|tee|source)\s", stripped):
            _meta(call, stripped, place)
        elif re.search(r"\\(?:!|gexec\b|gx?\s*\||o\s|w\s|copy\b|i\b|gx?\s+\S)", stripped):
            before, _, meta = stripped.partition("\\")
            rest.append(before)
            _meta(call, "\\" + meta, place)
        else:
            rest.append(line)
    read_sql(call, "\n".join(rest), place)


# Commands of sqlite3 that change a database, and how; `.open --new` empties the file.
CHANGES_DATABASE = (
    (re.compile(r"\.import"), Effect.CREATE, GateReason.IMPORTS_ROWS),
    (re.compile(r"\.restore"), Effect.UPDATE, GateReason.RESTORES_A_DATABASE),
    (re.compile(r"\.open\b.*\s--?n"), Effect.DELETE, DOES[Effect.DELETE]),
)


def _meta(call: Call, line: str, place: Word) -> None:
    line = line.rstrip(";").strip()
    shell = META_SHELL.match(line)
    file = META_FILE.match(line)
    # Between backticks psql's own commands take what a command of the shell prints.
    for command in BACKTICKS.findall(line) if line.startswith("\\") else ():
        call.shell(command, place)
    if shell is not None:
        call.shell(next(group for group in shell.groups() if group is not None), place)
    elif file is not None:
        target = file[1].strip("'\" ").split()[-1]
        # psql pipes what follows `\o |` or `\g |` into a shell.
        if target.startswith("|"):
            call.found(Effect.UNKNOWN, GateReason.SENDS_ITS_OUTPUT_TO_A_COMMAND.of(name=call.name), place)
        elif target not in ("stdout", "off", "-"):
            call.writes(place.but(target))
    elif re.match(r"\\copy\b", line):
        call.found(
            _copy(line.replace("'", " ")),
            GateReason.RUNS_STATEMENT.of(name=call.name, text=shown(line, 40)),
            place,
        )
    elif change := next((each for each in CHANGES_DATABASE if each[0].match(line)), None):
        _, effect, reason = change
        call.found(effect, reason.of(name=call.name), place)
    elif line.startswith((".open", ".cd", ".timeout")) or (META_READS.fullmatch(line) and "|" not in line):
        call.found(Effect.READ, GateReason.ONLY_SHOWS.of(name=f"{call.name} {line.split()[0]}"), place)
    else:
        call.found(Effect.UNKNOWN, GateReason.IS_NOT_KNOWN.of(name=f"{call.name} {shown(line, 30)}"), place)


def judge_psql(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    judge_options(call, found)
    for name, _, value in found.options:
        if name in ("-f", "--file"):
            if value.text in ("-", "/dev/stdin") and call.stdin is not None and call.stdin.text is not None:
                read_script(call, call.stdin.text, value)
            else:
                call.found(
                    Effect.UNKNOWN,
                    GateReason.RUNS_THE_SCRIPT.of(name=call.name, text=shown(value.text)),
                    value,
                )
        elif name in ("-o", "--output", "-L", "--log-file"):
            call.writes(value)
    codes = found.values("-c", "--command")
    if not (found.has("-f", "--file") and not codes):
        run_sql_or_input(call, found, codes, console="psql")


LOCAL_FILES = re.compile(r"--(?:loose-|enable-)?local(?:-i[a-z]*)?(?:=(?!0$|off$|false$).*)?", re.IGNORECASE)


def _offers_files(call: Call, found: Operands) -> None:
    """With this a server gets whatever file it asks for, whatever the statement says."""
    hosts = found.values("-h", "--host")
    if all(is_here((host.text,)) for host in hosts):
        return
    for word in call.arguments:
        if LOCAL_FILES.fullmatch(word.text):
            call.flag(Flag.SENDS, GateReason.SENDS_FROM_HERE.of(name=f"{call.name} {word.text}"), word)


def judge_mysql(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    judge_options(call, found)
    codes = found.values("-e", "--execute", "-q", "-Q", "--query", "-B", "--sql", "-c", "--command")
    for value in found.values("--tee", "-o", "--output"):
        if value.text:
            call.writes(value)
    for value in found.values(
        "-i", "--input-file", "-f", "--file", "--queries-file", "--init-command", "--login-path-file"
    ):
        if value.text and "init-command" not in str(value):
            call.found(
                Effect.UNKNOWN, GateReason.RUNS_THE_SCRIPT.of(name=call.name, text=shown(value.text)), value
            )
    _offers_files(call, found)
    for value in found.values("--defaults-file", "--defaults-extra-file", "--plugin-dir", "--pager"):
        if not value.text.startswith(("~", "/etc/")):
            call.found(
                Effect.UNKNOWN,
                GateReason.MAY_LOAD_WHAT_NAMES.of(name=call.name, text=shown(value.text)),
                value,
            )
    run_sql_or_input(call, found, codes, console="mysql")


def judge_sqlite(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    judge_options(call, found)
    for value in found.values("-init", "--init"):
        call.found(
            Effect.UNKNOWN, GateReason.RUNS_THE_SCRIPT.of(name=call.name, text=shown(value.text)), value
        )
    codes = [*found.values("-cmd", "-c", "--command", "-s"), *found.words[1:]]
    run_sql_or_input(call, found, codes, console="sqlite")


REDIS = vocabulary("redis").effects()
# Names or patterns of settings that hold passwords.
REDIS_PASSWORDS = re.compile(r"pass|auth|^[*?\[]")


def judge_redis(call: Call, spec: Spec) -> None:
    found = sort_words(spec, call.arguments)
    judge_options(call, found)
    if found.has("--eval", "--pipe"):
        call.found(Effect.UNKNOWN, GateReason.RUNS_A_SCRIPT.of(name=call.name))
    elif found.has("--scan", "--bigkeys", "--memkeys", "--stat", "--latency", "--hotkeys", "--version"):
        call.found(Effect.READ, GateReason.ONLY_READS.of(name=call.name))
    elif found.has("--rdb"):
        call.found(Effect.CREATE, GateReason.WRITES_A_DUMP.of(name=call.name))
    elif not found.words:
        call.found(Effect.UNKNOWN, GateReason.OPENS_A_CONSOLE_OR_RUNS_INPUT.of(name=call.name))
    else:
        words = [word.text.lower() for word in found.words]
        # The longest name first: CONFIG GET reads, CONFIG SET writes files.
        names = ("/".join(words[:size]) for size in (3, 2, 1))
        effect = next((REDIS[name] for name in names if name in REDIS), Effect.UPDATE)
        call.found(effect, GateReason.RUNS_SUBCOMMAND.of(name=call.name, text=words[0]), found.words[0])
        if words[:2] in (["acl", "list"], ["acl", "getuser"]):  # what passwords are checked by
            call.flag(Flag.SECRET, GateReason.SHOWS_SECRETS.of(name=call.name), found.words[0])
        if words[:2] == ["config", "get"] and any(REDIS_PASSWORDS.search(word) for word in words[2:]):
            call.flag(Flag.SECRET, GateReason.SHOWS_SECRETS.of(name=call.name), found.words[0])
