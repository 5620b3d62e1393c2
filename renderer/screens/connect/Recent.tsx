import { useEffect, useState } from 'react'
import type { RecentSource, SourceSpec } from '../../../core/contract/source.ts'
import { unixMsOf } from '../../../core/units.ts'
import { classes } from '../../components/classes.ts'
import { Icon } from '../../components/Icon.tsx'
import { Pane } from '../../components/Pane.tsx'
import { client } from '../../state/client.ts'
import { format } from '../../theme/format.ts'
import styles from './Connect.module.css'

/** Sources used before, each one click away. */
export function Recent({ onOpen }: { readonly onOpen: (spec: SourceSpec) => void }) {
  const [recent, setRecent] = useState<readonly RecentSource[]>([])
  useEffect(() => {
    let current = true
    client()
      .call('sources.recent', null)
      .then(
        (list) => current && setRecent(list),
        () => undefined,
      )
    return () => {
      current = false
    }
  }, [])
  const forget = (at: string): void =>
    void client()
      .call('sources.forget', { at })
      .then(setRecent, () => undefined)
  if (recent.length === 0) return null
  return (
    <Pane title="Recent">
      <ul className={styles['list']}>
        {recent.map(({ at, name, spec }) => (
          <li key={at} className={styles['row']}>
            <button
              type="button"
              className={styles['pick']}
              title={`Connect to ${name}, last used ${format.dateTime(unixMsOf(at))}`}
              onClick={() => onOpen(spec)}
            >
              <span className={classes('mono', styles['ellipsis'])}>{name}</span>
            </button>
            <button type="button" className={styles['forget']} aria-label={`Forget ${name}`} onClick={() => forget(at)}>
              <Icon name="cross" size={11} />
            </button>
          </li>
        ))}
      </ul>
    </Pane>
  )
}
