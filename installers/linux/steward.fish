# Completion of steward(1) for fish.
set -l verbs run ask chat models classify agents launch serve grants audit undo reminders memory doctor selftest backup restore export import addons update purge hook toggle-quick-ask
complete -c steward -n "not __fish_seen_subcommand_from $verbs" -f -a "$verbs"
complete -c steward -l profile -r -a "(__fish_complete_directories)" -d "Keep everything in this folder"
complete -c steward -l log-format -x -a "console json" -d "Also log to stderr"
complete -c steward -l version -d "Print the version"
complete -c steward -l help -d "Help"
complete -c steward -n "__fish_seen_subcommand_from models" -f -a "list get import measure remove verify"
complete -c steward -n "__fish_seen_subcommand_from addons; and not __fish_seen_subcommand_from add" -f -a "add list remove"
