"""perl, ruby, php, lua and jq: inline code by its words, a script is unknown."""

from __future__ import annotations

import re
from dataclasses import replace

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.places import SECRET_VARIABLE
from desktop.gate.shell.programs import reach
from desktop.gate.shell.programs.tokens import NEVER, LanguageWords, look_at_environment, read_tokens
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.table_effects import apply, asks_about_unnamed
from desktop.gate.shell.tables import Spec, vocabulary
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Effect, Flag

STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
HASH_COMMENT = re.compile(r"(?<![$\\&])#[^\n]*")
# Quote-like operators with one delimiter, without the flag that runs the replacement as code; and a bare
# expression where no operand can have ended.
_ONE = r"(?:[^\\\n{0}]|\\.)*{0}"
_TWICE = "|".join(f"{mark}{_ONE.format(mark)}{_ONE.format(mark)}" for mark in "/!,")
_ONCE = "|".join(f"{mark}{_ONE.format(mark)}" for mark in "/!,")
_BARE = f"/{_ONE.format('/')}[a-z]*"
_QUOTED = rf"(?:s|tr|y)(?:{_TWICE})[a-df-z]*|(?:m|qr)(?:{_ONCE})[a-z]*"
_BEFORE = r"^|[=!]~|!|[(,;{|]|&&|\b(?:if|unless|and|or|not|while|until|split|grep|when)\b"
PERL_EXPRESSIONS = re.compile(
    rf"(?:(?<![\w$@%&>-])(?P<literal>{_QUOTED})|(?:{_BEFORE})\s*(?P<bare>{_BARE}))(?!\w)"
)
RUBY_EXPRESSIONS = re.compile(rf"(?P<literal>(?!))|(?:{_BEFORE})\s*(?P<bare>{_BARE})(?!\w)")

