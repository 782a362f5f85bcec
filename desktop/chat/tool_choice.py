"""Does the next step need a tool, and which? What small models get wrong most is calling one for "Hello".

So the decision is taken apart. First the model says, in its family's own form, which tool it would name;
the likeliest ones come into question, and those whose words the request says. Then it is asked afresh, in a
short prompt with nothing but the request and one tool, whether the tool does what is asked; for Steward's own
tools also whether the request needs nothing of this computer at all. The differences of the logits of yes
and no, against a threshold that was tuned on cases of both kinds, decide. Only then are the arguments
written, by a grammar made of the tool's schema. docs/measurements.md has the figures, and what was worse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import IN_WORDS, Family, names_grammar
from desktop.chat.said_values import is_of_other_numbers, shared_words, unsaid, without_unsaid
from desktop.chat.served_choice import MOST_OWN, OVER_NONE, ServedChoice
from desktop.chat.tool_args import (
    SeparateText,
    Submit,
    TextRequest,
    said_by_others,
    with_files,
    write_call,
)
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.gate.verdict import Effect
from desktop.tools.places import asks_time_there
from desktop.tools.tool import Tool, Toolbox

# All in nats; tuned with Qwen2.5-Coder-1.5B by five-fold cross-validation, see docs/measurements.md.
THRESHOLD = 0.8  # for tools that others have described, words in common included
OWN_THRESHOLD = 0.0  # for ours, from which half of what speaks for general knowledge is taken
KNOWLEDGE_WEIGHT = 0.5
NEXT_STEP = 0.5  # a further call needs that much more: after a result the model mostly has to answer
WANTS_TEXT = 0.8  # and so does one where JSON, code or an example was asked for
HELD_BACK = 0.5  # and one of a tool whose words nobody has said
SHARED_WEIGHT = 0.6  # for each word that a request shares with a stranger's function, from the second on

# Several tools come into question where the model is not sure; then its own preference counts so much.
FIRST_CHOICE_WEIGHT = 0.3
CLEAR_CHOICE = 5.0
LIKELIEST = 2  # of those the model would name
AT_MOST = 3  # with those whose words were said
NAME_TOKENS = 32


# Something that was spoken of before: after other messages a request with one of these is no whole one.
_POINTS_BACK = re.compile(
    r"\b(?:it|its|that|this|these|those|them|they|there|he|she|him|her|one|same|also|too|again|instead"
    r"|es|das|dies\w*|ihn|ihm|ihr\w*|sie|dort\w*|da\w{0,4}|auch|noch|nochmal|stattdessen|selbe\w*"
    r"|ça|cela|celui|celle|lui|elle|ils|elles|là|aussi|encore|même|eso|esto|ello|él|ella|allí|ahí|también|mismo)\b"
    r"|-(?:le|la|les|lo|los|las|y)\b|^\W*(?:and|und|et|y)\b",
    re.IGNORECASE,
)
_WANTS_TEXT = re.compile(
    r"\bjson\b|\byaml\b|\bexamples?\b|\bbeispiel|\bcode\b|\bsnippet|\bschema\b|"
    r"\bhere in the chat\b|\bhier im chat\b|\bfunction call\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ToolDecision:
    """The call that was decided on, or None and `why`; `preference` is for the log and the bench."""

    call: ParsedCall | None
    tool: str = ""
    preference: float = 0.0
    raw: str = ""
    why: str = ""


@dataclass(frozen=True)
class _Candidate:
    """A tool in question. `named`: how much less likely the model would name it than its first choice."""

    tool: Tool
    named: float = 0.0


@dataclass(frozen=True)
class _Judged:
    tool: Tool
    fits: float
    score: float  # with the model's own preference among the names


@dataclass(frozen=True)
class ChoiceOptions:
    """`told` asks for a whole text that is better written apart from the call. `at_once`: the words of tools
    decide alone that a question says nothing of any, so it is answered without asking the model; not after a
    call. `threshold` None: as it was tuned."""

    threshold: float | None = None
    priority: Priority = Priority.QUICK_ASK
    told: TextRequest | None = None
    at_once: bool = False


class ToolChooser:
    """Decides one step of one turn. `submit` is the engine's, watched so that Stop reaches it."""

    def __init__(
        self,
        submit: Submit,
        family: Family,
        hints: ToolHints | None,
        options: ChoiceOptions | None = None,
    ) -> None:
        """`hints`: the tools are Steward's, which look at or change this computer; None: somebody else's."""
        options = options or ChoiceOptions()
        self._told, self._at_once = options.told, options.at_once
        self._submit = submit
        self._family = family
        self._hints = hints
        self._priority = options.priority
        self._judging = ToolJudge(submit, options.priority)
        tuned = THRESHOLD if hints is None else OWN_THRESHOLD
        self._threshold = tuned if options.threshold is None else options.threshold

    def decide(
        self, base: GenerateRequest, toolbox: Toolbox, request: str, done: Sequence[DoneCall] = ()
    ) -> ToolDecision:
        """Which call comes next. `base` is the request for the answer, with the whole conversation."""
        # The cheapest answer first: no prompt is evaluated for "Thank you".
        is_told = toolbox.catalogue.is_told
        if self._hints is not None and not done and not is_told and self._hints.needs_nothing(request):
            return ToolDecision(None, why="it is plain that no tool is needed")
        if self._is_foreign_to_tools(base, toolbox, request, done):
            return ToolDecision(None, why="it says nothing of any tool")
        open_ones = [tool for tool in toolbox if _is_open(tool, request, done)]
        # A small model names the tool again that it has just used.
        if not open_ones:
            return ToolDecision(None, why="done already")
        if self._hints is not None and not done and self._stands_alone(base, toolbox, request):
            decided = self._served(self._hints, base, toolbox, request)
            if isinstance(decided, ToolDecision) and decided.call is not None:
                return decided
            # None of a server's tools does it, or one of Steward's own does it as well.
            open_ones = [tool for tool in open_ones if not tool.gate_name]
            if isinstance(decided, _Judged):
                return self._call(
                    base, self._of_own(self._hints, base, open_ones, request, decided), request, ()
                )
            if not open_ones:
                return decided
        # After a result the question is another one: what of the request is still to be done?
        if done and self._hints is not None:
            chosen = self._further(self._hints, base, tuple(toolbox), request, done)
        else:
            chosen = self._first(base, open_ones, request, done)
        return chosen if isinstance(chosen, ToolDecision) else self._call(base, chosen, request, done)

    def _is_foreign_to_tools(
        self, base: GenerateRequest, toolbox: Toolbox, request: str, done: Sequence[DoneCall]
    ) -> bool:
        """Only where no call went before: "and the other one?" says nothing of a tool and means one."""
        if not self._at_once or self._hints is None or done:
            return False
        called = any(self._family.opening in message.content for message in base.messages[1:])
        return not called and self._hints.says_nothing_of(toolbox, request)

    def _stands_alone(self, base: GenerateRequest, toolbox: Toolbox, request: str) -> bool:
        """Whether a request that a server's tool is in question for says by itself what it means. "And in
        Rome?" means the tool that this chat has used, which only the whole conversation says."""
        served = toolbox.catalogue.tools
        said = [message.content for message in base.messages if message.role == "assistant"]
        if not served or any(self._family.opening + tool.name in each for tool in served for each in said):
            return False
        return not said or _POINTS_BACK.search(request) is None

    def _served(
        self, hints: ToolHints, base: GenerateRequest, toolbox: Toolbox, request: str
    ) -> _Judged | ToolDecision:
        """The call of a tool of a server that the request asks for, or why there is none; or the tool of
        Steward's own that does the same as the one it asks for."""
        if all(tool.hint.is_against for tool in toolbox if tool.gate_name):
            return ToolDecision(None, why="it speaks against all that fit")
        shown = toolbox.catalogue
        # Steward's own whose words it says stand beside, or what is theirs is taken for the next best.
        ours = () if shown.is_theirs else toolbox
        beside = [
            tool
            for tool in ours
            if not tool.gate_name and tool.name not in shown.outdone and not _is_too_little(tool, request)
        ]
        own = hints.called(beside, request)[:MOST_OWN]
        choice = ServedChoice(self._submit, self._priority)
        pick = choice.pick(shown, own, request)
        # One of ours that does the same as a server's tool is not judged again: it is clear that it is meant.
        if pick.tool in own and pick.preference >= OVER_NONE and pick.tool.name in shown.own.values():
            return _Judged(pick.tool, pick.preference, pick.preference)
        if pick.tool is None or pick.preference < OVER_NONE or pick.tool in own:
            name = pick.tool.name if pick.tool is not None else ""
            return ToolDecision(None, name, pick.preference, pick.meant, "none of a server's tools does it")
        same = _own_instead(toolbox, pick.tool)
        if same is not None:
            return _Judged(same, pick.preference, pick.preference)
        written = choice.call(base, pick, (*shown.tools, *own), request)
        return ToolDecision(written.call, pick.tool.name, pick.preference, written.raw, written.why)

    def _of_own(
        self, hints: ToolHints, base: GenerateRequest, tools: Sequence[Tool], request: str, found: _Judged
    ) -> _Judged:
        """`found`, which stands in for a server's tool, or another of Steward's own whose words are said: a
        server that finds files by their names is the nearest there to what finds words inside of them."""
        if all(tool is found.tool for tool in hints.called(tools, request)):
            return found
        weighed = self._first(base, tools, request, ())
        return weighed if isinstance(weighed, _Judged) else found

    def _first(
        self, base: GenerateRequest, tools: Sequence[Tool], request: str, done: Sequence[DoneCall]
    ) -> _Judged | ToolDecision:
        """The call that the request asks for, or why there is none."""
        ranked = self._ranked(base, tools)
        held = self._hints.held_back(tools, request) if self._hints is not None else []
        fitting = self._fitting(self._in_question(ranked, held, request), request, done)
        # Held back for want of its words, but the model's first choice: then it must fit clearly.
        if isinstance(fitting, ToolDecision) and ranked[0].tool in held:
            other = self._fitting(ranked[:1], request, done, HELD_BACK)
            fitting = other if isinstance(other, _Judged) else fitting
        return fitting

    def _further(
        self,
        hints: ToolHints,
        base: GenerateRequest,
        tools: Sequence[Tool],
        request: str,
        done: Sequence[DoneCall],
    ) -> _Judged | ToolDecision:
        """The next call of several: for a part of the request whose words were said and that is not done."""
        # Part by part: judged on the whole request, the part that is done drowns the other.
        parts = parts_of(request)
        for part in parts if len(parts) > 1 else ():
            best = self._for_part(hints.called(tools, part), part, done)
            if best is not None:
                return best
        again = [tool for tool in hints.called(tools, request) if tool.name == done[-1].name]
        # "Read a.txt and b.txt": the tool has fitted already, so it is not judged anew.
        if again and _names_left(request, done):
            return _Judged(again[0], 0.0, 0.0)  # it fitted the request already, for another file
        fresh = [tool for tool in tools if _is_waiting(tool, request, done)]
        leads_on = any(tool.hint.leads_on for tool in tools if tool.name == done[-1].name)
        if not leads_on or not done[-1].ok or not fresh:
            return ToolDecision(None, why="nothing more was asked for")
        candidates = self._in_question(self._ranked(base, fresh), hints.held_back(fresh, request), request)
        return self._fitting(candidates, request, done, NEXT_STEP)

    def _for_part(self, said: Sequence[Tool], part: str, done: Sequence[DoneCall]) -> _Judged | None:
        """The tool for one part; None where that is done, or fits none of those whose words it says."""
        if not any(_is_waiting(tool, part, done) for tool in said):
            return None
        judged = [self._judged(_Candidate(tool), part) for tool in said[:AT_MOST]]
        best = max(judged, key=lambda each: each.score)
        fits = best.fits >= self._threshold + NEXT_STEP and _is_waiting(best.tool, part, done)
        return best if fits else None

    def _fitting(
        self,
        candidates: Sequence[_Candidate],
        request: str,
        done: Sequence[DoneCall],
        more: float = 0.0,
    ) -> _Judged | ToolDecision:
        """The tool to call, or why there is none."""
        if not candidates:
            return ToolDecision(None, why="nothing comes into question")
        needed = self._needed(request) + more
        judged = [self._judged(each, request, done) for each in candidates]
        best = max(judged, key=lambda each: each.score)
        first = [each for each in judged if each.fits >= needed and self._comes_first(each.tool, request)]
        # "Summarise report.txt and save it" fits the writing tool best, which has nothing to write yet.
        if first and not done:
            best = max(first, key=lambda each: each.score)
        # Asked last and only in doubt: it costs a prompt of its own.
        if self._hints is not None and best.fits > needed and not self._hints.is_said(best.tool, request):
            general = KNOWLEDGE_WEIGHT * self._judging.is_general(request)
            best = replace(best, fits=best.fits - general)
        if best.fits < needed:
            return ToolDecision(None, best.tool.name, best.fits, why="it does not fit")
        return best

    def _comes_first(self, tool: Tool, request: str) -> bool:
        """What is looked up comes before what is done with it."""
        if self._hints is None or tool.effect is not Effect.READ or len(parts_of(request)) < 2:
            return False
        return tool in self._hints.called([tool], request)

    def _needed(self, request: str) -> float:
        """The threshold for this request."""
        if self._hints is None or not wants_text(request):
            return self._threshold
        return self._threshold + WANTS_TEXT

    def _judged(self, candidate: _Candidate, request: str, done: Sequence[DoneCall] = ()) -> _Judged:
        fits = self._judging.fits(candidate.tool, request, done)
        if self._hints is not None:
            fits += self._hints.weight(candidate.tool, request)
        elif (shared := shared_words(request, candidate.tool)) is not None:
            # One word in common says nothing; none speaks against it, and two speak for it.
            fits += SHARED_WEIGHT * (shared - 1)
        return _Judged(candidate.tool, fits, fits + FIRST_CHOICE_WEIGHT * max(candidate.named, -CLEAR_CHOICE))

    # -- which tools come into question -------------------------------------------------------

    def _in_question(
        self, ranked: Sequence[_Candidate], held: Sequence[Tool], request: str
    ) -> list[_Candidate]:
        """The tools that the model would name, and those whose words were said."""
        free = [each for each in ranked if each.tool not in held]
        close = [each for each in free[:LIKELIEST] if each.named > -CLEAR_CHOICE]
        # Of somebody else's tools no words are known.
        if self._hints is None:
            return close
        said = self._hints.called([each.tool for each in free], request)
        called = [each for each in free if each.tool in said and each not in close]
        return [*close, *called][:AT_MOST]

    def _ranked(self, base: GenerateRequest, tools: Sequence[Tool]) -> list[_Candidate]:
        """All of `tools`, the one that the model would name first first."""
        if len(tools) == 1:
            return [_Candidate(tools[0])]
        # In the conversation itself: the KV cache has it, so ranking all names costs one token.
        opened = replace(base, answer_start=self._family.opening)
        scores = self._scores(opened, [tool.name for tool in tools])
        best = max(scores)
        pairs = list(zip(tools, scores, strict=True))
        first = self._of_tied(opened, [tool for tool, score in pairs if score == best])
        rest = sorted(((tool, score) for tool, score in pairs if score < best), key=lambda each: -each[1])
        return [_Candidate(tool) for tool in first] + [_Candidate(tool, score - best) for tool, score in rest]

    def _of_tied(self, opened: GenerateRequest, tied: list[Tool]) -> list[Tool]:
        """Names that begin with the same token, in the order in which the model would write them."""
        if len(tied) == 1:
            return tied
        # One token says no more than "list"; the next one tells list_files from list_notes.
        shared = _shared_words([tool.name for tool in tied])
        rests = [tool.name[len(shared) :] or self._family.between for tool in tied]
        if shared and len(set(rests)) == len(rests):
            scores = self._scores(replace(opened, answer_start=opened.answer_start + shared), rests)
            if len(set(scores)) == len(scores):
                return [tool for _, tool in sorted(zip(scores, tied, strict=True), key=lambda each: -each[0])]
        name = self._named(opened, [tool.name for tool in tied])
        # Where the logits tie again, the model writes the name under a grammar.
        return sorted(tied, key=lambda tool: tool.name != name)

    def _scores(self, opened: GenerateRequest, labels: Sequence[str]) -> list[float]:
        stream = self._submit(replace(opened, labels=tuple(labels), sampling=_certain(1)))
        stream.text()
        scores = stream.scores or {}
        return [scores.get(label, 0.0) for label in labels]

    def _named(self, opened: GenerateRequest, names: Sequence[str]) -> str:
        mark = self._family.between[0]
        grammar = names_grammar(tuple(names), mark)
        named = replace(opened, grammar=grammar, sampling=_certain(NAME_TOKENS), stop=(mark,))
        return self._submit(named).text()

    def _names(self, request: str, done: Sequence[DoneCall]) -> list[str]:
        """The files that the request names, those that no call has touched where there are some."""
        # The second file of a request is offered once the first was touched.
        named = files_in(request)
        touched = " ".join(each.touched for each in done)
        return [name for name in named if name not in touched] or named

    def _call(
        self, base: GenerateRequest, chosen: _Judged, request: str, done: Sequence[DoneCall]
    ) -> ToolDecision:
        tool = chosen.tool
        argument = tool.hint.written_apart
        apart = SeparateText(argument, self._told) if argument and self._told is not None else None
        tool = with_files(tool, tool.hint.file, self._names(request, done))
        written = write_call(self._submit, base, tool, self._family, apart)
        call, why = written.call, written.why
        worked_out = str(call.arguments.get("expression", "")) if call is not None else ""
        if worked_out and is_of_other_numbers(worked_out, said_by_others(base.messages)):
            call, why = None, "none of its numbers was said"
        # Where a call must be made, somebody else answers for what is in it.
        if call is not None and self._hints is None and self._threshold > -math.inf:
            said = said_by_others(base.messages)
            call = ParsedCall(call.name, without_unsaid(tool, call.arguments, said))
            instructed = "\n".join(each.content for each in base.messages if each.role == "system")
            missing = unsaid(tool, call.arguments, said, instructed)
            call, why = (None, f"nobody named {missing}") if missing else (call, why)
        return ToolDecision(call, chosen.tool.name, chosen.fits, written.raw, why)


