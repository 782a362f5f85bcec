"""Finding messages in all conversations, by their words and by those of what went along with them.

Words must all be there; "several words" between quotes stand together; a word with * at its end, or the one
that is being typed, is a beginning. Case and accents do not count.

Three nets, one after another until a page is full: all words as they were typed, all words as beginnings,
and what was typed anywhere inside words (which is what finds Chinese, Japanese or Thai). For signs at the
edge of a word (C++) and for scripts without spaces the last net comes first.

A common word is in half of all messages, and ranking them all would take a tenth of a second at 100,000.
So each net takes the newest thousand matches only, which the index hands out in that order, and ranks
those: by BM25, and by age: a new message weighs up to twice as much as an old one of the same worth.
"""

from __future__ import annotations

import itertools
import re
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from desktop.database import AMONG, Connection, Database, Row, among

LONGEST_QUERY = 400
MOST_TERMS = 16
PIECE = 3  # characters of one entry of the index of pieces
_TERM = re.compile(r'"([^"]*)("?)|(\S+)')
_SEPARATOR = r"(?:[^\w]|_)"


@dataclass(frozen=True)
class Term:
    """One word, or several that stand together; `open` while its end is still being typed."""

    text: str
    phrase: bool = False
    open: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Its letters and digits, as the index cuts them."""
        return tuple(re.findall(r"[^\W_]+", self.text))

    @property
    def literal(self) -> bool:
        """Signs at its edge matter, as in C++ or .env, and words alone do not know them."""
        return bool(self.text) and not (_is_letter(self.text[0]) and _is_letter(self.text[-1]))


@dataclass(frozen=True)
class Query:
    """The terms of a search; `text` is what was typed."""

    text: str
    terms: tuple[Term, ...]

    def exactly(self) -> str:
        """For the index of words: every term whole; "" when it holds no word."""
        return " AND ".join(_quoted(term.text) for term in self.terms if term.words)

    def beginnings(self) -> str:
        """For the index of words: every single word as a beginning too."""
        return " AND ".join(
            _quoted(term.text) + ("*" if term.open or not term.phrase else "")
            for term in self.terms
            if term.words
        )

    @property
    def wants_pieces_first(self) -> bool:
        """Words alone would find too much or nothing: signs count, or the script has no spaces."""
        return any(term.literal or has_no_spaces(term.text) for term in self.terms)


def read(typed: str) -> Query:
    """Any text is a query; quotes that are not closed are closed at its end."""
    # FTS5 ends a query at a zero byte.
    text = " ".join(typed.replace("\0", " ").split())[:LONGEST_QUERY]
    terms = []
    for quoted, closing, word in _TERM.findall(text):
        if word:
            terms.append(_word(word))
        elif quoted.strip():
            terms.append(Term(quoted.strip(), phrase=True, open=not closing))
    return Query(text, tuple(term for term in terms if term.text)[:MOST_TERMS])


def _word(word: str) -> Term:
    stripped = word.rstrip("*")
    return Term(stripped.replace('"', ""), open=stripped != word)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _is_letter(character: str) -> bool:
    return character.isalnum()


def has_no_spaces(text: str) -> bool:
    """Whether it holds letters of a script that puts no spaces between words (Chinese, Japanese, Thai, …)."""
    return any(_in_running_script(ord(character)) for character in text)


def _in_running_script(code: int) -> bool:
    return (
        0x0E00 <= code <= 0x0EFF  # Thai, Lao
        or 0x1000 <= code <= 0x109F  # Burmese
        or 0x1780 <= code <= 0x17FF  # Khmer
        or 0x3040 <= code <= 0x30FF  # Japanese kana
        or 0x3400 <= code <= 0x9FFF  # Han
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3FFFF
    )


def pieces(text: str) -> tuple[str, ...]:
    """All runs of three characters of `text`; none for a shorter one."""
    return tuple(dict.fromkeys(text[n : n + PIECE] for n in range(len(text) - PIECE + 1)))


def any_of(alternatives: Sequence[str]) -> str:
    """One of these pieces, for the index of pieces."""
    return "(" + " OR ".join(_quoted(piece) for piece in alternatives) + ")"


def all_of(needed: Sequence[str]) -> str:
    return "(" + " AND ".join(_quoted(piece) for piece in needed) + ")"


# -- folding ------------------------------------------------------------------------------------


class _Folding(dict[int, int]):
    """One character for one, without case and accents; filled as characters are met."""

    def __missing__(self, code: int) -> int:
        folded = _folded(chr(code))
        self[code] = folded
        return folded


def _folded(character: str) -> int:
    small = character.lower()
    parts = unicodedata.normalize("NFD", small)
    if len(parts) > 1 and all(unicodedata.category(mark) == "Mn" for mark in parts[1:]):
        return ord(parts[0])
    return ord(small) if len(small) == 1 else ord(character)


_FOLDING = _Folding()


def fold(text: str) -> str:
    """`text` without case and accents, of the same length, so that places in it are places in `text`."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def marker(query: Query, whole: bool, pieces_too: bool) -> re.Pattern[str]:
    """What of a folded text is to be marked: whole words or beginnings, or the terms wherever they stand."""
    patterns = [_pattern(term, whole, pieces_too) for term in query.terms]
    found = sorted((pattern for pattern in patterns if pattern), key=len, reverse=True)
    return re.compile("|".join(found) if found else r"(?!)")


