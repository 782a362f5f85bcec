"""Which tools come into question, by the words of a request."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from desktop.chat.tool_mode import ToolRuntime
from desktop.gate.verdict import Effect
from desktop.mcp.access import Access, ServerReach
from desktop.mcp.as_tool import ServedTool
from desktop.mcp.pins import pin
from desktop.mcp.request_words import RequestWords, stem
from desktop.mcp.selection import (
    AT_MOST,
    CATALOGUE_CHARACTERS,
    NEVER,
    ArgumentKind,
    ToolSelection,
    hint_words,
    kinds_in,
    kinds_needed,
    kinds_taken,
    kinds_wanted,
    links_two,
    names_offered,
    numbers_in,
    numbers_needed,
    ranked_by,
    says_one,
)
from desktop.tools.executor import Executor
from desktop.tools.tool import Tool, Toolbox

TOOLS = {
    ("git", "git_status"): ("Shows the working tree status", ["repo_path"]),
    ("git", "git_log"): ("Shows the commit logs", ["repo_path", "max_count"]),
    ("git", "git_diff_unstaged"): (
        "Shows changes in the working directory that are not yet staged",
        ["repo_path"],
    ),
    ("git", "git_diff"): ("Shows differences between branches or commits", ["repo_path", "target"]),
    ("git", "git_diff_staged"): ("Shows changes that are staged for commit", ["repo_path"]),
    ("git", "git_commit"): ("Records changes to the repository", ["repo_path", "message"]),
    ("git", "git_show"): ("Shows the contents of a commit", ["repo_path", "revision"]),
    ("files", "list_files_with_sizes"): ("List the files of a directory with sizes", ["path"]),
    ("memory", "delete_entities"): ("Delete entities from the knowledge graph", ["names"]),
    ("files", "write_file"): ("Create a new file or overwrite an existing one", ["path", "content"]),
    ("files", "read_file"): ("Read the complete contents of a file as text", ["path"]),
    ("files", "search_files"): ("Search for files matching a pattern", ["path", "pattern"]),
    ("files", "move_file"): ("Move or rename files", ["source", "destination"]),
    ("files", "get_file_info"): ("Metadata of a file", ["path"]),
    ("time", "convert_time"): ("Convert time between timezones", ["time", "target_timezone"]),
    ("memory", "delete_observations"): ("Delete observations of entities", ["deletions"]),
    ("files", "edit_file"): ("Make line-based edits to a text file", ["path", "edits"]),
    ("git", "git_branch"): ("List Git branches", ["repo_path", "contains"]),
    ("git", "git_create_branch"): ("Creates a new branch", ["repo_path", "branch_name"]),
    ("time", "get_current_time"): ("Get current time in a specific timezone", ["timezone"]),
    ("memory", "read_graph"): ("Read the entire knowledge graph", []),
    ("memory", "search_nodes"): ("Search for nodes in the knowledge graph based on a query", ["query"]),
    ("memory", "add_observations"): (
        "Add new observations to existing entities in the knowledge graph",
        ["observations"],
    ),
    ("memory", "create_relations"): ("Create multiple new relations in the knowledge graph", ["relations"]),
    ("everything", "get-sum"): ("Returns the sum of two numbers", ["a", "b"]),
    ("memory", "create_entities"): ("Create multiple new entities in the knowledge graph", ["entities"]),
}


TEXT = {"type": "string"}
LINK = {"type": "object", "properties": {}, "required": ["from", "to"]}
KINDS: dict[str, object] = {
    "a": {"type": "number"},
    "b": {"type": "number"},
    "relations": {"type": "array", "items": LINK},
}


def _served() -> list[ServedTool]:
    made = []
    for (server, name), (said, names) in TOOLS.items():
        # The place is known from the settings, as for most servers that work in one.
        required = [each for each in names if each not in ("repo_path", "max_count")]
        schema = {"properties": {each: KINDS.get(each, TEXT) for each in names}, "required": required}
        found = pin({"name": name, "description": said, "inputSchema": schema})
        assert found is not None
        made.append(ServedTool(server, found, Access(ServerReach.READS), {}))
    return made


SELECTION = ToolSelection(_served, lambda *_given: {}, own=["read_file", "list_files"])


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("What changed in this repository?", "git_diff_unstaged"),
        ("Show me the last three commits", "git_log"),
        ("Convert 14:00 Berlin time to Tokyo", "convert_time"),
        ("Search the files for *.txt", "search_files"),
        ("Create the entities Anna and Bert", "create_entities"),
        ("Was hat sich im Git-Status getan?", "git_status"),
    ],
)
def test_a_fitting_tool_is_among_the_four(request_: str, wanted: str) -> None:
    """By words of its name, of what it says and of its parameters."""
    chosen = SELECTION.chosen(request_)
    assert wanted in [each.name for each in chosen]
    assert len(chosen) <= AT_MOST


def _fit(request: str, tool: str) -> float:
    """With the place of the repository in the settings."""
    served = [replace(each, fixed={"repo_path": "/home/ada/garden"}) for each in _served()]
    selection = ToolSelection(lambda: served, lambda *_given: {}, own=[])
    return selection.catalogue(request).fits(request)[tool]


@pytest.mark.parametrize(
    ("tool", "given", "bare"),
    [
        # Whether it is given: a time to convert, or none.
        ("convert_time", "What is the time 14:00 of here in Tokyo?", "What is the time of here in Tokyo?"),
        # Whether it can take it: a branch, of which what shows all that is staged knows none.
        ("git_diff_staged", "Show what is staged", "Show what is staged on the branch main"),
        ("git_diff_staged", "Show what Paula staged", 'Show what Paula staged as "first version"'),
        # The place where it works is in the settings.
        ("git_status", "Show the status of the repo garden", "Show the status of the branch garden"),
    ],
)
def test_a_value_that_fits_no_parameter_speaks_against_a_tool(tool: str, given: str, bare: str) -> None:
    """And so does one that must be given and is not, whatever its words say for it."""
    assert _fit(bare, tool) < 0 < _fit(given, tool)


def _first_of(request: str, *tools: str) -> str:
    fits = SELECTION.catalogue(request).fits(request)
    return max(tools, key=lambda name: fits[name])


@pytest.mark.parametrize(
    ("request_", "wanted", "other"),
    [
        ("In config.ini change debug to release.", "edit_file", "get_file_info"),
        ("flyer.txt has the wrong day. Replace Saturday.", "edit_file", "write_file"),
        ("Ersetze in brief.md Montag durch Dienstag.", "edit_file", "write_file"),
        ("When was config.ini changed?", "get_file_info", "edit_file"),
        ("What does plan.txt say?", "files_read_file", "write_file"),
        ("Create a file plan.txt that says hello", "write_file", "files_read_file"),
        ("Where are all the .log files under var?", "search_files", "files_read_file"),
        ("How large is budget.xlsx?", "get_file_info", "list_files_with_sizes"),
    ],
)
def test_a_file_is_changed_by_an_order_and_looked_at_by_a_question(
    request_: str, wanted: str, other: str
) -> None:
    """The same words mean either."""
    assert _first_of(request_, wanted, other) == wanted


@pytest.mark.parametrize(
    ("request_", "wanted", "other"),
    [
        ("Did I leave anything lying around that isn't committed?", "git_status", "git_diff_unstaged"),
        ("How do I differ from the develop branch?", "git_diff", "git_diff_unstaged"),
        ("What is in 4f2e9aa?", "git_show", "git_log"),
        ("Let the test server add 17 and 25.", "get-sum", "create_entities"),
        ("Lass den Testserver 128 und 367 zusammenzählen.", "get-sum", "convert_time"),
        ("Is it still daytime in Bangkok at the moment?", "get_current_time", "convert_time"),
        ("It is 7:45 in Denver, what time is it in Dublin?", "convert_time", "get_current_time"),
        ("It kicks off 9am in LA. What's that in London?", "convert_time", "get_current_time"),
        # Of whom something is told.
        ("Note in the graph about Paul that he is retired.", "add_observations", "create_relations"),
        ("Note in the graph that Lena manages Tom.", "create_relations", "delete_entities"),
        ("Don't commit anything yet, show me the status first.", "git_status", "git_commit"),
        ("What does the graph say about Anna?", "search_nodes", "read_graph"),
        ("Was steht zu Anna im Graph?", "search_nodes", "read_graph"),
        ("Show the whole graph.", "read_graph", "search_nodes"),
    ],
)
def test_what_a_request_gives_and_what_a_tool_takes(request_: str, wanted: str, other: str) -> None:
    """Values and names decide between neighbours, whatever words stand around them."""
    assert _first_of(request_, wanted, other) == wanted


def test_what_is_said_of_one_is_no_link_whatever_the_model_calls_it() -> None:
    """Unless a link is spoken of."""
    line = "add a relation between Paul and penicillin"
    catalogue = SELECTION.catalogue("Add to Paul in the graph that he cannot take penicillin.")
    fits = catalogue.fits(line)
    assert fits["create_relations"] < fits["add_observations"]
    linked = SELECTION.catalogue("Add the relation to Paul in the graph that he works with Tom.").fits(line)
    assert linked["create_relations"] > fits["create_relations"]


def test_what_is_not_to_be_done_says_nothing_of_it() -> None:
    """No state is asked for, either."""
    assert SELECTION.chosen("Don't commit anything yet, I only think out loud.") == ()
    assert "git_status" in [each.name for each in SELECTION.chosen("What isn't committed?")]


def test_a_tool_of_two_words_is_not_called_where_a_neighbour_says_more() -> None:
    """To create a Git branch is no call of git_branch."""
    assert (
        _first_of("Create a git branch named summer", "git_branch", "git_create_branch")
        == "git_create_branch"
    )
    assert _first_of("Call git branch", "git_branch", "git_create_branch") == "git_branch"


def test_the_number_of_a_commit_is_told_to_a_tool() -> None:
    """Whatever the question looks like, it is no general one."""
    assert SELECTION.catalogue("Who wrote commit 5ac90e3?").is_told
    assert not SELECTION.catalogue("Who wrote Faust?").is_told


@pytest.mark.parametrize(
    ("request_", "is_theirs"),
    [
        ('Undo the "works at" link in the graph.', True),
        ("Put me back on the garden branch.", True),
        ("Welche Zweige gibt es?", True),
        ("Add notes.txt to the branch.", False),  # a file may be either's
        ("List the files of the repository.", False),
        ("What time is it?", False),
    ],
)
def test_a_thing_that_no_own_tool_is_for_is_theirs(request_: str, is_theirs: bool) -> None:
    """By the names of both."""
    selection = ToolSelection(_served, lambda *_given: {}, own=["read_file", "list_files", "current_time"])
    assert selection.catalogue(request_).is_theirs is is_theirs


def test_a_tool_that_says_file_takes_one_under_whatever_name() -> None:
    """The data to compress may lie at an address."""
    schema = {"properties": {"name": TEXT, "data": TEXT}}
    made = pin({"name": "gzip-file", "description": "Compresses a file.", "inputSchema": schema})
    assert made is not None
    served = ServedTool("everything", made, Access(ServerReach.READS), {})
    selection = ToolSelection(lambda: [served], lambda *_given: {}, own=[])
    request = "Squeeze https://a.org/b.csv with gzip, as b.csv.gz."
    assert selection.catalogue(request).fits(request)["gzip-file"] > 0


@pytest.mark.parametrize(
    ("request_", "is_asked"),
    [
        ("Make the sandbox server do its pretend digging.", True),
        ("Der Probeserver spuckt dauernd Unsinn aus, stell das bitte ab.", True),
        ("Demande au serveur de dire bonjour.", True),
        ("Pídele al servidor que diga hola.", True),
        # No server that is there, and advice.
        ("Tell me a joke about servers", False),
        ("Was macht eigentlich ein Server?", False),
        ("The server room is too warm.", False),
        ("What happens when the server is down?", False),
    ],
)
def test_of_a_server_that_is_there_something_is_wanted_in_whatever_words(
    request_: str, is_asked: bool
) -> None:
    """It may be called otherwise than in the settings, and no word of its tools be said."""
    selection = ToolSelection(_served, lambda *_given: {}, own=["read_file"])
    assert bool(selection.chosen(request_)) is is_asked
    assert selection.catalogue(request_).is_theirs or not is_asked


@pytest.mark.parametrize(
    "request_",
    [
        "Hello",
        "",
        "Thank you!",
        "Why is the sky blue?",
        "Tell me a joke",
        "?" * 500,
        "Write a ballad about the status of a working tree",
        "Convert this sentence to the passive voice: time heals wounds.",
        "Add some humour to this text: the list was long.",
        "Schreib mir einen kurzen Vers über Zeiten",
        "Think of a title for a book on time",
        "Translate into German: the folder and the file are on the table",
        "Give me a riddle about a working tree",
        "Erzähl mir eine Geschichte über ein Verzeichnis",
        # Advice, and what is so in general.
        "Should I use git or mercurial?",
        "Soll ich lieber einen Commit oder zwei machen?",
        "What happens when two commits conflict?",
        "What are the usual permissions on a home directory, as a rule?",
        "Que se passe-t-il quand deux commits sont en conflit ?",
        "Which file formats are best for photos?",
        "My daughter asks why entities are created. What do I tell her?",
        # The word only says which kind of another thing is meant.
        "What is the time complexity of quicksort?",
        "Any good book about time travel?",
        "Wie baut man eine Zeitmaschine?",
    ],
)
def test_nothing_is_shown_where_no_word_fits(request_: str) -> None:
    """The prompt is then the same as without servers."""
    assert SELECTION.chosen(request_) == ()


@pytest.mark.parametrize(
    "request_",
    [
        "Write a poem about rain into rain.txt",
        "Create new entities for the poem and the story",
    ],
)
def test_a_text_that_goes_somewhere_is_no_mere_text(request_: str) -> None:
    """A file, or a tool that is said whole."""
    assert SELECTION.chosen(request_) != ()


def test_words_of_a_file_s_name_or_in_quotation_marks_mean_nothing() -> None:
    """changelog.txt asks for no changes, and a message is not what it is about."""
    words = RequestWords.of('Commit changelog.txt with the message "Convert the time"')
    assert words.said == ("commit", "messag")
    assert words.values == ("Convert the time", "changelog.txt")
    assert "diff" not in words.meant


@pytest.mark.parametrize(
    "request_",
    [
        "Should I commit plan.txt or leave it?",
        "What happens to my commits when I convert the time?",
        "Which of my commits is best?",
        "What is the status code of commit a1b2c3d?",
        "What is the time difference to Tokyo?",
        "Which files are in the directory invoices?",
    ],
)
def test_what_is_asked_of_something_of_ones_own_is_not_general(request_: str) -> None:
    """A file, a name, a number, or a word such as my."""
    assert SELECTION.chosen(request_) != ()


def test_a_short_word_is_no_beginning_of_another() -> None:
    """The French "lis" reads; a list and a legacy do not."""
    assert "read" in RequestWords.of("Lis la page").meant
    assert RequestWords.of("Liste legacy").meant == frozenset()


@pytest.mark.parametrize(
    ("request_", "values"),
    [
        ("How far is my work from the branch staging?", ("staging",)),
        ("Was liegt im Ordner verzeichnet?", ("verzeichnet",)),
        ("Show the file info", ()),  # a word of a tool's name
        ("Which entity is new?", ()),  # a word that stands everywhere
    ],
)
def test_a_name_behind_what_bears_it_is_a_value(request_: str, values: tuple[str, ...]) -> None:
    """It means nothing else, whatever word of a tool it is like."""
    words = RequestWords.of(request_).without_names({"file", "info", "staged"})
    assert words.values == values
    assert not set(map(stem, values)) & set(words.said)


def test_how_something_is_to_be_done_need_not_be_said() -> None:
    """A tool that must be told the type of a list is not held back for want of it."""
    schema = {"properties": {"branch_type": {"type": "string"}}, "required": ["branch_type"]}
    found = pin({"name": "git_branch", "description": "List branches", "inputSchema": schema})
    assert found is not None
    served = ServedTool("git", found, Access(ServerReach.READS), {})
    assert hint_words(served, "Liste die Branches auf.", [served]) == r"\b(?:branch|branches)"


def test_what_a_chat_has_used_stays() -> None:
    """The model has its calls before its eyes; more than four never."""
    used = ["calculator", "convert_time", "git_log", "convert_time"]
    assert {"convert_time", "git_log"} <= {each.name for each in SELECTION.chosen("And the file?", used)}
    everything = [name for _server, name in TOOLS]
    assert len(SELECTION.chosen("file", everything)) == AT_MOST


def test_no_tool_bears_the_name_of_stewards_own() -> None:
    """It is called with its server's name before it."""
    names = [each.name for each in SELECTION.all_tools()]
    assert "files_read_file" in names
    assert len(set(names)) == len(TOOLS)


