import { ProblemError } from '../../core/contract/errors.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import type { Frame } from '../../core/frame/frame.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { openSession } from './open.ts'
import { cadenceFrom, defaultSource, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { readNumber, readOptions, type OptionInfo } from './usage.ts'

const OPTIONS = {
  ...SOURCE_OPTIONS,
  timeout: { type: 'string' },
  compact: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const DEFAULT_TIMEOUT_SECONDS = 30

export async function snapshot(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS)
  if (given.flag('help')) {
    console.print(`${HELP.snapshot}\n`)
    return 0
  }
  const seconds = readNumber(given, 'timeout', { min: 1, max: 300 }) ?? DEFAULT_TIMEOUT_SECONDS
  const spec = (await sourceFrom(given, false, console.readStdin)) ?? defaultSource(given, false)

  let frame: Frame | undefined
  let servers: readonly ServerHealth[] = []
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  const look = (): void => {
    const told = new Set(frame?.servers.map(({ id }) => id))
    if (servers.length > 0 && servers.every(({ id, status }) => told.has(id) || status === 'failing')) settle()
  }
  const session = await openSession(console, spec, cadenceFrom(given, false), (connection) => {
    servers = connection.servers
    look()
  })
  console.signal.addEventListener('abort', () => settle(), { once: true })
  const cancel = console.environment.after(seconds * 1_000, settle)
  session.frames.subscribe((event) => {
    frame = event.frame
    look()
  }, console.signal)
  await settled
  cancel()
  session.end()
  if (console.signal.aborted) return 2
  return report(console, frame, servers, seconds, given.flag('compact'))
}

/** Prints what there is and tells what is not. */
function report(
  console: Console,
  frame: Frame | undefined,
  servers: readonly ServerHealth[],
  seconds: number,
  compact: boolean,
): ExitCode {
  const told = new Set(frame?.servers.map(({ id }) => id))
  const findings = servers.flatMap((server) => {
    if (told.has(server.id)) return []
    const problem = server.failures.at(-1)?.problem
    return [problem?.message ?? `${server.id} did not answer within ${seconds} s.`]
  })
  const notes = servers.flatMap(({ notes: list }) => list ?? [])
  if (frame === undefined) {
    const [first = 'No server answered.', ...others] = findings
    throw new ProblemError('unreachable', [first, ...others].join('\n'))
  }
  for (const sentence of new Set([...findings, ...notes])) console.tell(sentence)
  console.print(`${JSON.stringify(frame, undefined, compact ? undefined : 2)}\n`)
  // Notes of a file say what is missing from it; those of a server are advice.
  const incomplete = findings.length > 0 || (frame.source.kind === 'file' && notes.length > 0)
  return incomplete ? 1 : 0
}
