"""What an answer passes through on its way out: a sentence that claims what was not done is held back.

`claims.py` says which sentences claim, `disclaimers.py` which first ones excuse. The words of an answer come
in pieces that end anywhere, and what begins otherwise is shown at once.
"""

from __future__ import annotations

import re

from desktop.chat.claims import (
    ACKNOWLEDGES,
    CLAIMING_WORDS,
    COUNTED,
    FIRST_WORDS,
    MAY_BEGIN,
    MAY_CLAIM,
    MAY_TELL_ROWS,
    ONLY_ACKNOWLEDGES,
    OPENER,
    OPENING_WORDS,
    ROWS_TOLD,
    Claim,
    claim_in,
)
from desktop.chat.disclaimers import disclaims, may_disclaim

_SENTENCE_END = re.compile(r"[.!?:][\"'”)*]*\s|\n")
_PART_OF_WORD = re.compile(r"\w[\w'’.-]*\Z")


def _may_only_acknowledge(text: str) -> bool:
    """Whether no other word has come yet, though the last may be half of one."""
    if ONLY_ACKNOWLEDGES.fullmatch(text) or not text.strip(" \n.!,"):
        return True
    said = text.casefold().replace("’", "'")
    for begins in (at.start() for at in re.finditer(r"(?<!\w)\w", said)):
        before, last = said[:begins], said[begins:]
        is_behind = not before.strip() or ONLY_ACKNOWLEDGES.fullmatch(before) is not None
        if is_behind and any(each.startswith(last) for each in ACKNOWLEDGES):
            return True
    return False


def _may_be_opener(text: str) -> bool:
    """Whether nothing else has come yet, though the last word may be half of one."""
    found = OPENER.match(text)
    rest = (text[found.end() :] if found is not None else text).lstrip().casefold()
    return any(each.startswith(rest) for each in OPENING_WORDS)