def test_words_of_a_name_speak_for_the_tool() -> None:
    """As a pattern for the decision; the words of a description do not."""
    tool = _named("git_log")
    assert hint_words(tool, "the repository") == ""
    assert hint_words(tool, "the log") == r"\b(?:log)"


def _named(name: str) -> ServedTool:
    return next(each for each in _served() if each.pin.name == name)


@pytest.mark.parametrize(
    ("request_", "tool"),
    [
        ("Show the last 3 commits", "git_commit"),  # it only looks
        ("What is new in the entities?", "create_entities"),
        ("I finally deleted my entities, what a relief!", "delete_entities"),  # it is told
        ("Ich habe gestern Dateien verschoben.", "move_file"),
        ("What changed in this repository?", "git_diff_staged"),  # "staged" was not said
        ("What changed in this repository?", "git_diff"),  # no word is left for its target
        ("Is it bad to commit directly to main?", "git_commit"),  # a question is no order
        ("Delete the observation about tea", "delete_entities"),  # another tool is said whole
        ("Stage plan.txt", "git_diff_staged"),  # what is to be done has not been done
        ("Was habe ich noch nicht gestaged?", "git_diff_staged"),  # denied
        ("Which changes are not yet staged?", "git_diff_staged"),
    ],
)
def test_what_a_request_speaks_against_is_held_back(request_: str, tool: str) -> None:
    """An act where somebody looks, a word that nobody said, a value that nobody gave."""
    assert hint_words(_named(tool), request_, _served()) == NEVER


