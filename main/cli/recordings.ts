import { plain } from '../../core/text/format.ts'
import type { Problem } from '../../core/errors.ts'
import { bytesToMegabytes } from '../../core/units.ts'
import { readRecording, type ListedRecording, type RecordingRange } from '../recordings/library.ts'
import type { Console, ExitCode } from './console.ts'
import { textTable } from './print/terminal.ts'
import { allRecordings, RANGE_OPTIONS, rangeFrom, recordingNamed } from './recordingOptions.ts'
import { OUTPUT_OPTIONS, readOutput, UsageError, type Command, type Given } from './usage.ts'

/** Lists what the flight recorder kept, or prints the events of one recording. 1 when a part of it cannot be read. */
export const recordings: Command = {
  options: {
    ...RANGE_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  operands: 'files',
  run: runRecordings,
}

async function runRecordings(given: Given, console: Console): Promise<ExitCode> {
  const [id, ...more] = given.operands
  if (more.length > 0) throw new UsageError('Name one recording.')
  if (id !== undefined) return printEvents(await recordingNamed(id, console), rangeFrom(given), console)
  if (given.value('from') !== undefined || given.value('to') !== undefined) {
    throw new UsageError('--from and --to need the ID of a recording.')
  }
  const all = allRecordings(console)
  if (readOutput(given) === 'json') console.printJson(all, 2)
  else if (all.length === 0) console.print(['Nothing has been recorded yet.'])
  else console.print(textTable([HEAD, ...all.map(rowOf)], ['left', 'left', 'left', 'left', 'right', 'left']))
  return tellProblems(
    all.flatMap(({ problems }) => problems),
    console,
  )
}

const HEAD = ['RECORDING', 'SOURCE', 'FROM', 'TO', 'MB', '']

const rowOf = ({ id, source, first, last, bytes, running }: ListedRecording): readonly string[] => [
  id,
  source === undefined ? 'unknown' : `${source.name} (${source.kind})`,
  ...[first, last].map((at) => (at === undefined ? '-' : new Date(at).toISOString())),
  plain.fixed(bytesToMegabytes(bytes), 1),
  running ? 'running' : '',
]

/** One event per line; `held` if it was recorded before the range began and was still valid then. */
function printEvents(entry: ListedRecording, range: RecordingRange, console: Console): ExitCode {
  const problems: Problem[] = []
  for (const { timed, held } of readRecording(entry, range, problems)) {
    const line = { at: new Date(timed.at).toISOString(), event: timed.event }
    console.printJson(held ? { ...line, held } : line)
  }
  return tellProblems(problems, console)
}

/** Prints what could not be read, and returns the matching exit code. */
export function tellProblems(problems: readonly Problem[], console: Pick<Console, 'tell'>): ExitCode {
  for (const { message } of problems) console.tell(message)
  return problems.length > 0 ? 1 : 0
}
