import { useState } from 'react'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { LiveState, ShadowReport } from '../../../core/contract/live.ts'
import { Button } from '../../components/Button.tsx'
import { Note } from '../../components/Note.tsx'
import { Pane } from '../../components/Pane.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { classes } from '../../components/classes.ts'
import { openPage } from '../../state/route.ts'
import { isTrusted } from './sentence.ts'
import { assumedSentence, differentShare, shadowRows, shadowSpan } from './shadow.data.ts'
import { useShadowDraft, type DraftBeside } from '../../state/shadowDraft.ts'
import own from './ShadowPane.module.css'
import styles from './live.module.css'

/** The draft on the same arrivals, beside what is in force. */
export function ShadowPane({ state }: { readonly state: LiveState }) {
  const { shadow, agreement } = state
  const draft = useShadowDraft()
  const [problem, setProblem] = useState<Problem>()
  const on = shadow !== undefined
  const assumed = on ? assumedSentence(shadow) : undefined
  const ask = (asked: Promise<void>): void => {
    setProblem(undefined)
    asked.catch((thrown: unknown) => setProblem(toProblem(thrown)))
  }
  return (
    <Pane
      title="Shadow A / B"
      note={on ? shadowSpan(shadow) : 'off'}
      actions={
        <button
          type="button"
          role="switch"
          aria-checked={on}
          aria-label="Shadow on the draft"
          className={styles['switch']}
          disabled={!on && !draft.exists}
          onClick={() => ask(on ? draft.end() : draft.run())}
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
        <Off exists={draft.exists} />
      ) : (
        <>
          {isTrusted({ compared: agreement.compared, same: agreement.schemaAndLevel }) ? (
            <Comparison shadow={shadow} />
          ) : (
            <div className={styles['pad']}>
              <Note kind="warn">
                Engine and server disagree too often to trust B: less than 99 % of schemas and levels are the same.
              </Note>
            </div>
          )}
          <div className={own['notes']}>
            <Beside beside={draft.beside} onRun={() => ask(draft.run())} />
            {assumed !== undefined && <Note kind="warn">{assumed}</Note>}
            <Note kind="info">{MEANING[state.mode]}</Note>
          </div>
        </>
      )}
    </Pane>
  )
}

const NEVER =
  'Both get the same requests. Under B they take as long as they really took, and those that A refused as long as others of their kind; where B lets one run earlier than A, it has to wait until that is known, and is behind. B never touches a request: its queues exist only here, and its waits are added to nobody.'
const MEANING: Readonly<Record<LiveState['mode'], string>> = {
  enforce: `A is what is in force, B the draft. ${NEVER}`,
  shadow: `A is what is in force, B the draft. ${NEVER}`,
  feed: `A is the configuration that the feed runs with, B the draft. ${NEVER}`,
  simulation:
    'A is what the simulated server has in force, B the draft. Both get the same requests, whose clients hear A alone.',
}

function Off({ exists }: { readonly exists: boolean }) {
  return (
    <div className={styles['prose']}>
      {exists ? (
        <p>Switch it on to run the draft on the same requests, beside what is in force.</p>
      ) : (
        <>
          <p>There is no draft. Change an object in the Editor, and it can run here beside what is in force.</p>
          <Button small onClick={() => openPage('editor', 'draft')}>
            Open the Editor
          </Button>
        </>
      )}
    </div>
  )
}

/** Whether B is what the Editor has now. */
function Beside({ beside, onRun }: { readonly beside: DraftBeside; readonly onRun: () => void }) {
  switch (beside) {
    case 'same':
    case 'unknown':
      return null
    case 'gone':
      return <Note kind="warn">The Editor has no draft any more. B is the last one, until it is switched off.</Note>
    case 'changed':
      return (
        <Note kind="warn">
          <div className={own['changed']}>
            <p>The draft, or what it builds on, has changed. B is still the one from before.</p>
            <Button small onClick={onRun}>
              Run the new one
            </Button>
          </div>
        </Note>
      )
  }
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
            {differentShare(shadow)}
          </td>
        </tr>
      </tbody>
    </table>
  )
}
