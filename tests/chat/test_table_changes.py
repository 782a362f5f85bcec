"""Changes of tables and lists in anybody's words: the model writes statements, the program finds the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.references import Past
from desktop.chat.table_changes import OVER_NONE, TableChanges, beginnings, told_first
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.tools.table_statements import NO_STATEMENT, editable_rows, statements_in
from tests.chat.test_intents import Folder

TODAY = date(2026, 11, 29)
JOBS = (
    "no,client,what,due,state\n11,Col Silva,lamp,2026-11-30,waiting\n12,Ann Petit,chair,2026-12-02,ready\n"
    "13,Col Silva,table,2026-12-04,booked\n14,Eva Roth,desk,2026-12-05,ready\n"
    "15,Max Lund,bed,2026-12-07,booked\n"
)
TEXTS = {
    "jobs.csv": JOBS,
    "stock.csv": "what;left\nred cloth;8,5\nblue cloth;3,2\nthread;12\n",
    "deliveries.csv": "date;what;left\n2026-11-03;red cloth;10\n2026-11-09;thread;20\n",
    "cleaning.md": "## Kitchen\n- [ ] wall\n- [ ] lamp\n\n## Bath\n- [ ] wall\n- [x] tap\n",
    "shopping.txt": "- bread\n- cheap towels\n",
    "log.csv": "date,km,from,to\n2026-11-02,12,Ulm,Bonn\n2026-11-20,8,Bonn,Kiel\n",
    "letter.txt": "Dear Eva,\n\nsee you soon.\n",
}


class Around(Folder):
    """A workspace of these texts."""

    def __init__(self, texts: Mapping[str, str] = TEXTS) -> None:
        self._texts = texts

    def files(self) -> Sequence[str]:
        return tuple(self._texts)

    def text(self, name: str) -> str:
        return self._texts.get(name, "")

    def whole(self, name: str) -> str:
        return self._texts.get(name, "")

    def document(self, name: str) -> str:
        return ""


class Model:
    """Means the files of `files` in this order, and writes these statements in turn; one is likelier than
    none by `over`, and an added row than a changed one by `new`."""

    def __init__(
        self, *written: str, files: Sequence[str] = (), over: float = OVER_NONE + 2, new: float = -9.0
    ) -> None:
        self.written, self.files, self.over, self.new = list(written), files, over, new
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        if NO_STATEMENT in request.labels and "UPDATE" in request.labels:
            verbs = {"UPDATE": self.over, "INSERT": self.over + self.new, NO_STATEMENT: 0.0}
            stream.put_scores({each: verbs.get(each, -9.0) for each in request.labels})
        elif request.labels:
            likely = {name: 4.0 - at for at, name in enumerate(self.files)} | {NO_STATEMENT: 0.0}
            stream.put_scores({each: likely.get(each, -12.0) for each in request.labels})
        elif request.weighed:
            stream.put_scores({request.weighed: -1.0})
        else:
            stream.put(self.written.pop(0) if self.written else NO_STATEMENT)
        stream.end(FinishReason.STOP, Metrics())
        return stream


def planned(asked: str, model: Model, past: Past | None = None) -> IntentPlan | None:
    return TableChanges(Around(), past or Past(), model, TODAY).plan(asked)


def told(plan: IntentPlan | None) -> list[tuple[str, ...]]:
    """What its calls do: the old and the new of each, or what is added."""
    if plan is None:
        return []
    given = ({key: str(value) for key, value in call.arguments.items()} for call in plan.calls)
    return [
        (each["path"], each["old"], each["new"]) if "old" in each else (each["path"], each["text"])
        for each in given
    ]


@pytest.mark.parametrize(
    ("asked", "file", "written", "done"),
    [
        (
            "ann came for the chair, put collected",
            "jobs.csv",
            ["UPDATE t SET state = 'collected' WHERE client = 'Ann Petit'"],
            [("jobs.csv", "12,Ann Petit,chair,2026-12-02,ready", "12,Ann Petit,chair,2026-12-02,collected")],
        ),
        (
            "used 2,5 of the red cloth",
            "stock.csv",
            ["UPDATE t SET left = left - 2,5 WHERE what = 'red cloth'"],
            [("stock.csv", "red cloth;8,5", "red cloth;6")],
        ),
        # The same line stands under two headings.
        (
            "the bath wall is done",
            "cleaning.md",
            ["UPDATE t SET done = 'yes' WHERE section = 'Bath' AND task = 'wall'"],
            [("cleaning.md", "## Bath\n- [ ] wall", "## Bath\n- [x] wall")],
        ),
        (
            "put sink under kitchen",
            "cleaning.md",
            ["INSERT INTO t SET section = 'Kitchen', task = 'put sink under kitchen'"],
            [("cleaning.md", "- [ ] lamp", "- [ ] lamp\n- [ ] sink")],
        ),
        (
            "towels off and 3 eggs on",
            "shopping.txt",
            ["DELETE FROM t WHERE item = 'cheap towels'\nINSERT INTO t SET item = '3 eggs'"],
            [("shopping.txt", "- cheap towels", ""), ("shopping.txt", "- 3 eggs")],
        ),
    ],
)
def test_what_is_said_becomes_the_change_of_a_line(
    asked: str, file: str, written: Sequence[str], done: list[tuple[str, ...]]
) -> None:
    """Of the file that is meant, which nobody has named."""
    assert told(planned(asked, Model(*written, files=[file]))) == done


def test_where_several_rows_fit_the_user_is_asked() -> None:
    """And the answer is about the same file, with what was asked for before."""
    model = Model("UPDATE t SET state = 'ready' WHERE client = 'Col Silva'", files=["jobs.csv"])
    plan = planned("col is ready", model)
    assert plan is not None
    assert not plan.calls
    assert "11, Col Silva, lamp" in plan.steps[0].text
    assert "13, Col Silva, table" in plan.steps[0].text

    past = Past(asked="col is ready", text=plan.steps[0].text)
    model = Model("UPDATE t SET state = 'ready' WHERE what = 'lamp'")
    changed = ("jobs.csv", "11,Col Silva,lamp,2026-11-30,waiting", "11,Col Silva,lamp,2026-11-30,ready")
    assert told(planned("the lamp of course", model, past)) == [changed]
    assert "col is ready -> which one is meant: 11, Col Silva" in model.asked[0].messages[-1].content


def test_what_was_done_before_is_shown_as_statements() -> None:
    """So that "and hannah's" and "no, 6" can go on from it."""
    call = ParsedCall("replace_text", {"path": "stock.csv", "old": "thread;15", "new": "thread;12"})
    past = Past(asked="used 3 of the thread", calls=(call,))
    model = Model("UPDATE t SET left = '11' WHERE what = 'thread'")
    assert told(planned("no, there are 11", model, past)) == [("stock.csv", "thread;12", "thread;11")]
    shown = model.asked[0].messages[-1].content
    assert "Before: used 3 of the thread -> UPDATE t SET left = left - 3 WHERE what = 'thread'" in shown


def test_the_file_is_taken_whose_rows_answer_to_most_of_it() -> None:
    """And what a dated row tells has been: it is not used up."""
    model = Model(
        "UPDATE t SET left = left - 2 WHERE what = 'red cloth'",
        "UPDATE t SET left = left - 2 WHERE what = 'red cloth'",
        files=["deliveries.csv", "stock.csv"],
    )
    assert told(planned("used 2 of the red cloth", model)) == [
        ("stock.csv", "red cloth;8,5", "red cloth;6,5")
    ]


def test_a_row_is_known_by_the_name_that_another_table_has_for_it() -> None:
    """Plot 6 is Krause's in the list of members."""
    texts = {"members.csv": "plot,name\n5,Frey\n6,Krause\n", "water.csv": "plot,old,new\n5,10,12\n6,20,\n"}
    model = Model("UPDATE t SET new = new + 25 WHERE plot = '5'", files=["water.csv"])
    plan = TableChanges(Around(texts), Past(), model, TODAY).plan("krause's meter says 25 now")
    assert told(plan) == [("water.csv", "6,20,", "6,20,25")]


