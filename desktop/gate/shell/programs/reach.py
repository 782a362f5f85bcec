"""Which files inline code of the script languages reads, as far as its words tell.

A name that is spelled out is looked at as a word of the line is. One that the code puts together is read from
its pieces in their order; where it makes letters, turns texts round or asks for the home folder, nobody sees
what is read, and the line asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from desktop.gate.reasons import GateReason
from desktop.gate.shell.places import holds_secrets
from desktop.gate.shell.reading import Call, shown
from desktop.gate.shell.words import Word
from desktop.gate.verdict import Flag

NEVER = re.compile(r"(?!)")
MOST_TEXTS = 16
MOST_PIECES = 5  # of one name
MOST_ROUNDS = 4  # names that stand for other names
LONGEST = 2_000
SPELLED_OUT = re.compile(
    r"\s{0,20}\(?\s{0,20}'(\d{1,5})'\s{0,20}(?=[,;)}\]|&\n]|$|\bdo\b|\.\s{0,20}(?!\.)\w)"
)
NAMED = re.compile(r"\b([A-Za-z_]\w*)\b")
GIVEN = r"(?<![\w.=!<>])(?:(?:const|let|var|local)\s+)?\$?{name}\s*=(?![=>~])\s*([^;\n]+)"


@dataclass(frozen=True)
class ReadPatterns:
    """How a language reads files. All are looked for in code whose texts stand as their numbers: `'0'`."""

    reads: re.Pattern[str]  # a function that reads the file which it is given; its argument follows
    lists: re.Pattern[str] = NEVER  # one that gives the names in a folder
    homes: re.Pattern[str] = NEVER  # what gives the home folder, or the one that the shell was in before
    letters: re.Pattern[str] = NEVER  # what makes texts of numbers, codes or other texts


def look_at_reach(call: Call, place: Word, bare: str, texts: Sequence[str], reach: ReadPatterns) -> None:
    """`bare` is the code with `''` in the place of each text."""
    numbers = iter(range(len(texts)))
    code = re.sub("''", lambda _: f"'{next(numbers, len(texts))}'", bare)
    told = [text.strip("'\"`") for text in texts]
    made = [found for found in reach.reads.finditer(code) if not SPELLED_OUT.match(code, found.end())]
    for found in reach.reads.finditer(code):
        spelled = SPELLED_OUT.match(code, found.end())
        if spelled is not None and int(spelled[1]) < len(told):
            call.reading.reads(place.but(told[int(spelled[1])]))
    if not made:
        return
    if reach.homes.search(_with_texts(code, told)):
        call.flag(Flag.SECRET, GateReason.READS_ALL_BELOW.of(name=call.name, text="~"), place)
        return
    for found in made:
        argument = _argument(code, found.end())
        if reach.letters.search(_followed(code, argument)):
            call.flag(
                Flag.SECRET,
                GateReason.INLINE_CODE_READS_A_FILE_NAMED_AT_RUN_TIME.of(name=call.name),
                place,
            )
            return
    high = next((text for text in told if text not in ("", "/") and call.reading.takes_in_secrets(text)), "")
    root = any(told[int(each)] == "/" for each in _first_texts(code, reach.lists) if int(each) < len(told))
    if (high and reach.lists.search(code)) or root:
        call.flag(Flag.SECRET, GateReason.READS_ALL_BELOW.of(name=call.name, text=shown(high or "/")), place)
    secret = next(filter(holds_secrets, put_together(told)), "")
    if secret:
        call.flag(Flag.SECRET, GateReason.MAY_HOLD_SECRETS.of(name=shown(secret)), place)


def _with_texts(code: str, told: Sequence[str]) -> str:
    """The code with its texts: names of variables of the environment stand in some."""
    return re.sub(
        r"'(\d+)'", lambda found: f"'{told[int(found[1])]}'" if int(found[1]) < len(told) else "''", code
    )


def _first_texts(code: str, lists: re.Pattern[str]) -> Iterator[str]:
    for found in lists.finditer(code):
        spelled = SPELLED_OUT.match(code, found.end())
        if spelled is not None:
            yield spelled[1]


def _argument(code: str, start: int) -> str:
    """What stands between the brackets behind a function, or the rest of the statement."""
    depth = 0
    for place in range(start, min(len(code), start + LONGEST)):
        letter = code[place]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth <= 0:
                return code[start : place + 1]
        elif letter in ";\n" and depth == 0:
            return code[start:place]
    return code[start : start + LONGEST]


def _followed(code: str, argument: str) -> str:
    """An argument with what its names are given elsewhere in the code."""
    text, seen = argument, set[str]()
    for _ in range(MOST_ROUNDS):
        new = set(NAMED.findall(text)) - seen
        if not new or len(text) > LONGEST:
            break
        seen |= new
        for name in sorted(new):
            for given in re.finditer(GIVEN.format(name=re.escape(name)), code):
                text += "\n" + given[1]
    return text[: 2 * LONGEST]


def put_together(told: Sequence[str]) -> Iterator[str]:
    """What neighbouring texts come to, one behind the other or as the parts of a path."""
    several = [text for text in told if len(text) < 200][:MOST_TEXTS]
    for start in range(len(several)):
        for count in range(2, min(MOST_PIECES, len(several) - start) + 1):
            pieces = several[start : start + count]
            for between in product(("", "/"), repeat=count - 1):
                yield pieces[0] + "".join(
                    mark + piece for mark, piece in zip(between, pieces[1:], strict=True)
                )


# What takes a part of a text, or turns it into another one.
_METHODS = (
    r"\.\s*(?:replace|replaceAll|slice|substr|substring|substitute|tr|sub|gsub|toLowerCase|toUpperCase|downcase"
    r"|upcase|swapcase|reverse|toReversed|charAt|charCodeAt|at|split|repeat|rotate|chars|each_char|succ|next|ord|chr"
    r"|normalize|unpack1?|pack|delete|squeeze|tr_s|padStart|padEnd|concat)\b(?!\s*=>)"
)
JAVASCRIPT = ReadPatterns(
    reads=re.compile(
        r"\b(?:readFileSync|readFile|createReadStream|openSync|openAsBlob|readTextFile(?:Sync)?"
        r"|Bun\s*\.\s*file)\b(?!\s*[:,}=])"
    ),
    lists=re.compile(r"\b(?:readdirSync|readdir|opendirSync|globSync|readDirSync|readDir)\b"),
    homes=re.compile(r"\bhomedir\b|\benv\s*(?:\.\s*|\[\s*['\"`])(?:HOME|USERPROFILE|OLDPWD)\b|\buserInfo\b"),
    letters=re.compile(
        rf"{_METHODS}|fromCharCode|fromCodePoint|\bBuffer\b|\batob\b|\bdecodeURI|\bunescape\b|String\s*\.\s*raw"
        r"|\.\s*join\s*\(\s*(?:'\d+'\s*\)|\))|\.\s*toString\s*\(\s*\w|'\d+'\s*\[|\bTextDecoder\b"
    ),
)
RUBY = ReadPatterns(
    reads=re.compile(
        r"\bFile\s*\.\s*(?:read|readlines|foreach|binread)\b|\bPathname\b|\.\s*read(?:lines)?\b(?=\s*\()"
    ),
    lists=re.compile(r"\bDir\s*(?:\.\s*\w+|\[)|\.\s*(?:glob|children|each_child)\b"),
    homes=re.compile(r"\bDir\s*\.\s*home\b|\bhome\b|\bENV\b[^;]{0,12}['\"](?:HOME|OLDPWD)|\bEtc\b|['\"]~"),
    letters=re.compile(
        rf"{_METHODS}|\.\s*join\b(?!\s*\(\s*'\d+'\s*,)|\bdecode64\b|'\d+'\s*\[|\bformat\b|%\s*[\[\w]"
    ),
)
PHP = ReadPatterns(
    reads=re.compile(
        r"\b(?:file_get_contents|file|readfile|highlight_file|show_source|parse_ini_file|simplexml_load_file)\b"
    ),
    lists=re.compile(r"\b(?:glob|scandir|opendir|DirectoryIterator|RecursiveDirectoryIterator)\b"),
    homes=re.compile(
        r"\bgetenv\s*\(\s*['\"](?:HOME|OLDPWD)|_(?:SERVER|ENV)\s*\[\s*['\"](?:HOME|OLDPWD)|posix_getpw"
    ),
    letters=re.compile(
        r"\b(?:chr|base64_decode|strrev|hex2bin|implode|join|str_rot13|pack|sprintf|strtr|str_replace|urldecode|substr"
        r"|rawurldecode|strtolower|strtoupper|ucfirst|lcfirst|gzinflate|gzuncompress|preg_replace|trim|array_map)\b|'\d+'\s*\["
    ),
)
LUA = ReadPatterns(
    reads=re.compile(r"\bio\s*\.\s*(?:lines|open)\b"),
    homes=re.compile(r"\bgetenv\s*\(?\s*['\"](?:HOME|OLDPWD)"),
    letters=re.compile(r"\b(?:char|reverse|gsub|format|rep|sub|lower|upper|concat|utf8)\b"),
)