PERL = LanguageWords(
    harmless=vocabulary("perl").words("harmless"),
    effects=vocabulary("perl").effects(),
    strings=STRINGS,
    inside=re.compile(r"@\{\s*\[(.*?)\]|\$\{\s*\\(.*?)\}"),
    comments=HASH_COMMENT,
    defines=re.compile(r"\bsub\s+(\w+)|->\s*\{?(\w+)|\{\s*(\w+)\s*\}|(\w+)\s*=>"),
    shells=re.compile(
        r"\b(?:system|exec|qx)\s*\(?\s*(?P<q>['\"{])(?P<command>(?:(?!(?P=q)|\})[^\\$@])*)[\"'}]\s*\)?(?=\s*(?:;|$|\}|or|and|\|))"
    ),
    forbidden=re.compile(
        r"`|\b(?:eval|require|do|system|exec|qx|syscall|fork|socket|glob|dbmopen|tie|open|sysopen|symlink_|readpipe)\b|@ARGV\s*=(?!~)|(?:push|unshift|splice)\s*\(?\s*@ARGV|\$\^I|<[*\w.]*\*[^>]*>|(?:/|}|\)|#|\|)[gimsxor]*e[gimsxor]*(?=\s*(?:;|$|,|\)|}))|\(\?\??\{"
    ),
    calls=re.compile(
        r"&\s*[{$]|->\s*[($\[]*\s*\$|->\s*\(|['\"]\s*->|\*\s*\{|%\w*::|::\s*\{|[$%]\s*SIG\b|[@%]\s*INC\b"
    ),
    environment=re.compile(r"\bENV\b"),
    variables=re.compile(r"\$\s*ENV\s*\{\s*['\"]?(\w+)['\"]?\s*\}"),
    sigils="$@%&",
    expressions=PERL_EXPRESSIONS,
    doubtful=re.compile(r"[/?]|<<|(?<![\w$@%&])(?:q[qwrx]?|m|s|tr|y)\b"),
    odd=re.compile(r"[\r\u2028\u2029]|(?m:^=\w)|[^\s;{}]#|[$@]\{|\w'\w|\$['\"`]"),
)
RUBY = LanguageWords(
    harmless=vocabulary("ruby").words("harmless"),
    effects=vocabulary("ruby").effects(),
    strings=STRINGS,
    inside=re.compile(r"#\{([^}]*)\}"),
    comments=re.compile(r"(?<![{\\\"'])#(?!\{)[^\n]*"),
    defines=re.compile(
        r"\|([^|]*)\||\bdef\s+(\w+)|(?<![=!<>\w.])(\w+)\s*=(?![=~>])|\bfor\s+(\w+)|(\w+):(?!:)|=>\s*(\w+)\s*$|:(\w+)"
    ),
    shells=re.compile(
        r"(?:\b(?:system|exec|spawn)\s*\(?\s*(?P<q>['\"])|%x[{(\[]|`)(?P<command>[^'\"`#\\})\]]*)(?:['\"`})\]])\s*\)?"
    ),
    forbidden=re.compile(
        r"`|%x|\b(?:eval|instance_eval|class_eval|send|public_send|__send__|method|const_get|system|exec|spawn|fork|popen\w*|IO|Open3|Kernel"
        r"|load|require_relative|ObjectSpace|Process|Socket|TCPSocket|Net|open|File\.(?:open|new)|IO\.|Fiddle|trap|at_exit|Marshal|binding|syscall|autoload|define_method)\b"
        r"|require\s*\(?\s*['\"](?!(?:json|yaml|date|time|set|digest|digest/\w+|securerandom|base64|csv|etc|rbconfig|ostruct|openssl|uri|pp|erb|bigdecimal|prime|matrix|stringio|tempfile_|benchmark|English|forwardable|optparse|fileutils|pathname|nokogiri|rails|bundler|socket_)['\"])"
    ),
    environment=re.compile(r"\bENV\b"),
    variables=re.compile(r"\bENV(?:\[|\.fetch\(?)\s*['\"](\w+)['\"]"),
    sigils="@$",
    expressions=RUBY_EXPRESSIONS,
    doubtful=re.compile(r"[/%?]|<<"),
    reach=reach.RUBY,
    odd=re.compile(r"[\r\u2028\u2029]|(?m:^=\w)|\S#(?!\{)|#\{[^}]*[\"'`{]|[$:?]['\"`]"),
)
PHP = LanguageWords(
    harmless=vocabulary("php").words("harmless"),
    effects=vocabulary("php").effects(),
    strings=STRINGS,
    inside=re.compile(r"\{\$(\w+\([^}]*)\}"),
    comments=re.compile(r"(?:#|//)[^\n]*"),
    defines=re.compile(r"\bfunction\s+(\w+)"),
    shells=re.compile(
        r"(?:\b(?:system|exec|shell_exec|passthru)\s*\(\s*(?P<q>['\"])|`)(?P<command>[^'\"`$\\]*)['\"`]\s*\)?"
    ),
    forbidden=re.compile(
        r"`|\$\w+\s*\(|\b(?:eval|assert|include\w*|require\w*|system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|fopen|call_user_func\w*|create_function|ReflectionFunction|unserialize|fsockopen|curl_exec|dl|FFI)\b"
    ),
    calls=re.compile(r"[)\]'}]\s*\(|\$\s*[${]|->\s*[${]|\bnew\s*\$|::\s*\$"),
    environment=re.compile(r"\$_ENV\b|\$_SERVER\b|\bgetenv\b|\bphpinfo\b|\$GLOBALS\b|\bget_defined_vars\b"),
    variables=re.compile(r"(?:\$_(?:ENV|SERVER)\s*\[|\bgetenv\s*\()\s*['\"](\w+)['\"]"),
    sigils="$",
    doubtful=re.compile(r"<<<"),
    reach=reach.PHP,
    odd=re.compile(r"[\r\u2028\u2029]|\?>|\{\$[^}]*['\"]"),
)
LUA = LanguageWords(
    harmless=vocabulary("lua").words("harmless"),
    effects=vocabulary("lua").effects(),
    strings=re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\[\[.*?\]\]", re.DOTALL),
    inside=NEVER,
    comments=re.compile(r"--[^\n]*"),
    defines=re.compile(
        r"\blocal\s+(?:function\s+)?(\w+)|(\w+)\s*=(?!=)|\bfor\s+([\w,\s]+)\b(?:in|=)|function\s*\w*\(([\w,\s]*)\)"
    ),
    shells=re.compile(r"\bos\.execute\s*\(?\s*(?P<q>['\"])(?P<command>[^'\"\\]*)['\"]\s*\)?"),
    forbidden=re.compile(
        r"\b(?:load|loadstring|dofile|loadfile|require|execute|popen|open|package|debug|_G|_ENV|ffi|getfenv|setfenv|output|tmpfile)\b"
    ),
    calls=re.compile(
        r"\b(?:os|io)\b(?!\s*\.\s*(?:date|time|clock|getenv|difftime|read|write|lines|stdin|stdout|stderr)\b)"
    ),
    environment=re.compile(r"\bgetenv\b"),
    variables=re.compile(r"\bgetenv\s*\(?\s*['\"](\w+)['\"]"),
    reach=reach.LUA,
    odd=re.compile(r"[\r\u2028\u2029]|\[=*\[|\]=*\]"),
)

