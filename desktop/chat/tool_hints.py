"""What a request says of the tools' own words, and whether it needs a tool at all, without asking a model.

A question about the world, by its form ("why …", "what is the capital of …"), and small talk need none,
unless they name a file or something of the user's own. Tables in English, German, French and Spanish. Pure
functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from desktop.chat.request_parts import files_in
from desktop.tools.tool import Tool

# Something of the user's own, or of this place: then a question is hardly about the world.
# The "ce" of "est-ce" points at nothing.
_OWN = re.compile(
    r"\b(?:my|mine|here|this|mein\w*|hier|dies(?:e[mnrs]?)?|mon|ma|mes|ici|(?<!-)ce|cette|mis?|aquí|est[eao]s?)\b|https?://|"
    r"[/~]\w",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\b(?:me|us|mich|mir|uns)\b", re.IGNORECASE)
_TIMED = re.compile(
    r"\b\d{1,2}(?::\d\d)? ?(?:am|pm|o['’]clock|uhr)\b|\b\d{1,2}:\d\d\b"
    r"|\b(?:half an|an|halben?|einer) (?:hour|stunde)\b"
    r"|\b\d+ ?(?:sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|sekunden?|minuten?|stunden?)\b",
    re.IGNORECASE,
)
SAID = 0.8  # nats; tuned with the thresholds of `chat/tool_choice.py`


@dataclass(frozen=True)
class ToolHints:
    """What requests say of the tools' own words, and which of them need no tool.

    A request that `general` fits asks about the world, whatever tool its words would speak for; one that is
    no more than `small_talk` needs no tool. Nobody is asked whether these need one, unless they name a file
    or something of the user's own.
    """

    general: re.Pattern[str] | None = None
    small_talk: re.Pattern[str] | None = None

    def called(self, tools: Iterable[Tool], request: str) -> list[Tool]:
        """Those whose words `request` says."""
        return [tool for tool in tools if self.is_said(tool, request)]

    def is_said(self, tool: Tool, request: str) -> bool:
        """Not in a question about the world, such as "How do I delete a file?"."""
        # The words of a tool stand in questions about the world, too.
        if self.general is not None and self.general.search(request):
            return False
        return tool.hint.is_said(request)

    def needs_nothing(self, request: str) -> bool:
        """Whether it is plain, without asking a model, that `request` needs no tool."""
        if self.small_talk is not None and self.small_talk.fullmatch(request.strip()):
            return True
        if self.general is None:
            return False
        if not any(each.search(request) for each in (self.general, _WORLD, _WORLD_ROMANCE)):
            return False
        return not files_in(request) and _OWN.search(request) is None

    def says_nothing_of(self, tools: Iterable[Tool], request: str) -> bool:
        """Whether `request` has no word of any of `tools`, names no file and nothing of the user's own.

        False where a tool has no words of its own: then only the model can tell.
        """
        if files_in(request) or _OWN.search(request) is not None:
            return False
        # "Let me know when it's 4 pm": whatever the verb, somebody is to be told at a time.
        if _TOLD.search(request) is not None and _TIMED.search(request) is not None:
            return False
        return all(tool.hint.words and not tool.hint.is_said(request) for tool in tools)

    def held_back(self, tools: Iterable[Tool], request: str) -> list[Tool]:
        """Those that need their words and do not have them."""
        waiting = (tool for tool in tools if tool.hint.only_said)
        return [tool for tool in waiting if not self.is_said(tool, request)]

    def weight(self, tool: Tool, request: str) -> float:
        """How much the words of `request` speak for `tool`, in nats; 0 where nothing is known."""
        if not tool.hint.words:
            return 0.0
        return SAID if self.is_said(tool, request) else -SAID


@cache
def own_hints() -> ToolHints:
    """For Steward's own tools."""
    return ToolHints(_GENERAL, _SMALL_TALK)


