import { lstatSync } from 'node:fs'
import { toProblem } from '../../core/errors.ts'
import { writableByOthers } from '../files/ownFolder.ts'
import { type Console, type ExitCode, problemLines } from './console.ts'
import type { HELP } from './help.ts'
import type { CommandTable } from './helpText.ts'
import { meantInstead, readOptions, refuseFilesAsOptions, UsageError } from './usage.ts'

/** Loaded on demand, so that `snapshot` does not wait for the web server and its libraries. */
export const COMMANDS: CommandTable = {
  snapshot: async () => (await import('./snapshot.ts')).snapshot,
  watch: async () => (await import('./snapshot.ts')).watch,
  fleet: async () => (await import('./fleet.ts')).fleet,
  permissions: async () => (await import('./permissions.ts')).permissions,
  web: async () => (await import('./web.ts')).web,
  'serve-in-cluster': async () => (await import('./serveInCluster.ts')).serveInCluster,
  proxy: async () => (await import('./liveCommands.ts')).proxy,
  feed: async () => (await import('./liveCommands.ts')).feed,
  recordings: async () => (await import('./recordings.ts')).recordings,
  record: async () => (await import('./record.ts')).record,
  replay: async () => (await import('./replay.ts')).replay,
  export: async () => (await import('./share.ts')).exportCommand,
  import: async () => (await import('./share.ts')).importCommand,
  advise: async () => (await import('./advise.ts')).adviseCommand,
  status: async () => (await import('./diagnose.ts')).statusCommand,
  explain: async () => (await import('./explain.ts')).explain,
  diagnose: async () => (await import('./diagnose.ts')).diagnoseCommand,
  alerts: async () => (await import('./alerts.ts')).alerts,
  report: async () => (await import('./report.ts')).report,
  compare: async () => (await import('./compare.ts')).compareCommand,
  shard: async () => (await import('./shard.ts')).shard,
  validate: async () => (await import('./validate.ts')).validate,
  convert: async () => (await import('./convert.ts')).convert,
  classify: async () => (await import('./classify.ts')).classify,
  impact: async () => (await import('./impact.ts')).impact,
  forecast: async () => (await import('./forecast.ts')).forecast,
  simulate: async () => (await import('./simulate.ts')).simulate,
  whatif: async () => (await import('./whatif.ts')).whatif,
  sweep: async () => (await import('./sweep.ts')).sweep,
  tune: async () => (await import('./tune.ts')).tune,
  diff: async () => (await import('./drift.ts')).diff,
  drift: async () => (await import('./drift.ts')).drift,
  'etcd-proxy': async () => (await import('./etcdProxy.ts')).etcdProxy,
  qos: async () => (await import('./qos.ts')).qos,
  mcp: async () => (await import('./mcp.ts')).mcpOf(run),
  engine: async () => (await import('./engine.ts')).engine,
  completion: async () => (await import('./completion.ts')).completionOf(COMMANDS),
  version: async () => (await import('./version.ts')).versionCommand,
  manual: async () => (await import('./manual.ts')).manual,
}

/** They write into the state folder; consoles with a page say on it when others can change that folder. */
const KEEPERS: ReadonlySet<string> = new Set(['proxy', 'feed', 'record', 'import', 'etcd-proxy'])

/** Runs one command line; every failure is reported in one sentence. */
export async function run(args: readonly string[], console: Console): Promise<ExitCode> {
  try {
    return await dispatch(args, console)
  } catch (error) {
    // An interrupted command does not report what it was doing.
    if (console.signal.aborted) return 2
    if (error instanceof UsageError) {
      console.tell(error.message)
    } else {
      for (const line of problemLines(toProblem(error))) console.tell(line)
    }
    return 2
  }
}

async function dispatch(args: readonly string[], console: Console): Promise<ExitCode> {
  const [called, ...rest] = args
  // `mixin` is the former name of `export`.
  const name = called === 'mixin' ? 'export' : called
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.print(await helpLines('general', console))
    return name === undefined ? 2 : 0
  }
  if (name === '--version' || name === '-V') {
    console.print([console.version])
    return 0
  }
  if (!isCommand(name)) {
    throw new UsageError(
      `There is no command ${JSON.stringify(name)}; ${meantInstead(name, Object.keys(COMMANDS), '--help lists them.')}`,
    )
  }
  const { options, operands, moreHelp, run: carryOut } = await COMMANDS[name]()
  refuseFilesAsOptions(rest, isFile)
  const given = readOptions(rest, { ...options, help: { type: 'boolean', short: 'h' } }, operands)
  if (!given.flag('help')) {
    const loose = KEEPERS.has(name) ? writableByOthers(console.stateDir) : undefined
    if (loose !== undefined) console.tell(loose)
    return carryOut(given, console)
  }
  console.print([...(await helpLines(name, console)), ...(moreHelp?.() ?? [])])
  return 0
}

/** Also a link to nothing. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Help uses the name the program was called by. */
async function helpLines(name: keyof typeof HELP, { program }: Console): Promise<readonly string[]> {
  const { HELP: texts } = await import('./help.ts')
  return texts[name].replaceAll('apf-console ', `${program} `).split('\n')
}

const isCommand = (name: string): name is keyof typeof COMMANDS => Object.hasOwn(COMMANDS, name)
