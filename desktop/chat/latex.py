"""Where formulas are in a text, and how they read as Unicode where they cannot be drawn.

`\\frac{a}{b}` becomes a/b, `x_i^2` becomes xᵢ², `\\alpha` becomes α.

Formulas stand between `\\(…\\)`, `\\[…\\]`, `$$…$$` and, where it cannot be a price or a variable of a shell,
`$…$`; models also write `\\boxed{…}` without any. Code is left alone. A command that is not known stays as it
was written: nothing is lost.

By hand: pylatexenc changes the meaning of formulas (docs/decisions.md, "Which library reads formulas?").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_DEEPEST = 40  # groups within groups; beyond, the formula stays as it was written
_LONGEST = 4_000  # characters of one formula
# Code and escaped dollars come first, so that a formula never begins inside them. A price is held apart by
# what stands around the dollars: `US$20` and `$5-$10` have a letter or a digit right outside.
_FORMULA = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<escaped>\\[$\\])"
    r"|\\\[(?P<block>(?:(?!\n\s*\n|\\\[).)+?)\\\]"
    r"|\\\((?P<line>(?:(?!\n\s*\n|\\\().)+?)\\\)"
    r"|(?P<boxed>\\boxed\{(?:[^{}\n]|\{[^{}\n]*\})++\})"
    r"|\$\$(?P<dollars>(?:(?!\n\s*\n)[^$])+?)\$\$"
    r"|(?<![\w$\\])\$(?P<dollar>[^\s$`](?:[^$\n`]*[^\s$`\\])?)\$(?![\w$])",
    re.DOTALL,
)

_BEGINNINGS = ("$", "\\(", "\\[", "\\boxed{")
_INDENTED = re.compile(r"(?: {4}|\t)")
# "$HOME and $USER" is words, "$x_1$" is not: signs of mathematics and no word of four letters.
_SIGNS_OF_MATH = re.compile(r"[\\^_={}<>]|\w\s*[+*/−-]\s*\w|\w\(\w")
_LONG_WORD = re.compile(r"(?<!\\)\b[A-Za-z]{4,}\b")
_SHORT_NAME = re.compile(r"[A-Za-z][A-Za-z']{0,2}|[A-Za-z](?:\s*,\s*[A-Za-z])+")
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_&~']|\s+|.", re.DOTALL)
# Primes, degrees, combining marks, raised and lowered letters: they belong to the letter before them.
_MARKS = r"[′°\u0300-\u036f\u20d7⁰-ₜᵃ-ᵿ²³¹]"
_FIRST_MARK = 0xF0000
MOST_FORMULAS = 2_000  # in one piece of text
MARKS = re.compile(f"[{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + MOST_FORMULAS)}]")


@dataclass(frozen=True)
class Formula:
    """What stood between the delimiters; `display`: in a line of its own."""

    source: str
    display: bool

    @property
    def written(self) -> str:
        """With delimiters, as LaTeX has it."""
        return f"\\[{self.source}\\]" if self.display else f"\\({self.source}\\)"


def with_marks(markdown: str) -> tuple[str, list[Formula]]:
    """`markdown` with one mark for each formula, and the formulas in their order.

    A mark is a letter of Unicode's last private area, which markdown takes for a letter like any other. Who
    shows the text puts the formula there, drawn or as `unicode_of` has it.
    """
    if not any(begin in markdown for begin in _BEGINNINGS):
        return markdown, []
    if _INDENTED.match(markdown) and all(_INDENTED.match(line) for line in markdown.split("\n") if line):
        return markdown, []  # code by indentation
    if MARKS.search(markdown):
        return markdown, []  # nobody writes these letters but who wants to confuse the marks
    formulas: list[Formula] = []

    def marked(found: re.Match[str]) -> str:
        formula = _formula(found)
        if formula is None or len(formulas) >= MOST_FORMULAS:
            return found.group()
        formulas.append(formula)
        return mark_of(len(formulas) - 1)

    return _FORMULA.sub(marked, markdown), formulas


def mark_of(number: int) -> str:
    """The mark of the formula with this number."""
    return chr(_FIRST_MARK + number)


def number_of(mark: str) -> int:
    """Which of the formulas a mark stands for."""
    return ord(mark) - _FIRST_MARK


def unicode_of(formula: str) -> str:
    """One formula without its delimiters; several lines where it has several."""
    # A model that repeats itself writes formulas without end; nobody reads one of four thousand characters.
    if len(formula) > _LONGEST:
        return formula
    try:
        text = _Reader(formula).read_all()
    except _TooDeep:
        return formula
    return _tidy(text)


def _formula(found: re.Match[str]) -> Formula | None:
    if found["code"] or found["escaped"]:
        return None
    inline = found["dollar"]
    if inline is not None and not _is_math(inline):
        return None
    display = found["block"] or found["dollars"]
    return Formula((display or found["line"] or found["boxed"] or inline).strip(), display is not None)


def _is_math(text: str) -> bool:
    """Whether what stands between two dollars is a formula, and not the room between two prices."""
    if _SHORT_NAME.fullmatch(text):
        return True
    words = _LONG_WORD.findall(re.sub(r"\\[A-Za-z]+(?:\{[^{}]*\})?", "", text))
    return bool(_SIGNS_OF_MATH.search(text)) and not words


def _tidy(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        # Cut and joined: a pattern that begins with blanks looks at a long gap once for each of them.
        parts = [part.strip() for part in _RELATION.split(line)]
        spaced = " ".join(parts) if len(parts) > 1 else line
        lines.append(re.sub(r" {2,}", lambda gap: "  " if len(gap.group()) > 2 else " ", spaced).strip())
    return "\n".join(line for line in lines if line)


class _TooDeep(Exception):
    pass


class _Reader:
    """Reads a formula from left to right. What is missing at its end is taken for empty."""

    def __init__(self, formula: str) -> None:
        self._tokens = _TOKEN.findall(formula)
        self._at = 0
        self._depth = 0

    def read_all(self) -> str:
        text = ""
        while self._at < len(self._tokens):
            text += self._read_until(frozenset())
            if self._at < len(self._tokens):
                self._at += 1  # a bracket without its other half
        return text

    def _read_until(self, ends: frozenset[str]) -> str:
        """Everything up to one of `ends` or a closing bracket, which are left where they are."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _TooDeep
        parts: list[str] = []
        while self._at < len(self._tokens):
            piece = self._tokens[self._at]
            if piece in ends or piece == "}":
                break
            self._at += 1
            parts.append(self._one(piece, parts))
        self._depth -= 1
        return "".join(parts)

    def _one(self, piece: str, before: list[str]) -> str:
        if piece == "{":
            return self._rest_of_group()
        if piece in "^_":
            return _script(self._argument(), piece)
        if piece.startswith("\\") and len(piece) > 1:
            return self._command(piece[1:].rstrip("*") or piece[1:], before)
        if piece.isspace():
            return " "
        return {"-": "−", "'": "′", "~": " ", "&": " "}.get(piece, piece)

    def _rest_of_group(self) -> str:
        text = self._read_until(frozenset())
        if self._at < len(self._tokens):
            self._at += 1
        return text

    def _argument(self) -> str:
        """The next group, command or character."""
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        if self._at >= len(self._tokens) or self._tokens[self._at] == "}":
            return ""
        piece = self._tokens[self._at]
        self._at += 1
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _TooDeep
        text = self._one(piece, [])
        self._depth -= 1
        return text

    def _option(self) -> str:
        """What stands between [ and ] at this place, or ""."""
        if self._at >= len(self._tokens) or self._tokens[self._at] != "[":
            return ""
        self._at += 1
        text = self._read_until(frozenset("]"))
        self._at += 1
        return text

    def _command(self, name: str, before: list[str]) -> str:
        if name in _SYMBOLS:
            return _SYMBOLS[name]
        if name in _SPACES:
            return _SPACES[name]
        if name in _FUNCTIONS:
            return self._function(name, before)
        if name in _IGNORED:
            self._skip_empty_bracket(name)
            return ""
        if name in _PLAIN:
            return self._argument()
        if name in _ALPHABETS:
            return "".join(_ALPHABETS[name].get(letter, letter) for letter in self._argument())
        if name in _ACCENTS:
            return _accented(self._argument(), _ACCENTS[name])
        return self._structure(name)

    def _structure(self, name: str) -> str:
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            above, below = self._argument(), self._argument()
            return f"{_grouped(above, products=True)}/{_grouped(below)}"
        if name in ("binom", "dbinom", "tbinom"):
            return f"C({self._argument()}, {self._argument()})"
        if name == "sqrt":
            degree = self._option()
            root = _ROOTS.get(degree) or _script(degree, "^") + "√"
            return root + _grouped(self._argument())
        if name == "begin":
            return self._environment(self._argument())
        if name == "pmod":
            return f"(mod {self._argument()})"
        if name == "not":
            return self._argument() + "\u0338"
        if name == "\\":
            return "\n"
        return name if len(name) == 1 and not name.isalpha() else f"\\{name}"

    def _function(self, name: str, before: list[str]) -> str:
        # LaTeX sets functions apart by spaces of its own: `2\cos y` is 2 cos y and not 2cosy.
        space = " " if before and before[-1][-1:].isalnum() else ""
        following = self._tokens[self._at] if self._at < len(self._tokens) else ""
        return space + name + (" " if following[:1].isalnum() or following.startswith("\\") else "")

    def _skip_empty_bracket(self, name: str) -> None:
        """`\\left.` draws nothing."""
        if name in ("left", "right") and self._at < len(self._tokens) and self._tokens[self._at] == ".":
            self._at += 1

    def _environment(self, name: str) -> str:
        """Rows of cells up to `\\end`: a matrix in one line, what is aligned in several."""
        name = name.rstrip("*")
        if name == "array":
            self._argument()  # how its columns are aligned
        rows: list[list[str]] = [[]]
        while self._at < len(self._tokens):
            rows[-1].append(self._read_until(frozenset({"&", "\\\\", "\\end"})).strip())
            end = self._tokens[self._at] if self._at < len(self._tokens) else "\\end"
            self._at += 1
            if end == "\\end":
                self._argument()
                break
            if end == "\\\\":
                rows.append([])
        filled = [row for row in rows if any(row)]
        if name not in _BRACKETS:
            return "\n".join(" ".join(row) for row in filled)
        first, last = _BRACKETS[name]
        return first + "; ".join("   ".join(row) for row in filled) + last


