import { ProblemError } from '../../core/errors.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { adjustmentLedger } from '../../core/impact/adjustmentLedger.ts'
import { expectedAllocation } from '../../core/impact/expected.ts'
import { presentAllocation } from '../../core/impact/presentAllocation.ts'
import { explainLimit } from '../../core/verdict/explainLimit.ts'
import type { Console, ExitCode } from './console.ts'
import type { Said } from './print/terminal.ts'
import { isOfLogs, readFrame } from './snapshot.ts'
import { cadenceFrom, defaultSource, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { OUTPUT_OPTIONS, readOutput, UsageError, type Command, type Given } from './usage.ts'

/** Why the current limit of a level is what it is, on every server that has it. */
export const explain: Command = {
  options: { ...SOURCE_OPTIONS, ...OUTPUT_OPTIONS },
  operands: 'files',
  run: runExplain,
}

const TIMEOUT_SECONDS = 30

async function runExplain(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const [level, ...more] = given.operands
  if (level === undefined || more.length > 0) throw new UsageError('explain takes the name of one priority level.')
  const spec = (await sourceFrom(given, true, console)) ?? defaultSource(given, true)
  const read = await readFrame(console, spec, cadenceFrom(given, false), TIMEOUT_SECONDS)
  if (read === undefined) return 2
  for (const sentence of read.findings) console.tell(sentence)
  const servers = read.frame?.servers ?? []
  const found = servers.flatMap((server) => {
    const answer = explainLimit(server, level)
    return answer === undefined ? [] : [{ server, answer }]
  })
  const answers = found.map(({ answer }) => answer)
  if (answers.length === 0) {
    if (servers.length === 0) return 2
    const names = new Set(servers.flatMap(({ levels }) => levels.map(({ name }) => name)))
    throw new ProblemError('not-found', `There is no level ${JSON.stringify(level)}. Levels: ${[...names].join(', ')}.`)
  }
  console.answer(
    form,
    answers,
    found.flatMap(({ server, answer }, index) => [...(index === 0 ? [] : ['']), answer, ...allLimits(server)]),
  )
  return read.findings.every(isOfLogs) ? 0 : 1
}

/** How the limits of all levels of that server were set, where it reports what they follow from. */
function allLimits(server: ServerFrame): Said {
  const expected = expectedAllocation(server)
  if (expected.kind === 'unknown') return []
  // A page may mix two recomputations.
  return ['', presentAllocation(expected, adjustmentLedger(server.levels, expected.rule), { kind: 'one-page' })]
}
