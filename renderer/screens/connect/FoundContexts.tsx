import { useState } from 'react'
import type { FoundContext } from '../../../core/contract/source.ts'
import { classes } from '../../components/classes.ts'
import { inputClass } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import styles from './Connect.module.css'

/** As many contexts as are seen at a glance. */
const MANY = 8

/** Those in whose name, server or user every word occurs; the current one comes first, as the main side sorts them. */
export function matching(found: readonly FoundContext[], search: string): readonly FoundContext[] {
  const words = search.toLowerCase().split(/\s+/)
  return found.filter(({ context, server, user }) => {
    const text = `${context} ${server} ${user}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** Contexts of the kubeconfig files of this machine. */
export function FoundContexts(props: {
  readonly found: readonly FoundContext[] | undefined
  readonly chosen: string | undefined
  readonly onChoose: (context: FoundContext) => void
}) {
  const { found, chosen, onChoose } = props
  const [search, setSearch] = useState('')
  const shown = found === undefined ? [] : matching(found, search)
  return (
    <Pane title="Found on this machine">
      {(found?.length ?? 0) > MANY && (
        <div className={styles['search']}>
          <input
            className={inputClass}
            type="search"
            aria-label="Search contexts"
            placeholder={`Search ${found?.length ?? 0} contexts`}
            spellCheck={false}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
      )}
      <ul className={classes(styles['list'], shown.length > MANY && styles['long'])}>
        {shown.map((context) => (
          <li key={`${context.file} ${context.context}`} className={styles['row']}>
            <button
              type="button"
              className={styles['pick']}
              aria-pressed={chosen === context.context || (chosen === '' && context.current)}
              title={context.problem ?? context.server}
              onClick={() => onChoose(context)}
            >
              <span className={classes('mono', styles['ellipsis'])}>{context.context}</span>
              <span className={classes(styles['quiet'], context.problem !== undefined && styles['warn'])}>
                {context.problem !== undefined ? 'unusable' : context.current ? 'current' : 'kubeconfig'}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className={styles['caption']}>
        {found?.length === 0
          ? 'No kubeconfig was found. Name one under “Direct to kube-apiserver”.'
          : shown.length === 0 && search !== ''
            ? 'No context, server or user matches.'
            : 'Names come from files here. No address is contacted until you choose it.'}
      </p>
    </Pane>
  )
}
