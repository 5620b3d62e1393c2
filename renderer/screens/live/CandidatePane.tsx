import { plural } from '../../../core/text/format.ts'
import { useState } from 'react'
import { toProblem, type Problem } from '../../../core/errors.ts'
import type { LiveState, CandidateReport } from '../../../core/contract/live.ts'
import { comparedSentence } from '../../../core/live/feedWaits.ts'
import { Button } from '../../components/Button.tsx'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Note, ProblemNote } from '../../components/States.tsx'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { openPage } from '../../state/route.ts'
import { isTrusted } from './sentence.ts'
import { useDraftRun, type DraftBeside } from '../../state/draftRun.ts'
import styles from './live.module.css'
import { format } from '../../theme/format.ts'

/** The draft on the same arrivals, beside the current configuration. */
export function CandidatePane({ state }: { readonly state: LiveState }) {
  const { candidate, agreement } = state
  const draft = useDraftRun()
  const [problem, setProblem] = useState<Problem>()
  const on = candidate !== undefined
  const waits = state.waits && comparedSentence(state.waits)
  const assumed = on ? assumedSentence(candidate) : undefined
  const ask = (asked: Promise<void>): void => {
    setProblem(undefined)
    asked.catch((thrown: unknown) => setProblem(toProblem(thrown)))
  }
  return (
    <Pane
      title="Draft beside"
      note={on ? comparedSpan(candidate) : 'off'}
      actions={
        <button
          type="button"
          role="switch"
          aria-checked={on}
          aria-label="Run the draft beside"
          className={styles['switch']}
          disabled={!on && !draft.exists}
          onClick={() => ask(on ? draft.end() : draft.run())}
        >
          <i aria-hidden="true" /> {on ? 'on' : 'off'}
        </button>
      }
    >
      {problem !== undefined && (
        <div className="stack gap-8 pad-x pad-b-10">
          <ProblemNote problem={problem} alert />
        </div>
      )}
      {candidate === undefined ? (
        <Off exists={draft.exists} />
      ) : (
        <>
          {isTrusted({ compared: agreement.compared, same: agreement.schemaAndLevel }) ? (
            <Comparison candidate={candidate} />
          ) : (
            <div className="stack gap-8 pad-x pad-b-10">
              <Note kind="warn">
                B is unreliable: engine and server agree on schema and level for fewer than 99 % of requests.
              </Note>
            </div>
          )}
          <div className="stack gap-8 pad-x pad-t-8 pad-b-10">
            <Beside beside={draft.beside} onRun={() => ask(draft.run())} />
            {assumed !== undefined && <Note kind="warn">{assumed}</Note>}
            {waits !== undefined && <Note kind="info">{waits}</Note>}
            <Note kind="info">{MEANING[state.mode]}</Note>
          </div>
        </>
      )}
    </Pane>
  )
}

const NEVER =
  'Both get the same requests. B takes the run time that each request really had, and that of similar requests where A rejected one. Where B would dispatch a request before A does, B waits until its run time is known and falls behind. B never affects a request: its queues and waits are only computed.'
const MEANING: Readonly<Record<LiveState['mode'], string>> = {
  enforce: `A is the configuration in force, B is the draft. ${NEVER}`,
  observe: `A is the configuration in force, B is the draft. ${NEVER}`,
  feed: `A is the configuration of the feed, B is the draft. ${NEVER}`,
  simulation:
    'A is the configuration in force on the simulated server, B is the draft. Both receive the same requests; clients get only the responses of A.',
}

function Off({ exists }: { readonly exists: boolean }) {
  return (
    <div className="stack at-start gap-8 pad-x pad-b-10 leading-145 muted">
      {exists ? (
        <p>Turn on to run the draft on the same requests, beside the configuration in force.</p>
      ) : (
        <>
          <p>There is no draft. Change an object in the Editor to compare the draft with the configuration in force.</p>
          <Button small onClick={() => openPage('editor', 'draft')}>
            Open the Editor
          </Button>
        </>
      )}
    </div>
  )
}

/** Whether B is the Editor's current draft. */
function Beside({ beside, onRun }: { readonly beside: DraftBeside; readonly onRun: () => void }) {
  switch (beside) {
    case 'same':
    case 'unknown':
      return null
    case 'gone':
      return (
        <Note kind="warn">The Editor no longer has a draft. B keeps running the last one until you turn it off.</Note>
      )
    case 'changed':
      return (
        <Note kind="warn">
          <div className="stack at-start gap-6">
            <p>The draft or the objects under it have changed. B still runs the previous draft.</p>
            <Button small asks="live.candidate" onClick={onRun}>
              Run the new draft
            </Button>
          </div>
        </Note>
      )
  }
}