PERL_MODULE = re.compile(
    r"-?(?:strict|warnings|utf8|feature|List::Util|POSIX|Data::Dumper|JSON|JSON::PP|MIME::Base64|Digest::\w+"
    r"|Time::\w+|Encode|Config|bigint|bignum|open|v?5[\d.]*)(?:=[\w,:.-]*)?"
)
PERL_OPTION = re.compile(r"-[acglnpstTuUvVwWXCEefhi0\d]|--")
DIAMOND = re.compile(r"<\s*(?:ARGV|<>)?\s*>|\breadline\b|\beof\b")


def judge_perl(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv"), call.arguments)
    codes = found.values("-e", "-E")
    in_place = any(name == "-i" for name, _, _ in found.options) or any(
        word.text == "-i" for word in found.unknown
    )
    _look_at_options(call, found, codes)
    if found.has("-d"):
        call.found(Effect.UNKNOWN, GateReason.PERL_D_RUNS_IT_UNDER_A_DEBUGGER.of())
    for word in found.words:
        # Perl's <> opens its operands in two-argument form, in which `cmd |` is a command.
        if "|" in word.text or word.text.startswith((">", "+<")):
            call.found(Effect.UNKNOWN, GateReason.PERL_OPENS_A_COMMAND.of(), word)
    run_codes(call, codes, found.words, PERL)
    if in_place:
        call.found(Effect.UPDATE, GateReason.EDITS_FILES_IN_PLACE.of(name="perl -i"))
        for word in found.words:
            call.reading.touches(word)


PERL_CODE = re.compile(r"[$@`(){;/|!,]")


def judge_rename(call: Call, spec: Spec) -> None:
    """By its table; that of Perl runs an expression for each name, in a rehearsal too."""
    found = sort_words(spec, call.arguments)
    for code in [*found.values("-e"), *found.words[:1]]:
        if PERL_CODE.search(code.text) or code.text in PERL.effects:
            read_tokens(call, code.text, code, PERL)
    apply(call, found)


def _look_at_options(call: Call, found: Operands, codes: list[Word]) -> None:
    for value in found.values("-M", "-m"):
        if not PERL_MODULE.fullmatch(value.text):
            call.found(Effect.UNKNOWN, GateReason.LOADS.of(name="perl", text=shown(value.text)), value)
    for option in found.unknown:
        if not PERL_OPTION.fullmatch(option.text):
            call.found(
                Effect.UNKNOWN,
                GateReason.NOT_KNOWN_HARMLESS.of(name=f"{call.name} {shown(option.text)}"),
                option,
            )
    # A pattern may hold code between (?{ and }).
    if any("(?" in value.text for value in found.values("-F")) or found.has("-I", "-x", "-S", "-D"):
        call.found(Effect.UNKNOWN, GateReason.PERL_RUNS_UNSEEN_CODE.of())
    if any("ARGV" in code.text for code in codes) and (
        found.has("-n", "-p") or any(DIAMOND.search(code.text) for code in codes)
    ):
        call.found(Effect.UNKNOWN, GateReason.PERL_OPENS_A_COMMAND.of())


def run_codes(call: Call, codes: list[Word], words: list[Word], language: LanguageWords) -> None:
    """Code that is spelled out, else a script, else what is fed in."""
    for code in codes:
        read_tokens(call, code.text, code, language)
    if codes:
        return
    texts = {word.text for word in call.arguments}
    if texts & {"-v", "-V", "--version", "-h", "--help", "-i", "-m", "-version"} and not words:
        call.found(Effect.READ, GateReason.ONLY_TELLS_ABOUT_ITSELF.of(name=call.name))
    elif texts & {"-c", "-l", "-wc", "-cw"} and words:
        call.found(
            Effect.READ if call.name != "perl" else Effect.UNKNOWN,
            GateReason.C_CHECKS_THE_SYNTAX.of(name=call.name),
        )
    elif words and words[0].text != "-":
        call.found(Effect.UNKNOWN, GateReason.RUNS.of(name=call.name, text=shown(words[0].text)), words[0])
    elif call.stdin is not None and call.stdin.text is not None:
        read_tokens(call, call.stdin.text, call.word, language)
    else:
        call.found(Effect.UNKNOWN, GateReason.OPENS_A_SESSION_OR_RUNS_INPUT.of(name=call.name))


def judge_ruby(call: Call, spec: Spec) -> None:
    words = [word for word in call.arguments if not word.text.startswith("-W:")]
    found = sort_words(replace(spec, run="argv"), words)
    for value in found.values("-r", "-I"):
        if value.text not in (
            "json",
            "yaml",
            "date",
            "time",
            "set",
            "digest",
            "securerandom",
            "base64",
            "csv",
            "etc",
            "rbconfig",
            "pp",
            "uri",
            "openssl",
            "erb",
        ):
            call.found(Effect.UNKNOWN, GateReason.LOADS.of(name="ruby", text=shown(value.text)), value)
    run_codes(call, found.values("-e"), found.words, RUBY)
    if any(name == "-i" for name, _, _ in found.options) and found.values("-e"):
        call.found(Effect.UPDATE, GateReason.EDITS_FILES_IN_PLACE.of(name="ruby -i"))


# Settings that name code, or a file that is written.
# An address that the code puts together: what it read goes there.
PHP_ADDRESS = re.compile(r"""://[^'"]*(?:['"]\s*\.|"[^"]*\$|[{$])""")
PHP_LOADS = re.compile(
    r"(?i)\s*(?:\w*extension|auto_\w+|\w+\.preload|open_basedir|\w*_path|\w*_log|\w+\.\w*(?:file|dir|path|log)\w*|disable_\w+)\b"
)


def judge_php(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv"), call.arguments)
    for name, _, value in found.options:
        if (name == "-d" and PHP_LOADS.match(value.text)) or name in ("-c", "-z"):
            call.found(
                Effect.UNKNOWN,
                GateReason.PHP_MAY_LOAD_OTHER_CODE.of(name=name, text=shown(value.text)),
                value,
            )
    for value in found.values("-r", "-R", "-B", "-E"):
        if PHP_ADDRESS.search(value.text):
            call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name="php"), value)
    if found.has("-S"):
        call.found(Effect.CREATE, GateReason.PHP_SERVES_A_FOLDER.of())
    elif found.has("-l"):
        call.found(Effect.READ, GateReason.ONLY_CHECKS_THE_SYNTAX.of(name="php -l"))
    elif found.has("--ini") and not found.words and len(call.arguments) == 1:
        call.found(Effect.READ, GateReason.ONLY_SHOWS.of(name="php --ini"))
    elif found.has("-i", "--info") and not found.words:
        call.found(Effect.READ, GateReason.ONLY_SHOWS.of(name="php -i"))
        if not call.passed:  # its environment is a part of it
            call.flag(Flag.SECRET, GateReason.SHOWS_ALL_VARIABLES_ALSO_TOKENS.of(name="php -i"))
    else:
        run_codes(call, found.values("-r", "-R", "-B", "-E"), found.words, PHP)