@pytest.mark.parametrize(
    ("request_", "tool"),
    [
        ("Commit the changes with the message Fix", "git_commit"),
        ("Which changes are staged?", "git_diff_staged"),
        ("List the files in photos with sizes", "list_files_with_sizes"),
        ("Show the difference to develop", "git_diff"),
        ("Git show a1b2c3d", "git_show"),
        ("Zeig mir den Verlauf", "git_log"),
        ("Qu'est-ce qui a changé dans ce dépôt ?", "git_diff_unstaged"),
        ("¿Qué ha cambiado en este repositorio?", "git_diff_unstaged"),
        ("Cherche les fichiers avec budget", "search_files"),
        ("Lösche die Entität Anna", "delete_entities"),
        ("Trag Anna als Entität ein", "create_entities"),  # a verb in two parts
        ("When was thesis.docx last changed?", "get_file_info"),  # no change of Git's
        ("Wie groß ist urlaub.mp4?", "get_file_info"),
        ("How many kilobytes does plan.txt have?", "get_file_info"),
        ("I would like an entity, make one for Anna", "create_entities"),
        ("How does my branch differ from main?", "git_diff"),
        ("Can you commit this as 'Fix'?", "git_commit"),  # an order, though it ends as a question
        ("Was habe ich noch nicht gestaged?", "git_diff_unstaged"),  # what is denied is what un- says
        ("Which changes haven't been staged?", "git_diff_unstaged"),
        ("Was ist schon gestaged?", "git_diff_staged"),  # a participle of whatever verb
        ("I need an entity Anna created", "create_entities"),  # a wish
        ("I am done. Delete the entity Anna.", "delete_entities"),
        ('Make a commit with the message "First version"', "git_commit"),  # the text is given
    ],
)
def test_what_is_said_in_other_words_speaks_for_the_tool(request_: str, tool: str) -> None:
    """In four languages, by what they mean in names of tools."""
    found = hint_words(_named(tool), request_, _served())
    assert found not in ("", NEVER)
    assert re.search(found, request_, re.IGNORECASE)
    assert tool in [each.name for each in SELECTION.chosen(request_)]


