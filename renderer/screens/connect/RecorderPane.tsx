import { SelectField } from '../../components/Field.tsx'
import { Check } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { ask } from '../../state/connection.ts'
import { useRefusal } from '../../state/limits.ts'
import { useRecorder } from '../../state/told.ts'
import { useSettings } from '../../state/settings.ts'
import { choices, FactList } from './fields.tsx'
import { AGES, ageText, recorderFacts, SIZES, sizeText } from './recorder.data.ts'
import styles from './Connect.module.css'

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
              label="All recordings at most"
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
        Recordings are in <span className="mono">{state.folder}</span>, for this user only. They hold no credentials.
      </p>
    </Pane>
  )
}