def judge_lua(call: Call, spec: Spec) -> None:
    found = sort_words(replace(spec, run="argv"), call.arguments)
    for value in found.values("-l"):
        call.found(Effect.UNKNOWN, GateReason.LOADS.of(name=call.name, text=shown(value.text)), value)
    for value in found.values("-j"):
        if re.search(r"[=,]|dump", value.text):  # what it lists goes to a file, or it is a module
            call.found(Effect.UNKNOWN, GateReason.LOADS.of(name=call.name, text=shown(value.text)), value)
    if found.has("-b"):
        call.found(Effect.CREATE, GateReason.MAKES_SOMETHING_NEW.of(name=f"{call.name} -b"))
    codes = found.values("-e")
    if codes and found.words:  # run as well, behind the code
        script = found.words[0]
        call.found(
            Effect.UNKNOWN, GateReason.RUNS_THE_SCRIPT.of(name=call.name, text=shown(script.text)), script
        )
    run_codes(call, codes, found.words, LUA)


DC_SHELL = re.compile(r"!(?![<>=])")


def judge_dc(call: Call, spec: Spec) -> None:
    """dc computes, and `!` runs the rest of its line."""
    found = sort_words(spec, call.arguments)
    codes = found.values("-e", "--expression")
    texts = [value.text for value in codes]
    # What is fed in and not told may hold a `!`.
    if not codes and not found.words and call.stdin is not None:
        texts.append(call.stdin.text if call.stdin.text is not None else "!")
    if found.words or found.has("-f", "--file") or any(map(DC_SHELL.search, texts)):
        call.found(Effect.UNKNOWN, GateReason.DC_MAY_RUN_COMMANDS.of())
    call.found(Effect.READ, GateReason.DC_ONLY_COMPUTES.of())


