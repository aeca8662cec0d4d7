# shellcheck shell=bash
# Completion of batfill's command line for bash. It asks the program itself, so that it knows what that knows.

# The names in the list of a help text, such as the commands.
_batfill_names() {
  awk '/^(Commands|Models):$/ { in_list = 1; next } in_list && NF { print $1 }'
}

# The options in a help text.
_batfill_options() {
  awk '/^ +-/ { for (i = 1; i <= NF; ++i) if ($i ~ /^--[a-z]/) print $i }'
}

# The names in a list of algorithms.
_batfill_algorithms() {
  awk '/^[a-z]/ { print $1 }'
}

# The names of the parameters of one algorithm.
_batfill_parameters() {
  awk '$1 == "-P" { sub(/=.*/, "=", $2); print $2 }'
}

_batfill() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local choices='' algorithm='' i
  # The command, and the model behind `generate`; `help` is asked about the same.
  local -a subject=()
  for ((i = 1; i < COMP_CWORD && ${#subject[@]} < 2; ++i)); do
    if [ "${COMP_WORDS[i]}" != help ]; then
      subject+=("${COMP_WORDS[i]}")
    fi
    if [ "${subject[0]:-generate}" != generate ]; then
      break
    fi
  done
  for ((i = 1; i < COMP_CWORD - 1; ++i)); do
    if [ "${COMP_WORDS[i]}" = -a ] || [ "${COMP_WORDS[i]}" = --algorithm ]; then
      algorithm=${COMP_WORDS[i + 1]}
    fi
  done

  COMPREPLY=()
  if [ ${#subject[@]} -eq 0 ]; then
    choices="$("$program" help 2>/dev/null | _batfill_names) help --help --version"
  elif [ "${subject[*]}" = generate ]; then
    choices="$("$program" help generate 2>/dev/null | _batfill_names)"
  elif [ "$before" = -a ] || [ "$before" = --algorithm ]; then
    choices=$("$program" algorithms 2>/dev/null | _batfill_algorithms)
  elif [ -n "$algorithm" ] && { [ "$before" = -P ] || [ "$before" = --parameter ]; }; then
    choices=$("$program" algorithms "${algorithm%%,*}" 2>/dev/null | _batfill_parameters)
    compopt -o nospace 2>/dev/null
  elif [[ $word == -* ]]; then
    choices=$("$program" help "${subject[@]}" 2>/dev/null | _batfill_options)
  fi
  # Without choices, files are completed.
  local choice
  while read -r choice; do
    COMPREPLY+=("$choice")
  done < <(compgen -W "$choices" -- "$word")
}

complete -o default -F _batfill batfill
