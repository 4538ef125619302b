# SPDX-License-Identifier: Apache-2.0
# fish completion for rdmaready, from what the program says of itself.
function __rdmaready_shown
    set -l before
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or set -a before $word
    end
    rdmaready $before[1..2] --help 2>/dev/null; or rdmaready $before[1] --help 2>/dev/null; or rdmaready --help 2>/dev/null
end

function __rdmaready_commands
    __rdmaready_shown | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1\t\2/p'
end

function __rdmaready_options
    __rdmaready_shown | string match -ra -- '--[a-z][a-z-]+' | sort -u
end

complete -c rdmaready -f -n 'test (count (__rdmaready_commands)) -gt 0' -a '(__rdmaready_commands)'
complete -c rdmaready -n 'string match -q -- "-*" (commandline -ct)' -a '(__rdmaready_options)'
