import { useEffectEvent, useMemo, useState } from 'react'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { Button } from '../../components/Button.tsx'
import { classes } from '../../components/classes.ts'
import { liveRows, liveStore, readOlder, useLiveVersion } from '../../state/live.ts'
import { useSettings } from '../../state/settings.ts'
import { format } from '../../theme/format.ts'
import { shownColumns, type Room } from './columns.tsx'
import { ColumnsMenu } from './ColumnsMenu.tsx'
import { NothingYet } from './NothingYet.tsx'
import { setFilter, useQuery } from './query.ts'
import { StreamList } from './StreamList.tsx'
import { useHold, type HoldReason } from './useHold.ts'
import styles from './live.module.css'

const WHILE: Readonly<Record<HoldReason | 'paused', string>> = {
  pointer: 'the list holds still while the pointer is on it',
  focus: 'the list holds still while the focus is in it',
  scrolled: 'the list holds still while it is scrolled',
  paused: 'paused',
}

export interface LiveStreamProps {
  readonly room: Room
  readonly opened: LiveRequest | undefined
  readonly pinned: readonly LiveRequest[]
  readonly stale: boolean
  readonly onOpen: (row: LiveRequest | undefined) => void
  readonly onPin: (row: LiveRequest) => void
}

/** The request stream and the line below it; drawn anew at most ten times a second. */
export function LiveStream({ room, opened, pinned, stale, onOpen, onPin }: LiveStreamProps) {
  useLiveVersion()
  const query = useQuery()
  const [{ liveColumns }] = useSettings()
  const columns = useMemo(() => shownColumns(liveColumns, room), [liveColumns, room])
  const hold = useHold(query)
  const complete = liveStore((live) => live.complete)
  const [reading, setReading] = useState(false)
  const readMore = useEffectEvent(() => {
    if (reading || complete || liveRows.count === 0) return
    setReading(true)
    const read = async (): Promise<void> => {
      await readOlder()
      setReading(false)
      hold.extend()
    }
    void read()
  })
  const withoutRow = liveStore(({ state }) => state?.withoutRow ?? 0)
  const known = liveRows.count
  const hidden = known - hold.count
  const holding =
    hold.why === undefined
      ? 'Newest first; p pins a row.'
      : `${format.seats(hold.newer)} newer above; ${WHILE[hold.why]}`
  const buffer = reading
    ? 'reading older requests'
    : `buffer ${format.seats(known)} of ${format.seats(liveRows.capacity)} requests, ${format.seats(liveRows.missing)} dropped${withoutRow === 0 ? '' : `, ${format.seats(withoutRow)} too many to list`}`
  return (
    <section
      aria-label="Request stream"
      data-pane=""
      tabIndex={-1}
      className={classes(styles['stream'], hold.count === 0 && styles['empty'])}
    >
      <StreamList
        columns={columns}
        hold={hold}
        pinned={pinned.map((row) => liveRows.at(row.seq) ?? row)}
        opened={opened?.seq}
        stale={stale}
        onOpen={onOpen}
        onPin={onPin}
        onOldest={() => readMore()}
      />
      {known === 0 && <NothingYet />}
      {hold.count === 0 && known > 0 && (
        <p className={styles['none']}>
          {query.matches.testedFrom > liveRows.first
            ? 'No request passes this filter so far; older requests are being searched. '
            : `No request passes this filter; ${format.seats(hidden)} are hidden. `}
          <Button small onClick={() => setFilter('')}>
            Clear the filter
          </Button>
        </p>
      )}
      <footer className={styles['foot']}>
        <p title={holding}>{holding}</p>
        {hold.why !== undefined && hold.why !== 'paused' && (
          <Button
            small
            onClick={({ currentTarget }) => {
              currentTarget.closest('section')?.querySelector('[role="grid"]')?.parentElement?.scrollTo({ top: 0 })
              hold.release()
            }}
          >
            Show the newest
          </Button>
        )}
        <p className={styles['buffer']} title={buffer}>
          {buffer}
        </p>
        <ColumnsMenu room={room} />
      </footer>
    </section>
  )
}
