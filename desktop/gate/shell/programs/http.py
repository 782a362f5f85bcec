"""curl, wget, httpie, gh api: the method decides, data travels, and a file is where the answer goes."""

from __future__ import annotations

import re
from itertools import pairwise

from desktop.gate.reasons import GateReason
from desktop.gate.shell.operands import Operands, sort_words
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.table_effects import asks_about_unnamed, sends_what_it_reads, signs_in_at
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import ANY_MARK, Word
from desktop.gate.verdict import Effect, Flag

METHODS = {
    "GET": Effect.READ,
    "HEAD": Effect.READ,
    "OPTIONS": Effect.READ,
    "TRACE": Effect.READ,
    "PROPFIND": Effect.READ,
    "POST": Effect.CREATE,
    "PUT": Effect.UPDATE,
    "PATCH": Effect.UPDATE,
    "DELETE": Effect.DELETE,
    "MKCOL": Effect.CREATE,
    "MOVE": Effect.UPDATE,
    "COPY": Effect.CREATE,
    "PURGE": Effect.DELETE,
    "LOCK": Effect.UPDATE,
    "UNLOCK": Effect.UPDATE,
    "REPORT": Effect.READ,
    "QUERY": Effect.READ,
    "LIST": Effect.READ,
    "CONNECT": Effect.READ,
}
# Where a computer in a cloud asks for its own credentials: whoever may ask gets them.
CLOUD_CREDENTIALS = re.compile(
    r"(?i)^(?:https?://)?(?:[^/?#@]*@)?(?:169\.254\.169\.254|169\.254\.170\.(?:2|23)|100\.100\.100\.200"
    r"|\[fd00:ec2::(?:254|23)\]|\[::ffff:(?:169\.254\.169\.254|a9fe:a9fe)\]|2852039166|0xa9fea9fe"
    r"|[\w.-]{0,80}169[.-]254[.-]169[.-]254\.[\w-]{1,40}\.\w{1,20}"  # a name that leads there
    r"|metadata(?:\.google\.internal|\.azure\.internal)?)\.?(?=[:/?#]|$)"
)
# With any of them curl sends a body, and POST is the method.
CURL_DATA = (
    "-d",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "--url-query-data",
)
CURL_FILES = (
    "-o",
    "--output",
    "-D",
    "--dump-header",
    "--trace",
    "--trace-ascii",
    "-c",
    "--cookie-jar",
    "--stderr",
    "--hsts",
    "--alt-svc",
    "--etag-save",
    "--libcurl",
    "--ssl-sessions",
    "--output-dir-file",
)

# What lies in ~/.netrc, or in a file of that form, goes to the host that is asked.
CURL_CREDENTIALS = ("-n", "--netrc", "--netrc-optional", "--netrc-file")
EXPANDED = re.compile(r"^--expand-")
CURL_HEADERS = ("-H", "--header", "--proxy-header")


def judge_method(call: Call, method: str, place: Word) -> None:
    if ANY_MARK.search(method):
        call.found(Effect.UNKNOWN, GateReason.WHICH_METHOD_USES_CANNOT_BE_TOLD.of(name=call.name), place)
        return
    # A server may mean anything by a method of its own.
    effect = METHODS.get(method.upper(), Effect.UNKNOWN)
    call.found(effect, GateReason.SENDS_A_REQUEST.of(name=call.name, text=shown(method.upper(), 20)), place)
    if effect is not Effect.READ:
        call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name=call.name), place)


# By this header servers take a request for one of another method.
OVERRIDE = re.compile(r"(?i)\bx-(?:http-)?method(?:-override)?\s{0,20}:\s{0,20}(\w{1,40})")


def judge_overrides(call: Call) -> None:
    for word in call.arguments:
        overrides = OVERRIDE.search(word.text)
        if overrides is not None:
            judge_method(call, overrides[1], word)


