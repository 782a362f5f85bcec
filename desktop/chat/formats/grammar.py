"""Grammars (GBNF, llama.cpp's form) made of the shown tools, so that a call cannot be malformed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from desktop.chat.formats.family import Style
from desktop.tools.tool import Kind, Parameter

# Words first: an answer that begins with a letter or a digit is no call. What follows in the first token is
# free, or the token could only be a single letter.
IN_WORDS = r"root ::= [a-zA-Z0-9\u00a1-\uffef] [^\x00]*"

_JSON = r"""
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ( pair ( ", " pair )* )? "}"
pair ::= string ": " value
array ::= "[" ( value ( ", " value )* )? "]"
string ::= "\"" character* "\""
character ::= [^"\\\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] )
number ::= integer ( "." [0-9] [0-9]* )? ( [eE] [-+]? [0-9] [0-9]? )?
integer ::= "-"? ( "0" | [1-9] [0-9]* )
boolean ::= "true" | "false"
strings ::= "[" ( string ( ", " string )* )? "]"
integers ::= "[" ( integer ( ", " integer )* )? "]"
numbers ::= "[" ( number ( ", " number )* )? "]"
"""

_RULES = {
    Kind.STRING: "string",
    Kind.INTEGER: "integer",
    Kind.NUMBER: "number",
    Kind.BOOLEAN: "boolean",
    Kind.ARRAY: "array",
    Kind.OBJECT: "object",
}
_ITEMS = {Kind.STRING: "strings", Kind.INTEGER: "integers", Kind.NUMBER: "numbers"}


def names_grammar(names: Iterable[str], after: str) -> str:
    """One of `names`, then `after`."""
    choices = " | ".join(_literal(name) for name in names)
    return f"root ::= ( {choices} ) {_literal(after)}"


def arguments_grammar(parameters: Sequence[Parameter], style: Style, closing: str) -> str:
    """The arguments of one tool: required ones in order, then any of the others; then `closing`."""
    if style is not Style.JSON:
        return f"root ::= {_plain_arguments(parameters, style)} {_literal(closing)}\n{_JSON}"
    required = [each for each in parameters if each.required]
    optional = [each for each in parameters if not each.required]
    rules = [f"root ::= {_literal('{')} {_body(required, optional)} {_literal('}' + closing)}"]
    for index, each in enumerate(optional):
        first, later = f"optional-{index}", f"more-{index}"
        rest = f"more-{index + 1}" if index + 1 < len(optional) else '""'
        others = f" | optional-{index + 1}" if index + 1 < len(optional) else ""
        rules.append(f"{first} ::= {_pair(each)} {rest}{others}")
        rules.append(f'{later} ::= ( ", " {_pair(each)} )? {rest}')
    return "\n".join(rules) + "\n" + _JSON


def _body(required: Sequence[Parameter], optional: Sequence[Parameter]) -> str:
    pairs = ' ", " '.join(_pair(each) for each in required)
    if not optional:
        return pairs
    return f"{pairs} more-0" if required else "( optional-0 )?"


def _pair(parameter: Parameter) -> str:
    return f"{_literal(json.dumps(parameter.name, ensure_ascii=False) + ': ')} {_value(parameter)}"


def _value(parameter: Parameter) -> str:
    if parameter.choices:
        choices = " | ".join(_literal(json.dumps(choice, ensure_ascii=False)) for choice in parameter.choices)
        if parameter.kind is Kind.ARRAY:
            return f'"[" ( ( {choices} ) ( ", " ( {choices} ) )* )? "]"'
        return f"( {choices} )"
    if parameter.kind is Kind.ARRAY and parameter.items in _ITEMS:
        return _ITEMS[parameter.items]
    return _RULES[parameter.kind]


def _plain_arguments(parameters: Sequence[Parameter], style: Style) -> str:
    """`a="x", b=3`, or `a:<escape>x<escape>,b:3`: each may be there, in order."""
    sign, comma = ("=", ", ") if style is Style.PYTHON else (":", ",")
    parts = []
    for index, each in enumerate(parameters):
        text = '"<escape>" [^<]* "<escape>"' if style is Style.GEMMA and each.kind is Kind.STRING else ""
        pair = f"{_literal(each.name + sign)} {text or _value(each)}"
        part = f"{_literal(comma)} {pair}" if index else pair
        parts.append(part if each.required else f"( {part} )?")
    return " ".join(parts) or '""'


def _literal(text: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", text).replace("\n", "\\n")
    return f'"{escaped}"'