# -- jq: it only computes and prints, but it sees all variables of the environment -----------------

# `.env` and `{env: …}` are fields of what is read; a text without an escape holds no code.
JQ_ENVIRONMENT = re.compile(r"\$ENV\b|(?<![\w.$\"'])env\b(?!\s*:|\")")

JQ_VARIABLE = re.compile(r"(?:\$ENV|(?<![\w.$\"'])env)\s*(?:\.\s*\"?(\w+)|\[\s*\"(\w+)\"\s*\])")

JQ_TEXT = re.compile(r"(?<!\[)\"[^\"\\]*\"")


def look_at_jq(call: Call, code: Word) -> None:
    """Whether an expression shows the environment."""
    look_at_environment(call, JQ_TEXT.sub("0", code.text), code, JQ_ENVIRONMENT, JQ_VARIABLE)


def judge_jq(call: Call, spec: Spec) -> None:
    asks_about_unnamed(call, sort_words(spec, call.arguments), call.name)
    call.found(Effect.READ, GateReason.ONLY_PRINTS.of(name=call.name))
    for word in call.arguments:
        if word.text[:1] != "-":
            look_at_jq(call, word)
        elif re.match(r"-[a-zA-Z]*i|--in-place", word.text):
            call.found(Effect.UPDATE, GateReason.EDITS_FILES_IN_PLACE.of(name=call.name), word)


YQ_RUNS = re.compile(r"\bsystem\s{0,20}\(")
YQ_VARIABLE = re.compile(r"\b(?:str)?env\(\s{0,20}(\w{1,80})")
YQ_LOADS = re.compile(r"load(?:_\w{1,20})?\(\s*[\"']([^\"']*)")


def judge_yq(call: Call, spec: Spec) -> None:
    """By its table; an expression may load files that no operand names."""
    for word in call.arguments:
        if YQ_RUNS.search(word.text):
            call.found(Effect.UNKNOWN, GateReason.RUNS_A_COMMAND.of(name=call.name), word)
        variable = YQ_VARIABLE.search(word.text)
        if variable is not None and SECRET_VARIABLE.search(variable[1]):
            call.flag(Flag.SECRET, GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name=call.name), word)
        for loaded in YQ_LOADS.finditer(word.text):
            call.reading.reads(word.but(loaded[1]))
    apply(call, sort_words(spec, call.arguments))


# -- Miller: verbs in a row, two of which take code -------------------------------------------------

MLR_ENVIRONMENT = re.compile(r"\bENV\b")
MLR_VARIABLE = re.compile(r"\bENV\s*\[\s*\"(\w+)\"\s*\]")


def judge_mlr(call: Call, spec: Spec) -> None:
    """By its table; `-f` names a file of code behind put and filter, and fields behind other verbs."""
    verb = ""
    for number, word in enumerate(call.arguments):
        if word.text in ("put", "filter", "then"):
            verb = word.text
        elif word.text == "-f" and verb in ("put", "filter") and number + 1 < len(call.arguments):
            file = call.arguments[number + 1]
            script = GateReason.RUNS_THE_SCRIPT.of(name=call.name, text=shown(file.text))
            call.found(Effect.UNKNOWN, script, file)
        look_at_environment(call, word.text, word, MLR_ENVIRONMENT, MLR_VARIABLE)
    apply(call, sort_words(spec, call.arguments))
