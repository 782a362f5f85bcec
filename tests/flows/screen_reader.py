"""What a screen reader gets from the accessibility bus: prints a JSON line for each fact.

Run by the system's own Python, which has the bindings: `python3 screen_reader.py`. A line on stdin is done:
`tree` prints every element of the program, `quit` ends.
"""

import json
import sys
import threading

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PROGRAM = "Steward"
EVENTS = (
    "object:state-changed:focused",
    "object:announcement",
    "window:activate",
    "object:state-changed:checked",
)
STATES = ("FOCUSABLE", "FOCUSED", "CHECKED", "ENABLED", "SHOWING", "EXPANDED", "BUSY")
DEEPEST = 40


def say(**fact):
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


def about(element):
    states = element.get_state_set()
    return {
        "role": element.get_role_name(),
        "name": element.get_name() or "",
        "description": element.get_description() or "",
        "states": [name for name in STATES if states.contains(getattr(Atspi.StateType, name))],
    }


def written(element):
    """What stands in a field."""
    if element.get_role_name() != "text" or element.get_text_iface() is None:
        return ""
    return Atspi.Text.get_text(element, 0, -1)


def on_event(event):
    try:
        if event.type.startswith("object:state-changed") and not event.detail1:
            return
        heard = event.any_data if event.type.startswith("object:announcement") else None
        say(event=event.type, heard=heard if isinstance(heard, str) else None, **about(event.source))
    except GLib.Error:
        return  # it is gone already


def programs():
    desktop = Atspi.get_desktop(0)
    found = (desktop.get_child_at_index(number) for number in range(desktop.get_child_count()))
    return [each for each in found if each is not None and PROGRAM.lower() in (each.get_name() or "").lower()]


def walk(element, depth=0):
    try:
        facts = about(element) | {"text": written(element)}
        yield facts
        if (depth < DEEPEST and "SHOWING" in facts["states"]) or depth < 2:
            for number in range(element.get_child_count()):
                child = element.get_child_at_index(number)
                if child is not None:
                    yield from walk(child, depth + 1)
    except GLib.Error:
        return


def obey():
    for line in sys.stdin:
        GLib.idle_add(on_line, line.strip())
    GLib.idle_add(on_line, "quit")


def on_line(verb):
    if verb == "tree":
        say(tree=[facts for program in programs() for facts in walk(program)])
    else:
        Atspi.event_quit()
    return False


def main():
    Atspi.init()
    listener = Atspi.EventListener.new(on_event)
    for name in EVENTS:
        listener.register(name)
    threading.Thread(target=obey, daemon=True).start()
    say(ready=True)
    Atspi.event_main()


main()