def _is_too_little(own: Tool, request: str) -> bool:
    """Whether one of Steward's own cannot be told what is asked for: the time here is not that of a place."""
    return not own.parameters and asks_time_there(request)


def _own_instead(toolbox: Toolbox, served: Tool) -> Tool | None:
    """Steward's own tool that does what `served` does: it keeps what it changes, and asks for less leave. One
    that cannot be told as much does less, such as the time here for that of a zone."""
    own = toolbox.get(toolbox.catalogue.own.get(served.name, ""))
    needed = sum(each.required for each in served.parameters)
    return own if own is not None and not own.gate_name and needed <= len(own.parameters) else None


def _shared_words(names: Sequence[str]) -> str:
    """The whole words that all of `names` begin with: "list" of list_files and list_notes."""
    shared = ""
    for words in zip(*(re.findall(r"[^\W_]+|[\W_]+", name) for name in names), strict=False):
        if len(set(words)) > 1:
            break
        shared += words[0]
    return shared.rstrip("_.-")


def _is_open(tool: Tool, request: str, done: Sequence[DoneCall]) -> bool:
    """Whether another call of `tool` could bring anything after what is done."""
    before = [each for each in done if each.name == tool.name]
    if not before:
        return True
    # Called again with nothing it would give the same.
    if not tool.parameters:
        return False
    return not any(each.changed and each.ok for each in before) or bool(_names_left(request, done))


