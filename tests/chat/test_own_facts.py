"""Questions about Steward are answered truly, in four languages; all others are left alone."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.fixed_answers import (
    OwnFact,
    OwnState,
    _own_facts,
    examples_in,
    fact_asked,
    own_answer,
)
from desktop.chat.message_classes import message_scores, without_courtesy
from desktop.network.log import Traffic
from desktop.settings import MemorySettings, NetworkSettings, PermissionSettings, Settings

STARTED = datetime(2026, 11, 22, 9, 5)
STATE = OwnState(Settings(), "Qwen2.5 Coder 1.5B", "~/Steward", STARTED, Traffic(STARTED))


def own_text(question: str, state: OwnState = STATE) -> str:
    """The answer's words; "" where there is none."""
    fact = fact_asked(question)
    return own_answer(fact, message_scores(question).language, state) if fact is not None else ""


ASKED = [
    ("identity", "en", "Who are you?"),
    ("identity", "en", "Are you a human?"),
    ("can", "en", "What are you able to do for me?"),
    ("maker", "en", "Are you free to use?"),
    ("sends", "en", "Does anything I write leave my computer?"),
    ("identity", "de", "Wer bist du?"),
    ("identity", "de", "Rede ich mit einem Menschen?"),
    ("identity", "fr", "Qui es-tu ?"),
    ("identity", "es", "¿Quién eres?"),
    ("model", "en", "Which model are you?"),
    ("model", "en", "Are you ChatGPT?"),
    ("model", "en", "what model is answering right now?"),
    ("model", "de", "Welches Modell antwortet hier?"),
    ("model", "de", "Bist du ChatGPT?"),
    ("model", "fr", "Quel modèle utilises-tu ?"),
    ("model", "es", "¿Qué modelo usas?"),
    ("sends", "en", "Do you send my data anywhere?"),
    ("sends", "en", "does any of this leave my computer?"),
    ("sends", "en", "who else can read this?"),
    ("sends", "de", "liest da jemand mit was ich schreib?"),
    ("sends", "de", "wer sieht meine chats?"),
    ("sends", "es", "¿es privado lo que escribo aquí?"),
    ("sends", "es", "alguien lee lo que escribo?"),
    ("model", "fr", "t'es quel modèle"),
    ("model", "es", "qué modelo de ia usas"),
    ("internet", "en", "do u work without internet"),
    ("internet", "de", "geht das auch offline"),
    ("internet", "fr", "tu marches sans internet ?"),
    ("maker", "en", "is this free or do i have to pay"),
    ("maker", "de", "muss ich für dich was bezahlen"),
    ("maker", "fr", "il faut payer ?"),
    ("maker", "es", "hay que pagar algo?"),
    ("can", "en", "what can u help me with"),
    ("can", "fr", "tu peux faire quoi"),
    ("sends", "en", "Is this private?"),
    ("sends", "en", "do you share my conversations with anyone?"),
    ("sends", "en", "Where does my data go?"),
    ("sends", "en", "Who can read my chats?"),
    ("sends", "de", "Sendest du meine Daten irgendwohin?"),
    ("sends", "de", "Werden meine Daten weitergegeben?"),
    ("sends", "de", "Ist das hier privat?"),
    ("sends", "fr", "Est-ce que tu envoies mes données quelque part ?"),
    ("sends", "fr", "C'est confidentiel ?"),
    ("sends", "es", "¿Envías mis datos a alguien?"),
    ("sends", "es", "¿Quién puede leer mis mensajes?"),
    ("stores", "en", "Where are my chats stored?"),
    ("stores", "en", "Do you save our conversations?"),
    ("stores", "en", "How can I delete my chats?"),
    ("stores", "de", "Wo werden meine Gespräche gespeichert?"),
    ("stores", "de", "Speicherst du alles, was ich schreibe?"),
    ("stores", "fr", "Tu gardes mes conversations ?"),
    ("stores", "es", "¿Dónde se guardan mis conversaciones?"),
    ("training", "en", "Do you learn from my conversations?"),
    ("training", "en", "Is my data used to train the model?"),
    ("training", "de", "Lernst du aus meinen Gesprächen?"),
    ("training", "fr", "Tu apprends de mes conversations ?"),
    ("training", "es", "¿Aprendes de mis mensajes?"),
    ("internet", "en", "Do you have internet access?"),
    ("internet", "en", "Can you work offline?"),
    ("internet", "de", "Brauchst du Internet?"),
    ("internet", "de", "Funktionierst du auch offline?"),
    ("internet", "fr", "As-tu accès à Internet ?"),
    ("internet", "es", "¿Tienes acceso a internet?"),
    ("reach", "en", "Can you see my files?"),
    ("reach", "en", "Are you listening to me?"),
    ("reach", "de", "Kannst du meine Dateien lesen?"),
    ("reach", "de", "Hörst du mit?"),
    ("reach", "fr", "Peux-tu voir mes fichiers ?"),
    ("reach", "es", "¿Puedes ver mis archivos?"),
    ("maker", "en", "Who made you?"),
    ("maker", "en", "Is this free?"),
    ("maker", "de", "Wer hat dich gemacht?"),
    ("maker", "de", "Brauche ich ein Konto?"),
    ("maker", "fr", "Qui t'a créé ?"),
    ("maker", "es", "¿Quién te creó?"),
    ("can", "en", "What can you do for me?"),
    ("can", "en", "Hey, what can you do?"),
    ("can", "de", "Was kannst du alles?"),
    ("can", "fr", "Que peux-tu faire pour moi ?"),
    ("can", "es", "¿Qué puedes hacer?"),
    ("identity", "en", "so what exactly is this Steward thing?"),
    ("identity", "de", "was bist du eigentlich für ein Programm?"),
    ("identity", "es", "¿qué tipo de programa eres?"),
    ("stores", "en", "where on disk are my chats stored?"),
    ("stores", "de", "wo liegen meine Chats auf der Platte?"),
    ("stores", "fr", "où est-ce que mes discussions sont conservées ?"),
    ("reach", "en", "are you able to look at my screen?"),
    ("reach", "de", "hast du Zugriff auf mein Mikrofon?"),
    ("reach", "fr", "est-ce que tu as accès à ma caméra ?"),
    ("maker", "de", "kostet mich die Benutzung etwas?"),
    # In words that no sentence of the table has.
    ("sends", "en", "could anybody at your company look at my conversations?"),
    ("internet", "en", "do you still function if my router is dead?"),
    ("identity", "en", "is there a human writing these answers?"),
    ("model", "de", "welche KI steckt da dahinter?"),
    ("stores", "de", "Wie lange behältst du unsere Unterhaltungen?"),
    ("training", "de", "Lernst du dazu, wenn ich dir was erzähle?"),
    ("model", "fr", "quelle IA y a-t-il derrière toi ?"),
    ("maker", "fr", "quelle entreprise t'a développé ?"),
    ("sends", "es", "¿mandas a algún sitio lo que escribo?"),
    ("can", "es", "¿en qué cosas me puedes ayudar?"),
]
OTHERS = [
    "What can you do about a leaking tap?",
    "Who are you going to vote for?",
    "Who is Anna?",
    "Send my data to Anna",
    "Can you see my files in Downloads and tell me the largest?",
    "What model of car should I buy?",
    "Are you free tomorrow?",
    "Do you know a good recipe?",
    "Save this conversation as a file",
    "Can you read my file notes.txt?",
    "Is this private road open to the public?",
    "Who made the Mona Lisa?",
    "Do you have internet radio stations to recommend?",
    "delete my chats",
    "How can I delete my Facebook messages?",
    "Is my landlord allowed to share my data?",
    "Where does the Rhine go?",
    "Is it safe to eat raw eggs?",
    "Is it private if I tell my doctor?",
    "How much does it cost to send a letter?",
    "Was kannst du mir über Bremen erzählen?",
    "Wer hat Amerika entdeckt?",
    "Wo sind meine Fotos?",
    "Sende meine Daten an Anna",
    "Ist das Wetter gut?",
    "Qui a peint la Joconde ?",
    "Que peux-tu me dire de Paris ?",
    "¿Quién eres tú para decirme eso?",
    "¿Qué puedes decirme de Madrid?",
    "help me write a letter",
    "can you help me with my maths homework?",
    "how does Copilot store my chats?",
    "can you see a mistake in my text?",
    "Wer hat das Radio erfunden?",
    "¿quién escribió esto?",
    "",
]


