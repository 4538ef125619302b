# SPDX-License-Identifier: Apache-2.0
# bash completion for rdmaready, from what the program says of itself.
_rdmaready() {
  local current=${COMP_WORDS[COMP_CWORD]} words=() word shown
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || words+=("$word")
  done
  shown=$(rdmaready "${words[@]:0:2}" --help 2>/dev/null || rdmaready "${words[@]:0:1}" --help 2>/dev/null)
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '--[a-z-]+' <<<"$shown" | sort -u)" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' <<<"$shown")" -- "$current")
  fi
}
complete -o default -F _rdmaready rdmaready