def _is_waiting(tool: Tool, part: str, done: Sequence[DoneCall]) -> bool:
    """Whether a part of the request that calls for `tool` is still to be done."""
    return all(each.name != tool.name for each in done) or bool(_names_left(part, done))


def _names_left(text: str, done: Sequence[DoneCall]) -> list[str]:
    """Files that `text` names and no call has touched."""
    touched = " ".join(each.touched for each in done)
    return [name for name in FILE_NAME.findall(text) if name not in touched]


def wants_text(question: str) -> bool:
    """Whether JSON or code in an answer is likely what was asked for, not a call."""
    return _WANTS_TEXT.search(question) is not None


def in_words(base: GenerateRequest) -> GenerateRequest:
    """The first character of an answer that is no call; the rest follows without a grammar."""
    return replace(base, grammar=IN_WORDS, sampling=replace(base.sampling, max_tokens=1))


def _certain(max_tokens: int) -> Sampling:
    return Sampling(temperature=0, max_tokens=max_tokens)


YES, NO = ("yes", "Yes"), ("no", "No")
REQUEST_SHOWN = 600  # characters of the request and of the description
RESULT_SHOWN = 120  # characters of what an earlier call gave
JUDGE_SYSTEM = "You judge whether a function fits a request."
KNOWLEDGE_SYSTEM = "You judge what a request to an assistant is about."