def test_what_goes_on_from_a_task_that_is_done_is_done() -> None:
    """ "The kitchen one too" has no word of it."""
    call = ParsedCall("replace_text", {"path": "cleaning.md", "old": "- [ ] tap", "new": "- [x] tap"})
    past = Past(asked="the tap is done", calls=(call,))
    model = Model("UPDATE t SET done = 'yes' WHERE section = 'Kitchen' AND task = 'lamp'")
    assert told(planned("and the kitchen lamp", model, past)) == [("cleaning.md", "- [ ] lamp", "- [x] lamp")]


def test_what_no_row_is_of_becomes_a_new_one() -> None:
    """Where that is about as likely; a small model would rather change the last."""
    model = Model(
        "UPDATE t SET km = '31' WHERE date = '2026-11-20'",
        "INSERT INTO t SET km = '31', from = 'kiel', to = 'ulm'",
        files=["log.csv"],
        new=-1.0,
    )
    assert told(planned("drove kiel to ulm today, 31 km", model)) == [("log.csv", "2026-11-29,31,Kiel,Ulm")]


def test_a_part_that_was_left_out_is_asked_for_by_itself() -> None:
    """A small model stops after the first of several."""
    model = Model(
        "UPDATE t SET left = left - 2 WHERE what = 'red cloth'",
        "UPDATE t SET left = '9' WHERE what = 'thread'",
        files=["stock.csv"],
    )
    done = told(planned("used 2 of the red cloth and 9 thread left", model))
    assert done == [("stock.csv", "red cloth;8,5", "red cloth;6,5"), ("stock.csv", "thread;12", "thread;9")]


