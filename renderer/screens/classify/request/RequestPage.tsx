import { useMemo, memo } from 'react'
import {
  type Classification,
  type Explained,
  type SeenSeats,
  type ServerContext,
  digestRequest,
  contextOfFacts,
  seenSeats,
} from '../../../../core/classify/classification.ts'
import { decidingRule } from '../../../../core/classify/present.ts'
import { explainer } from '../../../../core/classify/explain.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { whatWouldChange } from '../../../../core/classify/nearby.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'
import { say } from '../../../state/shell.ts'
import { Note, LoadingPage } from '../../../components/States.tsx'
import { useDump } from '../../../state/dumps.ts'
import { useFacts } from '../../../state/facts.ts'
import { requestOf } from '../../../state/request.logic.ts'
import { readingOf, requestStore, type Side, takeRequest } from '../../../state/request.ts'
import { changeRequestTests, useRequestTests } from '../../../state/requestTests.ts'
import { contextOf } from '../../../../core/classify/supposed.ts'
import { useViewPart } from '../../../state/view.ts'
import { Button, Segment, Copy } from '../../../components/Button.tsx'
import { LevelChip, LevelName } from '../../../components/LevelChip.tsx'
import { Term } from '../../../components/Term.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { ConfigurationNote } from '../shared/Notes.tsx'
import { newTest, withTest } from '../tests/table.logic.ts'
import { useConfigurations, type Configurations } from '../shared/configurations.ts'
import { labelOf, requestWords } from '../shared/seen.data.ts'
import { ComparePane } from './ComparePane.tsx'
import { FlowPane } from './FlowPane.tsx'
import { RequestColumn } from './RequestColumn.tsx'
import styles from './request.module.css'
import { SeatsPane } from './SeatsPane.tsx'
import { TracePane } from './TracePane.tsx'
import { draftSentence } from './answer.data.ts'

export function RequestPage() {
  const configurations = useConfigurations()
  const server = useViewPart((view) => view.server?.id)
  const dump = useDump(server)
  if (configurations === undefined) return <LoadingPage title="Request" waitingFor="the flow schemas and levels" />
  return (
    <div className={styles['page']}>
      <RequestColumn objects={configurations.current.objects} server={server} dump={dump} />
      <Answer configurations={configurations} server={server} dump={dump} />
    </div>
  )
}

function Answer(props: {
  readonly configurations: Configurations
  readonly server: string | undefined
  readonly dump: DumpFrame | undefined
}) {
  const { configurations, server, dump } = props
  const { current, draft, draftStale, limit } = configurations
  const { form, way, text, side: chosen, supposed } = requestStore()
  const request = useMemo(() => requestOf(form), [form])
  const unread = useMemo(() => {
    if (way !== 'text' || text.trim() === '') return form.problem?.text
    return readingOf(text, form).ok ? undefined : 'The text cannot be read as a request.'
  }, [way, text, form])
  const info = useMemo(() => {
    const read = digestRequest(request)
    return read.ok ? read.digest.info : undefined
  }, [request])
  const facts = useFacts(server)
  const seen = useStable(useMemo(() => seenSeats(dump?.requests ?? [], info), [dump, info]))
  const context = useMemo(
    (): ServerContext => ({
      version: current.version,
      serverLimit: limit.seats,
      ...(seen && { seen }),
      ...contextOfFacts(facts, info),
      ...contextOf(supposed),
    }),
    [current.version, limit.seats, supposed, facts, info, seen],
  )
  const now = useExplained(current.objects, request, context)
  const proposed = useExplained(draft, request, context)
  const side = proposed === undefined ? 'live' : chosen
  const shown = side === 'live' || proposed === undefined ? now : proposed
  const objects = side === 'live' ? current.objects : (draft ?? current.objects)
  const ready = useRequestTests().state === 'ready'
  if (now === undefined || shown === undefined) return null
  return (
    <div className={styles['right']}>
      <AnswerHead
        shown={shown}
        now={now}
        draft={proposed}
        draftStale={draftStale}
        side={side}
        request={request}
        onKeep={ready ? keep : undefined}
      />
      <div className="stack gap-6 pad-x pad-b-10 gone-when-empty">
        {current.note !== undefined && <ConfigurationNote note={current.note} />}
        {unread !== undefined && (
          <Note kind="warn">{`${unread} The answer still applies to ${requestWords(request)}.`}</Note>
        )}
        {!shown.ok && <Note kind="bad">{shown.problem}</Note>}
        {shown.ok &&
          shown.classification.notes.map((note) => (
            <Note key={note} kind="info">
              {note}
            </Note>
          ))}
      </div>
      {side === 'both' && now.ok && proposed?.ok === true ? (
        <ComparePane now={now.classification} draft={proposed.classification} />
      ) : (
        shown.ok && (
          <>
            <TracePane answer={shown.classification} />
            <div className={styles['panes']}>
              <div className="shrink-x ruled-rows">
                <FlowPane answer={shown.classification} dump={dump} />
                <NearbyPane objects={objects} request={request} />
              </div>
              <div className="shrink-x ruled-rows">
                <SeatsPane
                  answer={shown.classification}
                  objects={objects}
                  request={request}
                  context={context}
                  limit={limit}
                />
                <HeadersPane answer={shown.classification} />
              </div>
            </div>
          </>
        )
      )}
    </div>
  )
}

