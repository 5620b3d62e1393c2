import { isLegalShape } from '../../../../core/config/shape.ts'
import { coveredOdds } from '../../../../core/sharding/collision.ts'
import type { LevelSeats } from '../../../../core/impact/effectiveLevels.ts'
import { Note } from '../../../components/States.tsx'
import { Term } from '../../../components/Term.tsx'
import { format } from '../../../theme/format.ts'
import { widestFormula } from './levelForm.text.ts'
import styles from './form.module.css'

const ELEPHANTS = [1, 4, 16] as const

/** What follows from the numbers of a level: how wide a request may be, and how well flows are kept apart. */
export function LevelFacts({ seats, serverLimit }: { readonly seats: LevelSeats; readonly serverLimit: number }) {
  const { type, nominal, lower, maxSeatsPerRequest, widestRequest, upper, queues } = seats
  if (type === 'Exempt') {
    return (
      <p className={`${styles['section']} ${styles['plain']}`}>
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
            <dt>
              <Term id="max-seats">Widest request</Term>: {widestFormula(nominal, queues.handSize)}
            </dt>
            <dd>
              {format.seats(maxSeatsPerRequest)} {maxSeatsPerRequest === 1 ? 'seat' : 'seats'}
            </dd>
          </>
        )}
        {odds &&
          ELEPHANTS.map((elephants) => (
            <Odds key={elephants} elephants={elephants} chance={coveredOdds(queues, elephants)} />
          ))}
      </dl>
      <div className={styles['notes']}>
        {queues !== undefined && maxSeatsPerRequest < widestWithout(serverLimit) && maxSeatsPerRequest <= 4 && (
          <Note kind="warn">
            {`A request here is at most ${maxSeatsPerRequest} ${maxSeatsPerRequest === 1 ? 'seat' : 'seats'} wide. Wider lists are counted as ${maxSeatsPerRequest}, so this level can take on more work than its seats suggest.`}
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

/** What no level of a small server exceeds anyway. */
const widestWithout = (serverLimit: number): number => Math.ceil(serverLimit * 0.15)

function Odds({ elephants, chance }: { readonly elephants: number; readonly chance: number }) {
  return (
    <>
      <dt>{elephants === 1 ? 'A small flow is fully covered by 1 elephant' : `by ${elephants} elephants`}</dt>
      <dd>{format.probability(chance)}</dd>
    </>
  )
}