def test_a_word_that_points_back_is_of_nothing_else() -> None:
    """ "Márcalos" ticks what was named, and not what was put there before."""
    whole = "- [ ] guantes\n- [ ] papel\n"
    texts = {"compras.md": whole}
    tick = "UPDATE t SET done = 'yes' WHERE task = '{}'"
    model = Model(tick.format("guantes"), tick.format("papel"), files=["compras.md"])
    added = ParsedCall("append_text", {"path": "compras.md", "text": "- [ ] papel"})
    past = Past(asked="apunta papel en compras.md", calls=(added,))
    plan = TableChanges(Around(texts), past, model, TODAY).plan("Ya he comprado los guantes, márcalos.")
    assert told(plan) == [("compras.md", "- [ ] guantes", "- [x] guantes")]


EVENT = "BEGIN:VEVENT\nUID:1\nDTSTART:20261210T140000\nSUMMARY:Elternabend\nLOCATION:Aula\nEND:VEVENT"


@pytest.mark.parametrize(
    ("written", "done"),
    [
        (
            "UPDATE t SET location = 'Bibliothek' WHERE summary = 'Elternabend'",
            [("a.ics", EVENT, EVENT.replace("Aula", "Bibliothek"))],
        ),
        # Days and hours are read from the message itself, and no event is made by a model.
        ("UPDATE t SET date = '2026-12-11' WHERE summary = 'Elternabend'", []),
        ("INSERT INTO t SET summary = 'Bibliothek'", []),
    ],
)
def test_a_model_writes_no_day_into_a_calendar(written: str, done: list[tuple[str, ...]]) -> None:
    """It gives an event an end that nobody said."""
    texts = {"a.ics": f"BEGIN:VCALENDAR\n{EVENT}\nEND:VCALENDAR\n"}
    model = Model(written, files=["a.ics"])
    plan = TableChanges(Around(texts), Past(), model, TODAY).plan(
        "Der Elternabend ist jetzt in der Bibliothek"
    )
    assert told(plan) == done


def test_a_state_that_was_said_stands_for_one_that_others_have() -> None:
    """ "Put collected" is not "ready", though a small model takes what is there."""
    model = Model(
        "UPDATE t SET state = 'ready' WHERE client = 'Ann Petit'",
        "UPDATE t SET state = 'collected' WHERE client = 'Ann Petit'",
        files=["jobs.csv"],
    )
    ((_, _, new),) = told(planned("ann took the chair, put collected", model))
    assert new.endswith("collected")


@pytest.mark.parametrize(
    ("asked", "model"),
    [
        ("ann is so nice", Model(files=["jobs.csv"], over=OVER_NONE - 1)),
        ("what a day", Model()),
        (
            "put it somewhere",
            Model("UPDATE t SET state = 'ready' WHERE client = 'Max Lund'", files=["jobs.csv"]),
        ),
        ("x" * 400, Model()),
        ("add it to letter.txt", Model()),
    ],
)
def test_what_wants_no_change_that_is_clear_has_no_plan(asked: str, model: Model) -> None:
    """A remark, no file, no row, a long text, a file without rows."""
    assert planned(asked, model) is None