/** A dump makes a new value each time; the answer is computed again only when the numbers change. */
function useStable(seen: SeenSeats | undefined): SeenSeats | undefined {
  const { seats, requests } = seen ?? {}
  return useMemo(
    () => (seats === undefined || requests === undefined ? undefined : { seats, requests }),
    [seats, requests],
  )
}

function useExplained(
  objects: ObjectSet | undefined,
  request: RequestSample,
  context: ServerContext,
): Explained | undefined {
  const explain = useMemo(() => objects && explainer(objects, context), [objects, context])
  return useMemo(() => explain?.(request), [explain, request])
}

/** Saves a test: the request must continue to match what it matches now. */
function keep(request: RequestSample, { flowSchema, priorityLevel }: Classification): void {
  const label = labelOf(request)
  const test = newTest(crypto.randomUUID(), label, request, { flowSchema, priorityLevel })
  changeRequestTests((tests) => withTest(tests, test))
  say(`Kept as a test: ${label} must match ${flowSchema}.`)
}

/** Where the request goes, in one line; with a draft, also where it would go. */
function AnswerHead(props: {
  readonly shown: Explained
  readonly now: Explained
  readonly draft: Explained | undefined
  readonly draftStale: boolean
  readonly side: Side
  readonly request: RequestSample
  readonly onKeep: ((request: RequestSample, classification: Classification) => void) | undefined
}) {
  const { shown, now, draft, draftStale, side, request, onKeep } = props
  const answer = shown.ok ? shown.classification : undefined
  const before = side === 'both' && now.ok ? now.classification.priorityLevel : undefined
  return (
    <header className="flex wrap top gap-8 columns-16 pad-x pad-y-10">
      <div className={styles['headText']}>
        <div className="flex wrap baseline gap-2 columns-12 hit-28">
          <h1 className={styles['title']}>
            {answer === undefined ? (
              'No server classifies this request.'
            ) : (
              <>
                {before !== undefined && before !== answer.priorityLevel && (
                  <>
                    <LevelChip name={before} decorative />
                    {before}
                    <span className={styles['arrow']} aria-hidden="true">
                      →
                    </span>
                    <span className="sr-only"> now, with the draft </span>
                  </>
                )}
                <LevelChip name={answer.priorityLevel} decorative />
                {answer.priorityLevel}
              </>
            )}
          </h1>
          {answer !== undefined && <Matched answer={answer} />}
        </div>
        {draft !== undefined && (
          <p className="leading-140 info">
            {draftSentence(now, draft)}
            {draftStale && ' The draft has errors. The answer uses the last valid values.'}
          </p>
        )}
      </div>
      <div className="row gap-10">
        {draft !== undefined && (
          <Segment<Side>
            label="Configuration"
            value={side}
            options={{ live: 'Live', draft: 'Draft', both: 'Side by side' }}
            onChange={(next) => requestStore.setState({ side: next })}
          />
        )}
        {answer !== undefined && onKeep !== undefined && (
          <Button onClick={() => onKeep(request, answer)}>Keep as a test</Button>
        )}
      </div>
    </header>
  )
}

function Matched({ answer }: { readonly answer: Classification }) {
  const { flowSchema, trace } = answer
  const decides = trace.find((one) => one.decides)
  const rule = decidingRule(answer)
  return (
    <p className={styles['matched']}>
      {answer.fallback ? 'nothing matches; sent to ' : 'matched by '}
      <b className="strong ink">{flowSchema}</b>, <Term id="matching-precedence">precedence</Term>{' '}
      {decides?.matchingPrecedence}
      {rule !== '' && `, ${rule}`}
      {decides?.imagined === true && ', a placeholder that the server creates'}
    </p>
  )
}

/** Similar requests that other schemas match. */
const NearbyPane = memo(function NearbyPane(props: { readonly objects: ObjectSet; readonly request: RequestSample }) {
  const { objects, request } = props
  const nearby = useMemo(() => whatWouldChange(objects, request), [objects, request])
  return (
    <Pane title="What would change the answer">
      {nearby.length === 0 ? (
        <p className={styles['remark']}>No similar request matches another schema.</p>
      ) : (
        <ul className={styles['list']}>
          {nearby.map(({ change, flowSchema, priorityLevel, request: other }) => (
            <li key={flowSchema}>
              <button
                type="button"
                className={styles['item']}
                title={`matched by ${flowSchema}`}
                onClick={() => takeRequest(other)}
              >
                <span className={styles['change']}>{change}</span>
                <span className={styles['there']}>
                  <LevelName name={priorityLevel} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Pane>
  )
})

const HEADERS = [
  ['PriorityLevel-UID', 'priorityLevel'],
  ['FlowSchema-UID', 'flowSchema'],
] as const

/** The two response headers by which a server identifies schema and level. */
const HeadersPane = memo(function HeadersPane({ answer }: { readonly answer: Classification }) {
  const { uids, bypasses } = answer
  return (
    <Pane title="Response headers" note="X-Kubernetes-PF-…">
      {bypasses ? (
        <p className={styles['remark']}>None: flow control does not apply to this request.</p>
      ) : (
        <dl className={styles['uids']}>
          {HEADERS.map(([name, member]) => (
            <div key={name} className={styles['pairOf']}>
              <dt>{name}</dt>
              <dd className="breaks">
                {uids[member] === '' ? (
                  'unknown for these objects'
                ) : (
                  <span className="row wrap gap-2 columns-8">
                    <span className="mono">{uids[member]}</span>
                    <Copy text={uids[member]} label="Copy" />
                  </span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Pane>
  )
})
