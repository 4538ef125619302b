#compdef rdmaready
# SPDX-License-Identifier: Apache-2.0
# zsh completion for rdmaready, from what the program says of itself.
_rdmaready() {
  local word shown
  local -a before found
  for word in ${words[2,CURRENT-1]}; do
    [[ $word == -* ]] || before+=($word)
  done
  shown=$(rdmaready ${before[1,2]} --help 2>/dev/null || rdmaready ${before[1,1]} --help 2>/dev/null)
  if [[ $PREFIX == -* ]]; then
    found=(${(f)"$(grep -oE -- '--[a-z-]+' <<<$shown | sort -u)"})
  else
    found=(${(f)"$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' <<<$shown)"})
  fi
  if (( $#found )); then
    compadd -- $found
  else
    _files
  fi
}
# As a function of fpath the file is the body; sourced, it defines.
if [[ $funcstack[1] == _rdmaready ]]; then
  _rdmaready "$@"
else
  compdef _rdmaready rdmaready
fi
