# bash completion for matdecl, made from its option table: matdecl completion bash

_matdecl() {
  local cur="${COMP_WORDS[COMP_CWORD]}" option command='' operands=0 config='' dashes='' own='' word i
  COMPREPLY=()
  option="${COMP_WORDS[COMP_CWORD - 1]}"
  # bash takes --option=value for three words
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $option == '=' ]] && ((COMP_CWORD > 2)); then
    option="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  cur="${cur#[\"\']}"
  cur="${cur//\\/}"

  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    [[ $word == --config ]] && config="${COMP_WORDS[i + 1]}" && [[ $config == '=' ]] && config="${COMP_WORDS[i + 2]}"
    if [[ -n $dashes ]]; then
      ((operands++))
      continue
    fi
    case "$word" in
      --) dashes=1 option='' ;;
      '=') ((i++)) ;;
      --supplier | --part | --parts-file | --parts-column | --start-date | --since | --format | --format-class | --api | --query | --output | -o | --report | --missing | --max-url-length | --batch-size | --max-requests | --if-locked | --concurrency | --retries | --max-wait | --rate | --connect-timeout | --response-timeout | --stall-timeout | --timeout | --base-url | --proxy | --ca-file | --client-cert | --client-key | --max-entries | --max-size | --max-ratio | --include | --exclude | --fail-on | --junit | --port | --token | --catalog | --parts | --latency | --quota | --fail | --profile | --config | --log-format | --color)
        [[ ${COMP_WORDS[i + 1]} == '=' ]] || ((i++)) ;;
      --extract | -x | --manifest)
        [[ ${COMP_WORDS[i + 1]} == [=-]* ]] || ((i++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command="$word"; else ((operands++)); fi ;;
    esac
  done
  [[ -n $command ]] || command=download operands=-1

  case "$option" in
    --profile) _matdecl_profiles; return ;;
    --config) _matdecl_files .toml; return ;;
    --log-format) _matdecl_words 'text json'; return ;;
    --color) _matdecl_words 'auto always never'; return ;;
  esac
  case "$command" in
    download)
      own='--supplier --part --parts-file --parts-column --strict-parts --start-date --since --format --format-class --api --query --output -o --overwrite --extract -x --list -l --report --manifest --missing --no-reconcile --fail-if-missing --allow-partial --fail-if-empty --max-url-length --batch-size --max-requests --yes -y --if-locked --dry-run -n --curl --concurrency --retries --max-wait --rate --connect-timeout --response-timeout --stall-timeout --timeout --base-url --proxy --ca-file --client-cert --client-key --sandbox --max-entries --max-size --max-ratio'
      case "$option" in
        --supplier | --part | --parts-column | --start-date | --query | --max-url-length | --batch-size | --max-requests | --concurrency | --retries | --max-wait | --rate | --connect-timeout | --response-timeout | --stall-timeout | --timeout | --base-url | --proxy | --max-entries | --max-size | --max-ratio) return ;;
        --parts-file) _matdecl_files .csv .tsv .xlsx .txt; return ;;
        --since) _matdecl_words '7d 2w yesterday last-run'; return ;;
        --format) _matdecl_words '1752A 1752B XML CSV'; return ;;
        --format-class) _matdecl_words 'C D checkDthenC'; return ;;
        --api) _matdecl_words 'v2 v1'; return ;;
        --output | -o) _matdecl_files .zip; return ;;
        --extract | -x) [[ $cur == -* ]] || { _matdecl_folders; return; } ;;
        --report | --missing) _matdecl_files; return ;;
        --manifest) [[ $cur == -* ]] || { _matdecl_files; return; } ;;
        --if-locked) _matdecl_words 'fail skip wait'; return ;;
        --ca-file | --client-cert) _matdecl_files .pem .crt .cer .key; return ;;
        --client-key) _matdecl_files .pem .key; return ;;
      esac
      ;;
    list)
      own='--max-entries --max-size --max-ratio'
      case "$option" in
        --max-entries | --max-size | --max-ratio) return ;;
      esac
      ;;
    verify)
      own='--max-entries --max-size --max-ratio'
      case "$option" in
        --max-entries | --max-size | --max-ratio) return ;;
      esac
      ;;
    extract)
      own='--overwrite --max-entries --max-size --max-ratio --include --exclude --flat'
      case "$option" in
        --max-entries | --max-size | --max-ratio | --include | --exclude) return ;;
      esac
      ;;
    report)
      own='--parts-file --parts-column --strict-parts --overwrite --max-entries --max-size --max-ratio --output -o --substances --fail-on --junit'
      case "$option" in
        --parts-file) _matdecl_files .csv .tsv .xlsx .txt; return ;;
        --parts-column | --max-entries | --max-size | --max-ratio) return ;;
        --output | -o) _matdecl_files .csv .tsv .json .ndjson .xlsx .html .md .txt; return ;;
        --fail-on) _matdecl_words 'not-compliant svhc missing incomplete unreadable not-declared stale:'; return ;;
        --junit) _matdecl_files .xml; return ;;
      esac
      ;;
    diff)
      own='--overwrite --max-entries --max-size --max-ratio --output -o --fail-on'
      case "$option" in
        --max-entries | --max-size | --max-ratio) return ;;
        --output | -o) _matdecl_files .csv .tsv .json .ndjson .xlsx .html .md .txt; return ;;
        --fail-on) _matdecl_words 'not-compliant svhc missing incomplete unreadable not-declared stale:'; return ;;
      esac
      ;;
    state)
      own=''
      ;;
    migrate)
      own='--format --base-url'
      case "$option" in
        --format) _matdecl_words '1752A 1752B XML CSV'; return ;;
        --base-url) return ;;
      esac
      ;;
    doctor)
      own='--api --connect-timeout --base-url --proxy --ca-file --client-cert --client-key --sandbox'
      case "$option" in
        --api) _matdecl_words 'v2 v1'; return ;;
        --connect-timeout | --base-url | --proxy) return ;;
        --ca-file | --client-cert) _matdecl_files .pem .crt .cer .key; return ;;
        --client-key) _matdecl_files .pem .key; return ;;
      esac
      ;;
    config)
      own='--supplier --overwrite --base-url'
      case "$option" in
        --supplier | --base-url) return ;;
      esac
      ;;
    completion)
      own=''
      ;;
    sandbox)
      own='--port --token --catalog --parts --latency --rate --quota --fail'
      case "$option" in
        --port | --token | --parts | --latency | --rate | --quota | --fail) return ;;
        --catalog) _matdecl_files; return ;;
      esac
      ;;
    help) operands=-1 ;;
    *) return ;;
  esac

  if [[ $cur == -* && -z $dashes ]]; then
    _matdecl_words "$own --profile --config --json --quiet -q --verbose -v --log-format --no-progress --color --no-color --no-input --version -V --help -h"
  elif ((operands < 0)) && [[ -z $dashes ]]; then
    _matdecl_words 'download list verify extract report diff state migrate doctor config completion sandbox help'
  else
    case "$command $operands" in
      'list '*) _matdecl_files .zip ;;
      'verify '*) _matdecl_files .zip ;;
      'extract '0) _matdecl_files .zip ;;
      'extract '1) _matdecl_folders ;;
      'report '*) _matdecl_files .zip .xml ;;
      'diff '0) _matdecl_files .zip .xml ;;
      'diff '1) _matdecl_files .zip .xml ;;
      'state '0) _matdecl_words 'show reset' ;;
      'config '0) _matdecl_words 'show path init' ;;
      'completion '0) _matdecl_words 'bash zsh fish powershell' ;;
    esac
  fi
}

_matdecl_words() {
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

_matdecl_folders() {
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur")
}

# Files with one of the endings and folders; every file where there is none such.
_matdecl_files() {
  local ending
  compopt -o filenames 2>/dev/null
  for ending in "$@"; do
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -X "!*$ending" -- "$cur")
  done
  if ((${#COMPREPLY[@]} > 0)); then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$cur")
  else
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  fi
}

_matdecl_profiles() {
  local file
  for file in "$config" "${MATDECL_CONFIG-}" "${XDG_CONFIG_HOME:-${HOME-}/.config}/matdecl/config.toml" "${HOME-}/Library/Preferences/matdecl/config.toml"; do
    [[ -n $file && -r $file ]] || continue
    _matdecl_words "$(sed -n 's/^[[:space:]]*\[profiles\.\([A-Za-z0-9_-]*\)\].*/\1/p' "$file")"
    return
  done
}

complete -F _matdecl matdecl
