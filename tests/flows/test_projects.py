"""A project through the whole program: what its chats are told, where their tools work, what they remember,
and which model answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.chat.projects import ChatProject
from desktop.chat.store import MessageStatus
from desktop.models.library import InstalledModel
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days

FORMAL = "Answer in rhymes about pears."


@contextmanager
def program(profile: Path, backend: ScriptedBackend) -> Iterator[Days]:
    model = installed(profile / "models", chat_template=HERMES_TEMPLATE)
    with days(profile, model, backend) as used:
        yield used


def _project(used: Days, folder: Path | None = None, instructions: str = "", model: str = "") -> ChatProject:
    written = ChatProject("Letters", str(folder or ""), instructions, model)
    return used.core.chat_projects.save(written)


def test_its_instructions_stand_in_every_prompt_of_its_chats(tmp_path: Path) -> None:
    """And in no other's; a chat that is moved in begins with them from its next answer on, and says so."""
    backend = ScriptedBackend("Yes.", template=HERMES_TEMPLATE)
    with program(tmp_path / "profile", backend) as used:
        project = _project(used, instructions=FORMAL)
        inside, outside = used.core.store.create(project_id=project.id).id, used.chat()
        used.say("Tell me about the harbour", inside)
        assert FORMAL in backend.prompts[-1]
        used.say("Tell me about the harbour", outside)
        assert FORMAL not in backend.prompts[-1]
        used.core.turns.move(outside, project)
        used.say("And about the sea?", outside)
        assert FORMAL in backend.prompts[-1]
        assert any("belongs to the project" in each.text for each in used.core.store.messages(outside))


def test_its_tools_work_in_its_folder(tmp_path: Path) -> None:
    """By a rule and by the model; a file of the same name in the usual folder is left alone, and what was
    allowed in one folder is asked in the other."""
    folder = tmp_path / "letters"
    folder.mkdir()
    backend = ScriptedBackend("Done.", template=HERMES_TEMPLATE)
    backend.calls = [("write_file", {"path": "anna.txt", "content": "Dear Anna"})]
    with program(tmp_path / "profile", backend) as used:
        (used.root / "anna.txt").write_text("not this one")
        project = _project(used, folder)
        chat = used.core.store.create(project_id=project.id).id
        used.say("Write the file anna.txt with the text Dear Anna", chat)
        assert (folder / "anna.txt").read_text() == "Dear Anna"
        assert (used.root / "anna.txt").read_text() == "not this one"
        (request,) = used.person.questions
        assert str(folder / "anna.txt") not in str(used.root)
        used.say("Make a folder called drafts", chat)
        assert (folder / "drafts").is_dir()
        assert not (used.root / "drafts").exists()
    assert request is not None


def test_a_folder_that_is_gone_is_said_and_not_made(tmp_path: Path) -> None:
    """An unplugged disk is no empty folder."""
    folder = tmp_path / "letters"
    folder.mkdir()
    backend = ScriptedBackend("Yes.", template=HERMES_TEMPLATE)
    with program(tmp_path / "profile", backend) as used:
        chat = used.core.store.create(project_id=_project(used, folder).id).id
        folder.rmdir()
        answer = used.say("Tell me about the harbour", chat)
        assert answer.status is MessageStatus.FAILED
        assert not folder.exists()
        folder.mkdir()
        assert used.say("Make a folder called drafts", chat).status is MessageStatus.COMPLETE
        (folder / "drafts").rmdir()
        folder.rename(folder.with_name("elsewhere"))
        folder.mkdir()  # another folder of that name
        used.say("Make a folder called drafts", chat)
        assert (folder / "drafts").is_dir()


def test_what_is_remembered_in_it_is_told_in_it_alone(tmp_path: Path) -> None:
    """Also without a folder."""
    backend = ScriptedBackend("I see.", template=HERMES_TEMPLATE)
    with program(tmp_path / "profile", backend) as used:
        project = _project(used)
        inside = used.core.store.create(project_id=project.id).id
        used.say("Remember for this project: the printer is called Gutenberg.", inside)
        layers = {(each.layer.value, each.scope) for each in used.items() if "Gutenberg" in each.text}
        assert ("project", f"project:{project.id}") in layers
        again = used.core.store.create(project_id=project.id).id
        used.say("What is the printer called?", again)
        assert "Gutenberg" in used.block()
        used.used.clear()
        used.say("What is the printer called?")
        assert "Gutenberg" not in used.block()


def test_its_model_answers_and_afterwards_the_usual_one(tmp_path: Path) -> None:
    """A model that is gone leaves the one that answers."""
    profile = tmp_path / "profile"
    backend = ScriptedBackend("Yes.", template=HERMES_TEMPLATE)
    usual = installed(profile / "models", chat_template=HERMES_TEMPLATE)
    other = installed(profile / "models", "other", chat_template=HERMES_TEMPLATE)
    with days(profile, usual, backend) as used:
        known: tuple[InstalledModel, ...] = (usual, other)
        used.core.library.installed = lambda: known  # type: ignore[method-assign]
        used.core.settings.change("model", "active", usual.id)
        project = _project(used, model="other")
        chat = used.core.store.create(project_id=project.id).id
        assert used.say("Tell me about the harbour", chat).model == "Other"
        assert used.say("Tell me about the sea").model == "Scripted"
        known = (usual,)
        assert used.say("Tell me about the sky", chat).model == "Scripted"
