"""Amounts as people write them: "1.234,50 €", "1 234,50", "250 g flour", "½ cup".

Whether a point parts thousands or decimals is told from all numbers of a column together; where both readings
are possible nobody knows, and that is said. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

NARROW = "\u00a0\u202f\u2009 "  # blanks that part thousands
_GROUPS = f"{NARROW}'’"
_NUMBER = (
    rf"\d{{1,3}}(?:[{_GROUPS}]\d{{3}})+(?:[.,]\d+)?|\d{{1,3}}(?:\.\d{{3}})+(?:,\d+)?|"
    rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
)
_SIGN = r"[+\-−–]?"
_CURRENCIES = {
    "€": "€", "eur": "€", "euro": "€", "euros": "€", "$": "$", "usd": "$", "dollar": "$", "dollars": "$",
    "£": "£", "gbp": "£", "pound": "£", "pounds": "£", "chf": "CHF", "fr.": "CHF", "¥": "¥",
}  # fmt: skip
_BEFORE = r"(?:[€$£¥]|(?:EUR|USD|GBP|CHF|Fr\.)(?=[\s\d+-]))"
# No date, no version, no hour, no number of a street: a unit is a few letters or a sign.
_UNIT = r"[€$£¥%]|[^\W\d_][\w./²³°]{0,12}"
_AMOUNT = re.compile(
    rf"\s*(?P<sign>{_SIGN})\s?(?P<before>{_BEFORE})?\s?(?P<minus>{_SIGN})(?P<number>{_NUMBER})"
    rf"(?:\s?(?P<unit>{_UNIT}))?\s*",
    re.IGNORECASE,
)
LONGEST_CELL = 60  # characters; more is a sentence with a number in it
MOST_DIGITS = 28  # of an exact sum


@dataclass(frozen=True)
class NumberStyle:
    """How numbers are written: the sign before the decimals, that between thousands ("" for none)."""

    decimal: str = "."
    group: str = ""
    places: int = 0  # the most decimals that one of them has

    def read(self, token: str) -> Decimal:
        """The number that `token`, digits with these signs, stands for."""
        bare = re.sub(rf"[{_GROUPS}]", "", token)
        other = "," if self.decimal == "." else "."
        return Decimal(bare.replace(other, "").replace(self.decimal, "."))

    def written(self, value: Decimal, places: int | None = None) -> str:
        """`value` with the signs of this style, rounded to `places` where they are given."""
        if places is not None:
            value = _rounded(value, places)
        sign, digits = ("-" if value < 0 else ""), f"{abs(value):f}"
        whole, _, rest = digits.partition(".")
        if self.group:
            whole = re.sub(r"(?<=\d)(?=(?:\d{3})+\Z)", self.group, whole)
        return f"{sign}{whole}{self.decimal + rest if rest else ''}"


@dataclass(frozen=True)
class Amount:
    value: Decimal
    unit: str = ""  # a currency by its sign


@dataclass(frozen=True)
class Unclear:
    """`cell` is no number, or one that may be read in two ways."""

    cell: str
    is_ambiguous: bool = False


@dataclass(frozen=True)
class Column:
    """One after another; None where a cell is empty."""

    amounts: tuple[Amount | None, ...]
    style: NumberStyle

    @property
    def units(self) -> frozenset[str]:
        return frozenset(each.unit for each in self.amounts if each is not None)


def amount_in(cell: str) -> Amount | None:
    """The one amount that all of `cell` is; None for words, a date, or something that may be either."""
    found = column_of([cell])
    return found.amounts[0] if isinstance(found, Column) else None


def column_of(cells: Sequence[str], parted_by: str = "") -> Column | Unclear:
    """The amounts of a column, whose style is read off all of them; `parted_by` is the sign between the
    columns: a comma there is none between decimals. What is no number is named."""
    tokens: list[re.Match[str] | None] = []
    for cell in cells:
        token = _token(cell) if cell.strip() else None
        if token is None and cell.strip():
            return Unclear(cell.strip())
        tokens.append(token)
    style = _style([each for each in tokens if each is not None], parted_by)
    if isinstance(style, Unclear):
        return style
    return Column(tuple(None if each is None else _amount(each, style) for each in tokens), style)


def unit_of(written: str) -> str:
    """A unit by its own sign, so that "EUR" and "€" are one."""
    return _CURRENCIES.get(written.casefold(), written)


def _token(cell: str) -> re.Match[str] | None:
    return _AMOUNT.fullmatch(cell) if len(cell) <= LONGEST_CELL else None


def _amount(token: re.Match[str], style: NumberStyle) -> Amount:
    value = style.read(token["number"])
    is_less = any(each and each in "-−–" for each in (token["sign"], token["minus"]))
    unit = token["unit"] or token["before"] or ""
    return Amount(-value if is_less else value, unit_of(unit))


@dataclass(frozen=True)
class _Signs:
    """What the signs of one number say: that before its decimals, those between its thousands, how many
    decimals it has, and the sign that may be either."""

    decimal: str = ""
    groups: frozenset[str] = frozenset()
    places: int = 0
    doubtful: str = ""


def _signs(token: re.Match[str]) -> _Signs:
    number = token["number"]
    signs = re.findall(r"\D", number)
    blanks = frozenset(each for each in signs if each in _GROUPS)
    left = [each for each in signs if each not in _GROUPS]
    if not left:
        return _Signs(groups=blanks)
    last = left[-1]
    places = len(number) - number.rindex(last) - 1
    if blanks or len(set(left)) > 1:
        # The last of two is the decimal one.
        return _Signs(last, blanks | set(left[:-1]), places)
    if len(left) > 1:
        return _Signs(groups=frozenset(left))
    if places != 3 or number.startswith("0") or number.index(last) > 3:
        return _Signs(last, places=places)
    unit = unit_of(token["unit"] or token["before"] or "")
    # Money has no three decimals.
    return _Signs(groups=frozenset(last)) if unit in _CURRENCIES.values() else _Signs(doubtful=last)


def _style(tokens: Sequence[re.Match[str]], parted_by: str) -> NumberStyle | Unclear:
    """The one style in which all can be read; Unclear where there are two, or none."""
    signs = [_signs(each) for each in tokens]
    decimals = {each.decimal for each in signs} - {""}
    groups = {sign for each in signs for sign in each.groups}
    places = max((each.places for each in signs), default=0)
    for token, each in zip(tokens, signs, strict=True):
        if not each.doubtful:
            continue
        others = groups & {",", "."} - {each.doubtful}
        if each.doubtful in decimals or others:
            decimals, places = decimals | {each.doubtful}, max(places, 3)
        elif each.doubtful in groups or decimals or (each.doubtful, parted_by) in ((",", ","), (".", ";")):
            groups = groups | {each.doubtful}
        else:
            return Unclear(token[0].strip(), is_ambiguous=True)
    if decimals & groups or len(decimals) > 1 or len(groups & {",", "."}) > 1:
        return Unclear(tokens[0][0].strip(), is_ambiguous=True)
    group = next(iter(sorted(groups)), "")
    # Whole numbers alone say nothing: then a point parts decimals, unless it parts thousands.
    decimal = next(iter(decimals), "," if group == "." else ".")
    return NumberStyle(decimal, group, places)


# -- lines of a list ------------------------------------------------------------------------------

_MARK = r"[ \t]*(?:[-*•+]|\d+[.)](?=\s)|\[[ xX]?\])[ \t]+(?:\[[ xX]?\][ \t]+)?"
_FRACTIONS = {"½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3), "⅛": (1, 8)}
_FRACTION = rf"\d+\s+\d+/\d+|\d+/\d+|\d*\s?[{''.join(_FRACTIONS)}]"
# Of what a recipe or a list is measured in; any other word behind a number is the thing itself.
_MEASURES = """
    g gr kg mg lb lbs oz ml cl dl l el tl tbsp tsp cup cups tasse tassen tasses taza tazas liter litre litres
    litros litro gram grams gramm grammes gramos kilo kilos pinch prise prisen pincée pizca can cans dose
    dosen boîte boîtes lata latas clove cloves zehe zehen gousse gousses diente dientes slice slices scheibe
    scheiben tranche tranches rebanada rebanadas pack packs päckchen packung sachet sachets paquete paquetes
    bund bunch botte manojo piece pieces stück pièce pièces tablespoon tablespoons teaspoon teaspoons
    esslöffel teelöffel cuillère cuillères cucharada cucharadas cucharadita cucharaditas bottle bottles
    flasche flaschen bouteille bouteilles botella botellas pint pints quart cs cc
