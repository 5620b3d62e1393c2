import { useMemo, memo, useEffect, useRef, useState, type ReactNode } from 'react'
import type { DerivedServer, AdjustmentStep } from '../../../core/frame/derived.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { unixMsOf } from '../../../core/units.ts'
import type { AdjustmentLedger } from '../../../core/impact/adjustmentLedger.ts'
import { FAMILY, type FamilyKey } from '../../../core/metrics/familyNames.ts'
import { cellText, sentenceText } from '../../../core/answer/answer.ts'
import { comparisonOf, presentAllocation } from '../../../core/impact/presentAllocation.ts'
import { NEEDED_GAUGES } from '../../../core/impact/expected.ts'
import type { Problem } from '../../../core/errors.ts'
import { onAnswer } from '../../state/answer.ts'
import { useConnected } from '../../state/connection.ts'
import { FamilyNote } from '../../components/FamilyNote.tsx'
import { NoCluster } from '../../components/NoCluster.tsx'
import { NoSampleYet, LoadingPage, ProblemNote, EmptyState } from '../../components/States.tsx'
import { useViewPart } from '../../state/view.ts'
import { useSelection } from '../../state/selection.ts'
import { useSettings } from '../../state/settings.ts'
import { askedOf, askShown, usePastPart } from '../../state/past.ts'
import { windowToText } from '../../state/time.logic.ts'
import { cursorOf, timeStore, useTimePart } from '../../state/time.ts'
import { format } from '../../theme/format.ts'
import { levelOrder } from '../../../core/text/levelSlots.ts'
import { classes } from '../../components/classes.ts'
import { useTurn } from '../../components/hooks.ts'
import { ExportMenu } from '../../components/Promql.tsx'
import { HiddenReallocations } from '../../components/HiddenReallocations.tsx'
import { Icon } from '../../components/Icon.tsx'
import styles from './allocation.module.css'
import { LedgerPane } from './LedgerPane.tsx'
import {
  agreement,
  isKnown,
  roundAtInstant,
  roundLedger,
  roundsOf,
  stepTable,
  type KnownRound,
  type Round,
  mergeSteps,
} from './rounds.data.ts'
import { SharePanes } from './SharePanes.tsx'
import { Stepper } from './Stepper.tsx'
import { copiesOf, MEASURED_STEPS, StepTable } from './StepTable.tsx'

/** Why every limit is what it is, for each reallocation (design 3.3). */
export function AllocationScreen() {
  const server = useViewPart((view) => view.server)
  return (
    <div className="shrink-x">
      {/* With data, the sentence of the case is the heading. */}
      {server === undefined && <h1 className="sr-only">Allocation</h1>}
      <Content />
    </div>
  )
}

function Content() {
  const server = useViewPart((view) => view.server)
  const derived = useViewPart((view) => view.derivedServer)
  const mode = useViewPart((view) => view.mode)
  const connected = useConnected()
  if (mode === 'none') {
    return (
      <NoCluster>
        This screen explains how an API server set the seat limits of its levels, reallocation by reallocation; the demo
        contains some.
      </NoCluster>
    )
  }
  if (server !== undefined) {
    return (
      <AllocationView
        key={`${connected?.id ?? ''} ${server.id}`}
        server={server}
        derived={derived}
        stale={mode === 'stale'}
        connection={connected?.id}
      />
    )
  }
  return <NoSampleYet />
}

interface AllocationViewProps {
  readonly server: ServerFrame
  readonly derived: DerivedServer | undefined
  readonly stale: boolean
  /** Identifier of the connection: another one has other steps. */
  readonly connection: number | undefined
}