@pytest.mark.parametrize(
    ("asked", "model"),
    [
        # Which row the 19th is of nobody can tell.
        (
            "ann cant do the 19th",
            Model("UPDATE t SET state = 'booked' WHERE client = 'Ann Petit'", files=["jobs.csv"]),
        ),
        # Nothing says that it goes.
        ("ann only has the chair", Model("DELETE FROM t WHERE client = 'Ann Petit'", files=["jobs.csv"])),
        # To be done is not done; the model says which (here: neither).
        (
            "please see to the bath wall",
            Model(
                "UPDATE t SET done = 'yes' WHERE section = 'Bath' AND task = 'wall'", files=["cleaning.md"]
            ),
        ),
        # A row has more than one word of it.
        ("the box of ann is here", Model("INSERT INTO t SET what = 'box'", files=["jobs.csv"], new=1.0)),
    ],
)
def test_what_is_not_clear_changes_nothing(asked: str, model: Model) -> None:
    """A wrong row costs more than a question more."""
    plan = planned(asked, model)
    assert plan is None or not plan.calls


def test_a_row_that_is_spoken_of_is_told_where_nothing_is_clear() -> None:
    """Words about it that the model makes up would stand in its place. A remark without a number, or a verb
    that orders, is no change that a column could be asked for."""

    def planned_by(asked: str) -> IntentPlan | None:
        return planned(asked, Model("DELETE FROM t WHERE client = 'Ann Petit'", files=["jobs.csv"]))

    assert planned_by("ann only has the chair") is None
    plan = planned_by("change it for ann, only the chair")
    assert plan is not None
    assert plan.steps[0].text == (
        "I have not changed anything: I cannot tell what is to become of this in jobs.csv: 12, Ann Petit, "
        "chair, 2026-12-02, ready. Which column, and what should stand there?"
    )


def test_what_is_to_be_ticked_off_does_not_go() -> None:
    """Off the hook, and not off the list, whatever the model writes for it."""
    model = Model("DELETE FROM t WHERE section = 'Kitchen' AND task = 'lamp'", files=["cleaning.md"])
    assert told(planned("got the lamp done, tick it off", model)) == [
        ("cleaning.md", "- [ ] lamp", "- [x] lamp")
    ]


def test_a_row_of_a_named_file_is_told_in_words() -> None:
    """By those that ask for one to be added; a list has none."""
    model = Model("INSERT INTO t SET date = 'yesterday', km = '9', from = 'bonn', to = 'kiel'")
    changes = TableChanges(Around(), Past(), model, TODAY)
    assert changes.row("yesterday 9 km from bonn to kiel", "log.csv") == "2026-11-28,9,Bonn,Kiel"
    assert changes.row("eggs", "shopping.txt") == ""


def test_a_model_that_is_stopped_changes_nothing() -> None:
    """Half a statement is none."""

    class Stopped(Model):
        def __call__(self, request: GenerateRequest) -> Stream:
            stream = super().__call__(request)
            if not request.labels:
                stream = Stream(lambda: None)
                stream.put("UPDATE t SET")
                stream.end(FinishReason.CANCELLED, Metrics())
            return stream

    assert planned("ann is ready", Stopped(files=["jobs.csv"])) is None


def test_all_examples_are_statements_to_their_tables() -> None:
    """Or none; and what stands before a table is read ahead."""
    messages = told_first()
    for shown, written in zip(messages[1::2], messages[2::2], strict=True):
        lines = shown.content.splitlines()
        rows = [each for each in lines if not each.startswith(("Before: ", "Said: "))]
        text = "\n".join(each.replace(" | ", ";").replace(" |", ";") for each in rows)
        table = (
            editable_rows(text) if ";" in text else editable_rows("\n".join(f"- {each}" for each in rows[1:]))
        )
        assert table is not None, shown.content
        if written.content != NO_STATEMENT:
            assert len(statements_in(written.content, table)) == len(written.content.splitlines()), (
                written.content
            )
    assert [each.shared_messages for each in beginnings()][1] == len(messages)


