"""How much of a text is code: bodies of here-documents, strings and comments are data, however long.

Only sizes are taken from here. A text whose parts are told apart wrongly costs time, which is bounded
elsewhere; it is still read whole.
"""

from __future__ import annotations

import re

# Between words of bash: what changes the state, and data that ends by itself.
CODE = re.compile(
    r"""\\. | '[^']*'? | " | \$\( | [()] | (?<![^\s;&|(])\#[^\n]*
    | <<< | (?P<start><<-?[ \t]*(?:'(?P<single>[^'\n]*)'|"(?P<double>[^"\n]*)"|(?P<bare>\\?[\w.+-]+)))
    | \n""",
    re.DOTALL | re.VERBOSE,
)
IN_QUOTES = re.compile(r'(?:[^"\\$`]|\\.)+|"|\$\(|[$`\\]', re.DOTALL)
LIVE = re.compile(r"\$\(|`|\$\{")
HERE_STRING = re.compile(r"""@(['"])[ \t]*\n.*?^\1@""", re.DOTALL | re.MULTILINE)
MAX_BODIES = 20


def code_of_bash(text: str, limit: int) -> str:
    """`text` without its data; reading stops once there are more than `limit` characters of code."""
    return _Extent(text, limit).code()


def code_of_powershell(text: str) -> str:
    """`text` without its here-strings."""
    return HERE_STRING.sub("''", text)


class _Extent:
    def __init__(self, text: str, limit: int) -> None:
        self._text = text
        self._limit = limit
        self._kept: list[str] = []
        self._size = 0
        self._bodies = 0
        self._awaited: list[
            tuple[str, bool]
        ] = []  # delimiters of here-documents, and whether they are literal

    def _keep(self, text: str) -> None:
        self._kept.append(text)
        self._size += len(text)

    def code(self) -> str:
        place = 0
        open_quotes: list[bool] = [False]  # whether each level of nesting is a string in double quotes
        while place < len(self._text) and self._size <= self._limit and open_quotes:
            place = self._quoted(place, open_quotes) if open_quotes[-1] else self._bare(place, open_quotes)
        self._keep(self._text[place : place + self._limit + 1])
        return "".join(self._kept)

    def _quoted(self, place: int, levels: list[bool]) -> int:
        """Inside double quotes: text is data, substitutions are code."""
        found = IN_QUOTES.match(self._text, place)
        if found is None:
            return len(self._text)
        if found[0] == '"':
            levels.pop()
        elif found[0] == "$(":
            levels.append(False)
        if len(found[0]) <= 2:
            self._keep(found[0])
        return found.end()

    def _bare(self, place: int, levels: list[bool]) -> int:
        found = CODE.search(self._text, place)
        if found is None:
            self._keep(self._text[place : place + self._limit + 1])
            return len(self._text)
        self._keep(self._text[place : place + min(found.start() - place, self._limit + 1)])
        symbol = found[0]
        if symbol == '"':
            levels.append(True)
        elif symbol in ("$(", "("):
            levels.append(False)
        elif symbol == ")" and len(levels) > 1:
            levels.pop()
        elif found["start"]:
            delimiter = next(
                each for each in (found["single"], found["double"], found["bare"]) if each is not None
            )
            literal = found["bare"] is None or delimiter.startswith("\\")
            self._awaited.append((delimiter.lstrip("\\"), literal))
        elif symbol == "\n" and self._awaited:
            self._keep(symbol)
            return self._skip_bodies(found.end())
        self._keep("''" if symbol[0] == "'" else "" if symbol[0] == "#" else symbol)
        return found.end()

    def _skip_bodies(self, place: int) -> int:
        """Pass over the bodies that begin here; what may be code in one that is not literal is kept."""
        for delimiter, literal in self._awaited:
            self._bodies += 1
            if self._bodies > MAX_BODIES:
                break
            end = re.compile(rf"^\t*{re.escape(delimiter)}$", re.MULTILINE).search(self._text, place)
            if end is None:  # then it is no data, whatever it is
                break
            if not literal:
                self._keep_live(self._text[place : end.start()])
            place = min(end.end() + 1, len(self._text))
        self._awaited.clear()
        return place

    def _keep_live(self, body: str) -> None:
        if LIVE.search(body):
            for line in body.split("\n"):
                self._keep(line if LIVE.search(line) else "$x" * line.count("$"))
        else:
            self._keep("$x" * body.count("$"))
