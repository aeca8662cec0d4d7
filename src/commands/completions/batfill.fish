# Completion of batfill's command line for fish. It asks the program itself, so that it knows what that knows.

function __batfill_subject
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    set -e words[1]
    string match --invert --entire help $words
end

function __batfill_names
    batfill help $argv 2>/dev/null | awk '/^(Commands|Models):$/ { in_list = 1; next } in_list && NF { print $1 }'
end

function __batfill_options
    set -l subject (__batfill_subject)
    if test "$subject[1]" = generate
        set subject $subject[1..2]
    else
        set subject $subject[1]
    end
    batfill help $subject 2>/dev/null | awk '/^ +-/ { for (i = 1; i <= NF; ++i) if ($i ~ /^--[a-z]/) print $i }'
end

function __batfill_algorithms
    batfill algorithms 2>/dev/null | awk '/^[a-z]/ { print $1 }'
end

complete --command batfill --condition 'test (count (__batfill_subject)) -eq 0' --no-files \
    --arguments '(__batfill_names) help --version'
complete --command batfill --condition 'test "$(__batfill_subject)" = generate' --no-files \
    --arguments '(__batfill_names generate)'
complete --command batfill --condition 'test (count (__batfill_subject)) -gt 0; and string match -q -- "-*" (commandline -ct)' \
    --arguments '(__batfill_options)'
complete --command batfill --condition 'test (count (__batfill_subject)) -gt 0' --short-option a --long-option algorithm \
    --exclusive --arguments '(__batfill_algorithms)'