"""
MEASURES = frozenset(_MEASURES.split())
# What grows with no recipe.
_FIXED = re.compile(
    r"\s*(?:°|degrees?\b|grad\b|degrés?\b|grados?\b|minutes?\b|mins?\b|minuten\b|minutos?\b|hours?\b|h\b|"
    r"stunden?\b|heures?\b|horas?\b|days?\b|tage?n?\b|jours?\b|días?\b|cm\b|mm\b|%|uhr\b|sec\w*|sek\w*)",
    re.IGNORECASE,
)
_QUANTITY = rf"(?:{_FRACTION}|{_NUMBER})"
_LEADING = re.compile(
    rf"(?P<mark>{_MARK})?(?P<currency>{_BEFORE}\s?)?(?P<number>{_QUANTITY})"
    rf"(?P<range>\s?(?:-|–|to|bis|à|a)\s?{_QUANTITY})?(?P<gap>\s?)(?P<rest>\S.*|)",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    rf"(?P<mark>{_MARK})?(?P<label>.*[^\d\s.,:;=–-].*?)(?P<between>\s*[:=–-]\s+|\s*:\s*|\s+)"
    rf"(?P<amount>{_SIGN}(?:{_BEFORE}\s?)?{_SIGN}{_QUANTITY}(?:\s?(?:{_UNIT}))?)\s*",
    re.IGNORECASE,
)
MOST_ENTRY_WORDS = 10  # more is a sentence, and
MOST_SENTENCE_WORDS = 3  # so is what ends like one


@dataclass(frozen=True)
class Entry:
    """A line of a list: what it is of, and its amount as it is written ("" for none)."""

    label: str
    amount: str
    line: int  # its number in the text, from 0


def entries_in(text: str) -> tuple[Entry, ...]:
    """The entries of a list: of its marked lines where it has some, else of all; () for prose."""
    lines = text.splitlines()
    marked = [at for at, line in enumerate(lines) if re.match(rf"{_MARK}\S", line)]
    chosen = marked or [at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    found = [_entry(lines[at], at) for at in chosen]
    # One line that is a sentence makes the whole no list.
    return tuple(each for each in found if each is not None) if None not in found else ()


def _entry(line: str, at: int) -> Entry | None:
    bare = re.sub(rf"^{_MARK}", "", line).strip()
    words = bare.split()
    is_sentence = len(words) > MOST_SENTENCE_WORDS and bare.endswith((".", "!", "?"))
    if not bare or is_sentence or len(words) > MOST_ENTRY_WORDS or re.search(r"[^.\d]\.\s+\S", bare):
        return None
    leading = _LEADING.fullmatch(bare)
    if leading is not None and not leading["mark"] and not leading["range"]:
        unit, rest = _measured(leading["rest"])
        label = re.sub(r"\([^()]*\)", " ", rest)
        label = " ".join(re.sub(r"^\s*(?:of|de|d['’]|du|von)\s*(?=\S)", "", label).split())
        if label.strip():
            amount = f"{leading['currency'] or ''}{leading['number']}{' ' + unit if unit else ''}"
            return Entry(label.strip(" ,"), amount.strip(), at)
        # "30 euros" alone: a number of which nothing is said.
        return Entry("", bare, at)
    trailing = _TRAILING.fullmatch(bare)
    if trailing is not None and not re.search(r"\d\s*$", trailing["label"]):
        return Entry(trailing["label"].strip(" :=-–"), trailing["amount"].strip(), at)
    return Entry(bare, "", at)


def _measured(rest: str) -> tuple[str, str]:
    """The unit that `rest` begins with, and what is behind it."""
    word = re.match(r"[€$£¥%]|[^\W\d_]+\.?", rest)
    if word is None:
        return "", rest
    is_unit = word[0].rstrip(".").casefold() in MEASURES or word[0].casefold() in _CURRENCIES
    return (word[0], rest[word.end() :].strip()) if is_unit else ("", rest)


def value_of(token: str, style: NumberStyle) -> Decimal:
    """The value of "1 1/2", "½" or a number in `style`."""
    parts = token.split()
    total = Decimal(0)
    for part in parts if re.search(rf"[/{''.join(_FRACTIONS)}]", token) else [token]:
        sign = next((each for each in part if each in _FRACTIONS), "")
        if "/" in part:
            above, _, below = part.partition("/")
            total += Decimal(above) / Decimal(below)
        elif sign:
            above_, below_ = _FRACTIONS[sign]
            total += Decimal(part.replace(sign, "") or 0) + Decimal(above_) / Decimal(below_)
        else:
            total += style.read(part)
    return total


def list_style(text: str) -> NumberStyle | Unclear:
    """How the amounts of a list are written."""
    numbers = []
    for entry in entries_in(text):
        # Fractions say nothing of points and commas.
        if entry.amount and not re.search(rf"[/{''.join(_FRACTIONS)}]", entry.amount):
            token = _token(entry.amount)
            numbers += [token] if token is not None else []
    return _style(numbers, "")


# -- more or less of everything -------------------------------------------------------------------

_SERVINGS = re.compile(
    r"(?P<before>\b(?:for|serves|makes|für|pour|para|ergibt|portionen:?|servings:?|portions\s?:|raciones:?|"
    r"personen:?|personnes\s?:)\s+)(?P<number>\d+)(?P<behind>(?:\s+(?:people|persons?|servings|personen|"
    r"portionen|personnes|portions|personas|raciones|stück|pancakes|pieces))?)(?!\w|[.,]\d|\s?(?:min|h\b|stunden|"
    r"hours|heures|horas))",
    re.IGNORECASE,
)


def servings_in(text: str) -> int:
    """For how many a recipe says that it is; 0 where it says nothing, or two things."""
    found = {int(each["number"]) for each in _SERVINGS.finditer(text)}
    return found.pop() if len(found) == 1 else 0


def scaled_text(text: str, factor: Decimal) -> str | None:
    """`text` with the amounts of its list times `factor`, and all else as it stands; None where there is
    none, or one cannot be read surely."""
    style = list_style(text)
    entries = entries_in(text)
    if isinstance(style, Unclear) or not any(each.amount for each in entries):
        return None
    lines = text.splitlines(keepends=True)
    for at in [each.line for each in entries if re.search(r"\d|[½¼¾⅓⅔⅛]", lines[each.line])]:
        changed = _scaled_line(lines[at], factor, style)
        if changed is None:
            return None
        lines[at] = changed
    whole = "".join(lines)

    def served(found: re.Match[str]) -> str:
        number = Decimal(found["number"]) * factor
        return f"{found['before']}{written_amount(number, style)}{found['behind']}"

    return _SERVINGS.sub(served, whole)


def _scaled_line(line: str, factor: Decimal, style: NumberStyle) -> str | None:
    end = line[len(line.rstrip("\r\n")) :]
    body = line[: len(line) - len(end)]
    leading = _LEADING.fullmatch(body)
    if leading is not None:
        if _FIXED.match(leading["gap"] + leading["rest"]):
            return line
        more = leading["range"] or ""
        span = re.sub(_QUANTITY, lambda each: _times(each[0], factor, style), more)
        start = body[: leading.start("number")]
        unit, _ = _measured(leading["rest"])
        rest = leading["rest"]
        # "1 can (400 g)": what one holds stays; "250 g (2 cups)" says the same twice.
        if unit.casefold().rstrip(".") in _WEIGHED:
            rest = re.sub(
                rf"\((?P<n>{_QUANTITY})(?=\s?[^\W\d_])",
                lambda each: f"({_times(each['n'], factor, style)}",
                rest,
            )
        return f"{start}{_times(leading['number'], factor, style)}{span}{leading['gap']}{rest}{end}"
    trailing = _TRAILING.fullmatch(body)
    if trailing is None:
        return None
    amount = re.sub(_QUANTITY, lambda each: _times(each[0], factor, style), trailing["amount"], count=1)
    return f"{body[: trailing.start('amount')]}{amount}{body[trailing.end('amount') :]}{end}"


_OF_WEIGHT = "g gr kg mg lb lbs oz ml cl dl l cup cups tasse tassen tasses taza tazas"
_WEIGHED = frozenset(_OF_WEIGHT.split())


def _times(token: str, factor: Decimal, style: NumberStyle) -> str:
    with localcontext() as exact:
        exact.prec = MOST_DIGITS
        product = value_of(token, style) * factor
    is_fraction = re.search(rf"[/{''.join(_FRACTIONS)}]", token) is not None
    return (as_fraction(product) if is_fraction else "") or written_amount(product, style)


def as_fraction(value: Decimal) -> str:
    """ "1 1/2" for 1.5; "" where no small fraction is it."""
    for below in (1, 2, 3, 4, 8):
        above = _rounded(value * below, 0)
        if abs(value * below - above) < Decimal("0.0000001"):
            whole, rest = divmod(int(above), below)
            if not rest:
                return str(whole)
            return f"{whole} {rest}/{below}" if whole else f"{rest}/{below}"
    return ""


def written_amount(value: Decimal, style: NumberStyle) -> str:
    """`value` without more decimals than it needs, two at most beyond those of the others."""
    shown = _rounded(value, max(2, style.places))
    text = f"{shown:f}"
    return style.written(Decimal(text.rstrip("0").rstrip(".") if "." in text else text))


def total_of(values: Iterable[Decimal]) -> Decimal:
    """Exactly, however many there are."""
    with localcontext() as exact:
        exact.prec = MOST_DIGITS * 2
        return sum(values, Decimal(0))


def _rounded(value: Decimal, places: int) -> Decimal:
    with localcontext() as exact:
        exact.prec = MOST_DIGITS * 2
        return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
