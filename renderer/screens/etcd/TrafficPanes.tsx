import { useState } from 'react'
import type { EtcdRequest, EtcdState, EtcdUsage } from '../../../core/contract/etcd.ts'
import { sentenceText } from '../../../core/answer/answer.ts'
import { limitedWord, remedyOf, usageTable } from '../../../core/qos/present.ts'
import { AnswerGrid, type AnswerCells } from '../../components/answer/Answer.tsx'
import { Segment } from '../../components/Button.tsx'
import { DataTable, type DataColumn } from '../../components/DataTable.tsx'
import { valueColumn, numberColumn } from '../../components/dataColumns.ts'
import { MiddleCut } from '../../components/LevelChip.tsx'
import { Pane } from '../../components/Pane.tsx'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import styles from './etcd.module.css'
import { ChartFrame } from '../../components/ChartFrame.tsx'

const mono = (value: string) => (
  <span className="mono">
    <MiddleCut text={value} />
  </span>
)

/** Without the common prefix of all API server requests; a trailing slash already marks a prefix. */
const shortened = (request: string): string =>
  request.replace(/(^| )\/registry\//, '$1…/').replace(/\/ \(prefix\)/, '/')

const BYTES = { text: format.bytes, width: 76 }
const MS = { text: format.ms, width: 70 }

const rateColumns = (seconds: number, mode: EtcdState['mode']): readonly DataColumn<EtcdUsage>[] => [
  { id: 'op', header: 'Op', value: ({ op }) => op, width: 104 },
  { id: 'keys', header: 'Keys', value: ({ keys }) => keys, cell: ({ keys }) => mono(keys || UNKNOWN) },
  numberColumn('rate', 'Rate', ({ requests }) => requests / seconds, { text: format.rate, width: 76 }),
  numberColumn('limited', limitedWord(mode), ({ limited }) => limited / seconds, {
    text: format.rate,
    look: ({ limited }) => (limited > 0 ? 'rejected' : undefined),
    width: 88,
  }),
  numberColumn('p50', 'p50', ({ p50Ms }) => p50Ms, MS),
  numberColumn('p99', 'p99', ({ p99Ms }) => p99Ms, MS),
  numberColumn('out', 'Answers', ({ responseBytes }) => responseBytes, BYTES),
]

/** Live rate, latency and bytes by operation and prefix. */
export const RatesPane = ({ rates, rateSeconds, mode }: Pick<EtcdState, 'rates' | 'rateSeconds' | 'mode'>) => (
  <Pane title="Traffic" note={`by operation and key prefix, last ${format.fixed(rateSeconds)} s`}>
    <DataTable
      caption="Traffic by operation and key prefix"
      columns={rateColumns(rateSeconds, mode)}
      rows={rates}
      rowKey={({ op, keys }) => `${op} ${keys}`}
      csvName="etcd-traffic"
      density="compact"
      empty="No recent requests."
    />
  </Pane>
)

const CELLS: AnswerCells = {
  request: (text) => (
    <span className="mono" title={text}>
      {shortened(text)}
    </span>
  ),
}
const WIDTHS = { Times: 62, Keys: 66, Response: 76, Latency: 70 }
const DETAILS = ['Limited', 'p50', 'p99'] as const

const RANKINGS = { scan: 'Keys', traffic: 'Bytes', latency: 'Time' }

/** The most expensive requests of the last ten minutes. */
export function TopPane({ top }: Pick<EtcdState, 'top'>) {
  const [by, setBy] = useState<keyof typeof RANKINGS>('scan')
  return (
    <Pane
      title="Expensive requests"
      note="last 10 min"
      actions={<Segment label="Ranked by" value={by} options={RANKINGS} onChange={setBy} />}
    >
      <AnswerGrid
        table={usageTable(top[by])}
        cells={CELLS}
        omit={DETAILS}
        widths={WIDTHS}
        csvName="etcd-expensive"
        density="compact"
        empty="No requests in the last 10 min."
      />
    </Pane>
  )
}

const LIMITED: readonly DataColumn<EtcdRequest>[] = [
  valueColumn('time', 'Time', ({ at }) => at, {
    cell: ({ at }) => <span className="mono">{format.time(at)}</span>,
    width: 84,
  }),
  {
    id: 'request',
    header: 'Request',
    value: ({ request }) => request,
    cell: ({ request }) => mono(shortened(request.replace(/^KV\//, ''))),
  },
  { id: 'rule', header: 'Rule', value: ({ rule }) => rule, width: 104 },
  numberColumn('retry', 'Retry', ({ retryAfterMs }) => retryAfterMs, MS),
]

/** Rejections as they happen; a selected one with its cause and remedy. */
export function LimitedPane({ limited, mode }: Pick<EtcdState, 'limited' | 'mode'>) {
  const [chosen, setChosen] = useState<EtcdRequest>()
  return (
    <Pane
      title={mode === 'observe' ? 'Would be rejected' : 'Rejected'}
      unit="RESOURCE_EXHAUSTED"
      note="select one for its cause"
    >
      {chosen !== undefined && (
        <p className="pad-x pad-t-4 pad-b-8 breaks normal prose muted" role="status">
          <b className="mono">{chosen.request}</b> {chosen.user !== '' && `by ${chosen.user} `}
          {chosen.clientIP !== '' && `from ${chosen.clientIP}`}: {sentenceText(remedyOf(chosen), format)}
        </p>
      )}
      <DataTable
        caption="Rejected requests"
        columns={LIMITED}
        rows={limited}
        // By place: a new rejection would move all others, and moving text cannot be read.
        rowKey={(row) => String(limited.indexOf(row))}
        selectedKey={chosen && String(limited.findIndex((row) => keyOf(row) === keyOf(chosen)))}
        onOpen={setChosen}
        csvName="etcd-rejected"
        density="compact"
        empty="No request has been limited yet."
      />
    </Pane>
  )
}

const keyOf = ({ at, request, user }: EtcdRequest): string => `${at} ${request} ${user}`

const LOAD_HEIGHT = 56
const LOAD_COLUMNS = ['Second', 'Passed', 'Delayed']

/** Requests of the last two minutes, second by second: limited ones on top. */
export function LoadPane({ seconds, mode }: Pick<EtcdState, 'seconds' | 'mode'>) {
  const observing = mode === 'observe'
  // The present second is not over.
  const whole = seconds.slice(0, -1)
  const most = Math.max(1, ...whole.map(({ passed, delayed, limited }) => passed + delayed + limited))
  const last = whole.at(-1)
  const label = `${format.fixed((last?.passed ?? 0) + (last?.delayed ?? 0))} requests passed and ${format.fixed(last?.limited)} ${observing ? 'would be' : 'were'} limited in the last second; at most ${format.fixed(most)} per second.`
  return (
    <ChartFrame
      title="Requests"
      note={`per second, most ${format.fixed(most)}`}
      fileName="etcd-requests"
      table={() => ({
        columns: [...LOAD_COLUMNS, limitedWord(mode)],
        rows: whole.map(({ second, passed, delayed, limited }) => [second, passed, delayed, limited]),
      })}
      label={label}
      legend={
        <span className="inline-row gap-4 tiny faint">
          <i className={styles['limitedKey']} /> {observing ? 'would be limited' : 'limited'}
        </span>
      }
    >
      <svg
        viewBox={`0 0 ${whole.length} ${LOAD_HEIGHT}`}
        className={styles['load']}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {whole.map(({ second, passed, delayed, limited }, index) => {
          const [let_, refused] = [passed + delayed, limited].map((count) => (count / most) * (LOAD_HEIGHT - 2))
          const top = LOAD_HEIGHT - (let_ ?? 0)
          return (
            <g key={second}>
              <rect className="fill-text-2" x={index} y={top} width={0.8} height={let_} />
              <rect className="fill-rejected" x={index} y={top - (refused ?? 0)} width={0.8} height={refused} />
            </g>
          )
        })}
      </svg>
    </ChartFrame>
  )
}
