import { format } from '../theme/format.ts'
import type { ReactNode } from 'react'
import { Button } from '../components/Button.tsx'
import { Icon } from '../components/Icon.tsx'
import { NoteNumber } from '../components/NowLine.tsx'
import { Note } from '../components/States.tsx'
import { Term } from '../components/Term.tsx'
import { useMedia } from '../components/hooks.ts'
import { useConnected } from '../state/connection.ts'
import { useContexts } from '../state/contexts.ts'
import { dismiss } from '../state/dismissed.ts'
import { useDraft } from '../state/draft.ts'
import { draftApplyStore } from '../state/draftApply.ts'
import { NOTE_IDS, type NoteId } from '../state/firstRun.ts'
import { beginTask, TASK_STEPS, toStep } from '../state/firstTask.ts'
import { openPage, openScreen, useRoute } from '../state/route.ts'
import { useSettings } from '../state/settings.ts'
import states from '../components/States.module.css'
import styles from './FirstRun.module.css'

interface NoteText {
  readonly title: string
  readonly text: string
  readonly more: ReactNode
}

const NOTES: Readonly<Record<NoteId, NoteText>> = {
  seats: {
    title: 'A level is a bar of seats',
    text: 'A request holds one or more seats while it executes. Solid is executing, pale is free, and the post is the current limit.',
    more: <Term id="seat">Glossary: seat</Term>,
  },
  nominal: {
    title: 'Dashed is the nominal limit',
    text: 'It follows from the level’s shares. Levels lend seats they do not need, so the current limit can be below or above it. Neither is a fault.',
    more: (
      <button type="button" className={styles['link']} onClick={() => openScreen('allocation')}>
        Explain these limits
      </button>
    ),
  },
  reallocation: {
    title: 'Limits move every 10 seconds',
    text: 'The ring at the bottom right counts down to the next reallocation. Between two of them, limits stay constant.',
    more: (
      <button type="button" className={styles['link']} onClick={() => openScreen('allocation')}>
        Step through one
      </button>
    ),
  },
  task: {
    title: 'Now find a culprit',
    text: 'Levels keep a flood from the rest; inside a level, queues serve its flows in turn. Find the flow that fills workload-low, try a fix, and see its effect: three steps, two minutes, on the simulation alone.',
    more: (
      <button
        type="button"
        className={styles['link']}
        onClick={() => {
          beginTask()
          openScreen('diagnosis')
        }}
      >
        Find the culprit
      </button>
    ),
  },
}

/** Below this width a column of notes leaves the headline too little room. */
const BELOW = '(max-width: 1400px)'

/**
 * How to read the Overview, until it is dismissed, and how to connect a cluster. Next to the screen; where there is no
 * room for a column, one note after the other below it.
 */
export function FirstRun() {
  const [{ dismissed }] = useSettings()
  const narrow = useMedia(BELOW)
  const { found = [] } = useContexts('')
  const usable = found.filter(({ problem }) => problem === undefined).length
  const left = NOTE_IDS.filter((id) => !dismissed.includes(id))
  return (
    <aside className={styles['notes']} aria-label="Reading this screen" data-pane="" tabIndex={-1}>
      <header className={`${styles['head']} flex baseline between pad-x pad-y-12 line-below`}>
        <h2 className="large strong">Reading this screen</h2>
        <button type="button" className={styles['link']} onClick={() => dismiss(...NOTE_IDS)}>
          Hide all
        </button>
      </header>
      <ol className={styles['list']}>
        {(narrow ? left.slice(0, 1) : left).map((id) => (
          <FirstRunNote key={id} id={id} next={narrow && left.length > 1} onHide={() => dismiss(id)} />
        ))}
      </ol>
      <section className={styles['own']}>
        <h3 className="large strong">Your own cluster</h3>
        <p>
          {usable > 0 && `${format.counted(usable, 'context')} found in your kubeconfig. `}
          No cluster is contacted until you choose one. The console only reads.
        </p>
        <Button primary onClick={() => openScreen('connection')}>
          <Icon name="connection" size={13} /> Connect your cluster
        </Button>
      </section>
    </aside>
  )
}

interface FirstRunNoteProps {
  readonly id: NoteId
  /** Hiding it shows the next note. */
  readonly next: boolean
  readonly onHide: () => void
}

function FirstRunNote({ id, next, onHide }: FirstRunNoteProps) {
  const { title, text, more } = NOTES[id]
  return (
    <li className={styles['note']}>
      <NoteNumber note={id} />
      <div>
        <h3 className="large strong">{title}</h3>
        <p>{text}</p>
        {more}
      </div>
      {next ? (
        <Button small onClick={onHide}>
          Next
        </Button>
      ) : (
        <button type="button" className={styles['close']} aria-label={`Hide: ${title}`} onClick={onHide}>
          <Icon name="cross" size={11} />
        </button>
      )}
    </li>
  )
}

const STEPS = {
  culprit: ['Find the culprit', 'A flow floods workload-low again and again. Diagnosis names it while it does.'],
  fix: ['Try a fix', '“Try a fix” or an edit of the level is a draft. Switch editing on, and apply it.'],
  effect: ['See its effect', 'The Editor draws it beside the forecast once it is measured, 50 s after the edit.'],
} as const

/** The step of the first task that is next, above every screen of a simulation. */
export function FirstTask() {
  const [{ task }] = useSettings()
  const { screen } = useRoute()
  const drafted = useDraft().entries.length > 0
  const applied = draftApplyStore((store) => store.applied !== undefined)
  const kind = useConnected()?.source.kind
  if (task === 'none' || kind !== 'simulation') return null
  const at = TASK_STEPS.indexOf(task)
  const inEditor = task === 'effect' || (task === 'fix' && drafted)
  const open = (): void => {
    if (!inEditor) openScreen('diagnosis')
    // A page that was loaded since finds the effect in the journal.
    else openPage('editor', task === 'fix' || applied ? 'draft' : 'journal')
  }
  return (
    <aside aria-label="First task" className={states['notes']}>
      <Note kind="info">
        <div className="row wrap gap-12">
          <ol className="row gap-12">
            {TASK_STEPS.map((step, index) => (
              <li
                key={step}
                aria-current={step === task ? 'step' : undefined}
                className={step === task ? 'strong' : 'muted'}
              >
                {index < at ? <Icon name="check" size={11} /> : `${index + 1}.`} {STEPS[step][0]}
              </li>
            ))}
          </ol>
          <span>{STEPS[task][1]}</span>
          {screen !== (inEditor ? 'editor' : 'diagnosis') && (
            <Button small onClick={open}>
              {inEditor ? 'Open the Editor' : 'Open Diagnosis'}
            </Button>
          )}
          <Button small onClick={() => toStep('none')}>
            End the task
          </Button>
        </div>
      </Note>
    </aside>
  )
}
