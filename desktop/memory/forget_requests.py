"""Whether a message wants something forgotten, and what: in English, German, French and Spanish.

People say it straight ("forget my PIN"), from behind ("the wifi password, strike that from your notes") and
around it ("you don't have to know what I earn"). So no whole sentence is known here. A wish is known by its
verb and by who is to do it, a deletion also by what it names: your memory, what I told you, that it is
nobody's business. What the sentence has beside that is what is meant.

Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from desktop.memory.text import sentences

LONGEST = 300  # characters; more is a text with such words in it
LONGEST_FRONT = 9  # words before "…, forget it" that name a thing and are no sentence of their own
_I = re.IGNORECASE


@dataclass(frozen=True)
class ForgetRequest:
    """`is_straight`: said in so many words; else it may be talk, and is asked about before it is done.
    `if_remembered`: it names something of the user's own and no place, so that it may be a file's as well."""

    what: str
    language: str
    is_straight: bool
    if_remembered: bool = False


@dataclass(frozen=True)
class _Wording:
    """How one language says it. `forget` and `delete` begin a clause, the others stand anywhere; of `unkept`
    ("you need not know") what is meant stands before or behind it. Behind `object_of` comes what is meant
    ("what I told you about"), and `fillers` say nothing of it."""

    language: str
    polite: str
    asked: str
    forget: str
    delete: str
    it: str
    place: str
    told: str
    unkept: str
    pretend: str
    private: str
    reason: str
    fillers: str
    thing: str  # a front that names something: "La surprise d'Inès, tu peux l'oublier"
    mine: str  # before what is the user's own
    clause: str = "(?!)"  # behind a comma, what is still the object of the verb

    def read(self, text: str) -> ForgetRequest | None:
        lead = rf"(?:^|[.,;:!–—]\s*)(?:{self.polite})*(?:{self.asked})?(?:{self.polite})*"
        forget = re.search(rf"{lead}(?P<verb>{self.forget})(?:(?!\w)|(?=l[oa]s?\b))", text, _I)
        delete = re.search(rf"{lead}(?P<verb>{self.delete})(?:(?!\w)|(?=l[oa]s?\b))", text, _I)
        around = [re.search(each, text, _I) for each in (self.unkept, self.pretend)]
        # "Delete all of the drafts" speaks of nothing that was told or known.
        is_told = any(_SAID_OR_KNOWN.search(each[0]) for each in re.finditer(self.told, text, _I))
        is_theirs = is_told or re.search(rf"{self.place}|{self.private}", text, _I) is not None
        is_around = any(each is not None for each in around)
        if delete is not None and not (is_theirs or is_around):
            if forget is None and (own := self._own(text, delete)):
                return ForgetRequest(own, self.language, is_straight=False, if_remembered=True)
            delete = None
        verb = forget or delete
        if verb is None and not is_around:
            return None
        what = self._object(text, verb, is_theirs or is_around)
        is_straight = verb is not None and not is_around and verb.start() == 0
        # "Forget the bank one" may be of a reminder.
        is_straight = is_straight and not what.endswith(" one")
        return ForgetRequest(what, self.language, is_straight) if what else None

    def _own(self, text: str, verb: re.Match[str]) -> str:
        """The user's own thing, where the verb and it are all that is said: "entferne mein Kennzeichen"."""
        rest = (
            rf"\s+(?P<what>(?:{self.mine})(?:\s+(?!{_PLACED})[^\s,.;]+){{1,3}})(?:\s+(?:{self.polite}))*\W*"
        )
        found = re.fullmatch(rest, text[verb.end() :], _I)
        is_whole = _ERASES.match(verb["verb"]) is not None and not text[: verb.start()].strip(" ¿¡")
        return self._bare(found["what"]) if found is not None and is_whole else ""

    def _object(self, text: str, verb: re.Match[str] | None, has_reason: bool) -> str:
        """What is meant: behind the verb, or before it where only a pronoun or nothing follows."""
        if verb is None:
            return self._bare(text)
        before, behind = text[: verb.start()], text[verb.end() :]
        pronoun = re.match(rf"[\s-]*(?:{self.it})(?![\w'’])", behind, _I)
        behind_it = behind[pronoun.end() :] if pronoun is not None else behind
        small = rf"(?:\s*(?:{self.place}|{self.polite}|{self.fillers}))*"
        # "Vergiss, wer …" goes on behind the comma, "vergiss es, was gibt es" does not.
        goes_on = f"(?!\\s*(?:{self.clause}))" if pronoun is None else ""
        nothing = rf"{small}\s*(?:[.;!–—]|$|,{goes_on})"
        is_hung = re.search(r"(?:l['’]|l[oae]s? )$", text[: verb.start("verb")], _I) is not None
        if re.match(rf"\s*(?:{self.told})", behind, _I) or re.match(nothing, behind_it, _I) is None:
            first = next(iter(sentences(behind.lstrip(" ,:"))), "")
            rest = re.split(rf"[;!–—]\s|,\s*(?:{self.reason})\b", first, flags=_I)[0]
            is_talk = re.match(rf"\s*(?:{_OF_TALK})", rest, _I) and not re.search(self.told, rest, _I)
            return "" if is_talk else self._bare(rest)
        # "I lost my keys. Forget it": of the keys nothing is to be forgotten.
        names_a_thing = re.match(rf"\W*(?:{self.polite})*(?:{self.thing})", before, _I) is not None
        is_short = len(before.split()) <= LONGEST_FRONT and re.search(r"[.!?]\s*$", before) is None
        is_meant = (pronoun is not None or is_hung) and names_a_thing and is_short
        return self._bare(before) if has_reason or is_meant else ""

    def _bare(self, text: str) -> str:
        """Without what only says that something is to be forgotten."""
        left = f" {text} "
        for each in (self.place, self.told, self.pretend, self.unkept, self.private):
            left = re.sub(each, " ", left, flags=_I)
        for _ in range(3):
            left = re.sub(rf"(?<![\w'’])(?:{self.fillers}|{self.polite})(?![\w'’])", " ", left, flags=_I)
        left = re.sub(
            rf"[,.;–—]\s*(?:{self.delete})(?:[\s-]*(?:{self.it}))?\s*[.!]*\s*$", " ", left, flags=_I
        )
        left = re.sub(rf"^[\s,.;:–—]*(?:{self.it})(?![\w'’])", " ", left, flags=_I)
        return " ".join(left.split()).strip(" .,;:!?–—-")


