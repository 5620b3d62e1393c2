import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Problem } from '../../../core/errors.ts'
import type { Moment } from '../../../core/contract/recording.ts'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import { amount, cellText } from '../../../core/answer/answer.ts'
import { type BesideRow, NOT_THERE, standingText } from '../../../core/run/beside.ts'
import { MS_PER_SECOND } from '../../../core/units.ts'
import { QueueField } from '../../charts/QueueField.tsx'
import { useSize } from '../../charts/plot.tsx'
import { BARS_AT_MOST, queueFieldData, type QueueMarks } from '../../charts/queueField.data.ts'
import { Button } from '../../components/Button.tsx'
import { scrollRegion } from '../../components/classes.ts'
import { inGivenOrder, valueColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { Select } from '../../components/Field.tsx'
import { LevelName } from '../../components/LevelChip.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { EmptyState, Loading, ProblemNote } from '../../components/States.tsx'
import { onAnswer } from '../../state/answer.ts'
import { besideStore, openBeside, type RunPair } from '../../state/beside.ts'
import { client } from '../../state/client.ts'
import { useConnected } from '../../state/connection.ts'
import { levelToken } from '../../state/levels.ts'
import { usePastPart, useSettledMoment } from '../../state/past.ts'
import { openPage } from '../../state/route.ts'
import { runSeconds } from '../../state/runs.ts'
import { sayFailure } from '../../state/shell.ts'
import { useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import {
  BESIDE_NUMBERS,
  type BesideLevel,
  besideLevels,
  besideTitle,
  mostDiffering,
  markedRow,
  type Side,
} from './beside.data.ts'
import styles from './beside.module.css'

/** Two variants of the same requests at the same instant. */
export function BesidePage() {
  const pair = besideStore((store) => store.pair)
  const shown = useConnected()?.id
  if (pair === undefined) {
    return (
      <Nothing
        title="No two variants are open."
        actions={<Button onClick={() => openPage('whatif', 'runs')}>Compare runs</Button>}
      >
        Run a comparison or a scenario, and choose <b>Side by side</b> there: both variants are then stepped together.
      </Nothing>
    )
  }
  if (shown !== pair.ofA) {
    return (
      <Nothing
        title="Another source is shown."
        actions={<Button onClick={() => reopen(pair, {})}>Show {pair.choices[pair.a]?.name} again</Button>}
      >
        Variants are stepped side by side while the first of them is shown.
      </Nothing>
    )
  }
  return <Beside key={`${pair.ofA} ${pair.ofB}`} pair={pair} />
}

const Nothing = ({ title, actions, children }: { title: string; actions: ReactNode; children: ReactNode }) => (
  <EmptyState page="Side by side" title={title} actions={actions}>
    <p>{children}</p>
  </EmptyState>
)

/** Opens the same pair with another variant, at the same instant. */
const reopen = (pair: RunPair, change: Partial<Pick<RunPair, 'a' | 'b'>>): void =>
  void openBeside({ ...pair, ...change, request: undefined }, runSeconds()).catch(sayFailure)

function Beside({ pair }: { readonly pair: RunPair }) {
  const server = useViewPart((view) => view.server)
  const start = usePastPart(({ extent }) => extent?.first) ?? 0
  const moment = useSettledMoment()
  const { read, problem } = useInstant(pair, moment, server?.id)
  const [chosen, setChosen] = useState(pair.request?.level)
  const levels = useMemo(() => (read === undefined ? [] : besideLevels(read.a, read.b, start)), [read, start])
  // Kept until the user selects another: the level that differs most changes with every step.
  const known = levels.some(({ level }) => level === chosen)
  const first = mostDiffering(levels)
  if (!known && first !== undefined && first !== chosen) setChosen(first)
  const level = levels.find((one) => one.level === chosen)
  const [nameA, nameB] = [pair.choices[pair.a]?.name, pair.choices[pair.b]?.name]
  const at = read === undefined ? undefined : (read.at - start) / MS_PER_SECOND
  return (
    <div className="column shrink-y tall">
      <NowLine
        title={level === undefined ? 'Side by side' : besideTitle(level)}
        level={level?.level}
        evidence={`${at === undefined ? '' : `${format.fixed(at, 6)} s after the start. `}A ${nameA}, B ${nameB}.`}
        actions={<Choices pair={pair} />}
      />
      {problem !== undefined && <ProblemNote problem={problem} />}
      {read === undefined || level === undefined ? (
        problem === undefined && <Loading waitingFor="both variants at this instant" />
      ) : (
        <div className="grow shrink-y scroll" {...scrollRegion('Both variants')}>
          <Pane title="Levels" note="A → B where they differ">
            <DataTable
              caption="Levels of both variants"
              columns={LEVEL_COLUMNS}
              rows={levels}
              rowKey={(row) => row.level}
              selectedKey={level.level}
              onOpen={(row) => setChosen(row.level)}
              density="compact"
              csvName="side-by-side"
            />
          </Pane>
          <Pane title="Requests" unit={format.fixed(level.requests.length)} note={NOT_THERE}>
            <div className={level.requests.length > FEW ? styles['requests'] : undefined}>
              <DataTable
                caption={`Requests in ${level.level}`}
                columns={REQUEST_COLUMNS}
                rows={level.requests}
                rowKey={({ key }) => key}
                selectedKey={pair.request && markedRow(level.requests, pair.request)?.key}
                density="compact"
                virtual={level.requests.length > FEW}
                csvName={`side-by-side-${level.level}`}
                empty="No request waits or executes in this level."
              />
            </div>
          </Pane>
          <Queues level={level.level} a={read.a} b={read.b} />
        </div>
      )}
    </div>
  )
}

function Choices({ pair }: { readonly pair: RunPair }) {
  const side = (label: 'A' | 'B', place: 'a' | 'b', other: number) => (
    <span className={`${styles['choice']} inline-row gap-6 muted`}>
      {label}
      <Select
        aria-label={`Variant ${label}`}
        value={String(pair[place])}
        options={pair.choices.map(({ name }, index) => [String(index), name, index === other] as const)}
        onChange={(index) => reopen(pair, { [place]: Number(index) })}
      />
    </span>
  )
  return (
    <>
      {side('A', 'a', pair.b)}
      {side('B', 'b', pair.a)}
    </>
  )
}

interface Instant {
  readonly at: number
  readonly a: Side
  readonly b: Side
}

/** A run is read once the same instant was shown for this long. Milliseconds. */
const REST_MS = 40

/** Both runs at the shown instant; the previous data stays until the next is read. */
function useInstant(
  { ofA, ofB }: RunPair,
  moment: Moment | undefined,
  server: string | undefined,
): { readonly read: Instant | undefined; readonly problem: Problem | undefined } {
  const [read, setRead] = useState<Instant>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    if (moment === undefined) return undefined
    const dumpOf = async (connection: number, id: string | undefined): Promise<DumpFrame | undefined> =>
      id === undefined
        ? undefined
        : ((await client().call('past.dump', { connection, server: id, at: moment.at })) ?? undefined)
    const ask = async (): Promise<Instant> => {
      const other = await client().call('past.moment', { connection: ofB, at: moment.at })
      const of = ({ frame }: Moment) => frame?.servers.find(({ id }) => id === server) ?? frame?.servers[0]
      const [serverA, serverB] = [of(moment), of(other)]
      const [dumpA, dumpB] = await Promise.all([dumpOf(ofA, serverA?.id), dumpOf(ofB, serverB?.id)])
      return { at: moment.at, a: { server: serverA, dump: dumpA }, b: { server: serverB, dump: dumpB } }
    }
    const take = (instant: Instant): void => {
      setRead(instant)
      setProblem(undefined)
    }
    return onAnswer(ask, take, { restMs: REST_MS, onProblem: setProblem })
  }, [ofA, ofB, moment, server])
  return { read, problem }
}

