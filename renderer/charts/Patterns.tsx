import { BUILT_IN_ORDER, SLOT_TOKENS } from '../theme/levelSlots.ts'
import { levelToken } from '../state/levels.ts'
import styles from './Patterns.module.css'

/** Tokens of every level colour there can be. */
const TOKENS = [
  ...BUILT_IN_ORDER.map((name) => `--lv-${name}`),
  ...Array.from({ length: SLOT_TOKENS }, (_, index) => `--lv-x${index + 1}`),
]

export type PatternKind = 'hatch' | 'stipple'

/**
 * The fill of a meaning: `hatch` is executing on borrowed seats, in the colour of the level; `stipple` is queued, amber
 * for every level (design: patterns). Free seats are the level colour at 22 %, lent ones a dotted outline.
 */
export function patternOf(kind: 'hatch', level: string): string
export function patternOf(kind: 'stipple'): string
export function patternOf(kind: PatternKind, level?: string): string {
  return level === undefined ? 'url(#apf-stipple)' : `url(#${hatchId(levelToken(level))})`
}

/** Opacity of free seats inside the limit. */
export const FREE_OPACITY = 0.22

const hatchId = (token: string): string => `apf-hatch${token.slice(1)}`

/** Definitions that drawings anywhere on the page refer to; mounted once by the app. */
export function Patterns() {
  return (
    <svg width="0" height="0" className={styles['defs']} aria-hidden="true" focusable="false">
      <defs>
        {TOKENS.map((token) => (
          <pattern
            key={token}
            id={hatchId(token)}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="5" height="5" style={{ fill: `var(${token})` }} fillOpacity={FREE_OPACITY} />
            <rect width="2.6" height="5" style={{ fill: `var(${token})` }} />
          </pattern>
        ))}
        <pattern id="apf-stipple" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect className={styles['dot']} width="1.5" height="1.5" />
          <rect className={styles['dot']} x="2" y="2" width="1.5" height="1.5" />
        </pattern>
      </defs>
    </svg>
  )
}
