"""What a command says about the network: whether it talks to other computers, and to which."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.gate.reasons import GateReason
from desktop.gate.shell.reading import Call
from desktop.gate.shell.tables import Spec
from desktop.gate.shell.words import ANY_MARK, OUTPUT, Word
from desktop.gate.verdict import Flag, Network

ADDRESS = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{0,20}://(?:[^/?#@\s]{0,200}@)?(\[[0-9A-Fa-f:.]{2,45}\]|[^/?#:@\s]{1,253})"
)
REMOTE_PATH = re.compile(
    r"(?:[\w.-]{1,64}@)?([A-Za-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){0,9}):(?![\\/]{2}).{0,1000}", re.DOTALL
)
HOST = re.compile(
    r"(?:[\w.-]{1,64}@|@)?(localhost|(?:[A-Za-z0-9_][\w-]{0,62}\.){1,9}[A-Za-z0-9][\w-]{0,62}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})"
    r"\.?(?::\d{1,5})?(?:/\S{0,1000})?"
)
# Code that may speak to others names what it does it with. Plain words are looked for first: that costs a
# hundredth of an expression that has to try all of them at each letter.
TALK = (
    *("http", "socket", "fetch", "urllib", "requests", "ftp", "smtp", "webbrowser", "telnet", "lwp", "curl"),
    *("import(", "__import__", "require"),
)
TALK_ALONE = re.compile(r"\b(?:net|tls|ssl|dns)\b")


def connect(call: Call, spec: Spec) -> None:
    """Tell the reading what a program's table says about the network, with the hosts that its words name."""
    if spec.network is Network.NONE:
        # Not known to ask anybody, but a program that is given an address may.
        if call.name not in PRINTS:
            _carried(call)
        return
    _carried(call)
    if spec.network is Network.MAY:
        call.reading.connects(Network.MAY)
        return
    call.reading.connects(Network.USES, hosts_named(call.arguments, plain=spec.names_hosts))


# What they are given they print, or compare.
PRINTS = frozenset(
    [
        *["echo", "printf", "print", "test", "[", "[[", "expr", "basename", "dirname", "grep", "egrep"],
        *["fgrep", "rg", "sed", "awk", "jq", "tr", "cut", "true", "false", ":", "export", "declare"],
        *["local", "read", "set", "logger", "yes", "seq", "git"],
    ]
)  # fmt: skip


def _carried(call: Call) -> None:
    """What another command printed, put into an address that the line chooses, goes to whoever that is."""
    for word in call.arguments:
        at = word.text.find("://")
        if at > 0 and OUTPUT in word.text and not is_here(hosts_named([word])):
            call.flag(Flag.SENDS, GateReason.SENDS_WHAT_ANOTHER_COMMAND_PRINTED.of(name=call.name), word)


def is_here(hosts: Sequence[str] | None) -> bool:
    """Whether all of them are this computer."""
    return bool(hosts) and all(
        host in ("localhost", "::1") or host.startswith("127.") for host in hosts or ()
    )


def is_elsewhere(address: str) -> bool:
    """Whether an address, or the name of a host, is surely that of another computer."""
    named = _host(address.partition(",")[0], plain=True)
    return named is not None and not ANY_MARK.search(named) and not is_here((named.strip("[]").lower(),))


# With these what is asked of this computer goes to another one.
DIVERTS = frozenset(
    {"-x", "--proxy", "--preproxy", "--socks5", "--socks5-hostname", "--socks4", "--connect-to", "--resolve"}
)
PROXY = re.compile(r"(?:https?|all|ftp)_proxy")


def _is_diverted(call: Call) -> bool:
    return any(word.text.partition("=")[0] in DIVERTS for word in call.arguments) or any(
        PROXY.fullmatch(name.lower()) for name in call.reading.assigned
    )


def leaves(call: Call) -> None:
    """Data in the words or the input of a program that talks to other computers goes there."""
    if is_here(hosts_named(call.arguments, plain=True)) and not _is_diverted(call):
        return
    for word in call.arguments:
        if OUTPUT in word.text:
            call.flag(Flag.SENDS, GateReason.SENDS_WHAT_ANOTHER_COMMAND_PRINTED.of(name=call.name), word)
        elif call.name not in SIGN_IN and ANY_MARK.search(word.text) and call.reading.shows_secret(word):
            call.flag(Flag.SENDS, GateReason.SENDS_A_VARIABLE_WITH_SECRETS.of(name=call.name), word)
    is_fed = call.stdin is not None and call.stdin.text is None and call.name in SEND_INPUT
    if is_fed and (call.name != "openssl" or any(word.text == "s_client" for word in call.arguments)):
        call.flag(Flag.SENDS, GateReason.SENDS_WHAT_IT_IS_FED.of(name=call.name))


# A secret is how they sign in.
SIGN_IN = frozenset({"psql", "mysql", "mariadb", "pg_isready", "redis-cli", "ftp", "lftp", "sftp"})
SEND_INPUT = frozenset(
    {
        "ssh",
        "nc",
        "ncat",
        "netcat",
        "telnet",
        "openssl",
        "socat",
        "websocat",
        "grpcurl",
        "http",
        "https",
        "xh",
    }
)


def hosts_named(words: Sequence[Word], *, plain: bool = False) -> tuple[str, ...] | None:
    """All computers that the words name; None where they name none, or where one cannot be told.

    `plain`: a word may be a name alone, without an address around it.
    """
    found: dict[str, None] = {}
    for word in words:
        text = word.text.rpartition("=")[2] if word.text.startswith("--") else word.text
        if text[:1] in ("-", "+"):
            continue
        named = _host(text, plain=plain)
        if named is not None and ANY_MARK.search(named):
            return None
        if named is None and ANY_MARK.match(text):
            return None
        if named is not None:
            found[named.strip("[]").lower()] = None
    return tuple(found) or None


def _host(text: str, *, plain: bool) -> str | None:
    address = ADDRESS.match(text)
    if address is not None:
        return address[1]
    if plain:
        host = HOST.fullmatch(text)
        return host[1] if host is not None else None
    remote = REMOTE_PATH.fullmatch(text)
    return remote[1] if remote is not None and not re.fullmatch(r"[A-Za-z]", remote[1]) else None


def talks(code: str) -> bool:
    """Whether code, in small letters, names what one speaks to others with."""
    return any(word in code for word in TALK) or bool(TALK_ALONE.search(code))


def connect_code(call: Call) -> None:
    """Inline code may talk to others where it names what that is done with."""
    fed = call.stdin.text if call.stdin is not None else None
    if any(talks(text.lower()) for text in (*(word.text for word in call.arguments), fed or "")):
        call.reading.connects(Network.MAY)