_GENERAL = re.compile(
    r"^\W*(?:how (?:do|does|can|could|should|to|often|long)\b|what (?:is|are) (?:an?|the difference)"
    r"\b|what does (?:the )?\S+ (?:\S+ )?(?:mean|do|stand)\b|why\b|explain\b|suggest\b"
    # Who did something last is asked of a place, mostly one's own.
    r"|who\b(?!.*\b(?:recently\b|last\W*$|(?:last|latest|most recent) (?:commit|change|edit|update|entry)\b))"
    r"|give me (?:tips|ideas|advice)|what.?s the difference|was (?:ist|sind|bedeutet|heißt"
    r"|macht) (?:eine?\b|der unterschied|\S+ auf\b)|wie \w+ man\b"
    r"|wie (?:kann|funktioniert|macht|lege|lösche|reinigt"
    r"|schützt|erkläre|oft|lange)\b|warum\b|erkläre?\b|woher\b|wer\b(?!.*\b(?:zuletzt|kürzlich)\b)"
    r"|qu['’]est-ce qu['’]une?\b|c['’]est quoi une?\b|pourquoi\b|comment (?:fonctionne|fait-on|faire|"
    r"marche|dit-on)\b"
    r"|explique\w*\b|qui (?:a|était|est(?! (?:dans|sur|à|au|en|avec)\b))\b(?!.*\b(?:en dernier|récemment)\b)"
    r"|¿?qué (?:es|son) (?:una?|el|la|los|las)\b|¿?por qué\b"
    r"|¿?cómo (?:funciona|se (?:hace|dice))\b|explica\w*\b|¿?quién (?:fue|escribió|es|inventó|pintó)\b"
    # What somebody thinks of a thing, and whether it is good.
    r"|(?:is it|would it be) (?:bad|good|ok(?:ay)?|better|worse|safe|wrong|normal|legal|healthy|rude|worth"
    r"|wise)\b"
    r"|ist es (?:schlecht|gut|schlimm|besser|sicher|falsch|normal|erlaubt|gesund|klug|sinnvoll)\b"
    r"|(?:est-ce que c['’]est|est-ce|c['’]est) (?:mal|bien|mieux|grave|normal|dangereux|sain|risqué)\b"
    r"|¿?es (?:malo|bueno|mejor|peor|seguro|normal|peligroso|sano)\b)"
    r"|\b(?:what do you (?:think|prefer|recommend)|(?:which|what) (?:\w+ )?do you (?:prefer|like)"
    r"|was (?:hältst|denkst|meinst) du|que penses-tu|qu['’]en penses-tu|¿?qué (?:piensas|opinas|prefieres))\b"
    # A statement that asks for no more than a nod.
    r"|,\s*(?:(?:is|are|was|were|do|does|did|has|have)n['’]t (?:it|they|he|she|we)|nicht wahr|n['’]est-ce pas"
    r"|¿?verdad)\s*\?\s*$",
    re.IGNORECASE,
)
# Whoever asks, and what is on a computer: where one of these stands, more than a fact of the world is asked.
_NEAR = (
    r"\b(?:i|i['’]\w+|we|us|our|ich|mich|wir|uns\w*|je|nous|notre|nos|yo|nuestr\w*|tengo|files?|"
    r"folders?|director(?:y|ies)|documents?|notes?|reminders?|alarms?|timers?|clipboard|photos?|pictures?|"
    r"screenshots?|downloads?|workspace|calendar|inbox|e-?mails?|messages?|process\w*|dis[kc]|screen|"
    r"computer|pc|"
    r"minutes?|hours?|minuten|stunden|heures|minutos|horas|datei(?:en)?|ordnern?|verzeichnis\w*|dokument\w*|"
    r"notiz\w*|erinnerung\w*|wecker|zwischenablage|fotos?|bilder\w*|"
    r"schreibtisch|kalender|festplatte|nachrichten|rechner|fichiers?|dossiers?|rappels?|alarmes?|"
    r"presse-papiers|courriels?|bureau|disque|écran|ordinateur|archivos?|ficheros?|carpetas?|recordatorios?|"
    r"alarmas?|portapapeles|correos?|mensajes?|escritorio|disco|pantalla|ordenador|today|now|heute|jetzt|"
    r"aujourd\w*|"
    r"maintenant|hoy|ahora)\b|\bj['’]"
)
_SOME = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|some|a few|several|zwei|drei|vier|fünf|sechs|sieben|"
    r"acht|neun|"
    r"zehn|einige|ein paar|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|quelques|dos|tres|cuatro|cinco|seis|"
    r"siete|"
    r"ocho|nueve|diez|algun[oa]s|\d+)"
)
_KIND = (
    r"(?:planets?|countr(?:y|ies)|cit(?:y|ies)|rivers?|oceans?|animals?|elements?|languages?|continents?|"
    r"mountains?|"
    r"year|century|author|writer|painter|composer|planeten?|länder|land|stadt|städte|fluss|tiere?|sprachen?|"
    r"kontinent\w*|berg|jahr|jahrhundert|schriftsteller\w*|maler\w*|komponist\w*|planètes?|pays|villes?|"
    r"fleuves?|"
    r"océans?|animal|animaux|éléments?|langues?|montagnes?|année|siècle|auteure?|peintre|país(?:es)?|"
    r"ciudad(?:es)?|"
    r"ríos?|océanos?|animal(?:es)?|elementos?|lenguas?|idiomas?|montañas?|año|siglo|autora?|pintora?)"
)
_FACT = (
    r"(?:capital|population|currency|area|climate|anthem|flag|(?:official )?language|formula|chemical \w+|"
    r"symbol|"
    r"square root|plural|opposite|meaning|definition|origin|past tense|(?:boiling|melting) point|speed|"
    r"distance|"
    r"hauptstadt|einwohnerzahl|bevölkerung|währung|fläche|nationalhymne|flagge|amtssprache|formel|mehrzahl|"
    r"gegenteil|bedeutung|definition|ursprung|siedepunkt|schmelzpunkt|geschwindigkeit|entfernung|capitale|"
    r"monnaie|superficie|hymne|drapeau|langue|formule|symbole|racine carrée|pluriel|contraire|sens|"
    r"définition|"
    r"origine|vitesse|población|moneda|himno|bandera|idioma|fórmula|símbolo|raíz cuadrada|contrario|"
    r"significado|"
    r"definición|origen|velocidad|distancia)"
)
# Facts of the world by what is asked for: the capital of, three sights of, in which year.
_WORLD = re.compile(
    rf"^(?!.*(?:{_NEAR}))\W*(?:"
    rf"(?:what(?:['’]s| is| are| was)|was (?:ist|sind|war)|wie (?:heißt|lautet|ist|hoch ist|groß ist)|"
    rf"wie (?:hoch|groß|weit|schnell) ist|quel(?:le)?s? (?:est|sont|était)|¿?cuál(?:es)? (?:es|son|era|fue)) "
    rf"(?:the |die |der |das |la |le |les |l['’]|el |los |las )(?:{_FACT}\b|\w+(?:est|ste[rns]?) {_KIND}\b|"
    rf"{_KIND} (?:más|la plus|le plus)\b)"
    rf"|(?:which|what|welche[rsnm]?|quel(?:le)?s?|¿?qué) {_KIND}\b"
    rf"|(?:in|en|dans|¿?en) (?:which|what|welche[rm]|quel(?:le)?|qué) {_KIND}\b"
    r"|(?:name|list|give|tell|suggest|nenne?|gib|cite[rz]?|nomme[rz]?|donne[rz]?|nombra|cita|d[ia]me|"
    r"menciona)"
    rf"(?:[ -](?:moi|me|mir))? {_SOME} \w"
    rf"|when (?:was|were|did)\b|where (?:was|were) [\w ]+ (?:born|built|invented|founded)\b"
    r"|wann (?:wurden?|war|begann|endete|starb|lebte|entstand)\b|quand (?:a été|est (?:née?|morte?)|"
    r"a eu lieu)"
    rf"|¿?cuándo (?:nació|murió|fue|empezó|terminó|ocurrió|se (?:inventó|construyó|fundó))\b)",
    re.IGNORECASE | re.DOTALL,
)

