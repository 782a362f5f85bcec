"""What is not answered by a model alone, and what is its to write."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.chat.intent_words import language_of, patterns_of
from desktop.chat.request_kinds import (
    ASKS_IF_DONE,
    KEEPS,
    LETTERS,
    LIVE,
    OUT_OF_REACH,
    OWN_ELSEWHERE,
    OWN_LIFE,
    OWN_PAPERS,
    asks_of_today,
    is_act,
)

CASES = Path(__file__).with_name("cases")


def sentences(name: str) -> list[str]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("# ")]


def kind(request: str) -> str:
    looks = {"live": LIVE, "reach": OUT_OF_REACH, "elsewhere": OWN_ELSEWHERE}
    found = next((name for name, look in looks.items() if look.search(request)), "")
    if not found and is_act(request):
        found = "act"
    return found or ("papers" if OWN_PAPERS.search(request) else "")


KINDS = """
live | do I need an umbrella in Hamburg tomorrow?
live | What's the weather in Paris?
live | What's the price of bitcoin right now?
live | Who is the chancellor of Germany today?
live | Wer ist Bundeskanzler?
live | Qui est le président de la France ?
live | ¿Quién es el presidente de España?
live | Brauche ich morgen einen Regenschirm?
live | Quel temps fera-t-il demain à Lyon ?
live | ¿Lloverá mañana en Madrid?
live | What's in the news today?
live | Who is the CEO of Apple?
reach | Send an email to Anna that I'm late
reach | Turn off the lights in the kitchen
reach | Call Anna
reach | Please text my mom that I'm on my way
reach | Book a table for two tonight
reach | Schick Anna eine Mail, dass ich später komme
reach | Ruf meine Mutter an
reach | Mach das Licht aus
reach | Envoie un mail à Paul
reach | Llama a mi madre
reach | Apaga la luz del salón
reach | Play some music
reach | Phone Mrs Baker and tell her that her shoes are ready
reach | ring the roofer for me
reach | Ring the man from the garage and tell him we'll be late
reach | could you give the vet a ring?
reach | Ruf Herrn Kolb an und sag ihm, dass sein Rad fertig ist
reach | Kannst du die Werkstatt anrufen?
reach | Appelle Mme Petit et dis-lui que la commande est prête
reach | Peux-tu téléphoner à la mairie ?
reach | passe un coup de fil à Paul
reach | Llama a Carmen Ruiz y dile que su bici ya está lista
reach | llámala y dile que voy tarde
reach | ¿Puedes llamar a mi madre?
act | remind me to ring the dentist
act | erinnere mich daran, Anna anzurufen
elsewhere | What's on my calendar today?
elsewhere | Do I have any meetings tomorrow? I forgot
elsewhere | Habe ich heute Termine?
elsewhere | Do I have new emails?
elsewhere | ¿Qué citas tengo mañana?
elsewhere | Ai-je des rendez-vous demain ?
act | oops, undo that
act | ping me in 20 minutes
act | add syrup to the shopping list
act | Delete the file foo
act | Rappelle-moi dans 20 minutes de sortir le pain
act | Recuérdame mañana a las 9 que llame a Ana
act | set an alarm for 7
act | move my files to the backup folder
papers | what does the letter from my landlord say?
papers | Was steht in dem Brief von meinem Vermieter?
papers | Que dit la lettre de mon propriétaire ?
papers | ¿Qué dice la carta de mi casero?
- | call the file holiday
- | call the new folder receipts for me
- | llama al archivo notas
- | appelle le fichier vacances
- | appelle la lettre depart.txt
- | phone battery is empty
- | Ruf ich lieber an oder schreib ich ihm?
- | phone number of the town hall
- | ruf die Liste auf
- | What is an email?
- | What should I write in my email to my boss?
- | Write an email to Anna that I'm late
- | Create a list of ten fruits
- | Make a list of pros and cons of remote work
- | What is photosynthesis?
- | Who was the first president of the USA?
- | Who wrote Faust?
- | Explain how rain forms
- | What's a good birthday present for my mother?
- | How do I delete a file in Linux?
- | Write a Python function that deletes a file
- | Tell me a joke
- | Translate "good morning" to German
- | Schreib eine Geburtstagskarte für meine Mutter
- | What can I cook with eggs and milk?
- | Set theory: what is a power set?
- | Add a closing sentence to this paragraph: I like tea.
- | Call me Ishmael: who wrote that?
- | Is it safe to put metal in the microwave?
- | What is the price elasticity of demand?
- | Wie ist das Wetter auf dem Mars?
- | Text classification: which model is best?
- | Order these numbers: 3, 1, 2
- | Make me a plan for learning Spanish
- | Create a workout plan
- | Put these words in order: cat, apple, bee
- | Delete the last paragraph
- | Remove the commas from this text: a, b, c
- | Can you help me with my essay?
- | Move to Berlin or stay in Munich?
- | Play a guessing game with me
- | Share a fun fact
- | Who is the main character in Hamlet?
- | Mi gato no come, ¿qué hago?
- | Crea una lista de la compra para una paella
- | Fais une liste de courses pour des crêpes
- | Call it a day: what does it mean?
- | Message of the film Inception?
- | What does the report card system in Germany look like?
- | What costs does a company have?
- | Kaufen oder mieten: was ist besser?
- | Teile 10 durch 3
- | Drucke in Python "hallo"
- | Print "hello" in Python
- | Print the numbers 1 to 5 in Python
- | Switch the tense: I go home
- | Llama la atención en una frase publicitaria
- | Remove duplicates from this list: a, b, a
- | Spiele ein Rollenspiel mit mir
- | pon un ejemplo de metáfora
- | Explique-moi la météo marine
"""


@pytest.mark.parametrize("line", KINDS.strip().splitlines())
def test_a_request_is_of_its_kind(line: str) -> None:
    """In four languages; a text to write and a question about the world are of none."""
    wanted, _, request = line.partition(" | ")
    assert kind(request) == wanted.strip("-")


def closes(asked: str) -> bool:
    """Whether `asked` is answered without the model's own knowledge."""
    looks = (LIVE, OWN_ELSEWHERE, OWN_PAPERS, OWN_LIFE)
    clipboard = patterns_of(language_of(asked))["clipboard_read"]
    return any(look.search(asked) for look in looks) or any(
        each.fullmatch(asked.rstrip("?")) for each in clipboard
    )