@dataclass(frozen=True)
class DoneCall:
    """A call that was made for this question already. `changed`: it did more than look. `touched` are its
    arguments as text."""

    name: str
    result: str
    ok: bool = True
    changed: bool = False
    touched: str = ""


def judgement(tool: Tool, request: str, done: Sequence[DoneCall] = ()) -> tuple[Message, ...]:
    """The question whether `tool` does what `request` asks for."""
    names = ", ".join(each.name for each in tool.parameters)
    described = f"{tool.name}({names}): {tool.description}"[:REQUEST_SHOWN]
    before = "".join(
        f"Already done: {each.name} gave: {each.result[:RESULT_SHOWN]}\n\n" for each in done[-3:]
    )
    # The wording was tuned with the thresholds; another wording needs other thresholds.
    question = "Does this function do what the request asks for?"
    if done:
        question = "Is this function still needed for something that the request asks for?"
    text = f"Function: {described}\n\nRequest: {request[:REQUEST_SHOWN]}\n\n{before}{question}"
    return (Message("system", JUDGE_SYSTEM), Message("user", f"{text} Reply only yes or no."))


def general_knowledge(request: str) -> tuple[Message, ...]:
    """The question whether `request` needs nothing of this computer."""
    question = (
        "Can this be answered from general knowledge or by writing text, without looking at this computer?"
    )
    text = f"Request: {request[:REQUEST_SHOWN]}\n\n{question} Reply only yes or no."
    return (Message("system", KNOWLEDGE_SYSTEM), Message("user", text))


