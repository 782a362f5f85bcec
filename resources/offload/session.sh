# One command in one mirror, from its lock to its receipt. Steward's client sends this text with its values in
# front to `bash -s` on the worker; nothing stays there but the mirror and the caches.
#
# It speaks to the client on standard error, in lines that begin with a record separator and the call's nonce:
#   no REASON …            nothing was begun, and why
#   ready known|fresh TIME the lock is held; the mirror is as the client left it, or empty; the clock here
#   begun                  the command is being started (said from within its box)
#   spent USER SYSTEM      the processor's time that it took (bash's `times`)
#   exit CODE              it has ended
#   made COUNT GONE FULL   how many files it changed and removed, and whether the disk is full
# and hears on standard input: go, int, term, done TOKEN; `.` now and then, so that it knows of a dead line.
{
set -u
umask 077
say() { printf '\036%s %s\n' "$nonce" "$*" >&2; }
no() { say no "$@"; exit 3; }
exec 5<&0 </dev/null

PATH=$HOME/.cargo/bin:$HOME/.local/bin:$HOME/go/bin:/usr/local/go/bin:$HOME/.bun/bin:$PATH
export PATH
for each in rsync bwrap flock find setsid df sort comm; do
  command -v "$each" >/dev/null || no missing "$each"
done
# Make and cargo decide by times: a clock that is off would have them take old for new. One that is ahead looks like a
# slow line from here, so that the client looks at the time in `ready`.
there=$(date +%s)
(( clock - there > 3 )) && no clock $(( there - clock ))

top=$HOME/.cache/steward-offload
base=$top/$key
mirror=$base/mirror
mkdir -p "$mirror" "$base/tmp" "$top/caches" 2>/dev/null || no full
exec 9>"$base/lock" || no full
flock -w "$wait_s" 9 || no busy
avail() { df -Pk "$base" | tail -n 1 | { read -r _ _ _ free _; echo "$free"; }; }
(( $(avail) < need_kb )) && no full

state=known
if [ "$(cat "$base/token" 2>/dev/null)" != "$token" ]; then
  # Not as this client left it: nothing in it can be relied on.
  rm -rf "$mirror" && mkdir "$mirror" || no full
  rm -f "$base/locks"
  state=fresh
fi
# Until the client has everything back, nobody knows what is in it.
echo dirty >"$base/token" || no full
say ready "$state" "$(date +%s)"
word=
while [ "$word" != go ]; do
  read -r -t 20 -u 5 word || exit 3
  case $word in int|term) exit 3 ;; esac  # given up in the moment before
done
mkdir -p "$mirror/$sub" || no full

