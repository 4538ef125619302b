#compdef rdmaready
# SPDX-License-Identifier: Apache-2.0
# zsh completion for rdmaready, which says itself what may come next.
_rdmaready() {
  local line files=
  local -a found
  for line in ${(f)"$(rdmaready __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    if [[ $line == :files ]]; then files=yes; else found+=(${line%%$'\t'*}); fi
  done
  (( $#found )) && compadd -- $found
  [[ -n $files ]] && _files
  return 0
}
# As a function of fpath the file is the body; sourced, it defines.
if [[ $funcstack[1] == _rdmaready ]]; then
  _rdmaready "$@"
else
  compdef _rdmaready rdmaready
fi