@pytest.mark.parametrize(
    "request_",
    [
        "With the git server, what is new?",
        "Frag den Server git, was neu ist",
        "Use the git tools: a log, please",
    ],
)
def test_a_server_that_is_named_is_alone(request_: str) -> None:
    """Nothing of Steward's own and of no other server comes into question."""
    chosen = SELECTION.chosen(request_)
    assert chosen
    assert all(each.hint.alone and each.gate_name.startswith("mcp__git__") for each in chosen)
    own = Tool("own", "Does it.", (), lambda: "", Effect.READ)
    runtime = ToolRuntime(Toolbox((own,)), cast(Executor, None), guests=SELECTION.chosen)
    assert "own" not in runtime.with_guests(request_, ()).toolbox.names


@pytest.mark.parametrize("there", ["there", "dort", "là", "ahí"])
def test_there_is_where_the_tool_works_that_was_used_last(there: str, tmp_path: Path) -> None:
    """What is to be written there is written by a server that may write in that folder."""

    def served() -> list[ServedTool]:
        access = Access(ServerReach.WRITES, (tmp_path,))
        made = [replace(each, access=access) if each.server == "files" else each for each in _served()]
        fixed = {"repo_path": str(tmp_path)}
        return [replace(each, fixed=fixed) if each.server == "git" else each for each in made]

    selection = ToolSelection(served, lambda *_given: {}, own=["read_file", "list_files"])
    chosen = selection.chosen(f"Write hello into a file {there}", ["git_log"])
    assert {each.gate_name.split("__")[1] for each in chosen} == {"files"}
    assert all(each.hint.alone for each in chosen)
    before = selection.chosen(f"Write hello into a file {there}")
    assert not any(each.hint.alone for each in before)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """ "file" stands in five of ten tools, "pattern" in one."""
    ranked = [each.pin.name for each, _score in ranked_by(_served(), "file pattern")]
    assert ranked[0] == "search_files"


