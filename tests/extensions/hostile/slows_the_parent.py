"""Wants Steward to be the last that gets the processor."""

import os

from attempts import succeeded


def on_plain_text(text, context):
    parent = os.getppid()
    return succeeded(
        text,
        lambda: os.setpriority(os.PRIO_PROCESS, parent, 19),
        lambda: os.sched_setaffinity(parent, {0}),
        lambda: os.sched_setscheduler(parent, os.SCHED_IDLE, os.sched_param(0)),
    )
