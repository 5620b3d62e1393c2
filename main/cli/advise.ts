import { advise } from '../../core/advice/advise.ts'
import { adviceLines } from '../../core/advice/text.ts'
import { createUsageTally } from '../../core/advice/usage.ts'
import { MOST_NODES } from '../../core/bounds.ts'
import type { Advice } from '../../core/contract/advice.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { rfc3339 } from '../../core/units.ts'
import { createKeptPages } from '../recordings/keptPages.ts'
import type { Console, ExitCode } from './console.ts'
import { texts } from './options.ts'
import { eventsBefore, listen } from './pastPages.ts'
import { tellProblems } from './recordings.ts'
import { defaultSource, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { OUTPUT_OPTIONS, readNumber, readOutput, UsageError, type Command, type Given } from './usage.ts'

/** Suggests changes to shares, lending, queues, schemas, flags and scraping. 1 when an edit helps now. */
export const adviseCommand: Command = {
  options: {
    ...SOURCE_OPTIONS,
    ...OUTPUT_OPTIONS,
    ...texts('seconds', 'nodes', 'draft'),
  },
  run: runAdvise,
}

const SECONDS = { min: 20, max: 86_400 } as const
const NODES = { min: 1, max: MOST_NODES, whole: true } as const
const DEFAULT_SECONDS = 330

async function runAdvise(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const draft = readNumber(given, 'draft', { min: 1, max: 1_000, whole: true })
  if (draft !== undefined && form !== 'text') throw new UsageError('--draft prints manifests only: leave out --output.')
  const seconds = readNumber(given, 'seconds', SECONDS) ?? DEFAULT_SECONDS
  const nodes = readNumber(given, 'nodes', NODES)
  const spec = (await sourceFrom(given, true, console)) ?? defaultSource(given, true)
  const problems: Problem[] = []
  const [tally, kept] = [createUsageTally(), createKeptPages()]
  const take = (event: SourceEvent): void => {
    tally.take(event)
    kept.take(event)
  }
  if (spec.kind === 'recording') {
    for (const event of eventsBefore(spec, Infinity, console, problems)) take(event)
  } else {
    const reading = { spec, seconds, server: undefined, withObjects: true }
    const listened = await listen(given, console, reading, take)
    if (listened === undefined) return 2
    for (const sentence of listened.findings) console.tell(sentence)
  }
  const advice = advise(tally.read(), { nodes, verdict: diagnose(kept.all(undefined)) })
  if (draft !== undefined) return printDraft(advice, draft, console)
  console.answer(form, jsonOf(advice), adviceLines(advice))
  const code = tellProblems(problems, console)
  return advice.suggestions.some(({ verdict }) => verdict === 'edit') ? 1 : code
}

/** The manifests of one suggestion, for `apf-console impact --edit -`. */
function printDraft({ suggestions }: Advice, number: number, console: Console): ExitCode {
  const found = suggestions[number - 1]
  if (found === undefined) {
    throw new ProblemError('not-found', `There is no suggestion ${number}: there are ${suggestions.length}.`)
  }
  const edits = found.changes.flatMap(({ text }) => (text === null ? [] : [text.trimEnd()]))
  const deleted = found.changes.filter(({ text }) => text === null)
  if (edits.length === 0 && deleted.length === 0) {
    throw new ProblemError(
      'not-found',
      `Suggestion ${number} (${found.title}) changes no object, or the objects are unavailable.`,
    )
  }
  console.tell(`${found.title}. ${found.text}`)
  for (const { kind, name } of deleted)
    console.tell(`Deletes ${kind} ${name}: kubectl delete ${kind.toLowerCase()} ${name}`)
  if (edits.length > 0) console.printText(edits.join('\n---\n'))
  return 0
}

const jsonOf = ({ from, to, suggestions, ...advice }: Advice): unknown => ({
  from: rfc3339(from),
  to: rfc3339(to),
  ...advice,
  suggestions: suggestions.map((one) => ({ ...one, from: rfc3339(one.from), to: rfc3339(one.to) })),
})
