# Completes command lines of muster in Bash. Commands, flags and the values of a flag are read from the
# --help of the command that is being typed, so that they are always those of the installed version.

# Runs the command line in the arguments with --help, and prints the entries of its help text, one per line.
# An entry of several lines is joined into one.
_muster_entries() {
  "$@" --help 2>/dev/null | awk '
    /^   / && entry { sub(/^ +/, " "); entry = entry $0; next }
    { if (entry) print entry; entry = /^  [^ ]/ ? $0 : "" }
    END { if (entry) print entry }'
}

# Prints the values that the description $2 of the flag $1 offers, one per line: the words of its first
# list like "a | b | c", and the words after the flag in phrases like "--flag=a".
_muster_choices() {
  grep -oE '[A-Za-z0-9:+_-]+( \| [A-Za-z0-9:+_-]+)+' <<<"$2" | head -n 1 | sed 's/ | /\n/g'
  grep -oE -e "$1=[a-z]+" <<<"$2" | sed 's/.*=//'
}

# Fills COMPREPLY with the possible values of the flag $1, which has the type $2 (FILE, DIR, ...)
# and the description $3.
_muster_values() {
  local choice words=()
  case $cur in
    idx:* | cifar:*) _muster_files -d "${cur#*:}" && return ;;
    csv:*) _muster_files -f "${cur#*:}" && return ;;
  esac
  case $2 in
    FILE) _muster_files -f "$cur" && return ;;
    DIR) _muster_files -d "$cur" && return ;;
  esac
  while read -r choice; do
    case $choice in
      *:[A-Z]*) words+=("${choice%%:*}:") && compopt -o nospace ;;
      [A-Z]*) ;;
      ?*) words+=("$choice") ;;
    esac
  done < <(_muster_choices "$1" "$3")
  mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$cur")
}

# Fills COMPREPLY with the names of folders (-d), or of files and folders (-f), that begin with $2.
_muster_files() {
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
  compopt -o filenames
}

_muster() {
  local muster=$1 cur=${COMP_WORDS[COMP_CWORD]} flag at entry type
  local entry_of_flag='^  (-[A-Za-z],)?(--[a-z0-9-]+)([{][a-z]+[}])?( ([A-Z]+)[^ ]*)?(.*)$'
  COMPREPLY=()
  # Readline splits words at "=" and ":", so that "--data=idx:folder" comes as five words.
  at=$COMP_CWORD
  if [[ ${COMP_WORDS[at]} == ':' ]]; then
    cur=${COMP_WORDS[at - 1]}:
    ((at -= 1))
  elif [[ ${COMP_WORDS[at - 1]} == ':' ]]; then
    cur=${COMP_WORDS[at - 2]}:$cur
    ((at -= 2))
  elif [[ $cur == '=' ]]; then
    cur=''
    ((at += 1))
  fi
  [[ ${COMP_WORDS[at - 1]} == '=' ]] && ((at -= 1))
  flag=${COMP_WORDS[at - 1]}

  if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then
    local commands flags=''
    commands=$(_muster_entries "$muster" | grep -oE '^  [a-z]+ ')
    [[ $cur == -* ]] && flags='--help --version'
    ((COMP_CWORD <= 2)) && mapfile -t COMPREPLY < <(compgen -W "$commands $flags" -- "$cur")
    return
  fi
  local names=()
  while IFS= read -r entry; do
    [[ $entry =~ $entry_of_flag ]] || continue
    names+=("${BASH_REMATCH[2]}")
    type=${BASH_REMATCH[5]}
    # A flag without a type takes a value only after "=".
    if [[ ${BASH_REMATCH[2]} == "$flag" && (-n $type || ${COMP_WORDS[at]} == '=') ]]; then
      _muster_values "$flag" "$type" "${BASH_REMATCH[6]}"
      return
    fi
  done < <(_muster_entries "$muster" "${COMP_WORDS[1]}")
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${names[*]}" -- "$cur")
  elif [[ ${COMP_WORDS[1]} == report || ${COMP_WORDS[1]} == status || ${COMP_WORDS[1]} == verify ]]; then
    _muster_files -d "$cur"
  elif [[ ${COMP_WORDS[1]} == keygen ]] && ((COMP_CWORD == 2)); then
    mapfile -t COMPREPLY < <(compgen -W 'issuer shuffler aggregator devices task' -- "$cur")
  elif [[ ${COMP_WORDS[1]} == evaluate ]]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X '!*.safetensors' -- "$cur")
    compopt -o filenames
  else
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X '!*.toml' -- "$cur")
    compopt -o filenames
  fi
}

complete -F _muster muster