@pytest.mark.parametrize(
    ("word", "root"), [("changes", "chang"), ("changed", "chang"), ("logs", "log"), ("is", "is")]
)
def test_endings_do_not_matter(word: str, root: str) -> None:
    """Of English words."""
    assert stem(word) == root


def test_tools_of_servers_stand_behind_stewards_own() -> None:
    """What stands before them in the prompt stays the same; without a fitting one the tools are untouched."""
    own = Tool("own", "Does it.", (), lambda: "", Effect.READ)
    executor = cast(Executor, None)  # nothing is called here
    runtime = ToolRuntime(Toolbox((own,)), executor, guests=SELECTION.chosen)
    assert runtime.with_guests("Hello", ()) is runtime
    names = runtime.with_guests("Convert the time between timezones", ()).toolbox.names
    assert names[0] == "own"
    assert "convert_time" in names[1:]
    assert "git_log" in runtime.with_guests("Hello", ("git_log",)).toolbox.names


def test_the_catalogue_has_every_tool_in_an_order_that_stays() -> None:
    """What stands before the request in its prompt is always the same, whatever is asked."""
    names = [each.name for each in SELECTION.catalogue("").tools]
    assert names == [each.name for each in SELECTION.all_tools()]
    assert names == [each.name for each in SELECTION.catalogue("Show me the last commits").tools]


def test_of_more_tools_than_can_be_shown_those_stay_that_fit() -> None:
    """Thousands of lines would be read for minutes."""
    many = list(_served())
    for number in range(200):
        said = {"name": f"paint_{number}", "description": "Paint a wall in any colour", "inputSchema": {}}
        found = pin(said)
        assert found is not None
        many.insert(0, ServedTool("paint", found, Access(ServerReach.READS), {}))
    selection = ToolSelection(lambda: many, lambda *_given: {}, own=[])
    shown = selection.catalogue("Show me the git log").tools
    assert sum(len(each.signature) for each in shown) <= CATALOGUE_CHARACTERS
    assert "git_log" in [each.name for each in shown]
    assert len(shown) < len(many)


def test_words_fit_in_whatever_sentence_they_stand() -> None:
    """In the request, or in the model's own words for it."""
    fits = SELECTION.catalogue("Hop over").fits
    assert max(fits("show the commit logs"), key=lambda name: fits("show the commit logs")[name]) == "git_log"
    assert set(fits("").values()) == {0.0}


def test_a_tool_that_the_models_line_names_is_not_called_by_the_user() -> None:
    """The model has its name before its eyes; only the user's own words call it."""
    said, retold = (SELECTION.catalogue(request).fits("git log") for request in ("git log", "Hop over"))
    assert 0 < retold["git_log"] < said["git_log"]


def test_what_the_request_speaks_against_the_models_line_does_not_bring_back() -> None:
    """A question that only looks creates nothing, in whatever words the model puts it."""
    line = "create entities"
    looks = SELECTION.catalogue("What is new in the entities?").fits(line)["create_entities"]
    orders = SELECTION.catalogue("Add the entities Anna and Bert").fits(line)["create_entities"]
    assert looks < 0.5 * orders


def test_a_value_that_the_models_line_leaves_out_is_given_all_the_same() -> None:
    """The time stands in the request."""
    given, bare = (
        SELECTION.catalogue(request).fits("convert the time")["convert_time"]
        for request in ("Rechne 14:00 von Berlin nach Tokio um", "Rechne von Berlin nach Tokio um")
    )
    assert bare < 0.5 * given


def test_a_tool_that_takes_a_few_names_alone_is_not_meant_without_one() -> None:
    """Of the request, or of the model's line for it: there the names are in English."""
    cities = {"type": "string", "enum": ["Rome", "Cologne"]}
    found = pin(
        {
            "name": "get_content",
            "description": "Returns structured content",
            "inputSchema": {"properties": {"city": cities}, "required": ["city"]},
        }
    )
    assert found is not None
    offered = [*_served(), ServedTool("try", found, Access(ServerReach.READS), {})]

    def fit(request: str, line: str) -> float:
        selection = ToolSelection(lambda: offered, lambda *_given: {}, [])
        return selection.catalogue(request).fits(line)["get_content"]

    named = fit("The structured content for Rome", "get the structured content")
    assert fit("Was gibt es in Köln Neues?", "get the structured content for Cologne") > 0.9 * named
    assert fit("What do you know of Anna?", "get the structured content about Anna") < 0.5 * named


@pytest.mark.parametrize(
    ("request_", "looks"),
    [
        ("Before I stage anything, let me see what I edited", True),
        ("Bevor ich etwas committe, zeig mir den Diff", True),
        ("Si rien n'est indexé, montre le statut", True),
        ("Antes de seguir, muestra el historial", True),
        ("When you are done, list the branches", True),
        ("If nothing is staged, stage plan.txt", False),
        ("Once it's clean, commit it", False),
        ("Wenn alles passt, committe es", False),
        ("When was plan.txt changed, and by whom?", True),
        ("If you can, delete the entity Anna", False),
        ("Let's commit this", False),
    ],
)
def test_what_is_wanted_stands_in_the_main_clause(request_: str, looks: bool) -> None:
    """A clause before it says when, not what."""
    assert RequestWords.of(request_).looks is looks