# "Take my coat" and "drop my sister a line" take nothing out of a memory.
_ERASES = re.compile(
    r"delet|eras|remov|wipe|lösch|streich|entfern|tilg|effac|supprim|élimin|borr|bórr|elimin", _I
)
_PLACED = r"(?:from|off|out|in|on|aus|auf|von|vom|im|dans|sur|du|des|en)\b"
_SAID_OR_KNOWN = re.compile(
    r"\b(?:i|you|we|ich|du|wir|je|tu|te|sabes|dicho|memor(?:y|ies)|erinnerung(?:en)?)\b|t['’]", _I
)
# "Forget what I just asked": what was said, and nothing that it was about.
_OF_TALK = (
    r"(?:what|das,? was|was|ce que|lo que) (?:i|ich|je|te|j['’]|yo|acabo)\b.{0,25}?\b(?:ask|sa[iy]|type"
    r"|wrote|meant?|frag|gefragt|gesagt"
    r"|geschrieben|demand|dit|écrit|pregunt|dich|dij|escri)\w*|(?:that )?i (?:said|asked|mentioned|wrote)\b"
)

_ENGLISH = _Wording(
    language="en",
    polite=r"(?:ok(?:ay)?|hey|hi|so|and|please|also|now|steward|actually|well|oh|just)\b[\s,]*",
    asked=r"(?:(?:can|could|will|would) you|i(?:['’]d like| want| would like| need) you to"
    r"|you (?:can|may|should|must|have to|need to))\s+",
    forget=r"forget(?: about)?|un-?remember|unlearn|stop (?:remembering|knowing)|(?:don['’]?t"
    r"|do not) remember",
    delete=r"delete|erase|remove|wipe|strike|clear|scrub|purge|drop|take|cross out|cut|get rid of|throw away",
    it=r"it all|it|that one|that|this one|this|them|those|these|the lot",
    place=r"\b(?:from|out of|off|in)\s+(?:your|the)\s+(?:own\s+)?(?:memory|memories|notes|mind|head|records"
    r"|brain)\b|\b(?:from|out of)\s+(?:what|all|everything)\s+(?:that\s+)?you\s+(?:know|remember"
    r"|have)(?:\s+(?:of|about|on)\s+me)?\b",
    told=r"\b(?:what(?:ever)?|everything|anything|all|the (?:bit|thing|part|stuff)|that (?:bit|thing|part))"
    r"(?: (?:that )?(?:i|you|we)(?:['’]ve| have| had)?(?: just| ever)? (?:said|told(?: to)?(?: you)?|know"
    r"|remember|have|mentioned|wrote))? (?:about|of|on|concerning|regarding|with)\b"
    r"|\b(?:all |the |any |your )?(?:notes?|memory|memories) (?:about|of|on|that)\b",
    unkept=r"\byou (?:should|must|need|may|do|ought)(?:n['’]?t| not)(?: (?:have|need)(?: to)?| to)? (?:know"
    r"|remember|keep|store"
    r"|hold on to)\b(?: (?:anything|everything|it))?(?: (?:about|of))?|\byou no longer (?:need|have) to "
    r"(?:know|remember|keep|store)\b|\bi (?:don['’]?t|do not|no longer) want you to (?:know|remember|keep"
    r"|store|have)\b(?: (?:anything|everything))?(?: (?:about|of|on))?|\bi(?:['’]d| would) (?:rather"
    r"|prefer)(?: it)?(?: if| that)? you (?:didn['’]?t|did not|don['’]?t"
    r"|forgot)(?: (?:know|remember|keep|store))?\b(?: (?:anything|about))*|\b(?:there(?:['’]s| is) )?no "
    r"need (?:for you )?to (?:know|remember|keep|store)\b|\b(?:not (?:a|another)|no more) words? (?:about"
    r"|of)\b",
    pretend=r"\b(?:act|pretend|behave|make)(?: (?:like|as (?:if|though)|that))? (?:i(?:['’]d| had|['’]ve"
    r"| have)?|we) never"
    r" (?:told|said|mentioned)(?: (?:to )?you)?(?: (?:anything|a word|so))?(?: (?:about|of))?",
    private=r"\b(?:is|was|are|were) (?:private|confidential|secret|personal|none of your (?:business"
    r"|concern)|not for you)\b",
    reason=r"because|since|as|it|that['’]?s|they|i|he|she|so|and (?:let|tell|go|give|show)",
    fillers=r"any ?more|any longer|no longer|again|as for|that (?:thing|bit|part|stuff) (?:with|about)|about"
    r"|the name of|for good|for ever|forever|completely|entirely|altogether|too|everything|anything",
    thing=r"(?:my|our|the|that (?:thing|bit)|what|everything) ",
    mine=r"my|our",
)
_GERMAN = _Wording(
    language="de",
    polite=r"(?:ok(?:ay)?|hey|hallo|also|und|bitte|jetzt|nun|steward|ach|doch|mal|einfach|ruhig|gerne?"
    r"|wieder)\b[\s,]*",
    asked=r"(?:kannst|könntest|würdest|willst|magst) du\s+",
    forget=r"vergiss(?!\s+(?:bitte\s+)?nicht\b)|verlerne?",
    delete=r"lösche?|streiche?|entferne?|tilge?|nimm|wirf|schmeiß|raus damit|raus mit|weg damit|weg mit"
    r"|radiere?",
    it=r"es alles|es|das alles|das da|das|dies|sie|ihn|die|den|alles davon",
    place=r"\b(?:aus|von|in)\s+(?:dem|deinem|deinen|deiner)\s+(?:gedächtnis|speicher|kopf|notizen"
    r"|erinnerung(?:en)?|daten)\b"
    r"|\baus (?:dem|allem),? was du (?:(?:über|von) mi[cr]h? )?(?:weißt|gespeichert hast|dir gemerkt hast)\b",
    told=r"\b(?:alles,?\s*|das,?\s*)?was (?:ich|du|wir) (?:dir |mir |uns )?(?:einmal |mal |je )?(?:über|zu"
    r"|von|wegen)\b|\b(?:alles,?|etwas|irgendetwas) (?:über|zu|von)\b|\bdie notiz(?:en)? (?:über|zu)\b"
    r"|\b(?:die |meine |deine |alle )?erinnerung(?:en)? (?:an|über|zu|für|von)\b|\bdas mit (?:dem"
    r"|der|den|meine[mrn]?)\b",
    unkept=r"\b(?:musst|brauchst|sollst|solltest|darfst|kannst) du (?:dir )?(?:(?:jetzt|ja|bitte"
    r"|auch) )*(?:nicht|nichts)(?: (?:mehr|länger|weiter))?(?: zu)? (?:wissen|merken|behalten|speichern"
    r"|kennen)\b|\bdu (?:musst|brauchst|sollst|solltest|darfst)(?: dir)?(?: (?:nicht|nichts))?(?: (?:mehr"
    r"|länger))?(?=.*\b(?:nicht|nichts)\b.*\b(?:wissen|merken|behalten|speichern|kennen)\b)|\b(?:behältst"
    r"|speicherst|merkst) du (?:dir )?(?:bitte )?nicht\b|\bich (?:möchte|will|mag) nicht(?: mehr)?,? dass "
    r"du\b|\b(?:kein|nie wieder ein) wort mehr (?:über|von|zu)\b|\bmerke? dir (?=.*\bnicht (?:mehr"
    r"|länger)\b)|\b(?:behalte?|speichere?) (?:bitte )?(?:nichts|nicht)(?: mehr)?(?: (?:über|von))?\b"
    r"|\b(?:kannst|darfst|sollst|solltest) du (?:(?:jetzt|bitte|ruhig|wieder|getrost) )*vergessen\b|\bdu "
    r"(?:kannst|darfst|sollst|solltest)\b(?=.*\bvergessen\b)|\bich (?:möchte|will|hätte gern)e?,? dass "
    r"du\b(?=.*\bverg(?:isst|essen)\b)|\b(?:kannst|könntest|würdest) du\b(?=.*\bvergessen\b)",
    pretend=r"\btu (?:bitte )?(?:so,? )?als (?:hätte|habe|ob) ich (?:dir )?(?:(?:nie|niemals"
    r"|nichts) )?(?:(?:über|von) )?",
    private=r"\b(?:ist|war|sind|waren) (?:privat|vertraulich|geheim|persönlich|nicht für dich)\b|\bgeh(?:t"
    r"|en|st) dich nichts an\b",
    reason=r"weil|denn|da|die|das|der|es|ich|sie|er",
    fillers=r"(?:dir |mir )?(?:nie |niemals |nichts )?(?:gesagt|erzählt|geschrieben|erwähnt|verraten"
    r"|genannt)(?: (?:habe|hatte|hast|haben))?|nicht mehr|nichts mehr|nicht länger|nicht|mehr|länger|wissen"
    r"|weißt|merken|behalten|behältst|speichern|speicherst|kennen|kennst|vergessen|vergisst|dass|nie|niemals"
    r"|den namen von|über|von",
    thing=r"(?:mein\w*|unser\w*|der|die|das|den|dem|was|alles) ",
    mine=r"mein\w*|unser\w*",
    clause=r"(?:wer|wie|wo|was|dass|welche\w?|wann|woher|wohin|warum|ob|wem|wen)\b",
)
_FRENCH = _Wording(
    language="fr",
    polite=r"(?:ok|bon|alors|et|maintenant|steward|s['’]il (?:te|vous) pla[iî]t|stp|merci de"
    r"|veuille)(?!\w)[\s,]*",
    asked=r"(?:(?:peux|pourrais|veux)-tu(?: bien)?|tu (?:peux|dois|devrais|pourrais)(?: bien)?"
    r"|(?:j['’]aimerais|je (?:veux|voudrais|souhaite)) que tu)\s+(?:l['’]|les )?",
    forget=r"oublie[rsz]?(?!\w)",
    delete=r"efface[rsz]?|supprime[rsz]?|enlève|enlever|retire[rsz]?|élimine[rsz]?|raye[rsz]?|jette|vire",
    it=r"le tout|tout ça|ça|cela|le|la|les|celui-là|celle-là|celui-ci|celle-ci",
    place=r"\b(?:de|dans|hors de) (?:ta|votre) (?:propre )?(?:mémoire|tête)\b|\b(?:de|dans) tes (?:notes"
    r"|souvenirs|données|fiches)\b"
    r"|\b(?:de|dans) (?:tout )?ce que tu (?:sais|connais|as retenu|as noté)(?: (?:de|sur) (?:moi|nous))?\b",
    told=r"\b(?:tout )?ce (?:que (?:je (?:t['’]|vous )ai (?:dit|raconté|écrit|confié)|tu sais|j['’]ai dit)"
    r" (?:sur|de|du|des|à propos d[eu']|au sujet d[eu]|concernant)|qui (?:concerne|touche))\b"
    r"|\btout (?:sur|au sujet d[eu])\b",
    unkept=r"\bje ne (?:veux|voudrais|souhaite) (?:plus|pas) que tu (?:saches|gardes|retiennes|connaisses"
    r"|conserves"
    r"|te souviennes)(?: (?:rien|quoi que ce soit))?(?: (?:sur|de))?\b|\b(?:je préf[èé]re(?:rais)?"
    r"|j['’]aimerais(?: mieux)?) que tu ne (?:gardes|saches|retiennes"
    r"|conserves) (?:plus rien|rien|pas|plus)(?: (?:sur|de))?\b|\btu n['’]as (?:plus|pas) (?:besoin de|à) "
    r"(?:connaître|savoir|garder|retenir|conserver)\b|\bil n['’]est (?:plus|pas) (?:nécessaire|utile) que "
    r"tu (?:saches|gardes|connaisses)\b|\bplus un mot sur\b|\bne (?:garde|retiens|conserve|sache) (?:pas"
    r"|plus|rien|plus rien)(?: en mémoire)?(?: (?:sur|de))?\b",
    pretend=r"\b(?:fais|faites) comme si je ne t['’](?:avais|ai) (?:jamais |rien |jamais rien )?(?:dit"
    r"|raconté|parlé)(?: rien)?(?: (?:sur|de|d['’]))?",
    private=r"\b(?:est|était|sont|c['’]est|c['’]était) (?:privé|confidentiel|secret|personnel)(?:le)?s?\b"
    r"|\bne te regardent?(?: pas)?\b",
    reason=r"parce|car|c['’]est|il|elle|je|puisque",
    fillers=r"pour|quant à|au sujet de|concernant|en ce qui concerne|tout|plus jamais|désormais"
    r"|s['’]il te pla[iî]t"
    r"|le nom de|l['’]endroit|le fait que",
    thing=r"(?:(?:mon|ma|mes|notre|nos|la|le|les|ce que|tout|pour|quant à) |l['’])",
    mine=r"mon|ma|mes|notre|nos",
)
_SPANISH = _Wording(
    language="es",
    polite=r"(?:ok|vale|bueno|y|ahora|steward|por favor|venga|oye|mejor(?: que)?)(?!\w)[\s,]*",
    asked=r"(?:(?:puedes|podrías|quieres|debes|deberías)|(?:quiero|quisiera|me gustaría|prefiero) que"
    r"|mejor que|que)\s+(?:l[oa]s? )?",
    forget=r"olvid(?:a|ar|e|es)(?:te|rte)?(?: de)?(?!\w)|te olvides(?: de)?|olvíd(?:a|e)(?=l[oa]s?\b)"
    r"|olvídate(?: de)?",
    delete=r"borr(?:a|ar|e|es)(?!\w)|bórra(?=l[oa]s?\b)|elimin(?:a|ar|e)(?!\w)|elimína(?=l[oa]s?\b)"
    r"|quit(?:a|ar)(?!\w)"
    r"|quíta(?=l[oa]s?\b)|suprim(?:e|ir)(?!\w)|supríme(?=l[oa]s?\b)|saca(?!\w)|tacha(?!\w)",
    it=r"todo eso|eso|esto|lo|la|los|las|ese|esa",
    place=r"\b(?:de|en) (?:tu|su) (?:memoria|cabeza)\b|\b(?:de|en) tus (?:notas|recuerdos|datos|apuntes)\b"
    r"|\bde (?:todo )?lo que sabes(?: (?:de|sobre) (?:mí|nosotros))?(?!\w)",
    told=r"\b(?:todo )?lo que (?:te (?:he )?(?:cont|dij|dich|coment|habl|mencion|explic)\w*|sabes"
    r"|he dicho) (?:de|del|sobre|acerca de)\b|\btodo (?:sobre|acerca de)\b",
    unkept=r"\bno quiero que (?:sigas )?(?:sepas|sabiendo|guardes|guardando|recuerdes|recordando|conozcas"
    r"|conserves)(?: (?:nada|más))*(?: (?:sobre|acerca de))?\b(?! la sepas)|\bque no quiero que (?:l[oa]s? "
    r")?(?:sepas|guardes|conozcas|recuerdes)\b|\b(?:ya )?no (?:hace falta|es necesario|necesitas|tienes que"
    r"|tienes por qué|debes|deberías)(?: que)? (?:sepas|saber|guardar|guardes|recordar|recuerdes|conocer"
    r"|conservar)\b|\bno (?:guardes|recuerdes|conserves) (?:más |nada )*(?:sobre|de|acerca de)\b|\bni una "
    r"palabra más (?:de|sobre)\b",
    pretend=r"\bhaz como (?:si|que) (?:yo )?(?:nunca|no|jamás) te (?:lo )?(?:hubiera|hubiese|haya"
    r"|había) (?:dicho|contado|hablado)(?: nada)?(?: (?:de|sobre))?\b",
    private=r"\b(?:es|era|fue|son|eran) (?:confidencial|privad[oa]|secret[oa]|personal|un secreto)(?:es"
    r"|s)?\b|\bno (?:te importa|es asunto tuyo)\b",
    reason=r"porque|que|pues|ya que|es|ya no|era",
    fillers=r"lo del?|en cuanto al?|respecto al?|acerca de|quién es|cuál es|por favor|más|para siempre|nada"
    r"|el nombre de",
    thing=r"(?:mi|mis|nuestr[oa]s?|el|la|los|las|lo) ",
    mine=r"mi|mis|nuestr[oa]s?",
)
_ALL = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH)
# Without any of these a message wants nothing forgotten, as most do. For one space between words.
MAY_FORGET = re.compile(
    "|".join(rf"(?<!\w)(?:{verb})" for each in _ALL for verb in (each.forget, each.delete))
    + "|"
    + "|".join(rf"(?:{around})" for each in _ALL for around in (each.unkept, each.pretend)),
    _I,
)
# "Remove milk from shopping.txt" is for the file.
_FILE = re.compile(r"\b[\w-]+\.[A-Za-z]\w{1,4}\b(?!\.)")


def forget_request(text: str) -> ForgetRequest | None:
    """What the message wants forgotten; None where it wants nothing or not that."""
    asked = " ".join(text.split())
    if len(asked) > LONGEST or _FILE.search(asked):
        return None
    return next(_readings(asked), None)


def _readings(asked: str) -> Iterator[ForgetRequest]:
    for wording in _ALL:
        found = wording.read(asked)
        if found is not None:
            yield found