@pytest.mark.parametrize(("fact", "language", "question"), ASKED)
def test_a_question_about_steward_is_answered_by_its_fact(fact: str, language: str, question: str) -> None:
    """In the language of the question, with nothing left unfilled."""
    assert fact_asked(question) is OwnFact(fact)
    assert message_scores(question).language == language
    assert not re.search(r"[{}]", own_text(question))


OF_OTHER_THINGS = [
    "is the parking free",
    "can you send it",
    "is the internet down in Berlin",
    "what is a language model",
    "how does the internet work",
    "was ist das internet",
    "do i need an account at the bank",
    "what model is my car",
    "is chess free to play online",
    "wie viel kostet das netflix abo",
    "qui a créé internet",
    "how many people use the internet",
    "is this sentence private in java",
    "where is wine kept",
    "where are whatsapp chats stored",
    "wo liegt der Chat Noir",
    "wo liegen meine Schlüssel",
    "what is a steward",
    "what is a flight steward",
    "what does a steward earn",
    "was ist ein Steward von Beruf",
    "are you able to look at my letter",
    "does Zoom record my screen",
    "kostet die Benutzung der Sauna etwas",
    "what kind of program is Photoshop",
]


@pytest.mark.parametrize("question", OF_OTHER_THINGS)
def test_a_word_of_a_topic_alone_asks_for_no_fact(question: str) -> None:
    """Beside it stands a word of something else, or nothing that says that Steward is meant."""
    assert fact_asked(question) is None