@pytest.mark.parametrize(
    ("request_", "verb"),
    [
        ("If nothing is staged, stage plan.txt", "stage"),
        ("Wenn alles passt, committe es", "committe"),
        ("Let's commit this", "commit"),
        ("Please, commit this", "commit"),
    ],
)
def test_an_order_begins_with_its_main_clause(request_: str, verb: str) -> None:
    """Behind words that are only polite."""
    assert RequestWords.of(request_).ordered == verb


def test_only_tools_of_a_server_that_is_meant_come_into_question() -> None:
    """All are shown even so, as ever."""
    catalogue = SELECTION.catalogue("With the git server, what is new?")
    assert catalogue.fits("a file")
    assert all(name.startswith("git_") for name in catalogue.fits("a file"))
    assert len(catalogue.tools) == len(TOOLS)


def test_a_tool_of_the_catalogue_is_found_and_not_shown() -> None:
    """The chat's own prompt stays short; a turn that nobody sits before calls none that acts."""
    writes = replace(_named("git_log"), access=Access(ServerReach.WRITES, folders=(Path("/x"),)))
    selection = ToolSelection(lambda: _with(writes), lambda *_given: {}, own=[])
    executor = cast(Executor, _Executor())
    runtime = ToolRuntime(Toolbox(), executor, guests=selection.chosen, catalogue=selection.catalogue)
    box = runtime.with_guests("Convert the time between timezones", ()).toolbox
    assert "git_status" not in box.names
    assert box.get("git_status") is not None
    assert box.get("git_log") is not None
    alone = runtime.unattended().with_guests("Convert the time between timezones", ()).toolbox
    assert alone.get("git_status") is not None
    assert alone.get("git_log") is None


def _with(other: ServedTool) -> list[ServedTool]:
    return [other if each.pin.name == other.pin.name else each for each in _served()]


class _Executor:
    def unattended(self) -> _Executor:
        return self


def _offering(*tools: tuple[str, str, str, str], folders: tuple[Path, ...] = ()) -> list[ServedTool]:
    """Each a server, a name, what it says and its one parameter."""
    made = []
    for server, name, said, parameter in tools:
        schema = {"properties": {parameter: {"type": "string"}}, "required": [parameter]}
        found = pin({"name": name, "description": said, "inputSchema": schema})
        assert found is not None
        made.append(ServedTool(server, found, Access(ServerReach.READS, folders), {}))
    return made


@pytest.mark.parametrize(
    ("server", "name", "said", "parameter", "own"),
    [
        ("filesystem", "list_directory", "List a directory", "path", "list_directory"),
        ("filesystem", "create_directory", "Create a new directory", "path", "make_directory"),
        ("disk", "newFolder", "Makes it", "path", "make_directory"),
        ("disk", "search_files", "Search for files", "pattern", "find_files"),
        ("disk", "remove_file", "Removes it for good", "path", "delete_file"),
        ("fetch", "fetch", "Get a URL from the internet", "url", "fetch_page"),
        # More than ours does, something else, and a name that says too little.
        ("filesystem", "list_directory_with_sizes", "List a directory with sizes", "path", ""),
        ("memory", "search_nodes", "Search for nodes", "query", ""),
        ("orders", "delete", "Delete an order", "id", ""),
        ("dogs", "fetch", "Throw a stick", "stick", ""),
    ],
)
def test_a_tool_does_the_same_as_stewards_by_its_name(
    server: str, name: str, said: str, parameter: str, own: str
) -> None:
    """In the same words or in others that mean the same in names."""
    names = ["list_directory", "make_directory", "find_files", "search_text", "delete_file", "fetch_page"]
    offered = _offering((server, name, said, parameter))
    catalogue = ToolSelection(lambda: offered, lambda *_given: {}, names).catalogue("Whatever")
    assert list(catalogue.own.values()) == ([own] if own else [])


def test_what_lies_in_a_server_s_folder_alone_is_left_to_it(tmp_path: Path) -> None:
    """A path of the workspace reaches none of it."""
    theirs, workspace = tmp_path / "theirs", tmp_path / "workspace"
    (theirs / "photos").mkdir(parents=True)
    workspace.mkdir()
    offered = _offering(("disk", "list_directory", "List a directory", "path"), folders=(theirs,))
    selection = ToolSelection(
        lambda: offered, lambda *_given: {}, ["list_directory"], workspace=lambda: workspace
    )
    assert not selection.catalogue("List the folder photos").own
    assert selection.catalogue("List the folder letters").own
    (workspace / "photos").mkdir()
    assert selection.catalogue("List the folder photos").own


@pytest.mark.parametrize(
    "said", ["die Nachricht", "Nachrichten", "un mensaje", "los mensajes", "the message"]
)
def test_a_message_is_one_in_every_language(said: str) -> None:
    """French writes it as English does."""
    assert RequestWords.of(f"x {said}").has(stem("message"))


READS_LINES = {
    "properties": {
        "path": {"type": "string"},
        "tail": {"type": "number", "description": "If provided, returns only the last N lines of the file"},
        "context_chars": {"type": "integer"},
    },
    "required": ["path"],
}


def _reading_lines(*folders: Path) -> list[ServedTool]:
    found = pin({"name": "read_file", "description": "Read a file", "inputSchema": READS_LINES})
    assert found is not None
    return [ServedTool("disk", found, Access(ServerReach.READS, folders), {})]