def test_what_is_told_to_be_added_is_a_line_more() -> None:
    """To the list of the message before, also where a small model would change another line."""
    texts = {"todo.md": "- [ ] wall\n- [x] tap\n"}
    call = ParsedCall("replace_text", {"path": "todo.md", "old": "- [ ] tap", "new": "- [x] tap"})
    past = Past(asked="the tap is done", calls=(call,))
    model = Model(
        "UPDATE t SET done = 'yes' WHERE task = 'wall'",
        "INSERT INTO t SET task = 'ask tom to bring the lead'",
    )
    plan = TableChanges(Around(texts), past, model, TODAY).plan("and add: ask tom to bring the lead")
    assert told(plan) == [("todo.md", "- [ ] ask tom to bring the lead")]


@pytest.mark.parametrize(
    "asked",
    [
        "oh sorry no it was eva not ann",
        "nein, nicht ann sondern eva",
        "no, eva, not ann",
        "ay no, era eva no ann",
    ],
)
def test_a_word_that_was_wrong_is_exchanged(asked: str) -> None:
    """What was done is taken back, and the message before is read once more with the other word."""
    done = ParsedCall(
        "replace_text",
        {
            "path": "jobs.csv",
            "old": "12,Ann Petit,chair,2026-12-02,booked",
            "new": "12,Ann Petit,chair,2026-12-02,ready",
        },
    )
    undo = ParsedCall("undo_change", {"change": 7})
    past = Past(asked="ann is booked", calls=(done,), undo=(undo,))
    model = Model("UPDATE t SET state = 'booked' WHERE client = 'Eva Roth'")
    plan = planned(asked, model, past)
    assert plan is not None
    assert plan.calls[0] == undo
    assert plan.calls[1].arguments["new"] == "14,Eva Roth,desk,2026-12-05,booked"
    assert "12 | Ann Petit | chair | 2026-12-02 | booked" in model.asked[-1].messages[-1].content


def test_a_number_of_no_row_is_said() -> None:
    """And nothing else is changed in its place."""
    texts = {"hives.csv": "hive,place,food\n1,garden,9\n2,wood,12\n"}
    model = Model("UPDATE t SET food = '13' WHERE hive = '1'", files=["hives.csv"])
    plan = TableChanges(Around(texts), Past(), model, TODAY).plan("hive 9 has 13 kilos of food now")
    assert plan is not None
    assert not plan.calls
    assert plan.steps[0].text == "I have not changed anything: hives.csv has no row for “hive 9”."


def test_a_letter_is_no_list() -> None:
    """Its lines are sentences, whatever stands before them."""
    texts = {
        "office.txt": "Dear Ms Lund,\n\nplease tell us\n1. how many hives you have,\n2. where they are.\n"
    }
    model = Model("INSERT INTO t SET item = '13 kilos'", files=["office.txt"])
    assert TableChanges(Around(texts), Past(), model, TODAY).plan("add 13 kilos") is None


def test_what_something_stands_instead_of_says_the_column() -> None:
    """Whichever a small model takes."""
    texts = {"rota.csv": "day,waters,deputy\n5 dec,Paco,Driss\n6 dec,Amparo,Mar\n12 dec,Tomas,Reme\n"}
    model = Model("UPDATE t SET deputy = 'lucia' WHERE day = '12 dec'", files=["rota.csv"])
    plan = TableChanges(Around(texts), Past(), model, TODAY).plan("lucia does 12 dec instead of tomas")
    assert told(plan) == [("rota.csv", "12 dec,Tomas,Reme", "12 dec,Lucia,Reme")]


def test_a_new_row_has_what_was_said_and_no_more() -> None:
    """The one number and the one piece that are left belong into the cells that all others have; "not
    bought" is a no; a place that nobody named stays empty."""
    texts = {
        "gifts.csv": "who,idea,price,bought,hidden\nAda,skates,42.00,yes,car\nJo,lego,39.99,no,\n"
        "Ada,comic,11.50,no,\nNan,slippers,24.00,yes,car\n"
    }
    model = Model(
        "UPDATE t SET price = '15' WHERE who = 'Nan'",
        "UPDATE t SET price = '15' WHERE who = 'Nan'",
        "INSERT INTO t SET who = 'Nan', bought = 'yes', hidden = 'car'",
        files=["gifts.csv"],
        new=-2.0,
    )
    plan = TableChanges(Around(texts), Past(), model, TODAY).plan("nan: book token, 15 quid, not bought yet")
    assert told(plan) == [("gifts.csv", "Nan,book token,15.00,no,")]