def preference(scores: Mapping[str, float]) -> float:
    """How much likelier yes is than no, in nats."""
    return _sum(scores[label] for label in YES) - _sum(scores[label] for label in NO)


def _sum(logits: Iterable[float]) -> float:
    # The logarithm of a sum of exponentials, the largest taken out so that none overflows.
    values = list(logits)
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


@dataclass(frozen=True)
class ToolJudge:
    """Asks the model. `submit` is the engine's, watched so that Stop reaches it."""

    submit: Submit
    # A quick question, so that the conversation it belongs to is not put aside for it.
    priority: Priority = Priority.QUICK_ASK

    def fits(self, tool: Tool, request: str, done: Sequence[DoneCall] = ()) -> float:
        """How sure it is that `tool` does what is asked, in nats; minus infinity when it was stopped."""
        return self._asked(judgement(tool, request, done))

    def is_general(self, request: str) -> float:
        """How sure it is that nothing of this computer is needed."""
        return self._asked(general_knowledge(request))

    def _asked(self, messages: tuple[Message, ...]) -> float:
        sampling = Sampling(temperature=0, max_tokens=1)
        request = GenerateRequest("judgement", messages, sampling, self.priority, labels=(*YES, *NO))
        stream = self.submit(request)
        stream.text()
        # Stopped: then nothing fits, and nothing is called.
        return preference(stream.scores) if stream.scores else -math.inf


