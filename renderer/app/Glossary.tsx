import { useEffect, useRef, useState } from 'react'
import { classes } from '../components/classes.ts'
import { inputClass } from '../components/Field.tsx'
import { GLOSSARY, type TermId } from '../glossary/glossary.ts'
import { relatedTo } from '../glossary/related.ts'
import { scrollRegion } from '../components/scrollRegion.ts'
import { openTerm } from '../state/glossary.ts'
import { foundTopics } from './glossary.data.ts'
import styles from './Glossary.module.css'

/** All terms under their headings, to be searched; the one that was asked for is marked, with what belongs to it. */
export function Glossary({ term }: { readonly term: TermId | undefined }) {
  const [query, setQuery] = useState('')
  const topics = foundTopics(query)
  const follow = (id: TermId): void => {
    setQuery('')
    openTerm(id)
  }
  return (
    <section className={styles['glossary']} aria-label="Glossary">
      <div className={styles['search']}>
        <h3>Glossary</h3>
        <input
          type="search"
          className={inputClass}
          aria-label="Search the glossary"
          placeholder="Search"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </div>
      <div className={styles['entries']} {...scrollRegion('Terms')}>
        {topics.length === 0 && <p className={styles['none']}>{`No term or sentence holds “${query}”.`}</p>}
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
      </div>
    </section>
  )
}

function Entry(props: { readonly id: TermId; readonly open: boolean; readonly onFollow: (id: TermId) => void }) {
  const { id, open, onFollow } = props
  const [term, sentence] = GLOSSARY[id]
  const entry = useRef<HTMLDivElement>(null)
  const name = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    entry.current?.scrollIntoView?.({ block: 'nearest' })
    name.current?.focus({ preventScroll: true })
  }, [open])
  return (
    <div ref={entry} className={classes(styles['entry'], open && styles['open'])}>
      <dt>
        <button ref={name} type="button" aria-expanded={open} onClick={() => onFollow(id)}>
          {term}
        </button>
      </dt>
      <dd>{sentence}</dd>
      {open && (
        <dd className={styles['related']}>
          see also
          {relatedTo(id).map((other) => (
            <button key={other} type="button" onClick={() => onFollow(other)}>
              {GLOSSARY[other][0]}
            </button>
          ))}
        </dd>
      )}
    </div>
  )
}
