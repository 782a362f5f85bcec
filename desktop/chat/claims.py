"""What must not be answered in words alone, and what must not be claimed without a call that did it.

Asked to send a mail a small model says that it has sent it; asked for the letter of the landlord it makes one
up. Both are known by the words of the request. What needs the world of today is looked up, or said to be
unknown; what no tool can do is said not to be done; and a sentence of the model that says it has done, or
will do, something on this computer is held back until its end and dropped where no call of this turn did it.

The expressions are looked at in every turn, so nothing here is called before one of them fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop.chat.intent_words import language_of, sentences

_FLAGS = re.IGNORECASE | re.DOTALL
_LEAD = (
    r"^\W*(?:(?:please|oops|oh|ups|hey|ok|okay|steward|can you|could you|would you|will you|i want you to|"
    r"i need you to|now|and|"
    r"bitte|kannst du|könntest du|jetzt|und|s'il te plaît|peux-tu|tu peux|pourrais-tu|maintenant|et|"
    r"por favor|"
    r"puedes|podrías|me puedes|ahora|y|then|dann|also|auch|mir|mal)[,:]?\s+)*"
)

# Asked of the world as it is today, which no model knows.
_WHEN = (
    r"\b(?:today|tonight|tomorrow|now|right now|currently|current|this (?:week|weekend|morning|evening)|"
    r"at the moment|"
    r"latest|heute|morgen|jetzt|gerade|aktuell\w*|momentan|wochenende|aujourd'hui|demain|maintenant|"
    r"actuel\w*|"
    r"en ce moment|week-end|ce soir|hoy|mañana|ahora|actual\w*|esta noche|fin de semana)\b"
)
_WEATHER = (
    r"\b(?:weather|forecast|umbrella|raincoat|(?:will|does|is) it (?:going to )?(?:rain|snow)\w*|"
    r"how (?:cold|warm|hot)|"
    r"temperature (?:in|outside)|wetter|regenschirm|regnet|regnen|schneit|wie (?:kalt|warm|heiß)|météo|"
    r"parapluie|"
    r"pleut|pleuvoir|pleuvra|quel temps|température à|qué tiempo|tiempo (?:hace|hará)|paraguas|llover|"
    r"lloverá|llueve|"
    r"temperatura en)\b"
)
_PRICE = (
    r"\b(?:trad(?:es|ing)|prices?|costs?|stock|shares?|exchange rate|worth|bitcoin|ethereum|gold price|"
    r"kurs|aktie\w*|"
    r"preis\w*|kostet|"
    r"wechselkurs|cours|prix|coûte|taux de change|cotización|precio|cuesta|tipo de cambio)\b"
)
_OFFICE = (
    r"\b(?:who(?:'s| is)|wer ist|qui est|quién es)\b(?!.*\b(?:first|former|erste\w*|frühere\w*|ancien\w*|"
    r"primera?|"
    r"anterior|1[5-9]\d\d|20[01]\d)\b).*\b(?:president|chancellor|prime minister|ceo|pope|mayor|governor|"
    r"minister|"
    r"secretary general|king|queen|(?:bundes)?kanzler\w*|(?:bundes)?präsident\w*|ministerpräsident\w*|papst|"
    r"bürgermeister\w*|könig\w*|président\w*|chanceli\w+|première? ministre|pape|maire|roi|reine|presidente|"
    r"presidenta|canciller|primer ministro|papa|alcalde\w*|rey|reina)\b(?: (?:of|in|von|der|des|de|du|"
    r"del) | (?:now|today)|\W*$)"
)
_NEWS = (
    r"\b(?:(?:latest|today'?s|current|recent|breaking) (?:news|headlines|scores?|results)|news (?:today|"
    r"from|about|of)|"
    r"in the news|who won .*\b(?:yesterday|today|last night|tonight)|(?:aktuelle|neueste|"
    r"heutige) nachrichten|"
    r"nachrichten (?:von )?heute|wer hat (?:gestern|heute) .*gewonnen|(?:dernières )?(?:actualités|"
    r"nouvelles) (?:du jour|"
    r"d'aujourd'hui)|qui a gagné .*\bhier|(?:últimas )?noticias (?:de hoy|actuales)|quién ganó .*\bayer)\b"
)
LIVE = re.compile(
    rf"(?=.*{_WHEN}).*{_WEATHER}|{_WEATHER}.*{_WHEN}|\b(?:weather|wetter|météo|tiempo)\b (?:in|à|en) \w"
    rf"|(?=.*{_WHEN}).*{_PRICE}|{_OFFICE}|{_NEWS}",
    _FLAGS,
)

# What is asked to be done, or shown, that no tool of this program reaches.
OUT_OF_REACH = re.compile(
    _LEAD + r"(?:"
    r"(?:send|e-?mail|whatsapp|phone|ring up|fax|tweet)\s+(?!me\b)\w"
    r"|(?:text|message|call|ring) (?:my |our |the )?(?!it\b|this\b|that\b|me\b|a\b|an\b|"
    r"to\b)[\w']+(?: \w+)?(?: (?:at|that|and|to|now|on|about|i|i'll|i'm|we|he|she)\b|\W*$)"
    r"|book (?:me )?(?:a|an|the|my|us)\b|order (?:me )?(?:a|an|some|two|three|pizza|food|flowers)\b|"
    r"pay (?:my|the|for)\b"
    r"|buy (?:me )?(?:a|an|some|two|the|tickets)\b|reserve (?:a|me)\b|(?:post|share|upload|"
    r"publish) (?:it|this|that|the|my)\b"
    r"|schedule (?:a|an|the|my)\b|play (?:some|the|my|music|a song|spotify)|(?:turn|switch) (?:on|off|up|"
    r"down|(?:the|my|it)\b.*\b(?:on|off|up|down))\b"
    r"|dim the|(?:un)?lock (?:the|my)|print (?:it|this|that|my|out|the (?:document|file|page|letter|pdf))\b"
    r"|(?:schicke?|sende|maile?|faxe) \w|rufe? (?!mir\b|ab\b).* an\W*$|buche? (?:mir )?(?:ein\w*|den|die|"
    r"das)\b"
    r"|bestelle? (?:mir )?\w|kaufe? (?:mir )?\w|bezahle? \w|überweise? \w|reserviere? \w|(?:poste|"
    r"veröffentliche) \w"
    r"|teile? (?:es|das|die|den|meine?) .*\b(?:mit|auf)\b|drucke? (?:es|das|die|den|mein\w*|diese\w*)\b|"
    r"spiele? (?:musik|das lied|ein lied|"
    r"etwas|den song)"
    r"|schalte? .*\b(?:ein|aus|an|ab)\b|mache? (?:das |die |den )?(?:licht|lampe|heizung|musik|"
    r"fernseher)\w* \w"
    r"|(?:envoie|envoyer|envoyez|appelle|téléphone|réserve|commande|achète|paie|paye|publie|partage|"
    r"imprime|allume|"
    r"éteins|verrouille|invite)(?!-moi)\s+\w|mets de la musique"
    r"|(?:envía|enviar|envíale|manda|mándale|llama(?=\s+al?\b)|reserva|pide|compra|paga|publica|comparte|imprime|"
    r"enciende|apaga|"
    r"invita|reproduce)\s+\w|pon música"
    r")",
    _FLAGS,
)
_MINE = r"\b(?:my|mine|i|i've|me|mein\w*|ich|mir|mon|ma|mes|j'ai|ai-je|moi|je|mi|mis|tengo|yo|me)\b"
_ASKS = (
    r"(?:\b(?:what|what's|which|when|where|who|any|show|read|check|list|do i have|have i|is there|"
    r"are there|tell me|"
    r"was|welche\w*|wann|wo|wer|habe ich|hab ich|gibt es|zeig\w*|lies|sag mir|quel\w*|quand|où|qui|"
    r"montre|lis|"
    r"qué|cuál\w*|cuándo|dónde|quién|muestra\w*|lee|dime)\b|qu'est-ce|\bai-je\b|\bj'ai\b|\btengo\b)"
)
_REMOTE = (
    r"\b(?:calendar|agenda|schedule|appointments?|inbox|e-?mails?|mailbox|text messages|whatsapps?|"
    r"contacts|address book|"
    r"account balance|bank (?:account|balance)|meetings|kalender|termine?|posteingang|mails|kontakte|"
    r"adressbuch|"
    r"kontostand|bankkonto|calendrier|rendez-vous|boîte (?:mail|de réception)|courriels?|mails?|contacts|"
    r"solde|"
    r"calendario|citas?|correos?|bandeja de entrada|contactos|saldo)\b"
)
_TO_WRITE = (
    r"\b(?:should|could|would|how|write|draft|compose|improve|subject line|template|mean|means|example|"
    r"idea\w*|soll|"
    r"sollte|schreib\w*|entwirf|wie|bedeutet|formulier\w*|comment|devrais|écri\w*|rédige|signifie|cómo|"
    r"debería|"
    r"escrib\w*|redacta|significa|poem|story|essay|plan|tips|advice)\b"
)
OWN_ELSEWHERE = re.compile(
    rf"^(?!.*{_TO_WRITE})(?=.*{_MINE})(?=.*{_ASKS}).*{_REMOTE}"
    r"|^\W*(?:any|irgendwelche|gibt es|gibts|il y a|y a-t-il|hay|algún) (?:new |unread |neue |"
    r"ungelesene |nuevos? |de |nouveaux )*(?:e-?mails?|messages?|mails?|nachrichten|courriels|correos?)\W*$"
    rf"|\b(?:where am i|wo bin ich|où suis-je|"
    rf"dónde estoy)\W*$",
    _FLAGS,
)
_PAPERS = (
    r"\b(?:letter|e-?mail|mail|message|contract|invoice|bill|receipt|lease|report|document|pdf|notes?|"
    r"payslip|statement|"
    r"brief|vertrag|rechnung|quittung|bericht|dokument|notiz\w*|mietvertrag|kontoauszug|lettre|contrat|"
    r"facture|reçu|"
    r"bail|rapport|relevé|carta|contrato|factura|recibo|informe|documento|mensaje|photos?|pictures?|"
    r"fotos?|bilder)\b"
)
_SAYS = (
    r"\b(?:say|says|said|contain\w*|written|state\w*|mention\w*|ask\w* for|steht|stand|sagt|enthält|"
    r"schreibt|dit|"
    r"contient|écrit|demande|dice|contiene|pone|pide|in)\b"
)
# Who writes letters to people.
_SENDERS = (
    r"(?:bank|insurance|landlord|tax office|lawyer|school|doctor|versicherung|finanzamt|vermieter\w*|"
    r"anwalt|schule|krankenkasse|assurance|banque|propriétaire|impôts|avocat|école|seguro|banco|casero|hacienda|abogado|colegio)"
)
OWN_PAPERS = re.compile(
    rf"^\W*(?:what|was|que|qu'est-ce que|qué) (?:does|do|did|schreibt|schreiben|will|wollen|sagt|"
    rf"veut|veulent|dit|m'écrit|écrit|quiere|dice|escribe|me escribe|me dice)\b[^.!]{{0,25}}\b{_SENDERS}\b|"
    rf"^(?!.*{_TO_WRITE})\W*(?:tell me |sag mir |dis-moi |dime )?(?:what|what's|when|how much|was|wann|"
    rf"wieviel|"
    r"wie viel|que|qu'est-ce|quand|combien|qué|cuánto|cuándo)\b"
    rf"(?=.*{_SAYS}).*(?:\b(?:my|mein\w*|mon|ma|mes|mi|mis)\b.*{_PAPERS}|{_PAPERS} (?:from|by|of|von|vom|"
    rf"de|du|del) )",
    _FLAGS,
)
# Asked to do something to files, reminders or the clipboard: an answer in words would be an act in words.
ACTS = re.compile(
    _LEAD
    + r"(?!.*\b(?:how|example|code|function|script|python|javascript|html|css|sql|java|bash|powershell|regex|"
    r"class|story|poem|essay|beispiel|funktion|exemple|ejemplo)\b)(?:"
    r"(?:undo|revert|rename|delete|remove|move|append|copy|save|restore|remind|wake|ping|cancel|set|add|"
    r"put|create|make|"
    r"lösch\w*|entfern\w*|verschieb\w*|benenn\w*|umbenenn\w*|kopier\w*|speicher\w*|erinner\w*|weck\w*|"
    r"streich\w*|stell\w*|"
    r"füg\w*|leg\w*|erstell\w*|supprim\w*|effac\w*|déplac\w*|renomm\w*|copi\w*|enregistr\w*|rappell\w*|"
    r"annul\w*|règle|"
    r"ajout\w*|mets|crée\w*|borr\w*|elimin\w*|muev\w*|renombr\w*|guard\w*|record\w*|recuérd\w*|avísa\w*|"
    r"cancel\w*|"
    r"añad\w*|agreg\w*|pon|crea)\b(?=.*(?:\b(?:files?|folders?|reminders?|alarms?|timers?|clipboard|"
    r"datei\w*|ordner\w*|"
    r"erinnerung\w*|wecker\w*|zwischenablage|fichiers?|dossiers?|rappels?|alarmes?|minuteurs?|presse-papiers|"
    r"archivos?|carpetas?|recordatorios?|alarmas?|portapapeles|(?:shopping|to-?do|grocery|einkaufs|todo|"
    r"courses|compra)[- ]?"
    r"list\w*|list)\b|[\w-]+\.(?:txt|md|pdf|csv|docx?|xlsx?|png|jpe?g|zip|json|mp3|mp4)\b|"
    r"\bme (?:in|at|to|tomorrow|when|before|on)\b|\bmich (?:in|um|an|morgen|daran)\b|"
    r"-moi\b|\bavísame\b|\brecuérdame\b))"
    r"|(?:remind|ping|wake) me\b|rappell?e-moi\b|recuérd\w*|avísame\b|(?:erinner|weck)\w* mich\b"
    r"|(?:undo|revert|take) (?:it|that|this)\b|mach\w* .*rückgängig|annule\w*(?: (?:ça|cela))?\W*$|deshaz\w*"
    r")",
    _FLAGS,
)
_NO_TEXT_LIST = re.compile(
    r"\b(?:create|make|write|give|erstell\w*|mach\w*|crée\w*|fais|crea|haz)\b[^.]{0,30}\blist\w*\b|\blist\w*\s*:",
    re.IGNORECASE,
)
# Asked whether something was done: an answer that does it now would be the harm that is asked about.
ASKS_IF_DONE = re.compile(
    r"^\W*(?:(?:so|and|wait|hey|und|et|y|moment|oh|ok|okay)[,\s]+)*(?:"
    r"(?:did|have|haven't|didn't) (?:you|u|i)\b|(?:hast|habt) (?:du|ihr)\b|haben sie\b|wurden?\b"
    r"|(?:was|were)\b(?! i\b)"
    r"|(?:est-ce que )?(?:as-tu|tu as|avez-vous|vous avez)\b"
    r"|¿?(?:has|habéis) (?!anyone|he|she|it|the|my|somebody)(?=\w))"
    r"(?=.*\b(?:delet\w*|remov\w*|mov\w*|renam\w*|chang\w*|sav\w*|writ\w*|overwr\w*|edit\w*|add\w*|"
    r"gelöscht|entfernt|verschoben|umbenannt|geändert|gespeichert|geschrieben|überschrieben|supprim\w*|"
    r"effac\w*|déplac\w*|renomm\w*|modifi\w*|enregistr\w*|borrad\w*|elimin\w*|movid\w*|renombr\w*|"
    r"cambiad\w*|guardad\w*|modific\w*))",
    _FLAGS,
)
# Words that somebody else will say: there "I have sent …" is no claim of the program's.
DRAFTS = re.compile(
    r"\b(?:write|draft|compose|translate|rewrite|rephrase|proofread|correct|summar\w+|poem|story|letter|"
    r"e-?mail|card|"
    r"speech|song|dialogue|essay|post|code|function|script|example|schreib\w*|entwirf|verfass\w*|übersetz\w*|"
    r"formulier\w*|korrigier\w*|fass\w*|gedicht|geschichte|brief|karte|rede|écri\w*|rédig\w*|tradui\w*|"
    r"reformul\w*|"
    r"corrig\w*|résum\w*|poème|histoire|lettre|carte|escrib\w*|redact\w*|traduc\w*|corrig\w*|resum\w*|"
    r"poema|historia|"
    r"carta|tarjeta|role-?play|pretend|imagine)\b",
    re.IGNORECASE,
)

# A text for somebody else: the model writes it, and no tool has a part in it. "Write a reminder to a client"
# would be set as one. The second form is German, whose verb comes last.
_LETTER = (
    r"(?:e-?mails?|mails?|messages?|letters?|cards?|toasts?|apology|reminder to|invitation|complaint|poem|"
    r"story|rhyme|haiku|nachricht|brief|\w*karte|\w*einladung|\w*absage|\w*kündigung|gedicht|geschichte|"
    r"entschuldigung|mot|lettre|carte|poème|histoire|correo|carta|mensaje|felicitación|queja|poema|historia|"
    r"verjaardagskaart|lettera|biglietto|poesia)"
)
LETTERS = re.compile(
    r"^\W*(?:please |bitte |can you |could you |kannst du (?:mir )?|peux-tu (?:m')?|¿?(?:me )?puedes )?"
    r"(?:write|draft|compose|schreib\w*|formulier\w*|verfass\w*|entwirf|écri\w*|rédig\w*|escrib\w*|"
    rf"redact\w*|scriv\w*|schrijf)\b(?: [\w.-]+){{0,4}}?[ '’]{_LETTER}\b"
    rf"|^\W*(?:kannst|könntest|würdest) du\b[^.?!]{{0,40}} {_LETTER}\b[^.?!]*"
    r" (?:schreib|verfass|formulier)\w*",
    re.IGNORECASE,
)
# What is done with a text besides writing it.
KEEPS = re.compile(
    r"\b(?:save|store|files?|folder|clipboard|notes?|remind me|send|speicher\w*|datei\w*|ordner|notiz\w*|"
    r"zwischenablage|erinner\w* mich|send\w*|schick\w*|enregistr\w*|fichier|dossier|envoi\w*|envoy\w*|"
    r"guard\w*|archivo|carpeta|enví\w*|salva\w*|invia\w*)\b",
    re.IGNORECASE,
)

_EN = (
    r"(?:added|appended|created|made|saved|stored|written|wrote|moved|renamed|deleted|removed|copied|"
    r"sent|emailed|"
    r"set|scheduled|cancell?ed|updated|changed|replaced|undone|undid|restored|booked|ordered|called|"
    r"turned|switched|"
    r"opened|closed|downloaded|uploaded|installed|placed|put|noted|printed|marked|checked your|"
    r"looked (?:at|in|up)|"
    r"searched|read your)"
)
_DE = (
    r"(?:hinzugefügt|ergänzt|erstellt|angelegt|gespeichert|geschrieben|verschoben|umbenannt|gelöscht|"
    r"entfernt|kopiert|"
    r"gesendet|geschickt|verschickt|gesetzt|gestellt|eingestellt|eingetragen|abgesagt|gestrichen|"
    r"aktualisiert|geändert|"
    r"ersetzt|rückgängig|wiederhergestellt|gebucht|bestellt|angerufen|ausgeschaltet|eingeschaltet|geöffnet|"
    r"heruntergeladen|installiert|notiert|nachgesehen|nachgeschaut)"
)
_FR = (
    r"(?:ajouté|créé|enregistré|sauvegardé|écrit|déplacé|renommé|supprimé|effacé|copié|envoyé|programmé|"
    r"réglé|annulé|"
    r"mis|modifié|changé|remplacé|restauré|réservé|commandé|appelé|éteint|allumé|ouvert|téléchargé|"
    r"installé|noté|"
    r"vérifié|consulté)"
)
_ES = (
    r"(?:añadido|agregado|creado|guardado|escrito|movido|renombrado|borrado|eliminado|copiado|enviado|"
    r"programado|puesto|"
    r"cancelado|actualizado|cambiado|reemplazado|deshecho|restaurado|reservado|pedido|llamado|apagado|"
    r"encendido|"
    r"abierto|descargado|instalado|anotado|revisado|consultado)"
)
_THINGS = (
    r"(?:files?|folders?|reminder|alarm|timer|clipboard|your (?:list|notes?|document|photos?)|e-?mail|"
    r"message|[\w-]+\.\w{2,4}|"
    r"datei\w*|ordner|erinnerung|wecker|zwischenablage|nachricht|fichiers?|dossiers?|rappel|archivos?|"
    r"carpetas?|"
    r"recordatorio|correo|mensaje)"
)
# A sentence that says something was done, or will be, by whoever speaks.
CLAIM = re.compile(
    rf"\bI(?:(?:'|’)ve| have| just| already)+ (?:\w+ly )?(?:just |now |already )?{_EN}\b|\bI {_EN} "
    rf"(?:it|that|them|the|your|a|an|\W)|^\W*(?:Done|Added|Saved|Moved|Renamed|Deleted|Removed|Sent|"
    rf"Wrote|Undone)\b[^?]*$"
    r"|\bthe (?:operation|action|undo|task|reminder)\b[^.!?]{0,30}\b(?:was|has been|"
    r"is) (?:now )?(?:performed|completed|"
    r"done|executed|undone|set|cancell?ed)\b"
    r"|\bI(?:(?:'|’)ll| will| am going to) (?:remind|ping|wake|notify|call|e-?mail|message|text|send|add|"
    r"save|set|move|"
    r"delete|rename|put|store|check back|let you know)\b"
    rf"|\b{_THINGS}\b[^.!?]{{0,60}}\b(?:has|have) been (?:\w+ly )?{_EN}\b|\bthe (?:updated|"
    rf"revised) (?:items|list|file|content)"
    rf"|\bich habe\b(?:(?!\b(?:nichts?|kein\w*|nie)\b)[^.!?]){{0,90}}\b{_DE}\b|"
    rf"\b{_THINGS}\b[^.!?]{{0,60}}\b(?:wurden?|ist|"
    rf"sind)\b[^.!?]{{0,40}}\b{_DE}\b"
    r"|^\W*(?:Erledigt|Gelöscht|Gespeichert|Hinzugefügt|Verschoben|Gesendet)\b"
    r"|\bich werde (?:dich|sie|ihnen|dir|es|das|die)\b[^.!?]{0,60}\b(?:erinnern|wecken|senden|schicken|"
    r"anrufen|speichern)\b"
    rf"|\bj(?:'|’)ai (?:bien |déjà |maintenant )?{_FR}|\b{_THINGS}\b[^.!?]{{0,60}}\b(?:a|ont) été {_FR}|"
    rf"^\W*(?:C(?:'|’)est fait|Fait)\W*$"
    r"|\bje (?:vais )?(?:te|vous) (?:rappellerai|rappeler|préviendrai|enverrai)"
    rf"|(?<!no )(?<!no lo )\b(?:he|acabo de haber|ya he) {_ES}\b|\b{_THINGS}\b[^.!?]{{0,60}}\b(?:ha|han|"
    rf"se ha|"
    rf"se han) (?:sido )?{_ES}|^\W*(?:Hecho|Listo)\W*$"
    r"|\bte (?:recordaré|avisaré|enviaré|llamaré)\b",
    re.IGNORECASE,
)
# Where such a sentence may begin: from here on it is held until its end. Few answers begin so.
MAY_CLAIM = re.compile(
    r"(?:\bI(?:['’ ]\w*)?|\b[Ii]ch(?: \w*)?|\b[Jj](?:['’]\w*|e \w*)?|\b(?:he|He|Ya|ya|Te|te)(?: \w*)?|"
    r"^\W*(?:Done|Added|Saved|Moved|Renamed|Deleted|Removed|Sent|Wrote|Undone|Erledigt|Gel\w*|Gesp\w*|"
    r"Hinzu\w*|"
    r"Versch\w*|Gesen\w*|C['’]est|Fait|Hecho|Listo)|\bthe (?:updated|revised|operation|action|undo|task)|"
    r"\b(?:files?|folders?|"
    r"reminder|datei\w*|ordner|"
    r"erinnerung|fichiers?|dossiers?|rappel|archivos?|carpetas?|recordatorio)\b)[^\n]*\Z",
    re.IGNORECASE,
)
CONSTRAINT = (
    "Nothing was done, changed or looked up on this computer for this request. "
    "Do not say that anything was, and promise nothing."
)


def is_act(request: str) -> bool:
    """Whether an answer in words would stand in the place of something to do."""
    return ACTS.search(request) is not None and _NO_TEXT_LIST.search(request) is None


def not_done(request: str) -> str:
    """That nothing was done, and what is missing, in the language of the request."""
    return _say("nothing_done", request)


def was_done(request: str, done: Sequence[str]) -> str:
    """What was changed in this conversation; `done` are the receipts of its calls, oldest first."""
    if not done:
        return _say("changed_nothing_here", request)
    return "\n".join((_say("changed_here", request), "", *(f"- {each}" for each in done)))


def out_of_reach(request: str) -> str:
    """That no tool here reaches what is asked."""
    return _say("out_of_reach", request)


def not_looked_at(request: str) -> str:
    """That nothing of the user's was looked at, and what would help."""
    return _say("not_looked_at", request)


def not_known(request: str) -> str:
    """That what is asked changes, and nothing was looked up."""
    return _say("not_known", request)


def _say(key: str, request: str) -> str:
    told: str = sentences()["told"][key][language_of(request)]
    return told