# Something of the user's own, or of this place: then a question is hardly about the world.
# The "ce" of "est-ce" points at nothing.
_OWN = re.compile(
    r"\b(?:last|latest|most recent) (?:commit|change|edit|update|entry)\b|\bletzte[rn]? (?:commit|änderung)\b"
    r"|\b(?:dernier commit|dernière modification|último (?:commit|cambio)|última modificación)\b"
    r"|\b(?:(?:in|of|from) (?:the|that) (?:git )?(?:repo(?:sitory)?|knowledge graph)"
    r"|im (?:repo(?:sitory)?|wissensgraph\w*)|dans le (?:dépôt|graphe?)|en el (?:repositorio|repo|grafo))\b"
    r"|\b(?:what|where) (?:i|we)(?:['’](?:m|ve|re)| (?:am|are|have|had|did))\b|"
    r"\b(?:my|mine|here|this|mein\w*|hier|dies(?:e[mnrs]?)?|mon|ma|mes|ici|(?<!-)ce|cette|mis?|aquí|est[eao]s?)\b|https?://|"
    r"[/~]\w",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\b(?:me|us|mich|mir|uns)\b", re.IGNORECASE)
_TIMED = re.compile(
    r"\b\d{1,2}(?::\d\d)? ?(?:am|pm|o['’]clock|uhr)\b|\b\d{1,2}:\d\d\b"
    r"|\b(?:half an|an|halben?|einer) (?:hour|stunde)\b"
    r"|\b\d+ ?(?:sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|sekunden?|minuten?|stunden?)\b",
    re.IGNORECASE,
)
SAID = 0.8  # nats; tuned with the thresholds above


@dataclass(frozen=True)
class ToolHints:
    """What requests say of the tools' own words, and which of them need no tool.

    A request that `general` fits asks about the world, whatever tool its words would speak for; one that is
    no more than `small_talk` needs no tool. Nobody is asked whether these need one, unless they name a file
    or something of the user's own.
    """

    general: re.Pattern[str] | None = None
    small_talk: re.Pattern[str] | None = None

    def called(self, tools: Iterable[Tool], request: str) -> list[Tool]:
        """Those whose words `request` says."""
        return [tool for tool in tools if self.is_said(tool, request)]

    def is_said(self, tool: Tool, request: str) -> bool:
        """Not in a question about the world, such as "How do I delete a file?"."""
        # The words of a tool stand in questions about the world, too.
        if self.general is not None and self.general.search(request):
            return False
        return tool.hint.is_said(request)

    def needs_nothing(self, request: str) -> bool:
        """Whether it is plain, without asking a model, that `request` needs no tool."""
        if self.small_talk is not None and self.small_talk.fullmatch(request.strip()):
            return True
        if self.general is None:
            return False
        if not any(each.search(request) for each in (self.general, _WORLD, _WORLD_ROMANCE)):
            return False
        return not files_in(request) and _OWN.search(request) is None

    def says_nothing_of(self, tools: Iterable[Tool], request: str) -> bool:
        """Whether `request` has no word of any of `tools`, names no file and nothing of the user's own.

        False where a tool has no words of its own: then only the model can tell.
        """
        if files_in(request) or _OWN.search(request) is not None:
            return False
        # "Let me know when it's 4 pm": whatever the verb, somebody is to be told at a time.
        if _TOLD.search(request) is not None and _TIMED.search(request) is not None:
            return False
        return all(tool.hint.words and not tool.hint.is_said(request) for tool in tools)

    def held_back(self, tools: Iterable[Tool], request: str) -> list[Tool]:
        """Those that need their words and do not have them."""
        waiting = (tool for tool in tools if tool.hint.only_said)
        return [tool for tool in waiting if not self.is_said(tool, request)]

    def weight(self, tool: Tool, request: str) -> float:
        """How much the words of `request` speak for `tool`, in nats; 0 where nothing is known."""
        if not tool.hint.words:
            return 0.0
        return SAID if self.is_said(tool, request) else -SAID


@cache
def own_hints() -> ToolHints:
    """For Steward's own tools."""
    return ToolHints(_GENERAL, _SMALL_TALK)


_GENERAL = re.compile(
    r"^\W*(?:how (?:do|does|can|could|should|to|often|long)\b|what (?:is|are) (?:an?|the difference)"
    r"\b|what does (?:the )?\S+ (?:\S+ )?(?:mean|do|stand)\b|why\b|explain\b|suggest\b"
    # Who did something last is asked of a place, mostly one's own.
    r"|who\b(?!.*\b(?:recently\b|lately\b|committed\b|this week\b|last\W*$"
    r"|(?:last|latest|most recent) (?:commit|change|edit|update|entry)\b))"
    r"|give me (?:tips|ideas|advice)|what.?s the difference|was (?:ist|sind|bedeutet|heißt"
    r"|macht) (?:eine?\b|der unterschied|\S+ auf\b)|wie \w+ man\b"
    r"|wie (?:kann|funktioniert|macht|lege|lösche|reinigt"
    r"|schützt|erkläre|oft|lange)\b|warum\b|erkläre?\b|woher\b"
    r"|wer\b(?!.*\b(?:zuletzt|kürzlich|in letzter zeit|diese woche"
    r"|committe?t)\b)"
    r"|qu['’]est-ce qu['’]une?\b|c['’]est quoi une?\b|pourquoi\b|comment (?:fonctionne|fait-on|faire|"
    r"marche|dit-on)\b"
    r"|explique\w*\b|qui (?:a|était|est(?! (?:dans|sur|à|au|en|avec)\b))\b(?!.*\b(?:en dernier|récemment)\b)"
    r"|¿?qué (?:es|son) (?:una?|el|la|los|las)\b|¿?por qué\b"
    r"|¿?cómo (?:funciona|se (?:hace|dice))\b|explica\w*\b|¿?quién (?:fue|escribió|es|inventó|pintó)\b"
    # What somebody thinks of a thing, and whether it is good.
    r"|(?:is it|would it be) (?:bad|good|ok(?:ay)?|better|worse|safe|wrong|normal|legal|healthy|rude|worth"
    r"|wise)\b"
    r"|ist es (?:schlecht|gut|schlimm|besser|sicher|falsch|normal|erlaubt|gesund|klug|sinnvoll)\b"
    r"|(?:est-ce que c['’]est|est-ce|c['’]est) (?:mal|bien|mieux|grave|normal|dangereux|sain|risqué)\b"
    r"|¿?es (?:malo|bueno|mejor|peor|seguro|normal|peligroso|sano)\b)"
    r"|\b(?:what do you (?:think|prefer|recommend)|(?:which|what) (?:\w+ )?do you (?:prefer|like)"
    r"|was (?:hältst|denkst|meinst) du|que penses-tu|qu['’]en penses-tu|¿?qué (?:piensas|opinas|prefieres))\b"
    # A statement that asks for no more than a nod.
    r"|,\s*(?:(?:is|are|was|were|do|does|did|has|have)n['’]t (?:it|they|he|she|we)|nicht wahr|n['’]est-ce pas"
    r"|¿?verdad)\s*\?\s*$",
    re.IGNORECASE,
)
# Whoever asks, and what is on a computer: where one of these stands, more than a fact of the world is asked.
_NEAR = (
    r"\b(?:i|i['’]\w+|we|us|our|ich|mich|wir|uns\w*|je|nous|notre|nos|yo|nuestr\w*|tengo|files?|folders?|"
    r"director(?:y|ies)|documents?|notes?|reminders?|alarms?|timers?|clipboard|photos?|pictures?|"
    r"screenshots?|downloads?|workspace|calendar|inbox|e-?mails?|messages?|process\w*|dis[kc]|screen|"
    r"computer|pc|minutes?|hours?|minuten|stunden|heures|minutos|horas|datei(?:en)?|ordnern?|verzeichnis\w*|"
    r"dokument\w*|notiz\w*|erinnerung\w*|wecker|zwischenablage|fotos?|bilder\w*|schreibtisch|kalender|"
    r"festplatte|nachrichten|rechner|fichiers?|dossiers?|rappels?|alarmes?|presse-papiers|courriels?|bureau|"
    r"disque|écran|ordinateur|archivos?|ficheros?|carpetas?|recordatorios?|alarmas?|portapapeles|correos?|"
    r"mensajes?|escritorio|disco|pantalla|ordenador|today|now|heute|jetzt|aujourd\w*|maintenant|hoy|ahora)\b|"
    r"\bj['’]"
)
_SOME = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|some|a few|several|zwei|drei|vier|fünf|sechs|sieben|"
    r"acht|neun|zehn|einige|ein paar|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|quelques|dos|tres|cuatro|"
    r"cinco|seis|siete|ocho|nueve|diez|algun[oa]s|\d+)"
)
_KIND = (
    r"(?:planets?|countr(?:y|ies)|cit(?:y|ies)|rivers?|oceans?|animals?|elements?|languages?|continents?|"
    r"mountains?|year|century|author|writer|painter|composer|planeten?|länder|land|stadt|städte|fluss|tiere?|"
    r"sprachen?|kontinent\w*|berg|jahr|jahrhundert|schriftsteller\w*|maler\w*|komponist\w*|planètes?|pays|"
    r"villes?|fleuves?|océans?|animal|animaux|éléments?|langues?|montagnes?|année|siècle|auteure?|peintre|"
    r"país(?:es)?|ciudad(?:es)?|ríos?|océanos?|animal(?:es)?|elementos?|lenguas?|idiomas?|montañas?|año|"
    r"siglo|autora?|pintora?)"
)
_FACT = (
    r"(?:capital|population|currency|area|climate|anthem|flag|(?:official )?language|formula|chemical \w+|"
    r"symbol|square root|plural|opposite|meaning|definition|origin|past tense|(?:boiling|melting) point|"
    r"speed|distance|hauptstadt|einwohnerzahl|bevölkerung|währung|fläche|nationalhymne|flagge|amtssprache|"
    r"formel|mehrzahl|gegenteil|bedeutung|definition|ursprung|siedepunkt|schmelzpunkt|geschwindigkeit|"
    r"entfernung|capitale|monnaie|superficie|hymne|drapeau|langue|formule|symbole|racine carrée|pluriel|"
    r"contraire|sens|définition|origine|vitesse|población|moneda|himno|bandera|idioma|fórmula|símbolo|"
    r"raíz cuadrada|contrario|significado|definición|origen|velocidad|distancia)"
)
# Facts of the world by what is asked for: the capital of, three sights of, in which year.
_WORLD = re.compile(
    rf"^(?!.*(?:{_NEAR}))\W*(?:"
    rf"(?:what(?:['’]s| is| are| was)|was (?:ist|sind|war)|wie (?:heißt|lautet|ist|hoch ist|groß ist)|"
    rf"wie (?:hoch|groß|weit|schnell) ist|quel(?:le)?s? (?:est|sont|était)|¿?cuál(?:es)? (?:es|son|era|fue)) "
    rf"(?:the |die |der |das |la |le |les |l['’]|el |los |las )(?:{_FACT}\b|\w+(?:est|ste[rns]?) {_KIND}\b|"
    rf"{_KIND} (?:más|la plus|le plus)\b)"
    rf"|(?:which|what|welche[rsnm]?|quel(?:le)?s?|¿?qué) {_KIND}\b"
    rf"|(?:in|en|dans|¿?en) (?:which|what|welche[rm]|quel(?:le)?|qué) {_KIND}\b"
    r"|(?:name|list|give|tell|suggest|nenne?|gib|cite[rz]?|nomme[rz]?|donne[rz]?|nombra|cita|d[ia]me|"
    r"menciona)"
    rf"(?:[ -](?:moi|me|mir))? {_SOME} \w"
    rf"|when (?:was|were|did)\b|where (?:was|were) [\w ]+ (?:born|built|invented|founded)\b"
    r"|wann (?:wurden?|war|begann|endete|starb|lebte|entstand)\b|quand (?:a été|est (?:née?|morte?)|"
    r"a eu lieu)"
    rf"|¿?cuándo (?:nació|murió|fue|empezó|terminó|ocurrió|se (?:inventó|construyó|fundó))\b)",
    re.IGNORECASE | re.DOTALL,
)

