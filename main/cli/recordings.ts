import { join } from 'node:path'
import { ProblemError, type Problem } from '../../core/contract/errors.ts'
import type { Told } from '../../core/source/recording.ts'
import { bytesToMegabytes, unixMsOf, type UnixMs } from '../../core/units.ts'
import { listRecordings, readRecording, RECORDINGS, type ListedRecording } from '../recordings/library.ts'
import { createPresence } from '../store/database.ts'
import { type Console, type ExitCode, textTable } from './console.ts'
import { OUTPUT_OPTIONS, readOutput, UsageError, type Command, type Given } from './usage.ts'

/** Lists what the flight recorder kept, or prints what one recording tells. 1 when a part of it cannot be read. */
export const recordings: Command = {
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    ...OUTPUT_OPTIONS,
  },
  operands: 'files',
  run: runRecordings,
}

async function runRecordings(given: Given, console: Console): Promise<ExitCode> {
  const [id, ...more] = given.operands
  if (more.length > 0) throw new UsageError('Name one recording.')
  const presence = createPresence(console.stateDir)
  const all = listRecordings(join(console.stateDir, RECORDINGS), (writer) => presence.runs(writer))
  if (id !== undefined) return printEvents(chosen(all, id), rangeOf(given), console)
  if (given.value('from') !== undefined || given.value('to') !== undefined) {
    throw new UsageError('--from and --to are of one recording; name it.')
  }
  if (readOutput(given, ['text', 'json']) === 'json') console.printJson(all, 2)
  else if (all.length === 0) console.print(['Nothing has been recorded yet.'])
  else console.print(textTable([HEAD, ...all.map(rowOf)], ['left', 'left', 'left', 'left', 'right', 'left']))
  return report(all, console)
}

const HEAD = ['RECORDING', 'SOURCE', 'FROM', 'TO', 'MB', '']

const rowOf = ({ id, source, first, last, bytes, running }: ListedRecording): readonly string[] => [
  id,
  source === undefined ? 'unknown' : `${source.name} (${source.kind})`,
  ...[first, last].map((at) => (at === undefined ? '-' : new Date(at).toISOString())),
  bytesToMegabytes(bytes).toFixed(1),
  running ? 'running' : '',
]

/** By the beginning of its id, where that is of one alone. */
function chosen(all: readonly ListedRecording[], id: string): ListedRecording {
  const found = all.filter((entry) => entry.id.startsWith(id))
  const [entry] = found
  if (entry === undefined) throw new ProblemError('not-found', `There is no recording ${JSON.stringify(id)}.`)
  if (found.length > 1) {
    throw new UsageError(
      `${JSON.stringify(id)} begins ${found.length} recordings; write more of the one that you mean.`,
    )
  }
  return entry
}

interface Range {
  readonly from: UnixMs
  readonly to: UnixMs
}

function rangeOf(given: Given): Range {
  const read = (name: 'from' | 'to', otherwise: number): UnixMs => {
    const text = given.value(name)
    if (text === undefined) return otherwise
    const at = unixMsOf(text)
    if (Number.isNaN(at)) {
      throw new UsageError(`--${name} ${JSON.stringify(text)} is no time; write 2026-11-20T03:00:00Z.`)
    }
    return at
  }
  return { from: read('from', Number.NEGATIVE_INFINITY), to: read('to', Number.POSITIVE_INFINITY) }
}

/** One event a line; `held` where it was told before the range began and still held then. */
function printEvents(entry: ListedRecording, { from, to }: Range, console: Console): ExitCode {
  const line = ({ at, event }: Told): object => ({ at: new Date(at).toISOString(), event })
  const problems = readRecording(
    entry,
    { from, to },
    {
      held: (told) => console.printJson({ ...line(told), held: true }),
      event: (told) => console.printJson(line(told)),
    },
  )
  return report([{ problems }], console)
}

function report(all: readonly { readonly problems: readonly Problem[] }[], console: Console): ExitCode {
  const problems = all.flatMap((entry) => entry.problems)
  for (const { message } of problems) console.tell(message)
  return problems.length > 0 ? 1 : 0
}