@pytest.mark.parametrize("question", OTHERS)
def test_other_questions_are_left_to_the_model(question: str) -> None:
    """A word of ours in a question about something else is no question about Steward."""
    assert fact_asked(question) is None


def test_the_answer_says_what_is_so_now() -> None:
    """The model's name and the counted requests stand in it; an open command and a team are not hidden."""
    assert "Qwen2.5 Coder 1.5B" in own_text("Which model are you?")
    assert "Since Steward started at 09:05, it has sent no request." in own_text(
        "Do you send my data anywhere?"
    )
    with_team = Settings(memory=MemorySettings(team_store="postgresql://team"))
    busy = replace(STATE, settings=with_team, traffic=Traffic(STARTED, requests=3, open_commands=2))
    told = own_text("Do you send my data anywhere?", busy)
    assert "since it started at 09:05: 3;" in told
    assert "used the network unseen: 2." in told
    assert "go to that server" in told


def test_every_fact_is_told_in_all_languages() -> None:
    """No language lacks an answer, and an answer names only values that there are."""
    table = _own_facts()
    for fact in OwnFact:
        assert set(table[fact]["told"]) == {"en", "de", "fr", "es"}
        for told in table[fact]["told"].values():
            assert set(re.findall(r"\{(\w*)\}", told)) <= {"model", "network", "folder"}


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    """Whatever is asked, there is an answer or none."""
    assert fact_asked(text) is None or own_text(text)


def test_settings_that_make_the_usual_answer_untrue_change_it() -> None:
    """With questions switched off nothing is promised to be asked; with a team, nothing to stay here."""
    for permissions in (
        PermissionSettings(require_confirmation_cud=False),
        PermissionSettings(dangerously_skip_permissions=True),
    ):
        unasked = replace(STATE, settings=Settings(permissions=permissions))
        assert "without asking" in own_text("Can you see my files?", unasked)
    for settings in (
        Settings(memory=MemorySettings(team_store="postgresql://team")),
        Settings(network=NetworkSettings(look_for_updates=True)),
    ):
        sends = own_text("Do you send my data anywhere?", replace(STATE, settings=settings))
        assert sends.startswith("Most of it stays here; some leaves because you switched that on.")


@pytest.mark.parametrize(
    "question",
    ["What can you do for me?", "Was kannst du alles?", "Que peux-tu faire pour moi ?", "¿Qué puedes hacer?"],
)
def test_what_it_can_do_ends_with_six_examples(question: str) -> None:
    """Each a request as it would be typed, without the marks and what stands beside it."""
    found = examples_in(own_text(question))
    assert found is not None
    assert len(found.requests) == 6
    assert not any(set("*\n") & set(each) for each in found.requests)
    assert found.lead.endswith(":")


@pytest.mark.parametrize("text", ["", "- *Delete everything*", "I can talk. For example:\n\n- *Delete all*"])
def test_no_other_text_has_examples(text: str) -> None:
    """What a model writes stays text."""
    assert examples_in(text) is None