# What a French or Spanish question may be about that is at hand: somebody's papers, appointments, people.
_AT_HAND = (
    r"\b(?:heures?|dates?|jours?|liste|lignes?|mots? de passe|codes?|totale?|somme|résultat|réponse|"
    r"factures?|contrats?|lettres?|rapport|réunion|rendez-vous|dîner|fête|équipe|projet|tâches?|mémoire|batterie|"
    r"version|copiée?|texte|dernier|dernière|dedans|reste\w*|celui|celle|lui|leur|"
    r"horas?|fechas?|días?|lista|líneas?|contraseña|códigos?|suma|resultado|respuesta|factura|contrato|"
    r"carta|informe|reunión|cita|cena|fiesta|equipo|proyecto|tareas?|memoria|batería|versión|copiado|texto|"
    r"último|última|queda\w*|ahí|dentro|ello|ellos|ellas|ese|esa|eso)\b"
)
_NAMED = r"(?-i:\b[A-ZÁÉÍÓÚÀÈÎÔÇÑ][\w'’-]+)"
# Questions of the world by their form, in the languages in which tools have no words: what a thing is, is
# made of or is for, how much one weighs, where a place is that has a name.
_WORLD_ROMANCE = re.compile(
    rf"^(?!.*(?:{_NEAR}|{_AT_HAND}))\W*(?:"
    r"c['’]est quoi (?:l[ea']|les|une?|des)\b|à quoi (?:sert|servent|ressemble\w*)\b|"
    r"de quoi (?:est|sont|se compose|se nourri\w+|vi[tv]\w*)\b|"
    r"comment (?:fonctionne|marche|faire|cuire|préparer|cuisiner|s['’]appelle|se forme|naît|naissent|dit-on|"
    r"écrit-on|prononce\w*)\w*\b|"
    r"(?:que|qu['’]est-ce que) (?:signifie\w*|veut dire|ça veut dire|mangent?|faire)\b|"
    r"qu['’]est-ce que (?:l[ea]|les|l['’]|une?)\b|qu['’]est-ce qui (?:provoque|cause|rend|fait|crée)\b|"
    r"(?:depuis quand|pourquoi est-ce que|d['’]où vien(?:t|nent))\b|"
    rf"où (?:est|se trouve\w*|se situe\w*|vi(?:t|vent))\b.*{_NAMED}|"
    r"combien (?:pèse|mesure|coûte un|vit|vivent|dure|d['’]\w+ (?:a|ont|y a-t-il)|"
    r"de \w+ (?:a|ont|compte\w*|y a-t-il))\b|"
    r"quelle(?:s sont les| est la)? différences? (?:entre|y a-t-il)\b|quel(?:le)? est l[ea] plus \w+|"
    r"¿?cuál es (?:el|la) \w+ más\b|est-ce que (?:les|l[ea]|l['’])\b|"
    r"¿?(?:para|de|por|desde|hasta|a) qué (?:sirven?|está\w* hech\w+|se alimenta\w*|temperatura|"
    r"velocidad|distancia)\b|"
    r"¿?qué (?:significa\w*|quiere decir|diferencia\w* hay|provoca|causa|comen?|son los|son las)\b|"
    r"¿?cómo (?:se (?:llama|dice|escribe|pronuncia|forma|prepara|cocina)\w*|funciona\w*|nacen?)\b|"
    r"¿?cuánt[oa]s? (?:mide\w*|pesa\w*|vive\w*|dura\w*|cuesta un|\w+ (?:tiene|hay en el mundo|existen))\b|"
    rf"¿?dónde (?:está\w*|se encuentra\w*|queda|vive\w*|nace)\b.*{_NAMED}|"
    r"¿?(?:los|las|el|la) \w+ (?:es|son|pueden?|tienen?|duermen?|viven?|comen?)\b|"
    r"expl[íi]ca(?:me|nos)\b)",
    re.IGNORECASE | re.DOTALL,
)

