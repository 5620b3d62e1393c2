import type { Moment } from '../../../core/contract/recording.ts'
import { standsInThePast } from '../../../core/frame/reading.ts'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { LiveRequest, LiveState } from '../../../core/contract/live.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { NoCluster } from '../../components/NoCluster.tsx'
import { EmptyState, ErrorState, Note } from '../../components/States.tsx'
import { useConnected, showsRequests } from '../../state/connection.ts'
import { useLive, liveRows, useLiveState, useLiveVersion, usePastRequests } from '../../state/live.ts'
import { askedOf, usePastPart } from '../../state/past.ts'
import { openScreen, useRoute } from '../../state/route.ts'
import { classes } from '../../components/classes.ts'
import { isTyping } from '../../components/keys.ts'
import { NARROW, useMedia } from '../../components/hooks.ts'
import { settingsNow } from '../../state/settings.ts'
import { useHasLevels, useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import { Pane } from '../../components/Pane.tsx'
import { useSource, setFilter, useRecent, type Recent } from './query.ts'
import styles from './live.module.css'
import { FilterBar } from './FilterBar.tsx'
import { LiveNow, COMPARED_SECONDS } from './LiveNow.tsx'
import { LiveStream } from './LiveStream.tsx'
import { RequestPane, type RequestPaneProps } from './RequestPane.tsx'
import { type Span, ExemptPane, FlowsPane, RejectedPane, SPANS, type FlowOrder } from './TrafficPanes.tsx'
import { AgreementPane, DifferencesPane } from './AgreementPane.tsx'
import { LiveQueuesPane } from './LiveQueuesPane.tsx'
import { CandidatePane } from './CandidatePane.tsx'

/** Live requests: single requests of a proxy, a feed or a simulation as they pass. */
export function LivePage() {
  const connected = useConnected()
  const moment = usePastPart((past) => past.moment)
  if (connected !== undefined && (showsRequests(connected) || standsInThePast(connected.source))) {
    return moment === undefined ? <Listening /> : <OfThePast moment={moment} />
  }
  return (
    <>
      <h1 className="sr-only">Live requests</h1>
      {connected === undefined ? (
        <NoCluster>
          <p>These sources report individual requests:</p>
          <Sources />
        </NoCluster>
      ) : (
        <EmptyState
          title="This source does not report individual requests."
          actions={<Open label="Choose another source" />}
        >
          <p>{connected.source.name} reports request counts, not individual requests.</p>
          <Sources />
        </EmptyState>
      )}
    </>
  )
}

/** The recorded requests before the instant that all screens show. */
function OfThePast({ moment }: { readonly moment: Moment }) {
  const connection = usePastPart(askedOf)
  const problem = usePastRequests(connection, moment)
  return problem === undefined ? (
    <LiveView />
  ) : (
    <>
      <h1 className="sr-only">Live requests</h1>
      <ErrorState title={`The requests before ${format.dateTime(moment.at)} cannot be read.`} problem={problem} />
    </>
  )
}

const SOURCES = [
  ['Live proxy', 'Requests that you send through it to any API server. Exact, and it can queue or reject them.'],
  ['Audit log or webhook', 'Requests of a server with their users. Queues and waits are computed by the engine.'],
  ['Request log (-v=3)', 'Requests of a server with its flow schemas, levels and seats, but without users.'],
  ['Simulation', 'A simulated cluster under load. No cluster required.'],
] as const

/** Which sources show each request, and which of its fields. */
const Sources = () => (
  <dl className={styles['sources']}>
    {SOURCES.map(([name, what]) => (
      <div key={name}>
        <dt className="ink">{name}</dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)

const Open = ({ label }: { readonly label: string }) => (
  <Button primary onClick={() => openScreen('connection')}>
    {label}
  </Button>
)

function Listening() {
  useLive()
  return <LiveView />
}

type Side = 'engine' | 'traffic'
const MOST_PINS = 20

/** Requests one by one as they pass, of the connected proxy, feed or simulation. */
function LiveView() {
  const state = useLiveState()
  const { object } = useRoute()
  const input = useRef<HTMLInputElement>(null)
  const source = useSource()
  // A file stays a file when the console behind it disconnects.
  const still = useViewPart((view) => view.mode === 'still' || view.mode === 'past')
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
  // Works wherever the focus is, including in the sidebar.
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
  // A draft that runs beside is compared on the engine side.
  const aboutEngine = state?.mode === 'observe' || state?.mode === 'feed' || state?.candidate !== undefined
  const shown = side ?? (aboutEngine ? 'engine' : 'traffic')
  const narrow = useMedia(NARROW)
  const server = state?.mode !== 'simulation'
  const room = useMemo(() => ({ narrow, server }), [narrow, server])
  const old = source === 'stale' || source === 'unreached'
  return (
    <div className={styles['page']}>
      <LiveNow state={state} source={source} />
      <FilterBar inputRef={input} />
      <div className={styles['body']}>
        <div className="shrink-x shrink-y">
          <LiveStream room={room} opened={opened} pinned={pinned} stale={old} onOpen={setOpened} onPin={pin} />
        </div>
        <aside className={classes(styles['side'], old && styles['stale'])} aria-label="About these requests">
          {opened !== undefined && (
            <OpenedRequest
              row={opened}
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
              options={{ traffic: 'Traffic', engine: 'Engine and server' }}
              onChange={setSide}
            />
          </div>
          {shown === 'engine' ? (
            <EngineSide state={state} still={still} />
          ) : (
            <TrafficSide
              mode={state?.mode}
              // A file has ended: its last minute is no more relevant than the others.
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

/** An opened request as it is now: it may change after the last state of its source. */
function OpenedRequest(props: RequestPaneProps) {
  useLiveVersion()
  return <RequestPane {...props} row={liveRows.at(props.row.seq) ?? props.row} />
}

const MOST_REJECTIONS = 30

/** How well the engine matches the server, the draft beside it, and the limits of the source. */
function EngineSide({ state, still }: { readonly state: LiveState | undefined; readonly still: boolean }) {
  const hasLevels = useHasLevels()
  const { tally } = useRecent(still ? Number.POSITIVE_INFINITY : COMPARED_SECONDS)
  return (
    <>
      {/* A simulated server is the engine itself, and the max-in-flight filter places no request. */}
      {state?.mode !== 'simulation' && hasLevels && (
        <AgreementPane tally={tally} note={still ? 'all requests read' : 'last 5 min'} />
      )}
      {state !== undefined && <DifferencesPane differences={state.agreement.differences} />}
      {state !== undefined && hasLevels && <CandidatePane state={state} />}
      {state?.findings?.map((finding) => (
        <Note key={finding} kind="warn">
          {finding}
        </Note>
      ))}
      {state !== undefined && <LimitsPane limits={state.limits} />}
    </>
  )
}

/** Who sends, where it waits, what is rejected and why, and what passes exempt. */
function TrafficSide(props: {
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
  const hasLevels = useHasLevels()
  const { tally, seconds, now } = recent
  const rejections = useMemo(() => newestRejections(recent), [recent])
  const rejected = <RejectedPane rows={rejections} tally={tally} span={span} onOpen={onOpen} />
  // Without levels there are no flows, queues and exempt requests.
  if (!hasLevels) return rejected
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
      {rejected}
      <LiveQueuesPane queues={tally.queues} opened={opened} still={still} />
      <ExemptPane tally={tally} seconds={seconds} />
    </>
  )
}

function newestRejections({ query: { rejections }, since }: Recent): readonly LiveRequest[] {
  const rows: LiveRequest[] = []
  for (let place = 0; place < rejections.count && rows.length < MOST_REJECTIONS; place++) {
    const row = liveRows.at(rejections.seqAt(place) ?? -1)
    if (row === undefined) continue
    // Rows are almost ordered by arrival.
    if (row.at < since - 60_000) break
    if (row.at >= since) rows.push(row)
  }
  return rows
}

/** The limits of the source, so that no estimate is read as a fact. */
function LimitsPane({ limits }: { readonly limits: readonly string[] }) {
  if (limits.length === 0) return null
  return (
    <Pane title="Not available from this source">
      <ul className="stack gap-4 pad-x pad-b-10 leading-145 muted">
        {limits.map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </Pane>
  )
}