# The box: the system read-only, the mirror under the path that it has on the other computer, a home folder with
# nothing in it but the toolchains and the caches, no network where the table gives none, no processes but its own.
box=(bwrap --die-with-parent --new-session --unshare-pid --unshare-ipc --unshare-uts)
hidden=/${root#/}; hidden=${hidden#/}; hidden=/${hidden%%/*}
homes=/${home#/}; homes=${homes#/}; homes=/${homes%%/*}
for each in /*; do
  case $each in
    /proc|/dev|/tmp|/run|/sys|/mnt|/media|/lost+found|/home|/root|"$hidden"|"$homes") ;;
    *) if [ -L "$each" ]; then box+=(--symlink "$(readlink "$each")" "$each")
       else box+=(--ro-bind "$each" "$each"); fi ;;
  esac
done
box+=(--proc /proc --dev /dev --tmpfs /run --bind "$base/tmp" /tmp --dir "$home")
for each in .cargo/bin .rustup .local/bin .local/lib .local/share/pnpm go/bin .bun/bin .nvm .volta .pyenv .sdkman; do
  [ -e "$HOME/$each" ] && box+=(--ro-bind "$HOME/$each" "$HOME/$each")
done
for each in "${caches[@]}"; do
  mkdir -p "$top/caches/$each" || no full
  box+=(--bind "$top/caches/$each" "$home/$each")
done
box+=(--bind "$mirror" "$root" --chdir "$root/$sub")
# Java asks for the home folder of the user's number, whatever HOME says, and keeps what it downloads there.
printf 'steward:x:%s:%s::%s:/bin/bash\n%s\n' "$EUID" "${GROUPS[0]}" "$home" "$(</etc/passwd)" >"$base/passwd" || no full
box+=(--ro-bind "$base/passwd" /etc/passwd)
resolver=()
[ -e /etc/resolv.conf ] && resolver=(--ro-bind-try "$(readlink -f /etc/resolv.conf)" "$(readlink -f /etc/resolv.conf)")
net=(--unshare-net)
[ "$network" = 1 ] && net=("${resolver[@]}")
environment=(HOME="$home" PATH="$PATH" USER=steward LOGNAME=steward TMPDIR=/tmp "${environment[@]}")
[ -d "$HOME/.rustup" ] && environment+=(RUSTUP_HOME="$HOME/.rustup")

# Runs on the node that does the work: starts the box, passes signals into it, and says how it ended.
runner='
nonce=$1; node=$2; shift 2
set -m
info=$(mktemp) || exit 3
caught=0
pid=
forward() {
  caught=1
  # The box may be in the making still: it is reached once it has a session of its own.
  for _ in {1..60}; do
    child=$(sed -n "s/.*\"child-pid\": *\([0-9]*\).*/\1/p" "$info")
    [ -n "$child" ] && kill "-$1" -- "-$child" 2>/dev/null && return
    [ -n "$pid" ] && ! kill -0 "$pid" 2>/dev/null && return
    sleep 0.05
  done
}
trap "forward INT" INT
trap "forward TERM; sleep 3; kill -KILL \$pid 2>/dev/null" TERM HUP
exec 7>"$info"
# Slurm signals every process of a step, the box itself among them, which would then end without a word.
[ "$node" = slurm ] && trap "" INT TERM HUP
"$1" --info-fd 7 "${@:2}" </dev/null 5<&- 9<&- &
pid=$!
[ "$node" = slurm ] && { trap "caught=1" INT; trap "sleep 3; kill -KILL \$pid 2>/dev/null" TERM HUP; }
set +m
wait "$pid"; code=$?
while [ "$caught" = 1 ]; do caught=0; wait "$pid"; code=$?; done
rm -f "$info"
printf "\036%s exit %s\n" "$nonce" "$code" >&2
'
# What is said from within: until `begun` nothing of it has run. This shell stays, since only it hears of the
# processor's time; it outlives a signal that the command takes in its own way.
within='
printf "\036%s begun\n" "$0" >&2
trap : INT TERM HUP
umask "$1"; usual=$2; shift 2
env -i $usual "$@"
code=$?
times >/tmp/.steward-times
printf "\036%s spent %s\n" "$0" "$(tail -n 1 /tmp/.steward-times)" >&2
exit $code
'

# Changes are told by the time of change, which no command can set. It has the clock's ticks: the command
# must begin in a later one than the stamp.
touch "$base/stamp" "$base/tick"
until [ -n "$(find "$base/tick" -cnewer "$base/stamp")" ]; do touch "$base/tick"; done
cd "$mirror" || no full
find . -mindepth 1 ! -type d -printf '%P\0' | sort -z >"$base/before" || no full

if [ -n "$fetch" ] && [ "$(cat "$base/locks" 2>/dev/null)" != "$locks" ]; then
  "${box[@]}" "${resolver[@]}" --chdir "$root" -- env -i "${environment[@]}" /bin/sh -c "umask $mask; $fetch" </dev/null >"$base/fetch.log" 2>&1 9<&-
  code=$?
  # Without what it names the command would fail here and not there.
  [ $code = 0 ] || { printf '%s' "$token" >"$base/token"; no fetch $code; }
  printf '%s' "$locks" >"$base/locks"
fi

node=plain usual=
(( ${#launch[@]} )) && node=slurm usual=--default-signal=INT,TERM,HUP
set -m
"${launch[@]}" bash -c "$runner" steward-runner "$nonce" "$node" "${box[@]}" "${net[@]}" -- /bin/bash -c "$within" "$nonce" "$mask" "$usual" "${environment[@]}" "${words[@]}" </dev/null 5<&- 9<&- &
job=$!
set +m
(
  while read -r -t 20 -u 5 word; do
    case $word in
      int) kill -INT "$job" 2>/dev/null ;;
      term) kill -TERM "$job" 2>/dev/null ;;
    esac
  done
  # The line is dead, or who was at its other end: the work is nobody's any more.
  kill -TERM "$job" 2>/dev/null
  sleep 6
  kill -KILL -- "-$job" 2>/dev/null
) 9<&- &
watcher=$!
wait "$job" 2>/dev/null
kill -KILL "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null

skip=()
for each in "${stays[@]}"; do skip+=(-path "./$each" -prune -o); done
find . -mindepth 1 "${skip[@]}" -cnewer "$base/stamp" \( -type f -o -type d -o -type l \) -printf '%P\0' >"$base/made"
find . -mindepth 1 ! -type d -printf '%P\0' | sort -z >"$base/after"
comm -z -23 "$base/before" "$base/after" >"$base/gone"
full=0
(( $(avail) < 8192 )) && full=1
rm -rf "$base/tmp" 2>/dev/null
say made "$(tr -cd '\0' <"$base/made" | wc -c)" "$(tr -cd '\0' <"$base/gone" | wc -c)" "$full"
while read -r -t 20 -u 5 word given; do
  if [ "$word" = "done" ]; then
    printf '%s' "$given" >"$base/token"
    exit 0
  fi
done
exit 3
}
