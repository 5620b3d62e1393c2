import { EXEMPT } from '../config/objects.ts'
import type { LevelSeats } from '../impact/effectiveLevels.ts'
import type { ImpactRow } from '../impact/seatImpact.ts'
import { type GuardFinding, levelRef } from './finding.ts'
import { counted } from './listed.ts'
import type { Rail, RailInput } from './rail.ts'

/** Levels that the edit leaves next to no seats. */
export const seatsRail: Rail = (input) =>
  input.impact.rows.flatMap((row): readonly GuardFinding[] => {
    const { name, before, after } = row
    if (after === null || name === EXEMPT) return []
    return [...starved(row, after), ...oneSeatRequests(name, before, after), ...belowDemand(name, before, after, input)]
  })

const sharesPath = ['spec', 'limited', 'nominalConcurrencyShares'] as const

/** No nominal seat, or one. */
function starved({ name, before }: ImpactRow, after: LevelSeats): readonly GuardFinding[] {
  if (after.nominal > 1 || before?.nominal === after.nominal) return []
  const evidence = before === null ? ['a new level'] : [`before the edit: ${counted(before.nominal, 'nominal seat')}`]
  if (after.nominal === 1) {
    return [
      {
        code: 'seats/one',
        severity: 'warns',
        objects: [levelRef(name)],
        message: `${name} is left with one nominal seat: whatever it serves runs one request at a time unless other levels lend.`,
        remedy: { sentence: `Give ${name} more shares.` },
        evidence,
      },
    ]
  }
  return [
    {
      code: 'seats/none',
      severity: 'warns',
      objects: [levelRef(name)],
      message: `${name} has no seat of its own: ${withoutSeats(after)}.`,
      remedy: {
        sentence: `Give ${name} at least one share, unless its requests are to be held up.`,
        fix: { action: 'set', object: levelRef(name), path: [...sharesPath], value: 1 },
      },
      evidence,
    },
  ]
}

/** What a limit of 0 does (specification 4.6, 4.11, trap T17). */
function withoutSeats({ type, upper }: LevelSeats): string {
  if (upper > 0) return 'its requests run only on seats that other levels lend'
  return type === 'Reject'
    ? 'it runs one request at a time and rejects all others'
    : 'its requests wait until their time is up and are rejected, for it may not borrow either'
}

/** Specification 5.2. With one nominal seat or none it goes without saying. */
function oneSeatRequests(name: string, before: LevelSeats | null, after: LevelSeats): readonly GuardFinding[] {
  const { queues, nominal } = after
  if (nominal < 2 || after.maxSeatsPerRequest !== 1 || before?.maxSeatsPerRequest === 1) return []
  const byHand = queues !== undefined && nominal < 2 * queues.handSize
  return [
    {
      code: 'seats/one-per-request',
      severity: 'warns',
      objects: [levelRef(name)],
      message: `A request of ${name} counts for one seat at most, so that a list worth ten seats is taken for a small one and the level takes on more work than its seats suggest.`,
      remedy: {
        sentence:
          byHand && nominal > 6
            ? `Deal smaller hands: with ${Math.trunc(nominal / 2)} or fewer queues each a request may count for two seats.`
            : `Give ${name} more shares: a request may count for 15 % of the nominal seats, and for these divided by the hand size.`,
      },
      evidence: [
        before === null || before.maxSeatsPerRequest === 0
          ? 'no cap before the edit'
          : `before the edit: ${before.maxSeatsPerRequest} seats`,
        `nominal seats ${nominal}${queues === undefined ? '' : `, hand size ${queues.handSize}`}`,
      ],
    },
  ]
}

/** The most that the level may have against what it needed lately. */
function belowDemand(
  name: string,
  before: LevelSeats | null,
  { upper }: LevelSeats,
  { context }: RailInput,
): readonly GuardFinding[] {
  if (before === null || upper >= before.upper) return []
  return (context.servers ?? []).flatMap(({ id, levels }): readonly GuardFinding[] => {
    const demand = levels.find((level) => level.name === name)?.demand.highWatermark
    if (demand === undefined || demand <= upper || demand > before.upper) return []
    return [
      {
        code: 'seats/below-demand',
        severity: 'warns',
        objects: [levelRef(name)],
        message: `${name} may have at most ${counted(upper, 'seat')} after the edit, and asked for ${demand} on ${id} in the last period.`,
        remedy: { sentence: `Give ${name} more shares or a higher borrowing limit.` },
        evidence: [`upper limit before the edit: ${before.upper}`],
      },
    ]
  })
}
