# PowerShell completion for matdecl, made from its option table: matdecl completion powershell

Register-ArgumentCompleter -Native -CommandName 'matdecl' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  $common = @(
        @{ Names = @('--profile'); Does = 'use the settings of [profiles.NAME]'; Value = $true; Optional = $false; Offer = @{ Kind = 'profiles'; Words = @() } }
        @{ Names = @('--config'); Does = 'the settings file to read instead of the usual one'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.toml') } }
        @{ Names = @('--json'); Does = 'print the result as one JSON object'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--quiet', '-q'); Does = 'print errors only'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--verbose', '-v'); Does = 'say more; twice: every request and response header, secrets redacted'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--log-format'); Does = 'text, or json: every line on standard error one object'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('text', 'json') } }
        @{ Names = @('--no-progress'); Does = 'no spinner and no progress lines'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--color'); Does = 'colour: auto, always or never'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('auto', 'always', 'never') } }
        @{ Names = @('--no-color'); Does = 'no colour'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--no-input'); Does = 'never ask a question'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--version', '-V'); Does = 'print the version; with --json also Node, platform and commit'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--help', '-h'); Does = 'print this help'; Value = $false; Optional = $false; Offer = $null }
  )
  $commands = [ordered]@{
    'download' = @{
      Does = 'ask the service, save one verified archive; optionally list, extract, report'
      Operands = @()
      Many = $false
      Options = @(
        @{ Names = @('--supplier'); Does = 'the supplier, usually a nine-digit DUNS number; sent as it is'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--part'); Does = 'one part number, exact: never split, trimmed or case-folded; may be repeated'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--parts-file'); Does = 'a list of part numbers: text (one a line), .csv, .tsv or .xlsx; - is standard input; may be repeated'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.csv', '.tsv', '.xlsx', '.txt') } }
        @{ Names = @('--parts-column'); Does = 'the column of a table that holds the part numbers; found by its heading unless given'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--strict-parts'); Does = 'refuse a list whose part numbers a spreadsheet seems to have changed'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--start-date'); Does = 'only declarations approved after this date'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--since'); Does = '7d, 2w, yesterday, or last-run: what is new since the last complete run of this same request; parts new to the list are asked for whole'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('7d', '2w', 'yesterday', 'last-run') } }
        @{ Names = @('--format'); Does = '1752A (default) or 1752B; with --api v1 XML (default) or CSV'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('1752A', '1752B', 'XML', 'CSV') } }
        @{ Names = @('--format-class'); Does = 'C (regulatory compliance), D (full material) or checkDthenC; not sent unless given'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('C', 'D', 'checkDthenC') } }
        @{ Names = @('--api'); Does = 'v1 is the legacy POST with an API key (MATDECL_API_KEY)'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('v2', 'v1') } }
        @{ Names = @('--query'); Does = 'a further query parameter, for a service that learned new ones; may be repeated'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--output', '-o'); Does = 'a file, a folder (one that is there, or a name with / at its end), or - for standard output; {supplier} {format} {class} {date} {time} {start} are filled in'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.zip') } }
        @{ Names = @('--overwrite'); Does = 'replace what stands at the output; the old file stays whole until the new one takes its name'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--extract', '-x'); Does = 'then unpack; into the output''s name without .zip unless given'; Value = $true; Optional = $true; Offer = @{ Kind = 'folders'; Words = @() } }
        @{ Names = @('--list', '-l'); Does = 'then list the entries'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--report'); Does = 'then report what the parts declare; the ending chooses the format: .csv .tsv .json .ndjson .xlsx .html .md'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @() } }
        @{ Names = @('--manifest'); Does = 'write the evidence: request, answers, SHA-256, every entry''s CRC-32; OUTPUT.manifest.json unless given'; Value = $true; Optional = $true; Offer = @{ Kind = 'files'; Words = @() } }
        @{ Names = @('--missing'); Does = 'write the parts that were asked for and not found, usable as the next --parts-file: text, or .csv, .tsv'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @() } }
        @{ Names = @('--no-reconcile'); Does = 'do not match what came with what was asked for'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--fail-if-missing'); Does = 'exit 12 when a part that was asked for is not in the archive'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--allow-partial'); Does = 'keep what came when some requests failed for good; exit 10, and the missing parts are told'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--fail-if-empty'); Does = 'exit 12 when the service has nothing for the request'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--max-url-length'); Does = 'the longest address to send; parts are packed into as few requests as it allows'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--batch-size'); Does = 'parts in one request at most; unlimited unless given'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-requests'); Does = 'refuse a plan with more requests: each one costs allowance'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--yes', '-y'); Does = 'do not ask before a plan of more than 50 requests'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--if-locked'); Does = 'when another run holds the output: fail (exit 11), skip (exit 0, nothing done) or wait'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('fail', 'skip', 'wait') } }
        @{ Names = @('--dry-run', '-n'); Does = 'print the plan (requests, URLs, time, allowance) and stop'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--curl'); Does = 'with --dry-run: print the plan as curl commands'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--concurrency'); Does = 'requests at once'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--retries'); Does = 'further tries after a fault that may pass; tries that made progress are not counted'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-wait'); Does = 'the longest wait the service may ask for; beyond it the run ends with exit 6'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--rate'); Does = 'requests a minute at most; lowered by itself when the service says so'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--connect-timeout'); Does = 'the longest wait for a connection'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--response-timeout'); Does = 'the longest wait for the first byte: the service builds the archive'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--stall-timeout'); Does = 'the longest wait between bytes'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--timeout'); Does = 'the longest the whole run may take; none unless given'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--base-url'); Does = 'the address of the service without the version; https only, but for loopback'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--proxy'); Does = 'an HTTP proxy; else HTTPS_PROXY, HTTP_PROXY and NO_PROXY'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--ca-file'); Does = 'certificate authorities to add to the system''s (PEM)'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.pem', '.crt', '.cer', '.key') } }
        @{ Names = @('--client-cert'); Does = 'a client certificate (PEM)'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.pem', '.crt', '.cer', '.key') } }
        @{ Names = @('--client-key'); Does = 'the key of the client certificate (PEM)'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.pem', '.key') } }
        @{ Names = @('--sandbox'); Does = 'use a miniature service inside this process: no account, no settings'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--max-entries'); Does = 'refuse an archive with more entries'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-size'); Does = 'refuse an archive that unpacks to more'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-ratio'); Does = 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'; Value = $true; Optional = $false; Offer = $null }
      )
    }
    'list' = @{
      Does = 'entries of archives with size, packed size, date and CRC-32'
      Operands = @(@{ Kind = 'files'; Words = @('.zip') })
      Many = $true
      Options = @(
        @{ Names = @('--max-entries'); Does = 'refuse an archive with more entries'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-size'); Does = 'refuse an archive that unpacks to more'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-ratio'); Does = 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'; Value = $true; Optional = $false; Offer = $null }
      )
    }
    'verify' = @{
      Does = 'check structure, names, limits, and the size and CRC-32 of every entry'
      Operands = @(@{ Kind = 'files'; Words = @('.zip') })
      Many = $true
      Options = @(
        @{ Names = @('--max-entries'); Does = 'refuse an archive with more entries'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-size'); Does = 'refuse an archive that unpacks to more'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-ratio'); Does = 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'; Value = $true; Optional = $false; Offer = $null }
      )
    }
    'extract' = @{
      Does = 'unpack an archive safely, all or nothing'
      Operands = @(@{ Kind = 'files'; Words = @('.zip') }, @{ Kind = 'folders'; Words = @() })
      Many = $false
      Options = @(
        @{ Names = @('--overwrite'); Does = 'replace what stands at the output; the old file stays whole until the new one takes its name'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--max-entries'); Does = 'refuse an archive with more entries'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-size'); Does = 'refuse an archive that unpacks to more'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-ratio'); Does = 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--include'); Does = 'unpack only entries that match; may be repeated'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--exclude'); Does = 'leave out entries that match; may be repeated'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--flat'); Does = 'unpack without folders; entries whose names then collide are refused'; Value = $false; Optional = $false; Offer = $null }
      )
    }
    'report' = @{
      Does = 'what each part declares: archives, folders or XML files in, a table, CSV, XLSX, JSON or HTML out'
      Operands = @(@{ Kind = 'files'; Words = @('.zip', '.xml') })
      Many = $true
      Options = @(
        @{ Names = @('--parts-file'); Does = 'a list of part numbers: text (one a line), .csv, .tsv or .xlsx; - is standard input; may be repeated'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.csv', '.tsv', '.xlsx', '.txt') } }
        @{ Names = @('--parts-column'); Does = 'the column of a table that holds the part numbers; found by its heading unless given'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--strict-parts'); Does = 'refuse a list whose part numbers a spreadsheet seems to have changed'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--overwrite'); Does = 'replace what stands at the output; the old file stays whole until the new one takes its name'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--max-entries'); Does = 'refuse an archive with more entries'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-size'); Does = 'refuse an archive that unpacks to more'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-ratio'); Does = 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--output', '-o'); Does = 'write a file; its ending chooses the format: .csv .tsv .json .ndjson .xlsx .html .md for report, .txt .json .md for diff'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.csv', '.tsv', '.json', '.ndjson', '.xlsx', '.html', '.md', '.txt') } }
        @{ Names = @('--substances'); Does = 'the flat table of class D substances instead of one row per part'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--fail-on'); Does = 'exit 13 when a row matches one of these words, joined by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, stale:EUREACH-0624 (or any other list)'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('not-compliant', 'svhc', 'missing', 'incomplete', 'unreadable', 'not-declared', 'stale:') } }
        @{ Names = @('--junit'); Does = 'also write JUnit XML, a part a test case'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.xml') } }
      )
    }
    'diff' = @{
      Does = 'what changed between two downloads, part by part'
      Operands = @(@{ Kind = 'files'; Words = @('.zip', '.xml') }, @{ Kind = 'files'; Words = @('.zip', '.xml') })
      Many = $false
      Options = @(
        @{ Names = @('--overwrite'); Does = 'replace what stands at the output; the old file stays whole until the new one takes its name'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--max-entries'); Does = 'refuse an archive with more entries'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-size'); Does = 'refuse an archive that unpacks to more'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--max-ratio'); Does = 'refuse an entry that unpacks to more than 10 MiB and more than N times its packed size'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--output', '-o'); Does = 'write a file; its ending chooses the format: .csv .tsv .json .ndjson .xlsx .html .md for report, .txt .json .md for diff'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.csv', '.tsv', '.json', '.ndjson', '.xlsx', '.html', '.md', '.txt') } }
        @{ Names = @('--fail-on'); Does = 'exit 13 when a row matches one of these words, joined by commas: not-compliant, svhc, missing, incomplete, unreadable, not-declared, stale:EUREACH-0624 (or any other list)'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('not-compliant', 'svhc', 'missing', 'incomplete', 'unreadable', 'not-declared', 'stale:') } }
      )
    }
    'state' = @{
      Does = 'show or forget what --since last-run remembers'
      Operands = @(@{ Kind = 'words'; Words = @('show', 'reset') }, $null)
      Many = $false
      Options = @(

      )
    }
    'migrate' = @{
      Does = 'a legacy v1 request in, the v2 command and address out, with a note for all that changed'
      Operands = @($null)
      Many = $false
      Options = @(
        @{ Names = @('--format'); Does = '1752A (default) or 1752B; with --api v1 XML (default) or CSV'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('1752A', '1752B', 'XML', 'CSV') } }
        @{ Names = @('--base-url'); Does = 'the address of the service without the version; https only, but for loopback'; Value = $true; Optional = $false; Offer = $null }
      )
    }
    'doctor' = @{
      Does = 'look at settings, token, DNS, TLS, proxy, the service, allowance, clock and disk; say what is wrong and the mend'
      Operands = @()
      Many = $false
      Options = @(
        @{ Names = @('--api'); Does = 'v1 is the legacy POST with an API key (MATDECL_API_KEY)'; Value = $true; Optional = $false; Offer = @{ Kind = 'words'; Words = @('v2', 'v1') } }
        @{ Names = @('--connect-timeout'); Does = 'the longest wait for a connection'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--base-url'); Does = 'the address of the service without the version; https only, but for loopback'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--proxy'); Does = 'an HTTP proxy; else HTTPS_PROXY, HTTP_PROXY and NO_PROXY'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--ca-file'); Does = 'certificate authorities to add to the system''s (PEM)'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.pem', '.crt', '.cer', '.key') } }
        @{ Names = @('--client-cert'); Does = 'a client certificate (PEM)'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.pem', '.crt', '.cer', '.key') } }
        @{ Names = @('--client-key'); Does = 'the key of the client certificate (PEM)'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @('.pem', '.key') } }
        @{ Names = @('--sandbox'); Does = 'use a miniature service inside this process: no account, no settings'; Value = $false; Optional = $false; Offer = $null }
      )
    }
    'config' = @{
      Does = 'the settings: show them with where each came from, tell their place, write a starter file'
      Operands = @(@{ Kind = 'words'; Words = @('show', 'path', 'init') })
      Many = $false
      Options = @(
        @{ Names = @('--supplier'); Does = 'the supplier, usually a nine-digit DUNS number; sent as it is'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--overwrite'); Does = 'replace what stands at the output; the old file stays whole until the new one takes its name'; Value = $false; Optional = $false; Offer = $null }
        @{ Names = @('--base-url'); Does = 'the address of the service without the version; https only, but for loopback'; Value = $true; Optional = $false; Offer = $null }
      )
    }
    'completion' = @{
      Does = 'print the completion script of a shell: bash, zsh, fish or powershell'
      Operands = @(@{ Kind = 'words'; Words = @('bash', 'zsh', 'fish', 'powershell') })
      Many = $false
      Options = @(

      )
    }
    'sandbox' = @{
      Does = 'the service itself, in miniature, on this machine'
      Operands = @()
      Many = $false
      Options = @(
        @{ Names = @('--port'); Does = 'the port to listen on; 0 takes a free one'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--token'); Does = 'the token it accepts; made up unless given'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--catalog'); Does = 'your own suppliers and parts (JSON)'; Value = $true; Optional = $false; Offer = @{ Kind = 'files'; Words = @() } }
        @{ Names = @('--parts'); Does = 'how many parts the made-up catalogue has'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--latency'); Does = 'milliseconds to wait before each answer'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--rate'); Does = 'requests a minute it allows'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--quota'); Does = 'requests a year it allows'; Value = $true; Optional = $false; Offer = $null }
        @{ Names = @('--fail'); Does = 'faults to play, such as 503x2, 429:retry-after=2, truncate@0.5, stall@1000, reset, html'; Value = $true; Optional = $false; Offer = $null }
      )
    }
  }

  function Get-Option($name, $options) {
    $options | Where-Object { $_.Names -ccontains $name } | Select-Object -First 1
  }

  function Get-Offer($offer, $prefix) {
    if ($null -eq $offer) { return }
    switch ($offer.Kind) {
      'words' {
        $offer.Words | Where-Object { $_ -like "$prefix*" } | ForEach-Object {
          [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
        }
      }
      'folders' {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($prefix) |
          Where-Object { $_.ResultType -eq 'ProviderContainer' }
      }
      'files' {
        $all = @([System.Management.Automation.CompletionCompleters]::CompleteFilename($prefix))
        $named = @($all | Where-Object {
          $text = $_.ListItemText
          $offer.Words | Where-Object { $text.EndsWith($_, [System.StringComparison]::OrdinalIgnoreCase) }
        })
        if ($named.Count -eq 0) { $all } else { $named + @($all | Where-Object { $_.ResultType -eq 'ProviderContainer' }) }
      }
      'profiles' {
        $folders = @($env:XDG_CONFIG_HOME, "$HOME/.config", $env:APPDATA, "$HOME/Library/Preferences") | Where-Object { $_ }
        $files = @($env:MATDECL_CONFIG) + @($folders | ForEach-Object { Join-Path $_ 'matdecl/config.toml' })
        $file = $files | Where-Object { $_ -and (Test-Path -LiteralPath $_ -PathType Leaf) } | Select-Object -First 1
        if ($file) {
          Select-String -LiteralPath $file -Pattern '^\s*\[profiles\.([A-Za-z0-9_-]+)\]' |
            ForEach-Object { $_.Matches[0].Groups[1].Value } | Where-Object { $_ -like "$prefix*" } |
            ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
        }
      }
    }
  }

  $everything = $common + @($commands.Values | ForEach-Object { $_.Options })
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  $operands = @()
  $pending = $null
  $isAfterDashes = $false
  foreach ($word in $before) {
    if ($null -ne $pending -and -not ($pending.Optional -and $word.StartsWith('-'))) { $pending = $null; continue }
    $pending = $null
    if ($isAfterDashes) { $operands += $word }
    elseif ($word -ceq '--') { $isAfterDashes = $true }
    elseif ($word.StartsWith('-')) {
      $option = Get-Option $word $everything
      if ($option -and $option.Value) { $pending = $option }
    }
    else { $operands += $word }
  }
  $name = if ($operands.Count -gt 0) { $operands[0] } else { 'download' }
  $command = $commands[$name]
  $options = $common + @(if ($command) { $command.Options })

  if ($null -ne $pending) {
    $option = Get-Option $pending.Names[0] $options
    Get-Offer $option.Offer $wordToComplete
    if (-not $pending.Optional) { return }
  }
  if ($wordToComplete -match '^(--[a-z0-9-]+)=(.*)$' -and -not $isAfterDashes) {
    $flag, $prefix = $Matches[1], $Matches[2]
    $option = Get-Option $flag $options
    if ($option) {
      Get-Offer $option.Offer $prefix | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new("$flag=$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
      }
    }
    return
  }
  if ($wordToComplete.StartsWith('-') -and -not $isAfterDashes) {
    foreach ($option in $options) {
      foreach ($spelling in $option.Names) {
        if ($spelling.StartsWith($wordToComplete, [System.StringComparison]::Ordinal)) {
          [System.Management.Automation.CompletionResult]::new($spelling, $spelling, 'ParameterName', $option.Does)
        }
      }
    }
    return
  }
  if ($operands.Count -eq 0 -or $name -ceq 'help') {
    foreach ($entry in $commands.GetEnumerator()) {
      if ($entry.Key -like "$wordToComplete*") {
        [System.Management.Automation.CompletionResult]::new($entry.Key, $entry.Key, 'Command', $entry.Value.Does)
      }
    }
    return
  }
  if ($command) {
    $at = $operands.Count - 1
    if ($command.Many) { $at = [Math]::Min($at, $command.Operands.Count - 1) }
    if ($at -lt $command.Operands.Count) { Get-Offer $command.Operands[$at] $wordToComplete }
  }
}
