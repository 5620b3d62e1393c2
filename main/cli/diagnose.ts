import { clientsOf, complaint } from '../../core/diagnose/complaint.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import type { Evidence } from '../../core/diagnose/facts.ts'
import { diagnosisLines, statusLines } from '../../core/diagnose/text.ts'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import { SHORTEST_SPAN_SECONDS } from '../../core/twin/observe.ts'
import { rfc3339 } from '../../core/units.ts'
import { createKeptPages, KEPT_MS, type KeptPages } from '../recordings/keptPages.ts'
import type { Console, ExitCode } from './console.ts'
import { switches, texts } from './options.ts'
import { eventsBefore, listen } from './pastPages.ts'
import { tellProblems } from './recordings.ts'
import { defaultSource, type RecordingSpec, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { OUTPUT_OPTIONS, readNumber, readOutput, UsageError, type Command, type Given } from './usage.ts'

/** Why requests wait, are rejected or are slow. 1 when they are, or when the data allow no conclusion. */
export const diagnoseCommand: Command = {
  options: {
    ...SOURCE_OPTIONS,
    ...OUTPUT_OPTIONS,
    ...texts('seconds', 'client'),
    ...switches('all', 'draft'),
  },
  run: runDiagnose,
}

/** What the Overview says, with the first cause and its remedy. 1 while something is wrong, or unknown. */
export const statusCommand: Command = {
  options: { ...SOURCE_OPTIONS, ...OUTPUT_OPTIONS, seconds: { type: 'string' } },
  run: runStatus,
}

const SECONDS = { min: SHORTEST_SPAN_SECONDS, max: KEPT_MS / 1_000 } as const
const DEFAULT_SECONDS = 120
/** The past that a source supplies has no dumps; the source is read this long to get some. */
const LIVE_SECONDS = 15

async function runDiagnose(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const draft = given.flag('draft')
  if (draft && form !== 'text') throw new UsageError('--draft prints manifests only: leave out --output.')
  const client = given.value('client')
  const problems: Problem[] = []
  const evidence = await readEvidence(given, console, DEFAULT_SECONDS, problems)
  if (evidence === undefined) return 2
  if (client !== undefined) return printComplaint(evidence, client, form, console)
  const diagnosis = diagnose(evidence)
  if (draft) return printDraft(diagnosis, console)
  console.answer(form, jsonOf(diagnosis), diagnosisLines(diagnosis, given.flag('all')))
  const isCalm = diagnosis.findings.every(({ group }) => group === 'none' || group === 'client')
  const code = tellProblems(problems, console)
  return isCalm ? code : 1
}

async function runStatus(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const problems: Problem[] = []
  const evidence = await readEvidence(given, console, SECONDS.min, problems)
  if (evidence === undefined) return 2
  const diagnosis = diagnose(evidence)
  const { now, findings } = diagnosis
  console.answer(form, { ...now, cause: findings[0] ?? null }, statusLines(diagnosis))
  const code = tellProblems(problems, console)
  return now.tone === 'ok' ? code : 1
}

/** `undefined` when the command is to end. Parts of a recording that cannot be read are added to `problems`. */
async function readEvidence(
  given: Given,
  console: Console,
  usual: number,
  problems: Problem[],
): Promise<Evidence | undefined> {
  const seconds = readNumber(given, 'seconds', SECONDS) ?? usual
  const spec = (await sourceFrom(given, true, console)) ?? defaultSource(given, true)
  return spec.kind === 'recording' ? ofRecording(spec, console, problems) : ofSource(given, console, spec, seconds)
}

/** The last pages of a recording, or those before `--at`. */
function ofRecording(spec: RecordingSpec, console: Console, problems: Problem[]): Evidence {
  const kept = createKeptPages()
  for (const event of eventsBefore(spec, KEPT_MS, console, problems)) kept.take(event)
  return kept.all(spec.at, true)
}

async function ofSource(
  given: Given,
  console: Console,
  spec: SourceSpec,
  seconds: number,
): Promise<Evidence | undefined> {
  const kept: KeptPages = createKeptPages()
  // The age of files does not matter; in a source that is read now, old samples are stale.
  const isStill = spec.kind === 'files' || spec.kind === 'demo'
  const reading = { spec, seconds, server: undefined, withObjects: true, liveSeconds: isStill ? 0 : LIVE_SECONDS }
  const listened = await listen(given, console, reading, (event) => kept.take(event))
  if (listened === undefined) return undefined
  for (const sentence of listened.findings) console.tell(sentence)
  // Simulated time may stand still or lag.
  return kept.all(isStill || spec.kind === 'simulation' ? undefined : console.environment.now())
}

/** Whether one client is delayed: 1 if it is. */
function printComplaint(
  evidence: Evidence,
  name: string,
  form: 'text' | 'json' | 'markdown',
  console: Console,
): ExitCode {
  const found = complaint(evidence, name)
  if (found === undefined) {
    const known = clientsOf(evidence)
    throw new ProblemError(
      'not-found',
      known.length === 0
        ? 'The source does not tell who sends requests: dumps of a server or an audit log would.'
        : `No request of ${JSON.stringify(name)} was seen. Clients that were: ${known.join(', ')}.`,
    )
  }
  console.answer(form, [found.answer], [found.answer])
  return found.isDelayed ? 1 : 0
}

/** The manifests of the first finding that has some, for `apf-console impact --edit -`. */
function printDraft({ findings }: Diagnosis, console: Console): ExitCode {
  const found = findings.find(({ remedy }) => remedy.manifests.length > 0)
  if (found === undefined) {
    throw new ProblemError(
      'not-found',
      'No finding has an edit: either no edit helps, or the flow-control objects are unavailable.',
    )
  }
  console.tell(`For ${found.title.toLowerCase()}: ${found.remedy.text}`)
  console.printText(found.remedy.manifests.map(({ text }) => text.trimEnd()).join('\n---\n'))
  return 0
}

const jsonOf = ({ from, to, findings, ...diagnosis }: Diagnosis): unknown => ({
  from: rfc3339(from),
  to: rfc3339(to),
  ...diagnosis,
  findings: findings.map((finding) => ({ ...finding, from: rfc3339(finding.from), to: rfc3339(finding.to) })),
})
