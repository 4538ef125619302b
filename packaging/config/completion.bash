# SPDX-License-Identifier: Apache-2.0
# bash completion for rdmaready, which says itself what may come next.
_rdmaready() {
  local current=${COMP_WORDS[COMP_CWORD]} line files=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then files=yes; else COMPREPLY+=("${line%%$'\t'*}"); fi
  done < <(rdmaready __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ $current == = ]] && current=
  if [[ -n $files ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _rdmaready rdmaready
