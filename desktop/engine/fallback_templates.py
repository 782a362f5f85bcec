"""How to write a conversation for model files that carry no chat template."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PlainTemplate:
    """Text around each message by role; `other` stands in for roles not named."""

    user: tuple[str, str]
    assistant: tuple[str, str]
    system: tuple[str, str]
    answer: str  # what begins the answer
    stop: tuple[str, ...] = ()

    def around(self, role: str) -> tuple[str, str]:
        """What is written before and after a message of `role`."""
        known = {"system": self.system, "assistant": self.assistant}
        return known.get(role, self.user)


CHATML = PlainTemplate(
    user=("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=("<|im_start|>assistant\n", "<|im_end|>\n"),
    system=("<|im_start|>system\n", "<|im_end|>\n"),
    answer="<|im_start|>assistant\n",
    stop=("<|im_end|>", "<|im_start|>"),
)
GEMMA = PlainTemplate(
    user=("<start_of_turn>user\n", "<end_of_turn>\n"),
    assistant=("<start_of_turn>model\n", "<end_of_turn>\n"),
    system=("<start_of_turn>user\n", "<end_of_turn>\n"),
    answer="<start_of_turn>model\n",
)
PHI2 = PlainTemplate(
    user=("Instruct: ", "\n"),
    assistant=("Output: ", "\n"),
    system=("", "\n"),
    answer="Output:",
    stop=("\nInstruct:",),
)
PLAIN = PlainTemplate(
    user=("User: ", "\n"),
    assistant=("Assistant: ", "\n"),
    system=("", "\n\n"),
    answer="Assistant:",
    stop=("\nUser:",),
)


def fallback_for(architecture: str, control_texts: tuple[str, ...]) -> PlainTemplate:
    """The one whose marks this vocabulary knows, else the one its family was trained on, else plain words."""
    if "<|im_start|>" in control_texts:
        return CHATML
    if "<start_of_turn>" in control_texts:
        return GEMMA
    return PHI2 if architecture == "phi2" else PLAIN
