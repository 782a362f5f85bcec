"""Sentences that claim something was done on this computer, or looked at there, in four languages.

Asked to add a line a small model says that it has; asked for the clipboard it tells what is in it. A sentence
that says so is held back until its end, and dropped where no call of this turn did it
(`streaming.ClaimGuard`). What is explained, offered, asked, denied, quoted or written for somebody else
claims nothing. tests/chat/cases has the sentences that both are held to.

"As an AI language model, I don't have access to your records" is what a small model says of things that stand
in the user's own files. What people ask has no end of wordings; how a model excuses itself has few. So an
answer that begins with such a sentence is held back for a second look (`excuse_fallback.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache

from desktop.chat.intent_words import language_of, sentences

# -- what a sentence claims -------------------------------------------------------------------


class Claim(StrEnum):
    """What a sentence of the model says of this computer."""

    ACT = "act"  # that something was done, is being done or will be
    LOOK = "look"  # that something of the user's was looked at, or what is in it
    LACK = "lack"  # that it cannot be known or done, as the first thing said (`disclaims`)


# Of whoever speaks in the perfect or the past. Those of `_LOOKED` need something of the user's behind them.
_EN = (
    r"(?:added|appended|included|inserted|created|made|generated|saved|stored|written|wrote|jotted|logged|"
    r"moved|"
    r"relocated|renamed|deleted|removed|erased|cleared|taken|took|copied|duplicated|sent|emailed|e-mailed|"
    r"texted|"
    r"messaged|notified|set|scheduled|rescheduled|planned|cancell?ed|updated|changed|edited|modified|"
    r"replaced|swapped|"
    r"undone|undid|reverted|restored|recovered|retrieved|fetched|booked|ordered|reserved|called|turned|"
    r"switched|closed|"
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
    rf"|\b(?:list|file|folder|note|reminder|{_NAME}) (?:now (?:contains|has|includes|reads|says|holds|shows)|"
    r"will now (?:contain|have|include|read|say|hold|show))\b"
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
    rf"|^(?:[\W\d]|x\])*(?:(?:all|ok(?:ay)?) )?(?:success\w+ )?(?!noted\b)(?:done|{_EN_BY_HAND}|wrote|undone|"
    r"cleared|"
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
# -- below an order ---------------------------------------------------------------------------

# Where something is to be done and nothing was, a sentence needs no known verb and no known thing to say that
# it was: each statement of a deed, of its end or of one to come says so. What only talks is left.
_TALKED = (
    r"(?:not|never|no|been|heard|learned|learnt|understood|understand|tried|wanted|needed|assumed|meant|"
    r"missed|"
    r"apologi[sz]ed|noticed|considered|listed|provided|explained|described|mentioned|suggested|recommended|"
    r"used|thought|hoped|wondered|said|told|asked|answered|seen|had|got|finished|need|did (?:not|n))\b"
)
_WILL_TALK = (
    r"(?:not|never|be (?:happy|glad|able|here|honest)|need|help|try|do my best|explain|give|tell|show|list|"
    r"write|"
    r"provide|start (?:by|with)|begin (?:by|with)|assume|wait|say|guide|walk|describe|suggest|assist|answer|"
    r"break|"
    r"go through|use|outline|have to|ask|share|summari[sz]e|draft|think|only|gladly (?:help|explain)|"
    r"include)\b"
)
_TALKING = (
    r"(?:going|looking|wondering|thinking|hoping|having|assuming|asking|trying|talking|referring|being|"
    r"missing|"
    r"struggling|not)\b"
)
_PARTICIPLE = (
    r"(?:\w{2,}(?:ed|wn|zen|ken|ten|den|ven)|set|put|sent|done|made|cut|paid|built|bought|shut|lit|undone|"
    r"kept|"
    r"read|ready|complete|off|on|up|running|playing|recording)"
)
_PARTIZIP = (
    r"(?:(?:\w+)?ge\w{2,}(?:t|en)|(?:ver|be|er|zer|ent|über|unter|wieder)\w{2,}(?:t|en)|\w{2,}iert|fertig|"
    r"bereit|unterwegs|erledigt|aktiv|aus|ein|an)"
)
_PARTICIPE = (
    r"(?:\w{2,}(?:ée?s?|ies?|ues?|i|u)|\w+(?:mis|pris|fait|ert|uit|eint|crit)e?s?|prête?s?|"
    r"en (?:cours|route|marche))"
)
_PARTICIPIO = (
    r"(?:\w{2,}(?:ad|id)[oa]s?|(?:hech|puest|escrit|abiert|impres|list|rot|vist|deshech)[oa]s?|"
    r"en (?:marcha|camino|curso))"
)
_NOT_FINITE = (
    r"(?!.*\b(?:is|are|was|were|can|may|might|will|would|helps?|means|requires?|makes|takes|needs?|should|"
    r"must|ist|"
    r"sind|kann|wird|hilft|est|sont|peut|es|son|puede)\b)"
)
_NO_VERB = (
    r"(?!.*\b(?:avez|avons|ont|est|sont|a|as|ai|peut|peux|tiene|tienes|hay|es|son|está|puede|is|are|has|"
    r"have)\b)"
)
_ORDERED = (
    rf"\b(?:I|we)(?:['’]ve| have|){_ADVERBS} (?!{_TALKED})(?!did\b ?n)(?:\w+ed|set|put|sent|did|done|made|"
    r"cut|paid|took|taken|wrote|"
    r"written|began|begun|ran|shut|kept|got rid)\b"
    r"|(?<!\band )\bI(?:['’]ll| will|['’]m going to| am going to)(?: now| then| also| gladly| certainly|"
    r" definitely)* "
    rf"(?!{_WILL_TALK})\w+"
    rf"|\bI(?:['’]m| am)(?: now| currently| already)? (?!{_TALKING})\w+ing\b"
    rf"|(?<!\bI )(?:\bhas|\bhave|['’]s|['’]ve)(?: now| already| just| \w+ly| all)* been (?:\w+ly )?\w+"
    r"|\b(?:is|are)(?: now| already| currently| all| both|"
    rf" both now)+ (?:\w+ly )?(?:\w+ ){{0,2}}?{_PARTICIPLE}\b"
    r"|\b(?:is|are) (?:all )?(?:set|done|scheduled|booked|blocked|locked|unlocked|encrypted|printed|printing|"
    r"ordered|"
    r"paid|sent|faxed|muted|dimmed|complete|confirmed|saved|stored|noted|logged|on (?:its|the) way|"
    r"taken care of|"
    r"under way|in progress|turned (?:on|off)|switched (?:on|off))\b(?! (?:by|when|if|with|in (?:the|many|"
    r"most|"
    r"all|a|your) (?!calendar|list|folder|file|note))\b)"
    r"|\b(?:is|are) being \w+|\b(?:is|are) (?:up|down|off|on)\W*$"
    r"|\b(?:was|were) (?:\w+ly )?(?:sent|paid|added|saved|printed|ordered|booked|cancel\w+|turned|switched|"
    r"confirmed|"
    r"scheduled|completed|delivered|logged)\b"
    rf"{_HISTORY}"
    r"|\b(?:you(?:['’]re| are)|everything(?:['’]s| is)|it(?:['’]s| is)|we(?:['’]re| are)|that(?:['’]s| is)) "
    r"(?:now )?(?:all set|taken care of|good to go|sorted|all done|done)\b|^\W*(?:all set|consider it done)\b"
    r"|\byou(?:['’]ll| will) (?:now )?(?:be|get|receive) (?:notified|reminded|alerted|informed|woken|"
    r"an? (?:alert|"
    r"notification|reminder|message|call))\b"
    rf"|^\W*(?:(?:ok(?:ay)?|sure|yes|great)[,.!]* )?(?:[\w'’.-]+ ){{1,6}}(?:sent|set|added|started|stopped|"
    r"scheduled|booked|"
    rf"printed|saved|logged|ordered|paid|off|done|created|enabled|disabled|blocked|locked|cancell?ed|updated|"
    r"confirmed|completed|deleted|moved|renamed|fixed|corrected|removed|copied|encrypted|archived|zipped|"
    rf"cleared)(?: for [\w: ]{{1,30}}| at [\w: ]{{1,20}}| successfully)?\W*$"
    r"|^\W*(?:(?:ok(?:ay)?|sure|yes|great)[,.!]* )?\w+ing (?:off|on|up|down|out|your|the|it|all|both|two|"
    rf"\d)\b{_NOT_FINITE}"
    r"|^\W*(?:turned|switched|enabled|disabled|started|stopped|logged|recorded|blocked|printed|encrypted|"
    r"zipped|"
    r"compressed|organi[sz]ed|cleaned|tidied|fixed|corrected|faxed|paid|confirmed|ticked|crossed|muted|"
    r"locked|"
    rf"unlocked|dimmed|raised|lowered|increased|noted|ordered|booked)\b{_NOT_FINITE}"
    # German
    r"|\b(?:ich|wir) hab(?:e|en|) (?!zu |kein|nicht|leider (?:kein|nicht)|verstanden|"
    rf"versucht)[^.!?\n]{{0,70}}?\b{_PARTIZIP}\b"
    rf"|\bhabe ich (?!zu |kein|nicht)[^.!?\n]{{0,70}}?\b{_PARTIZIP}\b"
    r"|\b(?:wurden?|(?:ist|sind) (?:jetzt|nun|bereits|schon|ab sofort|"
    rf"damit))\b[^.!?\n]{{0,60}}?\b{_PARTIZIP}\b"
    r"|\b(?:ist|sind) (?!es |das |ein)[^.!?\n]{0,40}?\b(?:(?:aus|ein|an|ab|auf|um|zu|hinzu)ge\w+|gebucht|"
    r"gespeichert|"
    r"gestellt|gesendet|gedruckt|bestellt|bezahlt|erledigt|aktiviert|deaktiviert|notiert|eingetragen|"
    r"verschoben|"
    r"gelöscht|unterwegs|in Arbeit)\b"
    r"|\bich (?:kümmere mich|sorge dafür|behalte|überwache|melde mich|sage? (?:dir|ihnen) (?:bescheid|"
    r"sofort)|"
    r"gebe (?:dir|ihnen) bescheid|informiere (?:dich|sie)|benachrichtige|schalte|drehe|drucke|rufe|starte|"
    r"sende|trage|"
    r"mache (?:das|es)|erledige|passe auf|achte|merke mir)\b"
    r"|\bich werde (?!versuchen|ihnen (?:gerne? )?(?:helfen|erklären)|dir (?:gerne? )?(?:helfen|erklären)|"
    r"nicht|kein)"
    r"[^.!?\n]{0,70}?\w+en\b(?<!helfen)(?<!erklären)(?<!antworten)(?=\W*(?:$|und\b|sobald\b|wenn\b))"
    rf"|^\W*(?:[\w.-]+ ){{0,5}}(?:(?:aus|ein|an|ab|auf|um|zu|hinzu)ge\w+|gespeichert|erledigt|gesendet|"
    r"gebucht|notiert|"
    r"gedruckt|bestellt|verschickt|verschoben|gelöscht|erstellt|umbenannt|eingetragen|gestellt|aktiviert|"
    r"deaktiviert)\W*$"
    # French
    rf"|(?:\bj['’](?:y )?ai|\bje (?:l['’]|les |lui |vous |t['’]|te |l['’]y )ai|\bnous avons) "
    r"(?!pas|jamais|rien|besoin|peur|hâte|bien compris|compris|essayé|aucun|une? |des |deux |trois |"
    rf"plusieurs |quelques )(?:\w+ ){{0,2}}?{_PARTICIPE}(?!\w)"
    rf"|\b(?:a|ont)(?: bien| maintenant| déjà)* été (?:\w+ment )?\w+"
    rf"|\b(?:est|sont)(?: maintenant| désormais| déjà| bien| à présent)+ {_PARTICIPE}(?!\w)"
    r"|\b(?:est|sont) (?:activé|désactivé|éteint|allumé|programmé|réservé|envoyé|imprimé|lancé|noté|ajouté|"
    r"enregistré|"
    r"commandé|payé|supprimé|rangé|annulé|bloqué|verrouillé|en route|en cours)e?s?(?!\w)"
    r"|\bje (?:m['’]en (?:occupe|charge)|surveille|garde un œil|te tiens|vous tiens|te préviens|"
    r"vous préviens)\b"
    r"|\bje (?:vous|te|t['’]|l['’]|le|la|les)? ?\w+(?:erai|irai|"
    r"drai)\b(?<!serai)(?<!aurai)(?<!aiderai)(?<!pourrai)(?<!devrai)(?<!expliquerai)"
    r"|\bje vais (?!essayer|vous aider|t['’]aider|vous expliquer|t['’]expliquer|avoir besoin|vous donner|"
    r"te donner|tenter)"
    r"(?:\w+ |\w['’]){0,2}\w+(?:er|ir|re)\b"
    rf"|^\W*{_NO_VERB}(?:[\w'’-]+ ){{1,5}}\w+(?:é|ée|és|ées)(?: avec succès)?\W*$"
    # Spanish
    r"|\b(?:he|hemos)(?: ya| también| bien)* (?!entendido|comprendido|intentado|visto|oído|"
    rf"de )(?:\w+ )?{_PARTICIPIO}(?!\w)"
    rf"|\b(?:ha|han) sido \w+|\bse (?:ha|han) {_PARTICIPIO}(?!\w)"
    rf"|\b(?:está|están|queda|quedan)(?: ahora| ya| todo)* {_PARTICIPIO}(?!\w)"
    r"|\bme (?:encargo|ocupo|encargaré|ocuparé)\b|\b(?:te|le|os|lo|la|los|las)? ?(?:\w{3,}aré|\w{3,}eré|"
    r"\w{3,}iré)\b"
    r"(?<!ayudaré)(?<!intentaré)(?<!explicaré)(?<!necesitaré)(?<!estaré)(?<!seré)(?<!daré)(?<!diré)"
    rf"|^\W*{_NO_VERB}(?:[\w'’-]+ ){{1,5}}\w+(?:ad|id)[oa]s?(?: con éxito| correctamente)?\W*$"
    r"|\bvoy a (?!intentar|ayudar|explicar|necesitar|dar|decir|explic)\w+|(?<!\w)\w{3,}(?:é|í) (?:el|la|los|"
    r"las|tu|tus|su|sus)\b"
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
_NEVER = re.compile(r"(?!)")  # its own "not" denies nothing: it is what is claimed
# That a file is not there, and what the program itself says of a call that failed.
_MISSING = (
    rf"(?:{_NAME}|◻) (?:does not|doesn['’]t|did not|didn['’]t) exist\b|"
    rf"(?:{_NAME}|◻) (?:was not|wasn['’]t|could not be|couldn['’]t be|is not|isn['’]t) (?:found|there)\b|"
    rf"(?:{_NAME}|◻) (?:existiert nicht|gibt es nicht|wurde nicht gefunden|ist nicht (?:da|vorhanden))\b|"
    rf"(?:{_NAME}|◻) (?:n['’]existe pas|n['’]a pas été trouvé|est introuvable)\b|"
    rf"(?:{_NAME}|◻) no (?:existe|se (?:ha )?encontr\w+|está)\b|"
    r"^\W*(?:not done|nicht getan|pas fait|no hecho) ?:"
)
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
# How much there is of what changes all the time: only a look of this turn knows.
COUNTED = re.compile(
    r"(?<!\w)(?:no|\d+|one|two|three|four|five|several|any|kein\w*|eine?|zwei|drei|vier|fünf|aucun\w*|une?|"
    r"deux|trois|"
    r"ningun\w*|ningún|una?|dos|tres)\s+(?:\w+ ){0,2}?(?:reminder(?:s|\(s\))?|alarms?|timers?|appointments?|"
    r"entries scheduled|events?|tasks? scheduled|erinnerung(?:en)?|wecker|termine?|rappels?|rendez-vous|"
    r"recordatorios?|alarmas?|citas?)(?!\w)(?!\s*(?:app|system|set for you by))",
    re.IGNORECASE,
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
# The names of files in a claim are looked for from each letter of a word on: one of 400,000 letters, as a
# model server may send it, would take hours.
_NO_WORD = re.compile(r"\S{500,}")
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
CLAIMING_WORDS = (
    *_SUBJECTS.split(),
    *re.findall(r"[^\W\d_]{4,}", f"{_EN_BY_HAND} {_DE} {_FR} {_ES}"),
)
FIRST_WORDS = (*_OPENERS.split(), *CLAIMING_WORDS)
CONSTRAINT = (
    "Nothing was done, changed or looked up on this computer for this request. "
    "Do not say that anything was, and promise nothing."
)


# The form in which the program tells rows of a table, which a model that has seen it imitates with figures of
# its own: "club.csv (paid = no):", "club.csv, 2 of 8 rows:".
ROWS_TOLD = re.compile(
    r"\W*[^\n()]{1,80}\.\w{1,5}(?: \([^\n()]*(?:[~≁≠≤≥∈=<>\[]| in )[^\n()]*\)[:,]|, \d+ \w+ (?:\w+ )?\d+)",
    re.IGNORECASE,
)
MAY_TELL_ROWS = re.compile(r"\W*[^\n()]{1,60}\.\w{1,5}(?:[ ,]*|,? \d[\w ]*| \([^\n()]*\)?)\Z")


def claim_in(sentence: str, is_draft: bool = False, is_order: bool = False) -> Claim | None:
    """What one whole sentence claims. A question, a quotation and code claim nothing. `is_draft`: words that
    somebody else will say are in it, so that only a claim on this computer counts. `is_order`: it answers a
    request to do something that nothing was done for, so that whatever it says was done claims it."""
    if _CODE.match(sentence) or sentence.rstrip(" *_)\"'\n").endswith("?"):
        return None
    said = _NO_WORD.sub("◻", _QUOTATION.sub("◻", sentence)).replace("**", "").replace("__", "")
    if is_draft and not _OF_KEEPING.search(said):
        return None
    if _says_so(_looks(), said, _DENIED) or _says_so(_missing(), said, _NEVER):
        return Claim.LOOK
    if _says_so(_acts(), said, _NOT_SO):
        return Claim.ACT
    return Claim.ACT if is_order and _says_so(_ordered(), said, _NOT_SO) else None


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
def _missing() -> re.Pattern[str]:
    return re.compile(_MISSING, re.IGNORECASE)


@cache
def _ordered() -> re.Pattern[str]:
    return re.compile(_ORDERED, re.IGNORECASE)


@cache
def _looks() -> re.Pattern[str]:
    return re.compile(_LOOKED, re.IGNORECASE)


# -- what a model says of itself ----------------------------------------------------------------

LONGEST_DISCLAIMER = 400  # characters of a first sentence

_WHO = {
    "en": r"as an? (?:ai|artificial intelligence|(?:large )?language model|(?:virtual )?(?:assistant|"
    r"model))\b",
    "de": r"als (?:eine? )?(?:ki|künstliche intelligenz|k\.i\.|(?:\w+-)?sprachmodell|(?:ki|ai)-\w+|"
    r"(?:digitaler |virtueller )?assistent)\b",
    "fr": r"en tant qu(?:e |['’])(?:\w+ )?(?:ia\b|intelligence artificielle|assistante?\b|modèle)",
    "es": r"como (?:un |una |el |la )?(?:ia\b|inteligencia artificial|asistente|modelo)",
}
_LACKS = {
    "en": r"\b(?:i|we)(?: (?:currently|also|still|really|actually))? (?:don['’]?t|do not)(?: \w+ly)? have "
    r"(?:any |enough |direct |real-?time |specific |the |access|information|details|knowledge|personal|data|"
    r"context)|\b(?:i|we)(?: \w+ly)? (?:cannot|can['’]?t|can not|am (?:un|not )able to|"
    r"['’]m (?:un|not )able to)(?: \w+ly)? "
    r"(?:determine|access|provide|see|view|tell you|know|look|find|retrieve|answer|assist|help|move|give|say|"
    r"interact|check)|"
    r"\bit(?:['’]s| is| would be)(?: \w+)? (?:difficult|hard|impossible|not possible|unclear)\b.{0,60}"
    r"\b(?:without|determine|say|know|tell|provide)|"
    r"\bwithout (?:any |additional |more |further )?(?:information|context|details|knowing)\b|"
    r"\b(?:could|can|would) you (?:please )?(?:provide|clarify|give|specify|share|tell me)\b.{0,60}"
    r"\b(?:more|clarif\w*|context|details|information|what you|which)\b|"
    r"\bcould you (?:please )?clarify\b|\bplease provide (?:me )?(?:with )?(?:more|the|additional|further)|"
    r"\byou have(?:n['’]t| not) (?:specified|provided|given|mentioned)\b|"
    r"\bdo(?:es)? not have access\b|\b(?:i am|i['’]m) not (?:capable|aware|familiar|sure (?:what|which|who))",
    "de": r"\b(?:(?:ich|wir) (?:hab\w*|verfüg\w*)|(?:hab\w*|verfüg\w*) (?:ich|wir))\b.{0,40}"
    r"\b(?:kein\w*|nicht genügend|nicht genug)\b.{0,40}"
    r"(?:zugriff|zugang|informationen|angaben|daten|kenntnis|details|möglichkeit)|"
    r"\b(?:ich (?:kann|könnte)|(?:kann|könnte) ich)\b.{0,80}\b(?:nicht|keine\w*|leider)\b|"
    r"\bich bin (?:nicht in der lage|keine person|nur eine?)\b|\bich weiß (?:leider )?nicht\b|"
    r"\bohne (?:weitere|mehr|zusätzliche|genauere) (?:informationen|angaben|details|kontext)|"
    r"\b(?:könn\w*|kannst) (?:sie|du) (?:mir )?(?:bitte )?.{0,30}\b(?:mehr|weitere|genauere?\w*|nähere)\b|"
    r"\b(?:ist|wurde|sind) (?:leider )?nicht (?:angegeben|bekannt|erwähnt|genannt)\b",
    "fr": r"\bje n['’]ai (?:pas|aucune?)\b.{0,40}(?:accès|information|données|détails|mesure|connaissance|"
    r"conscience|contexte)|\bje ne (?:peux|dispose|connais|sais|suis|possède|vois)\b.{0,20}\bpas\b|"
    r"\bsans (?:plus d['’]|davantage|autres?|information)|"
    r"\b(?:pourriez-vous|pouvez-vous|peux-tu|pourrais-tu)\b.{0,30}(?:préciser|donner|fournir|plus de|"
    r"plus d['’])|\bj['’]aimerais avoir plus\b|\bla question est claire\b",
    "es": r"\bno (?:tengo|dispongo|cuento|puedo|poseo)\b.{0,60}(?:acceso|información|datos|detalles|"
    r"capacidad|contexto|proporcionar|acceder|determinar|saber|decir|ver|ayudar|traducir|escribir|hablar)|"
    r"\bno (?:sé|conozco)\b|\bsin (?:más|mayor) (?:información|contexto|detalles|datos)|"
    r"\b(?:podrías|podría|puedes|puede)\b.{0,30}(?:proporcionar|dar|darme|aclarar|especificar)\b.{0,20}"
    r"\b(?:más|qué|detalles)",
}
# The question again, as if a program had asked: a small model knows no answer then either.
_AS_OBJECT = r"\A\{\s*[\"']?(?:query|question|answer|result|response)[\"']?\s*:"
_ONE = "|".join((*_WHO.values(), *_LACKS.values(), _AS_OBJECT))
_DISCLAIMER = re.compile(rf"(?<!\w)(?:{_ONE})", re.IGNORECASE)
# How a sentence begins that may become one: until its end nothing of it is shown.
DISCLAIMER_BEGINNINGS = tuple(
    """
    as a/i /i'/i’/we /it's/it’s/it is/without/could you/can you/would you/please provide/you have/
    my program/sorry/apologies/unfortunately/regrettably/als /ich /es tut/tut mir/leider/
    entschuldig/ohne /können sie/könnten sie/kannst du/könntest du/en tant/je /j'/j’/désol/
    malheureusement/sans /pourriez/pouvez/peux-tu/pourrais/la question/pour moi/como /lo siento/
    lament/desafortunadamente/desgraciadamente/no /sin /podrías/¿podrías/podría/¿podría/¿puedes/{
    """.replace("\n    ", "")
    .strip("\n")
    .split("/")
)


def disclaims(sentence: str) -> bool:
    """Whether the first sentence of an answer says that its speaker cannot know or do what was asked."""
    said = sentence.strip()
    if not said or len(said) > LONGEST_DISCLAIMER:
        return False
    return _DISCLAIMER.search(said) is not None


# -- how an answer begins ---------------------------------------------------------------------

# Words that only begin an answer. Beside "I have not changed anything" they would say the contrary.
OPENING_WORDS = (
    "sure thing",
    "sure",
    "got it",
    "okay",
    "ok",
    "of course",
    "certainly",
    "absolutely",
    "all right",
    "alright",
    "no problem",
    "understood",
    "will do",
    "great",
    "yes",
    "klar",
    "gerne",
    "gern",
    "natürlich",
    "alles klar",
    "in ordnung",
    "verstanden",
    "kein problem",
    "ja",
    "bien sûr",
    "d'accord",
    "d’accord",
    "entendu",
    "très bien",
    "compris",
    "oui",
    "claro que sí",
    "claro",
    "por supuesto",
    "de acuerdo",
    "entendido",
    "vale",
    "muy bien",
    "perfecto",
    "sí",
)
OPENER = re.compile(
    rf"\s*(?:(?:{'|'.join(OPENING_WORDS)})(?:,\s*|\s*[–—]\s*|(?=$)))+",
    re.IGNORECASE,
)


# Alone below an order each of these says that it was carried out.
ACKNOWLEDGES = tuple(
    """
    got it/okay/ok/sure/sure thing/all right/alright/will do/noted/understood/of course/certainly/you got it/
    no problem/great/perfect/consider it done/verstanden/alles klar/in ordnung/gut/klar/natürlich/gerne/
    wird gemacht/mach ich/geht klar/d'accord/compris/entendu/bien sûr/c'est noté/très bien/pas de problème/
    vale/de acuerdo/entendido/claro/por supuesto/perfecto/muy bien/sin problema/just a moment/
    just a second/one moment/right away/on it/moment bitte/einen moment/sofort/un instant/tout de suite/
    un momento/enseguida/bitte/please/por favor
    """.replace("\n    ", "")
    .strip()
    .split("/")
)
ONLY_ACKNOWLEDGES = re.compile(rf"\W*(?:(?:{'|'.join(ACKNOWLEDGES)})\b\W*)+", re.IGNORECASE)


def may_only_acknowledge(text: str) -> bool:
    """Whether no other word has come yet, though the last may be half of one."""
    if ONLY_ACKNOWLEDGES.fullmatch(text) or not text.strip(" \n.!,"):
        return True
    said = text.casefold().replace("’", "'")
    for begins in (at.start() for at in re.finditer(r"(?<!\w)\w", said)):
        before, last = said[:begins], said[begins:]
        is_behind = not before.strip() or ONLY_ACKNOWLEDGES.fullmatch(before) is not None
        if is_behind and any(each.startswith(last) for each in ACKNOWLEDGES):
            return True
    return False


# -- what is said in their place --------------------------------------------------------------


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


def not_reached(request: str) -> str:
    """That what is asked changes, and could not be looked up without the internet."""
    return _say("not_reached", request)


def _say(key: str, request: str) -> str:
    told: str = sentences()["told"][key][language_of(request)]
    return told
