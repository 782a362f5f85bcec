# Completion of steward(1) for bash.
_steward() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local verbs="run ask chat models classify agents launch serve grants audit undo reminders memory doctor selftest backup restore export import addons update purge hook toggle-quick-ask"
    case $before in
        --profile) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
        --log-format) mapfile -t COMPREPLY < <(compgen -W "console json" -- "$word"); return ;;
        addons) mapfile -t COMPREPLY < <(compgen -W "add list remove" -- "$word"); return ;;
        models) mapfile -t COMPREPLY < <(compgen -W "list get import measure remove verify" -- "$word"); return ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--profile --log-format --version --help" -- "$word")
    elif ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _steward steward