@pytest.mark.parametrize("asked", sentences("unknown_here.txt"))
def test_what_nobody_can_have_learned_is_not_answered_from_the_model(asked: str) -> None:
    """The world of today and the user's own things, in four languages, with and without a question mark."""
    assert closes(asked)
    assert closes(f"{asked}?".capitalize())


@pytest.mark.parametrize("asked", sentences("known_by_all.txt"))
def test_what_can_be_learned_is_open(asked: str) -> None:
    """The same words in questions that a model answers."""
    assert not closes(asked)
    assert not closes(f"{asked}?".capitalize())
    assert not OUT_OF_REACH.search(asked)


@pytest.mark.parametrize(
    "request_",
    [
        "did you delete report.txt?",
        "Have you moved my files?",
        "hast du report.txt gelöscht?",
        "as-tu supprimé report.txt ?",
        "¿has borrado report.txt?",
        "was report.txt deleted?",
    ],
)
def test_a_question_whether_something_was_done_is_known(request_: str) -> None:
    """Decided by a model, it was done then: the file that was asked about went to the trash."""
    assert ASKS_IF_DONE.search(request_)


@pytest.mark.parametrize(
    "request_", ["delete report.txt", "have the file deleted", "how do I delete a file?", "has anyone moved?"]
)
def test_a_wish_is_no_question_whether_it_was_done(request_: str) -> None:
    """It is carried out as before."""
    assert not ASKS_IF_DONE.search(request_)


@pytest.mark.parametrize(
    ("request_", "is_letter"),
    [
        ("Write a reminder to a client that invoice 12 is overdue.", True),
        ("Draft a short message to my neighbours: party on Saturday.", True),
        ("Kannst du mir eine Beileidskarte für meine Nachbarin schreiben?", True),
        ("Schreibe eine Einladung zum Sommerfest am 12. Juli ab 15 Uhr.", True),
        ("Peux-tu écrire une carte d'anniversaire pour mon père ?", True),
        ("Scrivi un'e-mail per disdire un appuntamento.", True),
        ("Remind me to write a letter to Anna tomorrow.", False),
        ("Write a message to my boss and save it as boss.txt.", False),
        ("Write a note: buy milk.", False),
        ("Schreib mir eine Mail an Anna und schick sie ab.", False),
        ("Read my letter from the landlord.", False),
        ("A birthday card in French for my neighbour", True),
        ("Can you make me a birthday card in German for my grandpa?", True),
        ("Eine Geburtstagskarte auf Französisch für meine Tante", True),
        ("Ich brauche eine Geburtstagskarte für meinen Opa, drei Sätze", True),
        ("Une carte d'anniversaire en français pour mon collègue, s'il te plaît.", True),
        ("Tu peux me faire une carte d'anniversaire pour mon père ?", True),
        ("¿Me haces una tarjeta de cumpleaños para mi hermana?", True),
        ("A reminder to call mom", False),
        ("I need a card reader for my laptop", False),
        ("Ich brauche eine Karte von Berlin", False),
        ("Make a folder called cards for my aunt", False),
        ("Give me a list of cards in poker", False),
    ],
)
def test_a_letter_is_the_model_s_to_write(request_: str, is_letter: bool) -> None:
    """Whatever is in it is no wish for a tool; what is kept or sent besides may be one."""
    assert (LETTERS.match(request_) is not None and KEEPS.search(request_) is None) is is_letter


def test_a_pasted_text_that_speaks_of_the_weather_asks_for_none() -> None:
    """ "Now in German, please" behind a page of somebody's diary is no search on the web."""
    asked = "What's the weather like in Paris today?"
    assert asks_of_today(asked)
    assert not asks_of_today(f"{asked} {'It rained on the old stone bridge. ' * 12}Now in German, please.")


def test_what_others_write_to_people_and_new_mail_is_not_made_up() -> None:
    """Short questions about letters, and about a mailbox that no tool reaches."""
    assert OWN_PAPERS.search("was schreibt mir die versicherung?")
    assert OWN_PAPERS.search("what does my landlord want?")
    assert OWN_ELSEWHERE.search("any new emails?")
    assert OUT_OF_REACH.search("text my wife i'll be home at 8")
    assert LIVE.search("what's apple trading at today?")
    assert not OWN_ELSEWHERE.search("any new ideas?")
