import { SelectField } from '../../components/Field.tsx'
import { Check } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { ask } from '../../state/connection.ts'
import { useRefusal } from '../../state/limits.ts'
import { useRecorder } from '../../state/sourceState.ts'
import { useSettings } from '../../state/settings.ts'
import { choices, FactList } from './fields.tsx'
import styles from './Connect.module.css'
import type { RecorderState } from '../../../core/contract/recording.ts'
import { megabytesToBytes, unixMsOf } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'
import type { Fact } from './reports.data.ts'

/** What is kept of the source beyond this window, for how long, and the switch for it. */
export function RecorderPane({ connection }: { readonly connection: number }) {
  const state = useRecorder(connection)
  const [{ keepDays, keepMegabytes }, change] = useSettings()
  const refused = useRefusal('recorder.switch')
  if (state === undefined || !state.possible) return null
  const record = (on: boolean): void => {
    void ask('recorder.switch', { on }).catch(() => undefined)
    change({ record: on })
  }
  return (
    <Pane title="Flight recorder">
      {refused === undefined && (
        <div className={styles['form']}>
          <Check
            label="Record this source and those connected later"
            checked={state.status !== 'off'}
            onChange={record}
          />
          <div className={styles['pair']}>
            <SelectField
              label="Keep for"
              value={String(keepDays)}
              options={choices(AGES, keepDays, ageText)}
              onChange={(days) => change({ keepDays: Number(days) })}
            />
            <SelectField
              label="Limit for all recordings"
              value={String(keepMegabytes)}
              options={choices(SIZES, keepMegabytes, sizeText)}
              onChange={(megabytes) => change({ keepMegabytes: Number(megabytes) })}
            />
          </div>
        </div>
      )}
      {state.problem !== undefined && (
        <div className={styles['wide']}>
          <ProblemNote problem={state.problem} />
        </div>
      )}
      <FactList facts={recorderFacts(state)} />
      <p className={styles['caption']}>
        Recordings are in <span className="mono">{state.folder}</span>, for this user only. They contain no credentials.
      </p>
    </Pane>
  )
}

/** How long and how much can be kept, in days and megabytes. */
const AGES: readonly number[] = [1, 3, 7, 14, 30, 90]
export const SIZES: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 50_000]
export const ageText = (days: number): string => format.counted(days, 'day')
export const sizeText = (megabytes: number): string => format.bytes(megabytesToBytes(megabytes))

/** What the recorder has done so far; empty while it is off. */
export function recorderFacts({
  status,
  since,
  keptUntil,
  bytes,
  lost = 0,
  leftOut = 0,
}: RecorderState): readonly Fact[] {
  if (status === 'off' || since === undefined) return []
  return [
    {
      label: status === 'paused' ? 'Paused; recording since' : 'Recording since',
      value: format.dateTime(unixMsOf(since)),
    },
    ...(keptUntil === undefined ? [] : [{ label: 'On disk up to', value: format.dateTime(unixMsOf(keptUntil)) }]),
    { label: 'Size', value: format.bytes(bytes) },
    ...(lost > 0 ? [{ label: 'Lost while paused', value: format.counted(lost, 'event'), tone: 'warn' } as const] : []),
    ...(leftOut > 0 ? [{ label: 'Left out, beyond 1,000 a second', value: format.counted(leftOut, 'request') }] : []),
  ]
}