/** The reallocations of one server. The shared cursor selects the shown one; without it, the newest is shown. */
export function AllocationView({ server, derived, stale, connection }: AllocationViewProps) {
  const torn = derived?.torn === true
  // A torn page starts a step that the next page completes; a second page confirms it.
  const seenTwice = derived?.lastAdjustmentAt !== undefined && unixMsOf(server.at) > derived.lastAdjustmentAt
  const seen = `${derived?.lastAdjustmentAt ?? ''} ${torn ? 'torn' : ''} ${seenTwice ? 'twice' : ''}`
  const result = useSteps(connection, server.id, seen)
  const steps = result.state === 'ready' ? result.steps : undefined
  const rounds = useMemo(() => roundsOf(steps ?? []), [steps])
  const compared = useMemo(() => agreement(rounds), [rounds])
  const follows = useTimePart((time) => cursorOf(time) === undefined)
  const { level: selected } = useSelection()
  const [{ levelSlots }] = useSettings()
  const order = useMemo(() => levelOrder(levelSlots), [levelSlots])
  // The pointer passes many instants of one round.
  const shown = useTimePart((time) => roundAtInstant(rounds, cursorOf(time)))
  const known = shown !== undefined && isKnown(shown) ? shown : undefined
  const table = useMemo(() => (known === undefined ? undefined : stepTable(known, order)), [known, order])
  const ledger = useMemo(() => (known === undefined ? undefined : roundLedger(known, order)), [known, order])

  // While time is dragged, rounds follow each other fast, so the parts of the screen render in turn.
  const isPast = usePastPart(askedOf) !== undefined
  const drawn = useMemo(() => known && table && ledger && { known, table, ledger }, [known, table, ledger])
  const shared = useTurn(drawn, 1, isPast)
  const accounted = useTurn(drawn, 2, isPast)
  const remark = stale ? <StaleRemark server={server} /> : torn && TORN

  if (result.state === 'loading') return <LoadingPage title="Allocation" waitingFor="the reallocations seen so far" />
  return (
    <div className={stale ? styles['stale'] : undefined}>
      <header className={styles['head']}>
        <h1 className={styles['title']}>How the limits were set</h1>
        {shown !== undefined && <Stepper rounds={rounds} shown={shown} follows={follows} />}
        {known !== undefined && <ExportMenu of="Steps" entries={[]} copies={copiesOf(MEASURED_STEPS, known.step.at)} />}
      </header>
      <div className={`${styles['notes']} stack gap-8 pad-x pad-b-8 gone-when-empty`}>
        {result.state === 'failed' && <ProblemNote problem={result.problem} />}
        <HiddenReallocations server={server.id} />
      </div>
      {drawn === undefined || shared === undefined || accounted === undefined ? (
        result.state === 'ready' && (
          <>
            {remark && <p className={classes(styles['why'], styles['remark'])}>{remark}</p>}
            <NotExplained server={server} round={shown} />
          </>
        )
      ) : (
        <>
          <CaseSentence round={drawn.known} ledger={drawn.ledger} {...compared} remark={remark} />
          <StepTable round={drawn.known} table={drawn.table} selected={selected} server={server.id} />
          <SharePanes round={shared.known} rows={shared.table.rows} stale={stale} />
          <LedgerPane ledger={accounted.ledger} round={accounted.known} selected={selected} server={server.id} />
        </>
      )}
    </div>
  )
}

const TORN = '≈ The newest scrape straddles two reallocations. The newer one appears here with the next scrape.'

function StaleRemark({ server }: { readonly server: ServerFrame }) {
  const ageMs = useViewPart((view) => view.ageMs)
  return `No sample from ${server.id} for ${format.age(ageMs)}. Showing the reallocations observed until ${format.time(unixMsOf(server.at))}.`
}

interface CaseSentenceProps {
  readonly round: KnownRound
  readonly ledger: AdjustmentLedger
  /** Over all rounds that are kept: how many could be compared, and how many are as expected. */
  readonly compared: number
  readonly equal: number
  /** Of the newest sample; takes the place of the comparison, so that nothing moves when it comes or goes. */
  readonly remark: ReactNode
}

