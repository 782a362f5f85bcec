"""What commands of LaTeX are in Unicode: data of `latex.py`."""

from __future__ import annotations

SYMBOLS = dict(
    pair.split()
    for pair in """
alpha α|beta β|gamma γ|delta δ|epsilon ε|varepsilon ε|zeta ζ|eta η|theta θ|vartheta ϑ|iota ι|kappa κ|lambda λ
mu μ|nu ν|xi ξ|omicron ο|pi π|varpi ϖ|rho ρ|varrho ϱ|sigma σ|varsigma ς|tau τ|upsilon υ|phi φ|varphi φ|chi χ
psi ψ|omega ω|Gamma Γ|Delta Δ|Theta Θ|Lambda Λ|Xi Ξ|Pi Π|Sigma Σ|Upsilon Υ|Phi Φ|Psi Ψ|Omega Ω
times ×|cdot ·|div ÷|pm ±|mp ∓|ast ∗|star ⋆|circ ∘|bullet •|oplus ⊕|ominus ⊖|otimes ⊗|odot ⊙|wedge ∧|vee ∨
land ∧|lor ∨|lnot ¬|neg ¬|cap ∩|cup ∪|setminus ∖|sqcup ⊔|sqcap ⊓
leq ≤|le ≤|geq ≥|ge ≥|neq ≠|ne ≠|equiv ≡|approx ≈|sim ∼|simeq ≃|cong ≅|propto ∝|ll ≪|gg ≫|prec ≺|succ ≻
in ∈|notin ∉|ni ∋|subset ⊂|supset ⊃|subseteq ⊆|supseteq ⊇|mid ∣|nmid ∤|parallel ∥|perp ⊥|models ⊨|vdash ⊢
to →|rightarrow →|leftarrow ←|gets ←|leftrightarrow ↔|Rightarrow ⇒|Leftarrow ⇐|Leftrightarrow ⇔|implies ⟹
iff ⟺|mapsto ↦|longrightarrow ⟶|longleftarrow ⟵|uparrow ↑|downarrow ↓|hookrightarrow ↪|rightharpoonup ⇀
sum ∑|prod ∏|coprod ∐|int ∫|iint ∬|iiint ∭|oint ∮|bigcup ⋃|bigcap ⋂|bigoplus ⨁|bigotimes ⨂|bigvee ⋁
bigwedge ⋀|partial ∂|nabla ∇|infty ∞|forall ∀|exists ∃|nexists ∄|emptyset ∅|varnothing ∅|aleph ℵ|hbar ℏ|ell ℓ
Re ℜ|Im ℑ|wp ℘|angle ∠|triangle △|square □|therefore ∴|because ∵|dots …|ldots …|cdots ⋯|vdots ⋮|ddots ⋱
prime ′|dagger †|ddagger ‡|deg °|degree °|langle ⟨|rangle ⟩|lceil ⌈|rceil ⌉|lfloor ⌊|rfloor ⌋|vert ||Vert ‖
lbrace {|rbrace }|backslash \\|top ⊤|bot ⊥|surd √|checkmark ✓|pounds £|euro €|copyright ©|S §|P ¶
lvert ||rvert |
""".replace("vert ||Vert", "vert ∣|Vert")
    .replace("lvert ||rvert |", "lvert ∣|rvert ∣")
    .replace("\n", "|")
    .split("|")
    if pair.strip()
)

# Signs that have room on both sides.
RELATIONS = frozenset("=<>≤≥≠≡≈∼≃≅∝≪≫∈∉⊂⊃⊆⊇→←↔⇒⇐⇔⟹⟺↦⟶⟵⊢⊨")

FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "sinh",
        "cosh",
        "tanh",
        "arcsin",
        "arccos",
        "arctan",
        "log",
        "ln",
        "lg",
        "exp",
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "det",
        "dim",
        "ker",
        "gcd",
        "lcm",
        "deg",
        "arg",
        "mod",
        "hom",
        "Pr",
        "limsup",
        "liminf",
        "argmax",
        "argmin",
    ]
)

# Take one argument and show it as it is.
PLAIN = frozenset(
    [
        "text",
        "textrm",
        "textbf",
        "textit",
        "texttt",
        "mathrm",
        "mathbf",
        "mathit",
        "mathsf",
        "mathtt",
        "mathnormal",
        "operatorname",
        "boldsymbol",
        "bm",
        "mbox",
        "hbox",
        "displaystyle",
        "emph",
        "underbrace",
        "overbrace",
        "boxed",
        "pmb",
    ]
)
IGNORED = frozenset(
    [
        "left",
        "right",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "Bigl",
        "Bigr",
        "biggl",
        "biggr",
        "displaystyle",
        "textstyle",
        "scriptstyle",
        "limits",
        "nolimits",
        "nonumber",
        "notag",
        "middle",
    ]
)
SPACES = {"quad": "  ", "qquad": "    ", ",": " ", ";": " ", ":": " ", " ": " ", "!": "", "~": " "}

ACCENTS = {
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

DOUBLE = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
SCRIPT = dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True))
FRAKTUR = dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True))
ALPHABETS = {"mathbb": DOUBLE, "mathcal": SCRIPT, "mathscr": SCRIPT, "mathfrak": FRAKTUR}

RAISED = dict(
    zip(
        "0123456789+−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθφχ′*∗",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ′**",
        strict=True,
    )
)
LOWERED = dict(
    zip("0123456789+−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True)
)
ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
BRACKETS = {
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