def _script(text: str, kind: str) -> str:
    """Raised or lowered letters where there are some for all of it; else ^( ) and _( )."""
    letters = _RAISED if kind == "^" else _LOWERED
    compact = "".join(text.split())
    # Unicode has no raised letter for every letter: a half raised exponent would read as another number.
    if kind == "^" and compact == "∘":
        return "°"
    if all(letter in letters for letter in compact):
        return "".join(letters[letter] for letter in compact)
    return kind + (compact if len(compact) == 1 else f"({text.strip()})")


def _grouped(text: str, products: bool = False) -> str:
    """In parentheses, unless it is one word, one number (`products`: or 2a) or in brackets already."""
    text = text.strip()
    if not text or re.fullmatch(rf"√?(?:[\d.]+|[^\W\d]+{_MARKS}*)", text):
        return text
    if products and re.fullmatch(rf"√?[\w.]+{_MARKS}*", text):
        return text
    if re.fullmatch(r"\([^()]*\)|[\w]+\([^()]*\)", text):
        return text
    return f"({text})"


def _accented(text: str, mark: str) -> str:
    return "".join(letter + mark if not letter.isspace() else letter for letter in text)


# -- tables ------------------------------------------------------------------------------------------

# Signs that have room on both sides.
_RELATIONS = frozenset("=<>≤≥≠≡≈∼≃≅∝≪≫∈∉⊂⊃⊆⊇→←↔⇒⇐⇔⟹⟺↦⟶⟵⊢⊨")
_RELATION = re.compile(f"([{''.join(_RELATIONS)}])")
_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        """
    sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln lg exp lim max min sup inf
    det dim ker gcd lcm deg arg mod hom Pr limsup liminf argmax argmin
""",
    )
)

