import { useMemo } from 'react'
import {
  type Classification,
  type Explained,
  type SeenSeats,
  type ServerContext,
  digestRequest,
  contextOfFacts,
  seenSeats,
} from '../../../../core/classify/classification.ts'
import { explainer } from '../../../../core/classify/explain.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { RequestSample } from '../../../../core/contract/objects.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import { say } from '../../../state/shell.ts'
import { Note, Loading } from '../../../components/States.tsx'
import { useDump } from '../../../state/dumps.ts'
import { useFacts } from '../../../state/facts.ts'
import { requestOf } from '../../../state/request.logic.ts'
import { requestStore } from '../../../state/request.ts'
import { changeRequestTests, useRequestTests } from '../../../state/requestTests.ts'
import { contextOf } from '../../../state/supposed.logic.ts'
import { useViewPart } from '../../../state/view.ts'
import { ConfigurationNote } from '../shared/ConfigurationNote.tsx'
import { newTest, withTest } from '../tests/table.logic.ts'
import { useConfigurations, type Configurations } from '../shared/useConfigurations.ts'
import { labelOf, requestWords } from '../shared/words.ts'
import { AnswerHead } from './AnswerHead.tsx'
import { ComparePane } from './ComparePane.tsx'
import { FlowPane } from './FlowPane.tsx'
import { HeadersPane, NearbyPane } from './MorePanes.tsx'
import { RequestColumn } from './RequestColumn.tsx'
import styles from './request.module.css'
import { SeatsPane } from './SeatsPane.tsx'
import { TracePane } from './TracePane.tsx'

/** Where one request goes, and why. */
export function RequestPage() {
  const configurations = useConfigurations()
  const server = useViewPart((view) => view.server?.id)
  const dump = useDump(server)
  if (configurations === undefined) return <Loading waitingFor="the flow schemas and levels" />
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
  const { form, side: chosen, supposed } = requestStore()
  const request = useMemo(() => requestOf(form), [form])
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
      <div className={styles['notes']}>
        {current.note !== undefined && <ConfigurationNote note={current.note} />}
        {form.problem !== undefined && (
          <Note kind="warn">{`${form.problem.text} The answer is still that to ${requestWords(request)}.`}</Note>
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
              <div className={styles['stack']}>
                <FlowPane answer={shown.classification} dump={dump} />
                <NearbyPane objects={objects} request={request} />
              </div>
              <div className={styles['stack']}>
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

/** A dump makes a new value each time; the answer is computed anew only when it says something else. */
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

/** The request must go on matching what it matches now. */
function keep(request: RequestSample, { flowSchema, priorityLevel }: Classification): void {
  const label = labelOf(request)
  const test = newTest(crypto.randomUUID(), label, request, { flowSchema, priorityLevel })
  changeRequestTests((tests) => withTest(tests, test))
  say(`Kept as a test: ${label} must match ${flowSchema}.`)
}
