import type { DerivedLevel } from '../../../core/frame/derived.ts'
import type { TermId } from '../../glossary/glossary.ts'
import { isExempt, type LevelFrame, type ServerFrame } from '../../../core/frame/frame.ts'

/** How a rung is drawn in the chart beside it. */
export type RungMark = 'dot' | 'average' | 'deviation' | 'smoothed' | 'current' | 'none'

export interface Rung {
  readonly key: string
  readonly term: string
  readonly mark: RungMark
  readonly value: number | undefined
  /** Decimals of the value. */
  readonly decimals: 0 | 1 | 4
  /** Computed by the console, or mixed from two recomputations: shown with ≈. */
  readonly approximate: boolean
  /** Why there is no value, when that is not simply unknown. */
  readonly notApplicable?: string
  readonly glossary?: TermId
}

/**
 * From demand to limit, step by step (specification 6.3 and 6.4). On a torn page the rungs come from two
 * recomputations, so each is marked approximate.
 */
export function demandLadder(
  server: ServerFrame,
  level: LevelFrame,
  derived: DerivedLevel | undefined,
  torn: boolean,
): readonly Rung[] {
  const { demand, limits } = level
  const exempt = isExempt(level)
  const rung = (key: string, term: string, mark: RungMark, value: number | undefined, decimals: 0 | 1 | 4): Rung => ({
    key,
    term,
    mark,
    value,
    decimals,
    approximate: torn,
  })
  const p = server.seatFairFrac
  return [
    { ...rung('high', 'high watermark', 'dot', demand.highWatermark, 0), glossary: 'high-watermark' },
    { ...rung('average', 'average', 'average', demand.average, 1), glossary: 'average-demand' },
    { ...rung('stdev', 'deviation σ', 'deviation', demand.stdev, 1), glossary: 'deviation' },
    {
      ...rung('envelope', 'envelope avg + σ', 'none', derived?.envelope, 1),
      ...(torn ? { notApplicable: 'The page mixes two recomputations; the next one will tell.' } : {}),
      glossary: 'envelope',
    },
    { ...rung('smoothed', 'smoothed', 'smoothed', demand.smoothed, 1), glossary: 'smoothed-demand' },
    {
      ...rung('target', 'target', 'none', exempt ? undefined : demand.target, 1),
      ...(exempt ? { notApplicable: 'For exempt the server reports the target of an arbitrary other level.' } : {}),
      glossary: 'target',
    },
    {
      ...rung('fair', '× fair fraction', 'none', exempt || p === 0 ? undefined : p, 4),
      ...(exempt ? { notApplicable: 'Exempt takes what it uses; nothing is multiplied.' } : {}),
      ...(!exempt && p === 0
        ? { notApplicable: 'Exempt used so much that limits come from the floors; the server reports 0.' }
        : {}),
      glossary: 'fair-fraction',
    },
    {
      ...rung('current', 'current limit', 'current', exempt ? undefined : limits.current, 0),
      ...(exempt
        ? { notApplicable: `Nothing limits exempt; ${limits.current ?? 'no'} seats are set aside for it.` }
        : {}),
      glossary: 'current-limit',
    },
  ]
}
