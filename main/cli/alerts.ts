import type { AlertChange, Silence } from '../../core/contract/alerts.ts'
import { createAlertWatch, type AlertWatch } from '../../core/alerts/watch.ts'
import { changeLines, silenceOf } from '../../core/alerts/words.ts'
import type { Problem } from '../../core/contract/errors.ts'
import { createDeriver } from '../../core/frame/derive.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { knownObjects } from '../../core/source/sourceEvent.ts'
import { rfc3339, unixMsOf } from '../../core/units.ts'
import { readRecording, type ListedRecording, type RecordingRange } from '../recordings/library.ts'
import type { Console, ExitCode } from './console.ts'
import { RANGE_OPTIONS, rangeFrom, recordingNamed } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { UsageError, type Command, type Given, type OptionInfo } from './usage.ts'

/** Options of every command that evaluates alert rules. */
export const ALERT_OPTIONS = {
  silence: { type: 'string', multiple: true },
  fail: { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Lists when each alert would have fired and resolved in a recording. 1 with `--fail` where one fired. */
export const alerts: Command = {
  options: { recording: { type: 'string' }, ...RANGE_OPTIONS, ...ALERT_OPTIONS, json: { type: 'boolean' } },
  run: runAlerts,
}

async function runAlerts(given: Given, console: Console): Promise<ExitCode> {
  const name = given.value('recording')
  if (name === undefined) throw new UsageError('alerts needs a recording: --recording ID|FILE.')
  const [range, options] = [rangeFrom(given), alertOptions(given)]
  return printRecordedAlerts(await recordingNamed(name, console), range, options, given.flag('json'), console)
}

export interface AlertOptions {
  readonly silences: readonly Silence[]
  /** Whether an alert that is not silenced makes the exit code 1. */
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

/** One change a line of JSON. */
export const changeJson = ({ kind, at, alert }: AlertChange): object => ({
  at: rfc3339(at),
  change: kind,
  ...alert,
  since: rfc3339(alert.since),
  firedAt: rfc3339(alert.firedAt),
})

/** Whether a change is one that somebody is to look into. */
export const counts = ({ kind, alert }: AlertChange): boolean => kind === 'fired' && !alert.silenced

const KINDS = new Set(['frame', 'objects'] as const)

/** Prints the alerts of a recording, then which rules could not be evaluated. */
export function printRecordedAlerts(
  entry: ListedRecording,
  range: RecordingRange,
  { silences, fail }: AlertOptions,
  json: boolean,
  console: Console,
): ExitCode {
  const problems: Problem[] = []
  const watch = createAlertWatch({ silences })
  const take = createTaker(watch)
  let [samples, fired, needed] = [0, 0, 0]
  for (const { told, held } of readRecording(entry, range, problems, KINDS)) {
    if (console.signal.aborted) return 2
    const { event } = told
    if (event.kind === 'objects') watch.takeObjects(knownObjects(event.reading))
    if (event.kind !== 'frame' || held || event.lead === true) continue
    samples++
    for (const change of take(event.frame)) {
      if (change.kind === 'fired') fired++
      if (counts(change)) needed++
      if (json) console.printJson(changeJson(change))
      else console.print(changeLines(change))
    }
  }
  if (samples === 0 && problems.length === 0) console.tell(`The recording ${entry.id} has no samples of this time.`)
  else if (!json) {
    if (fired === 0) console.print(['No alert would have fired.'])
    for (const { rule, why } of watch.rules) if (why !== undefined) console.print([`${rule} is off. ${why}`])
  }
  const code = tellProblems(problems, console)
  return fail && needed > 0 ? 1 : code
}

/** Derives what rules need of each frame. Ranges of the past that are told after what is newer are passed over. */
function createTaker(watch: AlertWatch): (frame: ServerFrame) => readonly AlertChange[] {
  const servers = new Map<string, { readonly derive: ReturnType<typeof createDeriver>; at: number }>()
  return (frame) => {
    const at = unixMsOf(frame.at)
    const server = servers.get(frame.id) ?? { derive: createDeriver(frame.id), at }
    if (at < server.at) return []
    servers.set(frame.id, server)
    server.at = at
    return watch.take(frame, server.derive(frame))
  }
}
