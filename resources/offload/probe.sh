# What a worker says of itself: NAME VALUE, a line each. `identities` is put in front by the client.
{
set -u
exec </dev/null
PATH=$HOME/.cargo/bin:$HOME/.local/bin:$HOME/go/bin:/usr/local/go/bin:$HOME/.bun/bin:$PATH
export PATH
read -r load _ </proc/loadavg
printf 'system %s\n' "$(uname -sm) $(getconf GNU_LIBC_VERSION 2>/dev/null)"
printf 'cores %s\n' "$(nproc)"
printf 'load %s\n' "$load"
printf 'clock %s\n' "$(date +%s)"
printf 'free %s\n' "$(df -Pk "$HOME" | tail -n 1 | { read -r _ _ _ free _; echo "$free"; })"
for each in rsync bwrap flock find setsid comm; do
  command -v "$each" >/dev/null || printf 'missing %s\n' "$each"
done
if command -v bwrap >/dev/null; then
  bwrap --ro-bind / / --unshare-pid --unshare-net --proc /proc --dev /dev true 2>/dev/null || printf 'box no\n'
fi
for each in "${identities[@]}"; do
  command -v "${each%% *}" >/dev/null || continue
  printf 'tool %s %s\n' "$(printf '%s\n' "$(LC_ALL=C sh -c "$each" 2>&1)" | sha256sum | cut -c 1-32)" "$each"
done
}
