import { plural } from '../../../../core/text/format.ts'
import { useState } from 'react'
import { isLegalShape, MAX_ENTROPY_BITS, requiredEntropyBits } from '../../../../core/config/shape.ts'
import { coveredOdds } from '../../../../core/sharding/collision.ts'
import type { LevelSeats } from '../../../../core/impact/effectiveLevels.ts'
import { sharesForSeats, type SharesAnswer } from '../../../../core/impact/shareCalculator.ts'
import { Note } from '../../../components/States.tsx'
import { Term } from '../../../components/Term.tsx'
import { format } from '../../../theme/format.ts'
import { Button } from '../../../components/Button.tsx'
import { inputClass } from '../../../components/Field.tsx'
import { useDraftObjects } from '../../../state/draft.ts'
import { useDraftBase } from '../../../state/draftBase.ts'
import styles from './object.module.css'
import { FieldRow } from './FieldRow.tsx'

const ELEPHANTS = [1, 4, 16] as const

/** Consequences of the numbers of a level: how wide a request may be, and how well flows are isolated. */
export function LevelFacts({ seats, serverLimit }: { readonly seats: LevelSeats; readonly serverLimit: number }) {
  const { type, nominal, lower, maxSeatsPerRequest, widestRequest, upper, queues } = seats
  if (type === 'Exempt') {
    return (
      <p className="pad-x pad-t-8 pad-b-10 line-above prose muted">
        Requests here never wait.
        {nominal > lower && ' Other levels can borrow the seats that this level does not need.'}
      </p>
    )
  }
  const odds = queues !== undefined && queues.queues > 1 && isLegalShape(queues)
  return (
    <>
      <dl className={styles['facts']}>
        {queues !== undefined && (
          <>
            <dt className="muted">
              <Term id="max-seats">Widest request</Term>: {widestFormula(nominal, queues.handSize)}
            </dt>
            <dd className="strong right">
              {format.seats(maxSeatsPerRequest)} {plural(maxSeatsPerRequest, 'seat', 'seats')}
            </dd>
          </>
        )}
        {odds &&
          ELEPHANTS.map((elephants) => (
            <Odds key={elephants} elephants={elephants} chance={coveredOdds(queues, elephants)} />
          ))}
      </dl>
      <div className="stack gap-6 pad-x pad-t-4 pad-b-10">
        {queues !== undefined && maxSeatsPerRequest < widestWithout(serverLimit) && maxSeatsPerRequest <= 4 && (
          <Note kind="warn">
            {`A request here is at most ${format.counted(maxSeatsPerRequest, 'seat')} wide. Wider lists are counted as ${maxSeatsPerRequest}, so this level can admit more work than its seats suggest.`}
          </Note>
        )}
        {queues === undefined && (
          <Note kind="info">
            {`Nothing waits here: a request that finds ${format.seats(Math.min(upper, nominal))} seats taken is rejected. A list may be ${format.seats(widestRequest)} seats wide.`}
          </Note>
        )}
      </div>
    </>
  )
}

/** Widest request of a level with all seats of the server; on a small server no level exceeds it. */
const widestWithout = (serverLimit: number): number => Math.ceil(serverLimit * 0.15)

function Odds({ elephants, chance }: { readonly elephants: number; readonly chance: number }) {
  return (
    <>
      <dt className="muted">
        {plural(elephants, 'A small flow is fully covered by 1 elephant', `by ${elephants} elephants`)}
      </dt>
      <dd className="strong right">{format.probability(chance)}</dd>
    </>
  )
}

/** The meaning of the numbers of a level, in a few words each. Seats of one server. */
export const sharesText = ({ type, nominal }: LevelSeats, serverLimit: number): string =>
  type === 'Exempt' && nominal === 0
    ? 'no seats of its own'
    : `${format.seats(nominal)} of ${format.seats(serverLimit)} seats`

export const lendingText = ({ nominal, lower }: LevelSeats): string =>
  nominal === lower ? 'lends nothing' : `keeps at least ${format.seats(lower)}`

export function borrowingText({ nominal, upper }: LevelSeats, written: unknown): string {
  if (written === undefined || written === null) return 'no limit'
  return upper <= nominal ? `stays at ${format.seats(nominal)} or below` : `up to ${format.seats(upper)} seats`
}

export function entropyText({ queues, handSize }: { readonly queues: number; readonly handSize: number }): string {
  return `${requiredEntropyBits(queues, handSize)} of ${MAX_ENTROPY_BITS} entropy bits`
}

/** `min(⌈24 × 0.15⌉, ⌊24 ÷ 4⌋)`: the upper bound for the estimate of a request (specification 5.2). */
const widestFormula = (nominal: number, handSize: number): string =>
  `min(⌈${format.seats(nominal)} × 0.15⌉, ⌊${format.seats(nominal)} ÷ ${handSize}⌋)`

/** The inverse: how many shares a level needs for a nominal limit, with all other levels as in the draft. */
export function SeatsWanted(props: {
  readonly level: string
  readonly serverLimit: number
  readonly onShares: (shares: number) => void
}) {
  const { level, serverLimit, onShares } = props
  const [typed, setTyped] = useState('')
  const base = useDraftBase()?.objects
  const objects = useDraftObjects() ?? base
  const wanted = /^\d{1,9}$/.test(typed.trim()) ? Number(typed) : undefined
  const answer =
    wanted === undefined || objects === undefined ? undefined : sharesForSeats(objects, serverLimit, level, wanted)
  const own = answer?.possible === true ? answer : undefined
  const takes =
    own === undefined || own.sharesAfter === own.sharesBefore ? undefined : (
      <Button
        small
        onClick={() => {
          onShares(own.sharesAfter)
          setTyped('')
        }}
      >
        Set {own.sharesAfter} shares
      </Button>
    )
  return (
    <FieldRow
      label="Seats wanted"
      findings={[]}
      consequence={
        typed.trim() === '' ? (
          'shares for a nominal limit'
        ) : (
          <>
            {seatsAnswer(answer)} {takes}
          </>
        )
      }
    >
      {(attributes) => (
        <input
          {...attributes}
          className={inputClass}
          inputMode="numeric"
          autoComplete="off"
          placeholder="none"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </FieldRow>
  )
}

/** The shares needed, and what the other levels lose. */
export function seatsAnswer(answer: SharesAnswer | undefined): string {
  if (answer === undefined) return 'Enter a whole number of seats.'
  if (!answer.possible) return answer.why
  const { sharesBefore, sharesAfter, nominalAfter, othersGain } = answer
  if (sharesAfter === sharesBefore) return `${sharesBefore} shares already give ${nominalAfter} seats`
  const others =
    othersGain === 0
      ? 'other levels are unchanged'
      : `the others ${othersGain < 0 ? 'lose' : 'gain'} ${Math.abs(othersGain)}`
  return `${sharesAfter} shares give ${nominalAfter} seats; ${others}`
}