# Take one argument and show it as it is.
_PLAIN = frozenset(
    re.findall(
        r"\w+",
        """
    text textrm textbf textit texttt mathrm mathbf mathit mathsf mathtt mathnormal operatorname
    boldsymbol bm mbox hbox emph underbrace overbrace boxed pmb
""",
    )
)

_IGNORED = frozenset(
    re.findall(
        r"\w+",
        """
    left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr displaystyle textstyle scriptstyle
    limits nolimits nonumber notag middle
""",
    )
)

_SPACES = {"quad": "  ", "qquad": "    ", ",": " ", ";": " ", ":": " ", " ": " ", "!": "", "~": " "}
_ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "bar": "\u0304",
    "overline": "\u0305",
    "vec": "\u20d7",
    "dot": "\u0307",
    "ddot": "\u0308",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "underline": "\u0332",
}

_SCRIPT_LETTERS = dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True))
_ALPHABETS = {
    "mathbb": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "mathcal": _SCRIPT_LETTERS,
    "mathscr": _SCRIPT_LETTERS,
    "mathfrak": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
}

_RAISED = dict(
    zip(
        "0123456789+−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθφχ′*∗",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ′**",
        strict=True,
    )
)

_LOWERED = dict(
    zip("0123456789+−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True)
)

_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_BRACKETS = {
    "matrix": ("[", "]"),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
    "smallmatrix": ("[", "]"),
    "array": ("[", "]"),
    "cases": ("{ ", ""),
}

# Commands and their signs by turns.
_SYMBOLS: dict[str, str] = dict(
    re.findall(
        r"(\w+) (\S+)",
        """
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ
mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ
psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ wedge ∧ vee ∨
land ∧ lor ∨ lnot ¬ neg ¬ cap ∩ cup ∪ setminus ∖ sqcup ⊔ sqcap ⊓
leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ prec ≺ succ ≻
in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ mid ∣ nmid ∤ parallel ∥ perp ⊥ models ⊨ vdash ⊢
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹
iff ⟺ mapsto ↦ longrightarrow ⟶ longleftarrow ⟵ uparrow ↑ downarrow ↓ hookrightarrow ↪ rightharpoonup ⇀
sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁
bigwedge ⋀ partial ∂ nabla ∇ infty ∞ forall ∀ exists ∃ nexists ∄ emptyset ∅ varnothing ∅ aleph ℵ hbar ℏ ell ℓ
Re ℜ Im ℑ wp ℘ angle ∠ triangle △ square □ therefore ∴ because ∵ dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱
prime ′ dagger † ddagger ‡ deg ° degree ° langle ⟨ rangle ⟩ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ vert ∣ Vert ‖
lbrace { rbrace } backslash \\ top ⊤ bot ⊥ surd √ checkmark ✓ pounds £ euro € copyright © S § P ¶
lvert ∣ rvert ∣
""",
    )
)
