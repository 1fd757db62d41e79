import type { Offer } from '../cli/options/offer.ts'
import type { OptionRow } from '../cli/options/option-row.ts'
import { commonOptions, offerOf, operandOffer, ownOptions, type Table, takesValue } from './table.ts'

/** The completion script for PowerShell (5.1 and later): add it to `$PROFILE`. */
export function powershellCompletion(table: Table): string {
  const commands = table.commands.map(
    (command) => `    ${quoted(command.name)} = @{
      Does = ${quoted(command.summary)}
      Operands = @(${command.operands.map((_, index) => offered(operandOffer(command.operands, index))).join(', ')})
      Many = $${command.operands.some(({ many }) => many === true)}
      Options = @(
${ownOptions(table, command.name).map(optionLine).join('\n')}
      )
    }`,
  )
  return `# PowerShell completion for matdecl, made from its option table: matdecl completion powershell

Register-ArgumentCompleter -Native -CommandName 'matdecl' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  $common = @(
${commonOptions(table).map(optionLine).join('\n')}
  )
  $commands = [ordered]@{
${commands.join('\n')}
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
          Select-String -LiteralPath $file -Pattern '^\\s*\\[profiles\\.([A-Za-z0-9_-]+)\\]' |
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
`
}

function optionLine(row: OptionRow): string {
  const names = [`'--${row.name}'`, ...(row.short === undefined ? [] : [`'-${row.short}'`])].join(', ')
  const facts = [
    `Names = @(${names})`,
    `Does = ${quoted(row.help)}`,
    `Value = $${takesValue(row)}`,
    `Optional = $${row.optionalValue === true}`,
    `Offer = ${takesValue(row) ? offered(offerOf(row)) : '$null'}`,
  ]
  return `        @{ ${facts.join('; ')} }`
}

function offered(offer: Offer | undefined): string {
  if (offer === undefined) return '$null'
  const words = offer.kind === 'words' ? offer.words : offer.kind === 'files' ? offer.endings : []
  return `@{ Kind = '${offer.kind}'; Words = @(${words.map(quoted).join(', ')}) }`
}

// Curly quotes end a string in PowerShell just as straight ones do.
function quoted(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
}
