# fish completion for matdecl, made from its option table: matdecl completion fish

# The operands before the cursor, the command first.
function __matdecl_operands
    set -l words (commandline -opc)
    set -l i 2
    while test $i -le (count $words)
        set -l next (math $i + 1)
        switch $words[$i]
            case --
                string join -- \n $words[$next..-1]
                return
            case --supplier --part --parts-file --parts-column --start-date --since --format --format-class --api --query --output -o --report --missing --max-url-length --batch-size --max-requests --if-locked --concurrency --retries --max-wait --rate --connect-timeout --response-timeout --stall-timeout --timeout --base-url --proxy --ca-file --client-cert --client-key --max-entries --max-size --max-ratio --include --exclude --fail-on --junit --port --token --catalog --parts --latency --quota --fail --profile --config --log-format --color
                set i $next
            case --extract -x --manifest
                string match -q -- '-*' $words[$next]; or set i $next
            case '-*'
            case '*'
                echo -- $words[$i]
        end
        set i (math $i + 1)
    end
end

function __matdecl_is
    set -l operands (__matdecl_operands)
    test "$operands[1]" = "$argv[1]"; or test -z "$operands[1]" -a "$argv[1]" = download
end

# The command is this one, and this many operands stand behind it.
function __matdecl_at
    set -l operands (__matdecl_operands)
    test "$operands[1]" = "$argv[1]"; and test (count $operands) -eq (math $argv[2] + 1)
end

function __matdecl_has_no_command
    set -l operands (__matdecl_operands)
    test -z "$operands[1]"; or test "$operands" = help
end

# Files with one of the endings and folders; every file where there is none such.
function __matdecl_files
    set -l paths (__fish_complete_path (string replace -r -- '^--[a-z0-9-]+=' '' (commandline -ct)))
    set -l found
    for path in $paths
        set -l name (string split -m 1 -- \t $path)[1]
        for ending in $argv
            if string match -q -- "*$ending" $name
                set -a found $path
            end
        end
    end
    if test (count $found) -eq 0
        string join -- \n $paths
    else
        string join -- \n $found (string match -r -- '^[^\t]*/(?:\t.*)?$' $paths)
    end
end

function __matdecl_profiles
    set -l words (commandline -opc)
    set -l config
    if set -l at (contains -i -- --config $words)
        set config $words[(math $at + 1)]
    end
    set -l base $HOME/.config
    set -q XDG_CONFIG_HOME; and set base $XDG_CONFIG_HOME
    for file in $config $MATDECL_CONFIG $base/matdecl/config.toml $HOME/Library/Preferences/matdecl/config.toml
        if test -r "$file"
            string match -r -g -- '^\s*\[profiles\.([A-Za-z0-9_-]+)\]' <$file
            return
        end
    end
end

