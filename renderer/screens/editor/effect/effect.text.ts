import { SETTLE_MS } from '../../../../core/compare/period.ts'
import type { Effect, EffectsState } from '../../../../core/contract/effect.ts'
import { judgedOf, worstMiss, type Judged } from '../../../../core/twin/judge.ts'
import { format } from '../../../theme/format.ts'
import { bandText, QUANTITY_LOOKS } from './quantities.tsx'

/** Until when it is watched, or why that ended. */
export function watchText({ ended }: Effect, watched: EffectsState['watched']): string {
  if (ended !== undefined) return ENDED[ended]
  return watched ? `measuring until ${format.time(watched.untilMs)}` : 'not measured any more'
}

const ENDED: Readonly<Record<NonNullable<Effect['ended']>, string>> = {
  complete: 'measured for ten minutes',
  changed: 'measured until the next change of limits or objects',
  restarted: 'measured until the server restarted',
  interrupted: 'pages are missing from the ten minutes after the edit',
}

/** What the measurement shows of the forecast, or why it shows nothing yet. */
export function effectSentences(effect: Effect): readonly string[] {
  const { measured, forecast, ended } = effect
  if (measured === undefined) {
    return [
      ended === undefined
        ? `The first numbers appear about ${(SETTLE_MS + FIRST_MS) / 1_000} s after the edit: limits settle for ${SETTLE_MS / 1_000} s, and ${FIRST_MS / 1_000} s are measured.`
        : 'Too little was measured to show an effect.',
    ]
  }
  if (forecast === undefined) return ['There was no forecast on the screen when this was applied.']
  const judged = judgedOf(effect)
  if (judged.length === 0) return ['None of the forecast numbers is large enough to count.']
  const inside = judged.filter((one) => one.inside).length
  const miss = worstMiss(judged)
  return [
    `${inside} of ${judged.length} forecast numbers lie in their bands.`,
    ...(miss === undefined ? [] : [`Farthest outside: ${missText(miss)}.`]),
  ]
}
/** Least length of a measurement (core/twin/observe.ts). */
const FIRST_MS = 20_000

function missText({ level, quantity, measured, band }: Judged): string {
  const { label, text } = QUANTITY_LOOKS[quantity]
  return `${level}, ${label.toLowerCase()} ${text(measured)}, forecast ${bandText(band, quantity)}`
}
