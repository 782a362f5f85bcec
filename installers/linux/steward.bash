# Completion of steward(1) for bash. Written by packaging/completions.py.
_steward() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at="" each
    local verbs="" options="" takes="" index
    for ((index = 1; index < COMP_CWORD; index++)); do
        each=${COMP_WORDS[index]}
        case "$each" in --profile|--log-format) ((index++)); continue ;; esac
        case "$at${at:+ }$each" in
            serve|launch|confine|hook|undo|backup|restore|export|import|ask|chat|fix|selftest|update|purge|doctor|run|toggle-quick-ask|classify|models|"models list"|"models get"|"models measure"|"models import"|"models remove"|"models verify"|memory|"memory search"|"memory add"|"memory forget"|"memory export"|"memory doctor"|"memory stats"|"memory team"|"memory team status"|"memory team connect"|"memory team forget"|"memory team list"|"memory team share"|"memory team withdraw"|"memory team trust"|"memory team sql"|skills|"skills list"|"skills show"|addons|"addons add"|"addons list"|"addons remove"|agents|"agents list"|"agents install"|"agents uninstall"|"agents status"|"agents mcp"|api|"api status"|"api on"|"api off"|"api token"|"api list"|"api revoke"|engines|"engines list"|"engines add"|"engines test"|"engines key"|"engines remove"|extensions|"extensions new"|"extensions install"|"extensions list"|"extensions on"|"extensions off"|"extensions order"|"extensions remove"|"extensions test"|"extensions log"|grants|"grants list"|"grants revoke"|"grants revoke-all"|rules|"rules list"|"rules add"|"rules remove"|"rules test"|audit|"audit verify"|"audit list"|"audit export"|mcp|"mcp list"|"mcp add"|"mcp on"|"mcp off"|"mcp remove"|"mcp tools"|"mcp call"|"mcp log"|"mcp import"|reminders|"reminders list"|"reminders cancel") at+=${at:+ }$each ;;
        esac
    done
    case "$at" in
        "") verbs='serve launch confine hook undo backup restore export import ask chat fix selftest update purge doctor run toggle-quick-ask classify models memory skills addons agents api engines extensions grants rules audit mcp reminders' options='--profile --log-format --version --help' ;;
        "serve") options=--help ;;
        "launch") takes='claude codex copilot opencode' options=--help ;;
        "confine") options='--read-only --project --network --apparmor-profile --help' ;;
        "hook") options=--help ;;
        "undo") options='--list --if-changed --help' ;;
        "backup") takes=files options='--models --json --help' ;;
        "restore") takes=files options='--yes --json --help' ;;
        "export") takes=files options='--chat --json --help' ;;
        "import") takes=files options='--json --help' ;;
        "ask") options='--prompt-file --json --allow --model --no-memory --engine --to --help' ;;
        "chat") options='--session --model --no-memory --engine --to --help' ;;
        "fix") options='--check --build --about --rounds --apply --yes --json --model --help' ;;
        "selftest") options='--model --json --help' ;;
        "update") options=--help ;;
        "purge") options='--dry-run --yes --models --keep-data --help' ;;
        "doctor") options='--json --help' ;;
        "run") options='--hidden --help' ;;
        "toggle-quick-ask") options=--help ;;
        "classify") options='--batch --json --shell --cwd --no-model --help' ;;
        "models") verbs='list get measure import remove verify' options=--help ;;
        "models list") options='--json --help' ;;
        "models get") options='--recommended --if-none --yes --help' ;;
        "models measure") options='--json --help' ;;
        "models import") takes=files options=--help ;;
        "models remove") options=--help ;;
        "models verify") options=--help ;;
        "memory") verbs='search add forget export doctor stats team' options=--help ;;
        "memory search") options='--project --limit --json --help' ;;
        "memory add") options='--project --json --help' ;;
        "memory forget") options='--everything --json --help' ;;
        "memory export") takes=files options=--help ;;
        "memory doctor") options='--json --help' ;;
        "memory stats") options='--json --help' ;;
        "memory team") verbs='status connect forget list share withdraw trust sql' options=--help ;;
        "memory team status") options='--json --help' ;;
        "memory team connect") options='--group --name --cache --password-stdin --json --help' ;;
        "memory team forget") options='--json --help' ;;
        "memory team list") options='--limit --json --help' ;;
        "memory team share") options='--layer --yes --json --help' ;;
        "memory team withdraw") options='--json --help' ;;
        "memory team trust") options='--json --help' ;;
        "memory team sql") options='--owner --member --reader --help' ;;
        "skills") verbs='list show' options=--help ;;
        "skills list") options='--json --help' ;;
        "skills show") options='--question --help' ;;
        "addons") verbs='add list remove' options=--help ;;
        "addons add") takes=files options=--help ;;
        "addons list") options='--json --help' ;;
        "addons remove") options=--help ;;
        "agents") verbs='list install uninstall status mcp' options=--help ;;
        "agents list") options='--json --help' ;;
        "agents install") takes='claude-code codex gemini-cli cursor copilot-cli opencode droid' options='--yes --help' ;;
        "agents uninstall") takes='claude-code codex gemini-cli cursor copilot-cli opencode droid' options='--yes --help' ;;
        "agents status") takes='claude-code codex gemini-cli cursor copilot-cli opencode droid' options='--json --help' ;;
        "agents mcp") takes='claude-code codex gemini-cli cursor copilot-cli opencode droid' options=--help ;;
        "api") verbs='status on off token list revoke' options=--help ;;
        "api status") options='--json --help' ;;
        "api on") options=--help ;;
        "api off") options=--help ;;
        "api token") options=--help ;;
        "api list") options=--help ;;
        "api revoke") options=--help ;;
        "engines") verbs='list add test key remove' options=--help ;;
        "engines list") options='--json --help' ;;
        "engines add") options='--model --key --no-tools --unencrypted --help' ;;
        "engines test") options='--json --help' ;;
        "engines key") options='--remove --help' ;;
        "engines remove") options=--help ;;
        "extensions") verbs='new install list on off order remove test log' options=--help ;;
        "extensions new") takes=files options=--help ;;
        "extensions install") takes=files options='--yes --help' ;;
        "extensions list") options='--json --help' ;;
        "extensions on") options='--yes --set --help' ;;
        "extensions off") options=--help ;;
        "extensions order") options=--help ;;
        "extensions remove") options='--yes --help' ;;
        "extensions test") takes=files options=--help ;;
        "extensions log") options='--json --help' ;;
        "grants") verbs='list revoke revoke-all' options=--help ;;
        "grants list") options='--json --help' ;;
        "grants revoke") options='--json --help' ;;
        "grants revoke-all") options='--json --help' ;;
        "rules") verbs='list add remove test' options=--help ;;
        "rules list") options='--json --help' ;;
        "rules add") options='--program --path --agent --tool --reason --json --help' ;;
        "rules remove") options='--json --help' ;;
        "rules test") options='--agent --cwd --shell --json --help' ;;
        "audit") verbs='verify list export' options=--help ;;
        "audit verify") takes=files options='--json --help' ;;
        "audit list") options='--kind --text --days --limit --json --help' ;;
        "audit export") takes=files options='--kind --text --days --json --help' ;;
        "mcp") verbs='list add on off remove tools call log import' options=--help ;;
        "mcp list") options='--json --help' ;;
        "mcp add") options='--url --folder --work-in --network --unconfined --set --env --header --secret --off --json --help' ;;
        "mcp on") options=--help ;;
        "mcp off") options=--help ;;
        "mcp remove") options=--help ;;
        "mcp tools") options='--agree --json --help' ;;
        "mcp call") options='--yes --help' ;;
        "mcp log") options=--help ;;
        "mcp import") takes=files options='--yes --json --help' ;;
        "reminders") verbs='list cancel' options=--help ;;
        "reminders list") options=--help ;;
        "reminders cancel") options=--help ;;
    esac
    case "$at|$before" in
        "|--profile") takes=folders ;;
        "|--log-format") takes='console json' ;;
        "confine|--project") takes=folders ;;
        "undo|--if-changed") takes='keep overwrite beside' ;;
        "export|--chat") takes=' ' ;;
        "ask|--prompt-file") takes=files ;;
        "ask|--allow") takes='none read workspace' ;;
        "ask|--model") takes=files ;;
        "ask|--engine") takes=' ' ;;
        "ask|--to") takes=' ' ;;
        "chat|--session") takes=files ;;
        "chat|--model") takes=files ;;
        "chat|--engine") takes=' ' ;;
        "chat|--to") takes=' ' ;;
        "fix|--check") takes=' ' ;;
        "fix|--build") takes=' ' ;;
        "fix|--about") takes=' ' ;;
        "fix|--rounds") takes=' ' ;;
        "fix|--model") takes=files ;;
        "selftest|--model") takes=files ;;
        "classify|--batch") takes=files ;;
        "classify|--shell") takes='bash powershell cmd' ;;
        "classify|--cwd") takes=folders ;;
        "memory search|--project") takes=folders ;;
        "memory search|--limit") takes=' ' ;;
        "memory add|--project") takes=folders ;;
        "memory team connect|--group") takes=' ' ;;
        "memory team connect|--name") takes=' ' ;;
        "memory team connect|--cache") takes=' ' ;;
        "memory team list|--limit") takes=' ' ;;
        "memory team share|--layer") takes='team organisation company' ;;
        "memory team sql|--owner") takes=' ' ;;
        "memory team sql|--member") takes=' ' ;;
        "memory team sql|--reader") takes=' ' ;;
        "skills show|--question") takes=' ' ;;
        "engines add|--model") takes=files ;;
        "extensions on|--set") takes=' ' ;;
        "rules add|--program") takes=' ' ;;
        "rules add|--path") takes=' ' ;;
        "rules add|--agent") takes=' ' ;;
        "rules add|--tool") takes=' ' ;;
        "rules add|--reason") takes=' ' ;;
        "rules test|--agent") takes=' ' ;;
        "rules test|--cwd") takes=files ;;
        "rules test|--shell") takes=' ' ;;
        "audit list|--kind") takes='decision tool hook' ;;
        "audit list|--text") takes=' ' ;;
        "audit list|--days") takes=' ' ;;
        "audit list|--limit") takes=' ' ;;
        "audit export|--kind") takes='decision tool hook' ;;
        "audit export|--text") takes=' ' ;;
        "audit export|--days") takes=' ' ;;
        "mcp add|--url") takes=' ' ;;
        "mcp add|--folder") takes=' ' ;;
        "mcp add|--work-in") takes=files ;;
        "mcp add|--set") takes=' ' ;;
        "mcp add|--env") takes=' ' ;;
        "mcp add|--header") takes=' ' ;;
        "mcp add|--secret") takes=' ' ;;
        *) [[ $word == -* ]] && takes=$options || takes=${verbs:-$takes} ;;
    esac
    case "$takes" in
        files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$takes" -- "$word") ;;
    esac
}
complete -F _steward steward
