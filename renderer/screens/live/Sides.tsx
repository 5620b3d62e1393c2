import { useMemo, useState } from 'react'
import type { LiveRequest, LiveState } from '../../../core/contract/live.ts'
import { REJECT_REASONS } from '../../../core/frame/frame.ts'
import { liveRows } from '../../state/live.ts'
import { Pane } from '../../components/Pane.tsx'
import { AgreementPane, DifferencesPane } from './AgreementPane.tsx'
import { COMPARED_SECONDS } from './LiveNow.tsx'
import { LiveQueuesPane } from './LiveQueuesPane.tsx'
import { ShadowPane } from './ShadowPane.tsx'
import { ExemptPane, FlowsPane, RejectedPane, SPANS, type FlowOrder, type Span } from './TrafficPanes.tsx'
import { useRecent, type Recent } from './useRecent.ts'
import styles from './live.module.css'

const MOST_REJECTIONS = 30

/** How far the engine is the server, the draft beside, and what the source cannot know. */
export function EngineSide({ state, still }: { readonly state: LiveState | undefined; readonly still: boolean }) {
  const { tally } = useRecent(still ? Number.POSITIVE_INFINITY : COMPARED_SECONDS)
  return (
    <>
      {/* A simulated server is the engine itself. */}
      {state?.mode !== 'simulation' && <AgreementPane tally={tally} note={still ? 'all that is read' : 'last 5 min'} />}
      {state !== undefined && <DifferencesPane differences={state.agreement.differences} />}
      {state !== undefined && <ShadowPane state={state} />}
      {state !== undefined && <LimitsPane limits={state.limits} />}
    </>
  )
}

/** Who sends, where it waits, what is refused and why, and what passes exempt. */
export function TrafficSide(props: {
  readonly mode: LiveState['mode'] | undefined
  readonly span: Span
  readonly opened: LiveRequest | undefined
  readonly still: boolean
  readonly onSpan: (span: Span) => void
  readonly onOpen: (row: LiveRequest) => void
}) {
  const { mode, span, opened, still, onSpan, onOpen } = props
  const [order, setOrder] = useState<FlowOrder>('seats')
  const recent = useRecent(SPANS[span].seconds)
  const { tally, seconds, now } = recent
  const rejections = useMemo(() => newestRejections(recent), [recent])
  return (
    <>
      <FlowsPane
        tally={tally}
        seconds={seconds}
        now={now}
        mode={mode}
        span={span}
        onSpan={onSpan}
        order={order}
        onOrder={setOrder}
      />
      <RejectedPane rows={rejections} tally={tally} span={span} onOpen={onOpen} />
      <LiveQueuesPane queues={tally.queues} opened={opened} still={still} />
      <ExemptPane tally={tally} seconds={seconds} />
    </>
  )
}

function newestRejections({ query: { matches }, tally, since }: Recent): readonly LiveRequest[] {
  const rows: LiveRequest[] = []
  if (REJECT_REASONS.every((reason) => tally.rejected[reason] === 0)) return rows
  for (let place = 0; place < matches.count && rows.length < MOST_REJECTIONS; place++) {
    const row = liveRows.at(matches.seqAt(place) ?? -1)
    if (row === undefined) continue
    // Rows are nearly in the order of their arrival.
    if (row.at < since - 60_000) break
    if (row.state === 'rejected' && row.at >= since) rows.push(row)
  }
  return rows
}

/** What the source cannot know, so that nobody reads a guess as a fact. */
function LimitsPane({ limits }: { readonly limits: readonly string[] }) {
  if (limits.length === 0) return null
  return (
    <Pane title="What this source cannot know">
      <ul className={styles['limits']}>
        {limits.map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </Pane>
  )
}
