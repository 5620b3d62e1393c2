import { useState } from 'react'
import { ObjectSetSchema } from '../../../core/config/schema.ts'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { LiveState, ShadowReport } from '../../../core/contract/live.ts'
import { Button } from '../../components/Button.tsx'
import { Note } from '../../components/Note.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { classes } from '../../components/classes.ts'
import { client } from '../../state/client.ts'
import { useDraftObjects } from '../../state/draft.ts'
import { liveStore } from '../../state/live.ts'
import { openPage } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import { isTrusted } from './sentence.ts'
import { shadowRows } from './shadow.data.ts'
import styles from './live.module.css'

/** The draft on the same arrivals, beside what is in force. */
export function ShadowPane({ state }: { readonly state: LiveState }) {
  const { shadow, agreement, mode } = state
  const draft = useDraftObjects()
  const [problem, setProblem] = useState<Problem>()
  const on = shadow !== undefined
  const change = (): void => {
    setProblem(undefined)
    if (!on && draft === undefined) return
    client()
      .call(
        'live.shadow',
        on || draft === undefined ? { on: false } : { on: true, objects: ObjectSetSchema.parse(draft) },
      )
      .then((now) => liveStore.setState({ state: now }))
      .catch((thrown: unknown) => setProblem(toProblem(thrown)))
  }
  const trusted = isTrusted({ compared: agreement.compared, same: agreement.schemaAndLevel })
  return (
    <Pane
      title="Shadow A / B"
      note={on ? 'same requests, same instants, 5 min' : 'off'}
      actions={
        <button
          type="button"
          role="switch"
          aria-checked={on}
          aria-label="Shadow on the draft"
          className={styles['switch']}
          disabled={!on && draft === undefined}
          onClick={change}
        >
          <i aria-hidden="true" /> {on ? 'on' : 'off'}
        </button>
      }
    >
      {problem !== undefined && (
        <div className={styles['pad']}>
          <ProblemNote problem={problem} alert />
        </div>
      )}
      {shadow === undefined ? (
        <div className={styles['prose']}>
          {draft === undefined ? (
            <>
              <p>There is no draft. Change an object in the Editor, and it can run here beside what is in force.</p>
              <Button small onClick={() => openPage('editor', 'draft')}>
                Open the Editor
              </Button>
            </>
          ) : (
            <p>Switch it on to run the draft on the same requests, beside what is in force.</p>
          )}
        </div>
      ) : (
        <>
          {trusted ? (
            <Comparison shadow={shadow} />
          ) : (
            <div className={styles['pad']}>
              <Note kind="warn">
                Engine and server disagree too often to trust B: less than 99 % of schemas and levels are the same.
              </Note>
            </div>
          )}
          <div className={styles['pad']}>
            <Note kind="info">
              A is {mode === 'feed' ? 'the configuration that the feed runs with' : 'what is in force'}, B the draft. B
              never touches a request: its queues exist only here, and its waits are added to nobody.
            </Note>
          </div>
        </>
      )}
    </Pane>
  )
}

function Comparison({ shadow }: { readonly shadow: ShadowReport }) {
  return (
    <table className={styles['small']}>
      <caption className="sr-only">What is in force, and the draft</caption>
      <thead>
        <tr>
          <th scope="col">
            <span className="sr-only">What</span>
          </th>
          <th scope="col" className={styles['right']}>
            A now
          </th>
          <th scope="col" className={styles['right']}>
            B draft
          </th>
        </tr>
      </thead>
      <tbody>
        {shadowRows(shadow).map(({ what, a, b, verdict }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td className={styles['right']}>{a}</td>
            <td className={classes(styles['right'], verdict !== undefined && styles[verdict])}>
              {b}
              {verdict !== undefined && <span className="sr-only"> {verdict}</span>}
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">decided differently</th>
          <td colSpan={2} className={styles['right']}>
            {shadow.a.arrived === 0 ? '–' : `${format.fixed((shadow.different / shadow.a.arrived) * 100, 1)} %`}
          </td>
        </tr>
      </tbody>
    </table>
  )
}