/** So many requests take the room that they need; more scroll. */
const FEW = 4

const NO_MARKS: QueueMarks = { hand: [], dealt: false, second: [], lengthLimit: undefined }
const FIELD_HEIGHT = 112

/** The queues of one level in both runs, on one scale. */
function Queues({ level, a, b }: { readonly level: string; readonly a: Side; readonly b: Side }) {
  const [box, { width }] = useSize()
  const [pinned, setPinned] = useState<number>()
  const [hovered, setHovered] = useState<number>()
  const fields = useMemo(() => {
    const [one, other] = [a, b].map(({ dump }) =>
      queueFieldData(
        (dump?.queues ?? []).filter((queue) => queue.level === level),
        'requests',
      ),
    )
    if (one === undefined || other === undefined) return []
    const scale = {
      waitingMax: Math.max(one.waitingMax, other.waitingMax),
      executingMax: Math.max(one.executingMax, other.executingMax),
    }
    return [
      { ...one, ...scale },
      { ...other, ...scale },
    ]
  }, [a, b, level])
  const place = hovered ?? pinned
  const readout = fields.map(({ cells }, side) => {
    const cell = place === undefined ? undefined : cells[place]
    return `${side === 0 ? 'A' : 'B'} ${format.fixed(cell?.pending ?? 0)} waiting, ${format.fixed(cell?.executingRequests ?? 0)} executing`
  })
  if (fields.every(({ cells }) => cells.length === 0)) return null
  return (
    <Pane title="Queues" note="up: waiting requests; down: executing seats; both on one scale">
      <div ref={box} className="stack gap-4 pad-x">
        {width > 0 &&
          fields.map((data, side) => {
            const letter = side === 0 ? 'A' : 'B'
            return (
              <div key={letter} className={styles['field']}>
                <b>{letter}</b>
                {data.cells.length === 0 ? (
                  <span>This variant has no such queues.</span>
                ) : (
                  <QueueField
                    data={data}
                    shape={data.cells.length > BARS_AT_MOST ? 'grid' : 'bars'}
                    marks={NO_MARKS}
                    token={levelToken(level)}
                    width={width - LETTER_WIDTH}
                    height={FIELD_HEIGHT}
                    label={`Queues of ${level} in ${letter}: ${format.counted(data.pendingTotal, 'request')} waiting`}
                    pinned={pinned}
                    onPin={setPinned}
                    onHover={setHovered}
                  />
                )}
              </div>
            )
          })}
      </div>
      <p className="pad-x pad-t-4 pad-b-8 small faint">
        {place === undefined ? 'Point at a queue to read it in both.' : `queue ${place}: ${readout.join('; ')}`}
      </p>
    </Pane>
  )
}

