<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Steward</name>
    <message>
        <source>Concise</source>
        <translation>Knapp</translation>
    </message>
    <message>
        <source>Patient teacher</source>
        <translation>Geduldiger Lehrer</translation>
    </message>
    <message>
        <source>Programmer</source>
        <translation>Programmierer</translation>
    </message>
    <message>
        <source>Translator</source>
        <translation>Übersetzer</translation>
    </message>
    <message>
        <source>Writing partner</source>
        <translation>Schreibpartner</translation>
    </message>
    <message>
        <location filename="../../desktop/app/backup_actions.py"/>
        <source>Backed up to {file}, {size}.</source>
        <translation>Gesichert in {file}, {size}.</translation>
    </message>
    <message>
        <location filename="../../desktop/app/backup_actions.py"/>
        <source>This backup was made {when} by Steward {program} and takes {size}.</source>
        <translation>Diese Sicherung wurde {when} von Steward {program} gemacht und braucht {size}.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/app/backup_actions.py"/>
        <source>{count} chats could not be read. The first: {first}.</source>
        <translation>
            <numerusform>{count} Chat konnte nicht gelesen werden: {first}.</numerusform>
            <numerusform>{count} Chats konnten nicht gelesen werden. Der erste: {first}.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/app/backup_actions.py"/>
        <source>{count} chats with {messages} messages were imported; {known} were already here.</source>
        <translation>{count} Chats mit {messages} Nachrichten kamen dazu; {known} waren schon hier.</translation>
    </message>
    <message>
        <location filename="../../desktop/app/backup_actions.py"/>
        <source>{count} chats written to {target}.</source>
        <translation>{count} Chats nach {target} geschrieben.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/app/backup_actions.py"/>
        <source>{count} files of your skills were left out, because they are links or not every computer takes their names or places: {names}.</source>
        <translation>
            <numerusform>{count} Datei Ihrer Skills blieb weg, denn sie ist eine Verknüpfung, oder nicht jeder Computer nimmt ihren Namen oder Ort: {names}.</numerusform>
            <numerusform>{count} Dateien Ihrer Skills blieben weg, denn sie sind Verknüpfungen, oder nicht jeder Computer nimmt ihre Namen oder Orte: {names}.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <location filename="../../desktop/ui/agent_question.py"/>
        <source>A program</source>
        <translation>Ein Programm</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>Another program uses Steward's port</source>
        <translation>Ein anderes Programm hat Stewards Port</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>Coding agents are not protected</source>
        <translation>Coding-Agenten sind nicht geschützt</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>Get it from {page}</source>
        <translation>Zu holen auf {page}</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>Old chats</source>
        <translation>Alte Chats</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>Shared memory does not answer</source>
        <translation>Das gemeinsame Gedächtnis antwortet nicht</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>Steward {version} is available</source>
        <translation>Steward {version} ist da</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>The settings file has a mistake</source>
        <translation>Die Einstellungsdatei hat einen Fehler</translation>
    </message>
    <message>
        <location filename="../../desktop/app/desktop.py"/>
        <source>{agent} says</source>
        <translation>{agent} sagt</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/app/desktop.py"/>
        <source>{count} chats have not been used for {days} days and will be deleted tomorrow. Pin what should stay.</source>
        <translation>
            <numerusform>{count} Chat wurde {days} Tage nicht benutzt und wird morgen gelöscht. Heften Sie an, was bleiben soll.</numerusform>
            <numerusform>{count} Chats wurden {days} Tage nicht benutzt und werden morgen gelöscht. Heften Sie an, was bleiben soll.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/app/windows.py"/>
        <source>Measure again</source>
        <translation>Neu messen</translation>
    </message>
    <message>
        <location filename="../../desktop/app/windows.py"/>
        <source>Threads and speed are measured while nobody is waiting for an answer, for at most 20 seconds.</source>
        <translation>Threads und Tempo werden gemessen, während niemand auf eine Antwort wartet, höchstens 20 Sekunden lang.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>0 is predictable, higher is more varied.</source>
        <translation>0 ist vorhersehbar, höher ist abwechslungsreicher.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>A button on each answer has the system's voice read it. Code and formulas are left out.</source>
        <translation>Ein Knopf an jeder Antwort lässt sie von der Stimme des Systems vorlesen. Code und Formeln werden ausgelassen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>A command is ended when it writes a file larger than this.</source>
        <translation>Ein Befehl, der eine größere Datei anlegt, wird beendet.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>A command is ended when its processes together use more.</source>
        <translation>Ein Befehl, dessen Prozesse zusammen mehr belegen, wird beendet.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>A file or folder with all below it, such as ~/work.</source>
        <translation>Eine Datei oder ein Ordner mit allem darin, etwa ~/work.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>A microphone beside the message box writes down what you say, in English, on this computer. Needs an add-on (steward addons add dictation).</source>
        <translation>Ein Mikrofon neben dem Nachrichtenfeld schreibt auf, was Sie auf Englisch sagen, auf diesem Computer. Braucht eine Erweiterung (steward addons add dictation).</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Above 1 discourages repetition.</source>
        <translation>Über 1 werden Wiederholungen seltener.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Active model</source>
        <translation>Aktives Modell</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Address of a Redis server that keeps its answers for five minutes, without a password.</source>
        <translation>Adresse eines Redis-Servers, der seine Antworten fünf Minuten aufbewahrt, ohne Passwort.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Address of a proxy.</source>
        <translation>Adresse eines Proxys.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Address of a team's store, without a password. “steward memory team connect” asks for that.</source>
        <translation>Adresse des Speichers eines Teams, ohne Passwort. Danach fragt „steward memory team connect“.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Address used in place of huggingface.co for model downloads.</source>
        <translation>Adresse, die beim Herunterladen von Modellen für huggingface.co steht.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Agent</source>
        <translation>Agent</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Agents whose calls are refused then, instead of being left to their own prompts.</source>
        <translation>Agenten, deren Aufrufe dann abgelehnt werden, statt dass sie selbst nachfragen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>All that fit</source>
        <translation>Alles, was passt</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>All that it may write to.</source>
        <translation>Alles, worin er schreiben darf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Allow without a question</source>
        <translation>Ohne Frage erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Always</source>
        <translation>Immer</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>An answer stops here, and says so.</source>
        <translation>Eine Antwort hört hier auf und sagt das.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Answer programs</source>
        <translation>Programmen antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Answers the hooks of coding agents.</source>
        <translation>Beantwortet die Hooks von Coding-Agenten.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Appearance and desktop</source>
        <translation>Aussehen und Desktop</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Arguments</source>
        <translation>Argumente</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Ask before changing files</source>
        <translation>Vor Änderungen an Dateien fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Ask each time</source>
        <translation>Jedes Mal fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Asked about starting</source>
        <translation>Nach dem Start gefragt</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Asks before the assistant or a coding agent creates, changes or deletes something.</source>
        <translation>Fragt, bevor der Assistent oder ein Coding-Agent etwas anlegt, ändert oder löscht.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Asks once a day whether there is a newer version. Installs nothing.</source>
        <translation>Fragt einmal am Tag, ob es eine neuere Version gibt. Installiert nichts.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Better search</source>
        <translation>Bessere Suche</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Builds on workers</source>
        <translation>Builds auf anderen Rechnern</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>By the name that the server gives it.</source>
        <translation>Unter dem Namen, den der Server dafür hat.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>By their names.</source>
        <translation>Nach ihren Namen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Cache of the shared memory</source>
        <translation>Zwischenspeicher des gemeinsamen Gedächtnisses</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Chats that have not been used for this many days are deleted, a day after you are told. Pinned ones stay.</source>
        <translation>Chats, die so viele Tage nicht benutzt wurden, werden gelöscht, einen Tag nachdem das gesagt wurde. Angeheftete bleiben.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Chosen for the model</source>
        <translation>Wie es zum Modell passt</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Coding agents</source>
        <translation>Coding-Agenten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Confined</source>
        <translation>Eingegrenzt</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Copies before changes</source>
        <translation>Kopien vor Änderungen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Ctrl+Plus and Ctrl+Minus change it, too.</source>
        <translation>Strg+Plus und Strg+Minus ändern sie ebenfalls.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Dangerous: the assistant and coding agents do nearly everything without asking. Your own rules, and what is never done, still hold.</source>
        <translation>Gefährlich: Der Assistent und Coding-Agenten tun fast alles, ohne zu fragen. Ihre eigenen Regeln und was nie getan wird, gelten weiter.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Declined offer</source>
        <translation>Abgelehntes Angebot</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Deutsch</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Dictate messages</source>
        <translation>Nachrichten diktieren</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Effect</source>
        <translation>Wirkung</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Extension time-out</source>
        <translation>Zeitgrenze für Erweiterungen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Failures</source>
        <translation>Fehlschläge</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Failures, and some of the rest</source>
        <translation>Fehlschläge und einiges vom Rest</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>File size limit of commands</source>
        <translation>Größte Datei eines Befehls</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Files of the workspace and of folders that you have opened.</source>
        <translation>Dateien des Arbeitsordners und von Ordnern, die Sie geöffnet haben.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Finds memories by meaning too, with a small model of its own; the Memory page fetches it.</source>
        <translation>Findet Gemerktes auch nach seiner Bedeutung, mit einem eigenen kleinen Modell; die Seite „Gedächtnis“ holt es.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Folders outside the workspace that the assistant may read. Changes there are asked about, as everywhere.</source>
        <translation>Ordner neben dem Arbeitsordner, die der Assistent lesen darf. Bei Änderungen dort wird gefragt, wie überall.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>Follow the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>For now nothing new is kept and nothing is recalled, except notes that you ask for.</source>
        <translation>Vorerst wird nichts Neues gemerkt und nichts Gemerktes verwendet, außer Notizen, um die Sie bitten.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Forever</source>
        <translation>Für immer</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Frees the model's memory after this many minutes. 0: never.</source>
        <translation>Gibt den Speicher des Modells nach so vielen Minuten zurück. 0: nie.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>GPU layers</source>
        <translation>GPU-Schichten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Gate for agents</source>
        <translation>Schranke für Agenten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Given to its tools by their names.</source>
        <translation>Werden seinen Werkzeugen nach ihren Namen gegeben.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Group of the shared memory</source>
        <translation>Gruppe des gemeinsamen Gedächtnisses</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Headers</source>
        <translation>Kopfzeilen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Hosts for projects</source>
        <translation>Hosts für Projekte</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Hosts that commands confined to a project may reach besides package indexes: names, separated by spaces; .example.org means everything below it.</source>
        <translation>Erreichbar für Befehle, die auf ein Projekt beschränkt sind, neben Paketverzeichnissen: Namen, durch Leerzeichen getrennt; .example.org meint alles darunter.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How answers are computed.</source>
        <translation>Wie Antworten berechnet werden.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How commands of agents are judged.</source>
        <translation>Wie Befehle von Agenten beurteilt werden.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How long a call of an extension may take. In Quick-ask it is a third of a second.</source>
        <translation>Zeit, nach der ein Aufruf einer Erweiterung aufgegeben wird. In der Kurzfrage ist es eine drittel Sekunde.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How long a question waits for the judge.</source>
        <translation>Zeit, nach der eine Frage ohne den Richter weitergeht.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How long a tool may take before it is abandoned.</source>
        <translation>Zeit, nach der ein Werkzeug aufgegeben wird.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How many earlier questions and answers the model sees. 0: all that fit.</source>
        <translation>Wie viele frühere Fragen und Antworten das Modell sieht. 0: alle, die passen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How many tokens of a conversation the model sees at once. A larger context needs more memory. Automatic (0): as many as the free memory has ample room for, up to the model's own limit.</source>
        <translation>Wie viele Token eines Gesprächs das Modell auf einmal sieht. Ein größerer Kontext braucht mehr Arbeitsspeicher. Automatisch (0): so viele, wie im freien Speicher reichlich Platz haben, bis zur Grenze des Modells.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How many tools one answer may use, one after another.</source>
        <translation>Wie viele Werkzeuge eine Antwort nacheinander verwenden darf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>How the windows look, and what is seen of Steward on the desktop.</source>
        <translation>Wie die Fenster aussehen und was auf dem Desktop von Steward zu sehen ist.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Icon in the tray</source>
        <translation>Symbol in der Taskleiste</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>If more than this would have to be sent at once, the project is built here.</source>
        <translation>Ein Projekt, von dem auf einmal mehr zu senden wäre, wird hier gebaut.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>If only some are kept: one in this many of the calls that went well.</source>
        <translation>Wo nur einige aufgehoben werden: eines von so vielen, die gut gingen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Index of the packages that carry models, where pip is missing.</source>
        <translation>Index für Modelle, die in Paketen kommen, wo pip fehlt.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Instructions</source>
        <translation>Anweisungen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Judge</source>
        <translation>Richter</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Judge time-out</source>
        <translation>Zeitgrenze des Richters</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Keep chats</source>
        <translation>Chats behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Keeps the files that a command changes, for Undo.</source>
        <translation>Hebt die Dateien, die ein Befehl ändert, für „Rückgängig“ auf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Keeps the likeliest tokens up to this probability.</source>
        <translation>Behält die wahrscheinlichsten Token bis zu dieser Wahrscheinlichkeit.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Keeps this many of the likeliest tokens. 0: all.</source>
        <translation>Behält so viele der wahrscheinlichsten Token. 0: alle.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Keeps what you tell it, and uses it again in other conversations.</source>
        <translation>Hebt auf, was Sie sagen, und verwendet es in anderen Gesprächen wieder.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Layers computed on the GPU. -1: all that fit; 0: none.</source>
        <translation>Schichten, die auf der GPU gerechnet werden. -1: alle, die passen; 0: keine.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Learn from</source>
        <translation>Lernen aus</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Least similarity</source>
        <translation>Kleinste Ähnlichkeit</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Let the model allow programs</source>
        <translation>Das Modell darf Programme erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Lets agents ask you, read and propose notes, notify and remind you (by MCP). It allows no action.</source>
        <translation>Lässt Agenten Sie fragen, Notizen lesen und vorschlagen, Sie benachrichtigen und erinnern (per MCP). Erlaubt wird damit nichts.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Lets programs on this computer that have a token ask the model. They see no chats, memory or tools.</source>
        <translation>Lässt Programme dieses Computers, die ein Token haben, das Modell fragen. Chats, Gedächtnis und Werkzeuge sehen sie nicht.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Lets the assistant read files, take notes and run commands. It asks before it changes something.</source>
        <translation>Lässt den Assistenten Dateien lesen, Notizen machen und Befehle ausführen. Er fragt, bevor er etwas ändert.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Lets the model name a chat once it has nothing else to do. Otherwise the first question becomes its name.</source>
        <translation>Lässt das Modell einen Chat benennen, wenn es sonst nichts zu tun hat. Sonst wird die erste Frage zum Namen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Light for a dark panel, dark for a light one. Its outline is seen on both.</source>
        <translation>Hell für eine dunkle Leiste, dunkel für eine helle. Sein Umriss ist auf beiden zu sehen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Light, dark, or like the system.</source>
        <translation>Hell, dunkel oder wie das System.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Longest answer</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Look for updates</source>
        <translation>Nach Aktualisierungen sehen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Low memory</source>
        <translation>Wenig Speicher</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Measured here</source>
        <translation>Hier gemessen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Memories less similar in meaning than this are not found by meaning. It filters little: order and space decide.</source>
        <translation>Gemerktes, dessen Bedeutung weniger ähnlich ist, wird nicht nach der Bedeutung gefunden. Das filtert wenig: Reihenfolge und Platz entscheiden.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Memory</source>
        <translation>Gedächtnis</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Memory in an answer</source>
        <translation>Gedächtnis in einer Antwort</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Memory limit of commands</source>
        <translation>Speichergrenze für Befehle</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Model mirror</source>
        <translation>Spiegel für Modelle</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Model servers</source>
        <translation>Modellserver</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>More folders</source>
        <translation>Weitere Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Never and refuse beat ask, ask beats allow.</source>
        <translation>Nie und Ablehnen gehen vor Fragen, Fragen geht vor Erlauben.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Never ask</source>
        <translation>Nie fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Never, also while the gate is paused</source>
        <translation>Nie, auch in einer Pause</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>No agent</source>
        <translation>Kein Agent</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>None chosen yet</source>
        <translation>Noch keines gewählt</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Notifications</source>
        <translation>Benachrichtigungen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Of a server that is reached over HTTP.</source>
        <translation>Eines Servers, der über HTTP erreicht wird.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Of every request to its address.</source>
        <translation>Jeder Anfrage an seine Adresse.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Of its program.</source>
        <translation>Seines Programms.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Off: it is never started.</source>
        <translation>Aus: Er wird nie gestartet.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Off: it may do all that you may do.</source>
        <translation>Aus: Er darf alles, was Sie dürfen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Off: its model is offered no tools.</source>
        <translation>Aus: Sein Modell erfährt von keinen Werkzeugen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Offered in the question</source>
        <translation>In der Frage angeboten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Offline mode</source>
        <translation>Offline-Modus</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>On</source>
        <translation>Ein</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Only questions</source>
        <translation>Nur Fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Only what takes longer</source>
        <translation>Nur was länger dauert</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Other machines that build and test for coding agents.</source>
        <translation>Andere Rechner, die für Agenten bauen und testen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Other programs or computers that a chat may be answered by, when you choose one for it.</source>
        <translation>Andere Programme oder Rechner, die einen Chat beantworten dürfen, wenn Sie einen dafür wählen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Package index</source>
        <translation>Paketindex</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Package indexes only</source>
        <translation>Nur Paketverzeichnisse</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Pages that may call with a token, by exact origin, such as http://localhost:3000.</source>
        <translation>Seiten, die mit einem Token anfragen dürfen, nach genauer Herkunft, etwa http://localhost:3000.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Permissions</source>
        <translation>Berechtigungen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Processor threads for the model. Measured here (0): as many as are fastest on this computer.</source>
        <translation>Prozessor-Threads für das Modell. Hier gemessen (0): so viele, wie auf diesem Computer am schnellsten sind.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Programs and addresses that bring tools of their own, by the Model Context Protocol.</source>
        <translation>Programme und Adressen, die eigene Werkzeuge mitbringen, über das Model Context Protocol.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Programs that only run what follows, such as rtk: what they run is judged in their place.</source>
        <translation>Programme, die nur ausführen, was folgt, wie rtk: Beurteilt wird an ihrer Stelle, was sie ausführen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Quick-ask hotkey</source>
        <translation>Tastenkürzel der Kurzfrage</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Quick-ask offers to rewrite, shorten, translate and explain it. It is looked at when Quick-ask is opened, and goes nowhere before a click.</source>
        <translation>Die Kurzfrage bietet an, ihn umzuschreiben, zu kürzen, zu übersetzen und zu erklären. Angesehen wird er, wenn sie geöffnet wird; vor einem Klick geht er nirgendwohin.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Read answers aloud</source>
        <translation>Antworten vorlesen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Read files without asking</source>
        <translation>Dateien ohne Frage lesen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Refuse</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Refuse when nobody answers</source>
        <translation>Ablehnen, wenn niemand antwortet</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Refuses every request of Steward itself. Commands that you allow are not held back by it.</source>
        <translation>Lehnt jede Anfrage von Steward selbst ab. Befehle, die Sie erlauben, hält das nicht auf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Remember</source>
        <translation>Merken</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Repeat penalty</source>
        <translation>Strafe für Wiederholung</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Rules</source>
        <translation>Regeln</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Runs builds and tests of coding agents on machines that you have added; the gate asks as before.</source>
        <translation>Lässt Builds und Tests der Agenten auf Rechnern laufen, die Sie hinzugefügt haben; gefragt wird wie bisher.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Same as when plugged in</source>
        <translation>Wie im Netzbetrieb</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Screen reader</source>
        <translation>Screenreader</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Selected text in other programs</source>
        <translation>Ausgewählter Text anderer Programme</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Set up</source>
        <translation>Eingerichtet</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Shared memory</source>
        <translation>Gemeinsames Gedächtnis</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Show thinking</source>
        <translation>Nachdenken zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Shown to the others beside what you share.</source>
        <translation>Steht für die anderen neben dem, was Sie teilen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Shows what a reasoning model thought before it answered, folded at first. It is kept either way.</source>
        <translation>Bietet an, was ein nachdenkendes Modell vor der Antwort dachte, zuerst zugeklappt. Aufgehoben wird es so oder so.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Skills</source>
        <translation>Fertigkeiten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Some of the rest</source>
        <translation>Einiges vom Rest</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Steward in your home folder</source>
        <translation>Steward in Ihrem Benutzerordner</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Steward's own</source>
        <translation>Stewards eigene</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Such as WebFetch or mcp__github__*.</source>
        <translation>Etwa WebFetch oder mcp__github__*.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Such as claude-code; steward for its own assistant.</source>
        <translation>Etwa claude-code; steward ist der eigene Assistent.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Such as git push --force; * stands for any text.</source>
        <translation>Etwa git push --force; * steht für beliebigen Text.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Suggest notes</source>
        <translation>Notizen vorschlagen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Tells the model how something is done where a skill fits the question: a folder with a SKILL.md, Steward's own or a coding agent's. What it is told is shown with the question.</source>
        <translation>Sagt dem Modell, wie etwas gemacht wird, wo eine Fertigkeit zur Frage passt: ein Ordner mit einer SKILL.md, von Steward oder einem Coding-Agenten. Was gesagt wird, steht bei der Frage.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>That it has arrived</source>
        <translation>Dass sie da ist</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The answer, sentence by sentence</source>
        <translation>Die Antwort, Satz für Satz</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The better model that was offered and declined.</source>
        <translation>Das bessere Modell, das angeboten und abgelehnt wurde.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The chat model</source>
        <translation>Das Chatmodell</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The folder that the assistant may use.</source>
        <translation>Der Ordner, den der Assistent verwenden darf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The keys that open Quick-ask from anywhere.</source>
        <translation>Die Tasten, die die Kurzfrage von überall öffnen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The language of the windows.</source>
        <translation>Die Sprache der Fenster.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The model reads what you tell it while you do nothing, and looks there for what answers a question about yourself, also in other words. On a slow computer such an answer begins some seconds later.</source>
        <translation>Das Modell liest, was Sie ihm erzählen, während Sie nichts tun, und sucht darin, was eine Frage über Sie selbst beantwortet, auch mit anderen Worten. Auf einem langsamen Computer beginnt eine solche Antwort einige Sekunden später.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The model that answers.</source>
        <translation>Das Modell, das antwortet.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The model that is asked about unknown programs. It allows none unless “Let the model allow programs” is on.</source>
        <translation>Das Modell, das zu unbekannten Programmen gefragt wird. Es erlaubt keines, solange „Das Modell darf Programme erlauben“ aus ist.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The most that the model is given of what is remembered. More takes longer to read.</source>
        <translation>Das Meiste, was dem Modell vom Gemerkten gesagt wird. Mehr dauert länger zu lesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The port at which hooks reach Steward on this computer; agents are told.</source>
        <translation>Wo Hooks Steward auf diesem Computer erreichen; Agenten erfahren es.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The program and its words; no shell reads them.</source>
        <translation>Das Programm und seine Wörter; keine Shell liest sie.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>The same while the computer runs on battery. 0: the same as when plugged in.</source>
        <translation>Dasselbe, solange der Computer mit Akku läuft. 0: wie im Netzbetrieb.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Thinking</source>
        <translation>Nachdenken</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Titles by the model</source>
        <translation>Titel vom Modell</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Told about deleting</source>
        <translation>Auf das Löschen hingewiesen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Told about the tray</source>
        <translation>Auf die Taskleiste hingewiesen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Told to the agent and shown in the log.</source>
        <translation>Wird dem Agenten gesagt und steht im Protokoll.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/message.py"/>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Tool</source>
        <translation>Werkzeug</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Tool time-out</source>
        <translation>Zeitgrenze für Werkzeuge</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Tools for agents</source>
        <translation>Werkzeuge für Agenten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Tools that are off</source>
        <translation>Ausgeschaltete Werkzeuge</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Tools that other programs bring.</source>
        <translation>Werkzeuge, die andere Programme mitbringen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Transfer limit</source>
        <translation>Höchstens zu senden</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Understand questions</source>
        <translation>Fragen verstehen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Unencrypted</source>
        <translation>Unverschlüsselt</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Unknown programs are then run without a question when the model thinks that they only read.</source>
        <translation>Unbekannte Programme laufen dann ohne Frage, wenn sie nach Meinung des Modells nur lesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Unload when idle</source>
        <translation>Entladen, wenn untätig</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Unload when idle, on battery</source>
        <translation>Entladen, wenn untätig, mit Akku</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Unloads the model when less memory than this is free. 0: never.</source>
        <translation>Entlädt das Modell, wenn weniger Speicher als das frei ist. 0: nie.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Variables</source>
        <translation>Variablen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Web pages</source>
        <translation>Webseiten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What holds for every agent, in every mode.</source>
        <translation>Was für jeden Agenten gilt, in jedem Modus.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What is never done, refused, asked about or allowed, by program, place, agent and tool.</source>
        <translation>Was nie geschieht, was abgelehnt wird, wonach gefragt wird und was erlaubt ist: nach Programm, Ort, Agent und Werkzeug.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What is remembered, and how much of it is used.</source>
        <translation>Was gemerkt wird und wie viel davon verwendet wird.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What it says when an answer arrives.</source>
        <translation>Was er sagt, wenn eine Antwort kommt.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What may leave this computer.</source>
        <translation>Was diesen Computer verlassen darf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What the assistant and coding agents may do without a question.</source>
        <translation>Was der Assistent und Coding-Agenten ohne Rückfrage dürfen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What the assistant knows and may use.</source>
        <translation>Was der Assistent weiß und verwenden darf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What the model is told first.</source>
        <translation>Wird dem Modell zuerst gesagt.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>What took less than this the last time runs here.</source>
        <translation>Was hier zuletzt kürzer gedauert hat, läuft hier.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>When you were told that old chats will be deleted.</source>
        <translation>Wann gesagt wurde, dass alte Chats gelöscht werden.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whenever it can</source>
        <translation>Immer, wenn es kann</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Where it works. Empty: the workspace.</source>
        <translation>Wo er arbeitet. Leer: der Arbeitsordner.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whether a model that can think before it answers does so. It takes many times as long; small models answer at once where it is left to them.</source>
        <translation>Ob ein Modell, das vor der Antwort nachdenken kann, es tut. Es dauert um ein Vielfaches länger; kleine Modelle antworten sofort, wenn es ihnen überlassen bleibt.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whether closing to the tray has been explained.</source>
        <translation>Ob das Schließen in die Taskleiste schon erklärt wurde.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whether hotkey, start and folders were gone through after the first model.</source>
        <translation>Ob Tastenkürzel, Start und Ordner nach dem ersten Modell durchgegangen wurden.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whether it may be asked without https in your own network.</source>
        <translation>Ob er in Ihrem eigenen Netz ohne https gefragt werden darf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whether it may talk to other computers.</source>
        <translation>Ob er mit anderen Computern reden darf.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whether the keyring has a key for it.</source>
        <translation>Ob der Schlüsselbund einen Schlüssel dafür hat.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whether you were asked already if Steward should start with the computer.</source>
        <translation>Ob schon gefragt wurde, ob Steward mit dem Computer startet.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Which ones the desktop shows. All of them stay in the tray's menu and in their own lists.</source>
        <translation>Welche der Desktop zeigt. Alle bleiben im Menü des Symbols und in ihren eigenen Listen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Which programs on this computer may ask the model.</source>
        <translation>Welche Programme dieses Computers das Modell fragen dürfen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Which tool calls and agents' commands are kept, without their results.</source>
        <translation>Welche Werkzeugaufrufe und Befehle von Agenten aufgehoben werden, ohne Ergebnisse.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>While you do nothing and the computer is plugged in, the model looks for what may be worth a note.</source>
        <translation>Während Sie nichts tun und der Computer am Strom hängt, sucht das Modell, was eine Notiz wert sein mag.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Who else may answer, in chats that you choose.</source>
        <translation>Wer sonst antworten darf, in Chats, die Sie wählen.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Whose memory it is: its members all write the same name, and see no other group's.</source>
        <translation>Wessen Gedächtnis es ist: Alle Mitglieder schreiben denselben Namen und sehen das keiner anderen Gruppe.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>With https, such as https://models.example.org/v1.</source>
        <translation>Mit https, etwa https://models.example.org/v1.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Work without asking? The assistant and coding agents can then delete files, run commands and send data without a question, until you switch this off.</source>
        <translation>Ohne Rückfrage arbeiten? Der Assistent und Coding-Agenten können dann Dateien löschen, Befehle ausführen und Daten senden, ohne zu fragen, bis Sie das ausschalten.</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Workers</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Workspace</source>
        <translation>Arbeitsordner</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Wrappers</source>
        <translation>Vorschaltprogramme</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>Your name in the group</source>
        <translation>Ihr Name in der Gruppe</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>a rule that allows must name a program, a path or a tool</source>
        <translation>eine Regel, die erlaubt, muss ein Programm, einen Ort oder ein Werkzeug nennen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>it must name a program, a path, an agent or a tool</source>
        <translation>sie muss ein Programm, einen Ort, einen Agenten oder ein Werkzeug nennen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>it must name either a command or a URL</source>
        <translation>er muss entweder command oder url nennen</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>milliseconds</source>
        <translation>Millisekunden</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>minutes</source>
        <translation>Minuten</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <location filename="../../desktop/settings/declared.py"/>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/agent_question.py"/>
        <source>Do not answer</source>
        <translation>Nicht antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/agent_question.py"/>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/agent_question.py"/>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/agent_question.py"/>
        <source>Your answer goes to the agent. It allows nothing.</source>
        <translation>Ihre Antwort geht an den Agenten. Sie erlaubt nichts.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/agent_question.py"/>
        <source>{agent} asks</source>
        <translation>{agent} fragt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/announcer.py"/>
        <location filename="../../desktop/ui/chat/blocks.py"/>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/announcer.py"/>
        <source>Steward answers</source>
        <translation>Steward antwortet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/announcer.py"/>
        <source>The answer is complete</source>
        <translation>Die Antwort ist vollständig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/announcer.py"/>
        <source>The answer was cut off</source>
        <translation>Die Antwort wurde abgeschnitten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/application.py"/>
        <source>Steward could not start</source>
        <translation>Steward konnte nicht starten</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>All {count} parts were read</source>
        <translation>
            <numerusform>Der eine Teil wurde gelesen</numerusform>
            <numerusform>Alle {count} Teile wurden gelesen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Continue this answer</source>
        <translation>Diese Antwort fortsetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Copy answer</source>
        <translation>Antwort kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Ended for your newer message</source>
        <translation>Für Ihre neuere Nachricht beendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Interrupted when Steward ended</source>
        <translation>Abgebrochen, weil Steward endete</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Part {number} of {parts}</source>
        <translation>Teil {number} von {parts}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Part {number}: lines {first:,} to {last:,}</source>
        <translation>Teil {number}: Zeilen {first:,} bis {last:,}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Read aloud</source>
        <translation>Vorlesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Show or hide what the model was thinking</source>
        <translation>Zeigen oder verbergen, was das Modell dachte</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Show or hide what was read, part by part</source>
        <translation>Zeigen oder verbergen, was Teil für Teil gelesen wurde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Stop reading</source>
        <translation>Vorlesen beenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Stopped at the length limit</source>
        <translation>An der Längengrenze angehalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Stopped because it repeated itself</source>
        <translation>Angehalten, weil sich die Antwort wiederholte</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Stopped because the context is full</source>
        <translation>Angehalten, weil der Kontext voll ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Stopped by you</source>
        <translation>Von Ihnen angehalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Summaries of the parts</source>
        <translation>Zusammenfassungen der Teile</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Thinking…</source>
        <translation>Denkt nach …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>This answer failed</source>
        <translation>Diese Antwort ist fehlgeschlagen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Thought</source>
        <translation>Nachgedacht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Thought for {seconds} s</source>
        <translation>{seconds} s nachgedacht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>Used</source>
        <translation>Verwendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>Waiting for the answer</source>
        <translation>Wartet auf die Antwort</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>What the model was thinking</source>
        <translation>Was das Modell dachte</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>about {count} min</source>
        <translation>
            <numerusform>etwa {count} min</numerusform>
            <numerusform>etwa {count} min</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>less than a minute</source>
        <translation>weniger als eine Minute</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>{count} of {parts} parts read: lines 1 to {line:,} of {lines:,}</source>
        <translation>{count} von {parts} Teilen gelesen: Zeilen 1 bis {line:,} von {lines:,}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/answer.py"/>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>{count} tokens</source>
        <translation>
            <numerusform>{count} Token</numerusform>
            <numerusform>{count} Token</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>{seconds} s</source>
        <translation>{seconds} s</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/answer.py"/>
        <source>{speed} tok/s</source>
        <translation>{speed} Token/s</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>All files</source>
        <translation>Alle Dateien</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>Drop to attach</source>
        <translation>Zum Anhängen hier ablegen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>No more than twelve things can be attached to one message.</source>
        <translation>Mit einer Nachricht können höchstens zwölf Dinge mitgehen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Part of the screen</source>
        <translation>Teil des Bildschirms</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>Pasted picture</source>
        <translation>Eingefügtes Bild</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>Pictures</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>Summarise {name}</source>
        <translation>Fasse {name} zusammen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>Texts and documents</source>
        <translation>Texte und Dokumente</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>The clipboard holds something that a password manager marked as secret. It was not read.</source>
        <translation>Die Zwischenablage enthält etwas, das ein Passwortmanager als geheim gekennzeichnet hat. Sie wurde nicht gelesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>The screen cannot be captured here. Attach a picture instead.</source>
        <translation>Der Bildschirm lässt sich hier nicht ansehen. Hängen Sie stattdessen ein Bild an.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>There is no text on the clipboard. Copy some and try again.</source>
        <translation>In der Zwischenablage ist kein Text. Kopieren Sie welchen, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/attachments.py"/>
        <source>Write your question first; passages about it are then looked for.</source>
        <translation>Schreiben Sie zuerst Ihre Frage; dann werden ihre Stellen gesucht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/blocks.py"/>
        <source>Code, {language}</source>
        <translation>Code, {language}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/blocks.py"/>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/blocks.py"/>
        <source>Copy code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/blocks.py"/>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/blocks.py"/>
        <source>Wrap long lines</source>
        <translation>Lange Zeilen umbrechen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/blocks.py"/>
        <source>code</source>
        <translation>Code</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>, {passed} of {total} tests pass</source>
        <translation>, {passed} von {total} Tests bestehen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>Apply</source>
        <translation>Übernehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>Building</source>
        <translation>Wird gebaut</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>Making a copy of the project</source>
        <translation>Das Projekt wird kopiert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>Running the check</source>
        <translation>Die Prüfung läuft</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>Running the check as it is, twice</source>
        <translation>Die Prüfung läuft zweimal, noch ohne Änderung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>Try {number} of {rounds}: the model writes {function}</source>
        <translation>Versuch {number} von {rounds}: Das Modell schreibt {function}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>What would be changed</source>
        <translation>Was geändert würde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>Write this change into your file; it can be undone</source>
        <translation>Diese Änderung in Ihre Datei schreiben; sie lässt sich rückgängig machen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>it cannot be built</source>
        <translation>es lässt sich nicht bauen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>it proves nothing: tests or the file were changed, or tests left out</source>
        <translation>es beweist nichts: Tests oder die Datei wurden geändert oder Tests ausgelassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>not run: nothing new was written</source>
        <translation>nicht ausgeführt: Es kam nichts Neues</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>the check did not end in time</source>
        <translation>die Prüfung wurde nicht rechtzeitig fertig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>the check fails</source>
        <translation>die Prüfung scheitert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>the check passes</source>
        <translation>die Prüfung besteht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>the check was ended: it used too much</source>
        <translation>die Prüfung wurde beendet: Sie brauchte zu viel</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>{number}. Corrected</source>
        <translation>{number}. Repariert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>{number}. Rewritten</source>
        <translation>{number}. Neu geschrieben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/check_card.py"/>
        <source>{number}. Tried again</source>
        <translation>{number}. Noch einmal versucht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Changed by {names} · undo</source>
        <translation>Geändert von {names} · zurücknehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Clipboard</source>
        <translation>Zwischenablage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Context {tokens}</source>
        <translation>Kontext {tokens}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>First {tokens:,} tokens</source>
        <translation>Erste {tokens:,} Token</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>In parts</source>
        <translation>In Teilen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>It is being read; the message can be sent after that.</source>
        <translation>Es wird gelesen; danach lässt sich die Nachricht senden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Only the passages about the question that you have written are attached</source>
        <translation>Nur die Stellen, die von Ihrer geschriebenen Frage handeln, gehen mit</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Open the file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Open the folder in the file manager</source>
        <translation>Den Ordner in der Dateiverwaltung öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Open the page in the browser</source>
        <translation>Die Seite im Browser öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Raise the context to {tokens} (needs {size})</source>
        <translation>Kontext auf {tokens} erhöhen (braucht {size})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Reading {name}…</source>
        <translation>{name} wird gelesen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Remove {name}</source>
        <translation>{name} entfernen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Screen</source>
        <translation>Bildschirm</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Search in it</source>
        <translation>Darin suchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show again what extensions made of this</source>
        <translation>Wieder zeigen, was Erweiterungen daraus gemacht haben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show the file in the file manager</source>
        <translation>Die Datei in der Dateiverwaltung zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show the notes on the Memory page</source>
        <translation>Die Notizen auf der Seite „Gedächtnis“ zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show the text from the clipboard</source>
        <translation>Den Text aus der Zwischenablage zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show the text from the screen</source>
        <translation>Den Text vom Bildschirm zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show the text that was attached</source>
        <translation>Den Text zeigen, der mitging</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show what the model was told</source>
        <translation>Zeigen, was dem Modell gesagt wurde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Show what the search found</source>
        <translation>Zeigen, was die Suche fand</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Skill {name}</source>
        <translation>Fertigkeit {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Summarise in parts</source>
        <translation>In Teilen zusammenfassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>The model reads all of it part by part, which takes a while, and summarises the parts</source>
        <translation>Das Modell liest alles Teil für Teil, was eine Weile dauert, und fasst die Teile zusammen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>The model was told: {text}</source>
        <translation>Dem Modell wurde gesagt: {text}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>The model wrote: {text}</source>
        <translation>Das Modell hat geschrieben: {text}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>The model's context has room for {tokens:,} tokens of it. Use only the beginning, remove something, or raise the context size in the settings.</source>
        <translation>Im Kontext des Modells ist Platz für {tokens:,} Token davon. Nehmen Sie den Anfang, entfernen Sie etwas, oder erhöhen Sie die Kontextgröße in den Einstellungen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>There is no room left in the context. Remove something, or raise the context size.</source>
        <translation>Im Kontext ist kein Platz mehr. Entfernen Sie etwas, oder erhöhen Sie die Kontextgröße.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Use the first {tokens:,} tokens</source>
        <translation>Die ersten {tokens:,} Token nehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Without {names} · use again</source>
        <translation>Ohne {names} · wieder anwenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Workspace folder</source>
        <translation>Arbeitsordner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>Write this as your message; nothing is sent yet</source>
        <translation>Als Ihre Nachricht schreiben; gesendet wird noch nichts</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>first {sign}{tokens:,} of {whole:,} tokens</source>
        <translation>erste {sign}{tokens:,} von {whole:,} Token</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>passages, {sign}{tokens:,} of {whole:,} tokens</source>
        <translation>Stellen, {sign}{tokens:,} von {whole:,} Token</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/chips.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>{count} memories</source>
        <translation>
            <numerusform>{count} Eintrag</numerusform>
            <numerusform>{count} Einträge</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>{memories} ({tokens})</source>
        <translation>{memories} ({tokens})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>{name} · not attached</source>
        <translation>{name} · nicht angehängt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>{name} · too large</source>
        <translation>{name} · zu groß</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>{name} · {size}, too large</source>
        <translation>{name} · {size}, zu groß</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/chips.py"/>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>{sign}{count:,} tokens</source>
        <translation>
            <numerusform>{sign}{count} Token</numerusform>
            <numerusform>{sign}{count:,} Token</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/chips.py"/>
        <source>{sign}{whole:,} tokens, in parts</source>
        <translation>{sign}{whole:,} Token, in Teilen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Add to the message</source>
        <translation>Zur Nachricht hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Ask anything…</source>
        <translation>Fragen Sie etwas …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Cannot be sent yet: something is still being read</source>
        <translation>Kann noch nicht gesendet werden: Etwas wird noch gelesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Cannot be sent: what is attached is too large for the model's context</source>
        <translation>Kann nicht gesendet werden: Was mitgeht, ist zu groß für den Kontext des Modells</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Edit this message</source>
        <translation>Diese Nachricht bearbeiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>File or picture…</source>
        <translation>Datei oder Bild …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Folder to look into…</source>
        <translation>Ordner, in dem nachgesehen wird …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Have the model summarise the older messages; they stay in the chat</source>
        <translation>Das Modell die älteren Nachrichten zusammenfassen lassen; sie bleiben im Chat</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Hide this note</source>
        <translation>Diesen Hinweis verbergen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Message to Steward</source>
        <translation>Nachricht an Steward</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Message to {host}</source>
        <translation>Nachricht an {host}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Nothing to send yet: type a message</source>
        <translation>Noch nichts zu senden: Schreiben Sie eine Nachricht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Pasted text</source>
        <translation>Eingefügter Text</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Queued: {text}</source>
        <translation>Wartet: {text}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <location filename="../../desktop/ui/chat/question.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Send (Enter)</source>
        <translation>Senden (Eingabe)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Send to {host} (Enter)</source>
        <translation>An {host} senden (Eingabe)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Stop the answer (Esc)</source>
        <translation>Antwort anhalten (Esc)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>Summarise older messages</source>
        <translation>Ältere Nachrichten zusammenfassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Summarising…</source>
        <translation>Wird zusammengefasst …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Take this message back</source>
        <translation>Diese Nachricht zurücknehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Text from a part of the screen</source>
        <translation>Text aus einem Teil des Bildschirms</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/composer.py"/>
        <source>Text from the clipboard</source>
        <translation>Text aus der Zwischenablage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>Attachments</source>
        <translation>Anhänge</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>Estimated: no model is loaded to count with.</source>
        <translation>Geschätzt: Es ist kein Modell geladen, das zählen könnte.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>It is nearly full.</source>
        <translation>Er ist fast voll.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>Left</source>
        <translation>Übrig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <location filename="../../desktop/ui/chat/transcript.py"/>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>System prompt</source>
        <translation>Systemanweisung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>The chat is longer: the next question may leave the oldest messages out.</source>
        <translation>Der Chat ist länger: Mit der nächsten Frage können die ältesten Nachrichten wegfallen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>The chat no longer fits in the context. From the next question on the model may no longer see the oldest messages; a line in the chat says which.</source>
        <translation>Der Chat passt nicht mehr in den Kontext. Ab der nächsten Frage sieht das Modell die ältesten Nachrichten vielleicht nicht mehr; eine Zeile im Chat sagt, welche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>The context is nearly full. Once it is, the model no longer sees the oldest messages, and a line in the chat says which.</source>
        <translation>Der Kontext ist fast voll. Sobald er es ist, sieht das Modell die ältesten Nachrichten nicht mehr; eine Zeile im Chat sagt, welche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>The model reads up to {limit:,} tokens at once, its answer included.</source>
        <translation>Das Modell liest bis zu {limit:,} Token auf einmal, die Antwort eingeschlossen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <location filename="../../desktop/ui/chat/controller.py"/>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>This chat is being answered. Wait for the answer or stop it first.</source>
        <translation>Dieser Chat wird gerade beantwortet. Warten Sie auf die Antwort, oder halten Sie sie zuerst an.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>What fills the context</source>
        <translation>Was den Kontext füllt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/context_controller.py"/>
        <source>With the next question the model no longer sees the oldest messages: it reads {limit} earlier questions, as the setting History says.</source>
        <translation>Mit der nächsten Frage sieht das Modell die ältesten Nachrichten nicht mehr: Es liest {limit} frühere Fragen, wie es die Einstellung „Verlauf“ sagt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/controller.py"/>
        <source>Answer on this computer</source>
        <translation>Auf diesem Computer antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/controller.py"/>
        <source>Deleted the answer</source>
        <translation>Antwort gelöscht</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/controller.py"/>
        <source>Deleted the answer and the {count} messages that followed</source>
        <translation>
            <numerusform>Antwort und die {count} folgende Nachricht gelöscht</numerusform>
            <numerusform>Antwort und die {count} folgenden Nachrichten gelöscht</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/controller.py"/>
        <source>Deleted your message</source>
        <translation>Ihre Nachricht gelöscht</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/controller.py"/>
        <source>Deleted your message and the {count} messages that followed</source>
        <translation>
            <numerusform>Ihre Nachricht und die {count} folgende gelöscht</numerusform>
            <numerusform>Ihre Nachricht und die {count} folgenden gelöscht</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/controller.py"/>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>New chat in {project}</source>
        <translation>Neuer Chat in {project}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/controller.py"/>
        <location filename="../../desktop/ui/chat/error_actions.py"/>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/controller.py"/>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <location filename="../../desktop/ui/chat/message.py"/>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <location filename="../../desktop/ui/chat/window.py"/>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>New title</source>
        <translation>Neuer Titel</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>Older</source>
        <translation>Älter</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>Previous 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>There is more: add a word to narrow it down</source>
        <translation>Es gibt mehr: ein Wort hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <location filename="../../desktop/ui/chat/message.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>You: {words}</source>
        <translation>Sie: {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>{count} more</source>
        <translation>{count} weitere</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>{title}, answering</source>
        <translation>{title}, antwortet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/conversation_list.py"/>
        <source>{title}, with a message not sent</source>
        <translation>{title}, mit nicht gesendeter Nachricht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>Another program on this computer answers this chat ({host}). It may pass your words on.</source>
        <translation>Ein anderes Programm auf diesem Computer beantwortet diesen Chat ({host}). Es kann Ihre Worte weitergeben.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>Answer here instead</source>
        <translation>Lieber hier antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>Have the model on this computer answer this chat</source>
        <translation>Diesen Chat vom Modell dieses Computers beantworten lassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>The model on this computer</source>
        <translation>Das Modell dieses Computers</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>The model server {name} is no longer set up. Nothing is sent.</source>
        <translation>Der Modellserver {name} ist nicht mehr eingerichtet. Nichts wird gesendet.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>Who answers this chat</source>
        <translation>Wer diesen Chat beantwortet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>Your words in this chat go to {host}, unencrypted.</source>
        <translation>Ihre Worte in diesem Chat gehen unverschlüsselt an {host}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>Your words in this chat go to {host}.</source>
        <translation>Ihre Worte in diesem Chat gehen an {host}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/destination.py"/>
        <source>{name}: sends to {host}</source>
        <translation>{name}: sendet an {host}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>Dictate in English</source>
        <translation>Auf Englisch diktieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>Dictation needs its add-on (56 MB). Type in a terminal: steward addons add dictation</source>
        <translation>Das Diktat braucht seine Erweiterung (56 MB). Geben Sie in einem Terminal ein: steward addons add dictation</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>No program for recording was found. Install pulseaudio-utils, PipeWire or alsa-utils.</source>
        <translation>Es wurde kein Programm gefunden, das aufnimmt. Installieren Sie pulseaudio-utils, PipeWire oder alsa-utils.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>No words were understood. Speak close to the microphone, in English.</source>
        <translation>Es wurden keine Wörter verstanden. Sprechen Sie nah am Mikrofon, auf Englisch.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>One moment …</source>
        <translation>Einen Moment …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>Stop and write down what was said (Enter; Esc cancels)</source>
        <translation>Beenden und aufschreiben, was gesagt wurde (Eingabe; Esc verwirft)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>Switching on the microphone (Esc cancels)</source>
        <translation>Das Mikrofon wird eingeschaltet (Esc bricht ab)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>The microphone was switched off after {seconds} seconds. Press it again to go on.</source>
        <translation>Das Mikrofon wurde nach {seconds} Sekunden ausgeschaltet. Drücken Sie es noch einmal, um fortzufahren.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <location filename="../../desktop/ui/chat/speech.py"/>
        <source>Then switch this setting off and on.</source>
        <translation>Schalten Sie diese Einstellung danach aus und wieder ein.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>Writing down what was said (Esc cancels)</source>
        <translation>Was gesagt wurde, wird aufgeschrieben (Esc bricht ab)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/dictation.py"/>
        <source>Writing down …</source>
        <translation>Wird aufgeschrieben …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/disclosure.py"/>
        <source>closed</source>
        <translation>zu</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/disclosure.py"/>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/error_actions.py"/>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/error_actions.py"/>
        <source>Edit the message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/error_actions.py"/>
        <source>Load it anyway</source>
        <translation>Trotzdem laden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/error_actions.py"/>
        <source>Use {tokens:,} tokens</source>
        <translation>{tokens:,} Token nehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/info_windows.py"/>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <location filename="../../desktop/ui/undo.py"/>
        <location filename="../../desktop/ui/widgets/cards.py"/>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/info_windows.py"/>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/info_windows.py"/>
        <source>Copy the whole text</source>
        <translation>Den ganzen Text kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/info_windows.py"/>
        <source>{count:,} characters at the end are not shown; Copy takes all of it.</source>
        <translation>{count:,} Zeichen am Ende werden nicht gezeigt; „Kopieren“ nimmt alles.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <source>Deleted “{title}”</source>
        <translation>„{title}“ gelöscht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <source>Export chat</source>
        <translation>Chat exportieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>JSON with everything (*.json)</source>
        <translation>JSON mit allem (*.json)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <source>Moved “{title}” to {project}</source>
        <translation>„{title}“ nach {project} verschoben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <source>Removed “{title}” from {project}</source>
        <translation>„{title}“ aus {project} herausgenommen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <source>Web page (*.html)</source>
        <translation>Seite für einen Browser (*.html)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/list_controller.py"/>
        <source>Written to {path}</source>
        <translation>Nach {path} geschrieben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Answer again</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Delete this message and what follows</source>
        <translation>Diese Nachricht und alles danach löschen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Notice</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Show or hide what the model reads instead of the older messages</source>
        <translation>Zeigen oder verbergen, was das Modell statt der älteren Nachrichten liest</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Show the next version (this is {number} of {count})</source>
        <translation>Die Fassung danach zeigen (dies ist {number} von {count})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Show the previous version (this is {number} of {count})</source>
        <translation>Die Fassung davor zeigen (dies ist {number} von {count})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <location filename="../../desktop/ui/pages/window.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Steward</source>
        <translation>Steward</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Summary of {count} older messages</source>
        <translation>
            <numerusform>Zusammenfassung von {count} älteren Nachricht</numerusform>
            <numerusform>Zusammenfassung von {count} älteren Nachrichten</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>Undo the summary: the model reads the messages themselves again</source>
        <translation>Zusammenfassung zurücknehmen: Das Modell liest wieder die Nachrichten selbst</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/message.py"/>
        <source>{line} · undone</source>
        <translation>{line} · zurückgenommen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>That has been deleted in the meantime.</source>
        <translation>Das wurde inzwischen gelöscht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>The model was told this right before your question. Change or forget it on the Memory page.</source>
        <translation>Das wurde dem Modell unmittelbar vor Ihrer Frage gesagt. Auf der Seite „Gedächtnis“ können Sie es ändern oder vergessen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>This computer has no program that shows folders. It is {folder}.</source>
        <translation>Auf diesem Computer zeigt kein Programm Ordner an. Es ist {folder}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>This file has no text that could be shown; its folder can be opened.</source>
        <translation>Diese Datei hat keinen Text, der sich zeigen ließe; ihr Ordner lässt sich öffnen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>This was forgotten, and the model no longer gets it.</source>
        <translation>Das wurde vergessen und wird dem Modell nicht mehr gesagt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>What was read</source>
        <translation>Was gelesen wurde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>What was remembered</source>
        <translation>Was aus dem Gedächtnis kam</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>Why:</source>
        <translation>Warum:</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/opener.py"/>
        <source>{name} is no longer where it was.</source>
        <translation>{name} ist nicht mehr dort, wo es war.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>How much of the folder is indexed</source>
        <translation>Wie viel vom Ordner erfasst ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>List my Downloads and tell me the biggest file.</source>
        <translation>Liste meine Downloads auf und nenne mir die größte Datei.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>Read text from the screen</source>
        <translation>Text vom Bildschirm lesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>Remind me at 3 pm</source>
        <translation>Um 15 Uhr erinnern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>Remind me at 3 pm to </source>
        <translation>Erinnere mich um 15 Uhr an </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>Show the list of chats</source>
        <translation>Liste der Chats zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>Stop this chat looking into the folder, and delete its index</source>
        <translation>Diesen Chat nicht mehr in den Ordner sehen lassen und dessen Index löschen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>Summarise my clipboard</source>
        <translation>Zwischenablage zusammenfassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>Summarise this text in a few sentences.</source>
        <translation>Fasse diesen Text in wenigen Sätzen zusammen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>What can I help you with?</source>
        <translation>Womit kann ich helfen?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>What does this text say, in short?</source>
        <translation>Was sagt dieser Text in Kürze?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/pane.py"/>
        <source>What is in my Downloads?</source>
        <translation>Was liegt in meinen Downloads?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>As in the settings</source>
        <translation>Wie in den Einstellungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Chats that use a preset keep it as it was when it was chosen.</source>
        <translation>Chats, die eine Vorlage verwenden, behalten sie so, wie sie bei der Wahl war.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Copy of {name}</source>
        <translation>Kopie von {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Deleted “{name}”. Chats that use it keep it.</source>
        <translation>„{name}“ gelöscht. Chats, die sie verwenden, behalten sie.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Edit presets…</source>
        <translation>Vorlagen bearbeiten …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Longest answer in tokens</source>
        <translation>Längste Antwort in Token</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Make a copy</source>
        <translation>Kopie anlegen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>New</source>
        <translation>Neu</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>New preset</source>
        <translation>Neue Vorlage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>Preset</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Presets</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>This preset comes with Steward. Make a copy to change it.</source>
        <translation>Diese Vorlage gehört zu Steward. Legen Sie eine Kopie an, um sie zu ändern.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/presets.py"/>
        <source>What the model is told before the chat begins</source>
        <translation>Was dem Modell gesagt wird, bevor der Chat beginnt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/question.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/question.py"/>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/question.py"/>
        <source>Edit your message</source>
        <translation>Ihre Nachricht bearbeiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/question.py"/>
        <source>Show all</source>
        <translation>Alles zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/question.py"/>
        <source>Show the whole message</source>
        <translation>Die ganze Nachricht zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/question.py"/>
        <source>The message as it was and all that followed are kept as another version.</source>
        <translation>Die bisherige Nachricht und alles, was folgte, bleiben als andere Fassung erhalten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/rich_text.py"/>
        <source>Message text</source>
        <translation>Text der Nachricht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/rich_text.py"/>
        <source>[image: {described}]</source>
        <translation>[Bild: {described}]</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Copy and go back</source>
        <translation>Kopieren und zurück</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Explain</source>
        <translation>Erklären</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Put into the message box</source>
        <translation>Ins Eingabefeld einfügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Rewrite</source>
        <translation>Umschreiben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Shorten</source>
        <translation>Kürzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>The result</source>
        <translation>Das Ergebnis</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>The text is as it was.</source>
        <translation>Der Text ist, wie er war.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>The text was changed in the meantime. Nothing was replaced.</source>
        <translation>Der Text wurde inzwischen geändert. Nichts wurde ersetzt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Translate</source>
        <translation>Übersetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>What to do with the selected text</source>
        <translation>Was mit dem markierten Text geschehen soll</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/selection_bar.py"/>
        <source>Writing…</source>
        <translation>Schreibt …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <location filename="../../desktop/ui/permission/body.py"/>
        <source>&amp;Read on</source>
        <translation>&amp;Weiterlesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>All of it, as it would be sent</source>
        <translation>Alles, wie es gesendet würde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>All of it; the earlier messages in it stay here</source>
        <translation>Alles; die früheren Nachrichten darin bleiben hier</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>As it would be sent, before what is remembered is added</source>
        <translation>So, wie es gesendet würde, noch ohne das Gemerkte</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Do not send</source>
        <translation>Nicht senden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Files: {names}</source>
        <translation>Dateien: {names}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Its model may use tools on this computer</source>
        <translation>Sein Modell darf auf diesem Computer Werkzeuge benutzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Model: {model}, of the server {name}</source>
        <translation>Modell: {model}, vom Server {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Passwords, PINs and codes in it stay here.</source>
        <translation>Passwörter, PINs und Codes darin bleiben hier.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <location filename="../../desktop/ui/permission/body.py"/>
        <source>Read on</source>
        <translation>Weiterlesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Send this chat to {host}?</source>
        <translation>Diesen Chat an {host} senden?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Send to {host}</source>
        <translation>An {host} senden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Steward's instructions and your questions in this chat, from now on</source>
        <translation>Stewards Anweisungen und von nun an Ihre Fragen in diesem Chat</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>Titles, summaries and every permission stay on this computer.</source>
        <translation>Titel, Zusammenfassungen und jede Erlaubnis bleiben auf diesem Computer.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>To send it, read to the end.</source>
        <translation>Zum Senden bis zum Ende lesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>What goes there</source>
        <translation>Was dorthin geht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>What is remembered about your questions</source>
        <translation>Was zu Ihren Fragen im Gedächtnis steht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>What they find in {folder} goes there too.</source>
        <translation>Was sie in {folder} finden, geht auch dorthin.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/send_question.py"/>
        <source>{count} earlier messages of this chat</source>
        <translation>
            <numerusform>{count} frühere Nachricht dieses Chats</numerusform>
            <numerusform>{count} frühere Nachrichten dieses Chats</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Actions for this chat</source>
        <translation>Was mit diesem Chat getan werden kann</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Actions for {title}</source>
        <translation>Was mit {title} getan werden kann</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Activity</source>
        <translation>Aktivität</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Choose and manage models</source>
        <translation>Modelle wählen und verwalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Export…</source>
        <translation>Exportieren …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Look into a folder…</source>
        <translation>In einen Ordner sehen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Move to project</source>
        <translation>In Projekt verschieben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>No project</source>
        <translation>Kein Projekt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Projects</source>
        <translation>Projekte</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Projects…</source>
        <translation>Projekte …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <location filename="../../desktop/ui/widgets/lists.py"/>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Search chats</source>
        <translation>Chats durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>Theme and text size</source>
        <translation>Farben und Textgröße</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/sidebar.py"/>
        <source>{name}: choose and manage models</source>
        <translation>{name}: Modelle wählen und verwalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/speech.py"/>
        <source>No working speech program was found. Install espeak-ng.</source>
        <translation>Es wurde kein funktionierendes Sprachprogramm gefunden. Installieren Sie espeak-ng.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/speech.py"/>
        <source>This answer has no words to read: code is left out.</source>
        <translation>Diese Antwort hat keine Worte zum Vorlesen: Code wird ausgelassen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Already read before</source>
        <translation>Schon bekannt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Before the answer: memory and tools</source>
        <translation>Vor der Antwort: Gedächtnis und Werkzeuge</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Choosing a tool</source>
        <translation>Ein Werkzeug wird gewählt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>First word after</source>
        <translation>Erstes Wort nach</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>How long the latest answer took</source>
        <translation>Wie lange die letzte Antwort brauchte</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Loading model {share:.0%}</source>
        <translation>Modell wird geladen: {share:.0%}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Loading the model</source>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Manage models…</source>
        <translation>Modelle verwalten …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Reading the question</source>
        <translation>Frage wird gelesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Reading {count:,} tokens</source>
        <translation>{count:,} Token werden gelesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Reading {count:,} tokens, {share:.0%}</source>
        <translation>{count:,} Token werden gelesen, {share:.0%}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Waiting for others</source>
        <translation>Wartet auf andere</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Waiting for the network …</source>
        <translation>Auf das Netz wird gewartet …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Working on it</source>
        <translation>Steward arbeitet daran</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>Writing the answer</source>
        <translation>Antwort wird geschrieben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>{count:,} tokens</source>
        <translation>{count:,} Token</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <source>{seconds} for {count:,} tokens</source>
        <translation>{seconds} für {count:,} Token</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_controller.py"/>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>{speed:.1f} tok/s</source>
        <translation>{speed:.1f} Token/s</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>A program asked the model. Your own questions go first.</source>
        <translation>Ein Programm hat das Modell gefragt. Ihre eigenen Fragen gehen vor.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Click to see every request that Steward made.</source>
        <translation>Klicken, um alle Anfragen von Steward auf diesem Computer zu sehen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Give this chat its own instructions and style</source>
        <translation>Diesem Chat eigene Anweisungen und eine eigene Art geben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>How fast the latest answer was written</source>
        <translation>Wie schnell die letzte Antwort geschrieben wurde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Instructions and style of this chat: {name}. Click to choose others.</source>
        <translation>Anweisungen und Art dieses Chats: {name}. Klicken, um andere zu wählen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Loading {name} {share:.0%}</source>
        <translation>{name} wird geladen: {share:.0%}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>More about model and network</source>
        <translation>Mehr zu Modell und Netz</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Never ask is on: files can be deleted and data sent without a question. Click to change it.</source>
        <translation>„Nie fragen“ ist an: Dateien können ohne Rückfrage gelöscht und Daten gesendet werden. Klicken, um das zu ändern.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>No preset</source>
        <translation>Keine Vorlage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Offline: every request of Steward's own is refused.</source>
        <translation>Offline: Jede eigene Anfrage von Steward wird abgelehnt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Show the report. It is kept on this computer; nothing was sent.</source>
        <translation>Bericht zeigen. Er bleibt auf diesem Computer; nichts wurde gesendet.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>The chat has {used:,} tokens and the model sees {all:,} at once: the next question may leave the oldest messages out</source>
        <translation>Der Chat hat {used:,} Token, und das Modell sieht {all:,} auf einmal: Mit der nächsten Frage können die ältesten Nachrichten wegfallen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>The size was chosen to fit the memory that is free; a number in the settings overrides it.</source>
        <translation>Die Größe richtet sich nach dem freien Arbeitsspeicher; eine Zahl in den Einstellungen gilt statt ihrer.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>Where the model runs</source>
        <translation>Wo das Modell rechnet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>answering {name}</source>
        <translation>beantwortet {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>context {used}/{all}</source>
        <translation>Kontext {used}/{all}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>never asks</source>
        <translation>fragt nie</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <location filename="../../desktop/ui/traffic.py"/>
        <source>offline</source>
        <translation>offline</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>{count} layers on the GPU</source>
        <translation>{count} Schichten auf der GPU</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>{count} threads</source>
        <translation>
            <numerusform>{count} Thread</numerusform>
            <numerusform>{count} Threads</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>{used:,} of {all:,} tokens that the model can see at once are used ({share:.0%})</source>
        <translation>{used:,} von {all:,} Token, die das Modell auf einmal sehen kann, sind belegt ({share:.0%})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>{words} · full</source>
        <translation>{words} · voll</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/status_line.py"/>
        <source>{words} · nearly full</source>
        <translation>{words} · fast voll</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Arguments and result</source>
        <translation>Argumente und Ergebnis</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Called with</source>
        <translation>Aufgerufen mit</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Makes this call, and asks first where such a call needs permission.</source>
        <translation>Führt diesen Aufruf aus und fragt vorher, wenn er eine Erlaubnis braucht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Open file</source>
        <translation>Datei öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Show in folder</source>
        <translation>Im Ordner zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Show or hide what was called and what came back</source>
        <translation>Zeigen oder verbergen, was aufgerufen wurde und was zurückkam</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Show or hide what was done</source>
        <translation>Zeigen oder verbergen, was getan wurde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>This change was undone</source>
        <translation>Diese Änderung wurde zurückgenommen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Try: {call}</source>
        <translation>Versuchen: {call}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Try: {call} — worked {successes} of {count} times</source>
        <translation>Versuchen: {call} — half bei {count} Malen {successes}-mal</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Try: {call} — worked {successes} of {count} times, last {day}</source>
        <translation>Versuchen: {call} — half bei {count} Malen {successes}-mal, zuletzt {day}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Undo this change</source>
        <translation>Diese Änderung rückgängig machen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>Undo: {line}</source>
        <translation>Rückgängig: {line}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <location filename="../../desktop/ui/desktop.py"/>
        <source>Undone</source>
        <translation>Zurückgenommen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>What came back</source>
        <translation>Was zurückkam</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>What it was called with</source>
        <translation>Womit es aufgerufen wurde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_card.py"/>
        <source>{name} · +{added} −{removed}</source>
        <translation>{name} · +{added} −{removed}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>Tool: {name}</source>
        <translation>Werkzeug: {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>Why: {why}</source>
        <translation>Warum: {why}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>allowed because {reason}</source>
        <translation>erlaubt: {reason}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>asking you</source>
        <translation>fragt Sie</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>ended without success</source>
        <translation>ohne Erfolg beendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>interrupted when Steward ended</source>
        <translation>abgebrochen, weil Steward endete</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>no answer in time</source>
        <translation>keine Antwort in der Zeit</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>no such tool</source>
        <translation>kein solches Werkzeug</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>not allowed</source>
        <translation>nicht erlaubt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>not allowed: {reason}</source>
        <translation>nicht erlaubt: {reason}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>out of time, still finishing one step</source>
        <translation>Zeit abgelaufen, ein Schritt läuft noch zu Ende</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>stopped</source>
        <translation>gestoppt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>wrong arguments</source>
        <translation>falsche Argumente</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>you allowed it</source>
        <translation>von Ihnen erlaubt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>you said no</source>
        <translation>Sie haben abgelehnt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>you said no, and asked instead: "{text}"</source>
        <translation>Sie haben abgelehnt und stattdessen gebeten: „{text}“</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/tool_words.py"/>
        <source>{seconds:.1f} s</source>
        <translation>{seconds:.1f} s</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/transcript_items.py"/>
        <source>{count} actions: {each}</source>
        <translation>{count} Schritte: {each}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/virtual_list.py"/>
        <source>Jump to latest message</source>
        <translation>Zur neuesten Nachricht springen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/virtual_list.py"/>
        <source>Jump to latest ↓</source>
        <translation>Zum Neuesten ↓</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>Answers look into {folder}</source>
        <translation>Für Antworten wird in {folder} nachgesehen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>Folder for this chat</source>
        <translation>Ordner für diesen Chat</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Larger text</source>
        <translation>Größerer Text</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>No system tray was found, so closing this window ends Steward.</source>
        <translation>Es wurde keine Taskleiste mit Symbolen gefunden, darum beendet das Schließen dieses Fensters Steward.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Normal text size</source>
        <translation>Normale Textgröße</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>Reading the folder: {done:,} of {total:,} files</source>
        <translation>Der Ordner wird gelesen: {done:,} von {total:,} Dateien</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Smaller text</source>
        <translation>Kleinerer Text</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>The context is raised to {tokens}, for all chats.</source>
        <translation>Der Kontext ist auf {tokens} erhöht, für alle Chats.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>This computer has no program that opens {address}.</source>
        <translation>Auf diesem Computer öffnet kein Programm {address}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>no tray: closing quits</source>
        <translation>keine Taskleiste: Schließen beendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>to {host}</source>
        <translation>an {host}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/window.py"/>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>{count:,} files</source>
        <translation>
            <numerusform>{count} Datei</numerusform>
            <numerusform>{count:,} Dateien</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>{count:,} left out: too large or too many</source>
        <translation>
            <numerusform>{count:,} ausgelassen: zu groß oder zu viele</numerusform>
            <numerusform>{count:,} ausgelassen: zu groß oder zu viele</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/chat/window.py"/>
        <source>{folder} cannot be read now</source>
        <translation>{folder} ist gerade nicht lesbar</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/desktop.py"/>
        <source>Its icon is in the tray; Quit is in the icon's menu.</source>
        <translation>Das Symbol ist in der Taskleiste; „Beenden“ steht in seinem Menü.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/desktop.py"/>
        <source>Steward asks</source>
        <translation>Steward fragt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/desktop.py"/>
        <source>Steward keeps running</source>
        <translation>Steward läuft weiter</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>in less than a minute</source>
        <translation>in weniger als einer Minute</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/language.py"/>
        <source>in {count} days</source>
        <translation>
            <numerusform>in {count} Tag</numerusform>
            <numerusform>in {count} Tagen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/language.py"/>
        <source>in {count} hours</source>
        <translation>
            <numerusform>in {count} Stunde</numerusform>
            <numerusform>in {count} Stunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/language.py"/>
        <source>in {count} minutes</source>
        <translation>
            <numerusform>in {count} Minute</numerusform>
            <numerusform>in {count} Minuten</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>in {hours} h {rest} min</source>
        <translation>in {hours} Std. {rest} Min.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>today {clock}</source>
        <translation>heute {clock}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>until you end it</source>
        <translation>bis Sie ihn beenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>yesterday {clock}</source>
        <translation>gestern {clock}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/language.py"/>
        <source>{count} days ago</source>
        <translation>
            <numerusform>vor {count} Tag</numerusform>
            <numerusform>vor {count} Tagen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>{count} days left</source>
        <translation>noch {count} Tage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>{count} h left</source>
        <translation>noch {count} h</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/language.py"/>
        <source>{count} hours ago</source>
        <translation>
            <numerusform>vor {count} Stunde</numerusform>
            <numerusform>vor {count} Stunden</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/language.py"/>
        <source>{count} min left</source>
        <translation>noch {count} min</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/language.py"/>
        <source>{count} minutes ago</source>
        <translation>
            <numerusform>vor {count} Minute</numerusform>
            <numerusform>vor {count} Minuten</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source> Personal numbers and addresses are left out.</source>
        <translation> Persönliche Nummern und Adressen werden weggelassen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Accepted: it is a note now.</source>
        <translation>Angenommen: Es ist jetzt eine Notiz.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Copies from before updates may still hold some of it; delete them yourself: {names} in {folder}.</source>
        <translation>Kopien von vor Aktualisierungen können noch etwas davon enthalten; löschen Sie sie selbst: {names} in {folder}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Declined, and gone from the disk.</source>
        <translation>Abgelehnt und von der Platte gelöscht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Delete everything that is remembered: {items}, {fixes}?</source>
        <translation>Alles löschen, was gemerkt ist: {items}, {fixes}?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Delete everything…</source>
        <translation>Alles löschen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Forgotten, and gone from the disk.</source>
        <translation>Vergessen und von der Platte gelöscht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>It applies to: {where}.</source>
        <translation>Es gilt für: {where}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Keep it to myself</source>
        <translation>Für mich behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Leave it where it is</source>
        <translation>Lassen, wo es ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Let this apply to: {where}?{left_out} This is what is kept:</source>
        <translation>Soll das gelten für: {where}?{left_out} Das wird behalten:</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>No longer pinned.</source>
        <translation>Nicht mehr angeheftet.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Pinned: it applies in every conversation.</source>
        <translation>Angeheftet: Es gilt in jedem Gespräch.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Promote</source>
        <translation>Ausweiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Saved.</source>
        <translation>Gespeichert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Share</source>
        <translation>Teilen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Share this with all of the group: {where}?{left_out} This is what is sent; your own note stays as it is:</source>
        <translation>Mit der ganzen Gruppe teilen: {where}?{left_out} Das wird gesendet; Ihre eigene Notiz bleibt, wie sie ist:</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Shared with the group: {where}.</source>
        <translation>Mit der Gruppe geteilt: {where}.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>So are {count} older notes or turns that said it.</source>
        <translation>
            <numerusform>Ebenso {count} ältere Notiz oder Äußerung, die es sagte.</numerusform>
            <numerusform>Ebenso {count} ältere Notizen oder Äußerungen, die es sagten.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>This cannot be undone.</source>
        <translation>Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/actions.py"/>
        <source>Written to {path}.</source>
        <translation>Nach {path} geschrieben.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/memory/actions.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{count} fixes</source>
        <translation>
            <numerusform>{count} Lösung</numerusform>
            <numerusform>{count} Lösungen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>A page</source>
        <translation>Eine Seite</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>A tool</source>
        <translation>Ein Werkzeug</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Accept</source>
        <translation>Annehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Accept this suggestion</source>
        <translation>Diesen Vorschlag annehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Applies to</source>
        <translation>Gilt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Based on your words: {quote}</source>
        <translation>Beruht auf Ihren Worten: {quote}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Choose a memory to see all of it.</source>
        <translation>Wählen Sie einen Eintrag, um ihn ganz zu sehen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Company</source>
        <translation>Firma</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Decline</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Decline this suggestion</source>
        <translation>Diesen Vorschlag ablehnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Edit this memory</source>
        <translation>Diesen Eintrag bearbeiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Forget</source>
        <translation>Vergessen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Forget this memory</source>
        <translation>Diesen Eintrag vergessen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Keep the words as they were</source>
        <translation>Den Wortlaut lassen, wie er war</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Learned</source>
        <translation>Gelerntes</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Let it apply in more places</source>
        <translation>An mehr Stellen gelten lassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>No conversation is kept yet. What you and the assistant say is kept here word for word, so that it can be found again.</source>
        <translation>Noch kein Gespräch ist aufgehoben. Was Sie und der Assistent sagen, wird hier Wort für Wort aufgehoben, damit es sich wiederfinden lässt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>No notes yet. Write “remember that the shop opens at nine” in a chat and it is kept here. What tools did is gathered here as well.</source>
        <translation>Noch keine Notizen. Schreiben Sie in einem Chat „merk dir, dass der Laden um neun öffnet“, dann wird es hier aufgehoben. Auch was Werkzeuge taten, wird hier gesammelt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>No suggestions are waiting. When Steward has nothing to do, it may propose notes from what you wrote, each with your own words beside it; none is used before you accept it.</source>
        <translation>Keine Vorschläge warten. Wenn Steward nichts zu tun hat, schlägt es vielleicht Notizen aus dem vor, was Sie schrieben, jede mit Ihren eigenen Worten daneben; keine gilt, bevor Sie sie annehmen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Nothing is pinned. Pin a note that should apply in every conversation, or write in a chat “remember: always answer in short sentences”, which is pinned at once.</source>
        <translation>Nichts ist angeheftet. Heften Sie eine Notiz an, die in jedem Gespräch gelten soll, oder schreiben Sie in einem Chat „merk dir: antworte immer in kurzen Sätzen“; das wird gleich angeheftet.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>One conversation</source>
        <translation>Ein Gespräch</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Organisation</source>
        <translation>Organisation</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Project {name}</source>
        <translation>Projekt {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Promote…</source>
        <translation>Ausweiten …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Save these words</source>
        <translation>Diesen Wortlaut speichern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Speaker</source>
        <translation>Sprecher</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/quick_ask/suggestions.py"/>
        <source>Suggestions</source>
        <translation>Vorschläge</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Team</source>
        <translation>Team</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>The assistant</source>
        <translation>Der Assistent</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>The assistant itself</source>
        <translation>Der Assistent selbst</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Turn of a conversation</source>
        <translation>Äußerung in einem Gespräch</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>Used in answers</source>
        <translation>In Antworten verwendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>What is remembered</source>
        <translation>Was gemerkt ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>What tools did</source>
        <translation>Was Werkzeuge taten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>does not fit into the profile</source>
        <translation>passt nicht ins Profil</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>never yet</source>
        <translation>noch nie</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>pinned</source>
        <translation>angeheftet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>replaced since</source>
        <translation>inzwischen ersetzt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/list.py"/>
        <source>score {score}</source>
        <translation>Treffer {score}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/memory/list.py"/>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>{count} times</source>
        <translation>
            <numerusform>{count}-mal</numerusform>
            <numerusform>{count}-mal</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Better search ({size})…</source>
        <translation>Bessere Suche ({size}) …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Cancel the download</source>
        <translation>Download abbrechen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Export as Markdown</source>
        <translation>Als Markdown exportieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Export what is remembered</source>
        <translation>Exportieren, was gemerkt ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Fetching the model…</source>
        <translation>Modell wird geholt …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Find by meaning too, with a small model of its own</source>
        <translation>Auch nach der Bedeutung suchen, mit einem eigenen kleinen Modell</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Find by words only</source>
        <translation>Nur nach Wörtern suchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Forget this fix</source>
        <translation>Diese Lösung vergessen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Forget what helped here? It is learned again only when it happens again.</source>
        <translation>Vergessen, was hier half? Es wird erst wieder gelernt, wenn es wieder vorkommt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Forgotten.</source>
        <translation>Vergessen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Found by words and by meaning.</source>
        <translation>Nach Wörtern und nach Bedeutung gefunden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Found by words, dates and parts of words.</source>
        <translation>Nach Wörtern, Daten und Wortteilen gefunden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>It first has to work {count} times, and nearly always.</source>
        <translation>Es muss zuerst {count}-mal und fast immer wirken.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Keep in the project</source>
        <translation>Im Projekt lassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Keep nothing new for now</source>
        <translation>Vorerst nichts Neues behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Kinds of memories</source>
        <translation>Arten von Einträgen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Memory is paused: nothing new is kept, and nothing is put into answers.</source>
        <translation>Das Gedächtnis pausiert: Nichts Neues wird behalten, und nichts kommt in Antworten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Never offer</source>
        <translation>Nie anbieten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Never offered again.</source>
        <translation>Wird nie wieder angeboten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>No fix matches the search.</source>
        <translation>Keine Lösung passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Nothing learned yet. When a tool or command fails and another try at the same thing works, what helped is kept here and offered the next time.</source>
        <translation>Noch nichts gelernt. Wenn ein Werkzeug oder Befehl fehlschlägt und ein anderer Versuch derselben Sache gelingt, wird hier behalten, was half, und beim nächsten Mal angeboten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Nothing matches. Try other words.</source>
        <translation>Nichts passt. Versuchen Sie andere Wörter.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Offer again</source>
        <translation>Wieder anbieten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Offer everywhere</source>
        <translation>Überall anbieten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Offer it everywhere</source>
        <translation>Sie überall anbieten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Offer this fix everywhere? This is what is kept of it:
{text}</source>
        <translation>Diese Lösung überall anbieten? Das wird davon behalten:
{text}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Offered again.</source>
        <translation>Wird wieder angeboten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Offered everywhere now.</source>
        <translation>Wird jetzt überall angeboten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Remember again</source>
        <translation>Wieder merken</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Search what is remembered</source>
        <translation>Durchsuchen, was gemerkt ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Search: {title}</source>
        <translation>Suchen: {title}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>The newest {memories}</source>
        <translation>Die neuesten {memories}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>What Steward remembers, all of it on this computer.</source>
        <translation>Was Steward sich gemerkt hat, alles auf diesem Computer.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Words only</source>
        <translation>Nur Wörter</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>Worked {successes} of {count} times</source>
        <translation>
            <numerusform>Hat bei {count} Mal {successes}-mal gewirkt</numerusform>
            <numerusform>Hat bei {count} Malen {successes}-mal gewirkt</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>last {day}</source>
        <translation>zuletzt {day}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>never offered</source>
        <translation>nie angeboten</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{count:,} memories are still to be read, when there is nothing else to do.</source>
        <translation>
            <numerusform>{count} Eintrag ist noch zu lesen, wenn sonst nichts zu tun ist.</numerusform>
            <numerusform>{count:,} Einträge sind noch zu lesen, wenn sonst nichts zu tun ist.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{count} do not fit and are left out. Shorten or unpin some.</source>
        <translation>
            <numerusform>{count} passt nicht hinein und bleibt weg. Kürzen oder lösen Sie etwas.</numerusform>
            <numerusform>{count} passen nicht hinein und bleiben weg. Kürzen oder lösen Sie einige.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{phase}: {done}</source>
        <translation>{phase}: {done}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{title} ({count})</source>
        <translation>{title} ({count})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{title}: memories</source>
        <translation>{title}: Einträge</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{tool}: {message}</source>
        <translation>{tool}: {message}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/memory/page.py"/>
        <source>{used} of {budget} tokens pinned</source>
        <translation>{used} von {budget} Token angeheftet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <source>A better model fits this computer</source>
        <translation>Auf diesen Computer passt ein besseres Modell</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <source>Access token</source>
        <translation>Zugriffstoken</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <source>Access token of your Hugging Face account</source>
        <translation>Zugriffstoken Ihres Kontos bei Hugging Face</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Choose another model</source>
        <translation>Anderes Modell wählen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <source>Download ({size})</source>
        <translation>Herunterladen ({size})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Download {name}</source>
        <translation>{name} herunterladen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <source>No, thanks</source>
        <translation>Nein, danke</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <source>Save token and try again</source>
        <translation>Token speichern und noch einmal versuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/cards.py"/>
        <source>The model that you have stays. This project has not tried the new one itself.</source>
        <translation>Ihr jetziges Modell bleibt. Das neue hat dieses Projekt nicht selbst erprobt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Cancel the download of {name}</source>
        <translation>Download von {name} abbrechen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Check</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Download anyway</source>
        <translation>Trotzdem herunterladen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Download of {name}</source>
        <translation>Download von {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Pause the download of {name}</source>
        <translation>Download von {name} anhalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Paused. What has arrived is kept.</source>
        <translation>Angehalten. Was angekommen ist, bleibt erhalten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Ready</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Resume the download of {name}</source>
        <translation>Download von {name} fortsetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <source>Starting</source>
        <translation>Beginnt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/downloads.py"/>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>{done} percent</source>
        <translation>{done} Prozent</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>All models</source>
        <translation>Alle Modelle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Always there, beside the clock</source>
        <translation>Immer da, neben der Uhr</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Another set-up is running; this one goes on after it</source>
        <translation>Eine andere Einrichtung läuft; diese geht danach weiter</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Ask from any program</source>
        <translation>Eine Frage über jedem Programm</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Asks before something changes</source>
        <translation>Fragt, bevor sich etwas ändert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Choose another file</source>
        <translation>Andere Datei wählen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Close window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Fewer models</source>
        <translation>Weniger Modelle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Gate</source>
        <translation>Schranke</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Getting the model</source>
        <translation>Modell holen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>I have a GGUF file…</source>
        <translation>GGUF-Datei wählen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Nearly there</source>
        <translation>Gleich ist es so weit</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Not now</source>
        <translation>Nicht jetzt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Other models</source>
        <translation>Andere Modelle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Progress of the set-up</source>
        <translation>Fortschritt der Einrichtung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/palette.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Quick-ask</source>
        <translation>Kurzfrage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Reading {file_name}</source>
        <translation>{file_name} wird gelesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward</source>
        <translation>Steward wird eingerichtet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward: compiling what runs the models</source>
        <translation>Steward wird eingerichtet: Was die Modelle rechnet, wird übersetzt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward: fetching packages</source>
        <translation>Steward wird eingerichtet: Pakete kommen an</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward: fetching what runs the models</source>
        <translation>Steward wird eingerichtet: Was die Modelle rechnet, kommt an</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward: installing what runs the models</source>
        <translation>Steward wird eingerichtet: Was die Modelle rechnet, wird installiert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward: packages of the system</source>
        <translation>Steward wird eingerichtet: Pakete des Systems</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward: trying what was installed</source>
        <translation>Steward wird eingerichtet: Das Installierte wird ausprobiert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Setting up Steward: unpacking packages</source>
        <translation>Steward wird eingerichtet: Pakete werden ausgepackt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Start chatting</source>
        <translation>Chat beginnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Steward answers with a model that runs on this computer. It is downloaded once and then needs no connection; what you write goes to nobody unless you allow it.</source>
        <translation>Steward antwortet mit einem Modell, das auf diesem Computer läuft. Es wird einmal heruntergeladen und braucht dann keine Verbindung; was Sie schreiben, geht an niemanden, außer Sie erlauben es.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Steward is set up</source>
        <translation>Steward ist eingerichtet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Steward is still being set up. The chat opens by itself as soon as that is done.</source>
        <translation>Steward wird noch eingerichtet. Der Chat öffnet sich von selbst, sobald das fertig ist.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Steward waits in the tray, answers over any program at the press of a key, and asks before it or a coding agent changes something.</source>
        <translation>Steward wartet in der Taskleiste, antwortet auf Tastendruck über jedem Programm und fragt, bevor es oder ein Coding-Agent etwas ändert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>This step: {done} of about {size}</source>
        <translation>Dieser Schritt: {done} von etwa {size}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>This step: {done} of {total} packages</source>
        <translation>Dieser Schritt: {done} von {total} Paketen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Tray</source>
        <translation>Taskleiste</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Use a model file from your disk. Nothing is copied.</source>
        <translation>Eine Modelldatei von Ihrer Festplatte verwenden. Nichts wird kopiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Use this model</source>
        <translation>Dieses Modell verwenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>Welcome to Steward</source>
        <translation>Willkommen bei Steward</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>You can close this window; the download goes on.</source>
        <translation>Sie können dieses Fenster schließen; der Download läuft weiter.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>every byte was checked</source>
        <translation>jedes Byte wurde geprüft</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>its maker published no checksum to compare with</source>
        <translation>der Hersteller hat keine Prüfsumme zum Vergleichen veröffentlicht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>{name} is ready to answer.</source>
        <translation>{name} ist bereit zu antworten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>{name}: {done} of {size}</source>
        <translation>{name}: {done} von {size}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>{share} of everything</source>
        <translation>{share} von allem</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>{size} on this computer; {checked}.</source>
        <translation>{size} auf diesem Computer; {checked}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_run.py"/>
        <source>{size}, used where it is: {path}. Nothing was copied.</source>
        <translation>{size}, verwendet, wo es liegt: {path}. Nichts wurde kopiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>A folder to read</source>
        <translation>Ein Ordner zum Lesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>All of this can wait; it is also in the settings.</source>
        <translation>All das hat Zeit; es steht auch in den Einstellungen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Choose a folder…</source>
        <translation>Ordner wählen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Hotkey</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Its own folder: {folder}</source>
        <translation>Sein eigener Ordner: {folder}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Keys and folder</source>
        <translation>Tasten und Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>No folder is open.</source>
        <translation>Kein Ordner ist geöffnet.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Off unless you switch it on. It then waits in the tray, without a window.</source>
        <translation>Aus, solange Sie es nicht einschalten. Es wartet dann in der Taskleiste, ohne Fenster.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Open to read: {folder}</source>
        <translation>Zum Lesen geöffnet: {folder}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Start Steward with the computer</source>
        <translation>Steward mit dem Computer starten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>Steward waits in the tray, beside the clock. If its icon is hidden, look behind the small arrow, and drag it out.</source>
        <translation>Steward wartet in der Taskleiste neben der Uhr. Wo sein Symbol dort verborgen ist, sehen Sie hinter dem kleinen Pfeil nach, und ziehen Sie es heraus.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>The assistant has a folder of its own. It reads no other file unless you open the folder here, or agree when it asks. Before it changes something, it asks.</source>
        <translation>Der Assistent hat einen eigenen Ordner. Er liest keine andere Datei, wenn Sie nicht hier den Ordner öffnen oder zustimmen, wenn er fragt. Bevor er etwas ändert, fragt er.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>These keys open Quick-ask over everything else. Change them if another program uses them.</source>
        <translation>Diese Tasten öffnen die Kurzfrage über allem anderen. Ändern Sie sie, wo ein anderes Programm sie hat.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/first_steps.py"/>
        <source>This desktop has no tray. Steward's window stays in the list of windows.</source>
        <translation>Die Taskleiste dieses Desktops zeigt keine Symbole. Stewards Fenster bleibt dann in der Liste der Fenster.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>, in memory ({loaded_on})</source>
        <translation>, im Speicher ({loaded_on})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Active</source>
        <translation>Aktiv</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Delete {name}</source>
        <translation>{name} löschen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Delete {name}?</source>
        <translation>{name} löschen?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Delete {size}</source>
        <translation>{size} löschen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Delete…</source>
        <translation>Löschen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Every byte is as it should be.</source>
        <translation>Jedes Byte ist, wie es sein soll.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Keep {name}</source>
        <translation>{name} behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>No model is installed yet.</source>
        <translation>Noch ist kein Modell installiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Reads the whole file and compares its checksum.</source>
        <translation>Liest die ganze Datei und vergleicht ihre Prüfsumme.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Remove from the list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Remove {name} from the list</source>
        <translation>{name} aus der Liste entfernen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Remove {name} from the list?</source>
        <translation>{name} aus der Liste entfernen?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Remove…</source>
        <translation>Entfernen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>The file has changed since it was added; verify it before you use it</source>
        <translation>Die Datei hat sich geändert, seit sie hinzugefügt wurde; prüfen Sie sie, bevor Sie sie verwenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>The file no longer exists</source>
        <translation>Die Datei ist nicht mehr da</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>The file will be deleted, which frees {size} of disk space. Conversations stay. To use this model again, you have to download it again.</source>
        <translation>Die Datei wird gelöscht, und {size} Speicherplatz werden frei. Gespräche bleiben. Um dieses Modell wieder zu verwenden, muss es neu heruntergeladen werden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Use {name}</source>
        <translation>{name} verwenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Verify {name}</source>
        <translation>{name} prüfen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Verifying {name}</source>
        <translation>{name} wird geprüft</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Your file ({size}) stays where it is: {path}</source>
        <translation>Ihre Datei ({size}) bleibt, wo sie ist: {path}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/installed_list.py"/>
        <source>Your own file, used where it is: {path}</source>
        <translation>Ihre eigene Datei, verwendet, wo sie liegt: {path}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Add a model</source>
        <translation>Modell hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Choose a model file</source>
        <translation>Modelldatei wählen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Download {file_name}?</source>
        <translation>{file_name} herunterladen?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Download {name}{size}</source>
        <translation>{name}{size} herunterladen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Download{size}</source>
        <translation>Herunterladen{size}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Find this repository</source>
        <translation>Dieses Repository suchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>From {repository}</source>
        <translation>Von {repository}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Hugging Face repository id</source>
        <translation>Name des Repositorys bei Hugging Face</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Looking at {repository}</source>
        <translation>{repository} wird angesehen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Models (*.gguf);;All files (*)</source>
        <translation>Modelle (*.gguf);;Alle Dateien (*)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Models to download</source>
        <translation>Modelle zum Herunterladen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Not tried by this project, and the site publishes no checksum: Steward cannot tell whether the file arrives as its maker meant it. Download it only if you trust the source.</source>
        <translation>Von diesem Projekt nicht erprobt, und die Seite veröffentlicht keine Prüfsumme: Steward kann nicht sagen, ob die Datei so ankommt, wie ihr Hersteller sie meinte. Laden Sie sie nur herunter, wenn Sie der Quelle vertrauen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Not tried by this project. The site publishes a checksum, so a damaged download is noticed; whether the model is good, or honest, nobody has checked.</source>
        <translation>Von diesem Projekt nicht erprobt. Die Seite veröffentlicht eine Prüfsumme, ein beschädigter Download wird also bemerkt; ob das Modell gut oder ehrlich ist, hat niemand geprüft.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Or a Hugging Face repository with GGUF files:</source>
        <translation>Oder ein Repository bei Hugging Face mit GGUF-Dateien:</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>Use a model file that you have: pick it here, or drop it on this window. Nothing is copied.</source>
        <translation>Eine Modelldatei verwenden, die Sie haben: hier auswählen oder auf dieses Fenster ziehen. Nichts wird kopiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/manager.py"/>
        <source>{name} was added; its file stays where it is.</source>
        <translation>{name} wurde hinzugefügt; die Datei bleibt, wo sie ist.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Add a model server</source>
        <translation>Modellserver hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Add no model server</source>
        <translation>Keinen Modellserver hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Another program or computer can answer a chat, when you choose it for that chat in the menu of the model. Everything else stays on this computer.</source>
        <translation>Ein anderes Programm oder ein anderer Rechner kann einen Chat beantworten, wenn Sie ihn für diesen Chat im Menü des Modells wählen. Alles andere bleibt auf diesem Computer.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Ask {name} which models it has</source>
        <translation>{name} fragen, welche Modelle er hat</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Asking which models it has …</source>
        <translation>Er wird gefragt, welche Modelle er hat …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>It is asked once which models it has. No words of yours are sent.</source>
        <translation>Er wird einmal gefragt, welche Modelle er hat. Von Ihren Worten wird nichts gesendet.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>It is in my own network and has no https</source>
        <translation>Er steht in meinem eigenen Netz und hat kein https</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Its model may be offered tools</source>
        <translation>Seinem Modell dürfen Werkzeuge angeboten werden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Key, if it needs one; kept in the keyring if there is one</source>
        <translation>Schlüssel, falls er einen will; kommt in den Schlüsselbund, wenn es einen gibt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Name: lowercase letters, digits, - and _</source>
        <translation>Name: kleine Buchstaben, Ziffern, - und _</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Not needed if it has only one</source>
        <translation>Nicht nötig, wenn er nur eines hat</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Remove it</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Remove {name}? Its key in the keyring goes with it.</source>
        <translation>{name} entfernen? Der Schlüssel im Schlüsselbund geht mit.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Such as https://models.example.org/v1</source>
        <translation>Etwa https://models.example.org/v1</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>With a key from the keyring</source>
        <translation>Mit einem Schlüssel aus dem Schlüsselbund</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>Without a key</source>
        <translation>Ohne Schlüssel</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>{name} answers. It has: {models}</source>
        <translation>{name} antwortet. Er hat: {models}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>{name} was added, with the model {model}.</source>
        <translation>{name} wurde hinzugefügt, mit dem Modell {model}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/servers.py"/>
        <source>{name} was removed. Chats that it answered stay.</source>
        <translation>{name} wurde entfernt. Chats, die er beantwortet hat, bleiben.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Fits: needs {needed} of memory, and this computer has {total}</source>
        <translation>Passt: braucht {needed} Arbeitsspeicher, und dieser Computer hat {total}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Installed</source>
        <translation>Installiert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Not tried by this project</source>
        <translation>Von diesem Projekt nicht erprobt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Size not known before the download</source>
        <translation>Größe vor dem Download unbekannt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Suits this computer best</source>
        <translation>Passt am besten zu diesem Computer</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Tight: needs {needed} of memory, and {free} is free now; close other programs first</source>
        <translation>Knapp: braucht {needed} Arbeitsspeicher, und {free} sind jetzt frei; schließen Sie zuerst andere Programme</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Too large: needs {needed} of memory, and this computer has {total}</source>
        <translation>Zu groß: braucht {needed} Arbeitsspeicher, und dieser Computer hat {total}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>Tried by this project</source>
        <translation>Von diesem Projekt erprobt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>a few seconds left</source>
        <translation>noch ein paar Sekunden</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/models/words.py"/>
        <source>about {count} hours left</source>
        <translation>
            <numerusform>noch etwa {count} Stunde</numerusform>
            <numerusform>noch etwa {count} Stunden</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/models/words.py"/>
        <source>about {count} minutes left</source>
        <translation>
            <numerusform>noch etwa {count} Minute</numerusform>
            <numerusform>noch etwa {count} Minuten</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>about {seconds} seconds left</source>
        <translation>noch etwa {seconds} Sekunden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>{about}{rate} words/s here, first word after {about}{seconds} s</source>
        <translation>{about}{rate} Wörter/s hier, erstes Wort nach {about}{seconds} s</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>{done} of {size}</source>
        <translation>{done} von {size}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>{done} of {size} are here already</source>
        <translation>{done} von {size} sind schon da</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>{size} download</source>
        <translation>Download {size}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>{size} · Licence: {licence}</source>
        <translation>{size} · Lizenz: {licence}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>{tokens:,} tokens of context</source>
        <translation>{tokens:,} Token Kontext</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/models/words.py"/>
        <source>{words}. The disk has too little space for it</source>
        <translation>{words}. Auf der Festplatte ist kein Platz dafür</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Export the lines</source>
        <translation>Zeilen exportieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>JSON lines (*.jsonl)</source>
        <translation>JSON-Zeilen (*.jsonl)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>No coding agent has asked yet.</source>
        <translation>Noch kein Coding-Agent hat gefragt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>No line matches. Choose another agent, class or answer, or search for something else.</source>
        <translation>Keine Zeile passt. Wählen Sie einen anderen Agenten, eine andere Klasse oder Antwort, oder suchen Sie nach etwas anderem.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Pause for ten minutes</source>
        <translation>Zehn Minuten pausieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Paused until {clock}, {left} left. Steward has no opinion until then: agents follow their own rules.</source>
        <translation>Pausiert bis {clock}, noch {left}. Bis dahin hat Steward keine Meinung: Agenten richten sich nach ihren eigenen Regeln.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Project mode has ended. Agents ask again.</source>
        <translation>Der Projektmodus ist beendet. Agenten fragen wieder.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Protect the agents on this computer with one command in a terminal:</source>
        <translation>Schützen Sie die Agenten auf diesem Computer mit einem Befehl in einem Terminal:</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Show permissions</source>
        <translation>Berechtigungen zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Show {count:,} newer</source>
        <translation>{count:,} neuere zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Start checking agents again</source>
        <translation>Wieder prüfen, was Agenten tun</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>Table (*.csv)</source>
        <translation>Tabelle (*.csv)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>The line was copied.</source>
        <translation>Die Zeile wurde kopiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>What coding agents wanted to do since Steward started, how it was answered, and why.</source>
        <translation>Was Coding-Agenten tun wollten, seit Steward gestartet ist, wie geantwortet wurde und warum.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>{count:,} asked</source>
        <translation>{count:,} gefragt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>{count:,} checked</source>
        <translation>{count:,} geprüft</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>{count:,} denied</source>
        <translation>{count:,} abgelehnt</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>{count:,} lines</source>
        <translation>
            <numerusform>{count} Zeile</numerusform>
            <numerusform>{count:,} Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>{count:,} lines were written to {path}. Secrets were left out.</source>
        <translation>
            <numerusform>{count} Zeile wurde nach {path} geschrieben. Geheimnisse wurden weggelassen.</numerusform>
            <numerusform>{count:,} Zeilen wurden nach {path} geschrieben. Geheimnisse wurden weggelassen.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity.py"/>
        <source>{lines} of {known:,}</source>
        <translation>{lines} von {known:,}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>Allowed</source>
        <translation>Erlaubt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>Denied</source>
        <translation>Abgelehnt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>Left to agent</source>
        <translation>Dem Agenten überlassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>No opinion</source>
        <translation>Keine Meinung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>Took</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Waits for you</source>
        <translation>Wartet auf Sie</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>a connection to {what}</source>
        <translation>eine Verbindung zu {what}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>a rule</source>
        <translation>eine Regel</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>a setting</source>
        <translation>eine Einstellung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>an error</source>
        <translation>ein Fehler</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>did not report that it ran inside the project</source>
        <translation>meldete nicht, dass es im Projekt lief</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>did not report that it ran read only</source>
        <translation>meldete nicht, dass es nur lesend lief</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>no answer</source>
        <translation>keine Antwort</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>only reads</source>
        <translation>liest nur</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>permission</source>
        <translation>Berechtigung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>ran inside the project</source>
        <translation>lief im Projekt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>ran on {worker}</source>
        <translation>lief auf {worker}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>ran read only</source>
        <translation>lief nur lesend</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>remembered, or too long to be read</source>
        <translation>gemerkt oder zu lang zum Lesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>the folder, permissions and rules</source>
        <translation>Ordner, Berechtigungen und Regeln</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>the model</source>
        <translation>das Modell</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>the model's opinion</source>
        <translation>die Meinung des Modells</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>the programs that it runs</source>
        <translation>die Programme, die es ausführt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>the syntax</source>
        <translation>die Syntax</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>to run inside the project</source>
        <translation>soll im Projekt laufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>to run read only</source>
        <translation>soll nur lesend laufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>you</source>
        <translation>Sie</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>{agent}, session {session}</source>
        <translation>{agent}, Sitzung {session}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>{ms:.0f} min</source>
        <translation>{ms:.0f} min</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>{seconds} s of this computer's processor</source>
        <translation>{seconds} s Prozessorzeit dieses Computers</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>{text} … ({count:,} characters, complete in the details)</source>
        <translation>{text} … ({count:,} Zeichen, vollständig in den Einzelheiten)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_model.py"/>
        <source>{what}, put back</source>
        <translation>{what}, zurückgelegt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>All agents</source>
        <translation>Alle Agenten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>All answers</source>
        <translation>Alle Antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>All classes</source>
        <translation>Alle Klassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Allowed · permission</source>
        <translation>Erlaubt · Berechtigung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Choose a line to see why it was answered that way.</source>
        <translation>Wählen Sie eine Zeile, um zu sehen, warum so geantwortet wurde.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Decided by</source>
        <translation>Entschieden durch</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>It waits for your answer. Until then nothing is allowed.</source>
        <translation>Es wartet auf Ihre Antwort. Bis dahin ist nichts erlaubt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Ran</source>
        <translation>Gelaufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Reason: {reason}.</source>
        <translation>Grund: {reason}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Refused</source>
        <translation>Verweigert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Saved</source>
        <translation>Gespart</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Search the verdicts</source>
        <translation>Urteile durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Show the copies</source>
        <translation>Kopien zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/permission/queue.py"/>
        <source>Show the question</source>
        <translation>Frage zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>Verdicts, the newest first</source>
        <translation>Urteile, die neuesten zuerst</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>What it changed can no longer be undone: the old content made room for newer changes.</source>
        <translation>Was er geändert hat, lässt sich nicht mehr zurücknehmen: Der alte Inhalt musste neueren Änderungen weichen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>What it changed was undone.</source>
        <translation>Was er geändert hat, wurde zurückgenommen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/pages/log.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>undoing…</source>
        <translation>wird zurückgenommen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/activity_table.py"/>
        <source>{tier_words} (tier {tier}), {took}</source>
        <translation>{tier_words} (Stufe {tier}), {took}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>A backup holds the profile in one file: conversations, notes, memory, reminders, settings, your skills, what you allowed, and the log. Access tokens are never in it.</source>
        <translation>Eine Sicherung enthält das Profil in einer Datei: Gespräche, Notizen, Gedächtnis, Erinnerungen, Einstellungen, Ihre Skills, was Sie erlaubt haben, und das Protokoll. Zugriffstoken sind nie darin.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Back up</source>
        <translation>Sichern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Back up…</source>
        <translation>Sichern …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Backup</source>
        <translation>Sicherung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Backups (*.zip)</source>
        <translation>Sicherungen (*.zip)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Chats (*.json)</source>
        <translation>Chats (*.json)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Conversations as JSON, with all versions, or as Markdown to read. Import reads that JSON, and conversations.json from ChatGPT's export.</source>
        <translation>Gespräche als JSON mit allen Fassungen oder als Markdown zum Lesen. Der Import nimmt dieses JSON und die conversations.json aus dem Export von ChatGPT.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Export chats</source>
        <translation>Chats exportieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Export chats…</source>
        <translation>Chats exportieren …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Folder with a Markdown file for each chat (*.md)</source>
        <translation>Ordner mit einer Markdown-Datei für jeden Chat (*.md)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Import chats</source>
        <translation>Chats importieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Import chats…</source>
        <translation>Chats importieren …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Restore and restart</source>
        <translation>Wiederherstellen und neu starten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>Restore…</source>
        <translation>Wiederherstellen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>The backup is being read …</source>
        <translation>Die Sicherung wird gelesen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>The backup is being unpacked and checked …</source>
        <translation>Die Sicherung wird entpackt und geprüft …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>The backup is being written …</source>
        <translation>Die Sicherung wird geschrieben …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>The chats are being read …</source>
        <translation>Die Chats werden gelesen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>The chats are being written …</source>
        <translation>Die Chats werden geschrieben …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>With the model files</source>
        <translation>Mit den Modelldateien</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>With the model files ({size} more)</source>
        <translation>Mit den Modelldateien ({size} mehr)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/backup.py"/>
        <source>{about} Steward restarts with it. What is here now is kept aside, in the same folder.</source>
        <translation>{about} Steward startet damit neu. Was jetzt hier ist, bleibt daneben aufgehoben, im selben Ordner.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Changed {name}</source>
        <translation>{name} geändert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Created the folder {name}</source>
        <translation>Ordner {name} angelegt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Created {name}</source>
        <translation>{name} angelegt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Deleted {name}</source>
        <translation>{name} gelöscht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Files that were written, moved or deleted, the newest first. Undo puts back what was there before.</source>
        <translation>Dateien, die geschrieben, verschoben oder gelöscht wurden, die neuesten zuerst. „Rückgängig“ stellt her, was vorher da war.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Free space…</source>
        <translation>Platz freigeben …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Free the space</source>
        <translation>Platz freigeben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Free the space kept for undo</source>
        <translation>Den für „Rückgängig“ belegten Platz freigeben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Free {size}? What was overwritten or deleted up to now can then no longer be undone. The files themselves stay as they are.</source>
        <translation>{size} freigeben? Was bisher überschrieben oder gelöscht wurde, lässt sich dann nicht mehr zurückholen. Die Dateien selbst bleiben, wie sie sind.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>In {folder}</source>
        <translation>In {folder}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Kept for undo: {size} of at most {limit}. When it is full, the oldest go first.</source>
        <translation>Für „Rückgängig“ aufgehoben: {size} von höchstens {limit}. Wenn der Platz voll ist, gehen die ältesten zuerst.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Moved {name} to {place}</source>
        <translation>{name} nach {place} verschoben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Space used for undo</source>
        <translation>Für „Rückgängig“ belegter Platz</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Steward has not changed any file yet. What it changes with your permission is listed here, with Undo.</source>
        <translation>Steward hat noch keine Datei geändert. Was es mit Ihrer Erlaubnis ändert, steht hier, mit „Rückgängig“.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>The space is free. {count} changes can no longer be undone.</source>
        <translation>
            <numerusform>Der Platz ist frei. {count} Änderung lässt sich nicht mehr zurücknehmen.</numerusform>
            <numerusform>Der Platz ist frei. {count} Änderungen lassen sich nicht mehr zurücknehmen.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>Undo: {entry}</source>
        <translation>Rückgängig: {entry}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>by a command</source>
        <translation>durch einen Befehl</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>by the assistant</source>
        <translation>durch den Assistenten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>can no longer be undone: the old content made room for newer changes</source>
        <translation>nicht mehr zurückzunehmen: Der alte Inhalt musste neueren Änderungen weichen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>may have been interrupted</source>
        <translation>vielleicht unterbrochen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>put aside by an undo</source>
        <translation>von einem Rückgängigmachen beiseitegelegt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>the command had not ended when this was last checked</source>
        <translation>der Befehl war noch nicht zu Ende, als zuletzt nachgesehen wurde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/changes.py"/>
        <source>undone</source>
        <translation>zurückgenommen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>A bug in Steward, {when}</source>
        <translation>Ein Fehler von Steward selbst, {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>All {count} work.</source>
        <translation>Alle {count} funktionieren.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Check again</source>
        <translation>Noch einmal prüfen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Checking: {count} done.</source>
        <translation>Prüfung läuft: {count} fertig.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Closed unexpectedly {when}</source>
        <translation>Unerwartet geschlossen {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Copy the report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Copy the report: {words}</source>
        <translation>Bericht kopieren: {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Delete: {words}</source>
        <translation>Löschen: {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Doctor</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Hide report</source>
        <translation>Bericht verbergen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Kept on this computer, without secrets. Copy one into your report when you ask for help.</source>
        <translation>Auf diesem Computer aufgehoben, ohne Geheimnisse. Kopieren Sie einen in Ihre Meldung, wo Sie Hilfe wollen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Progress of the report</source>
        <translation>Wie weit der Bericht ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Reports of crashes</source>
        <translation>Berichte über Abstürze</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Show report</source>
        <translation>Bericht zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Started {when}, closed unexpectedly</source>
        <translation>Gestartet {when}, unerwartet geschlossen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Steward closed unexpectedly</source>
        <translation>Steward wurde unerwartet geschlossen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>Steward closed unexpectedly {when}</source>
        <translation>Steward wurde {when} unerwartet geschlossen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>The report</source>
        <translation>Der Bericht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>The report is not complete.</source>
        <translation>Der Bericht ist nicht vollständig.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>The report is on the clipboard.</source>
        <translation>Der Bericht ist in der Zwischenablage.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>The window hung {when}</source>
        <translation>Das Fenster hing {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>What works on this computer. Nothing is sent; the report names folders of yours when you copy it.</source>
        <translation>Was auf diesem Computer funktioniert. Nichts wird gesendet; der Bericht nennt Ordner von Ihnen, wenn Sie ihn kopieren.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>limited</source>
        <translation>eingeschränkt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>works</source>
        <translation>funktioniert</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>{count} are limited</source>
        <translation>
            <numerusform>{count} ist eingeschränkt</numerusform>
            <numerusform>{count} sind eingeschränkt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>{count} are missing</source>
        <translation>
            <numerusform>{count} fehlt</numerusform>
            <numerusform>{count} fehlen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/doctor.py"/>
        <source>{count} of {all} work</source>
        <translation>{count} von {all} funktionieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>A table from a tag</source>
        <translation>Eine Tabelle aus einer Markierung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Agree</source>
        <translation>Zustimmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Agree and switch on</source>
        <translation>Zustimmen und einschalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Agree to what {name} may do</source>
        <translation>Dem zustimmen, was {name} darf</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Cannot be used</source>
        <translation>Nicht benutzbar</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Close the settings</source>
        <translation>Einstellungen schließen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Comes with Steward</source>
        <translation>Kommt mit Steward</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Draws rows that the model writes with semicolons between &lt;rows&gt; and &lt;/rows&gt; as a table.</source>
        <translation>Zeichnet Zeilen, die das Modell mit Strichpunkten zwischen &lt;rows&gt; und &lt;/rows&gt; schreibt, als Tabelle.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Extensions</source>
        <translation>Erweiterungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Install</source>
        <translation>Installieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Install a folder…</source>
        <translation>Ordner installieren …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Install a zip file…</source>
        <translation>Zip-Datei installieren …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Install an extension</source>
        <translation>Eine Erweiterung installieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Install {name}</source>
        <translation>{name} installieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Installed extensions</source>
        <translation>Installierte Erweiterungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>It may do nothing that it could not do before.</source>
        <translation>Sie darf nichts, was sie nicht schon vorher durfte.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Manifests (extension.toml)</source>
        <translation>Manifeste (extension.toml)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>New: {what}</source>
        <translation>Neu: {what}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>No extension is installed.</source>
        <translation>Es ist keine Erweiterung installiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>No extension matches the search.</source>
        <translation>Keine Erweiterung passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Off until you agree</source>
        <translation>Aus, bis Sie zustimmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Other people's code that works on questions and answers, each in a process of its own that can only ask Steward. A text goes through them from top to bottom.</source>
        <translation>Code von anderen, der mit Fragen und Antworten arbeitet, jeder in einem eigenen Prozess, der Steward nur um etwas bitten kann. Ein Text geht von oben nach unten hindurch.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Other people's code that works on questions and answers, each in a process of its own. On this computer nothing confines it: it can do what you can do. A text goes through them from top to bottom.</source>
        <translation>Code von anderen, der mit Fragen und Antworten arbeitet, jeder in einem eigenen Prozess. Auf diesem Computer schränkt ihn nichts ein: Er kann alles, was Sie können. Ein Text geht von oben nach unten hindurch.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Packages (*.zip)</source>
        <translation>Pakete (*.zip)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Remove {name}? What it kept goes with it, and chats read as if it had never been there.</source>
        <translation>{name} entfernen? Was sie behalten hat, geht mit, und die Chats lesen sich, als wäre sie nie da gewesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Search extensions</source>
        <translation>Erweiterungen durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Send texts through {name} first</source>
        <translation>Texte zuerst durch {name} gehen lassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Settings of {name}</source>
        <translation>Einstellungen von {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Settings…</source>
        <translation>Einstellungen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Switch off</source>
        <translation>Ausschalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Switch on</source>
        <translation>Einschalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Text expansion</source>
        <translation>Textbausteine</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>The extension's author named them. A change applies from the next question on.</source>
        <translation>Sie sind vom Autor der Erweiterung benannt. Eine Änderung gilt ab der nächsten Frage.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>To the top</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Units in answers</source>
        <translation>Einheiten in Antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Writes out your own short forms, such as ;sum, before the model reads a message.</source>
        <translation>Schreibt Ihre eigenen Kürzel wie ;sum aus, bevor das Modell eine Nachricht liest.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>Writes the metric value after miles, inches, pounds, gallons and degrees Fahrenheit.</source>
        <translation>Schreibt hinter Meilen, Zoll, Pfund, Gallonen und Grad Fahrenheit den metrischen Wert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>keeps {size}</source>
        <translation>behält {size}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>{calls}, {mean} ms on average</source>
        <translation>{calls}, im Mittel {mean} ms</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>{count:,} calls</source>
        <translation>
            <numerusform>{count} Aufruf</numerusform>
            <numerusform>{count:,} Aufrufe</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/extensions.py"/>
        <source>{label}: {name}</source>
        <translation>{label}: {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>All fields of the record</source>
        <translation>Alle Felder des Eintrags</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>All kinds</source>
        <translation>Alle Arten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Any time</source>
        <translation>Jederzeit</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Between two days</source>
        <translation>Zwischen zwei Tagen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Check the log</source>
        <translation>Protokoll prüfen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Checking…</source>
        <translation>Prüfung läuft …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Choose a record to see all of it.</source>
        <translation>Wählen Sie einen Eintrag, um ihn ganz zu sehen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Every decision and every run of a tool. Secrets are left out; the chain of hashes shows changes.</source>
        <translation>Jede Entscheidung und jeder Lauf eines Werkzeugs. Geheimnisse sind weggelassen; die Kette der Prüfsummen zeigt Änderungen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Export the log</source>
        <translation>Protokoll exportieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Export the records shown to a file</source>
        <translation>Das Ausgewählte in eine Datei exportieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Exporting…</source>
        <translation>Export läuft …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Kind of record</source>
        <translation>Art des Eintrags</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>No record matches. Choose another kind or time, or search for something else.</source>
        <translation>Kein Eintrag passt. Wählen Sie eine andere Art oder Zeit, oder suchen Sie nach etwas anderem.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Nothing has been decided or run yet.</source>
        <translation>Noch wurde nichts entschieden oder ausgeführt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Outcome</source>
        <translation>Ausgang</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Records, the newest first</source>
        <translation>Einträge, die neuesten zuerst</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>Search the log</source>
        <translation>Protokoll durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>The chain is broken at record {broken_at:,}: {reason}. From there on the log may have been changed by somebody else; nothing was repaired.</source>
        <translation>Die Kette ist bei Eintrag {broken_at:,} gebrochen: {reason}. Von da an kann jemand anderes das Protokoll geändert haben; nichts wurde repariert.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>The newest {count:,} records</source>
        <translation>
            <numerusform>Der neueste Eintrag</numerusform>
            <numerusform>Die neuesten {count:,} Einträge</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>To</source>
        <translation>Bis</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>{count:,} records</source>
        <translation>
            <numerusform>{count} Eintrag</numerusform>
            <numerusform>{count:,} Einträge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>{count:,} records checked. None was changed, removed or added later.</source>
        <translation>
            <numerusform>{count} Eintrag geprüft. Er wurde nicht geändert, entfernt oder nachträglich eingefügt.</numerusform>
            <numerusform>{count:,} Einträge geprüft. Keiner wurde geändert, entfernt oder nachträglich eingefügt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>{count:,} records that match were written to {path}.</source>
        <translation>
            <numerusform>{count} passender Eintrag wurde nach {path} geschrieben.</numerusform>
            <numerusform>{count:,} passende Einträge wurden nach {path} geschrieben.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/log.py"/>
        <source>{count:,} records were written to {path}.</source>
        <translation>
            <numerusform>{count} Eintrag wurde nach {path} geschrieben.</numerusform>
            <numerusform>{count:,} Einträge wurden nach {path} geschrieben.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>Commands that nothing keeps from the network are counted, not watched; the Log names them. What coding agents say to their own models is not counted.</source>
        <translation>Befehle, die nichts vom Netz fernhält, werden gezählt, nicht beobachtet; das Protokoll nennt sie. Was Coding-Agenten mit ihren eigenen Modellen reden, wird nicht gezählt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>Requests, the newest first</source>
        <translation>Anfragen, die neuesten zuerst</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>What Steward itself requested from the network: downloads and searches that you asked for, and what builds sent to your workers. The list is forgotten when Steward ends.</source>
        <translation>Was Steward selbst vom Netz wollte: Downloads und Suchen, die Sie wünschten, und was Builds an Ihre anderen Rechner schickten. Die Liste wird vergessen, wenn Steward endet.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>an error of the proxy</source>
        <translation>Fehler des Proxys</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>an error of the server</source>
        <translation>Fehler des Servers</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>brought back</source>
        <translation>zurückgeholt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>lost</source>
        <translation>verloren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>no connection</source>
        <translation>keine Verbindung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>no network</source>
        <translation>kein Netz</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>no secure connection</source>
        <translation>keine sichere Verbindung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>nothing there</source>
        <translation>dort ist nichts</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>refused by the server</source>
        <translation>vom Server abgelehnt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>refused in offline mode</source>
        <translation>abgelehnt im Offline-Modus</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>sent</source>
        <translation>gesendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>the connection broke off</source>
        <translation>Verbindung abgebrochen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>the package index, by pip</source>
        <translation>der Paketindex, durch pip</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>too slow</source>
        <translation>zu langsam</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>under way</source>
        <translation>läuft</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>{count} requests</source>
        <translation>
            <numerusform>{count} Anfrage</numerusform>
            <numerusform>{count} Anfragen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>{seconds} s, ended with: {outcome}</source>
        <translation>{seconds} s, endete mit: {outcome}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>{size} received</source>
        <translation>{size} empfangen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/network.py"/>
        <source>{why}: {where}</source>
        <translation>{why}: {where}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>A program, such as rtk</source>
        <translation>Ein Programm, etwa rtk</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Add the wrapper</source>
        <translation>Das Vorschaltprogramm hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Agents work here without asking: commands change only this folder, which can be undone, and caches of their tools; they reach only this computer and package indexes.</source>
        <translation>Agenten arbeiten hier ohne Fragen: Befehle ändern nur diesen Ordner, was sich rückgängig machen lässt, und Caches ihrer Programme; sie erreichen nur diesen Computer und Paketverzeichnisse.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>All rules of {agent}</source>
        <translation>Alle Regeln von {agent}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Changed since you agreed: Steward asks until you switch it on again.</source>
        <translation>Geändert, seit Sie zugestimmt haben: Steward fragt, bis Sie es wieder einschalten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>End now</source>
        <translation>Jetzt beenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>End project mode in {folder}</source>
        <translation>Projektmodus in {folder} beenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Honour the rules of {agent}</source>
        <translation>Die Regeln von {agent} gelten lassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Honour these</source>
        <translation>Gelten lassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Keep asking</source>
        <translation>Weiter fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Name of a wrapper</source>
        <translation>Name eines Vorschaltprogramms</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Never honoured, because it means {what}: {text}</source>
        <translation>Gilt nie, denn gemeint ist {what}: {text}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Programs that only run what follows: what they run is judged in their place, and its permissions apply. A program that Steward knows keeps its meaning.</source>
        <translation>Programme, die nur ausführen, was ihnen folgt: An ihrer Stelle wird beurteilt, was sie ausführen, und dessen Erlaubnisse gelten. Ein Programm, das Steward kennt, behält seine Bedeutung.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Project mode</source>
        <translation>Projektmodus</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Remove: {words}</source>
        <translation>Entfernen: {words}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Show all {count} rules</source>
        <translation>
            <numerusform>Alle {count} Regeln zeigen</numerusform>
            <numerusform>Alle {count} Regeln zeigen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Show fewer rules</source>
        <translation>Weniger Regeln zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>Started {begun} · {used} · {left}</source>
        <translation>Begonnen {begun} · {used} · {left}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>That is not the name of a program: letters, digits, dots and hyphens, no path and no options.</source>
        <translation>Das ist kein Name eines Programms: Buchstaben, Ziffern, Punkte und Bindestriche, kein Pfad und keine Optionen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>What agents allow in their own settings</source>
        <translation>Was Agenten in ihren eigenen Einstellungen erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>What your agents' own settings allow. Steward asks about it all the same, unless you switch it on here; even then it asks about what deletes, sends, reads secrets or leaves the project. A rule covers whole words of one command. When the list changes, Steward asks you again.</source>
        <translation>Was die eigenen Einstellungen Ihrer Agenten erlauben. Steward fragt trotzdem danach, wenn Sie es hier nicht einschalten; auch dann fragt es bei allem, was löscht, sendet, Geheimnisse liest oder das Projekt verlässt. Eine Regel gilt für ganze Wörter eines Befehls. Ändert sich die Liste, fragt Steward Sie von neuem.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>a pattern that Steward does not follow</source>
        <translation>ein Muster, dem Steward nicht folgt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>every command</source>
        <translation>jeder Befehl</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>not one plain command</source>
        <translation>nicht ein einzelner einfacher Befehl</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>{agent}: {count} rules</source>
        <translation>
            <numerusform>{agent}: {count} Regel</numerusform>
            <numerusform>{agent}: {count} Regeln</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>{count:,} commands</source>
        <translation>
            <numerusform>{count} Befehl</numerusform>
            <numerusform>{count:,} Befehle</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>{name} … is judged as what stands behind it</source>
        <translation>{name} … wird beurteilt wie das, was dahinter steht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permission_sections.py"/>
        <source>{texts} and {count} more</source>
        <translation>{texts} und {count} weitere</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>7 days in this folder</source>
        <translation>7 Tage in diesem Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>All permissions were revoked.</source>
        <translation>Alle Berechtigungen wurden widerrufen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Chat: {chat}</source>
        <translation>Chat: {chat}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Close the folder {folder} to the assistant</source>
        <translation>Ordner {folder} für den Assistenten schließen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Closed. The assistant may no longer read there.</source>
        <translation>Geschlossen. Der Assistent darf dort nicht mehr lesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Folder: {folder}</source>
        <translation>Ordner: {folder}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Folders that are open for reading</source>
        <translation>Zum Lesen geöffnete Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Granted {moment} · {used} · ends on {ends}</source>
        <translation>Erteilt {moment} · {used} · endet am {ends}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Granted {moment} · {used} · ends on {lapses} unless it is used</source>
        <translation>Erteilt {moment} · {used} · endet am {lapses}, wenn sie nicht genutzt wird</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Honoured. What these rules allow is not asked about.</source>
        <translation>Sie gelten. Nach dem, was diese Regeln erlauben, wird nicht gefragt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Keep them</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>No permission matches the search.</source>
        <translation>Keine Berechtigung passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Revoke</source>
        <translation>Widerrufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Revoke all</source>
        <translation>Alle widerrufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Revoke all permissions</source>
        <translation>Alle Berechtigungen widerrufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Revoke all {count} permissions? From then on each of these is asked about again.</source>
        <translation>Alle {count} Berechtigungen widerrufen? Nach jeder davon wird das nächste Mal wieder gefragt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Revoke all…</source>
        <translation>Alle widerrufen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Revoke: {words}</source>
        <translation>Widerrufen: {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Revoked. Steward will ask next time.</source>
        <translation>Widerrufen. Steward fragt das nächste Mal.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Scope: {scope}</source>
        <translation>Umfang: {scope}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Search permissions</source>
        <translation>Berechtigungen durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Steward asks about it again.</source>
        <translation>Steward fragt wieder danach.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>The assistant may read here until you close it.</source>
        <translation>Der Assistent darf hier lesen, bis Sie den Ordner schließen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>The wrapper was removed.</source>
        <translation>Das Vorschaltprogramm wurde entfernt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>Tool: {tool}</source>
        <translation>Werkzeug: {tool}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>What Steward may do without asking. Anything else is asked about, unless it only reads, changes only Steward's own notes and reminders, or a rule of yours allows it.</source>
        <translation>Was Steward ohne Rückfrage darf. Nach allem anderen wird gefragt, wenn es nicht nur liest, nur Stewards eigene Notizen und Erinnerungen ändert oder eine Ihrer Regeln es erlaubt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>What you allowed</source>
        <translation>Was Sie erlaubt haben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>You have allowed nothing for longer than a single time. When a question comes, the arrow beside Allow offers to allow the same thing for a chat or always; it is then listed here.</source>
        <translation>Sie haben noch nichts länger als einmal erlaubt. Wenn eine Frage kommt, bietet der Pfeil neben „Erlauben“ an, dasselbe für einen Chat oder immer zu erlauben; dann steht es hier.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>a chat that was deleted</source>
        <translation>ein gelöschter Chat</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>always in this folder</source>
        <translation>immer in diesem Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>not used yet</source>
        <translation>noch nicht genutzt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>once</source>
        <translation>einmal</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>one chat or session</source>
        <translation>ein Chat oder eine Sitzung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>used {times}, last {moment}</source>
        <translation>{times} genutzt, zuletzt {moment}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <location filename="../../desktop/ui/projects.py"/>
        <source>{count} permissions</source>
        <translation>
            <numerusform>{count} Berechtigung</numerusform>
            <numerusform>{count} Berechtigungen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/permissions.py"/>
        <source>{found} of {words}</source>
        <translation>{found} von {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Address: {url} · Model: {model}</source>
        <translation>Adresse: {url} · Modell: {model}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Copy the token</source>
        <translation>Token kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Create a token</source>
        <translation>Token erzeugen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Editors, scripts and agents that speak OpenAI's protocol can ask the model that answers here. Each needs a token of its own; your own questions go first.</source>
        <translation>Editoren, Skripte und Agenten, die OpenAIs Protokoll sprechen, können das Modell fragen, das hier antwortet. Jedes Programm braucht ein eigenes Token; Ihre eigenen Fragen gehen vor.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Has not asked yet</source>
        <translation>Hat noch nicht gefragt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Is being answered</source>
        <translation>Bekommt gerade eine Antwort</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Its last request was longer than the model reads: raise “Context” in the settings</source>
        <translation>Die letzte Anfrage war länger, als das Modell liest: Erhöhen Sie „Kontext“ in den Einstellungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Last asked {when}</source>
        <translation>Hat zuletzt {when} gefragt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Name of a program</source>
        <translation>Name eines Programms</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Name of a program, such as continue</source>
        <translation>Name eines Programms, etwa continue</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>No program has a token yet. Give one a name, and put the token into its settings.</source>
        <translation>Noch hat kein Programm ein Token. Geben Sie einem einen Namen und tragen Sie das Token in dessen Einstellungen ein.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>No program matches the search.</source>
        <translation>Kein Programm passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Programs that have a token</source>
        <translation>Programme, die ein Token haben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Revoke the token of {name}</source>
        <translation>Das Token von {name} widerrufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>Search programs</source>
        <translation>Programme durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>The token of {name}. Copy it now: it is not kept and not shown again.</source>
        <translation>Das Token von {name}. Kopieren Sie es jetzt: Es wird nicht aufbewahrt und nicht wieder gezeigt.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>{count} answers</source>
        <translation>
            <numerusform>{count} Antwort</numerusform>
            <numerusform>{count} Antworten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>{count} refusals</source>
        <translation>
            <numerusform>{count} Ablehnung</numerusform>
            <numerusform>{count} Ablehnungen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>{name} will get no more answers from now on. Revoke its token?</source>
        <translation>{name} bekommt ab sofort keine Antwort mehr. Das Token widerrufen?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/programs.py"/>
        <source>{read:,} tokens read, {written:,} written</source>
        <translation>{read:,} Token gelesen, {written:,} geschrieben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Add a rule</source>
        <translation>Regel hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Allowed: {reason}.</source>
        <translation>Erlaubt: {reason}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Ask</source>
        <translation>Fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Asked: {reason}.</source>
        <translation>Gefragt: {reason}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Decided by: {part}</source>
        <translation>Entschieden durch: {part}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Denied: {reason}.</source>
        <translation>Abgelehnt: {reason}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Edit: {words}</source>
        <translation>Bearbeiten: {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>It comes to: {commands}</source>
        <translation>Das ergibt: {commands}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Leave the rule as it is</source>
        <translation>Die Regel lassen, wie sie ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Never and refuse beat ask, and ask beats allow, whatever the order of the rules. Never also holds while the gate is paused.</source>
        <translation>Nie und Ablehnen gehen vor Fragen, Fragen geht vor Erlauben, in welcher Reihenfolge die Regeln auch stehen. Nie gilt auch in einer Pause.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>No rule, permission, mode or click lets this through, and a pause does not either.</source>
        <translation>Keine Regel, keine Erlaubnis, kein Modus und kein Klick lässt das zu, auch eine Pause nicht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Not looked at here: project mode and the rules of an agent's own settings. Where you switched these on, they may allow it without a question.</source>
        <translation>Hier nicht berücksichtigt: der Projektmodus und die Regeln in den eigenen Einstellungen eines Agenten. Wo Sie diese eingeschaltet haben, kann die Zeile dadurch ohne Frage erlaubt sein.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Save the rule</source>
        <translation>Die Regel speichern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Shell</source>
        <translation>Shell</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Shell: detected</source>
        <translation>Shell: erkannt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>The rule was removed.</source>
        <translation>Die Regel wurde entfernt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>This rule cannot be saved yet: {reason}.</source>
        <translation>Diese Regel kann noch nicht gespeichert werden: {reason}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>This rule decides the line above.</source>
        <translation>Diese Regel entscheidet die Zeile oben.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>What holds for every coding agent and for Steward's own assistant, in every mode.</source>
        <translation>Was für jeden Agenten und für Stewards eigenen Assistenten gilt, in jedem Modus.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>What is never done</source>
        <translation>Was nie geschieht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Which rule decides this line?</source>
        <translation>Welche Regel entscheidet diese Zeile?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>You have no rules. What only reads is allowed, and the rest is asked about.</source>
        <translation>Sie haben keine Regeln. Was nur liest, ist erlaubt; nach allem anderen wird gefragt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Your home folder</source>
        <translation>Ihr Benutzerordner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>Your rules</source>
        <translation>Ihre Regeln</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>a permission of yours</source>
        <translation>eine Erlaubnis von Ihnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>a rule of the agent's own</source>
        <translation>eine eigene Regel des Agenten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>no rule and no permission</source>
        <translation>keine Regel und keine Erlaubnis</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>text from elsewhere in the conversation</source>
        <translation>Text von anderswo im Gespräch</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>the list of what is never done</source>
        <translation>die Liste dessen, was nie geschieht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/rules.py"/>
        <source>the reading of the command line</source>
        <translation>das Lesen der Zeile</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>A quotation mark is not closed.</source>
        <translation>Ein Anführungszeichen ist nicht geschlossen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Add a server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Add and start once</source>
        <translation>Hinzufügen und einmal starten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Add no server</source>
        <translation>Keinen Server hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Add {name}, switched off</source>
        <translation>{name} ausgeschaltet hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Add, switched off</source>
        <translation>Ausgeschaltet hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Agree to what is new</source>
        <translation>Dem Neuen zustimmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Arguments, as JSON</source>
        <translation>Argumente, als JSON</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Command or address</source>
        <translation>Befehl oder Adresse</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Command with its arguments, or an address with https://</source>
        <translation>Befehl mit seinen Argumenten, oder eine Adresse mit https://</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Describes itself differently than when you agreed; held back.</source>
        <translation>Beschreibt sich anders als bei Ihrer Zustimmung; wird zurückgehalten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Folder that it may write to</source>
        <translation>Ordner, in den er schreiben darf</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Folder that it may write to; empty: nowhere</source>
        <translation>Ordner, in den er schreiben darf; leer: keiner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Folders that it may write to</source>
        <translation>Ordner, in die er schreiben darf</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Folders that it may write to, in quotation marks if they hold spaces; empty: nowhere</source>
        <translation>Ordner, in die er schreiben darf, mit Leerzeichen in Anführungszeichen; leer: nirgends</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Has ended too often</source>
        <translation>Hat sich zu oft beendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Hide tools</source>
        <translation>Werkzeuge ausblenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Hide tools of {name}</source>
        <translation>Werkzeuge von {name} ausblenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Import another program's list</source>
        <translation>Liste eines anderen Programms übernehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>It may talk to other computers</source>
        <translation>Er darf mit anderen Computern reden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>It runs …</source>
        <translation>Es läuft …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Let it do this</source>
        <translation>So erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>List of another program</source>
        <translation>Liste eines anderen Programms</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Log of the server</source>
        <translation>Protokoll des Servers</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>May be used</source>
        <translation>Darf benutzt werden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Never used</source>
        <translation>Nie benutzt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>New since you agreed; held back.</source>
        <translation>Neu seit Ihrer Zustimmung; wird zurückgehalten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>No server matches the search.</source>
        <translation>Kein Server passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Nothing yet.</source>
        <translation>Noch nichts.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Programs that bring tools for the assistant (MCP servers). What a tool can do is what its server may do, which each row says; what it tells of itself counts for nothing.</source>
        <translation>Programme, die Werkzeuge für den Assistenten mitbringen (MCP-Server). Ein Werkzeug kann nur, was sein Server darf; jede Zeile sagt, was das ist. Was es von sich selbst sagt, zählt nicht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Remove {name}? Its secrets in the keyring go with it.</source>
        <translation>{name} entfernen? Seine Geheimnisse im Schlüsselbund werden mit entfernt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Search servers</source>
        <translation>Server durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Show tools</source>
        <translation>Werkzeuge zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Show what it holds</source>
        <translation>Zeigen, was darin steht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Start {name}</source>
        <translation>{name} starten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Starting {name} once, to see its tools …</source>
        <translation>{name} wird einmal gestartet, um seine Werkzeuge zu sehen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Starts when it is needed</source>
        <translation>Startet, wenn er gebraucht wird</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Such as ~/.cursor/mcp.json</source>
        <translation>Etwa ~/.cursor/mcp.json</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Switch {name} off</source>
        <translation>{name} ausschalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Switch {name} on</source>
        <translation>{name} einschalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>The server no longer has it.</source>
        <translation>Der Server hat es nicht mehr.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>There are no servers. Add one, or import the list of another program.</source>
        <translation>Es gibt keine Server. Fügen Sie einen hinzu, oder übernehmen Sie die Liste eines anderen Programms.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Tool to try</source>
        <translation>Werkzeug zum Ausprobieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Tools of {name}</source>
        <translation>Werkzeuge von {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>Used {when}</source>
        <translation>Benutzt {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>What has changed</source>
        <translation>Was jetzt anders ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>What {name} may do</source>
        <translation>Was {name} darf</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>its tools are not known yet</source>
        <translation>seine Werkzeuge sind noch nicht bekannt</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>{count} tools</source>
        <translation>
            <numerusform>{count} Werkzeug</numerusform>
            <numerusform>{count} Werkzeuge</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>{name} was added, switched off.</source>
        <translation>{name} wurde ausgeschaltet hinzugefügt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>{name} was removed, with its secrets.</source>
        <translation>{name} wurde mit seinen Geheimnissen entfernt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>{state} · {tools}</source>
        <translation>{state} · {tools}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/servers.py"/>
        <source>{tool} may be used</source>
        <translation>{tool} darf benutzt werden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Changes are saved at once. All of this is also in a file that you can edit.</source>
        <translation>Änderungen werden sofort gespeichert. Alles hier steht auch in einer Datei, die Sie bearbeiten können.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>General</source>
        <translation>Allgemein</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>No program for text files was found. The file is {path}.</source>
        <translation>Es wurde kein Programm für Textdateien gefunden. Die Datei ist {path}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>No setting matches the search.</source>
        <translation>Keine Einstellung passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Reload</source>
        <translation>Neu lesen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Search settings</source>
        <translation>Einstellungen durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Section of the settings</source>
        <translation>Abschnitt der Einstellungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Start with the computer</source>
        <translation>Mit dem Computer starten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings.py"/>
        <source>Steward then waits in the tray after you log in, without a window.</source>
        <translation>Steward wartet dann nach dem Anmelden ohne Fenster in der Taskleiste.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <source>Change {title}: {text}</source>
        <translation>{title} ändern: {text}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Change…</source>
        <translation>Ändern …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <source>Choose a folder: {title}</source>
        <translation>Ordner wählen: {title}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Less</source>
        <translation>Weniger</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <source>Remove {folder}</source>
        <translation>{folder} entfernen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_editors.py"/>
        <source>Separated by commas: {names}.</source>
        <translation>Durch Kommas getrennt: {names}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_fields.py"/>
        <source>Default: {value}.</source>
        <translation>Vorgabe: {value}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_fields.py"/>
        <source>From {least} to {most}.</source>
        <translation>Von {least} bis {most}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_fields.py"/>
        <source>Takes effect at the next start.</source>
        <translation>Gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_fields.py"/>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_fields.py"/>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_fields.py"/>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/settings_fields.py"/>
        <source>{count} entries</source>
        <translation>
            <numerusform>{count} Eintrag</numerusform>
            <numerusform>{count} Einträge</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Leave it off</source>
        <translation>Aus lassen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Reset {title}. {default_in}</source>
        <translation>{title} zurücksetzen. {default_in}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Restart Steward for this to take effect: {title}.</source>
        <translation>Steward neu starten, damit dies jetzt gilt: {title}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Set by the environment variable {variable} for this run.</source>
        <translation>Für diesen Lauf durch die Umgebungsvariable {variable} gesetzt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>Start again</source>
        <translation>Neu starten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>The chat stays open; what has been written of an answer is kept.</source>
        <translation>Der Chat bleibt offen; eine Antwort, die gerade kommt, bleibt so weit erhalten, wie sie ist.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/settings_form.py"/>
        <source>{text} settings: {about}</source>
        <translation>{text} Einstellungen: {about}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>Ask again</source>
        <translation>Wieder fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>Ask before changes again</source>
        <translation>Vor Änderungen wieder fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>Never ask is on: files can be deleted and data sent without a question.</source>
        <translation>„Nie fragen“ ist an: Dateien können ohne Rückfrage gelöscht und Daten gesendet werden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>Oversight</source>
        <translation>Kontrolle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>Personal</source>
        <translation>Persönlich</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>Warning: {says}</source>
        <translation>Warnung: {says}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/window.py"/>
        <source>{title} – Steward</source>
        <translation>{title} – Steward</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Asking it …</source>
        <translation>Wird gefragt …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>In a terminal, in the folder of a project, add a computer that you reach by ssh, by its name:</source>
        <translation>Fügen Sie in einem Terminal, im Ordner eines Projekts, einen Rechner hinzu, den Sie mit ssh erreichen, mit seinem Namen:</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Last commands</source>
        <translation>Letzte Befehle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Load {load} on {cores} cores</source>
        <translation>Last {load} auf {cores} Kernen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Machines of yours that run builds and tests of coding agents. What a command may do is decided here first, as always.</source>
        <translation>Eigene Rechner, auf denen Builds und Tests der Agenten laufen. Was ein Befehl darf, wird wie immer zuerst hier entschieden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>May get: {folders}</source>
        <translation>Darf bekommen: {folders}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Remove {name}? The copies of your projects on it are deleted.</source>
        <translation>{name} entfernen? Die Kopien Ihrer Projekte dort werden gelöscht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>Slurm, partition {name}</source>
        <translation>Slurm, Partition {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>There are no workers.</source>
        <translation>Es gibt keine Rechner.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>exit code {code:d}</source>
        <translation>Exit-Code {code:d}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>ran here</source>
        <translation>lief hier</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>runs</source>
        <translation>läuft</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>was lost</source>
        <translation>ging verloren</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>{count} projects there</source>
        <translation>
            <numerusform>{count} Projekt dort</numerusform>
            <numerusform>{count} Projekte dort</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>{name} was removed, but could not be reached: copies stay there.</source>
        <translation>{name} wurde entfernt, war aber nicht zu erreichen: Die Kopien bleiben dort.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>{name} was removed.</source>
        <translation>{name} wurde entfernt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>{seconds} s of processor saved</source>
        <translation>{seconds} s Prozessorzeit gespart</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>{size} free</source>
        <translation>{size} frei</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/pages/workers.py"/>
        <source>{size} sent</source>
        <translation>{size} gesendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Answer with {name}</source>
        <translation>Mit {name} antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Chats, commands, settings…</source>
        <translation>Chats, Befehle, Einstellungen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>In the messages</source>
        <translation>In den Nachrichten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Preset: {name}</source>
        <translation>Vorlage: {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>Search chats, commands, pages, settings, presets and models</source>
        <translation>Chats, Befehle, Seiten, Einstellungen, Vorlagen und Modelle suchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/palette.py"/>
        <source>What was found</source>
        <translation>Gefundenes</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/body.py"/>
        <source>Change · +{added} −{removed}</source>
        <translation>Änderung · +{added} −{removed}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/body.py"/>
        <source>Everything that will be written</source>
        <translation>Alles, was geschrieben wird</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/body.py"/>
        <source>Show the &amp;underlined part</source>
        <translation>&amp;Unterstrichenes zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/body.py"/>
        <source>Show the underlined part</source>
        <translation>Unterstrichenes zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/body.py"/>
        <location filename="../../desktop/ui/permission/dialog.py"/>
        <source>To allow it, read to the end.</source>
        <translation>Zum Erlauben bis zum Ende lesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/body.py"/>
        <source>You have reached the end.</source>
        <translation>Sie sind am Ende.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/dialog.py"/>
        <source>Click here first to answer</source>
        <translation>Klicken Sie zuerst hierher, um zu antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/dialog.py"/>
        <source>Permission – Steward</source>
        <translation>Erlaubnis – Steward</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>&amp;Allow once</source>
        <translation>Einmal &amp;erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>&amp;Deny</source>
        <translation>&amp;Ablehnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>&amp;Keep a copy of the files first</source>
        <translation>Vorher &amp;Kopie der Dateien anlegen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>7 days</source>
        <translation>7 Tage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Allow for longer</source>
        <translation>Länger erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Allow for longer ({scope_key})</source>
        <translation>Länger erlauben ({scope_key})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Allow it this time</source>
        <translation>Für dieses Mal erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Allow once</source>
        <translation>Einmal erlauben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Deny</source>
        <translation>Ablehnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Deny all</source>
        <translation>Alle ablehnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Deny all ({waiting})</source>
        <translation>Alle ablehnen ({waiting})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Deny all {waiting}, {words}</source>
        <translation>Alle {waiting} ablehnen, {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Deny and s&amp;end</source>
        <translation>Ablehnen und &amp;senden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Deny and send</source>
        <translation>Ablehnen und senden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Do not ask again {words}</source>
        <translation>Nicht mehr fragen {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>First read to the end of what will be done</source>
        <translation>Lesen Sie zuerst bis zum Ende, was getan wird</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>In this project, work without asking: commands change only this folder, which can be undone, and caches of their tools; they reach only this computer and package indexes.</source>
        <translation>In diesem Projekt ohne Fragen arbeiten: Befehle ändern nur diesen Ordner, was sich rückgängig machen lässt, und Caches ihrer Programme; sie erreichen nur diesen Computer und Paketverzeichnisse.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Not asked again: {lines}</source>
        <translation>Nicht mehr gefragt: {lines}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Only certain programs in this project…</source>
        <translation>Nur bestimmte Programme in diesem Projekt …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Still asked: {line}</source>
        <translation>Weiterhin gefragt: {line}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>The project is {folder}.</source>
        <translation>Das Projekt ist {folder}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>This session</source>
        <translation>Diese Sitzung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Time left to answer</source>
        <translation>Verbleibende Zeit zum Antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Undo can then bring the files back</source>
        <translation>Mit „Rückgängig“ lassen sich die Dateien dann zurückholen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/footer.py"/>
        <source>Until I revoke it</source>
        <translation>Bis ich es widerrufe</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/judgement.py"/>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/queue.py"/>
        <source>Another question is waiting: {words}</source>
        <translation>Eine weitere Frage wartet: {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/queue.py"/>
        <source>Deny all of {agent}</source>
        <translation>Alle von {agent} ablehnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/queue.py"/>
        <source>Show the question: {title}</source>
        <translation>Frage zeigen: {title}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/queue.py"/>
        <source>Waiting for your answer: {title}</source>
        <translation>Wartet auf Ihre Antwort: {title}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/queue.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Waiting questions</source>
        <translation>Wartende Fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/queue.py"/>
        <source>Your chat</source>
        <translation>Ihr Chat</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/permission/queue.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>{count} questions are waiting</source>
        <translation>
            <numerusform>{count} Frage wartet</numerusform>
            <numerusform>{count} Fragen warten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/permission/queue.py"/>
        <source>{words}, {count} questions</source>
        <translation>
            <numerusform>{words}, {count} Frage</numerusform>
            <numerusform>{words}, {count} Fragen</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/visible.py"/>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/visible.py"/>
        <source>spaces</source>
        <translation>Leerzeichen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/visible.py"/>
        <source>tabs</source>
        <translation>Tabulatoren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/visible.py"/>
        <source>‹{count:,} line breaks›
</source>
        <translation>‹{count:,} Zeilenumbrüche›
</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/visible.py"/>
        <source>‹{count:,} {names}›</source>
        <translation>‹{count:,} {names}›</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Allowed once, it cannot be undone.</source>
        <translation>Einmal erlaubt, lässt es sich nicht zurücknehmen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>As administrator</source>
        <translation>Als Administrator</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Asked because {reason}.</source>
        <translation>Gefragt wird, weil: {reason}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Asked by {agent}</source>
        <translation>Gefragt von {agent}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>CREATE: adds something new and leaves what was there.</source>
        <translation>CREATE: legt etwas Neues an und lässt, was da war.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Can be undone only if a copy is kept.</source>
        <translation>Lässt sich nur zurücknehmen, wenn eine Kopie angelegt wird.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Change: {diff}</source>
        <translation>Änderung: {diff}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Closes in {clock}; nothing is allowed then</source>
        <translation>Schließt in {clock}, dann ist nichts erlaubt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Creates</source>
        <translation>Legt an</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>DELETE: removes something, or its content is lost.</source>
        <translation>DELETE: entfernt etwas, oder sein Inhalt geht verloren.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Decided by: {deciding}</source>
        <translation>Entschieden durch: {deciding}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Deletes</source>
        <translation>Löscht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Denied in {clock}</source>
        <translation>Abgelehnt in {clock}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Deny and &amp;say what to do instead…</source>
        <translation>Ablehnen und sa&amp;gen, was stattdessen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Deny and &amp;say why…</source>
        <translation>Ablehnen und sa&amp;gen, warum …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>GATE: what protects this computer from agents.</source>
        <translation>GATE: was diesen Computer vor Agenten schützt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Modifies</source>
        <translation>Ändert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>OUTSIDE: reaches beyond the project.</source>
        <translation>OUTSIDE: reicht über das Projekt hinaus.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Outside the folder</source>
        <translation>Außerhalb des Ordners</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>PRIVILEGED: runs with more rights.</source>
        <translation>PRIVILEGED: läuft mit mehr Rechten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>READ: leaves nothing changed.</source>
        <translation>READ: nichts bleibt verändert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Runs</source>
        <translation>Führt aus</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>SECRET: passwords, keys, tokens or private data.</source>
        <translation>SECRET: Passwörter, Schlüssel, Token oder private Daten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>SENDS: data leaves this computer.</source>
        <translation>SENDS: Daten verlassen diesen Computer.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Sends</source>
        <translation>Sendet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Sends data</source>
        <translation>Sendet Daten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Touches secrets</source>
        <translation>Berührt Geheimnisse</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Touches the gate</source>
        <translation>Berührt die Schranke</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>UNKNOWN: the text does not show what it does.</source>
        <translation>UNKNOWN: Was es tut, lässt sich am Text nicht ablesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>UPDATE: changes something that was there.</source>
        <translation>UPDATE: ändert etwas, das da war.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Unclear</source>
        <translation>Unklar</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Waiting for you, {clock} left</source>
        <translation>Wartet auf Sie, noch {clock}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>What the model thinks, and it may be wrong: {opinion}</source>
        <translation>Was das Modell meint, und es kann irren: {opinion}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>What to do instead</source>
        <translation>Was stattdessen zu tun ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Why not, or what to do instead</source>
        <translation>Warum nicht, oder was stattdessen zu tun ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>Why, in the words of {agent}: “{why}”</source>
        <translation>Begründung ({agent}): „{why}“</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>the assistant</source>
        <translation>der Assistent</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>{arguments_name} · {lines}{length:,} characters</source>
        <translation>{arguments_name} · {lines}{length:,} Zeichen</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>{count:,} folders</source>
        <translation>
            <numerusform>{count} Ordner</numerusform>
            <numerusform>{count:,} Ordner</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>{count} more are waiting</source>
        <translation>
            <numerusform>{count} weitere wartet</numerusform>
            <numerusform>{count} weitere warten</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>{lines:,} lines, </source>
        <translation>{lines:,} Zeilen, </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>{words} in {folder}</source>
        <translation>{words} in {folder}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/permission/words.py"/>
        <source>{words}, {size} in all</source>
        <translation>{words}, zusammen {size}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>A folder, instructions, a memory, a model and chats under one name. In a chat of a project the assistant works in its folder, and what you allow there holds there.</source>
        <translation>Ein Ordner, Anweisungen, ein Gedächtnis, ein Modell und Chats unter einem Namen. In einem Chat des Projekts arbeitet der Assistent in dessen Ordner, und was Sie dort erlauben, gilt dort.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Add a project</source>
        <translation>Projekt anlegen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Delete the chats too</source>
        <translation>Auch die Chats löschen</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/projects.py"/>
        <source>Delete the project {name}? That cannot be undone. What becomes of its {count} chats? The files of its folder stay.</source>
        <translation>
            <numerusform>Das Projekt {name} löschen? Das lässt sich nicht rückgängig machen. Was wird aus seinem {count} Chat? Die Dateien des Ordners bleiben.</numerusform>
            <numerusform>Das Projekt {name} löschen? Das lässt sich nicht rückgängig machen. Was wird aus seinen {count} Chats? Die Dateien des Ordners bleiben.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Folder, such as ~/letters; optional</source>
        <translation>Ordner, zum Beispiel ~/briefe; darf fehlen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Instructions that every chat in it begins with; at most {count} tokens</source>
        <translation>Anweisungen, mit denen jeder Chat des Projekts beginnt; höchstens {count} Token</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Its folder or its model is missing.</source>
        <translation>Sein Ordner oder sein Modell ist nicht da.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Keep the chats</source>
        <translation>Chats behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Keep the project</source>
        <translation>Projekt behalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Leave the project as it is</source>
        <translation>Das Projekt lassen, wie es ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Name of the project</source>
        <translation>Name des Projekts</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>No folder: the assistant works in its own.</source>
        <translation>Kein Ordner: Der Assistent arbeitet in seinem eigenen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>No project matches the search.</source>
        <translation>Kein Projekt passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Save the project</source>
        <translation>Projekt speichern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>Search projects</source>
        <translation>Projekte durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>The model in the settings</source>
        <translation>Das Modell der Einstellungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>The project {name} and its chats were deleted. Its files stay.</source>
        <translation>Das Projekt {name} und seine Chats wurden gelöscht. Seine Dateien bleiben.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>The project {name} was deleted. Its chats and files stay.</source>
        <translation>Das Projekt {name} wurde gelöscht. Seine Chats und Dateien bleiben.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>There are no projects. Add one, then start a chat in it or move one there.</source>
        <translation>Es gibt keine Projekte. Legen Sie eines an, und beginnen Sie darin einen Chat, oder verschieben Sie einen dorthin.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>{chats} · {allowed}</source>
        <translation>{chats} · {allowed}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/projects.py"/>
        <source>{count} chats</source>
        <translation>
            <numerusform>{count} Chat</numerusform>
            <numerusform>{count} Chats</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/projects.py"/>
        <source>{rest} · model {name}</source>
        <translation>{rest} · Modell {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source> Reading the picture…</source>
        <translation> Das Bild wird gelesen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>1 character</source>
        <translation>1 Zeichen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Add “{name}”, {characters}</source>
        <translation>„{name}“ hinzufügen, {characters}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Added text</source>
        <translation>Hinzugefügter Text</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Copy what is selected in the window behind, and put the clipboard back</source>
        <translation>Kopieren, was im Fenster dahinter markiert ist, und die Zwischenablage wiederherstellen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Queued: {line}{value}</source>
        <translation>Wartet: {line}{value}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Remove: {name}</source>
        <translation>Entfernen: {name}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Select a part of the screen and add the text in it</source>
        <translation>Einen Teil des Bildschirms markieren und den Text darin hinzufügen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Selected text</source>
        <translation>Markierter Text</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Take this question back</source>
        <translation>Diese Frage zurücknehmen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>Text from the screen</source>
        <translation>Text vom Bildschirm</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>{action} what is selected</source>
        <translation>{action}: das Markierte</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/context.py"/>
        <source>{length:,} characters</source>
        <translation>{length:,} Zeichen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>A small window over everything: ask, read the answer, and go back to what you were doing.</source>
        <translation>Ein kleines Fenster über allem: fragen, die Antwort lesen und zurück zu dem, was Sie taten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Change the hotkey by pressing keys</source>
        <translation>Tastenkürzel ändern: die neuen Tasten drücken</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Command that opens Quick-ask</source>
        <translation>Befehl, der die Kurzfrage öffnet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <location filename="../../desktop/ui/widgets/lists.py"/>
        <source>Copy the command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Esc keeps the keys as they are.</source>
        <translation>Esc lässt die Tasten, wie sie sind.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Hold Ctrl, Alt or the Windows key with it, or choose a function key.</source>
        <translation>Halten Sie dazu Strg, Alt oder die Windows-Taste gedrückt, oder wählen Sie eine Funktionstaste.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>It works: Steward heard {keys}.</source>
        <translation>Es funktioniert: Steward hat {keys} gehört.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Press Enter, then the keys.</source>
        <translation>Drücken Sie die Eingabetaste, dann die Tasten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Press the keys…</source>
        <translation>Tasten drücken …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Press {keys} now to try it. Nothing opens while this page listens.</source>
        <translation>Drücken Sie jetzt {keys}, um es zu versuchen. Nichts öffnet sich, solange diese Seite zuhört.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Switch the hotkey off</source>
        <translation>Tastenkürzel ausschalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Test it</source>
        <translation>Testen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Test the hotkey</source>
        <translation>Tastenkürzel testen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>These keys cannot be used.</source>
        <translation>Diese Tasten lassen sich nicht verwenden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>This command opens Quick-ask, too. Where Steward can have no hotkey of its own, bind it to keys in the keyboard settings of your desktop.</source>
        <translation>Auch dieser Befehl öffnet die Kurzfrage. Wo Steward kein eigenes Tastenkürzel haben kann, legen Sie ihn in den Tastatureinstellungen Ihres Desktops auf Tasten.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/hotkey.py"/>
        <source>Until then {keys} stays.</source>
        <translation>Bis dahin bleibt {keys}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Ask the model</source>
        <translation>Das Modell fragen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Nothing was selected</source>
        <translation>Nichts war markiert</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Open Quick-ask to see why.</source>
        <translation>Öffnen Sie die Kurzfrage, um zu sehen, warum.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Set</source>
        <translation>Setzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Steward could not answer</source>
        <translation>Steward konnte nicht antworten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/quick_ask.py"/>
        <source>Steward has answered</source>
        <translation>Steward hat geantwortet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Ask Steward…</source>
        <translation>Steward fragen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Ask a follow-up…</source>
        <translation>Nachfragen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Ctrl+C copy answer</source>
        <translation>Strg+C Antwort kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Ctrl+Enter open in window</source>
        <translation>Strg+Eingabe im Fenster öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Esc close</source>
        <translation>Esc schließen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Esc stop</source>
        <translation>Esc anhalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Keep open when it loses focus</source>
        <translation>Offen lassen, wenn ein anderes Fenster aktiv wird</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Open in the window (Ctrl+Enter)</source>
        <translation>Im Fenster öffnen (Strg+Eingabe)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/quick_ask/window.py"/>
        <source>Question to Steward</source>
        <translation>Frage an Steward</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/region_picker.py"/>
        <source>Drag a frame around what Steward may see. Esc cancels.</source>
        <translation>Ziehen Sie einen Rahmen um das, was Steward sehen darf. Esc bricht ab.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/region_picker.py"/>
        <source>Select a part of the screen</source>
        <translation>Einen Teil des Bildschirms markieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Done</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>From a program</source>
        <translation>Von einem Programm</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>From {agent}</source>
        <translation>Von {agent}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>It was due {at}.</source>
        <translation>Fällig war sie {at}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>Reminder</source>
        <translation>Erinnerung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>Snooze 10 minutes</source>
        <translation>In 10 Minuten wieder</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>While Steward was not running</source>
        <translation>Während Steward nicht lief</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>and {count} more</source>
        <translation>und {count} weitere</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>at {due:%H:%M}</source>
        <translation>um {due:%H:%M}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <source>on {day} at {due:%H:%M}</source>
        <translation>am {day} um {due:%H:%M}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/reminder_notices.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>{count} reminders are due</source>
        <translation>
            <numerusform>{count} Erinnerung ist fällig</numerusform>
            <numerusform>{count} Erinnerungen sind fällig</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Call Anna</source>
        <translation>Anna anrufen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Deleted.</source>
        <translation>Gelöscht.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Done.</source>
        <translation>Erledigt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Due</source>
        <translation>Fällig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Due since {when}</source>
        <translation>Fällig seit {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Leave the reminder as it is</source>
        <translation>Die Erinnerung lassen, wie sie ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>No reminders are set. Add one here, or write in a chat: Remind me tomorrow at 9 to call Anna.</source>
        <translation>Keine Erinnerungen gesetzt. Fügen Sie hier eine hinzu, oder schreiben Sie in einem Chat: Erinnere mich morgen um 9, Anna anzurufen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Reminders</source>
        <translation>Erinnerungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Set for {said}.</source>
        <translation>Gesetzt für {said}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Shown again at {at:%H:%M}.</source>
        <translation>Wird um {at:%H:%M} wieder gezeigt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Snooze 10 min</source>
        <translation>In 10 min wieder</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Steward shows a notification when one is due; what was missed is kept here until you are done with it.</source>
        <translation>Steward zeigt eine Benachrichtigung, wenn eine fällig ist; was verpasst wurde, bleibt hier, bis Sie damit fertig sind.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Switched off: {repeats}</source>
        <translation>Ausgeschaltet: {repeats}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Tomorrow at 9, in 20 minutes, every Monday at 9, 27 November 14:30</source>
        <translation>Morgen um 9, in 20 Minuten, jeden Montag um 9, 27. November 14:30</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>Upcoming</source>
        <translation>Demnächst</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>What to remind you of</source>
        <translation>Woran Sie erinnert werden sollen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>{repeats}. Next: {when}</source>
        <translation>{repeats}. Als Nächstes: {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/reminders.py"/>
        <source>{verb} the reminder</source>
        <translation>Erinnerung: {verb}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/save_dialog.py"/>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Every weekday at 8, every 2 weeks on Monday at 9, on the 1st of every month at 10</source>
        <translation>Jeden Werktag um 8, alle 2 Wochen am Montag um 9, am 1. jedes Monats um 10</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>It has not been due yet.</source>
        <translation>Noch nicht an der Reihe gewesen.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>It is being asked now; the answer comes as a chat.</source>
        <translation>Die Frage wird jetzt gestellt; die Antwort kommt als Chat.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>It was due on {when}.</source>
        <translation>Fällig war es am {when}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Last asked: {when}. It got no answer.</source>
        <translation>Zuletzt gefragt: {when}. Es kam keine Antwort.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Last asked: {when}. It was answered.</source>
        <translation>Zuletzt gefragt: {when}. Die Antwort ist da.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Last shown: {when}</source>
        <translation>Zuletzt gezeigt: {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Leave the schedule as it is</source>
        <translation>Den Zeitplan lassen, wie er ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>No answer: {question}</source>
        <translation>Keine Antwort: {question}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>No schedule matches the search.</source>
        <translation>Kein Zeitplan passt zur Suche.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Nothing repeats yet. Add a question here, or write in a chat: Every weekday at 8: what is in my notes for today?</source>
        <translation>Noch wiederholt sich nichts. Tragen Sie hier eine Frage ein, oder schreiben Sie in einem Chat: Jeden Werktag um 8: Was steht heute in meinen Notizen?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Open the answer</source>
        <translation>Antwort öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Open the chat</source>
        <translation>Den Chat öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Open the chat to see why.</source>
        <translation>Im Chat steht, warum.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Questions that Steward puts to itself, each answered in a chat of its own, and reminders that repeat. For these it only reads, and asks nothing.</source>
        <translation>Fragen, die Steward sich selbst stellt und jeweils in einem eigenen Chat beantwortet, und Erinnerungen, die sich wiederholen. Dabei liest es nur und fragt niemanden.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Schedules</source>
        <translation>Zeitpläne</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Search schedules</source>
        <translation>Zeitpläne durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Set. Next: {when}</source>
        <translation>Eingerichtet. Als Nächstes: {when}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Shown now.</source>
        <translation>Wird jetzt gezeigt.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>The question</source>
        <translation>Die Frage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>Waits for its answer since {when}</source>
        <translation>Wartet seit {when} auf die Antwort</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>What is in my notes for today?</source>
        <translation>Was steht heute in meinen Notizen?</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/schedules.py"/>
        <source>{verb} the schedule</source>
        <translation>Zeitplan: {verb}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Actions for a message</source>
        <translation>Was sich mit einer Nachricht tun lässt</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Actions for the selected text</source>
        <translation>Was mit dem markierten Text getan werden kann</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Another question</source>
        <translation>Eine andere Frage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Close the menu, stop, hide: in this order</source>
        <translation>Menü schließen, anhalten, verbergen: in dieser Reihenfolge</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Close the window</source>
        <translation>Fenster schließen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Copy the message or what is selected</source>
        <translation>Die Nachricht oder das Markierte kopieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Delete the chat; you can undo it</source>
        <translation>Den Chat löschen; es gibt „Rückgängig“</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Edit the last message, when the box is empty</source>
        <translation>Die letzte Nachricht bearbeiten, wenn das Feld leer ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Find chats, commands, settings</source>
        <translation>Chats, Befehle und Einstellungen finden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>From the list to the page and back</source>
        <translation>Von der Liste zur Seite und zurück</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Go to the list, the messages, the message box</source>
        <translation>Zur Liste, zu den Nachrichten, zum Eingabefeld</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>In the list of chats</source>
        <translation>In der Liste der Chats</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>In the windows</source>
        <translation>In den Fenstern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Next page</source>
        <translation>Nächste Seite</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Next question</source>
        <translation>Nächste Frage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Open Memory</source>
        <translation>Gedächtnis öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Open in the chat window</source>
        <translation>Im Chatfenster öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Open the settings</source>
        <translation>Einstellungen öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Previous page</source>
        <translation>Vorige Seite</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Previous question</source>
        <translation>Vorige Frage</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Quit Steward</source>
        <translation>Steward beenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Rename the chat</source>
        <translation>Den Chat umbenennen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Search all chats</source>
        <translation>Alle Chats durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Search shortcuts</source>
        <translation>Kürzel durchsuchen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Settings and other pages</source>
        <translation>Einstellungen und andere Seiten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Show or hide the list of chats</source>
        <translation>Liste der Chats zeigen oder verbergen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>Show the shortcuts</source>
        <translation>Tastenkürzel zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>The message above or below</source>
        <translation>Die Nachricht darüber oder darunter</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>The same, the other way</source>
        <translation>Dasselbe in die andere Richtung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>To the beginning</source>
        <translation>Zum Anfang</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>To the latest message</source>
        <translation>Zur neuesten Nachricht</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/shortcuts.py"/>
        <source>While writing</source>
        <translation>Beim Schreiben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/traffic.py"/>
        <source>No network since {quiet}. Requests since the start at {time}: {count}.</source>
        <translation>Seit {quiet} kein Netz. Anfragen seit dem Start um {time}: {count}.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/traffic.py"/>
        <source>No network since {time}, {count} requests.</source>
        <translation>
            <numerusform>Kein Netz seit {time}, {count} Anfrage.</numerusform>
            <numerusform>Kein Netz seit {time}, {count} Anfragen.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/traffic.py"/>
        <source>Requests by Steward itself since the start at {time}: {count}. {commands}</source>
        <translation>Anfragen von Steward selbst seit dem Start um {time}: {count}. {commands}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/traffic.py"/>
        <source>Steward has requested nothing from the network since it started at {time}.</source>
        <translation>Steward hat seit dem Start um {time} nichts aus dem Netz angefordert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/traffic.py"/>
        <source>The network is in use. Requests since the start at {time}: {count}.</source>
        <translation>Das Netz wird benutzt. Anfragen seit dem Start um {time}: {count}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/traffic.py"/>
        <source>network in use</source>
        <translation>Netz in Benutzung</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/traffic.py"/>
        <source>no network since {time}</source>
        <translation>kein Netz seit {time}</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/traffic.py"/>
        <source>{count} commands may have used the network {time}</source>
        <translation>
            <numerusform>{count} Befehl hat vielleicht das Netz benutzt, {time}</numerusform>
            <numerusform>{count} Befehle haben vielleicht das Netz benutzt, {time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/traffic.py"/>
        <source>{count} commands were started that nothing kept from the network, the latest at {time}.</source>
        <translation>
            <numerusform>{count} Befehl begann um {time}, den nichts vom Netz fernhielt.</numerusform>
            <numerusform>{count} Befehle begannen, die nichts vom Netz fernhielt, der letzte um {time}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/traffic.py"/>
        <source>{count} requests by Steward itself.</source>
        <translation>
            <numerusform>{count} Anfrage von Steward selbst.</numerusform>
            <numerusform>{count} Anfragen von Steward selbst.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/traffic.py"/>
        <source>{count} requests so far.</source>
        <translation>
            <numerusform>Bisher {count} Anfrage.</numerusform>
            <numerusform>Bisher {count} Anfragen.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Activity…</source>
        <translation>Aktivität …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Answer: {title}</source>
        <translation>Antworten: {title}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>End in {name} ({left})</source>
        <translation>In {name} beenden ({left})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>For 1 hour</source>
        <translation>Für 1 Stunde</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>For 10 minutes</source>
        <translation>Für 10 Minuten</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>For 4 hours</source>
        <translation>Für 4 Stunden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>It does not ask before it changes something.</source>
        <translation>Es fragt nicht, bevor es etwas ändert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Memory…</source>
        <translation>Gedächtnis …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Models…</source>
        <translation>Modelle …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>No question is waiting</source>
        <translation>Keine Frage wartet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>No reminder is due</source>
        <translation>Keine Erinnerung ist fällig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Nothing leaves</source>
        <translation>Nichts geht hinaus</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Open Steward</source>
        <translation>Steward öffnen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Pause the gate</source>
        <translation>Schranke pausieren</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Permissions…</source>
        <translation>Berechtigungen …</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Project mode is on in {names}.</source>
        <translation>Der Projektmodus läuft in {names}.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Recent notifications</source>
        <translation>Letzte Benachrichtigungen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Resume the gate</source>
        <translation>Schranke fortsetzen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Resume the gate (paused until {time})</source>
        <translation>Schranke fortsetzen (pausiert bis {time})</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Steward: an answer is ready</source>
        <translation>Steward: Eine Antwort ist fertig</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Steward: something went wrong</source>
        <translation>Steward: Etwas ist schiefgegangen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Steward: working</source>
        <translation>Steward: arbeitet</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>The gate is paused until {time}.</source>
        <translation>Die Schranke ist bis {time} pausiert.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Undo last change</source>
        <translation>Letzte Änderung rückgängig machen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Undo: {words}</source>
        <translation>Rückgängig: {words}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Version {version}</source>
        <translation>Version {version}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Your words go to {hosts}</source>
        <translation>Worte gehen an {hosts}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/tray.py"/>
        <source>Your words go to {hosts}.</source>
        <translation>Worte gehen an {hosts}.</translation>
    </message>
    <message numerus="yes">
        <location filename="../../desktop/ui/tray.py"/>
        <source>{count} reminders are due.</source>
        <translation>
            <numerusform>{count} Erinnerung ist fällig.</numerusform>
            <numerusform>{count} Erinnerungen sind fällig.</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>Decide later</source>
        <translation>Später entscheiden</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>Keep what is there</source>
        <translation>Behalten, was da ist</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>Put the old one back anyway</source>
        <translation>Trotzdem das Alte zurücklegen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>Save the old one beside it</source>
        <translation>Das Alte daneben speichern</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>What was on the clipboard before is there again.</source>
        <translation>Was vorher in der Zwischenablage war, ist wieder da.</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>create folder {name}</source>
        <translation>Ordner {name} anlegen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>delete {name}</source>
        <translation>{name} löschen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>move {name}</source>
        <translation>{name} verschieben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/undo.py"/>
        <source>write {name}</source>
        <translation>{name} schreiben</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/widgets/error_card.py"/>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/widgets/error_card.py"/>
        <source>Error: {cause}</source>
        <translation>Fehler: {cause}</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/widgets/lists.py"/>
        <source>Show more</source>
        <translation>Mehr zeigen</translation>
    </message>
    <message>
        <location filename="../../desktop/ui/widgets/lists.py"/>
        <source>Show {count} more of {left}</source>
        <translation>{count} weitere von {left} zeigen</translation>
    </message>
</context>
</TS>