complete -c matdecl -f
complete -c matdecl -n __matdecl_has_no_command -a download -d 'ask the service, save one verified archive; optionally list, extract, report'
complete -c matdecl -n __matdecl_has_no_command -a list -d 'entries of archives with size, packed size, date and CRC-32'
complete -c matdecl -n __matdecl_has_no_command -a verify -d 'check structure, names, limits, and the size and CRC-32 of every entry'
complete -c matdecl -n __matdecl_has_no_command -a extract -d 'unpack an archive safely, all or nothing'
complete -c matdecl -n __matdecl_has_no_command -a report -d 'what each part declares: archives, folders or XML files in, a table, CSV, XLSX, JSON or HTML out'
complete -c matdecl -n __matdecl_has_no_command -a diff -d 'what changed between two downloads, part by part'
complete -c matdecl -n __matdecl_has_no_command -a state -d 'show or forget what --since last-run remembers'
complete -c matdecl -n __matdecl_has_no_command -a migrate -d 'a legacy v1 request in, the v2 command and address out, with a note for all that changed'
complete -c matdecl -n __matdecl_has_no_command -a doctor -d 'look at settings, token, DNS, TLS, proxy, the service, allowance, clock and disk; say what is wrong and the mend'
complete -c matdecl -n __matdecl_has_no_command -a config -d 'the settings: show them with where each came from, tell their place, write a starter file'
complete -c matdecl -n __matdecl_has_no_command -a completion -d 'print the completion script of a shell: bash, zsh, fish or powershell'
complete -c matdecl -n __matdecl_has_no_command -a sandbox -d 'the service itself, in miniature, on this machine'
complete -c matdecl -n __matdecl_has_no_command -a help -d 'the help of a command'
complete -c matdecl -l profile -x -a '(__matdecl_profiles)' -d 'use the settings of [profiles.NAME]'
complete -c matdecl -l config -x -a '(__matdecl_files .toml)' -d 'the settings file to read instead of the usual one'
complete -c matdecl -l json -d 'print the result as one JSON object'
complete -c matdecl -l quiet -s q -d 'print errors only'
complete -c matdecl -l verbose -s v -d 'say more; twice: every request and response header, secrets redacted'
complete -c matdecl -l log-format -x -a 'text json' -d 'text, or json: every line on standard error one object'
complete -c matdecl -l no-progress -d 'no spinner and no progress lines'
complete -c matdecl -l color -x -a 'auto always never' -d 'colour: auto, always or never'
complete -c matdecl -l no-color -d 'no colour'
complete -c matdecl -l no-input -d 'never ask a question'
complete -c matdecl -l version -s V -d 'print the version; with --json also Node, platform and commit'
complete -c matdecl -l help -s h -d 'print this help'
complete -c matdecl -n '__matdecl_is download' -l supplier -x -d 'the supplier, usually a nine-digit DUNS number; sent as it is'
complete -c matdecl -n '__matdecl_is download' -l part -x -d 'one part number, exact: never split, trimmed or case-folded; may be repeated'
complete -c matdecl -n '__matdecl_is download' -l parts-file -x -a '(__matdecl_files .csv .tsv .xlsx .txt)' -d 'a list of part numbers: text (one a line), .csv, .tsv or .xlsx; - is standard input; may be repeated'
complete -c matdecl -n '__matdecl_is download' -l parts-column -x -d 'the column of a table that holds the part numbers; found by its heading unless given'
complete -c matdecl -n '__matdecl_is download' -l strict-parts -d 'refuse a list whose part numbers a spreadsheet seems to have changed'
complete -c matdecl -n '__matdecl_is download' -l start-date -x -d 'only declarations approved after this date'
complete -c matdecl -n '__matdecl_is download' -l since -x -a '7d 2w yesterday last-run' -d '7d, 2w, yesterday, or last-run: what is new since the last complete run of this same request; parts new to the list are asked for whole'
complete -c matdecl -n '__matdecl_is download' -l format -x -a '1752A 1752B XML CSV' -d '1752A (default) or 1752B; with --api v1 XML (default) or CSV'
complete -c matdecl -n '__matdecl_is download' -l format-class -x -a 'C D checkDthenC' -d 'C (regulatory compliance), D (full material) or checkDthenC; not sent unless given'
complete -c matdecl -n '__matdecl_is download' -l api -x -a 'v2 v1' -d 'v1 is the legacy POST with an API key (MATDECL_API_KEY)'
complete -c matdecl -n '__matdecl_is download' -l query -x -d 'a further query parameter, for a service that learned new ones; may be repeated'
complete -c matdecl -n '__matdecl_is download' -l output -s o -x -a '(__matdecl_files .zip)' -d 'a file, a folder (one that is there, or a name with / at its end), or - for standard output; {supplier} {format} {class} {date} {time} {start} are filled in'
complete -c matdecl -n '__matdecl_is download' -l overwrite -d 'replace what stands at the output; the old file stays whole until the new one takes its name'
complete -c matdecl -n '__matdecl_is download' -l extract -s x -d 'then unpack; into the output\'s name without .zip unless given'
complete -c matdecl -n '__matdecl_is download' -l list -s l -d 'then list the entries'
complete -c matdecl -n '__matdecl_is download' -l report -x -a '(__matdecl_files)' -d 'then report what the parts declare; the ending chooses the format: .csv .tsv .json .ndjson .xlsx .html .md'
complete -c matdecl -n '__matdecl_is download' -l manifest -d 'write the evidence: request, answers, SHA-256, every entry\'s CRC-32; OUTPUT.manifest.json unless given'
complete -c matdecl -n '__matdecl_is download' -l missing -x -a '(__matdecl_files)' -d 'write the parts that were asked for and not found, usable as the next --parts-file: text, or .csv, .tsv'
complete -c matdecl -n '__matdecl_is download' -l no-reconcile -d 'do not match what came with what was asked for'
complete -c matdecl -n '__matdecl_is download' -l fail-if-missing -d 'exit 12 when a part that was asked for is not in the archive'
complete -c matdecl -n '__matdecl_is download' -l allow-partial -d 'keep what came when some requests failed for good; exit 10, and the missing parts are told'
complete -c matdecl -n '__matdecl_is download' -l fail-if-empty -d 'exit 12 when the service has nothing for the request'
complete -c matdecl -n '__matdecl_is download' -l max-url-length -x -d 'the longest address to send; parts are packed into as few requests as it allows'
complete -c matdecl -n '__matdecl_is download' -l batch-size -x -d 'parts in one request at most; unlimited unless given'
complete -c matdecl -n '__matdecl_is download' -l max-requests -x -d 'refuse a plan with more requests: each one costs allowance'
complete -c matdecl -n '__matdecl_is download' -l yes -s y -d 'do not ask before a plan of more than 50 requests'
complete -c matdecl -n '__matdecl_is download' -l if-locked -x -a 'fail skip wait' -d 'when another run holds the output: fail (exit 11), skip (exit 0, nothing done) or wait'
complete -c matdecl -n '__matdecl_is download' -l dry-run -s n -d 'print the plan (requests, URLs, time, allowance) and stop'
complete -c matdecl -n '__matdecl_is download' -l curl -d 'with --dry-run: print the plan as curl commands'
complete -c matdecl -n '__matdecl_is download' -l concurrency -x -d 'requests at once'
complete -c matdecl -n '__matdecl_is download' -l retries -x -d 'further tries after a fault that may pass; tries that made progress are not counted'
complete -c matdecl -n '__matdecl_is download' -l max-wait -x -d 'the longest wait the service may ask for; beyond it the run ends with exit 6'
complete -c matdecl -n '__matdecl_is download' -l rate -x -d 'requests a minute at most; lowered by itself when the service says so'
complete -c matdecl -n '__matdecl_is download' -l connect-timeout -x -d 'the longest wait for a connection'
complete -c matdecl -n '__matdecl_is download' -l response-timeout -x -d 'the longest wait for the first byte: the service builds the archive'
complete -c matdecl -n '__matdecl_is download' -l stall-timeout -x -d 'the longest wait between bytes'
complete -c matdecl -n '__matdecl_is download' -l timeout -x -d 'the longest the whole run may take; none unless given'
complete -c matdecl -n '__matdecl_is download' -l base-url -x -d 'the address of the service without the version; https only, but for loopback'
complete -c matdecl -n '__matdecl_is download' -l proxy -x -d 'an HTTP proxy; else HTTPS_PROXY, HTTP_PROXY and NO_PROXY'
complete -c matdecl -n '__matdecl_is download' -l ca-file -x -a '(__matdecl_files .pem .crt .cer .key)' -d 'certificate authorities to add to the system\'s (PEM)'
complete -c matdecl -n '__matdecl_is download' -l client-cert -x -a '(__matdecl_files .pem .crt .cer .key)' -d 'a client certificate (PEM)'
complete -c matdecl -n '__matdecl_is download' -l client-key -x -a '(__matdecl_files .pem .key)' -d 'the key of the client certificate (PEM)'
complete -c matdecl -n '__matdecl_is download' -l sandbox -d 'use a miniature service inside this process: no account, no settings'
complete -c matdecl -n '__matdecl_is download' -l max-entries -x -d 'refuse an archive with more entries'
complete -c matdecl -n '__matdecl_is download' -l max-size -x -d 'refuse an archive that unpacks to more'
complete -c matdecl -n '__matdecl_is download' -l max-ratio -x -d 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'
complete -c matdecl -n '__matdecl_is list' -l max-entries -x -d 'refuse an archive with more entries'
complete -c matdecl -n '__matdecl_is list' -l max-size -x -d 'refuse an archive that unpacks to more'
complete -c matdecl -n '__matdecl_is list' -l max-ratio -x -d 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'
complete -c matdecl -n '__matdecl_is verify' -l max-entries -x -d 'refuse an archive with more entries'
complete -c matdecl -n '__matdecl_is verify' -l max-size -x -d 'refuse an archive that unpacks to more'
complete -c matdecl -n '__matdecl_is verify' -l max-ratio -x -d 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'
complete -c matdecl -n '__matdecl_is extract' -l overwrite -d 'replace what stands at the output; the old file stays whole until the new one takes its name'
complete -c matdecl -n '__matdecl_is extract' -l max-entries -x -d 'refuse an archive with more entries'
complete -c matdecl -n '__matdecl_is extract' -l max-size -x -d 'refuse an archive that unpacks to more'
complete -c matdecl -n '__matdecl_is extract' -l max-ratio -x -d 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'
complete -c matdecl -n '__matdecl_is extract' -l include -x -d 'unpack only entries that match; may be repeated'
complete -c matdecl -n '__matdecl_is extract' -l exclude -x -d 'leave out entries that match; may be repeated'
complete -c matdecl -n '__matdecl_is extract' -l flat -d 'unpack without folders; entries whose names then collide are refused'
complete -c matdecl -n '__matdecl_is report' -l parts-file -x -a '(__matdecl_files .csv .tsv .xlsx .txt)' -d 'a list of part numbers: text (one a line), .csv, .tsv or .xlsx; - is standard input; may be repeated'
complete -c matdecl -n '__matdecl_is report' -l parts-column -x -d 'the column of a table that holds the part numbers; found by its heading unless given'
complete -c matdecl -n '__matdecl_is report' -l strict-parts -d 'refuse a list whose part numbers a spreadsheet seems to have changed'
complete -c matdecl -n '__matdecl_is report' -l overwrite -d 'replace what stands at the output; the old file stays whole until the new one takes its name'
complete -c matdecl -n '__matdecl_is report' -l max-entries -x -d 'refuse an archive with more entries'
complete -c matdecl -n '__matdecl_is report' -l max-size -x -d 'refuse an archive that unpacks to more'
complete -c matdecl -n '__matdecl_is report' -l max-ratio -x -d 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'
complete -c matdecl -n '__matdecl_is report' -l output -s o -x -a '(__matdecl_files .csv .tsv .json .ndjson .xlsx .html .md .txt)' -d 'write a file; its ending chooses the format: .csv .tsv .json .ndjson .xlsx .html .md for report, .txt .json .md for diff'
complete -c matdecl -n '__matdecl_is report' -l substances -d 'the flat table of class D substances instead of one row per part'
complete -c matdecl -n '__matdecl_is report' -l fail-on -x -a 'not-compliant svhc missing incomplete unreadable not-declared stale:' -d 'exit 13 when a row matches one of these words, joined by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, stale:EUREACH-0624 (or any other list)'
complete -c matdecl -n '__matdecl_is report' -l junit -x -a '(__matdecl_files .xml)' -d 'also write JUnit XML, a part a test case'
complete -c matdecl -n '__matdecl_is diff' -l overwrite -d 'replace what stands at the output; the old file stays whole until the new one takes its name'
complete -c matdecl -n '__matdecl_is diff' -l max-entries -x -d 'refuse an archive with more entries'
complete -c matdecl -n '__matdecl_is diff' -l max-size -x -d 'refuse an archive that unpacks to more'
complete -c matdecl -n '__matdecl_is diff' -l max-ratio -x -d 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'
complete -c matdecl -n '__matdecl_is diff' -l output -s o -x -a '(__matdecl_files .csv .tsv .json .ndjson .xlsx .html .md .txt)' -d 'write a file; its ending chooses the format: .csv .tsv .json .ndjson .xlsx .html .md for report, .txt .json .md for diff'
complete -c matdecl -n '__matdecl_is diff' -l fail-on -x -a 'not-compliant svhc missing incomplete unreadable not-declared stale:' -d 'exit 13 when a row matches one of these words, joined by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, stale:EUREACH-0624 (or any other list)'
complete -c matdecl -n '__matdecl_is migrate' -l format -x -a '1752A 1752B XML CSV' -d '1752A (default) or 1752B; with --api v1 XML (default) or CSV'
complete -c matdecl -n '__matdecl_is migrate' -l base-url -x -d 'the address of the service without the version; https only, but for loopback'
complete -c matdecl -n '__matdecl_is doctor' -l api -x -a 'v2 v1' -d 'v1 is the legacy POST with an API key (MATDECL_API_KEY)'
complete -c matdecl -n '__matdecl_is doctor' -l connect-timeout -x -d 'the longest wait for a connection'
complete -c matdecl -n '__matdecl_is doctor' -l base-url -x -d 'the address of the service without the version; https only, but for loopback'
complete -c matdecl -n '__matdecl_is doctor' -l proxy -x -d 'an HTTP proxy; else HTTPS_PROXY, HTTP_PROXY and NO_PROXY'
complete -c matdecl -n '__matdecl_is doctor' -l ca-file -x -a '(__matdecl_files .pem .crt .cer .key)' -d 'certificate authorities to add to the system\'s (PEM)'
complete -c matdecl -n '__matdecl_is doctor' -l client-cert -x -a '(__matdecl_files .pem .crt .cer .key)' -d 'a client certificate (PEM)'
complete -c matdecl -n '__matdecl_is doctor' -l client-key -x -a '(__matdecl_files .pem .key)' -d 'the key of the client certificate (PEM)'
complete -c matdecl -n '__matdecl_is doctor' -l sandbox -d 'use a miniature service inside this process: no account, no settings'
complete -c matdecl -n '__matdecl_is config' -l supplier -x -d 'the supplier, usually a nine-digit DUNS number; sent as it is'
complete -c matdecl -n '__matdecl_is config' -l overwrite -d 'replace what stands at the output; the old file stays whole until the new one takes its name'
complete -c matdecl -n '__matdecl_is config' -l base-url -x -d 'the address of the service without the version; https only, but for loopback'
complete -c matdecl -n '__matdecl_is sandbox' -l port -x -d 'the port to listen on; 0 takes a free one'
complete -c matdecl -n '__matdecl_is sandbox' -l token -x -d 'the token it accepts; made up unless given'
complete -c matdecl -n '__matdecl_is sandbox' -l catalog -x -a '(__matdecl_files)' -d 'your own suppliers and parts (JSON)'
complete -c matdecl -n '__matdecl_is sandbox' -l parts -x -d 'how many parts the made-up catalogue has'
complete -c matdecl -n '__matdecl_is sandbox' -l latency -x -d 'milliseconds to wait before each answer'
complete -c matdecl -n '__matdecl_is sandbox' -l rate -x -d 'requests a minute it allows'
complete -c matdecl -n '__matdecl_is sandbox' -l quota -x -d 'requests a year it allows'
complete -c matdecl -n '__matdecl_is sandbox' -l fail -x -d 'faults to play, such as 503x2, 429:retry-after=2, truncate@0.5, stall@1000, reset, html'
complete -c matdecl -n '__matdecl_is list' -a '(__matdecl_files .zip)'
complete -c matdecl -n '__matdecl_is verify' -a '(__matdecl_files .zip)'
complete -c matdecl -n '__matdecl_at extract 0' -a '(__matdecl_files .zip)'
complete -c matdecl -n '__matdecl_at extract 1' -a '(__fish_complete_directories)'
complete -c matdecl -n '__matdecl_is report' -a '(__matdecl_files .zip .xml)'
complete -c matdecl -n '__matdecl_at diff 0' -a '(__matdecl_files .zip .xml)'
complete -c matdecl -n '__matdecl_at diff 1' -a '(__matdecl_files .zip .xml)'
complete -c matdecl -n '__matdecl_at state 0' -a 'show reset'
complete -c matdecl -n '__matdecl_at config 0' -a 'show path init'
complete -c matdecl -n '__matdecl_at completion 0' -a 'bash zsh fish powershell'