def judge_curl(call: Call, spec: Spec) -> None:
    """Options between two `--next` belong to one request; each is judged."""
    judge_overrides(call)
    texts = [word.text for word in call.arguments]
    ends = [n for n, text in enumerate(texts) if text in ("--next", "-:")]
    for start, end in pairwise([-1, *ends, len(texts)]):
        _curl_part(call, spec, call.arguments[start + 1 : end])


def _curl_part(call: Call, spec: Spec, words: list[Word]) -> None:
    # `--expand-X` is X with variables filled in.
    found = sort_words(spec, [word.but(EXPANDED.sub("--", word.text)) for word in words])
    if call.arguments and found.has("--manual", "-M") and len(call.arguments) == 1:
        call.found(Effect.READ, GateReason.ONLY_TELLS_ABOUT_ITSELF.of(name="curl"))
        return
    # The file may hold any option, also one that writes or sends.
    for value in found.values("-K", "--config"):
        call.found(
            Effect.UNKNOWN, GateReason.TAKES_ITS_OPTIONS_FROM.of(name="curl", text=shown(value.text)), value
        )
    _curl_request(call, found)
    _curl_files(call, found)
    _curl_leaks(call, found)
    asks_about_unnamed(call, found, call.name)
    _addresses(call, [*found.words, *found.values("--url")])


def _curl_request(call: Call, found: Operands) -> None:
    methods = found.values("-X", "--request")
    data = [value for name, _, value in found.options if name in CURL_DATA]
    if methods:
        judge_method(call, methods[-1].text, methods[-1])
        # A body goes along whatever the method is called, and servers take one with GET too.
        if data and not found.has("-G", "--get"):
            call.found(Effect.CREATE, GateReason.SENDS_DATA.of(name="curl"), data[0])
            call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name="curl"), data[0])
    elif found.has("-T", "--upload-file"):
        call.found(Effect.CREATE, GateReason.CURL_UPLOADS_A_FILE.of())
        call.flag(Flag.SENDS, GateReason.CURL_UPLOADS_A_FILE.of())
    elif data and not found.has("-G", "--get", "-I", "--head"):
        judge_method(call, "POST", data[0])
    for value in (*data, *found.values("-T", "--upload-file")):
        if "@" in value.text:
            call.flag(Flag.SENDS, GateReason.CURL_SENDS_A_FILE.of(), value)
        call.reading.reads(value.but(re.sub(r"^[^@]*@", "", value.text)))


def _curl_leaks(call: Call, found: Operands) -> None:
    """What goes to the host, or to a service of this computer, though no file or body is named."""
    for name, _, value in found.options:
        if name in CURL_CREDENTIALS:
            call.flag(Flag.SECRET, GateReason.SENDS_CREDENTIALS.of(name="curl"), value)
            call.flag(Flag.SENDS, GateReason.SENDS_CREDENTIALS.of(name="curl"), value)
        # `%NAME` is a variable of the environment, `x@FILE` a file; an `--expand-…` option puts both into the
        # request.
        if name == "--variable" and (value.text[:1] == "%" or "@" in value.text):
            call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name="curl"), value)
            call.reading.reads(value.but(value.text.partition("@")[2]))
        if name == "--url" and value.text[:1] == "@":  # each line of the file is asked for
            call.flag(Flag.SENDS, GateReason.CURL_SENDS_A_FILE.of(), value)
        if name in ("--unix-socket", "--abstract-unix-socket"):
            # A service of this computer that knows no user but the one who may open its socket.
            call.found(Effect.UNKNOWN, GateReason.SPEAKS.of(name="curl", text=shown(value.text)), value)


