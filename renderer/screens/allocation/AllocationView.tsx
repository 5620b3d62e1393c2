import { useMemo } from 'react'
import type { DerivedServer } from '../../../core/frame/derived.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { unixMsOf } from '../../../core/units.ts'
import { Note } from '../../components/Note.tsx'
import { Loading, ProblemNote } from '../../components/States.tsx'
import { useSelection } from '../../state/selection.ts'
import { useSettings } from '../../state/settings.ts'
import { useTimePart } from '../../state/time.ts'
import { useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import { levelOrder } from '../../theme/levelSlots.ts'
import { CaseSentence } from './CaseSentence.tsx'
import { LedgerPane } from './LedgerPane.tsx'
import { NotExplained } from './NotExplained.tsx'
import { agreement, isKnown, roundAtInstant, roundLedger, roundsOf, stepTable } from './rounds.data.ts'
import { SharePanes } from './SharePanes.tsx'
import { Stepper } from './Stepper.tsx'
import { StepTable } from './StepTable.tsx'
import styles from './allocation.module.css'
import { useSteps } from './useSteps.ts'

export interface AllocationViewProps {
  readonly server: ServerFrame
  readonly derived: DerivedServer | undefined
  readonly stale: boolean
  /** Identifier of the connection: steps of another one are other steps. */
  readonly connection: number | undefined
}

/** The reallocations of one server. The shared cursor says which one is shown; without it, the newest. */
export function AllocationView({ server, derived, stale, connection }: AllocationViewProps) {
  const torn = derived?.torn === true
  // A torn page begins a step that the next page completes; a second page confirms it.
  const seenTwice = derived?.lastAdjustmentAt !== undefined && unixMsOf(server.at) > derived.lastAdjustmentAt
  const seen = `${derived?.lastAdjustmentAt ?? ''} ${torn ? 'torn' : ''} ${seenTwice ? 'twice' : ''}`
  const result = useSteps(connection, server.id, seen)
  const steps = result.state === 'ready' ? result.steps : undefined
  const rounds = useMemo(() => roundsOf(steps ?? []), [steps])
  const cursor = useTimePart((time) => time.cursor)
  const { level: selected } = useSelection()
  const [{ levelSlots }] = useSettings()
  const order = useMemo(() => levelOrder(levelSlots), [levelSlots])
  const shown = roundAtInstant(rounds, cursor)
  const known = shown !== undefined && isKnown(shown) ? shown : undefined
  const table = useMemo(() => (known === undefined ? undefined : stepTable(known, order)), [known, order])
  const ledger = useMemo(() => (known === undefined ? undefined : roundLedger(known, order)), [known, order])

  if (result.state === 'loading') return <Loading waitingFor="the reallocations seen so far" />
  return (
    <div className={stale ? styles['stale'] : undefined}>
      <header className={styles['head']}>
        <h1 className={styles['title']}>How the limits were set</h1>
        {shown !== undefined && <Stepper rounds={rounds} shown={shown} follows={cursor === undefined} />}
      </header>
      <div className={styles['notes']}>
        {result.state === 'failed' && <ProblemNote problem={result.problem} />}
        {stale && <StaleNote server={server} />}
        {torn && (
          <Note kind="info">
            ≈ The newest page was read during a reallocation and mixes two of them. It is shown here with the next page.
          </Note>
        )}
      </div>
      {known === undefined || table === undefined || ledger === undefined ? (
        result.state === 'ready' && <NotExplained server={server} round={shown} />
      ) : (
        <>
          <CaseSentence round={known} ledger={ledger} {...agreement(rounds)} />
          <StepTable round={known} table={table} selected={selected} server={server.id} />
          <SharePanes round={known} rows={table.rows} stale={stale} />
          <LedgerPane ledger={ledger} round={known} selected={selected} server={server.id} />
        </>
      )}
    </div>
  )
}

function StaleNote({ server }: { readonly server: ServerFrame }) {
  const ageMs = useViewPart((view) => view.ageMs)
  return (
    <Note kind="warn">
      {`No sample from ${server.id} for ${format.age(ageMs)}. Showing the reallocations that were seen until ${format.time(unixMsOf(server.at))}.`}
    </Note>
  )
}
