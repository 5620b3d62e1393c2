import type { ServerHealth } from '../../core/contract/source.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { openSession } from './open.ts'
import { problemLines } from './problemLines.ts'
import { cadenceFrom, defaultSource, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { readNumber, printHelp, readOptions, type OptionInfo } from './usage.ts'

const OPTIONS = {
  ...SOURCE_OPTIONS,
  count: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

export async function watch(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS)
  if (given.flag('help')) {
    printHelp(console, HELP.watch)
    return 0
  }
  const count = readNumber(given, 'count', { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true }) ?? Infinity
  const spec = (await sourceFrom(given, false, console)) ?? defaultSource(given, false)

  const tellChanges = createTeller(console)
  const { promise: over, resolve: finish } = Promise.withResolvers<void>()
  const session = await openSession(console, spec, cadenceFrom(given, false), ({ servers }) =>
    servers.forEach(tellChanges),
  )
  const end = new AbortController()
  console.signal.addEventListener('abort', () => finish(), { once: true })
  let printed = 0
  session.frames.subscribe(({ frame }) => {
    console.printJson(frame)
    printed++
    if (printed < count && !session.connection.still) return
    end.abort()
    finish()
  }, end.signal)
  await over
  end.abort()
  await session.end()
  return 0
}

/** Tells when a server begins to fail, fails differently, or answers again; and each note once. */
function createTeller(console: Console): (server: ServerHealth) => void {
  const failing = new Map<string, string>()
  const told = new Set<string>()
  return ({ id, status, failures, notes }) => {
    for (const note of notes ?? []) {
      if (!told.has(note)) console.tell(note)
      told.add(note)
    }
    const problem = status === 'failing' ? failures.at(-1)?.problem : undefined
    if (problem !== undefined && problem.message !== failing.get(id)) {
      const [sentence = problem.message, ...details] = problemLines(problem)
      console.tell(`${sentence} It is tried again.`)
      details.forEach(console.tell)
      failing.set(id, problem.message)
    } else if (status === 'ok' && failing.delete(id)) {
      console.tell(`${id} answers again.`)
    }
  }
}
