import type { World } from './world.ts'

interface Commands {
  readonly runCommand: (world: World) => Promise<number>
}

/**
 * Stands in the standalone executable for `cli/run-command.ts`: opens what runs commands, which is carried as an asset so that
 * help, version and completions need not read it.
 */
export async function runCommand(world: World): Promise<number> {
  const { getAsset, getRawAsset } = process.getBuiltinModule('node:sea')
  const { Script } = process.getBuiltinModule('node:vm')
  const cachedData = Buffer.from(getRawAsset('commands.cache') as ArrayBuffer)
  const script = new Script(getAsset('commands.js', 'utf8'), {
    filename: 'commands.js',
    ...(cachedData.length === 0 ? {} : { cachedData }),
  })
  const module = { exports: {} }
  const open = script.runInThisContext() as (
    module: { exports: unknown },
    exports: unknown,
    require: (name: string) => unknown,
  ) => void
  open(module, module.exports, (name) => process.getBuiltinModule(name))
  return (module.exports as Commands).runCommand(world)
}