@pytest.mark.parametrize("is_doubtful", [False, True])
def test_a_question_about_privacy_may_stand_behind_another_sentence(is_doubtful: bool) -> None:
    """A small model that is left with it says that all is sent."""
    said = "Cheers. By the way, does anything I type here get sent off to the internet?"
    assert fact_asked(said, is_doubtful) is OwnFact.SENDS
    assert fact_asked("Klein has paid. Are you sure?", is_doubtful) is None


POLITE_AND_OF_OTHER_THINGS = [
    "Would you be so good as to let me know who I am meeting on Friday morning?",
    "Oh, my nephew is coming at that time. Could you make it a quarter past three instead, please?",
    "My lips crack so in the frost. What would you advise me to put on them, please?",
    "I should be grateful if you would remind me to feed the neighbour's cat at six.",
    "If I may ask, how much have I paid the gardener so far?",
    "You could tell me, please, which of my bills are still to be paid?",
    "Oh bother, I shall be at church then. Could it be half an hour later, please?",
    "My feet are always cold at night. What would you advise, if I may ask?",
    "May I ask you to write to my dentist that I shall be late?",
    "Could I trouble you for the recipe with the plums?",
    "I wonder if you would kindly translate this postcard from Italian for me.",
    "Könnten Sie so freundlich sein, mir zu sagen, wann ich diese Woche zur Fußpflege muss?",
    "Ach, da kommt meine Enkelin zu Besuch. Könnten wir bitte halb fünf daraus machen?",
    "Meine Lippen sind bei der Kälte ganz rau. Was würden Sie mir da empfehlen, bitte?",
    "Wären Sie so gut, mich um sechs an meine Tropfen zu erinnern?",
    "Dürfte ich fragen, wie viel ich dem Gärtner bisher gezahlt habe?",
    "Das ist lieb von Ihnen. Würden Sie mir auch sagen, was ich der Putzhilfe noch schulde?",
    "Auriez-vous l'amabilité de me dire quand je vois le kiné cette semaine ?",
    "Ah, mon voisin vient justement à cette heure. Pourriez-vous mettre trois heures, je vous prie ?",
    "Mes pieds sont toujours gelés la nuit. Que me conseillez-vous, s'il vous plaît ?",
    "Puis-je vous demander combien j'ai déjà payé au jardinier ?",
    "Mes rosiers ont des taches noires. Que feriez-vous à ma place, je vous prie ?",
    "¿Sería tan amable de decirme cuándo me toca el podólogo esta semana?",
    "Ay, a esa hora viene mi hermano. ¿Podría ponerlo a las cinco y media, por favor?",
    "Tengo los pies siempre fríos por la noche. ¿Qué me aconseja, por favor?",
    "¿Puedo preguntarle cuánto le he pagado ya al jardinero?",
]
POLITE = [
    ("can", "would you kindly tell me what you can do?"),
    ("can", "Would you be so kind as to tell me what you are able to do?"),
    ("mistakes", "can you be wrong?"),
    ("mistakes", "Could you please tell me whether you can make mistakes?"),
    ("maker", "I should be grateful to know who made you."),
    ("sends", "If I may ask, do you send what I write to anyone?"),
    ("can", "Könnten Sie so freundlich sein, mir zu sagen, was Sie können?"),
    ("can", "Auriez-vous l'amabilité de me dire ce que vous pouvez faire ?"),
    ("mistakes", "Puis-je vous demander si vous faites des erreurs ?"),
    ("maker", "Pourriez-vous me dire qui vous a créé ?"),
    ("can", "¿Sería tan amable de decirme qué sabe hacer usted?"),
    ("mistakes", "¿Podría decirme, por favor, si usted comete errores?"),
    ("sends", "¿Puedo preguntarle si mis datos salen de este ordenador?"),
]


@pytest.mark.parametrize("message", POLITE_AND_OF_OTHER_THINGS)
def test_who_asks_politely_for_something_else_gets_no_card(message: str) -> None:
    """Whoever is asked politely is spoken to, which says nothing of what is asked."""
    assert fact_asked(message) is None


@pytest.mark.parametrize(("fact", "question"), POLITE)
def test_a_polite_question_about_steward_is_answered(fact: str, question: str) -> None:
    """As the same question is without its courtesies."""
    assert fact_asked(question) is OwnFact(fact)


@given(st.text(max_size=700))
def test_courtesies_alone_leave_what_was_said(text: str) -> None:
    """Nothing is made empty by it."""
    assert bool(text.strip()) is bool(without_courtesy(text).strip())
