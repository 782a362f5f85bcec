"""Formulas as readable Unicode."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.latex import MARKS, MOST_FORMULAS, number_of, unicode_of, with_marks


def readable(markdown: str) -> str:
    """`markdown` with its formulas as Unicode."""
    text, formulas = with_marks(markdown)
    if not formulas:
        return text
    return MARKS.sub(lambda mark: unicode_of(formulas[number_of(mark.group())].source), text)


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\frac{a}{b}", "a/b"),
        (r"\frac{a+b}{c-d}", "(a+b)/(c−d)"),
        (r"\dfrac12", "1/2"),
        (r"\frac{1}{2a}", "1/(2a)"),
        (r"\frac{2a}{x^2}", "2a/x²"),
        (r"\frac{dx}{dt}", "dx/dt"),
        (r"x_i^2", "xᵢ²"),
        (r"x_{max}", "xₘₐₓ"),
        (r"x_{B}", "x_B"),
        (r"e^{i\pi}+1=0", "e^(iπ)+1 = 0"),
        (r"e^{-x}", "e⁻ˣ"),
        (r"\alpha + \beta \leq \Gamma", "α + β ≤ Γ"),
        (r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}", "∑ᵢ₌₁ⁿ i = n(n+1)/2"),
        (r"\int_0^\infty f(x)\,dx", "∫₀^∞ f(x) dx"),
        (r"\sqrt{x}", "√x"),
        (r"\sqrt{x+1}", "√(x+1)"),
        (r"\sqrt[3]{8}", "∛8"),
        (r"\sqrt[n]{2}", "ⁿ√2"),
        (r"\left( \frac{1}{2} \right)", "( 1/2 )"),
        (r"\left. x \right|_0", "x |₀"),
        (r"\mathbb{R}^n \to \mathbb{R}", "ℝⁿ → ℝ"),
        (r"\mathcal{L}", "ℒ"),
        (r"\text{if } x \neq 0", "if x ≠ 0"),
        (r"\hat{x} \vec{v} \bar{y}", "x\u0302 v\u20d7 y\u0304"),
        (r"\sin x + 2\cos y", "sin x + 2 cos y"),
        (r"\lim_{x \to 0}", "lim_(x → 0)"),
        (r"90^\circ", "90°"),
        (r"f'(x)", "f′(x)"),
        (r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}", "(1  0; 0  1)"),
        (r"\begin{bmatrix} a & b \end{bmatrix}", "[a  b]"),
        (r"\begin{cases} 1 & x > 0 \\ 0 & x = 0 \end{cases}", "{ 1  x > 0; 0  x = 0"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b\nc = d"),
        (r"\begin{array}{cc} 1 & 2 \\ 3 & 4 \end{array}", "[1  2; 3  4]"),
        (r"\binom{n}{k}", "C(n, k)"),
        (r"a \equiv b \pmod{n}", "a ≡ b (mod n)"),
        (r"P(A \mid B)", "P(A ∣ B)"),
        (r"\{1, 2\} \subseteq \mathbb{N}", "{1, 2} ⊆ ℕ"),
        (r"50\%", "50%"),
        (r"\unknown{x}", r"\unknownx"),
        ("", ""),
        ("{", ""),
        ("}", ""),
        (r"\frac{a}", "a/"),
        ("^", ""),
    ],
)
def test_a_formula_reads_as_text(formula: str, shown: str) -> None:
    """Letters, scripts, fractions, roots, sums, matrices; the unknown stays, the broken does no harm."""
    assert unicode_of(formula) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"so \(a^2\) is", "so a² is"),
        (r"so $x_1$ and $y$ are", "so x₁ and y are"),
        ("$$\nE = mc^2\n$$", "E = mc²"),
        ("\\[\nE = mc^2\n\\]", "E = mc²"),
        (r"$a_{B}*c$", r"a_B*c"),
        (r"\[\begin{aligned} a &= 1 \\ b &= 2 \end{aligned}\]", "a = 1\nb = 2"),
        (r"$(x, y)$ and $f(x)$", "$(x, y)$ and f(x)"),
    ],
)
def test_formulas_in_running_text_become_unicode(text: str, shown: str) -> None:
    """Each stands where its mark was."""
    assert readable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5.",
        "Between $5 and $10 a month",
        "$5-$10, or US$20",
        "from $1,000 to $2,000.50",
        "either 5$ or 10$",
        "$HOME/bin:$PATH",
        "echo $HOME and $USER",
        "`$x^2$` is code, and ``\\(a\\)`` too",
        "    $x^2$ in indented code",
        r"an escaped \$x^2\$ dollar",
        r"a Windows path C:\new\table and \[not closed",
        "see [a link](https://example.org/$id) and $",
        "$ x $ with room inside is no formula",
        "no formula at all",
        "",
    ],
)
def test_prices_code_and_variables_are_left_alone(text: str) -> None:
    """A dollar is mostly money, and what stands in code is not to be touched."""
    assert readable(text) == text


@given(st.text(alphabet=st.sampled_from(list("\\{}^_$&[]()abfracsqtbegin 12+-=\n`'%")), max_size=120))
def test_nothing_that_a_model_writes_breaks_it(text: str) -> None:
    """Any mixture of signs gives a text."""
    assert isinstance(readable(text), str)
    assert isinstance(unicode_of(text), str)


@given(st.text(alphabet=st.characters(exclude_characters="$\\"), max_size=200))
def test_a_text_without_formulas_is_the_same(text: str) -> None:
    """Where there is no delimiter nothing is changed."""
    assert readable(text) == text


@given(st.text(alphabet=st.characters(exclude_characters="`\n"), min_size=1, max_size=60))
def test_code_is_the_same(code: str) -> None:
    """Between backticks nothing is a formula."""
    assert f"`{code}`" in readable(f"before `{code}` after $x^2$")


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_prices_are_two_prices(first: int, second: int) -> None:
    """Whatever the amounts."""
    text = f"It fell from ${first} to ${second}, that is all."
    assert readable(text) == text


def test_deep_nesting_stays_as_it_was_written() -> None:
    """Thousands of brackets neither fail nor take long."""
    deep = "{" * 3000 + "x" + "}" * 3000
    assert unicode_of(deep[:3900]) == deep[:3900]
    assert "\\frac" in unicode_of("\\frac" * 700)


def test_who_writes_the_marks_himself_gets_no_formulas() -> None:
    """Else words of a stranger would stand for formulas that are not there."""
    text = f"{chr(0xF0000)} and $x^2$"
    assert with_marks(text) == (text, [])


def test_a_formula_knows_whether_it_has_a_line_of_its_own() -> None:
    """By its delimiters; written again it has those of LaTeX."""
    _, formulas = with_marks(r"$x^2$, \(y_1\), $$z = 1$$, \[ a = b \]")
    assert [(each.display, each.written) for each in formulas] == [
        (False, r"\(x^2\)"),
        (False, r"\(y_1\)"),
        (True, r"\[z = 1\]"),
        (True, r"\[a = b\]"),
    ]


def test_a_result_in_a_box_needs_no_delimiters() -> None:
    """As models end a calculation; what is not closed in its line stays, and so does code."""
    assert readable(r"It comes to \boxed{27.90}.") == "It comes to 27.90."
    assert readable(r"So \boxed{\frac{1}{2}} it is") == "So 1/2 it is"
    for kept in ("\\boxed{27", "\\boxed{", "a `\\boxed{1}` b", "\\boxed{" * 9_000):
        assert readable(kept) == kept


def test_no_more_formulas_are_marked_than_there_are_marks() -> None:
    """Those beyond stay as they were written."""
    text, formulas = with_marks("$x^2$ " * (MOST_FORMULAS + 3))
    assert len(formulas) == MOST_FORMULAS
    assert text.count("$x^2$") == 3


@given(st.text(alphabet="ab =<\u2192 \t\n", max_size=40))
def test_relations_have_one_blank_on_each_side(text: str) -> None:
    """However many stand there, and none at the ends of a line."""
    for line in unicode_of(text).split("\n"):
        assert line == line.strip()
        assert not re.search(r"[=<\u2192](?! |$)|(?<! )(?<!^)[=<\u2192]|[=<\u2192]  |  [=<\u2192]", line)


def test_a_line_of_blanks_alone_is_left_out() -> None:
    """A model that repeats itself writes thousands of them."""
    assert unicode_of("a" + " " * 3000 + "b =" + " " * 800 + "c\n" + " " * 50) == "a b = c"