def _curl_files(call: Call, found: Operands) -> None:
    for name, _, value in found.options:
        if name in CURL_FILES and value.text:
            call.writes(value)
        if (name in CURL_HEADERS and value.text[:1] == "@") or (name == "--url-query" and "@" in value.text):
            call.flag(Flag.SENDS, GateReason.CURL_SENDS_A_FILE.of(), value)
        if name in ("-b", "--cookie") and value.text and "=" not in value.text:
            call.flag(Flag.SENDS, GateReason.CURL_SENDS_COOKIES_FROM_A_FILE.of(), value)
        if name in ("-w", "--write-out") and ("%output{" in value.text or value.text[:1] == "@"):
            call.found(Effect.CREATE, GateReason.CURL_MAY_WRITE_FILES.of(name=name), value)
        if name == "--engine":
            call.found(Effect.UNKNOWN, GateReason.LOADS.of(name="curl", text=shown(value.text)), value)
        if name in ("-Q", "--quote"):
            call.found(Effect.UNKNOWN, GateReason.CURL_SENDS_COMMANDS_TO_THE_SERVER.of(), value)
    if found.has("-O", "--remote-name", "-J", "--remote-name-all"):
        call.found(Effect.CREATE, GateReason.SAVES_WHAT_IT_FETCHES.of(name="curl"))


def _addresses(call: Call, words: list[Word]) -> None:
    for word in words:
        if word.text.startswith("file:"):
            call.reading.reads(word)
        if CLOUD_CREDENTIALS.search(word.text):
            call.flag(Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(word.text)), word)
        scheme = word.text.partition(":")[0].lower()
        if scheme in ("smtp", "smtps", "mqtt", "telnet", "gopher", "dict") and "://" in word.text:
            call.found(
                Effect.CREATE if scheme != "telnet" else Effect.UNKNOWN,
                GateReason.SPEAKS.of(name=call.name, text=scheme),
                word,
            )
    call.found(Effect.READ, GateReason.ONLY_FETCHES.of(name=call.name))


def judge_wget(call: Call, spec: Spec) -> None:
    judge_overrides(call)
    found = sort_words(spec, call.arguments)
    data = found.values("--post-data", "--post-file", "--body-data", "--body-file")
    methods = found.values("--method")
    if methods:
        judge_method(call, methods[-1].text, methods[-1])
    elif data:
        judge_method(call, "POST", data[0])
    for value in data:
        call.reading.reads(value)
        call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name="wget"), value)
    for value in found.values("--use-askpass"):
        call.shell(value.text, value)
    if found.has("-e", "--execute", "--config"):
        for value in found.values("-e", "--execute", "--config"):
            if not re.fullmatch(
                r"\s*(?:robots|https?_proxy|use_proxy|timeout|tries|quiet|check_certificate)\s*=.*",
                value.text,
            ):
                call.found(Effect.UNKNOWN, GateReason.WGET_TAKES_ITS_OPTIONS_FROM_ELSEWHERE.of(), value)
    _wget_files(call, found)
    asks_about_unnamed(call, found, call.name)
    _addresses(call, found.words)


def _wget_logs(call: Call, found: Operands) -> list[Word]:
    """The files that it writes beside what it fetches; in the background its log gets a name of its own."""
    named = found.values(
        "-o",
        "--output-file",
        "-a",
        "--append-output",
        "--warc-file",
        "--save-cookies",
        "--rejected-log",
        "--hsts-file",
    )
    return named or [call.word.but("wget-log")] if found.has("-b", "--background") else named


def _wget_files(call: Call, found: Operands) -> None:
    for value in _wget_logs(call, found):
        call.writes(value, append=found.has("-a", "--append-output"))
    for value in found.values("-i", "--input-file"):
        if value.text != "-":  # each of its lines is asked for
            call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name="wget"), value)
    # Such a file names what is fetched and what it is called here.
    if found.has("--input-metalink"):
        call.found(Effect.CREATE, GateReason.SAVES_WHAT_IT_FETCHES.of(name="wget"))
    outputs = found.values("-O", "--output-document")
    if found.has("--spider", "--version", "-V", "--help", "-h") and not outputs:
        return
    if found.has("--delete-after"):
        call.found(Effect.READ, GateReason.WGET_REMOVES_WHAT_IT_FETCHED.of())
    elif outputs:
        for value in outputs:
            call.writes(value)
    elif found.words or found.has("-i", "--input-file"):
        call.found(Effect.CREATE, GateReason.SAVES_WHAT_IT_FETCHES.of(name="wget"))


