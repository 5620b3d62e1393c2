import type { Alert, AlertChange, Silence } from '../../core/contract/alerts.ts'
import { createSourceNoter } from '../../core/alerts/notes.ts'
import { createAlertWatch } from '../../core/alerts/watch.ts'
import { alertsAt } from '../../core/alerts/past.ts'
import { changeLines, silenceOf, standingLines } from '../../core/alerts/words.ts'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { EXPLAINED_RULES, wordsFor } from '../../core/verdict/cause.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createKeptPages, KEPT_MS } from '../recordings/keptPages.ts'
import { createPicture } from '../../core/source/picture.ts'
import { rfc3339, type UnixMs } from '../../core/units.ts'
import { finish } from '../../core/work.ts'
import { readRecording, type ListedRecording, type RecordingRange } from '../recordings/library.ts'
import { notRecorded } from '../sources/recording.ts'
import type { Console, ExitCode } from './console.ts'
import { archiveOf, noSamples, RANGE_OPTIONS, rangeFrom, recordingNamed } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { RECORDING_OPTIONS } from './sourceOptions.ts'
import { timeFrom, UsageError, type Command, type Given, type OptionInfo } from './usage.ts'
import { refuseWithoutLevels } from './withoutLevels.ts'

/** Options of every command that evaluates alert rules. */
export const ALERT_OPTIONS = {
  silence: { type: 'string', multiple: true },
  fail: { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/**
 * Lists when each alert would have fired and resolved in a recording, or the state of the rules at an instant. 1 with
 * `--fail` when one fires.
 */
export const alerts: Command = {
  options: { ...RECORDING_OPTIONS, ...RANGE_OPTIONS, ...ALERT_OPTIONS, json: { type: 'boolean' } },
  run: runAlerts,
}

async function runAlerts(given: Given, console: Console): Promise<ExitCode> {
  const name = given.value('recording')
  if (name === undefined) throw new UsageError('alerts needs a recording: --recording ID|FILE.')
  const [at, range, options] = [timeFrom(given, 'at'), rangeFrom(given), alertOptions(given)]
  if (at === undefined)
    return printRecordedAlerts(await recordingNamed(name, console), range, options, given.flag('json'), console)
  if (given.flag('from') || given.flag('to')) throw new UsageError('--at does not go with --from and --to.')
  return printAlertsAt(await recordingNamed(name, console), at, options, given.flag('json'), console)
}

/**
 * Prints the state of the rules at an instant, as the Alerts screen shows it. Throws `ProblemError` when nothing was
 * recorded.
 */
function printAlertsAt(
  entry: ListedRecording,
  at: UnixMs,
  { silences, fail }: AlertOptions,
  json: boolean,
  console: Console,
): ExitCode {
  refuseWithoutLevels(entry.source)
  const archive = archiveOf(entry, console)
  const { gap } = archive.moment(at)
  if (gap !== undefined) throw ProblemError.of(notRecorded(entry.id, at, gap))
  const explainer = createExplainer()
  for (const { event } of archive.events(at - KEPT_MS, at)) explainer.take(event)
  const { alerts: firing, ...rest } = finish(alertsAt(archive, at, silences))
  const state = { ...rest, alerts: firing.map(explainer.explained) }
  if (json) console.printJson({ at: rfc3339(at), ...state })
  else console.print(standingLines(state))
  const code = tellProblems(archive.extent().problems, console)
  return fail && state.alerts.some(({ silenced }) => !silenced) ? 1 : code
}

export interface AlertOptions {
  readonly silences: readonly Silence[]
  /** Whether an alert that is not silenced sets the exit code to 1. */
  readonly fail: boolean
}

export const alertOptions = (given: Given): AlertOptions => ({
  fail: given.flag('fail'),
  silences: given.values('silence').map((text) => {
    const silence = silenceOf(text)
    if (silence !== undefined) return silence
    throw new UsageError(
      `--silence takes a rule, R1 to R12, or a rule and a level like R2:system, not ${JSON.stringify(text)}.`,
    )
  }),
})

/** A change as JSON, printed one per line. */
export const changeJson = ({ kind, at, alert }: AlertChange): object => ({
  at: rfc3339(at),
  change: kind,
  ...alert,
  since: rfc3339(alert.since),
  firedAt: rfc3339(alert.firedAt),
})

/** Whether a change needs attention. */
export const counts = ({ kind, alert }: AlertChange): boolean => kind === 'fired' && !alert.silenced

/** Explains alerts that fire in the words of a diagnosis of the samples until then, where it finds their cause. */
export function createExplainer() {
  const kept = createKeptPages()
  /** Of the samples so far: several alerts may fire at one of them. */
  let findings: Diagnosis['findings'] | undefined
  const explained = (alert: Alert): Alert => {
    if (!EXPLAINED_RULES.has(alert.rule)) return alert
    findings ??= diagnose(kept.all(undefined)).findings
    return { ...alert, ...wordsFor(findings, alert) }
  }
  return {
    take: (event: SourceEvent): void => {
      kept.take(event)
      findings = undefined
    },
    explained,
    change: (change: AlertChange): AlertChange =>
      change.kind === 'fired' ? { ...change, alert: explained(change.alert) } : change,
  }
}

const KINDS = new Set(['frame', 'objects', 'dump'] as const)

/** Prints the alerts of a recording, then which rules could not be evaluated. */
export function printRecordedAlerts(
  entry: ListedRecording,
  range: RecordingRange,
  { silences, fail }: AlertOptions,
  json: boolean,
  console: Console,
): ExitCode {
  refuseWithoutLevels(entry.source)
  const problems: Problem[] = []
  const watch = createAlertWatch({ silences })
  const [picture, noter, explainer] = [createPicture(), createSourceNoter(watch), createExplainer()]
  let [samples, fired, needed] = [0, 0, 0]
  for (const { timed, held } of readRecording(entry, range, problems, KINDS)) {
    if (console.signal.aborted) return 2
    const { event, at } = timed
    // Rates begin with the range: a page from before it may be old.
    if (held && event.kind === 'frame') continue
    if (event.kind === 'frame' && event.lead !== true) samples++
    picture.take(event)
    explainer.take(event)
    for (const change of noter.take(event, picture, at).changes.map(explainer.change)) {
      if (change.kind === 'fired') fired++
      if (counts(change)) needed++
      if (json) console.printJson(changeJson(change))
      else console.print(changeLines(change))
    }
  }
  if (samples === 0 && problems.length === 0) throw noSamples(entry)
  if (!json) {
    if (fired === 0) console.print(['No alert would have fired.'])
    for (const { rule, why } of watch.rules) if (why !== undefined) console.print([`${rule} is off. ${why}`])
  }
  const code = tellProblems(problems, console)
  return fail && needed > 0 ? 1 : code
}