class ClaimGuard:
    """Holds back a sentence that may claim an act or a look, until its end; from one that does on, nothing is
    let by. Code in a fence that names its language claims nothing.

    Feed in order, then `finish`. What begins otherwise passes at once, so that no first word waits.
    """

    def __init__(
        self,
        is_draft: bool = False,
        may_look: bool = False,
        is_general: bool = False,
        is_order: bool = False,
        counts: bool = False,
        may_lack: bool = True,
    ) -> None:
        """`is_draft`: a text for somebody else is in it. `may_look`: something was looked at in this chat.
        `counts`: it is asked what reminders there are, and nothing has looked in this turn.
        `is_order`: something is to be done and nothing was, so that "Got it." alone says that it was, and
        each sentence waits for its end.
        `is_general`: nothing of the user's was asked for, so that "The" and "Das" wait for no noun; from the
        first word that a claim is made of everything waits all the same.
        `may_lack`: the answer may begin with a disclaimer; else that is held back as a claim is."""
        self.claimed: Claim | None = None
        self.held = ""  # the sentence that claims
        self._first = "" if not may_lack else None  # the first sentence, as long as it may be a disclaimer
        self._is_draft, self._may_look, self._is_general = is_draft, may_look, is_general
        self._opening: str | None = (
            None if is_draft or is_general else ""
        )  # "Sure, ", as long as no more came
        self._counts = counts
        self._is_order = is_order
        self._nod: str | None = "" if is_order else None  # "Got it.", as long as no more came
        self._opener = ""  # the same, until something is shown behind it
        self._sentence = ""  # since the last end of one
        self._shown = 0  # characters of it that were let go
        self._in_code = False

    def feed(self, text: str) -> str:
        """What may be shown now."""
        if self.claimed:
            return ""
        if self._first is not None:
            self._first += text
            if self._may_lack():
                return ""
            text, self._first = self._first, None
        if self._nod is not None:
            self._nod += text
            if _may_only_acknowledge(self._nod):
                return ""
            text, self._nod = self._nod, None
        if self._opening is not None:
            self._opening += text
            if _may_be_opener(self._opening):
                return ""
            text = self._opened()
        shown = self._passed(text)
        if shown:
            shown, self._opener = self._opener + shown, ""
        return shown

    def _may_lack(self) -> bool:
        """Whether the first sentence is one of what its speaker lacks, or may become one."""
        said = self._first or ""
        end = _SENTENCE_END.search(said)
        if end is None:
            return may_disclaim(said)
        if disclaims(said[: end.end()]):
            self.claimed, self.held = Claim.LACK, said
        return self.claimed is not None

    def _opened(self) -> str:
        """What comes behind the words that only begin an answer: where that claims, they go with it."""
        said, self._opening = self._opening or "", None
        opener = OPENER.match(said)
        self._opener = opener[0] if opener is not None else ""
        return said[len(self._opener) :]

    def _passed(self, text: str) -> str:
        self._sentence += text
        shown = ""
        while (end := _SENTENCE_END.search(self._sentence)) is not None:
            whole = self._sentence[: end.end()]
            if self._is_claim(whole):
                return shown
            shown += whole[self._shown :]
            self._sentence, self._shown = self._sentence[end.end() :], 0
        return shown + self._certain()

    def finish(self) -> str:
        """The rest, unless it is a claim."""
        if self._first is not None and not self.claimed:
            said, self._first = self._first, None
            if disclaims(said):
                self.claimed, self.held = Claim.LACK, said
                return ""
            return self.feed(said) + self.finish()
        if self._nod is not None:
            nod, self._nod = self._nod, None
            if ONLY_ACKNOWLEDGES.fullmatch(nod):
                self.claimed = Claim.ACT
                return ""
            return self.feed(nod) + self.finish()
        if self._opening is not None:
            # Nothing but an opener, which says nothing false.
            self._opener, self._opening = self._opening, None
        rest = "" if self.claimed or self._is_claim(self._sentence) else self._sentence[self._shown :]
        self._sentence, self._shown = "", 0
        if not self.claimed:
            rest, self._opener = self._opener + rest, ""
        return rest

    def _is_claim(self, sentence: str) -> bool:
        fence = sentence.lstrip()
        if fence.startswith("```"):
            self._in_code = not self._in_code and fence.strip("` \n") != ""
        elif not self._in_code and (ROWS_TOLD.match(sentence) or (self._counts and COUNTED.search(sentence))):
            self.claimed = Claim.LOOK
        elif not self._in_code and (self._is_order or MAY_CLAIM.search(sentence) is not None):
            found = claim_in(sentence, self._is_draft, self._is_order)
            self.claimed = None if found is Claim.LOOK and self._may_look else found
        return self.claimed is not None

    def _certain(self) -> str:
        if self._in_code:
            upto = len(self._sentence)
        elif self._counts or self._is_order:
            upto = 0
        elif (begins := MAY_CLAIM.search(self._sentence)) is not None:
            # What stands before it in the sentence waits as well, where it is not shown yet.
            upto = begins.start() if self._shown or self._is_general else 0
        elif MAY_TELL_ROWS.match(self._sentence) or (
            not self._is_general and MAY_BEGIN.match(self._sentence)
        ):
            upto = 0
        else:
            word = _PART_OF_WORD.search(self._sentence)
            is_first = word is not None and not self._sentence[: word.start()].strip()
            waits = word is not None and (not is_first or self._may_become(word[0]))
            upto = word.start() if word is not None and waits else len(self._sentence)
        certain = self._sentence[self._shown : max(upto, self._shown)]
        self._shown += len(certain)
        return certain

    def _may_become(self, part: str) -> bool:
        """Whether `part` is the beginning of a word that a claim begins with."""
        words = CLAIMING_WORDS if self._is_general else FIRST_WORDS
        return any(word.startswith(part.casefold()) for word in words)
