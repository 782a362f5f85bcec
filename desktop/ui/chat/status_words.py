"""What the parts of the status line say, made of what is known about engine, context and network."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.ui.language import decimal_point, later, number_words, plural, told, tr

UNGUARDED_HELP = later(
    "Never ask is on: files can be deleted and data sent without a question. Click to change it."
)


@dataclass(frozen=True)
class LineFacts:
    """What the line shows. `loading` is 0 to 1 while a model loads."""

    model_name: str = ""
    device: str = ""
    threads: int = 0
    gpu_layers: int = 0
    tokens_per_s: float = 0.0
    context_used: int = 0
    context_tokens: int = 0
    context_estimated: bool = False  # no model is loaded that could count
    loading: float | None = None
    offline: bool = False
    network: str = ""  # whether something leaves this computer, in words
    network_help: str = ""  # what has left it
    unguarded: bool = False  # nothing is asked before it is done
    report: str = ""  # that the last run ended unexpectedly
    note: str = ""  # a standing remark about this window, with `note_help`
    note_help: str = ""
    device_notice: str = ""  # why the graphics card is not used

    @property
    def context_share(self) -> float:
        return self.context_used / self.context_tokens if self.context_tokens else 0.0


def model_words(facts: LineFacts) -> str:
    if facts.loading is not None:
        return tr(
            "Loading {name} {percent:.0f} %",
            name=facts.model_name or tr("model"),
            percent=facts.loading * 100,
        )
    return facts.model_name or tr("Choose a model")


def device_words(facts: LineFacts) -> str:
    return {"cpu": "CPU", "cuda": "CUDA", "metal": "Metal", "vulkan": "Vulkan"}.get(
        facts.device, facts.device
    )


def device_help(facts: LineFacts) -> str:
    """Where, with how many threads and layers, and why not on the graphics card."""
    threads = ", " + plural("{count} thread", "{count} threads", facts.threads) if facts.threads else ""
    layers = ", " + tr("{count} layers on the GPU", count=facts.gpu_layers) if facts.gpu_layers > 0 else ""
    notice = f". {told(facts.device_notice)}" if facts.device_notice else ""
    return tr("Where the model computes") + threads + layers + notice


def context_words(facts: LineFacts, nearly_full: bool) -> str:
    """ "context 1.2k/8.2k"; "" while there is none."""
    if not facts.context_tokens:
        return ""
    words = tr(
        "context {used}/{all}",
        used=("≈" if facts.context_estimated else "") + short_count(facts.context_used),
        all=short_count(facts.context_tokens),
    )
    return tr("{words} · nearly full", words=words) if nearly_full else words


def context_help(facts: LineFacts) -> str:
    return tr(
        "{used:,} of {all:,} tokens that the model can see at once are used ({share:.0%})",
        used=facts.context_used,
        all=facts.context_tokens,
        share=facts.context_share,
    )


def short_count(number: int) -> str:
    """1234 as "1.2k"."""
    return (
        str(number)
        if number < 1000
        else number_words(number / 1000, 1).removesuffix(f"{decimal_point()}0") + "k"
    )