/** Which case applied and why, and whether the server followed its version's rules. */
const CaseSentence = memo(function CaseSentence({ round, ledger, compared, equal, remark }: CaseSentenceProps) {
  const { title, evidence } = presentAllocation(round.expected, ledger)
  const { tone, sentence } = comparisonOf(round.expected, round.cause)
  return (
    // Another round has another sentence: its words come from nowhere.
    <div key={round.step.at} className={styles['why']}>
      <p>
        <b>{sentenceText(title, format)}</b>{' '}
        {evidence[0]?.map((part, i) => {
          // Words never move: their position is their identity.
          const Part = typeof part === 'object' && 'as' in part && part.as === 'fairFraction' ? 'b' : 'span'
          return <Part key={i}>{cellText(part, format)}</Part>
        })}
      </p>
      {remark ? (
        <p className={classes(styles['compared'], styles['remark'])}>{remark}</p>
      ) : (
        <p className={classes(styles['compared'], tone === 'quiet' ? 'faint' : styles[tone])}>
          {tone !== 'quiet' && <Icon name={tone === 'good' ? 'check' : 'cross'} size={12} />}
          <span>
            {sentenceText(sentence, format)}
            {compared > 1 && (
              <span className="faint">
                {equal === compared
                  ? ` All ${format.fixed(compared)} comparable reallocations are as expected.`
                  : ` ${format.fixed(equal)} of ${format.fixed(compared)} comparable reallocations are as expected.`}
              </span>
            )}
          </span>
        </p>
      )}
    </div>
  )
})

const NEEDED: readonly FamilyKey[] = [...NEEDED_GAUGES, 'current']

/**
 * Limits that are missing or do not follow from the reported numbers: which families the server does not show, and why.
 */
export function NotExplained({ server, round }: { readonly server: ServerFrame; readonly round: Round | undefined }) {
  if (server.levels.length === 0) {
    return (
      <EmptyState title="This server reports no priority level.">
        Priority and fairness may be switched off (--enable-priority-and-fairness=false), or the page holds no
        flow-control family.
      </EmptyState>
    )
  }
  const families: readonly string[] = NEEDED.map((key) => FAMILY[key])
  const missing = server.missing.filter(({ family }) => families.includes(family))
  const partly = round?.expected.kind === 'unknown' ? round.expected.missing.map((gauge) => FAMILY[gauge]) : []
  const rest = partly.filter((family) => missing.every((entry) => entry.family !== family))
  return (
    <EmptyState
      title={
        round === undefined
          ? 'The pages do not show current limits.'
          : 'The pages do not show everything that these limits depend on.'
      }
    >
      {missing.map((entry) => (
        <p key={entry.family}>
          <FamilyNote entry={entry} />
        </p>
      ))}
      {rest.map((family) => (
        <p key={family}>
          <span className="mono">{family}</span> is missing for some levels.
        </p>
      ))}
    </EmptyState>
  )
}

type StepsResult =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly steps: readonly AdjustmentStep[] }
  | { readonly state: 'failed'; readonly problem: Problem }

/** The latest answer: its connection and server, and the newest recomputation seen before it. */
interface Known {
  readonly of: string
  readonly seen?: string
  readonly steps: readonly AdjustmentStep[]
}

const LOADING: StepsResult = { state: 'loading' }

/**
 * The recomputations of one server's limits, about the last hour. They are read once, and again from the newest on
 * whenever `seen` changes: it names the newest recomputation in the frames.
 */
function useSteps(shown: number | undefined, server: string, seen: string): StepsResult {
  const past = usePastPart(askedOf)
  const window = useTimePart((time) => (past === undefined ? undefined : time.window))
  const of = `${past ?? shown ?? ''} ${server} ${window === undefined ? '' : windowToText(window)}`
  const [answer, setAnswer] = useState<{ readonly of: string; readonly result: StepsResult }>()
  const known = useRef<Known>({ of, steps: [] })
  useEffect(() => {
    if (known.current.of === of && known.current.seen === seen) return undefined
    const before = known.current.of === of ? known.current.steps : []
    const answered = (newer: readonly AdjustmentStep[]): void => {
      const steps = mergeSteps(before, newer)
      known.current = { of, seen, steps }
      setAnswer({ of, result: { state: 'ready', steps } })
    }
    const { from, to } = timeStore.getState()
    const range = past === undefined ? { from: before.at(-1)?.at ?? 0, to: Number.MAX_SAFE_INTEGER } : { from, to }
    return onAnswer(() => askShown('allocation.steps', { server, ...range }), answered, {
      onProblem: (problem) => setAnswer({ of, result: { state: 'failed', problem } }),
    })
  }, [of, server, seen, past])
  return answer?.of === of ? answer.result : LOADING
}
