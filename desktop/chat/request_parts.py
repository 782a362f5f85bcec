"""What stands in a request beside what it asks to be done here.

A question: "undo that, and why is the sky blue?". An act is carried out by the program, and what it said of
it was the whole answer: the question beside it was left out, and nobody said so. So a request is taken apart
where a question stands beside an act. Each is answered for itself, the act first.

And what no tool reaches: "add salt to the list and order it". The rest is done, and that part is named, where
it would else be taken for words of the rest. Pure functions; any thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from desktop.chat.intent_words import MAY_ACT, bare_of, likely_languages

_ALSO = (
    r"(?:(?:and|also|oh|by the way|btw|und|auch|übrigens|ach|et|aussi|au fait|y|también|por cierto|"
    r"then|dann)[, ]+)*"
)
_QUESTION_WORDS = (
    r"what|who|whose|which|when|where|why|how|is|are|was|were|do|does|did|will|"
    r"wer|wen|wem|wessen|welche\w*|wann|wo|woher|wohin|warum|wieso|weshalb|wie|wozu|ist|sind|war|waren|"
    r"qui|que|quoi|quel(?:le)?s?|quand|où|pourquoi|comment|combien|est-ce|"
    r"¿\s*\w+|qué|quién(?:es)?|cuál(?:es)?|cuándo|dónde|adónde|cómo|cuánt[oa]s?|por qué"
)
_TELLS = (
    r"(?:(?:can|could|will|would) you |kannst du (?:mir )?(?:mal )?|peux-tu |puedes )?"
    r"(?:tell (?:me|us)|let me know|explain|say (?:what|who|why|how|when|where)|"
    r"(?:sag|erzähl|erklär)(?:e|st)?(?: mir| uns)?|verrate? mir|"
    r"dis(?:-moi|-nous)?|dire|raconte(?:-moi)?|expliquer?(?:-moi)?|"
    r"d[ií](?:me|nos)|decirme|cuéntame|explica(?:me)?|explícame)"
)
_IS_TOLD = re.compile(rf"\W*{_ALSO}{_TELLS}(?!\w)", re.IGNORECASE)
_IS_ASKED = re.compile(rf"\W*{_ALSO}(?:{_QUESTION_WORDS})(?!\w)", re.IGNORECASE)
_LEADS = re.compile(rf"^[\s,]*{_ALSO}", re.IGNORECASE)
_BEGINS = re.compile(rf"^\W*{_ALSO}(?:{_TELLS}[,:]?\s+)?", re.IGNORECASE)
# "Was 15 mal 12 ist", "what 15 times 12 is".
_VERB_LAST = re.compile(
    r"(?:what|how much|was|wie ?viel|combien|cu[aá]nto)\s+(?P<what>.*\d.*?)\s+"
    r"(?:is|are|makes?|ist|sind|macht|ergibt|font|fait|es|son)\Z",
    re.IGNORECASE,
)
# Where one part ends: the sign, the word, or both.
_JOINT = re.compile(
    r"(?P<end>[.!?;])\s+|(?P<comma>,)?\s+"
    r"(?P<word>and then|and also|and|then|und dann|und|dann|et puis|et|puis|y luego|y|e|luego)\s+|"
    r"(?P<only>,)\s+",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?<!\w)['‘\"“„«].+?['’\"”“»](?!\w)")
# "How much is it, and write that down": the act is about the answer.
_OF_ANSWER = re.compile(
    r"\b(?:it|that|this|them|result|answer|total|sum|es|das|dies|ergebnis|antwort|summe|ça|cela|résultat|"
    r"réponse|somme|eso|esto|resultado|respuesta|suma)\b|(?:^|[\s-])(?:l[oe]|la|les|los|las)\b(?!\s\w+\.)|"
    r"\w{3,}l[oae]s?\b",
    re.IGNORECASE,
)
_KEEPS_ANSWER = re.compile(
    r"\W*(?:please |bitte )?(?:write|save|store|put|add|note|keep|copy|append|jot|record|"
    r"schreib|speicher|notier|leg|pack|häng|füg|trag|merk|écri|enregistr|not|ajout|met|sauvegard|"
    r"escrib|guard|anot|apunt|añad|pon|agreg)",
    re.IGNORECASE,
)


# What an act on the file before it may lead on to, and no tool of ours can do.
_SOMEBODY = (
    r"(?:him|her|them|everyone|everybody|us|my|our|the (?:plumber|doctor|landlord|bank|office|school|team|"
    r"boss|"
    r"accountant|neighbou?rs?|others|guests|client|customer)s?|(?-i:[A-Z])\w+|mom|mum|dad|grandma)"
)
_CALENDAR = r"(?:calendar|kalender|agenda|calendrier|calendario)"
_BEYOND = re.compile(
    rf"\W*{_ALSO}(?:(?:please|then|afterwards|bitte|dann|danach|anschließend|ensuite|puis|après|luego|"
    r"después|por favor|"
    r"can you|could you|kannst du|peux-tu|puedes)\s+)*(?:"
    r"(?:e-?mail|mail|send|forward|fax|whatsapp|tweet|upload|publish|post|share|order|buy|print|invite|"
    r"transfer|wire|pay)\b"
    r"(?! (?:me|it back|them back)\b)(?=.*\w)|(?:text|message|phone|ring|notify|inform|remind(?= (?!me\b)))"
    rf" {_SOMEBODY}\b|call {_SOMEBODY}\b(?! [\w-]+\.\w)|(?:tell|let) (?!me\b){_SOMEBODY}\b|(?:book|"
    r"reserve) (?:a|an|the|us|me|my)\b"
    r"|cancel (?:my|our|the) (?:\w+ )?(?:membership|subscription|order|appointment|booking|reservation|"
    r"flight|contract|"
    r"account|card|dentist)\b(?! (?:reminder|alarm|timer|one))|play (?:some|the|my|a|me|music)\b|(?:turn|"
    r"switch) (?:(?:the|my) \w+ )?(?:on|off|up|down)\b"
    r"|(?:dim|lock|unlock) (?:the|my)\b|empty the (?:trash|bin|recycle)|"
    r"(?:put|add|enter|note|write|save) (?:it|that|this|them|the \w+|an? \w+)? ?(?:in|into|to|"
    rf"on) (?:\w+ ){{0,3}}{_CALENDAR}\b"
    r"|(?:schicke?|sende|maile?|faxe?|bestelle?|kaufe?|buche?|reserviere?|bezahle?|überweise?|drucke?|poste|"
    r"veröffentliche|"
    r"lade? (?:ihn|sie|es|alle|die|den|mein\w*) (?:\w+ )?(?:ein|hoch)|ruf\w*|kündige?|informiere?|"
    r"verständige?)\b(?! mir\b)(?=.*\w)"
    r"|(?:sage?|gib|schreibe?) (?!mir\b|das\b|es\b)(?-i:[A-Z])\w+ (?:\w+ )?(?:bescheid|eine? (?:mail|"
    r"nachricht))\b|sage? (?!mir\b)"
    r"(?:ihm|ihr|ihnen|(?-i:[A-Z])\w+)\b|(?:schalte?|stelle?|mache?|drehe?) (?:\w+ )?(?:licht|lampe\w*|"
    r"heizung|musik|fernseher|"
    r"radio|bluetooth|wlan)\b|spiele? (?:\w+ )?(?:musik|lied)|leere? den papierkorb"
    rf"|(?:trage?|packe?|setze?|schreibe?|tu|lege?|nimm) .*\b{_CALENDAR}\b"
    r"|(?:envoie|envoyer|expédie|appelle|téléphone|réserve|commande|achète|paie|paye|imprime|publie|partage|"
    r"poste|invite|"
    r"résilie|allume|éteins)(?!-moi)(?![\w])(?=.*\w)|(?:préviens|avertis|dis)(?:-(?:le|la|les|lui|leur)|"
    r" (?:à|ma|mon|mes))\b"
    rf"|(?:mets|ajoute|note|inscris)(?:-l[ea]s?)? .*\b{_CALENDAR}\b|mets (?:de la|un peu de) musique|"
    r"vide la corbeille"
    r"|(?:enví|mánd|llám|resérv|píd|cómpr|pág|imprím|publíc|compárt|invít|avís)[ae]?\w*(?:l[oae]s?|sel[oa]s?|"
    r"les?)\b(?!me)"
    r"|(?:envía|manda|llama|reserva|pide|compra|paga|imprime|publica|comparte|invita|enciende|apaga|"
    r"transfiere)(?!\w)"
    r"|(?:dile|diles|avisa) |pon música|vacía la papelera"
    rf"|(?:pon|apunta|anota|añade|mete)(?:l[oa]s?)? .*\b{_CALENDAR}\b"
    r")",
    re.IGNORECASE,
)
_WONDERS = re.compile(
    r"\W*(?:should|shall|may|must|might|if|describe|imagine|compare|sollte?|darf|muss|beschreib\w*|dois-je|"
    r"devrais-je|décri\w*|debería|describe)\b",
    re.IGNORECASE,
)
# A reminder may be of several things, and so may a list; a text ends where its request does.
_OF_SEVERAL = re.compile(
    r"\b(?:remind me .*\b(?:to|about)|reminder (?:\w+ ){0,4}to|that says|saying|rappelle-moi .*\b(?:de|"
    r"d['’])|"
    r"recu[eé]rda\w* .*\bque|avísa\w*|einkaufen und|zu \w+en)\b|:\s",
    re.IGNORECASE,
)
_INTO_LIST = re.compile(
    r"\b(?:to|into|on|in|onto|auf|zur?|in|dans|à|a|en)\b.*\b(?:list\w*|\w*liste|lista)\b|\w\.\w{2,4}\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ReachableRequest:
    """A request without what no tool reaches; `beyond` are those parts, as they were said."""

    within: str
    beyond: tuple[str, ...]


def in_reach(request: str) -> ReachableRequest | None:
    """The two of `request`; None where all of it is within reach, or nothing is."""
    asked = " ".join(request.split())
    if _IS_ASKED.match(asked) or _IS_TOLD.match(asked) or _WONDERS.match(asked):
        return None
    joints = _joints(asked)
    starts = [0, *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), len(asked)]
    within, beyond = "", list[str]()
    is_beyond = False
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = asked[start:end].strip()
        if part and _INTO_LIST.search(part) and (_BEYOND.match(part) or (is_beyond and not _may_begin(part))):
            return None  # "put buy bread, order cake and pay rent on the list": one list
        may_be_act = part and not _INTO_LIST.search(part) and not _OF_SEVERAL.search(within)
        if may_be_act and _BEYOND.match(part):
            beyond.append(part.rstrip(" .!?,;"))
            is_beyond = True
        # What follows it without a verb of its own belongs to it: "invite Anna and Tom".
        elif is_beyond and part and not _may_begin(part):
            beyond[-1] = f"{beyond[-1]}{asked[ends[at - 1] : end].rstrip(' .!?')}"
        else:
            within += asked[ends[at - 1] : end] if within else part
            is_beyond = False
    within = within.strip(" ,;.")
    return ReachableRequest(within, tuple(beyond)) if beyond and within else None


def _may_begin(part: str) -> bool:
    """Whether `part` asks or acts by itself."""
    plain = _plain(part)
    return bool(MAY_ACT.match(plain) or _IS_ASKED.match(part) or _IS_TOLD.match(part))


@dataclass(frozen=True)
class Beside:
    """A request that both acts and asks: what is to be done, and what is to be answered."""

    act: str
    question: str


def question_beside(request: str) -> Beside | None:
    """The two of `request`; None where it only acts, only asks, or where one is about the other."""
    asked = " ".join(request.split())
    found = _behind(asked) or _before(asked)
    return replace(found, question=_LEADS.sub("", found.question)) if found is not None else None


def wordings(question: str) -> tuple[str, ...]:
    """`question` as a rule may know it: as it was asked, without "tell me", and what is asked for alone."""
    bare = _BEGINS.sub("", question).strip()
    plain = _VERB_LAST.sub(r"\g<what>", bare.strip(" ?.!")).strip()
    return tuple(dict.fromkeys(each for each in (question, bare, plain) if each))


def _behind(asked: str) -> Beside | None:
    for joint in _joints(asked):
        act, question = asked[: joint.start()].strip(), asked[joint.end() :].strip()
        if joint["end"] == "?":
            act += "?"
        if not _asks(question, joint) or not _acts(act):
            continue
        first = _before(act)
        if first is None:
            return Beside(act.strip(" ,;"), question)
        return Beside(first.act, f"{first.question} {question}")
    return None


def _before(asked: str) -> Beside | None:
    """A question, its sign, and an act behind it that is not about the answer."""
    for joint in _joints(asked):
        question, act = asked[: joint.start()].strip() + (joint["end"] or ""), asked[joint.end() :].strip()
        is_question = _IS_ASKED.match(question) if joint["end"] == "?" else _IS_TOLD.match(question)
        if not is_question or not MAY_ACT.match(_plain(act)) or _asks(act, joint):
            continue
        if _KEEPS_ANSWER.match(_plain(act)) and _OF_ANSWER.search(act):
            return None
        return Beside(_plain(act), question)
    return None


def _joints(asked: str) -> list[re.Match[str]]:
    """Where it may be taken apart: not within quotation marks."""
    quoted = [each.span() for each in _QUOTED.finditer(asked)]
    return [
        each
        for each in _JOINT.finditer(asked)
        if not any(start < each.start() < end for start, end in quoted)
    ]


def _asks(part: str, joint: re.Match[str]) -> bool:
    """Whether `part` is a question of its own. Behind a comma alone "which I need" may only say more of what
    went before; then its sign tells."""
    if _IS_TOLD.match(part):
        return True
    if not _IS_ASKED.match(part):
        return False
    return part.rstrip(" )\"'”").endswith("?") or bool(joint["end"])


def _acts(part: str) -> bool:
    """Whether one of its sentences asks for something to be done."""
    return any(MAY_ACT.search(each) and not _IS_ASKED.match(each) for each in re.split(r"[.!?;]\s+", part))


def _plain(act: str) -> str:
    return bare_of(re.sub(rf"^\W*{_ALSO}", "", act, flags=re.IGNORECASE), next(likely_languages(act)))
