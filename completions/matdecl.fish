# fish completion for matdecl, for fish 3.2 and later. It asks the matdecl of the command line what can follow.

function __matdecl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r -- '^~' $HOME $words[1])
    type -q -- $program; or set program matdecl
    set -l lines (command $program __complete $words[2..-1] ".$current" 2>/dev/null)
    set -l flag (string replace -r -- '^(--[a-z0-9-]+=)?.*' '$1' "$current")
    set -l path (string replace -r -- '^--[a-z0-9-]+=' '' "$current")
    switch "$lines[1]"
        case directories
            string join -- \n $flag(__fish_complete_directories $path)
        case 'files*'
            set -l paths (__fish_complete_path $path)
            set -l found
            for one in $paths
                for ending in (string split ' ' $lines[1])[2..-1]
                    string match -q -- "*$ending" (string split -m 1 -- \t $one)[1]; and set -a found $one
                end
            end
            # Without a file of the right type, all files.
            if test (count $found) -eq 0
                set found $paths
            else
                set -a found (string match -r -- '^[^\t]*/(?:\t.*)?$' $paths)
            end
            string join -- \n $flag$found
        case words
            string join -- \n $lines[2..-1]
    end
end

complete -c matdecl -f -a '(__matdecl_complete)'