const LETTER_WIDTH = 40

const differs = 'strong warn'

const LEVEL_COLUMNS: readonly DataColumn<BesideLevel>[] = inGivenOrder([
  { id: 'level', header: 'Level', value: ({ level }) => level, cell: ({ level }) => <LevelName name={level} /> },
  valueColumn('differing', 'Differ', ({ differing }) => differing, {
    title: 'Requests that wait or execute now and are in a different place in B',
    align: 'right',
    width: 72,
    cell: ({ differing }) => format.fixed(differing),
    look: ({ differing }) => (differing > 0 ? differs : undefined),
  }),
  ...BESIDE_NUMBERS.map(({ id, header, term, title, of }): DataColumn<BesideLevel> => {
    const both = ({ a, b }: BesideLevel) => ({ from: amount('fixed')(a && of(a)), to: amount('fixed')(b && of(b)) })
    return {
      id,
      header,
      ...(title !== undefined && { title }),
      ...(term !== undefined && { term }),
      align: 'right',
      width: 132,
      value: (row) => cellText(both(row), format),
      look: (row) => (both(row).from.value === both(row).to.value ? undefined : differs),
    }
  }),
])

const REQUEST_COLUMNS: readonly DataColumn<BesideRow>[] = [
  valueColumn('differs', 'Differs', (row) => (row.differs ? '≠' : ''), { hiddenHeader: true, width: 36 }),
  valueColumn('arrived', 'Arrived (s)', ({ arrivedSeconds }) => arrivedSeconds, {
    align: 'right',
    width: 104,
    cell: ({ arrivedSeconds }) => format.fixed(arrivedSeconds, 6),
  }),
  { id: 'a', header: 'A', width: 148, value: ({ a }) => standingText(a) },
  valueColumn('b', 'B', ({ b }) => standingText(b), { width: 148, look: (row) => (row.differs ? differs : undefined) }),
  { id: 'request', header: 'Request', value: ({ request }) => request },
]
