import { execFileSync } from 'node:child_process'

/** The content of a YAML document, as Ruby's parser reads it. */
export function parseYaml(text: string): unknown {
  const program = 'require "yaml"; require "json"; puts JSON.generate(YAML.safe_load($stdin.read))'
  return JSON.parse(execFileSync('ruby', ['-e', program], { input: text, encoding: 'utf8' }))
}
