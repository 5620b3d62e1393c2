import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { Segment } from '../../components/Segment.tsx'
import { classes } from '../../components/classes.ts'
import { isTyping } from '../../components/keys.ts'
import { NARROW, useMedia } from '../../components/useMedia.ts'
import { liveRows, useLiveState } from '../../state/live.ts'
import { useRoute } from '../../state/route.ts'
import { settingsNow } from '../../state/settings.ts'
import { useViewPart } from '../../state/view.ts'
import { FilterBar } from './FilterBar.tsx'
import { LiveNow } from './LiveNow.tsx'
import { LiveStream } from './LiveStream.tsx'
import { setFilter } from './query.ts'
import { RequestPane } from './RequestPane.tsx'
import { EngineSide, TrafficSide } from './Sides.tsx'
import type { Span } from './TrafficPanes.tsx'
import { useSource } from './useSource.ts'
import styles from './live.module.css'

type Side = 'engine' | 'traffic'
const MOST_PINS = 20

/** Requests one by one as they pass, of the connected proxy, feed or simulation. */
export function LiveView() {
  const state = useLiveState()
  const { object } = useRoute()
  const input = useRef<HTMLInputElement>(null)
  const source = useSource()
  // A file stays one when the console behind it goes.
  const still = useViewPart((view) => view.mode === 'still')
  const [opened, setOpened] = useState<LiveRequest>()
  const [pinned, setPinned] = useState<readonly LiveRequest[]>([])
  const [side, setSide] = useState<Side>()
  const [span, setSpan] = useState<Span>()
  // An address may carry a filter.
  useEffect(() => {
    if (object !== undefined) setFilter(object)
  }, [object])
  const pin = useCallback(
    (row: LiveRequest) =>
      setPinned((old) =>
        old.some(({ seq }) => seq === row.seq)
          ? old.filter(({ seq }) => seq !== row.seq)
          : [...old, row].slice(-MOST_PINS),
      ),
    [],
  )
  // Wherever the focus is, the sidebar included.
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
      if (event.key !== 'f' || !plain || !settingsNow().singleKeys) return
      if (event.defaultPrevented || document.querySelector('[role="dialog"]') !== null) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  const shown = side ?? (state?.mode === 'observe' || state?.mode === 'feed' ? 'engine' : 'traffic')
  const narrow = useMedia(NARROW)
  const server = state?.mode !== 'simulation'
  const room = useMemo(() => ({ narrow, server }), [narrow, server])
  const old = source === 'stale' || source === 'unreached'
  return (
    <div className={styles['page']}>
      <LiveNow state={state} source={source} />
      <FilterBar inputRef={input} />
      <div className={styles['body']}>
        <div className={styles['left']}>
          <LiveStream room={room} opened={opened} pinned={pinned} stale={old} onOpen={setOpened} onPin={pin} />
        </div>
        <aside className={classes(styles['side'], old && styles['stale'])} aria-label="About these requests">
          {opened !== undefined && (
            <RequestPane
              row={liveRows.at(opened.seq) ?? opened}
              server={server}
              pinned={pinned.some(({ seq }) => seq === opened.seq)}
              onPin={() => pin(liveRows.at(opened.seq) ?? opened)}
              onClose={() => setOpened(undefined)}
            />
          )}
          <div className={styles['sides']}>
            <Segment
              label="About these requests"
              value={shown}
              options={[
                { value: 'traffic', label: 'Traffic' },
                { value: 'engine', label: 'Engine and server' },
              ]}
              onChange={setSide}
            />
          </div>
          {shown === 'engine' ? (
            <EngineSide state={state} still={still} />
          ) : (
            <TrafficSide
              mode={state?.mode}
              // Nothing more comes from a file: its last minute is no better than the others.
              span={span ?? (still ? 'all' : '1')}
              opened={opened}
              still={still}
              onSpan={setSpan}
              onOpen={setOpened}
            />
          )}
        </aside>
      </div>
    </div>
  )
}
