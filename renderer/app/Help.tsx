import { Dialog } from 'radix-ui'
import { Fragment, useEffect, useRef, useState } from 'react'
import { holdsWords } from '../../core/text/text.ts'
import { Button, Check } from '../components/Button.tsx'
import { classes, scrollRegion } from '../components/classes.ts'
import { closeTerm, type EntryId, glossaryStore, openTerm } from '../state/glossary.ts'
import { useSettings } from '../state/settings.ts'
import { setOverlay, shellStore } from '../state/shell.ts'
import dialog from '../components/Dialog.module.css'
import { inputClass } from '../components/Field.tsx'
import { CONCEPTS, conceptsOf, conceptsWith, REFERENCES, isConcept } from '../../core/glossary/concepts.ts'
import { GLOSSARY, type TermId, relatedTo, GLOSSARY_TOPICS, type GlossaryTopic } from '../../core/glossary/glossary.ts'
import styles from './Help.module.css'

/** Keys and terms: opened by its key, or by a term, whose entry it then shows. `keys`: whether the page has any. */
export function KeyHelp({ keys = true }: { readonly keys?: boolean }) {
  const asked = shellStore(({ overlay }) => overlay === 'help')
  const term = glossaryStore((state) => state.term)
  const onOpenChange = (open: boolean): void => {
    setOverlay('help', open)
    if (!open) closeTerm()
  }
  return (
    <Dialog.Root open={asked || term !== undefined} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className={dialog['veil']} />
        <Dialog.Content
          className={classes(dialog['dialog'], dialog['wide'], styles['help'])}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // The requested entry takes the focus itself.
            if (term !== undefined) event.preventDefault()
          }}
        >
          <header className={dialog['head']}>
            <Dialog.Title>{keys ? 'Shortcuts and glossary' : 'Glossary'}</Dialog.Title>
            <Dialog.Close asChild>
              <Button small className="push">
                Close
              </Button>
            </Dialog.Close>
          </header>
          <div className={styles['columns']}>
            <Glossary term={term} />
            {keys && <Keys />}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The keys as the help lists them. */
export const SHORTCUTS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K', 'Go to: screens, levels, schemas, flows, actions, settings, scenarios, sources, terms'],
  [
    '1 to 9',
    'Overview, Level, Allocation, Classify, Live requests, Editor, Recordings, Compare, Connection; again: its next page',
  ],
  ['H  W  A  D', 'Fleet: all connected sources; What-if; Alerts; Diagnosis'],
  ['0', 'etcd, while an etcd proxy is shown'],
  ['Ctrl ,', 'Settings'],
  [',  .', 'Allocation: previous, next round'],
  ['[  ]', 'Previous, next level'],
  ['Ctrl O', 'Choose source and server'],
  ['Ctrl B', 'Sidebar or rail'],
  ['F6', 'Next pane; with Shift the previous one'],
  ['Space', 'Pause, resume'],
  ['L', 'Back to live; of a source that is over: its last sample'],
  ['R', 'Try a fix: the remedy of the first cause as a draft'],
  ['X', 'Explain the limit of the selected level'],
  ['←  →', 'Cursor one sample; with Shift one 10 s round'],
  ['+  −', 'Zoom in, zoom out'],
  ['<  >', 'Move the range by half of its length'],
  ['Backspace', 'Previous range; with Shift the next one'],
  ['Wheel', 'Over the time bar: zoom, with Shift move; over a chart with Ctrl or Shift'],
  ['t c  t v', 'Copy, paste the time range'],
  ['T', 'Show the focused chart as a table'],
  ['S', 'Sort by the column of the focused cell'],
  ['Enter', 'Open the focused row'],
  ['N  F', 'Draft: new object, filter the objects; live requests: filter'],
  ['Ctrl Z', 'Draft: undo; with Shift redo'],
  ['Ctrl Enter', 'Draft: dry run; with Shift apply (needs confirmation)'],
  ['Esc', 'Close; clear the cursor'],
  ['?', 'This list and the glossary'],
]

const Keys = () => (
  <section className={`${styles['column']} pad-x pad-y-12 line-left scroll`} {...scrollRegion('Keys')}>
    <h3>Keys</h3>
    <dl className={styles['keys']}>
      {SHORTCUTS.map(([keys, does]) => (
        <Shortcut key={keys} keys={keys} does={does} />
      ))}
    </dl>
    <SingleKeys />
  </section>
)

