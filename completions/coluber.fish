# Fish completion of coluber. All words come from the program itself, so they are those of the version that is called.

# What `coluber list KIND` names.
function __coluber_names --argument-names program kind
    $program list $kind 2>/dev/null | cut -d ' ' -f 1
end

function __coluber_commands --argument-names program
    $program --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/ s/^  \([a-z-]*\) .*/\1/p'
end

# -q --quiet …, from the command's help
function __coluber_options --argument-names program command
    $program $command --help 2>/dev/null | sed -n 's/^  \(-[-a-z,]*\).*/\1/p' | tr ',' '\n'
end

# the planes of `plot --plane`, from its help
function __coluber_planes --argument-names program
    $program plot --help 2>/dev/null | sed -n 's/.*plane of the picture, \([a-z]*\) or \([a-z]*\).*/\1\n\2/p'
end

# key=word for every word in quotes that the key may take
function __coluber_choices --argument-names program key
    set -l pattern (string replace --all . '\\.' -- $key)
    $program list keys 2>/dev/null | sed -n "s/^$pattern  *[^;]*; \(.*\); default:.*/\1/p" \
        | grep -o '"[^"]*"' | tr -d '"' | sed "s/^/$key=/"
end

# Files with this ending, and folders to go through.
function __coluber_files --argument-names word ending
    __fish_complete_path $word | string match -r "^[^\t]*(?:/|\\.$ending)(?:\t.*)?\$"
end

function __coluber_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l before $words[-1]
    if test (count $words) -eq 1
        __coluber_commands $program
        printf '%s\n' --help --version
        return
    end
    set -l command $words[2]
    switch $before
        case --set
            if string match -q '*=*' -- $word
                __coluber_choices $program (string split -m 1 = -- $word)[1]
            else
                __coluber_names $program keys | sed 's/$/=/'
            end
            return
        case --out --claims
            __fish_complete_directories $word
            return
        case --measured
            __coluber_files $word csv
            return
        case --scenes
            __coluber_files $word toml
            return
        case -o --output
            __fish_complete_path $word
            return
        case --what
            __coluber_names $program plots
            return
        case --to
            test $command = export; and printf '%s\n' html csv png
            return
        case --plane
            __coluber_planes $program
            return
        case --duration --seed --port --time --from --link --n --repeat --threads -j --point # a number
            return
        case --part
            echo auto
            return
        case --retry
            printf '%s\n' completed failed refused crashed timeout
            return
        case --width --view
            return
    end
    if string match -q -- '-*' $word
        __coluber_options $program $command
        return
    end
    switch $command
        case run check
            __coluber_files $word toml
            # those that come with Coluber, by their names
            __coluber_names $program scenarios | sed 's|.*/||; s|\.toml$||'
        case sweep
            __coluber_files $word toml
        case list
            $program list --help | grep -o '{[a-z,]*}' | tr -d '{}' | tr ',' '\n'
        case plot view export
            __fish_complete_directories $word
        case reproduce
            __coluber_names $program experiments
        case bench
            $program bench --help | sed -n 's/^  names NAME [. ]*\([a-z_., ]*\) (default.*/\1/p' | tr -d ' ' | tr ',' '\n'
        case help
            __coluber_commands $program
    end
end

complete -c coluber -f -a '(__coluber_complete)'
