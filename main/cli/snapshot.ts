import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { readFrame, type ReadFrame } from './readFrame.ts'
import { cadenceFrom, defaultSource, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { readNumber, printHelp, readOptions, type OptionInfo } from './usage.ts'

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
    printHelp(console, HELP.snapshot)
    return 0
  }
  const seconds = readNumber(given, 'timeout', { min: 1, max: 300 }) ?? DEFAULT_TIMEOUT_SECONDS
  const spec = (await sourceFrom(given, false, console)) ?? defaultSource(given, false)

  const read = await readFrame(console, spec, cadenceFrom(given, false), seconds)
  return read === undefined ? 2 : report(console, read, given.flag('compact'))
}

/** Prints what there is and tells what is not. */
function report(console: Console, { frame, servers, findings }: ReadFrame, compact: boolean): ExitCode {
  const notes = servers.flatMap(({ notes: list }) => list ?? [])
  if (frame === undefined) {
    for (const sentence of findings.length > 0 ? findings : ['No server answered.']) console.tell(sentence)
    return 2
  }
  for (const sentence of new Set([...findings, ...notes])) console.tell(sentence)
  console.printJson(frame, compact ? undefined : 2)
  // Notes of a file say what is missing from it; those of a server are advice.
  const incomplete = findings.length > 0 || (frame.source.kind === 'file' && notes.length > 0)
  return incomplete ? 1 : 0
}