def _is_method(call: Call, words: list[Word]) -> bool:
    """`xh` takes methods in small letters too; a host of such a name stands alone."""
    first = words[0].text
    is_written = re.fullmatch(r"[A-Z]+", first) is not None
    return is_written or (call.name.startswith("xh") and len(words) > 1 and first.upper() in METHODS)


def judge_httpie(call: Call, spec: Spec) -> None:
    judge_overrides(call)
    found = sort_words(spec, call.arguments)
    words = list(found.words)
    if words and words[0].text in ("plugins", "sessions", "cli"):
        call.found(
            Effect.UPDATE if "install" in str(words) else Effect.READ,
            GateReason.MANAGES_ITSELF.of(name=call.name),
        )
        return
    asks_about_unnamed(call, found, call.name)
    method = words.pop(0) if words and _is_method(call, words) else None
    data = [
        word
        for word in words[1:]
        if re.search(r"(?<![=:])(?::=|=|@)(?!=)", word.text) and "==" not in word.text
    ]
    if method is not None:
        judge_method(call, method.text, method)
    elif (
        data
        or found.has("--raw", "-f", "--form", "--multipart")
        or (call.stdin is not None and call.stdin.text)
    ):
        judge_method(call, "POST", data[0] if data else call.word)
    for name, _, value in found.options:
        if name in ("-o", "--output", "--session"):
            call.writes(value)
    for word in words[1:]:
        mark = next((each for each in (":@", "==@") if each in word.text), "")
        if mark:  # a header or a part of the address from a file
            call.flag(Flag.SENDS, GateReason.SENDS_DATA.of(name=call.name), word)
            call.reading.reads(word.but(word.text.partition(mark)[2]))
    if found.has("-d", "--download"):
        call.found(Effect.CREATE, GateReason.SAVES_WHAT_IT_FETCHES.of(name=call.name))
    if found.has("--offline"):
        return
    _addresses(call, words[:1])


def judge_gh_api(call: Call, found: Operands) -> bool:
    """`gh api`: a field turns the call into POST; GraphQL queries are read by their text."""
    judge_overrides(call)
    methods = found.values("-X", "--method")
    fields = found.values("-f", "-F", "--field", "--raw-field", "--input", "--form")
    if found.words and found.words[0].text == "graphql":
        query = " ".join(value.text for value in fields)
        mutates = (
            re.search(r"\bmutation\b|query=@|--input", query) or found.has("--input") or "query=" not in query
        )
        call.found(
            Effect.UPDATE if mutates else Effect.READ,
            GateReason.API_GRAPHQL.of(name=call.name),
            found.words[0],
        )
    elif methods:
        judge_method(call, methods[-1].text, methods[-1])
        for file in found.values("--input"):  # a body, whatever the method
            call.flag(Flag.SENDS, GateReason.SENDS_FROM_HERE.of(name=f"{call.name} --input"), file)
    elif fields:
        judge_method(call, "POST", fields[0])
    for value in fields:
        if "@" in value.text:
            call.reading.reads(value.but(value.text.partition("@")[2]))
    call.found(Effect.READ, GateReason.API_ONLY_FETCHES.of(name=call.name))
    sends_what_it_reads(call, found.words)
    return False


AZURE = re.compile(
    r"(?i)https://(?:[\w-]{1,63}\.){1,6}(?:azure|windows|microsoft|azure-api|office|azmk8s)\.(?:com|net|io|us|cn)(?:[/?].*)?",
    re.DOTALL,
)


def judge_az_rest(call: Call, found: Operands) -> bool:
    """`az rest`: the method decides, as with curl."""
    methods = found.values("-m", "--method")
    if methods:
        judge_method(call, methods[-1].text, methods[-1])
    sends_what_it_reads(call, found.values("-u", "--uri", "--url", "--headers", "--uri-parameters"))
    # Of itself it signs in at Azure only; with a resource named, at any address.
    for address in found.values("-u", "--uri", "--url") if found.has("--resource") else ():
        if not AZURE.fullmatch(address.text):
            signs_in_at(call, "--resource", address)
    return False