# What a French or Spanish question may be about that is at hand: somebody's papers, appointments, people.
_AT_HAND = (
    r"\b(?:heures?|dates?|jours?|liste|lignes?|mots? de passe|codes?|totale?|somme|résultat|réponse|"
    r"factures?|contrats?|lettres?|rapport|réunion|rendez-vous|dîner|fête|équipe|projet|tâches?|mémoire|batterie|"
    r"version|copiée?|texte|dernier|dernière|dedans|reste\w*|celui|celle|lui|leur|"
    r"horas?|fechas?|días?|lista|líneas?|contraseña|códigos?|suma|resultado|respuesta|factura|contrato|"
    r"carta|informe|reunión|cita|cena|fiesta|equipo|proyecto|tareas?|memoria|batería|versión|copiado|texto|"
    r"último|última|queda\w*|ahí|dentro|ello|ellos|ellas|ese|esa|eso)\b"
)
_NAMED = r"(?-i:\b[A-ZÁÉÍÓÚÀÈÎÔÇÑ][\w'’-]+)"
# Questions of the world by their form, in the languages in which tools have no words: what a thing is, is
# made of or is for, how much one weighs, where a place is that has a name.
_WORLD_ROMANCE = re.compile(
    rf"^(?!.*(?:{_NEAR}|{_AT_HAND}))\W*(?:"
    r"c['’]est quoi (?:l[ea']|les|une?|des)\b|à quoi (?:sert|servent|ressemble\w*)\b|"
    r"de quoi (?:est|sont|se compose|se nourri\w+|vi[tv]\w*)\b|"
    r"comment (?:fonctionne|marche|faire|cuire|préparer|cuisiner|s['’]appelle|se forme|naît|naissent|dit-on|"
    r"écrit-on|prononce\w*)\w*\b|"
    r"(?:que|qu['’]est-ce que) (?:signifie\w*|veut dire|ça veut dire|mangent?|faire)\b|"
    r"qu['’]est-ce que (?:l[ea]|les|l['’]|une?)\b|qu['’]est-ce qui (?:provoque|cause|rend|fait|crée)\b|"
    r"(?:depuis quand|pourquoi est-ce que|d['’]où vien(?:t|nent))\b|"
    rf"où (?:est|se trouve\w*|se situe\w*|vi(?:t|vent))\b.*{_NAMED}|"
    r"combien (?:pèse|mesure|coûte un|vit|vivent|dure|d['’]\w+ (?:a|ont|y a-t-il)|"
    r"de \w+ (?:a|ont|compte\w*|y a-t-il))\b|"
    r"quelle(?:s sont les| est la)? différences? (?:entre|y a-t-il)\b|quel(?:le)? est l[ea] plus \w+|"
    r"¿?cuál es (?:el|la) \w+ más\b|est-ce que (?:les|l[ea]|l['’])\b|"
    r"¿?(?:para|de|por|desde|hasta|a) qué (?:sirven?|está\w* hech\w+|se alimenta\w*|temperatura|"
    r"velocidad|distancia)\b|"
    r"¿?qué (?:significa\w*|quiere decir|diferencia\w* hay|provoca|causa|comen?|son los|son las)\b|"
    r"¿?cómo (?:se (?:llama|dice|escribe|pronuncia|forma|prepara|cocina)\w*|funciona\w*|nacen?)\b|"
    r"¿?cuánt[oa]s? (?:mide\w*|pesa\w*|vive\w*|dura\w*|cuesta un|\w+ (?:tiene|hay en el mundo|existen))\b|"
    rf"¿?dónde (?:está\w*|se encuentra\w*|queda|vive\w*|nace)\b.*{_NAMED}|"
    r"¿?(?:los|las|el|la) \w+ (?:es|son|pueden?|tienen?|duermen?|viven?|comen?)\b|"
    r"expl[íi]ca(?:me|nos)\b)",
    re.IGNORECASE | re.DOTALL,
)

_SMALL_TALK = re.compile(
    r"\W*(?:hello|hi|hey|hey there|hi there|good (?:morning|afternoon|evening|day|night)"
    r"|how are you(?: today)?|thanks?|thank you|thanks a lot|thank you very much|thanks for your help|bye"
    r"|goodbye|see you|ok|okay|great|perfect|nice|hallo|moin|servus|grüß gott|guten (?:morgen|tag|abend)"
    r"|gute nacht|wie geht es dir|wie geht.?s|danke|danke schön|vielen dank|danke, das war alles|tschüss"
    r"|auf wiedersehen|prima|super|bonjour|salut|bonsoir|merci(?: beaucoup)?|au revoir|ça va|hola|buenos días"
    r"|buenas (?:tardes|noches)|(?:muchas )?gracias|adiós|¿?qué tal)(?:[\s,]+(?:steward|again|"
    r"how are you(?: today)?|there|wie geht es dir"
    r"|wie geht.?s))*\W*",
    re.IGNORECASE,
)
