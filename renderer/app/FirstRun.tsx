import { Button } from '../components/Button.tsx'
import { Icon } from '../components/Icon.tsx'
import { Term } from '../components/Term.tsx'
import { useConnected } from '../state/connection.ts'
import { useContexts } from '../state/contexts.ts'
import { openScreen, useRoute } from '../state/route.ts'
import { changeSettings, useSettings } from '../state/settings.ts'
import styles from './FirstRun.module.css'

const NOTES = [
  {
    id: 'seats',
    title: 'A level is a bar of seats',
    text: 'A request holds one or more seats while it executes. Solid is executing, pale is free, and the white post is the current limit.',
    more: <Term id="seat">Glossary: seat</Term>,
  },
  {
    id: 'nominal',
    title: 'Dashed is the nominal limit',
    text: 'It follows from the level’s shares. Levels lend seats they do not need, so the current limit can be below or above it. Neither is a fault.',
    more: (
      <button type="button" className={styles['link']} onClick={() => openScreen('allocation')}>
        Explain these limits
      </button>
    ),
  },
  {
    id: 'reallocation',
    title: 'Limits move every 10 seconds',
    text: 'The ring at the bottom right counts down to the next reallocation. Between two of them, limits stay constant.',
    more: (
      <button type="button" className={styles['link']} onClick={() => openScreen('allocation')}>
        Step through one
      </button>
    ),
  },
] as const

/** Whether what is shown is not the reader's own cluster, so that the way to it is offered. */
export function useIsExample(): boolean {
  const kind = useConnected()?.source.kind
  return kind === 'simulation' || kind === 'demo'
}

/** Whether the notes stand beside the screen. */
export function useFirstRunNotes(): boolean {
  const { screen } = useRoute()
  const [{ dismissed }] = useSettings()
  const example = useIsExample()
  return example && screen === 'overview' && NOTES.some(({ id }) => !dismissed.includes(id))
}

/** How to read the Overview, until it is dismissed, and the way to one's own cluster. */
export function FirstRun() {
  const [{ dismissed }] = useSettings()
  const { found = [] } = useContexts('')
  const usable = found.filter(({ problem }) => problem === undefined).length
  return (
    <aside className={styles['notes']} aria-label="Reading this screen" data-pane="" tabIndex={-1}>
      <header className={styles['head']}>
        <h2>Reading this screen</h2>
        <button
          type="button"
          className={styles['link']}
          onClick={() => changeSettings({ dismissed: NOTES.map(({ id }) => id) })}
        >
          Hide all
        </button>
      </header>
      <ol className={styles['list']}>
        {NOTES.map(({ id, title, text, more }, index) =>
          dismissed.includes(id) ? null : (
            <li key={id} className={styles['note']}>
              <span className={styles['number']} aria-hidden="true">
                {index + 1}
              </span>
              <div>
                <h3>{title}</h3>
                <p>{text}</p>
                {more}
              </div>
              <button
                type="button"
                className={styles['close']}
                aria-label={`Hide: ${title}`}
                onClick={() => changeSettings({ dismissed: [...dismissed, id] })}
              >
                <Icon name="cross" size={11} />
              </button>
            </li>
          ),
        )}
      </ol>
      <section className={styles['own']}>
        <h3>Your own cluster</h3>
        <p>
          {usable > 0 && `${usable} ${usable === 1 ? 'context' : 'contexts'} found in your kubeconfig. `}
          No cluster is contacted until you choose one. The console only reads.
        </p>
        <Button primary onClick={() => openScreen('connection')}>
          <Icon name="connection" size={13} /> Connect your cluster
        </Button>
      </section>
    </aside>
  )
}
