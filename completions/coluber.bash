# Bash completion of coluber. All words come from the program itself, so they are those of the version that is called.
# shellcheck shell=bash

# _coluber_names PROGRAM KIND: what `coluber list KIND` names.
_coluber_names() { "$1" list "$2" 2> /dev/null | cut -d ' ' -f 1; }

# _coluber_commands PROGRAM
_coluber_commands() { "$1" --help 2> /dev/null | sed -n '/^Subcommands:/,/^$/ s/^  \([a-z-]*\) .*/\1/p'; }

# _coluber_options PROGRAM COMMAND: -q --quiet …, from its help
_coluber_options() { "$1" "$2" --help 2> /dev/null | sed -n 's/^  \(-[-a-z,]*\).*/\1/p' | tr ',' '\n'; }

# _coluber_planes PROGRAM: the planes of `plot --plane`, from its help
_coluber_planes() { "$1" plot --help 2> /dev/null | sed -n 's/.*plane of the picture, \([a-z]*\) or \([a-z]*\).*/\1\n\2/p'; }

# _coluber_choices PROGRAM KEY: the words in quotes that a key may take
_coluber_choices() {
  "$1" list keys 2> /dev/null | sed -n "s/^${2//./\\.}  *[^;]*; \(.*\); default:.*/\1/p" | grep -o '"[^"]*"' | tr -d '"'
}

# The next two add to COMPREPLY what begins with $word.
_coluber_offer() {  # WORDS
  local -a found
  mapfile -t found < <(compgen -W "$1" -- "$word")
  COMPREPLY+=("${found[@]}")
}

_coluber_files() {  # PATTERN: files that match, and folders to go through
  local -a found
  compopt -o filenames 2> /dev/null
  mapfile -t found < <(
    compgen -d -- "$word"
    compgen -f -X "!$1" -- "$word" | while IFS= read -r each; do [[ -d $each ]] || printf '%s\n' "$each"; done
  )
  COMPREPLY+=("${found[@]}")
}

_coluber() {
  local program=$1 word=$2 before=$3 command=${COMP_WORDS[1]:-}
  program=${program/#\~/$HOME}
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    _coluber_offer "$(_coluber_commands "$program") --help --version"
    return
  fi

  # --set key=value: bash takes the = for a word of its own
  local setting=""
  if [[ $before == --set ]]; then
    _coluber_offer "$(_coluber_names "$program" keys | sed 's/$/=/')"
    compopt -o nospace 2> /dev/null
    return
  elif [[ ${COMP_WORDS[COMP_CWORD]} == "=" && ${COMP_WORDS[COMP_CWORD - 2]} == --set ]]; then
    setting=$before
  elif [[ $before == "=" && ${COMP_WORDS[COMP_CWORD - 3]:-} == --set ]]; then
    setting=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ -n $setting ]]; then
    _coluber_offer "$(_coluber_choices "$program" "$setting")"
    return
  fi

  case $before in
    --out | --claims) _coluber_files '' && return ;;  # folders alone
    --measured) _coluber_files '*.csv' && return ;;
    --scenes) _coluber_files '*.toml' && return ;;
    -o | --output) _coluber_files '*' && return ;;
    --what) _coluber_offer "$(_coluber_names "$program" plots)" && return ;;
    --to) if [[ $command == export ]]; then _coluber_offer "html csv png"; fi && return ;;
    --plane) _coluber_offer "$(_coluber_planes "$program")" && return ;;
    --duration | --seed | --port | --time | --from | --link | --n | --repeat | --threads | -j | --point) return ;;  # a number
    --part) _coluber_offer auto && return ;;
    --retry) _coluber_offer "completed failed refused crashed timeout" && return ;;
    --width | --view) return ;;
  esac

  if [[ $word == -* ]]; then
    _coluber_offer "$(_coluber_options "$program" "$command")"
    return
  fi
  case $command in
    run | check)
      _coluber_files '*.toml'
      # those that come with Coluber, by their names
      _coluber_offer "$(_coluber_names "$program" scenarios | sed 's|.*/||; s|\.toml$||')"
      ;;
    sweep) _coluber_files '*.toml' ;;
    list) _coluber_offer "$("$program" list --help | grep -o '{[a-z,]*}' | tr -d '{}' | tr ',' ' ')" ;;
    plot | view | export)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      ;;
    reproduce) _coluber_offer "$(_coluber_names "$program" experiments)" ;;
    help) _coluber_offer "$(_coluber_commands "$program")" ;;
    bench) _coluber_offer "$("$program" bench --help | sed -n 's/^  names NAME [. ]*\([a-z_., ]*\) (default.*/\1/p' | tr -d ',')" ;;
  esac
}

complete -F _coluber coluber