@pytest.mark.parametrize(
    ("request_", "is_outdone"),
    [
        ("gimme the last 15 lines of access.log", True),
        ("Die letzten zwanzig Zeilen von access.log", True),
        ("montre-moi les 15 dernières lignes de access.log", True),
        ("Las últimas 5 líneas de access.log", True),
        ("access.log with 40 chars of context", True),
        ("What is in access.log?", False),
        ("The lines of access.log", False),
        ("Read access.log and name the 3 worst errors", False),
        ("Read 15 lines.txt", False),
    ],
)
def test_what_can_be_told_how_many_is_called_itself(request_: str, is_outdone: bool) -> None:
    """Steward's own does not stand in where the request counts what only the server's can be told."""
    catalogue = ToolSelection(_reading_lines, lambda *_given: {}, ["read_file"]).catalogue(request_)
    assert catalogue.outdone == ({"read_file"} if is_outdone else set())
    assert dict(catalogue.own) == ({} if is_outdone else {"disk_read_file": "read_file"})


def test_lines_of_what_lies_in_the_workspace_alone_are_stewards(tmp_path: Path) -> None:
    """The server reaches none of it."""
    theirs, workspace = tmp_path / "theirs", tmp_path / "workspace"
    for folder in (theirs, workspace):
        folder.mkdir()
    (workspace / "access.log").touch()
    offered = _reading_lines(theirs)
    selection = ToolSelection(lambda: offered, lambda *_given: {}, ["read_file"], workspace=lambda: workspace)
    assert not selection.catalogue("the last 15 lines of access.log").outdone
    (theirs / "access.log").touch()
    assert selection.catalogue("the last 15 lines of access.log").outdone


def test_a_file_that_is_named_is_for_a_tool_that_can_be_given_one() -> None:
    """ "Open config.json" opens no nodes of a graph, unless these are said."""
    offered = _offering(
        ("memory", "open_nodes", "Open nodes of the graph", "names"), ("disk", "open_file", "Open it", "path")
    )
    fits = ToolSelection(lambda: offered, lambda *_given: {}, []).catalogue("").fits
    assert set(fits("Open config.json")) == {"open_file"}
    assert set(fits("Open the nodes config.json and Anna")) == {"open_nodes", "open_file"}
    assert set(fits("Open Anna")) == {"open_nodes", "open_file"}


def test_a_file_is_for_a_tool_that_works_in_its_folder_and_needs_no_more() -> None:
    """A log of the folder may be about it; what must be told a commit is not told one by a file."""
    served = [replace(each, fixed={"repo_path": "/home/ada/garden"}) for each in _served()]
    fits = (
        ToolSelection(lambda: served, lambda *_given: {}, []).catalogue("").fits("When was plan.txt saved?")
    )
    assert {"git_log", "git_status", "get_file_info"} <= set(fits)
    assert {"git_show", "git_diff", "create_entities"}.isdisjoint(fits)


def test_an_address_is_for_a_tool_that_can_be_given_one() -> None:
    """A path is none; a tool that is called by its name may do something with its page all the same."""
    offered = _offering(
        ("disk", "read_text", "Read a file", "path"),
        ("web", "load", "Load it", "url"),
        ("memory", "open_nodes", "Open nodes of the graph", "names"),
    )
    fits = ToolSelection(lambda: offered, lambda *_given: {}, []).catalogue("").fits
    assert set(fits("The steps are on https://a.example/b, read them")) == {"load", "open_nodes"}
    assert set(fits("Read text of https://a.example/b")) == {"read_text", "load", "open_nodes"}
    assert set(fits("The steps are there, read them")) == {"read_text", "load", "open_nodes"}


# -- what kind of values a request gives -------------------------------------------------------

CLOCK, ADDRESS, NAME = ArgumentKind.CLOCK, ArgumentKind.ADDRESS, ArgumentKind.NAME
ZONE, COMMIT = ArgumentKind.ZONE, ArgumentKind.COMMIT


@pytest.mark.parametrize(
    ("request_", "kinds"),
    [
        ("The webinar starts at 3 pm Sydney time, when is that for us?", {CLOCK, ZONE}),
        ("Wenn es in Berlin 17:30 ist, wie spät ist es dann in New York?", {CLOCK, ZONE}),
        ("Rechne 8 Uhr in Singapur um.", {CLOCK, ZONE}),
        ("À 18 h à Paris, quelle heure est-il à Québec ?", {CLOCK, ZONE}),
        ("When it is noon in Rome, what time is it in Lima?", {CLOCK, ZONE}),
        ("Live from Seoul at half past ten at night, when do I switch on in Stockholm?", {CLOCK, ZONE}),
        ("Wenn es in Rom halb elf ist, wie spät ist es in Lima?", {CLOCK, ZONE}),
        ("Si en Lima son las siete y media, ¿qué hora es en Madrid?", {CLOCK, ZONE}),
        ("If it's two in the afternoon in Rome, what's the time in Lima?", {CLOCK, ZONE}),
        ("Ten to twelve people and a ratio of 1:2", set()),
        ("What time is it in Tokyo?", {ZONE}),
        ("Is it still daytime in Bangkok at the moment?", {ZONE}),
        ("¿Qué hora es ahora en Ciudad de México?", {ZONE}),
        ("What time is it?", set()),
        ("Note that Anna lives in Tokyo.", set()),
        ("Wie viel Uhr ist es in Rom?", {ZONE}),
        ("Change the price from 4.50 to 5.20.", set()),
        ("Show the last 10 commits of 2024.", set()),
        ("What does https://example.net/prices say?", {ADDRESS}),
        ("Have a look at www.example.org.", {ADDRESS}),
        ("What was done in commit 4f2e9aa?", {COMMIT, NAME}),
        ("Commit this, „Rechnung korrigiert“.", {NAME}),
        ("The year 2024123 and the word defaced are no numbers of commits.", set()),
    ],
)
def test_a_value_is_known_by_its_form(request_: str, kinds: set[ArgumentKind]) -> None:
    """In any language; a year, a price and a count are none of these."""
    assert kinds_in(request_) == kinds