def _pattern(term: Term, whole: bool, pieces_too: bool) -> str:
    if pieces_too:
        return re.escape(fold(term.text)).replace(r"\ ", r"\s+")
    words = [re.escape(fold(word)) for word in term.words]
    if not words:
        return ""
    ends_open = term.open or not (whole or term.phrase)
    tail = r"[^\W_]*" if ends_open else r"(?![^\W_])"
    return r"(?<![^\W_])" + rf"{_SEPARATOR}+".join(words) + tail


CANDIDATES = 1_000
PAGE = 60  # messages
MOST_IN_CHAT = 4  # shown of one conversation
MOST_TITLES = 8
MOST_ALTERNATIVES = 300  # pieces that begin with one or two given characters
HALF_AGE_S = 180 * 86_400.0  # after this long half of the weight of being new is gone
LONGEST_READ = 200_000  # characters of a message that are looked through for the excerpt
BEFORE, AFTER = 36, 110  # characters around the first mark
BEGIN, END = "\x02", "\x03"


_FOUND = """
    SELECT m.id, {attachment} AS attachment_id, m.conversation_id, m.created_at, {score} AS score
    FROM {table} {messages} CROSS JOIN conversations c ON c.id = m.conversation_id
    WHERE {table} MATCH ? AND c.deleted_at IS NULL AND m.deleted_with IS NULL AND m.role <> 'notice'
    ORDER BY {table}.rowid DESC LIMIT ?
"""

_BEGIN_SO = "SELECT term FROM {}_pieces_vocabulary WHERE term >= ? AND term < ?"
_BEGINNINGS = " UNION ".join(map(_BEGIN_SO.format, ("messages", "attachments"))) + " LIMIT ?"
_TITLES = "SELECT id, title FROM conversations WHERE deleted_at IS NULL ORDER BY updated_at DESC"
_TEXTS = f"SELECT id, substr(text, 1, {LONGEST_READ}) AS text FROM messages"  # noqa: S608 - a number from this file
_ATTACHED = f"SELECT id, name, substr(text, 1, {LONGEST_READ}) AS text FROM attachments"  # noqa: S608 - the same


def _statements(index: str, score: str) -> tuple[str, str]:
    """For the index of messages and that of attachments."""
    own, along = f"messages_{index}", f"attachments_{index}"
    joined = f"CROSS JOIN attachments a ON a.id = {along}.rowid CROSS JOIN messages m ON m.id = a.message_id"
    return (
        _FOUND.format(
            table=own,
            attachment="0",
            score=score.format(own),
            messages=f"CROSS JOIN messages m ON m.id = {own}.rowid",
        ),
        _FOUND.format(table=along, attachment="a.id", score=score.format(along), messages=joined),
    )


_BY_WORDS = _statements("terms", "bm25({})")
_BY_PIECES = _statements("pieces", "0.0")


@dataclass(frozen=True)
class FoundMessage:
    """One message; in `excerpt` what was found stands between BEGIN and END. Where it was found in what went
    along, that is the excerpt, after its name."""

    conversation_id: int
    message_id: int
    role: str
    created_at: datetime
    excerpt: str


@dataclass(frozen=True)
class FoundChat:
    """A conversation whose title or messages match; `more` messages of it are not in `messages`."""

    conversation_id: int
    title: str  # with marks
    updated_at: datetime
    messages: tuple[FoundMessage, ...]
    more: int = 0


@dataclass(frozen=True)
class SearchResults:
    """The answer to `text`, best conversation first; `capped` when there is more than is shown."""

    text: str
    chats: tuple[FoundChat, ...] = ()
    capped: bool = False


