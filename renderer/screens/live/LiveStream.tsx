import { useEffectEvent, useMemo, useState } from 'react'
import { DropdownMenu } from 'radix-ui'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { requestCsv } from '../../../core/live/requestCsv.ts'
import { Button, Copy } from '../../components/Button.tsx'
import { classes } from '../../components/classes.ts'
import { downloadCsv, exportName } from '../../components/csv.ts'
import { liveRows, liveStore, readOlder, useLiveVersion, useLiveState } from '../../state/live.ts'
import { useSettings } from '../../state/settings.ts'
import { format } from '../../theme/format.ts'
import { EmptyState } from '../../components/States.tsx'
import { openScreen } from '../../state/route.ts'
import { Icon } from '../../components/Icon.tsx'
import { useInsideMain } from '../../components/hooks.ts'
import menu from '../../components/controls.module.css'
import { shownColumns, type Room, STREAM_COLUMNS, withColumn } from './columns.tsx'
import { setFilter, useQuery } from './query.ts'
import { StreamList, useHold, type HoldReason } from './StreamList.tsx'
import styles from './live.module.css'
import stream from './stream.module.css'

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

/** The request stream and the line below it; redrawn at most ten times a second. */
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
        <p className="grow pad-x pad-y-12 placed muted">
          {query.matches.testedFrom > liveRows.first
            ? 'No request matches this filter so far; older requests are being searched. '
            : `No request matches this filter; ${format.seats(hidden)} are hidden. `}
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
        <Button
          small
          aria-label="Save the requests as CSV"
          title="The requests that pass the filter, oldest first, with all columns"
          disabled={hold.count === 0}
          onClick={() => {
            const rows = Array.from({ length: hold.count }, (_, place) => hold.at(hold.count - 1 - place) ?? [])
            downloadCsv(exportName('live', Date.now()), requestCsv(rows.flat()))
          }}
        >
          <Icon name="download" size={13} /> CSV
        </Button>
        <ColumnsMenu room={room} />
      </footer>
    </section>
  )
}

/** What to do while nothing has arrived. */
function NothingYet() {
  const state = useLiveState()
  return (
    <EmptyState
      title={state?.address === undefined ? 'Waiting for requests.' : 'Send the first request.'}
      actions={
        state?.address === undefined ? undefined : (
          <>
            <Copy text={state.address} label="Copy the address" />
            <Button small onClick={() => openScreen('connection')}>
              How to send requests
            </Button>
          </>
        )
      }
    >
      {state?.address === undefined ? (
        <p>Requests appear here as the source reports them.</p>
      ) : (
        <p>
          Send requests to <span className="mono">{state.address}</span>; they appear here as they arrive.
        </p>
      )}
    </EmptyState>
  )
}

/** Which columns are shown; stored with the settings. */
function ColumnsMenu({ room }: { readonly room: Room }) {
  const [{ liveColumns }, change] = useSettings()
  const shown = shownColumns(liveColumns, room)
  const { container, onOpenChange } = useInsideMain()
  return (
    <DropdownMenu.Root modal={false} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>
        <Button small>
          <Icon name="table" size={13} /> Columns
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content className={menu['menu']} align="end" sideOffset={4} collisionPadding={8}>
          {STREAM_COLUMNS.map((column) => (
            <DropdownMenu.CheckboxItem
              key={column.id}
              className={menu['item']}
              checked={shown.includes(column)}
              // The last column stays: an empty list shows nothing.
              disabled={shown.length === 1 && shown.includes(column)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(checked) =>
                change({ liveColumns: [...withColumn(liveColumns, column, checked, room)] })
              }
            >
              <span className={stream['tick']}>
                <DropdownMenu.ItemIndicator>
                  <Icon name="check" size={12} />
                </DropdownMenu.ItemIndicator>
              </span>
              <b className={stream['columnName']}>{column.header}</b>
              <span className="faint">{column.title}</span>
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
