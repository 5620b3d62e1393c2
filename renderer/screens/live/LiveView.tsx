import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { LiveRequest, LiveState } from '../../../core/contract/live.ts'
import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Segment } from '../../components/Segment.tsx'
import { classes } from '../../components/classes.ts'
import { isTyping } from '../../components/keys.ts'
import { liveRows, liveStore, useLiveState } from '../../state/live.ts'
import { openPage, useRoute } from '../../state/route.ts'
import { settingsNow } from '../../state/settings.ts'
import { useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import { AgreementPane, DifferencesPane } from './AgreementPane.tsx'
import { FilterBar } from './FilterBar.tsx'
import { LimitsPane } from './LimitsPane.tsx'
import { LiveStream } from './LiveStream.tsx'
import { setFilter, useQuery, type Query } from './query.ts'
import { RequestPane } from './RequestPane.tsx'
import { clockOf } from './row.ts'
import { MODE, nowSentence } from './sentence.ts'
import { ShadowPane } from './ShadowPane.tsx'
import { ExemptPane, FlowsPane, RejectedPane, type Minutes } from './TrafficPanes.tsx'
import { useSecond } from './useSecond.ts'
import styles from './live.module.css'

type Side = 'engine' | 'traffic'
const RATE_SECONDS = 10
const MOST_REJECTIONS = 30
const MOST_PINS = 20

/** Requests one by one as they pass, of the connected proxy, feed or simulation. */
export function LiveView() {
  const state = useLiveState()
  const { object } = useRoute()
  const input = useRef<HTMLInputElement>(null)
  const stale = useViewPart((view) => view.mode === 'stale')
  const [opened, setOpened] = useState<LiveRequest>()
  const [pinned, setPinned] = useState<readonly LiveRequest[]>([])
  const [side, setSide] = useState<Side>()
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
  const onKeyDown = (event: KeyboardEvent): void => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
    if (event.key !== 'f' || !plain || !settingsNow().singleKeys) return
    event.preventDefault()
    event.stopPropagation()
    input.current?.focus()
  }
  const shown = side ?? (state?.mode === 'shadow' || state?.mode === 'feed' ? 'engine' : 'traffic')
  return (
    // The key acts wherever on the page the focus is.
    <div className={styles['page']} role="presentation" onKeyDown={onKeyDown}>
      <Now state={state} stale={stale} />
      <FilterBar inputRef={input} />
      <div className={styles['body']}>
        <div className={styles['left']}>
          <LiveStream opened={opened} pinned={pinned} stale={stale} onOpen={setOpened} onPin={pin} />
        </div>
        <aside className={classes(styles['side'], stale && styles['stale'])} aria-label="About these requests">
          {opened !== undefined && (
            <RequestPane
              row={liveRows.at(opened.seq) ?? opened}
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
          {shown === 'engine' ? <EngineSide state={state} /> : <TrafficSide onOpen={setOpened} />}
        </aside>
      </div>
    </div>
  )
}

function Now({ state, stale }: { readonly state: LiveState | undefined; readonly stale: boolean }) {
  const clock = useSecond()
  const query = useQuery()
  const now = clockOf(liveRows.newestAt, clock)
  const { newestAt } = liveRows
  const dropped = liveStore((live) => live.problem)
  const sentence = nowSentence({
    filtered: query.text.trim() !== '',
    rate: query.tallies.read(now - RATE_SECONDS * 1_000).requests / RATE_SECONDS,
    agreement: query.tallies.read(now - 300_000).agreement.all,
    quietMs: newestAt === undefined ? undefined : Math.max(0, now - newestAt),
  })
  const mode = state === undefined ? undefined : MODE[state.mode]
  return (
    <NowLine
      title={stale ? 'The source tells nothing new.' : sentence}
      stale={stale}
      evidence={
        <>
          {state === undefined ? 'Waiting for the source.' : `${state.title}. ${mode?.sentence ?? ''}`}
          {state !== undefined && state.unreadable > 0 && (
            <span className={styles['queued']}>
              {' '}
              {format.seats(state.unreadable)} could not be placed
              {state.lastUnreadable === undefined ? '' : `; the last: ${state.lastUnreadable}`}.
            </span>
          )}
          {dropped !== undefined && ` ${dropped.message}`}
        </>
      }
      actions={
        <>
          {mode !== undefined && (
            <span
              className={classes(styles['mode'], state?.mode === 'enforce' && styles['enforces'])}
              title={mode.sentence}
            >
              {mode.word}
            </span>
          )}
          <Button onClick={() => openPage('classify', 'request')}>Test one request</Button>
        </>
      }
    />
  )
}

function EngineSide({ state }: { readonly state: LiveState | undefined }) {
  const clock = useSecond()
  const query = useQuery()
  const tally = query.tallies.read(clockOf(liveRows.newestAt, clock) - 300_000)
  return (
    <>
      <AgreementPane tally={tally} />
      {state !== undefined && <DifferencesPane differences={state.agreement.differences} />}
      {state !== undefined && <ShadowPane state={state} />}
      {state !== undefined && <LimitsPane limits={state.limits} />}
    </>
  )
}

function TrafficSide({ onOpen }: { readonly onOpen: (row: LiveRequest) => void }) {
  const clock = useSecond()
  const query = useQuery()
  const [minutes, setMinutes] = useState<Minutes>('1')
  const seconds = Number(minutes) * 60
  const since = clockOf(liveRows.newestAt, clock) - seconds * 1_000
  const tally = query.tallies.read(since)
  return (
    <>
      <FlowsPane tally={tally} seconds={seconds} minutes={minutes} onMinutes={setMinutes} />
      <RejectedPane rows={newestRejections(query, since)} tally={tally} minutes={minutes} onOpen={onOpen} />
      <ExemptPane tally={tally} seconds={seconds} />
    </>
  )
}

function newestRejections({ matches }: Query, since: number): readonly LiveRequest[] {
  const rows: LiveRequest[] = []
  for (let place = 0; place < matches.count && rows.length < MOST_REJECTIONS; place++) {
    const row = liveRows.at(matches.seqAt(place) ?? -1)
    if (row === undefined) continue
    // Rows are nearly in the order of their arrival.
    if (row.at < since - 60_000) break
    if (row.state === 'rejected' && row.at >= since) rows.push(row)
  }
  return rows
}
