# SPDX-License-Identifier: Apache-2.0
# fish completion for rdmaready, which says itself what may come next.
function __rdmaready_complete
    set -l before (commandline -opc)[2..-1]
    set -l current (commandline -ct)
    for line in (rdmaready __complete $before "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end

complete -c rdmaready -f -a '(__rdmaready_complete)'