def schema(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


@pytest.mark.parametrize(
    ("content", "takes", "needs"),
    [
        (schema(), set(), set()),
        (schema(timezone=TEXT), {ZONE}, set()),
        (schema(("timezone",), timezone=TEXT), {ZONE}, set()),
        (schema(("timezone", "time"), timezone=TEXT, time=TEXT), {CLOCK, ZONE}, {CLOCK}),
        (schema(("at",), at={"type": "string", "format": "date-time"}), {CLOCK}, {CLOCK}),
        (schema(("start",), start={"type": "string", "description": "as HH:MM"}), {CLOCK}, {CLOCK}),
        (schema(("url",), url=TEXT, max_length={"type": "integer"}), {ADDRESS}, {ADDRESS}),
        (schema(url=TEXT), {ADDRESS}, set()),
        (schema(("target",), target=TEXT), set(ArgumentKind), set()),
        (schema(("kind",), kind={"type": "string", "enum": ["a"]}), set(), set()),
        (schema(("items",), items={"type": "array"}), set(ArgumentKind), set()),
        ({"properties": [1], "required": {"a": 1}}, set(), set()),
        ({"properties": {"a": 5}, "required": [["a"]]}, set(ArgumentKind), set()),
    ],
)
def test_what_a_schema_takes_and_must_have(
    content: dict[str, Any], takes: set[ArgumentKind], needs: set[ArgumentKind]
) -> None:
    """A text of no form takes all; what only strangers write as a schema breaks nothing."""
    assert kinds_taken(content, {}) == takes
    assert kinds_needed(content, {}) == needs


@pytest.mark.parametrize(
    ("content", "wants"),
    [
        (schema(("revision",), revision=TEXT), {COMMIT}),
        (schema(revision=TEXT), set()),  # what may be left out is not what the tool is there for
        (schema(("timezone", "time"), timezone=TEXT, time=TEXT), {CLOCK, ZONE}),
        (schema(("url",), url=TEXT), {ADDRESS}),
        (schema(("name",), name=TEXT), set()),
    ],
)
def test_what_speaks_for_a_tool_where_it_is_given(content: dict[str, Any], wants: set[ArgumentKind]) -> None:
    """Kinds that one of its parameters is there for."""
    assert kinds_wanted(content, {}) == wants


def test_how_many_numbers_are_needed_and_given() -> None:
    """Of those that must be given, and of those that stand by themselves."""
    number = {"type": "number"}
    assert numbers_needed(schema(("a", "b"), a=number, b=number, count=number), {}) == 2
    assert numbers_needed(schema(("a",), a=number), {"a": "1"}) == 0
    assert numbers_in("Let the test server add 17 and 2.5") == 2
    assert numbers_in("At 17:30, in bugfix-42 and on 2024/05") == 0


def test_what_has_two_ends() -> None:
    """A list of links; what is moved or converted from one to the other is no link."""
    relation = {"type": "object", "properties": {}, "required": ["from", "to", "kind"]}
    assert links_two(schema(("relations",), relations={"type": "array", "items": relation}))
    assert not links_two(schema(relations={"type": "array", "items": relation}))
    assert not links_two(schema(("from", "to"), **{"from": TEXT, "to": TEXT}))
    assert not links_two(schema(("items",), items={"type": "array", "items": 5}))


def test_what_the_settings_give_takes_nothing() -> None:
    """The model is not asked for it."""
    assert kinds_taken(schema(("repo",), repo=TEXT), {"repo": "/x"}) == set()


@pytest.mark.parametrize(
    ("about", "names"),
    [
        ({"enum": ["New York", "Chicago", "Los Angeles"]}, (("New York", "Chicago", "Los Angeles"),)),
        ({"enum": ["error", "success"]}, ()),  # a kind, said in many words
        ({"enum": ["USD", "EUR"]}, ()),  # a code
        ({"enum": ["Chicago", 5, None]}, ()),
        ({"enum": []}, ()),
        ({"enum": "Chicago"}, ()),
    ],
)
def test_names_to_choose_from(about: dict[str, Any], names: tuple[tuple[str, ...], ...]) -> None:
    """Of what must be given alone: what may be left out says nothing of the request."""
    assert names_offered(schema(("city",), city=about), {}) == names
    assert names_offered(schema(city=about), {}) == ()
    assert names_offered(schema(("city",), city=about), {"city": "Chicago"}) == ()


CITIES = ("New York", "Los Ángeles")


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("The weather in NEW YORK", True),
        ("Qué tiempo hace en Nueva York", True),
        ("Das Wetter in Los Angeles", True),
        ("What is new with Anna?", False),  # too short a word to tell a name
        ("Los niños", False),
        ("", False),
    ],
)
def test_a_name_is_known_in_another_spelling(text: str, is_said: bool) -> None:
    """By the words that tell it from others."""
    assert says_one(CITIES, text) is is_said