const Shortcut = ({ keys, does }: { readonly keys: string; readonly does: string }) => (
  <>
    <dt>
      <kbd className={dialog['kbd']}>{keys}</kbd>
    </dt>
    <dd>{does}</dd>
  </>
)

function SingleKeys() {
  const [{ singleKeys }, change] = useSettings()
  return (
    <div className={styles['switch']}>
      <Check
        label="Single letters and digits act at once"
        checked={singleKeys}
        onChange={(on) => change({ singleKeys: on })}
      />
    </div>
  )
}

/** All terms under their headings, searchable; the requested one is marked, with its related terms. */
function Glossary({ term }: { readonly term: EntryId | undefined }) {
  const [query, setQuery] = useState('')
  const topics = foundTopics(query)
  const concepts = conceptsWith(holdsWords(query))
  const follow = (id: EntryId): void => {
    setQuery('')
    openTerm(id)
  }
  return (
    <section className="column shrink-y" aria-label="Glossary">
      <div className={styles['search']}>
        <h3 className="large">Glossary</h3>
        <input
          type="search"
          className={inputClass}
          aria-label="Search the glossary"
          placeholder="Search"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </div>
      <div className={`${styles['entries']} shrink-y pad-b-12 scroll`} {...scrollRegion('Terms')}>
        {topics.length === 0 && concepts.length === 0 && (
          <p className={styles['none']}>{`No term or text contains “${query}”.`}</p>
        )}
        {topics.map(({ title, ids }) => (
          <section key={title}>
            <h4>{title}</h4>
            <dl>
              {ids.map((id) => (
                <Entry key={id} id={id} open={id === term} onFollow={follow} />
              ))}
            </dl>
          </section>
        ))}
        {concepts.length > 0 && (
          <section>
            <h4>Concepts</h4>
            <dl>
              {concepts.map((id) => (
                <Entry key={id} id={id} open={id === term} onFollow={follow} />
              ))}
            </dl>
            <p className={styles['none']}>
              See also{' '}
              {REFERENCES.map(([name, url], index) => (
                <Fragment key={url}>
                  {index > 0 && ' and '}
                  <a href={url} target="_blank" rel="noreferrer">
                    {name}
                  </a>
                </Fragment>
              ))}
            </p>
          </section>
        )}
      </div>
    </section>
  )
}

/** Title and text of a term or concept, and what belongs to it. */
function entryOf(id: EntryId): { title: string; text: readonly string[]; related: readonly EntryId[] } {
  if (isConcept(id)) return { title: CONCEPTS[id].title, text: CONCEPTS[id].paragraphs, related: CONCEPTS[id].terms }
  const [title, sentence] = GLOSSARY[id]
  return { title, text: [sentence], related: [...relatedTo(id), ...conceptsOf(id)] }
}

function Entry(props: { readonly id: EntryId; readonly open: boolean; readonly onFollow: (id: EntryId) => void }) {
  const { id, open, onFollow } = props
  const { title, text, related } = entryOf(id)
  const entry = useRef<HTMLDivElement>(null)
  const name = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    entry.current?.scrollIntoView?.({ block: 'nearest' })
    name.current?.focus({ preventScroll: true })
  }, [open])
  return (
    <div ref={entry} className={classes(styles['entry'], open && styles['open'])}>
      <dt className="strong">
        <button ref={name} type="button" aria-expanded={open} onClick={() => onFollow(id)}>
          {title}
        </button>
      </dt>
      {text.map((paragraph) => (
        <dd key={paragraph}>{paragraph}</dd>
      ))}
      {open && (
        <dd className={styles['related']}>
          see also
          {related.map((other) => (
            <button key={other} type="button" onClick={() => onFollow(other)}>
              {entryOf(other).title}
            </button>
          ))}
        </dd>
      )}
    </div>
  )
}

/** The topics with the terms that contain every word of a query; topics without any are left out. */
export function foundTopics(query: string): readonly GlossaryTopic[] {
  const holds = holdsWords(query)
  return GLOSSARY_TOPICS.map(({ title, ids }) => ({
    title,
    ids: ids.filter((id: TermId) => holds(`${GLOSSARY[id].join(' ')} ${id}`)),
  })).filter(({ ids }) => ids.length > 0)
}
