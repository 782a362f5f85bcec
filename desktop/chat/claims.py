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
from enum import StrEnum
from functools import cache

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
# How and why something is so has been learned; so has what is past, and what another planet is like.
_LEARNED = (
    r"^\W*(?:why|how (?:do|does|did|can|should|to)\b(?! i get\b)|what causes|explain|what (?:is|are) an? |"
    r"warum|wieso|"
    r"wie (?:funktioniert|entsteht|kommt|schreib\w*|macht man)|erklär\w*|was ist (?:ein|eine) |pourquoi|"
    r"comment|"
    r"explique\w*|qu['’]est-ce qu['’]une? |por qué|cómo (?:funciona|se|hago|puedo|escrib\w*)|explica\w*|"
    r"qué es una? )"
    r"|\b(?:mars|moon|mond|lune|luna|venus|jupiter|ice age|eiszeit|climate|klima|climat|clima|1[5-9]\d\d|"
    r"20[01]\d|"
    r"average|usually|normally|im durchschnitt|normalerweise|en moyenne|normalmente)\b"
)
_WEATHER_NOW = (
    r"\b(?:what(?:'s| is) the weather(?: like)?\W*$|is it (?:raining|snowing|sunny|windy|cold|hot|warm)\b|"
    r"how (?:cold|warm|hot) is it\b|temperature outside|will it (?:rain|snow)\b|"
    r"(?:do|should) i (?:need|take|wear|bring) (?:an?|my) (?:\w+ )?(?:jacket|coat|umbrella|raincoat|gloves|"
    r"hat)\b|"
    r"wie ist das wetter\b|regnet es\b|schneit es\b|wie (?:warm|kalt|heiß) ist es\b|"
    r"brauche? ich (?:heute |morgen )?(?:einen?|meinen?|eine) (?:\w+ )?(?:jacke|mantel|schirm|regenschirm|"
    r"mütze)|"
    r"quel temps (?:fait|fera)|il (?:pleut|neige)\b|besoin d['’]un (?:parapluie|manteau)|qué tiempo (?:hace|"
    r"hará)|"
    r"(?:está|va a) (?:lloviendo|nevando|llover|nevar)|necesito (?:un )?(?:paraguas|abrigo|chaqueta))"
)
_SHOPS = (
    r"\b(?:supermarket|shop|store|pharmacy|chemist|bank|museum|library|restaurant|caf[eé]|post office|pool|"
    r"gym|ikea|"
    r"supermarkt|laden|geschäft|apotheke|museum|bibliothek|bücherei|bäcker\w*|post|schwimmbad|supermarché|"
    r"magasin|"
    r"pharmacie|banque|musée|bibliothèque|boulangerie|poste|piscine|supermercado|tienda|farmacia|banco|museo|"
    r"biblioteca|panadería|correos|piscina)\b"
)
_HOURS = (
    r"^\W*(?:what time|when|until when|how late|is|are|does|do|wann|bis wann|ist|hat|haben|macht|"
    r"à quelle heure|"
    r"jusqu['’]à|est-ce que|quand|l[ae]|a qué hora|hasta|cuándo|está|sigue|abre|"
    r"cierra)\b.*(?<!\w)(?:open(?:s|ing)?|"
    r"close[sd]?|closing|shut|offen|geöffnet|geschlossen|schließt|öffnet|zu|auf|ouvr\w+|ouvert\w*|ferm\w+|"
    r"abre|abiert\w+|"
    r"cierra|cerrad\w+)\b"
)
_MONEY = (
    r"(?:usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|yen|francs?|franken|pesos?|dólar(?:es)?|libras?|"
    r"livres? sterling|"
    r"pfund|rupees?|yuan)"
)
_RATES = (
    r"(?:\bwhat(?:'s| is) (?:the )?[\w ]{2,25} (?:stock|share price|exchange rate)\b|\bhow (?:is|"
    r"are) the (?:dax|dow|nasdaq|"
    r"s&p|ftse|markets?)\b|\bhow much is (?:a |one |the )?(?:bitcoin|ethereum|gold|silver|euro|dollar|"
    r"pound)\b|"
    rf"\bhow many {_MONEY} (?:do i get|are|is|for)\b|\d\s*{_MONEY} (?:in|to|into|en|à|a|nach|als) {_MONEY}\b|"
    r"\bwie steht (?:der|die|das) (?:euro|dollar|dax|aktie|kurs|bitcoin|gold)\b|"
    r"\bwie viel ist ein (?:bitcoin|euro|"
    r"dollar) wert|\b(?:le|du) taux de change\b|\bcombien vaut (?:un |le |l['’])(?:bitcoin|euro|dollar|or)\b|"
    r"\ba cómo está "
    r"el\b|\bcuánto vale (?:un |el )(?:bitcoin|euro|dólar|oro)\b|\bel tipo de cambio\b)"
)
_SPORT = (
    r"\b(?:who (?:won|lost)\b.*\b(?:yesterday|today|tonight|last (?:night|week|weekend)|on \w+day)|"
    r"did [\w ]{2,30} (?:win|lose|"
    r"play) (?:yesterday|today|tonight|last|on \w+day|the (?:game|match))|what(?:'s| is) the score|who(?:'s|"
    r" is) (?:leading|"
    r"winning|top of)|(?:wer|wie) hat\b(?=.*\b(?:gestern|heute|am wochenende)\b).*\b(?:gewonnen|verloren|"
    r"gespielt)|"
    r"wie steht (?:es|das spiel)|qui a (?:gagné|perdu)\b.*\b(?:hier|aujourd['’]hui)|quel est le score|"
    r"quién (?:ganó|perdió)"
    r"\b.*\b(?:ayer|hoy|anoche)|cómo va el partido)"
)
_EVENTS = (
    r"\b(?:what(?:'s| is| has| did)? (?:new|happen\w*) in the world|what happened (?:today|yesterday|"
    r"this week)|any news (?:about|"
    r"on|from)|was gibt(?: es|s|'s) neues in|was ist (?:heute|gestern) passiert|"
    r"quelles? (?:sont les )?(?:nouvelles|actualités)|"
    r"que s['’]est-il passé (?:aujourd|hier)|qué noticias|qué (?:ha pasado|pasó) (?:hoy|ayer)|"
    r"what(?:'s| is) (?:on|playing|showing)\b.*\b(?:tv|television|cinema|movies|tonight|this evening)|"
    r"was (?:kommt|läuft)\b.*\b(?:fernsehen|kino|tv)|(?:télé|cinéma) (?:ce soir|aujourd)|(?:ponen|echan|"
    r"hay)\b.*\b(?:tele|cine))"
)
_TRAVEL = (
    r"\b(?:(?:is|are|was)\b.*\b(?:trains?|flights?|bus(?:es)?|trams?)\b.*\b(?:delayed|on time|late|"
    r"cancel\w*)|when(?:'s| is| does) "
    r"the (?:next|last) (?:train|bus|tram|flight|ferry)|(?:is there |how(?:'s| is) the )(?:much )?traffic|"
    r"stau auf|"
    r"gibt es stau|wann (?:fährt|kommt|geht)\b.*\b(?:zug|bus|bahn|tram|flug)|(?:hat|haben) .*\b(?:zug|bahn|"
    r"flug)\b.*\bverspätung|"
    r"prochain (?:train|bus|métro|vol)|(?:train|vol|bus)\b.*\b(?:en retard|à l['’]heure)|próximo (?:tren|"
    r"autobús|bus|metro|vuelo)|"
    r"(?:tren|vuelo|autobús)\b.*\b(?:retraso|a tiempo))"
)
LIVE = re.compile(
    rf"^(?!.*(?:{_LEARNED}))(?:(?=.*{_WHEN}).*{_WEATHER}|.*{_WEATHER}.*{_WHEN}|.*{_WEATHER_NOW}"
    rf"|(?=.*{_WHEN}).*(?:{_PRICE}|\bhow much (?:is|are|does)\b)|.*{_RATES}"
    rf"|(?=.*(?:{_WHEN}|{_SHOPS}|\b(?:still|noch|encore|sigue)\b)){_HOURS}"
    rf"|.*{_SPORT}|.*{_EVENTS}|.*{_TRAVEL}|(?=.*{_WHEN})\W*who (?:runs|leads|heads|owns)\b)"
    rf"|\b(?:weather|wetter|météo|tiempo)\b (?:in|à|en) \w|{_OFFICE}|{_NEWS}",
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
    r"|(?:envía|enviar|envíale|manda|mándale|llama(?=\s+al?\b)|reserva|pide|compra|paga|publica|comparte|"
    r"imprime|"
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
    r"contacts|address book|new (?:e-?mails?|messages)|"
    r"account balance|bank (?:account|balance)|meetings?|kalender|termine?|posteingang|mails|kontakte|"
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
    r"|^\W*(?:am i|bin ich|suis-je|estoy) (?:free|busy|frei|verplant|libre|occupée?|ocupad[oa])\b"
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
    r"anwalt|schule|krankenkasse|assurance|banque|propriétaire|impôts|avocat|école|seguro|banco|casero|"
    r"hacienda|abogado|colegio)"
)
OWN_PAPERS = re.compile(
    rf"^\W*(?:what|was|que|qu'est-ce que|qué) (?:does|do|did|schreibt|schreiben|will|wollen|sagt|"
    rf"veut|veulent|dit|m'écrit|écrit|quiere|dice|escribe|me escribe|me dice)\b[^.!]{{0,25}}\b{_SENDERS}\b|"
    rf"^\W*how much (?:is|was) (?:the|my) {_PAPERS} from\b|"
    rf"^(?!.*{_TO_WRITE})\W*(?:tell me |sag mir |dis-moi |dime )?(?:what|what's|when|how much|was|wann|"
    rf"wieviel|"
    r"wie viel|que|qu'est-ce|quand|combien|qué|cuánto|cuándo)\b"
    rf"(?=.*{_SAYS}).*(?:\b(?:my|mein\w*|mon|ma|mes|mi|mis)\b.*{_PAPERS}|{_PAPERS} (?:from|by|of|von|vom|"
    rf"de|du|del) )",
    _FLAGS,
)
_ABOUT_ME = (
    r"(?:name|age|birthday|address|(?:phone |mobile |account )?number|pin|(?:\w+ )?password|blood type|"
    r"(?:shoe )?size|"
    r"weight|height|anniversary|salary|rent|job|favou?rite \w+|iban)"
)
_ALIVE = (
    r"(?:dog|cat|pet|wife|husband|partner|girlfriend|boyfriend|son|daughter|child|mother|father|mum|mom|dad|"
    r"sister|brother|"
    r"boss|doctor|dentist|landlord|neighbou?r|teacher|car)"
)
_LEBT = (
    r"(?:hund|katze|kater|haustier|frau|mann|sohn|tochter|kind|mutter|vater|schwester|bruder|chefin?|ärztin|"
    r"arzt|"
    r"zahnarzt|vermieter\w*|nachbar\w*|auto)"
)
_VIT = (
    r"(?:chien|chat|chatte|femme|mari|fils|fille|mère|père|sœur|frère|patron\w*|médecin|dentiste|"
    r"propriétaire|"
    r"voisine?|voiture)"
)
_VIVE = (
    r"(?:perr[oa]|gat[oa]|mujer|marido|hij[oa]|madre|padre|herman[oa]|jef[ea]|médic[oa]|dentista|caser[oa]|"
    r"vecin[oa]|coche)"
)
# Of the life of whoever asks: known where they have told it, and never else.
OWN_LIFE = re.compile(
    r"^\W*(?:(?:tell me|do you know|hey|and|sag mir|weißt du|dis-moi|tu sais|dime|sabes)[,:]?\s+)*(?:"
    rf"how old (?:am i|is my {_ALIVE})|(?:when|what|who|where)(?:'s| is| are) my (?:\w+ )?{_ABOUT_ME}|"
    rf"(?:when|what|who|where|how old)(?:'s| is) my {_ALIVE}(?:['’]s (?:name|age|birthday|number|"
    r"address))?(?: called| named)?|"
    rf"what(?:'s| is) the (?:name|age|birthday) of my {_ALIVE}|where do i (?:live|work)|where (?:did i|"
    r"have i) (?:park|put|"
    r"leave|left|go|parked|stay)\b[^?]*|what did i (?:have|eat|do|buy|order|watch|wear|say|"
    r"drink)\b[^?]*(?:yesterday|last \w+|"
    r"this \w+|today|for (?:lunch|dinner|breakfast))[^?]*|who (?:called|texted|wrote|emailed|"
    r"messaged) me\b[^?]*|"
    r"(?:did|has|have) my (?:package|parcel|order|delivery|salary)\b[^?]*|(?:did|has) \w+ (?:reply|replied|"
    r"answer\w*|write|"
    r"written|call\w*|text\w*|e?-?mail\w*)\b[^?]*\b(?:me|my)\b[^?]*|how much money (?:is in|do i have|"
    r"have i)\b[^?]*|"
    rf"wie alt (?:bin ich|ist meine? {_LEBT})|wann hab(?:e)? ich geburtstag|"
    rf"wann hat meine? {_LEBT} geburtstag|"
    rf"(?:wie|wann|wer|wo|was) (?:heißt|ist) (?:meine? {_LEBT}|mein\w* (?:name|adresse|geburtstag|\w*nummer|"
    r"\w*passwort|"
    r"pin|lieblings\w+|schuhgröße|blutgruppe|gehalt|miete))|wo (?:wohne|arbeite) ich|wo habe? ich\b[^?]*"
    r"\b(?:geparkt|hingelegt|gelassen|abgestellt)|was habe? ich (?:gestern|heute|letzte\w*)\b[^?]*|"
    r"wer hat mich angerufen[^?]*|"
    r"hat \w+ (?:mir )?(?:geantwortet|geschrieben|angerufen)|ist mein paket\b[^?]*|"
    r"wie ?viel geld habe? ich\b[^?]*|"
    rf"quel âge (?:ai-je|j['’]ai|a m(?:on|a) {_VIT})|c['’]est quand mon anniversaire|"
    r"quand est mon anniversaire|"
    rf"comment s['’]appelle m(?:on|a) {_VIT}|où (?:est-ce que )?(?:j['’]habite|je travaille|habité-je|"
    r"ai-je garé\b[^?]*|"
    r"j['’]ai (?:garé|mis|laissé)\b[^?]*)|quel(?:le)? est (?:mon|ma) (?:nom|âge|adresse|numéro\b[^?]*|"
    r"mot de passe\b[^?]*|"
    r"anniversaire|\w+ préférée?|pointure)|qui m['’]a appelé[^?]*|qu['’]est-ce que j['’]ai (?:mangé|fait|"
    r"acheté|bu)\b[^?]*|"
    r"combien d['’]argent ai-je\b[^?]*|"
    rf"cuántos años (?:tengo|tiene mi {_VIVE})|cuándo es mi cumpleaños|cómo (?:se llama mi {_VIVE}|me llamo)|"
    r"dónde (?:vivo|trabajo|(?:aparqué|he aparcado|dejé|puse|he dejado)\b[^?]*)|cuál es mi (?:nombre|edad|"
    r"dirección|número\b[^?]*|"
    r"contraseña\b[^?]*|\w+ favorit[oa]|talla)|quién me (?:llamó|ha llamado)[^?]*|qué (?:comí|hice|compré|"
    r"he comido)\b[^?]*|"
    r"cuánto dinero tengo\b[^?]*)(?: (?:again|nochmal|noch mal|déjà|otra vez))?\W*$",
    _FLAGS,
)
# A statement about whoever speaks, which may hold the answer.
SAID_OF_ME = re.compile(
    r"\b(?:my|i am|i'm|i was|i live|i have|i've|call me|mein\w*|ich (?:bin|heiße|wohne|habe|arbeite)|mon|ma|"
    r"mes|je suis|"
    r"j['’](?:ai|habite)|je m['’]appelle|mis?|soy|tengo|vivo|me llamo)\b",
    re.IGNORECASE,
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
    r"\b(?:create|make|write|give|erstell\w*|mach\w*|crée\w*|fais|crea|haz)\b[^.]{0,30}\blist\w*\b|"
    r"\blist\w*\s*:",
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
# Words that somebody else will say, or a text that was asked for: there "I have sent …" is no claim of the
# program's. A verb that works on a text, or one of writing with what is written behind it.
_TEXTS = (
    r"(?:poems?|story|stories|tale|letters?|e-?mails?|mails?|messages?|cards?|speech|songs?|lyrics|dialogue|"
    r"essay|posts?|"
    r"tweets?|blog|article|code|function|script|program|class|query|regex|examples?|paragraphs?|sentences?|"
    r"captions?|"
    r"bio|cv|plan|lists? (?:of|for|with)|table of|recipes?|schedule|itinerary|outline|quiz|toast|rhyme|haiku|"
    r"jokes?|"
    r"template|invitation|reviews?|description|ideas?|tips|gedicht\w*|geschichte\w*|märchen|brief|\w*mail|"
    r"nachricht|\w*karte|"
    r"rede|lied|aufsatz|beitrag|funktion|skript|beispiel\w*|absatz|sätze?|\w*plan|\w*rezept\w*|einladung|"
    r"entwurf|"
    r"liste (?:mit|von|für)|ideen|tipps|witz|poèmes?|histoires?|contes?|lettres?|mots?|courriels?|cartes?|"
    r"discours|"
    r"chanson|article|fonction|exemples?|phrases?|plan|recettes?|idées|conseils|blague|liste (?:de|des|"
    r"d['’])|poemas?|"
    r"historias?|cuentos?|cartas?|correos?|mensajes?|tarjetas?|discurso|canción|artículo|función|ejemplos?|"
    r"frases?|"
    r"recetas?|ideas|consejos|chiste|lista (?:de|con))"
)
DRAFTS = re.compile(
    _LEAD
    + r"(?:translate|rewrite|rephrase|paraphrase|proofread|correct|improve|summar\w+|shorten|compose|draft|"
    r"continue|(?:sort|order|rank|arrange) (?:these|this|the following)|übersetz\w*|formulier\w*|"
    r"korrigier\w*|"
    r"verfass\w*|entwirf|"
    r"fass\w* .*\bzusammen|kürz\w*|tradui\w*|reformul\w*|corrig\w*|résum\w*|rédig\w*|traduc\w*|tradúc\w*|"
    r"redact\w*|"
    r"resum\w*)\b"
    r"|\b(?:role-?play|pretend|imagine|rollenspiel|imagina)\b"
    r"|\b(?:write|create|make|give|tell|generate|suggest|prepare|come up with|schreib\w*|erstell\w*|mach\w*|"
    r"gib|erzähl\w*|"
    r"écri\w*|fais|crée\w*|donne\w*|raconte\w*|escrib\w*|haz\w*|crea|dame|cuéntame|"
    r"cuenta)(?:-\w+)?\b(?: [^\s.?!]+){0,6}?"
    rf"(?:[ -]|['’]){_TEXTS}\b|\b{_TEXTS}\b[^.?!]{{0,60}} (?:schreiben|verfassen|erstellen|formulieren|"
    r"übersetzen)\b",
    _FLAGS,
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
# What is done with a text besides writing it: by its verbs, and by those and the nouns of files.
KEPT = re.compile(
    r"\b(?:save|store|put|keep|send|append|add|copy|speicher\w*|leg|pack|sende?|schicke?|füge?|kopier\w*|"
    r"enregistr\w*|sauvegard\w*|mets|ajout\w*|envoi\w*|envoy\w*|copi\w*|guárd\w*|guard\w*|pon\w*|añad\w*|"
    r"enví\w*)\b",
    re.IGNORECASE,
)
KEEPS = re.compile(
    r"\b(?:save|store|files?|folder|clipboard|notes?|remind me|send|speicher\w*|datei\w*|ordner|notiz\w*|"
    r"zwischenablage|erinner\w* mich|send\w*|schick\w*|enregistr\w*|fichier|dossier|envoi\w*|envoy\w*|"
    r"guard\w*|archivo|carpeta|enví\w*|salva\w*|invia\w*)\b",
    re.IGNORECASE,
)

# -- what a sentence claims -------------------------------------------------------------------


class Claim(StrEnum):
    """What a sentence of the model says of this computer."""

    ACT = "act"  # that something was done, is being done or will be
    LOOK = "look"  # that something of the user's was looked at, or what is in it


# Of whoever speaks in the perfect or the past. Those of `_LOOKED` need something of the user's behind them.
_EN = (
    r"(?:added|appended|included|inserted|created|made|generated|saved|stored|written|wrote|jotted|logged|"
    r"moved|"
    r"relocated|renamed|deleted|removed|erased|cleared|taken|took|copied|duplicated|sent|emailed|e-mailed|"
    r"texted|"
    r"messaged|notified|set|scheduled|rescheduled|planned|cancell?ed|updated|changed|edited|modified|"
    r"replaced|swapped|"
    r"undone|undid|reverted|restored|recovered|booked|ordered|reserved|called|turned|switched|closed|"
    r"downloaded|"
    r"uploaded|installed|placed|put|noted|recorded|printed|marked|completed|performed|executed|started|"
    r"sorted|converted|exported|remembered|combined|merged|fixed)"
)
_EN_BY_HAND = (
    r"(?:saved|stored|added|appended|moved|renamed|deleted|removed|copied|sent|emailed|set up|scheduled|"
    r"cancell?ed|updated|undone|reverted|restored|created|replaced|changed|booked|noted|converted|sorted)"
)
_DE = (
    r"(?:hinzugefügt|ergänzt|angehängt|angefügt|eingefügt|erstellt|angelegt|erzeugt|gespeichert|"
    r"abgespeichert|gesichert|"
    r"abgelegt|geschrieben|aufgeschrieben|verschoben|bewegt|umbenannt|gelöscht|entfernt|kopiert|gesendet|"
    r"geschickt|verschickt|abgeschickt|gesetzt|gestellt|eingestellt|eingerichtet|eingetragen|geplant|"
    r"abgesagt|"
    r"gestrichen|storniert|aktualisiert|geändert|bearbeitet|ersetzt|ausgetauscht|rückgängig|"
    r"wiederhergestellt|"
    r"zurückgeholt|gebucht|reserviert|bestellt|angerufen|ausgeschaltet|eingeschaltet|ausgemacht|"
    r"eingeschalten|heruntergeladen|installiert|notiert|vermerkt|gemerkt|gelegt|hineingelegt|gepackt|"
    r"sortiert|"
    r"umgewandelt|konvertiert|exportiert|gedruckt|ausgedruckt|gestartet|erinnert|benachrichtigt|erledigt)"
)
_FR = (
    r"(?:(?:r?ajouté|créé|enregistré|sauvegardé|écrit|inscrit|noté|déplacé|renommé|supprimé|effacé|retiré|"
    r"enlevé|"
    r"copié|dupliqué|envoyé|expédié|programmé|planifié|réglé|défini|annulé|modifié|changé|remplacé|restauré|"
    r"rétabli|"
    r"réservé|commandé|appelé|éteint|allumé|téléchargé|installé|placé|rangé|trié|converti|exporté|imprimé|"
    r"mémorisé|inséré)e?s?|(?:re)?mise?s?)(?!\w)"
)
_FR_PLAIN = (
    r"(?:ajouter|créer|enregistrer|sauvegarder|écrire|noter|déplacer|renommer|supprimer|effacer|retirer|"
    r"copier|"
    r"envoyer|programmer|planifier|régler|annuler|modifier|changer|remplacer|restaurer|réserver|appeler|"
    r"mettre|trier)"
)
_ES = (
    r"(?:añadid|agregad|cread|guardad|almacenad|anotad|apuntad|movid|renombrad|borrad|eliminad|quitad|copiad|"
    r"duplicad|"
    r"enviad|mandad|programad|configurad|cancelad|actualizad|cambiad|modificad|reemplazad|sustituid|"
    r"restaurad|"
    r"recuperad|reservad|llamad|apagad|encendid|descargad|instalad|colocad|ordenad|convertid|exportad|"
    r"insertad|"
    r"establecid|completad)[oa]s?(?!\w)|(?:(?:hech|escrit|puest|deshech)[oa]s?)(?!\w)"
)
_ES_PLAIN = (
    r"(?:añadir|agregar|crear|guardar|escribir|mover|renombrar|borrar|eliminar|quitar|copiar|enviar|mandar|"
    r"programar|"
    r"poner|cancelar|actualizar|cambiar|reemplazar|restaurar|reservar|llamar|apagar|deshacer)"
)
_ES_PAST = (
    r"(?:añadí|agregué|creé|guardé|anoté|moví|renombré|borré|eliminé|quité|copié|envié|mandé|programé|puse|"
    r"cancelé|"
    r"actualicé|cambié|reemplacé|restauré|reservé|deshice)"
)
_NAME = r"[\w-]+\.(?:txt|md|pdf|csv|docx?|xlsx?|png|jpe?g|zip|json|html?|log|ini|toml|ya?ml)\b"
_NOUNS = (
    r"(?:files?|folders?|director(?:y|ies)|reminders?|alarms?|timers?|clipboard|items?|entr(?:y|ies)|lines?|"
    r"changes?|"
    r"summary|results?|notes?|photos?|e-?mails?|messages?|todo|to-do|(?:(?:shopping|to-?do|grocery|"
    r"your) )?lists?|"
    r"appointment|event|lights?|spreadsheet)"
)
_OBJECTS = (
    r"(?:datei(?:en)?|ordner|verzeichnis|erinnerung(?:en)?|wecker|timer|zwischenablage|eintr[aä]ge?|zeilen?|"
    r"änderung(?:en)?|"
    r"zusammenfassung|ergebnis|notiz(?:en)?|fotos?|e-?mails?|mails?|nachricht(?:en)?|\w*liste|termine?|licht|"
    r"tabelle)"
)
_OBJETS = (
    r"(?:fichiers?|dossiers?|rappels?|alarmes?|minuteurs?|presse-papiers|éléments?|lignes?|modifications?|"
    r"résumé|"
    r"résultat|notes?|photos?|e-?mails?|mails?|courriels?|messages?|listes?|rendez-vous|lumières?|tableau)"
)
_OBJETOS = (
    r"(?:archivos?|ficheros?|carpetas?|recordatorios?|alarmas?|temporizador|portapapeles|elementos?|líneas?|"
    r"cambios?|"
    r"resumen|resultado|notas?|fotos?|correos?|mensajes?|listas?|citas?|luz|luces|tabla)"
)
_MADE = r"(?: (?:new|updated|whole|following|two|three|four|five|both))?"
_THING = (
    rf"(?:(?:the|your|both|all|these|those|all three|all two)(?: of the)?{_MADE}(?: [\w-]+)? {_NOUNS}"
    rf"(?! (?:system|format|name|server|manager)s?\b)|{_NAME}|◻)"
)
_DING = (
    rf"(?:(?:die|der|das|deine?|ihre?|beide|alle|alle drei)(?: (?:neuen?|neues|drei|zwei))? "
    rf"{_OBJECTS}|{_NAME}|◻)"
)
_CHOSE = (
    rf"(?:(?:(?:le|la|les|votre|vos|ton|ta|tes|ce|cette|ces)(?: (?:nouveaux?|nouvelle|deux|trois))? |l['’])"
    rf"{_OBJETS}|{_NAME}|◻)"
)
_COSA = (
    rf"(?:(?:el|la|los|las|tus?|sus?|este|esta)(?: (?:nuev[oa]|dos|tres))? {_OBJETOS}(?: nuev[oa])?"
    rf"|{_NAME}|◻)"
)
# Within a sentence; the point of "notes.txt" ends none.
_FAR = r"(?:[^.!?\n]|\.(?=\w)){0,60}?"
# A year or a maker behind the deed tells of the world.
_HISTORY = (
    r"(?! (?:in|en|um|im jahr|vers) (?:1\d\d\d|20\d\d)\b| 1\d\d\d\b| 20\d\d\b| by (?:a|an|the|its|his|her)\b"
    r"| (?:when|with|using|wenn|mit|avec|con|quand|cuando)\b)"
)
_ADVERBS = r"(?: (?:\w+ly|just|now|also|already|then|both|all|gone ahead and|went ahead and))*"
_ACT = (
    # The speaker, in the perfect, the past, the present of now and the future.
    rf"\b(?:(?:I|we)(?:['’]ve| have|)|steward has){_ADVERBS} {_EN}\b(?! my mind| out to be)"
    rf"|\b(?:I|we)(?:['’]ve| have|){_ADVERBS} opened (?:it|the|your)\b"
    r"|\bI(?:['’]ll| will|['’]m going to| am going to)(?: now| then| also)? (?:remind|ping|wake|notify|alert|"
    r"call|"
    r"e-?mail|message|text|send|add|save|store|set|move|delete|remove|rename|put|schedule|cancel|book|"
    r"check back)\b"
    r"|\bI(?:['’]ll| will) let you know (?=when|at|as soon)"
    r"|\bI(?:['’]m| am)(?: now| currently)? (?:saving|adding|moving|sending|setting|deleting|removing|"
    r"renaming|copying|"
    r"creating|writing|scheduling|undoing|playing|booking|calling)\b"
    r"|^\W*(?:playing|saving|adding|moving|sending|deleting|opening|searching|creating)\b.*(?:\bnow\b|\.\.\.|"
    r"…)"
    rf"|\bich hab(?:e|) (?!zu ){_FAR}{_FAR}\b{_DE}\b"
    r"|\bich werde (?:dich|sie|ihnen|dir|es|das|die|den)\b[^.!?\n]{0,60}?\b(?:erinnern|wecken|"
    r"benachrichtigen|senden|"
    r"schicken|anrufen|speichern|löschen|verschieben|hinzufügen)\b"
    r"|\bich (?:erinnere|wecke|benachrichtige) (?:dich|sie)\b"
    r"|\bich (?:füge|speichere|verschiebe|lösche|sende|schicke|erstelle|lege|stelle|setze|trage|"
    r"notiere) [^.!?\n]{0,40}?"
    r"\b(?:jetzt|nun|gerade|hinzu|ein)\b"
    rf"|(?:\bj['’](?:y )?ai|\bje (?:l['’]|les |lui |vous |t['’]|te )ai|\bnous avons)"
    rf"(?: (?:bien|déjà|maintenant|aussi|également|y|donc))*(?: [^\s.!?]+){{0,1}}? {_FR}"
    rf"|\bje viens (?:de |d['’]){_FR_PLAIN}"
    r"|\bje (?:te|vous|l['’]|le) (?:(?:rappeller|préviendr|enverr|avertir|ajouter|enregistrer)ai|"
    r"(?:le )?rappellerai)"
    rf"|\bje vais (?:te |vous |le |l['’]|la |les )?(?:rappeler|prévenir|{_FR_PLAIN})\b"
    rf"|\b(?:he|hemos)(?: (?:ya|también|bien))* (?:{_ES})|\bacabo de (?:haber )?{_ES_PLAIN}"
    rf"|(?<!\w){_ES_PAST} (?:el|la|los|las|lo|un|una|tus?|sus?|◻|{_NAME})"
    r"|\b(?:te|le|os) (?:recordaré|avisaré|enviaré|llamaré|despertaré)\b|\bvoy a recordar(?:te|le)\b"
    # What was done to something, whoever did it.
    rf"|{_THING}{_FAR} (?:has|have) been(?: \w+ly)? {_EN}\b{_HISTORY}"
    rf"|{_THING}{_FAR} (?:was|were)(?: \w+ly)? {_EN_BY_HAND}\b{_HISTORY}"
    rf"|\b[\w ]{{1,30}} (?:was|were|has been|have been)(?: \w+ly)? (?:added|appended|saved|copied|moved) to "
    rf"(?:the (?:list|clipboard|folder)\b|your\b|{_NAME})"
    rf"|\b(?:reminder|alarm|timer) \d+ is (?:now )?set\b|\byour {_NOUNS}{_FAR} (?:is|"
    rf"are)(?: now)? (?:{_EN_BY_HAND}|set|booked)\b|\byour table is booked\b"
    rf"|{_THING}{_FAR} (?:is|are) (?:now (?:in|at|off|on|{_EN})\b|{_EN_BY_HAND}\b{_FAR}{_NAME})"
    rf"|\b(?:it|that|everything|they)(?:['’]s| has| have|['’]ve)(?: now| all)* been {_EN_BY_HAND}\b{_HISTORY}"
    rf"|\b(?:it|that|everything|they)(?:['’]s| is| are)(?: now| all)* (?:done|{_EN_BY_HAND})(?: now)?(?=\W*$|"
    r" (?:in|to) (?:your|the (?:list|folder|file)))"
    r"|\bthe (?:operation|action|undo|task|request)\b[^.!?\n]{0,30}? (?:was|has been|is)(?: now)?(?: \w+ly)? "
    rf"(?:performed|completed|done|executed|undone)\b{_HISTORY}"
    rf"|\b(?:list|file|folder|note|reminder|{_NAME}) now (?:contains|has|includes|reads|says|holds|shows)\b"
    r"|\bthe (?:updated|revised) (?:items|list|file|content)|\bhere(?:['’]s| is| are) (?:the|your) "
    rf"(?:updated|revised|modified|new) (?:[\w-]+ )?(?:list|file|items|contents?|{_NAME})"
    rf"|{_DING}{_FAR} (?:wurden?|ist|sind)(?! (?:eine?|der|die|das)\b){_FAR} {_DE}\b"
    rf"|^\W*(?:es|das|alles|◻) (?:wurde|ist)(?: jetzt| nun| bereits| bereits|){_FAR} {_DE}\b"
    rf"|\b(?:zur|in die|in der|auf die|auf der) \w*liste {_DE}\b"
    rf"|\bhier ist die (?:aktualisierte|geänderte|neue) (?:\w*liste|datei)\b|(?:{_OBJECTS}|"
    rf"{_NAME}) (?:enthält|hat|zeigt) "
    r"(?:jetzt|nun)\b|\blicht ist (?:jetzt |nun )?(?:aus|an)\b"
    rf"|{_CHOSE}{_FAR} (?:a|ont|est|sont)(?: bien| maintenant|"
    rf" désormais)*(?: été)?(?: bien)? {_FR}(?! (?:en \d|"
    r"par|avec (?!succès)) )"
    rf"|^\W*(?:voilà,? )?c['’]est (?:bien )?(?:fait|noté|enregistré|ajouté|supprimé|envoyé|programmé)\W*$"
    rf"|\bvoici (?:la|votre|ta|le) (?:liste|fichier) (?:mise?|modifiée?|actualisée?)|(?:{_OBJETS}|{_NAME}) "
    r"(?:contient|comprend) (?:maintenant|désormais)\b"
    rf"|{_COSA}{_FAR} (?:(?:ya )?se (?:ha|han)|ha|han|ha sido|han sido|fue|fueron|está|"
    rf"están)(?: sido)?(?: ya)? (?:{_ES})"
    rf"(?! (?:en|por|con) )"
    rf"|^\W*se (?:ha|han) (?:{_ES})|^\W*(?:ya )?se (?:añadió|creó|guardó|movió|borró|envió|eliminó|"
    r"copió) (?:a |en |la|el|tu)"
    r"|^\W*ya está\W*$|\baquí (?:está|tienes) (?:la|tu|el) (?:lista|archivo) (?:actualizad|modificad)[oa]"
    rf"|(?:{_OBJETOS}|{_NAME}) (?:ahora|ya) (?:contiene|tiene|incluye)\b"
    # As this program tells it.
    rf"|^\W*(?:(?:in|aus|zu) )?{_NAME}{_FAR} {_DE}\b|^\W*(?:in|en|dans) {_NAME},? (?:steht jetzt|◻ is now|"
    r"◻ (?:es ahora|est devenue?))(?!\w)"
    # Bare: "Done.", "Reminder set for 9.", "Gelöscht.", "Fait.", "Listo."
    rf"|^(?:[\W\d]|x\])*(?:(?:all|ok(?:ay)?) )?(?:success\w+ )?(?:done|{_EN_BY_HAND}|wrote|undone|cleared|"
    r"made)\b(?=\W*$|\W*:|! | successfully| (?:as|to|from|it|them|both|all|the|your|a|an|folder|file|"
    r"reminder|item|\d+|◻|in)\b"
    rf"| {_NAME}| ◻| \w+ (?:to|from|in|into|as)\b)(?!.*\b(?:is|are|was|were|takes?|goes|has|"
    rf"have)\b){_HISTORY}"
    r"|^(?:[\W\d]|x\])*(?:reminder|alarm|timer|e-?mail|message|file|folder|changes|note|event|appointment)s? "
    rf"(?:{_EN_BY_HAND}|set|started)\b(?!.*\b(?:is|are|was|were)\b)"
    rf"|^(?:[\W\d]|x\])*(?:{_DE}|fertig|rückgängig gemacht)(?=\W*$|[:,!]| (?:in|nach|als|zur?|"
    r"unter)\b)(?!.* ist das partizip)"
    rf"|^(?:[\W\d]|x\])*(?:erinnerung|wecker|timer|termin|datei|ordner|nachricht|e-?mail|notiz) (?:{_NAME} |"
    rf"[\w-]+ )?{_DE}\b"
    rf"|^(?:[\W\d]|x\])*(?:(?:fait|{_FR})(?=\W*$|\W*:| (?:à|dans|sous|de)\b))"
    rf"|^(?:[\W\d]|x\])*(?:rappel|alarme|minuteur|message|mail|fichier|dossier) {_FR}"
    rf"|^(?:[\W\d]|x\])*(?:listo|(?:{_ES})(?=\W*$|\W*:| (?:a|en|como|de)\b))(?!.*\b(?:es|son|era)\b)"
    rf"|^(?:[\W\d]|x\])*(?:recordatorio|alarma|temporizador|mensaje|correo|archivo|carpeta) (?:{_ES})"
)
_OWN = (
    r"(?:your|the) (?:[\w-]+ )?(?:files?|folders?|clipboard|calendar|inbox|e-?mails?|mailbox|notes?|"
    r"documents?|letter|workspace)"
)
_EIGEN = (
    r"(?:(?:in )?(?:deine[rmn]?|ihre[rmn]?|der|die|den|dem|im) )?(?:\w*datei(?:en)?|ordner|zwischenablage|"
    r"kalender|posteingang|"
    r"e-?mails|notizen|brief|dokumente?|internet|arbeitsbereich)"
)
_PROPRE = (
    r"(?:(?:votre|vos|ton|tes|le|la|les) |l['’])(?:fichiers?|dossiers?|presse-papiers|agenda|calendrier|"
    r"boîte|courriels?|"
    r"mails|notes|lettre|documents?)"
)
_PROPIO = (
    r"(?:tus?|sus?|el|la|los|las) (?:archivos?|carpetas?|portapapeles|calendario|agenda|bandeja|correos?|"
    r"notas|carta|"
    r"documentos?)"
)
_COUNT = r"(?:no|\d+|one|two|three|four|five|six|several|some|a few|any)"
_LOOKED = (
    rf"\bI(?:['’]ve| have|){_ADVERBS} (?:looked|searched|checked|read|opened|reviewed|examined|scanned|gone|"
    r"went|"
    r"taken a look|took a look)(?: (?:at|in|into|through|up|for|over|inside))*"
    rf" (?:{_OWN}|your\b|the (?:web|internet|file|folder|letter)\b|{_NAME}|◻|it\b)"
    rf"|\bI(?:['’]ve| have|){_ADVERBS} found {_COUNT} (?:\w+ )?(?:files?|photos?|documents?|pictures?|"
    r"folders?|notes?|"
    r"e-?mails?|messages?|results?|matches)\b"
    rf"|\bI(?: can)? see (?:that you have|{_COUNT} (?:\w+ )?(?:files?|photos?|messages?|e-?mails?)\b|"
    r"an? (?:file|folder) "
    r"(?:called|named))"
    r"|\byour (?:clipboard|calendar|inbox|mailbox) (?:currently )?(?:contains|is|shows|has|says|holds|"
    r"reads)\b"
    rf"|\b(?:according to|based on|looking at|after checking|after looking at|judging by) {_OWN}"
    rf"|\byou (?:currently )?have {_COUNT} (?:new |unread |upcoming )?(?:e-?mails?|messages?|meetings?|"
    r"appointments?|"
    r"events?|notifications?|reminders?)\b"
    r"|\b(?:the )?last thing (?:you|that you) copied (?:was|is)\b|\byou (?:just |last )?copied (?:the|a|◻)\b"
    rf"|\bich hab(?:e|) [^.!?\n]{{0,50}}?{_EIGEN} [^.!?\n]{{0,40}}?\b(?:gefunden|geschaut|gelesen|"
    r"nachgesehen|nachgeschaut|"
    r"geöffnet|gesucht|angesehen|durchsucht|geprüft|überprüft)\b"
    r"|\bich habe? (?:nachgesehen|nachgeschaut)\b"
    rf"|\bich sehe (?:in )?{_EIGEN}|\b(?:laut|nach|gemäß) (?:deinem|ihrem|deinen|ihren) (?:kalender|notizen|"
    r"dateien|posteingang)"
    r"|\b(?:deine|ihre|deiner|ihrer) zwischenablage (?:ist|enthält|steht|befindet)\b"
    r"|\bdu hast (?:keine|\d+|eine|zwei|drei|vier|fünf) (?:neuen? |ungelesenen? )?(?:e-?mails?|nachrichten|"
    r"termine?)\b"
    r"|\bj['’]ai (?:bien )?(?:regardé|lu|vérifié|consulté|ouvert|parcouru|examiné|cherché)(?: dans|"
    rf" sur)? (?:{_PROPRE}|"
    rf"internet|{_NAME})|\bj['’]ai trouvé (?:\d+|deux|trois|un|une|aucun\w*|des) \w+ dans {_PROPRE}"
    rf"|\bje vois (?:\d+|deux|trois|un|une|des) \w+ dans {_PROPRE}|\b(?:votre|ton) (?:presse-papiers|agenda|"
    r"calendrier) "
    r"(?:contient|est|indique)\b|\b(?:d['’]après|selon) (?:votre|ton|vos|tes) (?:calendrier|agenda|notes|"
    r"fichiers)"
    r"|\bvous avez (?:\d+|un|une|deux|trois|aucun\w*) (?:nouveaux? |nouvelles? )?(?:messages?|mails?|"
    r"courriels?|rendez-vous)\b"
    rf"|\bhe (?:mirado|leído|revisado|consultado|abierto|comprobado|buscado)(?: en)? (?:{_PROPIO}|internet|"
    rf"{_NAME})"
    rf"|\bhe encontrado (?:\d+|dos|tres|un|una|varios|ningún) \w+ en {_PROPIO}|\bveo (?:\d+|dos|tres|un|"
    rf"una) \w+ en {_PROPIO}"
    r"|\b(?:tu|su) (?:portapapeles|calendario|agenda) (?:contiene|está|muestra|tiene)\b|\bsegún (?:tu|su|tus|"
    r"sus) "
    r"(?:calendario|agenda|notas|archivos)"
    r"|\btienes (?:\d+|un|una|dos|tres|ningún) (?:correos?|mensajes?|citas?)\b"
)
# Before it in the same part of a sentence: it is not said to be so.
_NOT_SO = re.compile(
    r"\b(?:not|never|nothing|cannot|can|could|would|should|may|might|must|if|when|once|after|until|unless|"
    r"whether|nobody|"
    r"nicht|nichts|kein\w*|nie|niemals|wenn|sobald|nachdem|falls|bis|kann|könnte|sollte?|würde|möchte|pas|"
    r"rien|jamais|"
    r"aucun\w*|si|quand|lorsque|après|peut|peux|pouvez|pourrais|faut|no|nada|nunca|cuando|puedo|puede|podría|"
    r"quieres|"
    r"una vez|une fois)\b|n['’]t\b|\bn['’]",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[,;:—–(]\s")
_QUOTATION = re.compile(
    r"`[^`\n]+`|\"[^\"\n]+\"|“[^”\n]+[”“]|„[^“”\n]+[“”]|«[^»\n]+»|(?<!\w)'[^'\n]+'(?!\w)|‘[^’\n]+’(?!\w)"
)
_CODE = re.compile(r"^(?:    |\t|#|//|print\(|>>>|\$ )")
# "You have no new mail" is a claim to have looked.
_DENIED = re.compile(r"\b(?:not|never|nicht|nichts|pas|rien)\b|n['’]t\b|\bn['’]", re.IGNORECASE)
# In a text that was asked for and is kept as well: only what speaks of the computer is a claim there.
_OF_KEEPING = re.compile(
    rf"{_NAME}|\b(?:files?|folder|clipboard|reminder|datei|ordner|zwischenablage|erinnerung|fichier|dossier|"
    r"presse-papiers|rappel|archivo|carpeta|portapapeles|recordatorio)\b",
    re.IGNORECASE,
)
# Where such a sentence may begin, or what is said of such a thing: from here on it is held until its end.
MAY_CLAIM = re.compile(
    r"(?<!\w)(?:I|we|steward|ich|je|nous|he|hemos|acabo|voy|ya|se (?:ha|han)|you have|you (?:just |"
    r"last )?copied|du hast|"
    r"vous avez|tienes|tu as|been|wurden?|été|sido|fue|fueron|lista|listo|fait|fertig|done|made|undone|"
    rf"{_EN_BY_HAND}|"
    rf"{_EN}|{_DE}|{_NOUNS}|{_OBJECTS}|{_OBJETS}|{_OBJETOS}|updated|calendar|inbox|mailbox|kalender|"
    r"posteingang|agenda|"
    r"calendrier|calendario|action|task|operation|last thing|aktualisiert\w*|record\w+|avis\w+|(?:añadi|cre|"
    rf"guard|mov|borr|envi|elimin|copi)ó|lights?|table|mesa|{_NAME})(?!\w)|(?<!\w)(?:[jJ]['’]|(?:{_FR})|"
    rf"(?:{_ES})|{_ES_PAST})"
    r"|^\W*(?:playing|saving|adding|moving|sending|deleting|opening|searching|creating)\b",
    re.IGNORECASE,
)
# What a sentence about them begins with, as far as it goes: two words, and those that stand between.
_OPENERS = """
    the your all both it it's that that's this these those everything here here's das die der deine dein
    ihre ihr es beide alle alles hier le la les l' votre vos ton ta tes c'est voici voilà el los las lo tu
    tus su sus se te aquí según selon laut nach according based looking after last steward
"""
_BETWEEN = """
    the new updated whole two three of is has have been now was were s ve neuen neue drei zwei deiner deinem
    ihrem nouveau nouveaux nouvelle deux trois dos tres ha han on to at your you du d
"""
_SUBJECTS = """
    i we ich je j' nous he hemos acabo voy ya you du vous tienes done made undone fertig fait hecho listo
    reminder alarm timer email e-mail message file folder changes note event successfully playing saving
    adding moving sending deleting opening searching creating erinnerung wecker termin datei ordner nachricht
    rappel alarme minuteur fichier dossier recordatorio alarma temporizador mensaje correo archivo carpeta
    okay
"""
MAY_BEGIN = re.compile(
    rf"^\W*(?:(?:{'|'.join(_OPENERS.split())})(?:['’ ](?:{'|'.join(_BETWEEN.split())}))*(?:['’ ]\w*)?"
    r"|(?-i:[a-zà-ÿ])[\w.-]*|[\"'“„«][^\"'”“»\n]{0,60}[\"'”“»]?\s*\w*)\Z",
    re.IGNORECASE,
)
# A word that is not whole yet may become one of these.
FIRST_WORDS = (
    *_OPENERS.split(),
    *_SUBJECTS.split(),
    *re.findall(r"[^\W\d_]{4,}", f"{_EN_BY_HAND} {_DE} {_FR} {_ES}"),
)
CONSTRAINT = (
    "Nothing was done, changed or looked up on this computer for this request. "
    "Do not say that anything was, and promise nothing."
)


def claim_in(sentence: str, is_draft: bool = False) -> Claim | None:
    """What one whole sentence claims. A question, a quotation and code claim nothing. `is_draft`: words that
    somebody else will say are in it, so that only a claim on this computer counts."""
    if _CODE.match(sentence) or sentence.rstrip(" *_)\"'\n").endswith("?"):
        return None
    said = _QUOTATION.sub("◻", sentence).replace("**", "").replace("__", "")
    if is_draft and not _OF_KEEPING.search(said):
        return None
    if _says_so(_looks(), said, _DENIED):
        return Claim.LOOK
    return Claim.ACT if _says_so(_acts(), said, _NOT_SO) else None


def _says_so(claims: re.Pattern[str], said: str, denied: re.Pattern[str]) -> bool:
    for found in claims.finditer(said):
        # From the last comma before it on: "If you like, I have saved it" says that it was.
        begins = max((part.end() for part in _PARTS.finditer(said, 0, found.start() + 1)), default=0)
        if not _NOT_SO.search(said[begins : found.start()]) and not denied.search(found[0]):
            return True
    return False


@cache
def _acts() -> re.Pattern[str]:
    # Compiled with the first sentence that needs it: it takes longer than all the others.
    return re.compile(_ACT, re.IGNORECASE)


@cache
def _looks() -> re.Pattern[str]:
    return re.compile(_LOOKED, re.IGNORECASE)


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


def not_told(request: str) -> str:
    """That nobody has said what is asked of the user's life."""
    return _say("not_told", request)


def not_known(request: str) -> str:
    """That what is asked changes, and nothing was looked up."""
    return _say("not_known", request)


def _say(key: str, request: str) -> str:
    told: str = sentences()["told"][key][language_of(request)]
    return told