@dataclass(frozen=True)
class _Match:
    message_id: int
    attachment_id: int  # 0: found in the message itself
    conversation_id: int
    created_at: float
    score: float
    net: int  # 0: whole words, 1: beginnings, 2: pieces


class ChatSearch:
    """Any thread; a streaming answer is found once it is closed."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    def find(self, typed: str) -> SearchResults:
        """The page for what is in the box; an empty one for a text without anything to look for."""
        query = read(typed)
        if not query.terms:
            return SearchResults(query.text)
        return self._database.read(lambda connection: _Looking(connection, query, self._clock()).page())


class _Looking:
    """One search on one connection."""

    def __init__(self, connection: Connection, query: Query, now: float) -> None:
        self._connection = connection
        self._query = query
        self._now = now
        nets = (self._exactly, self._beginnings, self._pieces)
        self._nets = (nets[2], *nets[:2]) if query.wants_pieces_first else nets
        self._capped = False

    def page(self) -> SearchResults:
        matches = self._matches()
        chats = self._chats(matches)
        return SearchResults(self._query.text, chats, self._capped)

    # -- nets ---------------------------------------------------------------------------------

    def _matches(self) -> list[_Match]:
        """The best of each net, in the order of the nets."""
        found: dict[int, _Match] = {}
        for net in self._nets:
            fresh: dict[int, _Match] = {}
            for match in net():
                if match.message_id not in found:
                    fresh.setdefault(match.message_id, match)
            new = sorted(fresh.values(), key=self._weight, reverse=True)
            room = PAGE - len(found)
            self._capped = self._capped or len(new) > room
            found.update((match.message_id, match) for match in new[:room])
            if len(found) >= PAGE or (found and self._query.wants_pieces_first):
                break  # after pieces with all their signs, words without them would be noise
        return list(found.values())

    def _weight(self, match: _Match) -> float:
        age_s = max(0.0, self._now - match.created_at)
        return -match.score * (1 + 0.5 ** (age_s / HALF_AGE_S)) if match.score else match.created_at

    def _exactly(self) -> list[_Match]:
        if any(term.open and not term.phrase for term in self._query.terms):
            return []  # a beginning was asked for
        return self._look_up(_BY_WORDS, self._query.exactly(), 0)

    def _beginnings(self) -> list[_Match]:
        expression = self._query.beginnings()
        return self._look_up(_BY_WORDS, expression, 1) if expression != self._query.exactly() else []

    def _pieces(self) -> list[_Match]:
        parts = [self._pieces_of(term) for term in self._query.terms]
        if not all(parts):
            return []
        matches = self._look_up(_BY_PIECES, " AND ".join(parts), 2)
        if all(len(term.text) <= PIECE for term in self._query.terms):
            return matches
        return self._verified(matches)

    def _look_up(self, statements: Sequence[str], expression: str, net: int) -> list[_Match]:
        """In messages, then in attachments."""
        found: list[_Match] = []
        for statement in statements if expression else ():
            rows = self._connection.execute(statement, (expression, CANDIDATES)).fetchall()
            self._capped = self._capped or len(rows) == CANDIDATES
            found += [_match(row, net) for row in rows]
        return found

    def _pieces_of(self, term: Term) -> str:
        """The pieces that a text with this term must have; "" when the index cannot say."""
        if len(term.text) >= PIECE:
            return all_of(pieces(term.text))
        if term.words and not has_no_spaces(term.text):
            return ""  # one or two letters of a word with spaces around it: the words know them
        alternatives = self._connection.execute(
            _BEGINNINGS,
            (*2 * (term.text, term.text + "\U0010ffff"), MOST_ALTERNATIVES),
        ).fetchall()
        return any_of([row["term"] for row in alternatives]) if alternatives else ""

    def _verified(self, matches: Sequence[_Match]) -> list[_Match]:
        """The pieces may stand apart: only those whose text holds every term as it was typed."""
        wanted = [fold(term.text) for term in self._query.terms]
        kept: list[_Match] = []
        for start in range(0, len(matches), PAGE):
            some = matches[start : start + PAGE]
            texts = self._texts(some)
            kept += [match for match in some if _holds(fold(" ".join(texts[match])), wanted)]
            if len(kept) > PAGE:
                break
        return kept

    # -- the page -----------------------------------------------------------------------------

    def _chats(self, matches: Sequence[_Match]) -> tuple[FoundChat, ...]:
        by_chat: dict[int, list[_Match]] = {number: [] for number in self._titled()}
        for match in matches:
            by_chat.setdefault(match.conversation_id, []).append(match)
        shown = [match for found in by_chat.values() for match in found[:MOST_IN_CHAT]]
        texts = self._texts(shown)
        roles = self._rows("SELECT id, role FROM messages", [match.message_id for match in shown])
        chats = self._rows("SELECT id, title, updated_at FROM conversations", list(by_chat))
        messages = {
            match.message_id: self._message(match, roles[match.message_id]["role"], *texts[match])
            for match in shown
        }
        return tuple(self._chat(chats[number], found, messages) for number, found in by_chat.items())

    def _texts(self, matches: Sequence[_Match]) -> dict[_Match, tuple[str, str]]:
        """The name, "" for a message itself, and the text of each."""
        own = self._rows(_TEXTS, [match.message_id for match in matches if not match.attachment_id])
        along = self._rows(_ATTACHED, [match.attachment_id for match in matches if match.attachment_id])
        return {
            match: (along[match.attachment_id]["name"], along[match.attachment_id]["text"])
            if match.attachment_id
            else ("", own[match.message_id]["text"])
            for match in matches
        }

    def _rows(self, select: str, ids: Sequence[int]) -> dict[int, Row]:
        """The rows of these ids, by id."""
        rows = self._connection.execute(f"{select} WHERE id {AMONG}", (among(ids),)).fetchall()
        return {row["id"]: row for row in rows}

    def _titled(self) -> list[int]:
        """Conversations whose title holds every term, the latest used first."""
        wanted = [fold(term.text) for term in self._query.terms]
        rows = self._connection.execute(_TITLES)
        named = (row["id"] for row in rows if _holds(fold(row["title"]), wanted))
        return list(itertools.islice((number for number in named if self._has_messages(number)), MOST_TITLES))

    def _has_messages(self, conversation_id: int) -> bool:
        found = self._connection.execute(
            "SELECT 1 FROM messages WHERE conversation_id = ? AND deleted_with IS NULL LIMIT 1",
            (conversation_id,),
        ).fetchone()
        return found is not None

    def _chat(self, row: Row, matches: Sequence[_Match], messages: dict[int, FoundMessage]) -> FoundChat:
        title = " ".join(str(row["title"]).split())
        return FoundChat(
            row["id"],
            _marked(title, marker(self._query, whole=False, pieces_too=True)),
            datetime.fromtimestamp(row["updated_at"], UTC),
            tuple(messages[match.message_id] for match in matches[:MOST_IN_CHAT]),
            max(0, len(matches) - MOST_IN_CHAT),
        )

    def _message(self, match: _Match, role: str, name: str, text: str) -> FoundMessage:
        found = marker(self._query, whole=match.net == 0, pieces_too=match.net == 2)
        moment = datetime.fromtimestamp(match.created_at, UTC)
        words = excerpt(text, found)
        if name:
            words = f"{_marked(' '.join(_clean(name).split()), found)}: {words}"
        return FoundMessage(match.conversation_id, match.message_id, role, moment, words)


def _match(row: Row, net: int) -> _Match:
    message_id, attachment_id = row["id"], row["attachment_id"]
    return _Match(message_id, attachment_id, row["conversation_id"], row["created_at"], row["score"], net)


def _holds(text: str, wanted: Sequence[str]) -> bool:
    return all(term in text for term in wanted)


def excerpt(text: str, found: re.Pattern[str]) -> str:
    """One line around the first place that `found` matches in the folded text, every match marked."""
    # Folded texts have the length of the original, so places in one are places in the other.
    first = found.search(fold(text))
    at = first.start() if first else 0
    start = _word_start(text, at - BEFORE)
    end = _word_end(text, at + AFTER)
    marked = " ".join(_marked(_clean(text[start:end]), found).split())
    return ("… " if start else "") + marked + (" …" if end < len(text) else "")


def _clean(text: str) -> str:
    return text.replace(BEGIN, " ").replace(END, " ")


def _marked(text: str, found: re.Pattern[str]) -> str:
    parts: list[str] = []
    at = 0
    for match in found.finditer(fold(text)):
        if match.end() > match.start():
            parts += [text[at : match.start()], BEGIN, text[match.start() : match.end()], END]
            at = match.end()
    return "".join((*parts, text[at:]))


def _word_start(text: str, at: int) -> int:
    """A little after `at`, so that no word is cut; `at` itself where there are no spaces."""
    if at <= 0:
        return 0
    space = text.find(" ", at, at + 20)
    return space + 1 if space >= 0 else at


def _word_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    space = text.rfind(" ", at - 20, at)
    return space if space >= 0 else at
