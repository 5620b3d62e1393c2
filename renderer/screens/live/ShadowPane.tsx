import { useState } from 'react'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { LiveState, ShadowReport } from '../../../core/contract/live.ts'
import { Button } from '../../components/Button.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Note } from '../../components/Note.tsx'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { ProblemNote } from '../../components/States.tsx'
import { openPage } from '../../state/route.ts'
import { isTrusted } from './sentence.ts'
import { assumedSentence, differentShare, shadowRows, shadowSpan, type ShadowRow } from './shadow.data.ts'
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
                B is unreliable: engine and server agree on schema and level for fewer than 99 % of requests.
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
  'Both get the same requests. B takes the run time that each request really had, and that of similar requests where A rejected one. Where B would dispatch a request before A does, B waits until its run time is known and falls behind. B never affects a request: its queues and waits are only computed.'
const MEANING: Readonly<Record<LiveState['mode'], string>> = {
  enforce: `A is the configuration in force, B is the draft. ${NEVER}`,
  shadow: `A is the configuration in force, B is the draft. ${NEVER}`,
  feed: `A is the configuration of the feed, B is the draft. ${NEVER}`,
  simulation:
    'A is the configuration in force on the simulated server, B is the draft. Both receive the same requests; clients get only the responses of A.',
}

function Off({ exists }: { readonly exists: boolean }) {
  return (
    <div className={styles['prose']}>
      {exists ? (
        <p>Turn on to run the draft on the same requests, beside the configuration in force.</p>
      ) : (
        <>
          <p>There is no draft. Change an object in the Editor to compare the draft with the configuration in force.</p>
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
      return (
        <Note kind="warn">The Editor no longer has a draft. B keeps running the last one until you turn it off.</Note>
      )
    case 'changed':
      return (
        <Note kind="warn">
          <div className={own['changed']}>
            <p>The draft or the objects under it have changed. B still runs the previous draft.</p>
            <Button small onClick={onRun}>
              Run the new draft
            </Button>
          </div>
        </Note>
      )
  }
}

function Comparison({ shadow }: { readonly shadow: ShadowReport }) {
  return (
    <PlainTable
      caption="Configuration in force and draft"
      className={styles['small']}
      columns={COMPARISON}
      rows={shadowRows(shadow)}
      rowKey={({ what }) => what}
      foot={[{ what: { text: 'decided differently' }, a: { text: differentShare(shadow), span: 2 } }]}
    />
  )
}

const COMPARISON: readonly DataColumn<ShadowRow>[] = [
  { id: 'what', header: 'What', hiddenHeader: true, rowHeader: true, cell: ({ what }) => what },
  { id: 'a', header: 'A now', align: 'right', cell: ({ a }) => a },
  {
    id: 'b',
    header: 'B draft',
    align: 'right',
    look: ({ verdict }) => verdict && styles[verdict],
    cell: ({ b, verdict }) => (
      <>
        {b}
        {verdict !== undefined && <span className="sr-only"> {verdict}</span>}
      </>
    ),
  },
]
