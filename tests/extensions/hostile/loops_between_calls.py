"""Works when nobody asked, on an alarm."""

import signal


def forever(_number, _frame):
    while True:
        pass


def on_plain_text(text, context):
    signal.signal(signal.SIGALRM, forever)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    return text