_SMALL_TALK = re.compile(
    r"\W*(?:hello|hi|hey|hey there|hi there|good (?:morning|afternoon|evening|day|night)"
    r"|how are you(?: today)?|thanks?|thank you|thanks a lot|thank you very much|thanks for your help|bye"
    r"|goodbye|see you|ok|okay|great|perfect|nice|hallo|moin|servus|grüß gott|guten (?:morgen|tag|abend)"
    r"|gute nacht|wie geht es dir|wie geht.?s|danke|danke schön|vielen dank|danke, das war alles|tschüss"
    r"|auf wiedersehen|prima|super|bonjour|salut|bonsoir|merci(?: beaucoup)?|au revoir|ça va|hola|buenos días"
    r"|buenas (?:tardes|noches)|(?:muchas )?gracias|adiós|¿?qué tal)(?:[\s,]+(?:steward|again|there|"
    r"how are you(?: today)?|wie geht es dir|wie geht.?s))*\W*",
    re.IGNORECASE,
)

FILE_NAME = re.compile(r"[\w-]+\.[A-Za-z]\w{0,4}\b")

# A path with a name that has an ending, or whatever else with an ending stands in quotation marks.
_PATH = re.compile(r"(?<![\w/:.])((?:~?/|\.{1,2}/)?(?:[\w.-]+/)*[\w-][\w.-]*\.[A-Za-z]\w{0,4})(?![\w/])")
_NO_FILES = frozenset({"e.g", "i.e", "z.b", "d.h", "u.a"})
_QUOTED = re.compile(r"[\"“”„'`]([^\"“”„'`\n]{1,100}\.[A-Za-z]\w{0,4})[\"“”'`]")

# "A file called thanks to Mrs Cartwright.txt".
_CALLED = re.compile(
    r"\b(?:called|named|namens|genannt|appelée?|nommée?|llamad[oa]|(?:save|keep|store) (?:it|that|this|them) "
    r"(?:as|under)(?: an? (?:new )?(?:text )?file(?: called| named)?)?) ((?!\S+\.[a-z]|(?:an?|called|named) )"
    r"(?:(?!(?:and|und|et|y|with|mit|avec|con)\b)[\w'’-]+\.? ){1,6}[\w'’-]+\.[a-z]\w{0,4})\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r",?\s+(?:and then|and|then|und dann|und|dann|danach|anschließend)\s+|(?<=[.;!?])\s+", re.IGNORECASE
)


def parts_of(request: str) -> list[str]:
    """The request, taken apart where one thing to do ends and the next begins; never empty."""
    return [part for part in _BETWEEN.split(request) if part.strip()] or [request]


def files_in(request: str) -> list[str]:
    """The files that a request names, each as it is written there, in order."""
    # What stands in quotation marks may have blanks; it is taken out before the rest is read.
    bare = _QUOTED.sub(" ", request)
    found = [*_QUOTED.findall(request), *_CALLED.findall(bare), *_PATH.findall(_CALLED.sub(" ", bare))]
    return [name for name in dict.fromkeys(found) if name.casefold() not in _NO_FILES]