def test_an_amount_goes_into_the_column_that_is_named() -> None:
    """And not into the one that a small model takes; where none is named the row is told."""
    texts = {
        "bookings.csv": "guest,arrives,total,deposit\nRobles,2026-12-04,320.00,100.00\n"
        "Echeverri,2026-12-05,390.00,0.00\nBlume,2026-12-11,110.00,110.00\n"
    }
    written = "UPDATE t SET total = total - 100 WHERE guest = 'Echeverri'"
    changes = TableChanges(Around(texts), Past(), Model(written, files=["bookings.csv"]), TODAY)
    assert told(changes.plan("the echeverri family paid 100 of deposit")) == [
        ("bookings.csv", "Echeverri,2026-12-05,390.00,0.00", "Echeverri,2026-12-05,390.00,100.00")
    ]
    changes = TableChanges(Around(texts), Past(), Model(written, files=["bookings.csv"]), TODAY)
    plan = changes.plan("echeverri hat 100 angezahlt")
    assert plan is not None
    assert not plan.calls
    assert "Echeverri, 2026-12-05, 390.00, 0.00" in plan.steps[0].text


@pytest.mark.parametrize(
    ("asked", "is_opened"), [("the tap is not done yet", True), ("i hate the tap", False)]
)
def test_a_tick_goes_only_where_it_is_said(asked: str, is_opened: bool) -> None:
    """A remark about what is done opens nothing again."""
    model = Model("UPDATE t SET done = 'no' WHERE section = 'Bath' AND task = 'tap'", files=["cleaning.md"])
    done = [("cleaning.md", "- [x] tap", "- [ ] tap")] if is_opened else []
    assert told(planned(asked, model)) == done


def test_a_name_alone_changes_nothing() -> None:
    """It says which row, and not what is to become of it, but where that was said before."""
    written = "UPDATE t SET state = 'booked' WHERE client = 'Ann Petit'"
    assert told(planned("the petit", Model(written, files=["jobs.csv"]))) == []


@pytest.mark.parametrize(
    ("asked", "is_added"),
    [
        ("the bread was mouldy, hardly any left. well, winter is long", False),
        ("we need butter", True),
        ("butter on the list", True),
    ],
)
def test_a_remark_adds_nothing_to_a_list(asked: str, is_added: bool) -> None:
    """But for what is needed."""
    model = Model(
        "INSERT INTO t SET item = 'butter'" if is_added else "INSERT INTO t SET item = 'winter is long'"
    )
    model.files = ["shopping.txt"]
    assert bool(told(planned(asked, model))) is is_added


def test_what_is_to_go_is_not_ticked() -> None:
    """The clause that speaks of a task says which."""
    texts = {"todo.md": "- [ ] wash the curtains\n- [ ] descale the kettle\n- [ ] sweep\n"}
    written = "UPDATE t SET done = 'yes' WHERE task = 'wash the curtains'\n"
    written += "UPDATE t SET done = 'yes' WHERE task = 'descale the kettle'"
    plan = TableChanges(Around(texts), Past(), Model(written, files=["todo.md"]), TODAY).plan(
        "the curtains are done, and remove the kettle, we have a new one"
    )
    assert told(plan) == [
        ("todo.md", "- [ ] wash the curtains", "- [x] wash the curtains"),
        ("todo.md", "- [ ] descale the kettle", ""),
    ]


def test_what_a_log_is_told_of_today_is_none_of_its_other_days() -> None:
    """But a row more."""
    texts = {"meter.csv": "date,gas,power,who\n2026-09-27,4718,21493,Eva\n2026-10-25,4769,21836,Femi\n"}
    model = Model(
        "UPDATE t SET gas = '4871', power = '22302' WHERE who = 'Femi'",
        "INSERT INTO t SET date = 'today', gas = '4871', power = '22302', who = 'Femi'",
        files=["meter.csv"],
        new=-2.0,
    )
    plan = TableChanges(Around(texts), Past(), model, TODAY).plan(
        "today gas 4871, power 22302. femi read them"
    )
    assert told(plan) == [("meter.csv", "2026-11-29,4871,22302,Femi")]