function Comparison({ candidate }: { readonly candidate: CandidateReport }) {
  return (
    <PlainTable
      caption="Configuration in force and draft"
      className={styles['small']}
      columns={COMPARISON}
      rows={comparedRows(candidate)}
      rowKey={({ what }) => what}
      foot={[{ what: { text: 'decided differently' }, a: { text: differentShare(candidate), span: 2 } }]}
    />
  )
}

const COMPARISON: readonly DataColumn<ComparedRow>[] = [
  { id: 'what', header: 'What', hiddenHeader: true, rowHeader: true, cell: ({ what }) => what },
  { id: 'a', header: 'A now', align: 'right', cell: ({ a }) => a },
  {
    id: 'b',
    header: 'B draft',
    align: 'right',
    look: ({ verdict }) => verdict && styles[verdict],
    cell: ({ b, verdict }) => (
      <>
        {b}
        {verdict !== undefined && <span className="sr-only"> {verdict}</span>}
      </>
    ),
  },
]

interface ComparedRow {
  readonly what: string
  readonly a: string
  readonly b: string
  /** The effect of B; absent where it is neither better nor worse. */
  readonly verdict?: 'better' | 'worse'
}

/** Number of levels whose waits are listed: those that differ most, sorted by name so that they keep their places. */
const MOST_LEVELS = 4
/** Differences below one part in twenty are noise; for waits, those within the steps in which they are counted. */
const NOISE = 0.05
const WAIT_NOISE = 0.1
/** Waits below this count as none: a queue that is passed at once takes this long. Milliseconds. */
const NO_WAIT = 1
/** A smaller lag is not noticeable. Milliseconds. */
const NOT_BEHIND_MS = 1_000

/** Less is better. */
function verdictOf(a: number | undefined, b: number | undefined, noise: number): ComparedRow['verdict'] {
  if (a === undefined || b === undefined || Math.abs(a - b) <= noise * Math.max(a, b)) return undefined
  return b < a ? 'better' : 'worse'
}

function row(
  what: string,
  a: number | undefined,
  b: number | undefined,
  say: (value: number | undefined) => string,
  noise = NOISE,
): ComparedRow {
  const verdict = verdictOf(a, b, noise)
  return { what, a: say(a), b: say(b), ...(verdict !== undefined && { verdict }) }
}

/** The two configurations side by side. */
export function comparedRows({ seconds, a, b }: CandidateReport): readonly ComparedRow[] {
  const difference = (level: string): number => Math.abs((a.waitP99[level] ?? 0) - (b.waitP99[level] ?? 0))
  const waits = (level: string): boolean => Math.max(a.waitP99[level] ?? 0, b.waitP99[level] ?? 0) >= NO_WAIT
  const levels = [...new Set([...Object.keys(a.waitP99), ...Object.keys(b.waitP99)])]
    .filter(waits)
    .toSorted((one, other) => difference(other) - difference(one) || (one < other ? -1 : 1))
    .slice(0, MOST_LEVELS)
    .toSorted()
  const perSecond = (count: number): number | undefined => (seconds === 0 ? undefined : count / seconds)
  return [
    row('rejected /s', perSecond(a.rejected), perSecond(b.rejected), format.significant),
    ...levels.map((level) => row(`wait p99, ${level}`, a.waitP99[level], b.waitP99[level], format.ms, WAIT_NOISE)),
    { what: 'executing seats', a: format.seats(a.executingSeats), b: format.seats(b.executingSeats) },
    row('queued requests', a.queued, b.queued, format.seats),
  ]
}

/** The period of both columns: `last 5 min, 1.2 s behind`. */
export const comparedSpan = ({ seconds, behindMs = 0 }: Pick<CandidateReport, 'seconds' | 'behindMs'>): string =>
  `last ${format.span(seconds)}${behindMs >= NOT_BEHIND_MS ? `, ${format.span(behindMs / 1_000)} behind` : ''}`

/** Requests whose duration is assumed for B; `undefined` where all durations are known. */
export const assumedSentence = ({ assumed }: Pick<CandidateReport, 'assumed'>): string | undefined =>
  assumed === undefined
    ? undefined
    : `B fell too far behind to wait until ${format.seats(assumed)} ${plural(assumed, 'request', 'requests')} had run under A; it gave them the usual time of their kind.`

/** Share of the requests since then: `1.5 % of 2 336`. */
export function differentShare({ different, a }: Pick<CandidateReport, 'different' | 'a'>): string {
  if (a.arrived === 0) return format.percent(undefined)
  return `${format.fixed((different / a.arrived) * 100, 1)} % of ${format.seats(a.arrived)}`
}
