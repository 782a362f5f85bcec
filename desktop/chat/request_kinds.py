"""What kind a request is of, by its words: what no model may answer, and what no words may stand for.

Asked to send a mail a small model says that it has sent it; asked for the letter of the landlord it makes one
up. What needs the world of today is looked up, or said to be unknown; so is what only the user can know and
has not told; what no tool can do is said not to be done. And a text for somebody else is known from a wish to
do something, for there "I have sent …" is nobody's claim.

The expressions are looked at in every turn, so nothing here is called before one of them fits.
"""

from __future__ import annotations

import re

from desktop.chat.intent_words import spelled_out, typed

_FLAGS = re.IGNORECASE | re.DOTALL
# What is no word is not given back, and at most six words of a lead are: what follows looks through the rest
# of the request from each.
_LEAD = (
    r"^\W*+(?:(?:please|oops|oh|ups|hey|ok|okay|steward|can you|could you|would you|will you|i want you to|"
    r"i need you to|now|and|"
    r"bitte|kannst du|könntest du|jetzt|und|s'il te plaît|peux-tu|tu peux|pourrais-tu|maintenant|et|"
    r"por favor|"
    r"puedes|podrías|me puedes|ahora|y|then|dann|also|auch|mir|mal)[,:]?\s+){0,6}"
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
_WEEKDAY = (
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|next week|(?:mon|diens|donners|frei|sams|sonn)tags?|"
    r"mittwoch|nächste woche|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|semaine prochaine|"
    r"lunes|martes|miércoles|jueves|viernes|sábado|domingo|semana que viene)\b"
)
_FORECAST = (
    r"\b(?:weather|forecast|rain|snow|wetter|regnen|schneien|météo|pleuvoir|quel temps|qué tiempo|llover)\b"
)
_PRICE = (
    r"\b(?:trad(?:es|ing)|prices?|costs?|stock|shares?|exchange rate|worth|bitcoin|ethereum|gold price|"
    r"kurs|aktie\w*|"
    r"preis\w*|kostet|"
    r"wechselkurs|cours|prix|coûte|taux de change|cotización|precio|cuesta|tipo de cambio|"
    r"(?:lit(?:re|er)s?|gallons?|kilos?|barrels?|kwh|litros?) (?:of|de|d['’])\s?\w)"
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
    r"(?:está|va a) (?:lloviendo|nevando|llover|nevar)|necesito (?:un )?(?:paraguas|abrigo|chaqueta)|"
    # How warm it is, and what it is like where whoever asks is.
    r"how many degrees (?:is|are)\b|wie ?viel grad (?:hat|sind|ist|haben)\b|cuántos grados (?:hace|hay|"
    r"hará)\b|"
    r"il (?:fait|fera)(?:-t-il)? (?:combien|froid|chaud|beau|bon|quelle température)\b|"
    r"(?:wird|ist) es (?:\w+ ){0,2}(?:warm|kalt|heiß|sonnig|schön|nass|glatt)\b|"
    r"(?:hace|hará) (?:mucho )?(?:frío|calor|sol|viento)\b|"
    r"(?:what|how)(?:['’]s| is) (?:it|the (?:weather|temperature))\b.*\b(?:out|outside)\b|"
    r"(?:wie|was) (?:ist|hat) es\b.*\bdraußen\b|c['’]est comment dehors|cómo está (?:el tiempo|fuera|afuera))"
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
    typed(
        rf"^(?!.*(?:{_LEARNED}))(?:(?=.*{_WHEN}).*{_WEATHER}|.*{_WEATHER}.*{_WHEN}|.*{_WEATHER_NOW}"
        rf"|.*{_FORECAST}.*{_WEEKDAY}(?=.*\?|\W*$)"
        rf"|(?=.*{_WHEN}).*(?:{_PRICE}|\bhow much (?:is|are|does)\b)|.*{_RATES}"
        rf"|(?=.*(?:{_WHEN}|{_SHOPS}|\b(?:still|noch|encore|sigue)\b)){_HOURS}"
        rf"|.*{_SPORT}|.*{_EVENTS}|.*{_TRAVEL}|(?=.*{_WHEN})\W*who (?:runs|leads|heads|owns)\b)"
        rf"|\b(?:weather|wetter|météo|tiempo)\b (?:in|à|en) \w|{_OFFICE}|{_NEWS}"
    ),
    _FLAGS,
)

# "Call the file x" gives it a name; whom one rings is somebody.
_NO_FILE = (
    r"(?!(?:(?:the|my|our|this|le|la|l['’]|ce|cette|mon|ma|el|este|esta|mi) ?)?(?:(?:new|first|second|other|"
    r"nouve\w+|premi\w+|autre|nuev[oa]|primer[oa]?|otr[oa]) )?(?:files?|folder|list|table|document|picture|"
    r"photo|image|column|sheet|note|copy|one|fichier|dossier|liste|tableau|feuille|copie|colonne|archivo|"
    r"fichero|documento|carpeta|lista|tabla|hoja|nota|columna|foto|imagen|copia)s?\b|"
    r"[^\n]{0,60}?\w\.[a-z]{2,4}\b)"
)
_NOT_RUNG = (
    r"(?:number|bill|call|book|case|charger|contract|line|list|box|cable|shop|binder|road|size|tone|"
    r"battery|screen|app|too|also|under|is|was|has|with|in|off|died|rang)s?\b"
)
# To ring somebody, with or without what is to be told then.
_RINGS = (
    rf"(?:phone|telephone|ring up)\s+(?!me\b|{_NOT_RUNG}){_NO_FILE}\w"
    rf"|(?:call|ring)(?: up)? (?!it\b|this\b|that\b|me\b|an?\b|to\b|{_NOT_RUNG}){_NO_FILE}(?:my |our |the )?"
    r"[\w'’-]+(?: \w+)?(?: (?:at|that|and|to|now|on|about|back|for me|for us|i|i'll|i'm|we|he|she)\b|\W*$)"
    rf"|(?:call|ring)(?: up)? (?!it\b|this\b|that\b|me\b|an?\b|to\b){_NO_FILE}(?:[\w'’-]+ ){{1,5}}"
    r"(?:and|to) (?:tell|ask|say|let|remind|inform|invite|thank|order|book|cancel)\b"
    rf"|(?:call|ring) {_NO_FILE}(?:the|my|our|him|her|them) (?:[\w'’-]+ ){{0,4}}for (?:me|us)\b"
    r"|give (?!me\b|us\b)(?:[\w'’-]+ ){1,4}a (?:ring|call|buzz|bell)\b"
    r"|rufe? (?!mir\b|ab\b|ich\b|wir\b)"
    r"[^.!?;:]{0,60}?\ban(?:\W*$|[,.;!]? (?:und|damit|dass|wegen|um|für|bitte|oder)\b)"
    r"|(?:kannst|könntest|würdest) du [^.!?;:]{1,60}? anrufen(?:\W*$|,? und\b)|telefonier\w* (?:mal )?mit \w"
    rf"|(?:appelle|téléphone)(?:-l[ea]s?|-(?:lui|leur)) (?:et|pour)\b|appelle\s+{_NO_FILE}\w"
    r"|téléphone(?!-moi)\s+\w"
    rf"|(?:peux-tu|tu peux|pourrais-tu|pouvez-vous) (?:appeler|téléphoner à) {_NO_FILE}\w"
    r"|(?:passe|donne)[\w-]* un (?:coup de (?:fil|téléphone)|appel) (?:à|au)\b"
    rf"|(?:llama|telefonea)(?: por teléfono)? (?:a (?:la |los |las )?|al ){_NO_FILE}\w"
    r"|ll[aá]m[ae]l[oae]s?(?: (?:y|para|por|ahora|ya)\b|\W*$)"
    rf"|(?:me )?(?:puedes|podrías|podría) llamar (?:a (?:la |los |las )?|al ){_NO_FILE}\w"
    r"|(?:haz|hazle|da|dale) una? (?:llamada|toque) (?:al?)\b"
)
RINGS = re.compile(rf"{_LEAD}(?:{_RINGS})", _FLAGS)
_SENDS = (
    r"(?:send|e-?mail|whatsapp|fax|tweet)\s+(?!me\b)\w"
    r"|(?:text|message) (?:my |our |the )?(?!it\b|this\b|that\b|me\b|a\b|an\b|to\b)[\w']+(?: \w+)?"
    r"(?: (?:at|that|and|to|now|on|about|i|i'll|i'm|im|we|he|she)\b|\W*$)"
    r"|(?:schicke?|sende|maile?|faxe) \w|(?:envoie|envoyer|envoyez)(?!-moi)\s+\w"
    r"|(?:envía|enviar|envíale|manda|mándale)\s+\w"
)
# Whom to ring or to write to is no row of a table, whatever has that name.
REACHES_SOMEBODY = re.compile(rf"{_LEAD}(?:{_RINGS}|{_SENDS})", _FLAGS)
# What is asked to be done, or shown, that no tool of this program reaches.
OUT_OF_REACH = re.compile(
    _LEAD + rf"(?:{_RINGS}|"
    rf"{_SENDS}"
    r"|book (?:me )?(?:a|an|the|my|us)\b|order (?:me )?(?:a|an|some|two|three|pizza|food|flowers)\b|"
    r"pay (?:my|the|for)\b"
    r"|buy (?:me )?(?:a|an|some|two|the|tickets)\b|reserve (?:a|me)\b|(?:post|share|upload|"
    r"publish) (?:it|this|that|the|my)\b"
    r"|schedule (?:a|an|the|my)\b|play (?:some|the|my|music|a song|spotify)|(?:turn|switch) (?:on|off|up|"
    r"down|(?:the|my|it)\b.*\b(?:on|off|up|down))\b"
    r"|dim the|(?:un)?lock (?:the|my)|print (?:it|this|that|my|out|the (?:document|file|page|letter|pdf))\b"
    r"|buche? (?:mir )?(?:ein\w*|den|die|"
    r"das)\b"
    r"|bestelle? (?:mir )?\w|kaufe? (?:mir )?\w|bezahle? \w|überweise? \w|reserviere? \w|(?:poste|"
    r"veröffentliche) \w"
    r"|teile? (?:es|das|die|den|meine?) .*\b(?:mit|auf)\b|drucke? (?:es|das|die|den|mein\w*|diese\w*)\b|"
    r"spiele? (?:musik|das lied|ein lied|"
    r"etwas|den song)"
    r"|schalte? .*\b(?:ein|aus|an|ab)\b|mache? (?:das |die |den )?(?:licht|lampe|heizung|musik|"
    r"fernseher)\w* \w"
    r"|(?:réserve|commande|achète|paie|paye|publie|partage|"
    r"imprime|allume|"
    r"éteins|verrouille|invite)(?!-moi)\s+\w|mets de la musique"
    r"|(?:reserva|pide|compra|paga|publica|comparte|"
    r"imprime|"
    r"enciende|apaga|"
    r"invita|reproduce)\s+\w|pon música"
    r")",
    _FLAGS,
)
_MINE = r"\b(?:my|mine|i|i've|me|mein\w*|ich|mir|mon|ma|mes|j'ai|ai-je|moi|je|mi|mis|tengo|yo|me)\b"
OF_ONES_OWN = re.compile(
    r"(?<!\w)(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr[oa]s?)(?!\w)", re.IGNORECASE
)
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
    r"|^\W*(?:am i|bin ich|suis-je|estoy) (?:free|busy|frei|verplant|libre|occupée?|ocupad[oa])\b(?! (?:to|"
    r"enough|zu|genug|de)\b)"
    rf"|\b(?:where am i|wo bin ich|où suis-je|"
    rf"dónde estoy)\W*$",
    _FLAGS,
)
_PAPERS = (
    r"\b(?:letter|e-?mail|mail|message|contract|invoice|bill|receipt|lease|report|document|pdf|notes?|"
    r"payslip|statement|diary|journal|voicemail|sms|tagebuch\w*|nachricht\w*|diario|"
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
# Papers of the world as well: "summarise the report by the IPCC".
_PUBLIC = (
    r"(?:reports?|documents?|statement|photos?|pictures?|bericht\w*|dokument\w*|rapport|informe|documento)\b"
)
OWN_PAPERS = re.compile(
    rf"^\W*(?:what|was|que|qu'est-ce que|qué) (?:does|do|did|schreibt|schreiben|will|wollen|sagt|"
    rf"veut|veulent|dit|m'écrit|écrit|quiere|dice|escribe|me escribe|me dice)\b[^.!]{{0,25}}\b{_SENDERS}\b|"
    rf"^\W*how much (?:is|was) (?:the|my) {_PAPERS} from\b|"
    rf"^(?!.*{_TO_WRITE})\W*(?:tell me |sag mir |dis-moi |dime )?(?:what|what's|when|how much|was|wann|"
    rf"wieviel|"
    r"wie viel|que|qu'est-ce|quand|combien|qué|cuánto|cuándo)\b"
    rf"(?=.*{_SAYS}).*(?:\b(?:my|mein\w*|mon|ma|mes|mi|mis)\b.*{_PAPERS}|{_PAPERS} (?:from|by|of|von|vom|"
    rf"de|du|del) )"
    # "Read me my diary entry from Tuesday", "summarise the email from Anna"
    rf"|^(?!.*{_TO_WRITE})(?!.*[:\n])\W*(?:please |bitte |can you |kannst du )?(?:read|show|open|"
    r"summari[sz]e|translate|"
    r"lies|lese|zeig\w*|öffne|fass\w*|lis|montre\w*|ouvre|résume\w*|lee\w*|lée\w*|muéstra\w*|muestra\w*|"
    r"abre|resume|"
    rf"resúme\w*)\b(?: (?:me|mir|us|uns|-moi|out))*"
    rf"(?: (?:my|mein\w*|mon|ma|mes|mi|mis)\b(?: \w+){{0,2}} {_PAPERS}| (?!(?:\w+ ){{0,2}}(?:an?|eine?n?|"
    r"une?|una?) )"
    rf"(?:\w+ ){{0,3}}?(?!{_PUBLIC}){_PAPERS} (?:\w+ )?(?:from|by|von|vom|de|du|del) (?!(?:the|der|la|le|"
    r"el) )\w)",
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
# Whether somebody has been in touch, what has come, where something of one's own is: nobody here knows.
_TOUCH = (
    r"(?:call|called|ring|rang|rung|text|texted|write|written|reply|replied|answer|answered|respond|"
    r"responded|message|"
    r"messaged|e-?mail|e-?mailed|phone|phoned|contact|contacted|get back|got back|pay|paid|cancel|cancelled|"
    r"confirm|"
    r"confirmed|accept|accepted|arrive|arrived|deliver|delivered|come|send|sent|leave|left)"
)
_GEMELDET = (
    r"(?:angerufen|zurückgerufen|geantwortet|geschrieben|zurückgeschrieben|gemeldet|abgesagt|zugesagt|"
    r"bezahlt|"
    r"überwiesen|geschickt|gesendet|angekommen|gekommen|bestätigt|eingetroffen)"
)
_APPELE = r"(?:appelée?|rappelée?|répondu|écrit|envoyé|payé|confirmé|annulé|arrivée?|livrée?|contactée?)"
_LLAMADO = r"(?:llamado|escrito|contestado|respondido|enviado|mandado|pagado|confirmado|cancelado|llegado)"
_INBOX = (
    r"(?:messages?|mails?|e-?mails?|calls?|voicemails?|texts?|appointments?|meetings?|plans|deadlines?|"
    r"bills?|"
    r"homework|nachricht(?:en)?|anrufe?|termine?|rechnung(?:en)?|hausaufgaben|messages?|appels?|rendez-vous|"
    r"factures?|"
    r"devoirs|mensajes?|llamadas?|citas?|facturas?|deberes|reuniones)"
)
# "Where is my spleen?" asks for nothing of the user's own.
_BODY = (
    r"(?!(?:\w+ )?(?:liver|kidneys?|heart|appendix|spleen|pancreas|lungs?|stomach|coccyx|tailbone|thyroid|"
    r"gall|bladder|"
    r"prostate|sinus\w*|tonsils?|diaphragm|sternum|o?esophagus|intestines?|colon|uterus|ovar\w+|brain|"
    r"pituitary|"
    r"leber|nieren?|herz|blinddarm|milz|magen|steißbein|schilddrüse|gallenblase|blase|prostata|zwerchfell|"
    r"brustbein|"
    r"darm|gehirn|mandeln|lunge|bauchspeicheldrüse|foie|cœur|rate|estomac|reins?|poumons?|vésicule|vessie|"
    r"thyroïde|"
    r"cerveau|pancréas|coccyx|amygdales|appendice|hígado|corazón|riñones|bazo|estómago|pulmones|vesícula|"
    r"vejiga|"
    r"tiroides|próstata|cerebro|páncreas|coxis|amígdalas|apéndice)\b)"
)
# What is supposed of anybody: "how much do I owe if I earn 40,000?"
_SUPPOSED = (
    r"(?!.*\b(?:if|as an?|once|wenn|falls|als|comme|si|como|should|debería|devrais|sollte|enough|genug|ever|"
    r"jemals|"
    r"assez|bastante|mayor)\b)"
)
# An appointment, a thing: one to three words, and with whom or for when.
_WHAT_OF_MINE = (
    r"[\w'’-]+(?: [\w'’-]+){0,2}?(?: (?:with|at|this|next|again|due|from|mit|bei|am|diese\w*|wieder|vom|avec|"
    r"chez|du|"
    r"encore|con|en|del) [^?]{1,40}| again| due| wieder)?"
)
OWN_EVENTS = re.compile(
    rf"^{_SUPPOSED}\W*(?:(?:tell me|do you know|hey|and|so|sag mir|weißt du|und|dis-moi|tu sais|et|dime|"
    r"sabes|"
    r"y)[,:]?\s+)*(?:"
    rf"(?:did|has|have|hasn['’]t|didn['’]t) (?!you\b|i\b|we\b|the (?:\w+ ){{0,2}}(?:war|empire|"
    rf"government)\b)(?:[\w'’-]+ ){{1,4}}?"
    rf"{_TOUCH}(?: (?:me|back|already|yet|today|home|to me|my [^?]*|(?:about |for )?the (?:appointment|"
    r"invoice|"
    r"rent|order|e-?mail|mail|message|letter|booking|meeting|payment|parcel|package|bill)\b[^?]*))+\W*$"
    rf"|(?:did|has) my\b(?: [\w'’-]+){{0,3}} {_TOUCH}\b[^?]*\??$"
    rf"|(?:did|has) (?:anyone|anybody|someone|somebody)(?: [\w'’-]+){{0,3}} {_TOUCH}(?: (?:for |to )?(?:me|"
    r"my|us|our|"
    r"back|yet|today|already)\b[^?]*)?\W*$"
    r"|(?:do i have|have i got|i have|got) (?:any |an? )?(?:new |unread |missed |"
    rf"more )?{_INBOX}\b(?! (?:should|to write))[^?]*\?"
    r"|(?:am i|bin ich|suis-je|estoy) (?:free|busy|invited|insured|registered|frei|verplant|eingeladen|"
    r"versichert|libre|"
    r"invitée?|occupée?|invitad[oa]|ocupad[oa])\b(?! (?:to|zu|de)\b)[^?]*"
    rf"|(?:when|where)(?:['’]s| is| are) my {_BODY}{_WHAT_OF_MINE}\W*$|how (?:much|"
    rf"many) (?:\w+ ){{0,3}}(?:do i|"
    r"did i|have i) (?:owe|earn|"
    rf"spend|spent|pay|paid|weigh|have (?:left|on|in my)|make a (?:month|year))\b[^?]*"
    r"|what did (?:[\w'’-]+ ){1,3}(?:say|write|tell|send|want|text|ask)(?: (?:me|to me|in (?:his|her|their|"
    r"the) "
    r"(?:last )?(?:\w+ )?(?:mail|message|letter|e-?mail|text|reply))\b(?! to\b)[^?]*)"
    rf"|hat (?=[^?]*(?:\b(?:mich|mir|mein\w*|sich|uns|unser\w*|jemand|schon|heute|gestern|noch)\b|angerufen|"
    r"zurückgerufen|geantwortet|abgesagt|zugesagt|"
    rf"überwiesen))(?:sich )?(?!du\b)(?:[\w-]+ ){{1,4}}?(?:(?:mich|mir|sich|schon|heute|gestern|noch|wieder|"
    rf"jemand) )*{_GEMELDET}\b[^?]*\?"
    r"|hab(?:e|) ich (?:noch |heute |morgen |schon |neue |ungelesene |verpasste |irgendwelche |"
    rf"einen? )*{_INBOX}\b[^?]*"
    r"|(?:wann|wo) (?:ist|sind|liegt|liegen|steht|hab(?:e)? ich|war|"
    rf"waren) mein\w* {_BODY}{_WHAT_OF_MINE}\W*$"
    r"|wie ?viel (?:\w+ ){0,2}(?:schulde|verdiene|wiege|schuldet) (?:ich|mir)\b[^?]*"
    r"|was hat (?:[\w-]+ ){1,3}(?:mir|mich) (?:\w+ )?(?:gesagt|geschrieben|geschickt|gefragt|erzählt)\b[^?]*"
    rf"|(?:est-ce qu['’e] ?)?(?:(?:[\w'’-]+ ){{1,3}}m['’](?:a|ont)|(?:quelqu['’]un|m(?:on|a|es) [\w-]+|"
    rf"[\w-]+ a-t-(?:il|elle))(?: a| ont)?)(?: bien| déjà)? {_APPELE}\b[^?]*\?"
    r"|(?:est-ce que )?(?:j['’]ai|ai-je) (?:des|un|une|de nouveaux?|combien de|reçu (?:des|un|"
    rf"une)) {_INBOX}\b[^?]*"
    rf"|(?:quand|où) (?:est|sont|c['’]est) (?:mon|ma|mes) {_BODY}{_WHAT_OF_MINE}\W*$|"
    r"combien (?:est-ce que )?je (?:dois|gagne|pèse)\b[^?]*"
    rf"|¿?(?=[^?]*\b(?:me|mis?|nos|nuestr\w+)\b)(?:ya )?(?:me |te )?(?:ha|han) {_LLAMADO}\b[^?]*|"
    rf"¿?(?:[\w-]+ ){{1,3}}(?:ya )?me (?:ha|"
    rf"han) {_LLAMADO}\b[^?]*"
    rf"|¿?tengo (?:algún |alguna |nuev[oa]s |)(?:{_INBOX})\b[^?]*|¿?(?:cuándo|dónde) (?:es|está|están|son|"
    rf"tengo) (?:mi|mis) {_BODY}{_WHAT_OF_MINE}\W*$"
    r"|¿?cuánto (?:debo|gano|peso|me debe\w*)\b[^?]*"
    r")\W*$",
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
# What there is to come, of which only reminders are in reach.
ASKS_WHAT_IS_DUE = re.compile(
    r"\b(?:do i have|have i|i['’]ve got|i got|is there|are there|habe? ich|steht an|ist los|gibt es|ai-je|"
    r"j['’]ai|est-ce que|y a-t-il|tengo|hay)\b.*\?|\b(?:reminders?|alarms?|erinnerungen|wecker|rappels|"
    r"recordatorios|alarmas)\b.*\?",
    _FLAGS,
)
# Asked whether something was done: an answer that does it now would be the harm that is asked about, and a
# model says yes to whatever it is asked.
_DEED = (
    r"\b(?:delet\w*|remov\w*|mov(?:e|ed|ing)|renam\w*|chang\w*|sav(?:e|ed|ing)|writ(?:e|ten)|wrote|overwr\w*|"
    r"edit\w*|"
    r"add(?:ed)?|sen[dt]|mail(?:ed)?|e-?mail(?:ed)?|text(?:ed)?|call(?:ed)?|phon(?:e|ed)|rang|ring|"
    r"book(?:ed)?|order(?:ed)?|"
    r"bought|buy|pay|paid|print(?:ed)?|set|schedul\w*|remind\w*|cancel\w*|turn(?:ed)?|switch(?:ed)?|cop(?:y|"
    r"ied)|"
    r"put|not(?:e|ed)|record(?:ed)?|log(?:ged)?|stor(?:e|ed)|creat\w*|ma[dk]e|undo(?:ne)?|restor\w*|"
    r"back(?:ed)?(?: \w+)? up|"
    r"post(?:ed)?|"
    r"upload\w*|install\w*|clos(?:e|ed)|lock(?:ed)?|tick(?:ed)?|crossed|done|do (?:it|that|this)|"
    r"gelöscht|entfernt|verschoben|umbenannt|geändert|gespeichert|gesichert|geschrieben|überschrieben|"
    r"hinzugefügt|"
    r"gesendet|geschickt|verschickt|abgeschickt|angerufen|gebucht|bestellt|gekauft|bezahlt|überwiesen|"
    r"gedruckt|"
    r"ausgedruckt|gestellt|eingestellt|eingetragen|abgesagt|storniert|ausgeschaltet|eingeschaltet|kopiert|"
    r"notiert|"
    r"aufgeschrieben|vermerkt|angelegt|erstellt|rückgängig|hochgeladen|installiert|erledigt|gemacht|getan|"
    r"supprim\w*|effac\w*|déplac\w*|renomm\w*|modifi\w*|enregistr\w*|sauvegard\w*|ajout\w*|envoy\w*|appel\w*|"
    r"réserv\w*|command\w*|achet\w*|pay\w*|imprim\w*|programm\w*|annul\w*|éteint\w*|allum\w*|copi\w*|"
    r"not[ée]\w*|"
    r"inscrit\w*|créé\w*|fait|mis|"
    r"borrad\w*|borr[aó]\w*|elimin\w*|movid\w*|movi\w*|renombr\w*|cambia\w*|guarda\w*|modific\w*|añadi\w*|"
    r"enviad\w*|"
    r"envia\w*|mandad\w*|mandas\w*|llamad\w*|llamas\w*|reserv\w*|pedid\w*|pedis\w*|comprad\w*|compras\w*|"
    r"pagad\w*|"
    r"pagas\w*|impres\w*|imprim\w*|program\w*|cancel\w*|apagad\w*|apagas\w*|encendi\w*|copia\w*|anota\w*|"
    r"apunta\w*|"
    r"cread\w*|creas\w*|hecho|hicis\w*|puest\w*)"
)
_STANDS = (
    r"(?:saved|stored|written down|noted|kept|recorded|backed up|logged|in (?:the|a|my) file|gespeichert|"
    r"gesichert|"
    r"notiert|aufgeschrieben|abgelegt|festgehalten|enregistrée?s?|sauvegardée?s?|notée?s?|conservée?s?|"
    r"guardad[oa]s?|anotad[oa]s?|apuntad[oa]s?|registrad[oa]s?)"
)
_IT = (
    r"(?:it|that|this|everything|all (?:of )?(?:it|that|this)|das|es|alles|dies|ça|c['’]est|cela|tout|eso|"
    r"esto|todo)"
)
# What this chat is about: what was just written, or something of the user's.
_OURS = (
    rf"(?:{_IT}|(?:my|mein\w*|mon|ma|mes|mi|mis) \w+|(?:the|die|der|das|le|la|les|el|los|"
    r"las) (?:\w+ )?(?:files?|lists?|notes?|"
    r"text|poem|reminders?|recipe|letter|changes?|report|folder|photos?|e?-?mails?|datei\w*|ordner|\w*liste|"
    r"notiz\w*|"
    r"gedicht|erinnerung\w*|brief|bericht|fotos?|änderung\w*|fichiers?|dossiers?|listes?|rappels?|photos?|"
    r"lettre|"
    r"archivos?|carpetas?|listas?|notas?|recordatorios?|cambios?)|[\w-]+\.\w{2,4})"
)
_STILL = (
    r"(?: (?:now|already|somewhere|anywhere|yet|then|too|for me|jetzt|schon|irgendwo|nun|auch|maintenant|"
    r"déjà|"
    r"quelque part|où|ya|ahora|en algún sitio|(?:in|to|on|dans|en|im|auf) [\w.' -]{1,25}))*\W*$"
)
_OKAYS = (
    r"(?:(?:so|and|wait|hey|but|nice|great|good|cool|fine|thanks|perfect|super|und|et|y|moment|oh|ok|okay|"
    r"also|"
    r"aber|schön|gut|danke|toll|alors|mais|merci|bien|parfait|vale|pero|gracias|entonces|bueno|genial|ya|tu|"
    r"du|well|"
    r"please|tell me|steward)[,!.]*\s+)*"
)
ASKS_IF_DONE = re.compile(
    # A book is written by somebody, and in some language.
    rf"^\W*(?!.*\bby (?!you\b|steward|mistake|accident)\w)(?!.*\bwritten in (?-i:[A-Z])){_OKAYS}(?:"
    # "Have I got anything written down about the boiler?" asks for what there is, whoever wrote it.
    r"(?!(?:did|have|haven't|didn't) (?:i|we)\b.*\b(?:any|some)\w*\b.*\b(?:about|on|for|from|of|with)\b)(?:"
    r"(?:(?:did|have|haven't|didn't) (?:you|u|i|we)\b(?! ever\b)|(?:hast|habt) (?:du|ihr)\b|haben sie\b"
    rf"|(?:was|were|wurden?) {_OURS}\b|you (?:did|have|already|just)\b"
    r"|(?:est-ce que )?(?:(?:l['’]|les[- ])?(?:as-tu|avez-vous)|(?:tu|vous) (?:l['’]|les |m['’]|en )?(?:as|"
    r"avez)|"
    r"t['’](?:l['’])?as)\b"
    r"|¿?(?:lo |la |los |las |me |le |ya )*(?:has|habéis|ha usted) (?!(?:anyone|he|she|it|the|my|"
    r"somebody)\b)(?=\w))"
    rf"(?=.*{_DEED})"
    r"|¿?(?:ya |lo |la |los |las |me |le )*(?:borraste|eliminaste|moviste|renombraste|cambiaste|guardaste|"
    r"añadiste|"
    r"enviaste|mandaste|llamaste|reservaste|pediste|compraste|pagaste|imprimiste|cancelaste|apagaste|"
    r"anotaste|"
    r"apuntaste|creaste|hiciste|pusiste)\b"
    r"|you said (?:that )?you(?:['’]d| would| had)\b"
    rf"|(?:confirm|bestätige?|confirme[zr]?|confirma)\b(?=.*{_DEED})(?=.*\b(?:was|were|is|has|have|wurde|ist|"
    r"sind|a été|"
    r"est|fue|está|"
    r"ha sido)\b)))",
    _FLAGS,
)
# What was done, asked of the one who did it. Only where something was: of a text that was written in words
# alone it is a question about that text.
_WHAT_DONE = (
    r"what(?: exactly| all)?(?: did| have)? you (?:(?:actually|just|exactly|really|now) )*"
    r"(?:do|done|changed?|deleted?|moved?|renamed?|added?|removed?|touch(?:ed)?|edit(?:ed)?|alter(?:ed)?|set)\b"
    r"|what (?:has|was|got) (?:just )?(?:changed|done|deleted|moved|renamed|added|removed)\b"
    r"|was (?:genau |alles )?hast du (?:(?:denn|da|jetzt|gerade|eben|genau|alles|nun|schon|wieder) )*"
    r"(?:geändert|verändert|gemacht|getan|gelöscht|entfernt|verschoben|umbenannt|ergänzt|hinzugefügt|eingetragen)\b"
    r"|(?:qu['’]est-ce que |qu['’])?(?:tu (?:as|viens de)|as-tu) (?:(?:exactement|juste|donc) )*"
    r"(?:changé|changer|modifié|modifier|fait|faire|supprimé|déplacé|renommé|ajouté|enlevé)"
    r"(?: quoi| exactement| là| au juste)*"
    r"|qué (?:has|acabas de|es lo que has) (?:cambiado|cambiar|modificado|hecho|hacer|borrado|movido|añadido|"
    r"quitado)"
    r"|qué (?:cambiaste|hiciste|borraste|moviste|renombraste|añadiste|quitaste|modificaste)\b"
)
ASKS_WHAT_DONE = re.compile(typed(rf"^\W*{_OKAYS}(?:{_WHAT_DONE})"), _FLAGS)
# "And on Sunday?", "roughly?": it goes on from a question.
GOES_ON_ASKING = re.compile(
    typed(
        r"^\W*(?:(?:and|und|et|y|what about|how about|was ist mit|wie ist es mit|et pour|qué tal) "
        r"(?!(?:you|why|me|then|du|ihr|sie|warum|wieso|toi|vous|pourquoi|tú|por qué)\b)[\w'’ .-]{2,40}"
        r"|(?:roughly|about|approximately|just roughly|ungefähr|etwa|circa|so grob|environ|à peu près|"
        r"más o menos|aproximadamente))\s*\?+\s*$"
    ),
    re.IGNORECASE,
)
# The same where it needs something said before it: as a first message "is the file stored in RAM or on disk?"
# asks about the world.
ASKS_IF_STANDS = re.compile(
    rf"^\W*{_OKAYS}(?:"
    rf"(?:is|are|was|were|isn['’]t|ist|sind|wurde|est-ce que) {_OURS}(?: \w+){{0,3}}? {_STANDS}\b{_STILL}"
    rf"|¿?(?:está|están|se ha|quedó|ya está)(?: (?:{_OURS}|ya|todo))? ?{_STANDS}{_STILL}|(?:{_IT} (?:is|ist|"
    rf"est|está|a été|bien) ?(?:\w+ )?|c['’]est (?:bien )?){_STANDS}\b(?=.*\?){_STILL}"
    r"|did (?:that|it|this) (?:work|go through)\W*$|hat (?:das|es) (?:geklappt|funktioniert)\b"
    r"|(?:ça|cela) a (?:marché|fonctionné)|¿?(?:funcionó|ha funcionado)\b)",
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
_WRITES = (
    r"(?:write|draft|compose|schreib\w*|formulier\w*|verfass\w*|entwirf|écri\w*|rédig\w*|escrib\w*|redact\w*|"
    r"scriv\w*|schrijf)"
)
# Only a text: a card that is made is written, and "a reminder to …" alone may be one to set.
_CARD = (
    r"(?:letter|card|poem|story|haiku|toast|invitation|apology|complaint|speech|brief|\w*karte|\w*einladung|"
    r"gedicht|"
    r"geschichte|entschuldigung|\w*rede|lettre|carte|poème|histoire|invitation|carta|tarjeta|felicitación|"
    r"poema|"
    r"historia|invitación)"
)
_FOR_SOMEBODY = r"(?:for|to|in|about|für|an|auf|über|zum|zur|pour|à|en|sur|para|a|sobre)"
LETTERS = re.compile(
    r"^\W*(?:please |bitte |can you |could you |kannst du (?:mir )?|peux-tu (?:m')?|¿?(?:me )?puedes )?"
    rf"(?P<writes>{_WRITES})\b(?: [\w.-]+){{0,4}}?[ '’]{_LETTER}\b"
    rf"|^\W*(?:kannst|könntest|würdest) du\b[^.?!]{{0,40}} {_LETTER}\b[^.?!]*"
    r" (?:schreib|verfass|formulier)\w*"
    # "A birthday card in French for my aunt", "Ich brauche eine Karte für …", "Tu peux me faire une carte …?"
    r"|^\W*(?:(?:please|bitte|hi|hey|hallo|bonjour|hola)[, ]+)*(?:(?:i(?: would|['’]d) like|i (?:need|want)|"
    r"ich (?:brauche|möchte|hätte gern)|il me faut|je (?:voudrais|veux)|j['’]ai besoin d['’]|necesito|quiero|"
    r"quisiera|(?:can|could|would) you (?:make|create|do)|make|create|give|kannst du|mach\w*|erstell\w*|"
    r"(?:tu peux|peux-tu|pourrais-tu) (?:me )?(?:faire|créer|préparer)|fais|crée|"
    r"(?:puedes|podrías|me puedes) (?:hacer\w*|crear\w*)|me haces|haz|hazme|crea)(?: |[-]))?"
    r"(?:(?:me|mir|us|uns|moi|nous) )?"
    r"(?:(?:an?|eine?n?|une?|una|some|short|small|kurze\w?|kleine\w?|petite?|pequeña) ?){1,2}"
    rf"(?:[\w.-]+ ){{0,2}}?{_CARD}\b(?: (?:d['’]|de )\w+)? {_FOR_SOMEBODY} ",
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


LONGEST_QUESTION = 300  # characters


def asks_of_today(request: str, before: str = "") -> bool:
    """Whether it asks for what the world is like today, or goes on from the question `before`, which did. A
    long text that was pasted speaks of the weather too."""
    if len(request) > LONGEST_QUESTION:
        return False
    if LIVE.search(spelled_out(request)):
        return True
    return bool(before and GOES_ON_ASKING.match(request) and LIVE.search(spelled_out(before)))


def asks_if_done(request: str) -> bool:
    """Whether it asks if something was done, in whatever spelling."""
    return ASKS_IF_DONE.search(request) is not None or ASKS_IF_DONE.search(spelled_out(request)) is not None


def asks_what_done(request: str) -> bool:
    """Whether it asks what was done; only of a chat in which something was."""
    return ASKS_WHAT_DONE.search(spelled_out(request)) is not None


def is_act(request: str) -> bool:
    """Whether an answer in words would stand in the place of something to do."""
    return ACTS.search(request) is not None and _NO_TEXT_LIST.search(request) is None
