# bash completion for matdecl, for bash 3.2 and later. It asks the matdecl of the command line what can follow.

_matdecl() {
  local cur="${COMP_WORDS[COMP_CWORD]}" program="${COMP_WORDS[0]/#\~/$HOME}" kind='' word ending
  local -a lines words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
  cur="${cur#[\"\']}"
  cur="${cur//\\/}"
  type -P -- "$program" >/dev/null || program=matdecl
  while IFS= read -r word; do
    if [[ -z $kind ]]; then kind="$word"; else COMPREPLY+=("${word%%$'\t'*}"); fi
  done < <("$program" __complete ${words[@]+"${words[@]}"} ".$cur" 2>/dev/null)

  # bash splits --option=value into three words, and replaces only the last one.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} != '=' && $cur == --*=* ]]; then
    return
  fi
  [[ ${COMP_WORDS[COMP_CWORD]} == '=' || ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]] && COMPREPLY=("${COMPREPLY[@]#--*=}")

  case "$kind" in
    directories)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur")
      ;;
    files*)
      compopt -o filenames 2>/dev/null
      for ending in ${kind#files}; do
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -X "!*$ending" -- "$cur")
      done
      # Without a file of the right type, all files.
      if ((${#COMPREPLY[@]} > 0)); then kind=-d; else kind=-f; fi
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$kind" -- "$cur")
      ;;
  esac
}

complete -F _matdecl matdecl
