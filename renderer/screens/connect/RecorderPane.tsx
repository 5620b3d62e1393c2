import { Button, Buttons, Check } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { ask } from '../../state/connection.ts'
import { useRefusal } from '../../state/limits.ts'
import { useRecorder } from '../../state/sourceState.ts'
import { openScreen } from '../../state/route.ts'
import { useSettings } from '../../state/settings.ts'
import { FactList } from './fields.tsx'
import styles from './Connect.module.css'
import type { RecorderState } from '../../../core/contract/recording.ts'
import { unixMsOf } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'
import type { Fact } from './reports.data.ts'

/** What is kept of the source beyond this window, for how long, and the switch for it. */
export function RecorderPane({ connection }: { readonly connection: number }) {
  const state = useRecorder(connection)
  const [, change] = useSettings()
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
          <Buttons>
            <Button small onClick={() => openScreen('settings')}>
              Settings of what is kept
            </Button>
          </Buttons>
        </div>
      )}
      {state.problem !== undefined && (
        <div className="stack gap-8 pad-x pad-y-10">
          <ProblemNote problem={state.problem} />
        </div>
      )}
      <FactList facts={recorderFacts(state)} />
      <p className="pad-x pad-y-6 tiny leading-140 faint">
        Recordings are in <span className="mono">{state.folder}</span>, for this user only. They contain no credentials.
      </p>
    </Pane>
  )
}

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
