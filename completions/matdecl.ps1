# PowerShell completion for matdecl, for PowerShell 5.1 and later. It asks the matdecl of the command line what can follow.

Register-ArgumentCompleter -Native -CommandName 'matdecl' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  $program = $commandAst.GetCommandName()
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $kind, $lines = @(& $program __complete @words ".$wordToComplete" 2>$null)
  $flag = if ($wordToComplete -match '^--[a-z0-9-]+=') { $Matches[0] } else { '' }
  $endings = @("$kind".Split(' ') | Select-Object -Skip 1)

  if ($kind -ceq 'words') {
    foreach ($line in $lines) {
      $word, $does = "$line".Split("`t", 2)
      [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $(if ($does) { $does } else { $word }))
    }
    return
  }
  $paths = @([System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete.Substring($flag.Length)))
  $directories = @($paths | Where-Object { $_.ResultType -eq 'ProviderContainer' })
  $named = @($paths | Where-Object {
    $text = $_.ListItemText
    $endings | Where-Object { $text.EndsWith($_, [System.StringComparison]::OrdinalIgnoreCase) }
  })
  # Without a file of the right type, all files.
  $found = if ($kind -ceq 'directories') { $directories } elseif ($named.Count -eq 0) { $paths } else { $named + $directories }
  $found | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new("$flag$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
  }
}
