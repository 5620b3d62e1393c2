import { memo, useMemo, useState } from 'react'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { Button } from '../../../components/Button.tsx'
import { classes } from '../../../components/classes.ts'
import { Field, inputClass } from '../../../components/Field.tsx'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { takeRequest } from '../../../state/request.ts'
import { format } from '../../../theme/format.ts'
import { NoDumps } from '../shared/NoDumps.tsx'
import { filteredSeen, seenRequests, type SeenRequest } from '../shared/seen.data.ts'
import styles from './request.module.css'

const MOST = 60

/** A request that waits or executes now; the list holds still until the reader takes a newer dump. */
export const SeenForm = memo(function SeenForm(props: {
  readonly server: string | undefined
  readonly dump: DumpFrame | undefined
}) {
  const { server, dump } = props
  const [held, setHeld] = useState(dump)
  const [filter, setFilter] = useState('')
  const shown = held?.server === dump?.server ? (held ?? dump) : dump
  if (shown !== held) setHeld(shown)
  const seen = useMemo(() => seenRequests(shown?.requests ?? []), [shown])
  const filtered = useMemo(() => filteredSeen(seen, filter), [seen, filter])
  if (shown?.requests === undefined) {
    return (
      <div className={styles['form']}>
        <NoDumps server={server} dump={dump} what="Single requests" />
      </div>
    )
  }
  const hidden = filtered.length - MOST
  return (
    <div className={styles['form']}>
      <Field
        label="Filter"
        hint={`${format.fixed(filtered.length)} of ${format.fixed(seen.length)} requests of the dump of ${format.time(unixMsOf(shown.at))}. Their groups are guessed from the user’s name.`}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            className={inputClass}
            value={filter}
            placeholder="user, verb, path, schema"
            spellCheck={false}
            onChange={({ target }) => setFilter(target.value)}
          />
        )}
      </Field>
      <Button small onClick={() => setHeld(dump)} disabled={dump === shown}>
        Take the newest dump
      </Button>
      {filtered.length === 0 ? (
        <p className={styles['quiet']}>
          {seen.length === 0 ? 'Nothing waits or executes in this dump.' : 'No request passes this filter.'}
        </p>
      ) : (
        <ul className={classes(styles['list'], styles['seen'])} aria-label="Requests of the dump">
          {filtered.slice(0, MOST).map((row) => (
            <li key={row.key}>
              <SeenItem row={row} />
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && <p className={styles['quiet']}>{`${format.fixed(hidden)} more; filter to find them.`}</p>}
    </div>
  )
})

function SeenItem({ row }: { readonly row: SeenRequest }) {
  const { words, user, namespace, level, schema, waiting, executing, request } = row
  const counts = [waiting > 0 && `${waiting} queued`, executing > 0 && `${executing} executing`].filter(Boolean)
  return (
    <button type="button" className={styles['item']} title={request.url} onClick={() => takeRequest(request)}>
      <span className={styles['itemText']}>
        <span className="mono">{namespace === '' ? words : `${words} in ${namespace}`}</span>
        <span className={styles['quiet']}>{`${user}, ${counts.join(', ')}`}</span>
      </span>
      <span title={schema}>
        <LevelChip name={level} />
      </span>
    </button>
  )
}
