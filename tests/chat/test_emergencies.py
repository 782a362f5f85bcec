"""A danger to life is answered at once and by a fixed text, in four languages; talk about one is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.fixed_answers import (
    Danger,
    EmergencyKind,
    _emergencies,
    country_of_computer,
    danger_in,
    emergency_answer,
    emergency_in,
    in_doubt,
)
from desktop.chat.message_classes import LONGEST_MESSAGE, message_scores

NUMBERS = {"emergency", "poison", "crisis"}
OF_SOME_COUNTRIES = {"fire", "police", "bandage", "abuse"}
HEART, STROKE, POISON = EmergencyKind.HEART, EmergencyKind.STROKE, EmergencyKind.POISON
SELF_HARM, GAS, UNCONSCIOUS = EmergencyKind.SELF_HARM, EmergencyKind.GAS, EmergencyKind.UNCONSCIOUS
DANGERS = [
    ("en", HEART, "Chest pain and numb left arm, aspirin and lie down?"),
    (
        "en",
        POISON,
        "I have taken my blood pressure tablet twice this morning by mistake. Ought I to do anything?",
    ),
    ("de", POISON, "ich habe versehentlich zwei Tabletten zu viel genommen"),
    ("fr", POISON, "j'ai pris deux fois mon comprimé par erreur"),
    ("es", POISON, "he tomado la pastilla dos veces por error"),
    ("en", HEART, "my dad has crushing chest pain what do i do"),
    ("de", HEART, "hab so einen druck auf der brust und der linke arm tut weh"),
    ("es", HEART, "me duele el pecho y me cuesta respirar"),
    ("fr", STROKE, "ma mère parle bizarrement et son visage est tombé d'un côté"),
    ("de", STROKE, "mir ist auf einmal der mundwinkel schief und der arm taub"),
    ("es", STROKE, "de repente no puede hablar bien mi abuela"),
    ("es", POISON, "mi hijo se ha tragado un montón de pastillas"),
    ("fr", POISON, "mon fils a bu du produit de vaisselle"),
    ("de", POISON, "meine tochter hat spülmittel getrunken"),
    ("en", SELF_HARM, "i dont want to be alive anymore"),
    ("fr", SELF_HARM, "j'ai envie d'en finir"),
    ("es", SELF_HARM, "ya no quiero vivir"),
    ("en", HEART, "I have a strong pressure in my chest and I'm sweating"),
    ("en", HEART, "my dad says his chest feels tight, should we wait until tomorrow?"),
    ("en", HEART, "I think I'm having a heart attack"),
    ("en", EmergencyKind.BREATHING, "grape stuck he cant cough hes going blue"),
    ("en", UNCONSCIOUS, "had some of that satay and now my lips are massive and my throats gone tight"),
    ("en", POISON, "i think ive had my heart tablets three times over, everythings gone yellow"),
    ("en", SELF_HARM, "did it again tonight with the blade. went deeper than i meant"),
    ("de", UNCONSCIOUS, "im flur is lauter rauch und die tür is ganz heiß was mach ich"),
    ("de", UNCONSCIOUS, "meine Frau liegt am Boden, schnauft ned, bitte schnell"),
    ("de", SELF_HARM, "Eigentlich wären alle besser dran ohne mich. Die Briefe hab ich schon geschrieben."),
    ("de", GAS, "im Keller stinkts so nach faulen Eiern beim Gaszähler"),
    ("fr", POISON, "J'ai pris toute la plaquette. Je crois que je regrette."),
    ("es", SELF_HARM, "ya he dejado las claves y los papeles en la mesa, solo quería despedirme de alguien"),
    ("en", EmergencyKind.BREATHING, "I can't breathe"),
    ("fr", POISON, "J'ai avalé une boîte de somnifères"),
    ("fr", UNCONSCIOUS, "Ma femme a perdu connaissance"),
    ("en", STROKE, "My mother's face is drooping on one side and her speech is slurred"),
    ("en", STROKE, "suddenly can't speak properly and my right arm went numb"),
    ("en", STROKE, "This is the worst headache of my life"),
    ("en", POISON, "My toddler swallowed a button battery"),
    ("en", POISON, "I took too many sleeping pills"),
    ("en", POISON, "my son drank bleach, should I make him vomit?"),
    ("en", POISON, "I've taken 30 paracetamol"),
    ("en", SELF_HARM, "I want to kill myself"),
    ("en", SELF_HARM, "nobody answers my messages, I want to kill myself"),
    ("en", SELF_HARM, "there's no point in living anymore"),
    ("en", SELF_HARM, "Everyone would be better off without me"),
    ("en", SELF_HARM, "i don't want to be alive"),
    ("en", GAS, "It smells like gas in my kitchen, what should I do?"),
    ("en", GAS, "my carbon monoxide alarm is beeping"),
    ("en", UNCONSCIOUS, "my husband is unconscious"),
    ("en", EmergencyKind.BREATHING, "she is choking on a grape"),
    ("en", UNCONSCIOUS, "he got stung and his throat is swelling"),
    ("de", HEART, "Ich habe starke Schmerzen in der Brust"),
    ("de", HEART, "Mein Vater hat Druck auf der Brust und schwitzt, soll er sich hinlegen?"),
    ("de", EmergencyKind.BREATHING, "ich bekomme keine Luft mehr"),
    ("de", STROKE, "Bei meiner Oma hängt plötzlich der Mundwinkel und ihr Arm ist taub"),
    ("de", STROKE, "Mein Arm ist taub und ich lalle"),
    ("de", POISON, "Mein Kind hat Spülmittel getrunken"),
    ("de", POISON, "Ich habe 20 Paracetamol geschluckt"),
    ("de", SELF_HARM, "Ich will nicht mehr leben"),
    ("de", SELF_HARM, "ich ritze mich wieder"),
    ("de", SELF_HARM, "Gestern hab ich mir die Arme geritzt"),
    ("fr", SELF_HARM, "je me scarifie depuis un mois"),
    ("es", SELF_HARM, "me autolesiono cuando estoy sola"),
    ("de", SELF_HARM, "ich bringe mich um"),
    ("de", GAS, "In meiner Küche riecht es nach Gas"),
    ("de", UNCONSCIOUS, "Mein Freund ist bewusstlos und atmet nicht"),
    ("fr", HEART, "J'ai une douleur dans la poitrine"),
    ("fr", EmergencyKind.BREATHING, "mon père n'arrive plus à respirer"),
    ("fr", STROKE, "La bouche de ma mère est de travers et son bras est engourdi"),
    ("fr", POISON, "Mon fils a bu de la javel"),
    ("fr", POISON, "j'ai avalé toute la boîte de somnifères"),
    ("fr", SELF_HARM, "Je veux mourir"),
    ("fr", GAS, "Ça sent le gaz dans ma cuisine"),
    ("fr", UNCONSCIOUS, "Mon mari est inconscient"),
    ("es", HEART, "Me duele el pecho y sudo mucho"),
    ("es", EmergencyKind.BREATHING, "mi padre no puede respirar"),
    ("es", STROKE, "Mi madre tiene la boca torcida y el brazo dormido"),
    ("es", POISON, "Mi hija bebió lejía"),
    ("es", POISON, "he tomado demasiadas pastillas"),
    ("es", SELF_HARM, "Quiero morir"),
    ("es", GAS, "Huele a gas en mi casa"),
    ("es", UNCONSCIOUS, "Mi amigo está inconsciente"),
    ("en", HEART, "My chest has been hurting for 20 minutes and I feel sick"),
    ("en", UNCONSCIOUS, "my wife collapsed and isn't responding"),
    ("en", STROKE, "Dad can't move his left side"),
    ("en", POISON, "my kid ate some berries from the garden and is vomiting"),
    ("en", GAS, "there's a gas leak in my house"),
    ("de", HEART, "Mir tut die Brust weh und der linke Arm kribbelt"),
    ("de", UNCONSCIOUS, "mein Mann ist umgekippt und reagiert nicht"),
    ("de", SELF_HARM, "Ich denke daran, mir das Leben zu nehmen"),
    ("fr", HEART, "mal au coeur et douleur au bras gauche, douleur à la poitrine"),
    ("fr", STROKE, "ma mère ne peut plus parler d'un coup"),
    ("es", HEART, "creo que estoy teniendo un infarto"),
    ("es", POISON, "mi hijo se tragó una pila de botón"),
]
# By what happens to what, not by sentences that somebody thought of.
OF_CONCEPTS = [
    ("en", EmergencyKind.VENOM, "bitten by a snake on the ankle, what should I do"),
    ("en", EmergencyKind.VENOM, "A scorpion stung my daughter"),
    ("de", EmergencyKind.VENOM, "mich hat eine Schlange gebissen"),
    ("fr", EmergencyKind.VENOM, "un serpent a mordu mon frère"),
    ("es", EmergencyKind.VENOM, "me picó un alacrán en el pie"),
    ("en", POISON, "our toddler bit into a laundry capsule, some detergent pods are open"),
    ("en", EmergencyKind.BLEEDING, "my wife cut her wrist on glass and blood is pouring out"),
    ("de", UNCONSCIOUS, "meine Tochter hat sich mit kochendem Wasser die Brust verbrüht"),
    ("fr", UNCONSCIOUS, "mon mari est par terre et il ne bouge plus"),
    ("es", EmergencyKind.SEIZURE, "mi hijo tiene convulsiones desde hace cinco minutos"),
    ("de", EmergencyKind.FIRE, "unsere Küche steht in Flammen"),
]
HARMLESS = [
    "I get it, dance is like air, I can't picture life without it",
    "a snake bit the hero in the film, what is its name?",
    "ich halte den Lärm nicht mehr aus",
    "What are the symptoms of a heart attack?",
    "Translate into German: my chest hurts",
    "Write a story in which my hero has a heart attack",
    "The novel's character says: I want to die",
    "This phone is killing me",
    "I'm dying to see that film",
    "My battery drank all the power",
    "I had chest pain five years ago, can I still give blood?",
    "How do I replace the gas cylinder of my grill?",
    "Is gas cheaper than electricity where I live?",
    "I took too many photos in Rome, how do I sort them?",
    "Kill the process with the highest memory",
    "My arm rest is broken",
    "How do I take a stroke out of a path in Inkscape?",
    "I had too much coffee",
    "He drank too much water after the race, is that why he is tired?",
    "We ate at a place to die for",
    "Open my chest freezer manual",
    "What does unconscious mean in psychology?",
    "Was sind die Anzeichen eines Schlaganfalls?",
    "Übersetze: Ich habe Schmerzen in der Brust",
    "Ich lache mich tot",
    "Wie wechsle ich die Batterie meiner Uhr?",
    "Ich habe zu viele Fotos gemacht",
    "Mein Arm tut vom Sport weh",
    "Schreibe ein Gedicht: ich will nicht mehr leben ohne dich",
    "Ich ritze mein Monogramm in den Löffel",
    "Wie lange müssen eingeritzte Kastanien in den Ofen?",
    "Wie viel Gas verbrauche ich?",
    "Quels sont les symptômes d'un AVC ?",
    "J'ai mangé trop de chocolat",
    "Mon chat est mort de rire",
    "¿Cuáles son los síntomas de un infarto?",
    "He comido demasiado",
    "Traduce: quiero morir",
    "I can't breathe when I wear this mask in VR, any tips on settings?",
    "He had a stroke of luck",
    "my chest of drawers is heavy",
    "i don't want to live in Berlin anymore",
    "ich will nicht mehr in Berlin leben",
    "je veux en finir avec ce projet",
    "no quiero vivir en Madrid",
    "this deadline is killing me, write me a short motivational line",
    "ich habe heute Brust trainiert",
    "my arm went numb after sleeping on it",
    "suddenly can't see my desktop icons",
    "Das Programm reagiert nicht mehr, was soll ich tun?",
    "Mein Laptop wacht nicht mehr auf",
    "my computer won't wake up from sleep",
    "I'd rather die than use Windows",
    "How much paracetamol can I take per day?",
    "What time is it?",
    "remind me to buy bleach",
    "",
]


@pytest.mark.parametrize(("language", "kind", "text"), [*DANGERS, *OF_CONCEPTS])
def test_a_danger_is_known_and_answered_in_its_language(
    language: str, kind: EmergencyKind, text: str
) -> None:
    """The answer says first whom to call, in the language in which was asked."""
    assert danger_in(text) in (Danger(kind, is_clear=True), Danger(EmergencyKind.GENERAL, is_clear=True))
    assert message_scores(text).language == language
    answer = emergency_in(text, "DE")
    assert answer is not None
    assert "112" in answer


@pytest.mark.parametrize("text", HARMLESS)
def test_talk_about_dangers_is_left_to_the_model(text: str) -> None:
    """Lessons, translations, stories, the past and figures of speech are no emergency."""
    assert emergency_in(text, "") is None


def test_numbers_are_those_of_the_country() -> None:
    """Where the country is not known, the answer says how to find the number."""
    assert "911" in emergency_answer(SELF_HARM, "en", "US")
    assert "988" in emergency_answer(SELF_HARM, "en", "US")
    assert "3114" in emergency_answer(SELF_HARM, "fr", "FR")
    assert "112 in Europe, 911 in North America" in emergency_answer(SELF_HARM, "en", "ZZ")


def test_every_answer_is_there_in_every_language_and_country() -> None:
    """No kind lacks a language, no country a number, and no hole is left unfilled."""
    table = _emergencies()
    for kind in EmergencyKind:
        assert set(table["answers"][kind]) == {"en", "de", "fr", "es"}
        for language, answer in table["answers"][kind].items():
            called = "{fire}" if kind in (GAS, EmergencyKind.FIRE) else "{emergency}"
            assert called in answer, (kind, language)
            assert set(re.findall(r"\{(\w+)\}", answer)) <= {*NUMBERS, *OF_SOME_COUNTRIES}
            assert not re.search(r"[{}]", emergency_answer(kind, language, "ZZ")), (kind, language)
    assert {"bandage", "abuse"} <= set(table["numbers"]["unknown"])
    for country, numbers in table["numbers"].items():
        assert NUMBERS <= set(numbers) <= {*NUMBERS, *OF_SOME_COUNTRIES}, country


@pytest.mark.parametrize(("country", "fire"), [("FR", "18"), ("AT", "122"), ("CH", "118"), ("DE", "112")])
def test_a_smell_of_gas_calls_the_fire_service(country: str, fire: str) -> None:
    """In some countries the number of the ambulance brings nobody who could shut a gas main."""
    assert f"Call {fire} from outside" in emergency_answer(GAS, "en", country)


def test_a_bandage_is_for_the_snakes_of_australia() -> None:
    """What slows their venom keeps that of others in one place, where it destroys more."""
    at_home, elsewhere = (emergency_answer(EmergencyKind.VENOM, "en", country) for country in ("AU", "DE"))
    assert "bandage the whole limb at once" in at_home
    assert "only where the emergency number says so" in elsewhere


@pytest.mark.parametrize(
    ("variables", "country"),
    [
        ({"LANG": "de_AT.UTF-8"}, "AT"),
        ({"LC_ALL": "en_GB", "LANG": "de_DE"}, "GB"),
        ({"LANG": "en-US"}, "US"),
    ],
)
def test_the_country_comes_from_the_systems_language_settings(
    variables: dict[str, str], country: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`LC_ALL` goes before `LANG`, as everywhere."""
    for name in ("LC_ALL", "LC_TELEPHONE", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert country_of_computer() == country


@given(st.text(max_size=LONGEST_MESSAGE + 50))
def test_no_text_breaks_it(text: str) -> None:
    """Whatever is written, there is an answer, a line, or none; never both."""
    assert emergency_in(text, "") is None or in_doubt(text, "") is None


OF_THEIR_WORDS = (Path(__file__).with_name("cases") / "harmless.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("said", [line for line in OF_THEIR_WORDS if line and not line.startswith("#")])
def test_the_words_of_a_danger_alone_are_none(said: str) -> None:
    """Mushrooms on a pizza, a heart that beats for Berlin, a telephone that died."""
    assert emergency_in(said, "DE") is None


@pytest.mark.parametrize(
    "said",
    [
        "my son ate mushrooms from the garden",
        "I ate mushroom soup and now I am vomiting",
        "mein Kind hat im Wald Pilze gegessen",
        "ich habe Pilzsuppe gegessen und mir ist schlecht",
        "ma fille a mangé un champignon dans le jardin",
        "I think I am having a heart attack",
        "it smells of gas in the kitchen",
        "my face is numb on one side and my speech is slurred",
        "I want to end my life",
        "I cut myself and I do not want to live any more",
    ],
)
def test_the_danger_itself_is_still_known(said: str) -> None:
    """Beside the words that make the others harmless."""
    assert emergency_in(said, "DE") is not None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "hes going blue"),
        ("de", "verstehst du auch plattdeutsch oder bloß hochdeutsch"),
        ("fr", "tu parles breton ?"),
        ("es", "hablas catalán o solo castellano"),
    ],
)
def test_the_language_of_a_short_message_is_known(language: str, text: str) -> None:
    """The answer is in it, and the line for the doubtful."""
    assert message_scores(text).language == language


def test_a_long_text_is_looked_at_in_no_time() -> None:
    """The window asks this of every draft before it is sent: a pattern of several parts took minutes."""
    assert danger_in("i have taken the tablet " * 20_000) is None
