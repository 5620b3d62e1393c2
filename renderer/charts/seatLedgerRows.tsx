import { levelCode } from '../state/levels.ts'
import { patternOf } from './plot.tsx'
import styles from './seatLedger.module.css'
import type { LedgerGroup } from './seatLedger.data.ts'

/**
 * - `ribbons`: ribbons connect lent and borrowed parts to the pool.
 * - `equation`: one line of terms instead, on low windows.
 * - `plain`: no middle: too many levels for distinguishable ribbons, or no pool.
 * - `small`: one of several servers: strips and hairlines only.
 */
export type LedgerVariant = 'ribbons' | 'equation' | 'plain' | 'small'

interface Row {
  readonly y: number
  readonly height: number
}

/** Pixels from the top, and margins for the names of rows. */
export interface LedgerGeometry {
  readonly left: number
  readonly right: number
  readonly nominal: Row
  readonly current: Row
  /** Top of the pool or the equation. */
  readonly middle: Row
  readonly axis: number | undefined
  readonly height: number
}

export const GEOMETRY: Readonly<Record<LedgerVariant, LedgerGeometry>> = {
  ribbons: {
    left: 86,
    right: 14,
    nominal: { y: 1, height: 20 },
    middle: { y: 40, height: 15 },
    current: { y: 75, height: 26 },
    axis: 104,
    height: 121,
  },
  equation: {
    left: 86,
    right: 14,
    nominal: { y: 1, height: 17 },
    middle: { y: 26, height: 13 },
    current: { y: 48, height: 22 },
    axis: 73,
    height: 90,
  },
  plain: {
    left: 86,
    right: 14,
    nominal: { y: 1, height: 17 },
    middle: { y: 18, height: 14 },
    current: { y: 34, height: 24 },
    axis: 61,
    height: 78,
  },
  small: {
    left: 0,
    right: 0,
    nominal: { y: 0, height: 9 },
    middle: { y: 9, height: 13 },
    current: { y: 24, height: 26 },
    axis: undefined,
    height: 53,
  },
}

/** Pixels of text at 11 px: enough to decide whether a label fits. */
const GLYPH = 6.6
const widthOf = (text: string) => text.length * GLYPH
const LEAST_SMALL_LABEL = 25

export function LedgerRows(props: {
  readonly group: LedgerGroup
  readonly geometry: LedgerGeometry
  readonly variant: LedgerVariant
}) {
  return (
    <>
      <NominalPart {...props} />
      <CurrentPart {...props} />
      {(props.variant === 'small' || props.variant === 'plain') && <Hairline {...props} />}
    </>
  )
}

interface PartProps {
  readonly group: LedgerGroup
  readonly geometry: LedgerGeometry
  readonly variant: LedgerVariant
}

/** The longest of the given texts that fits, or none. */
const fitting = (texts: readonly string[], room: number) => texts.find((text) => widthOf(text) <= room)

function NominalPart({ group, geometry, variant }: PartProps) {
  const { nominal, lent, entry, names } = group
  const { y, height } = geometry.nominal
  const own = nominal.width - (lent?.width ?? 0)
  const middle = y + height / 2 + 4
  const code = names.length === 1 ? levelCode(entry.name) : `${names.length} levels`
  const label = variant === 'small' ? undefined : fitting([`${code} ${entry.nominal}`, `${entry.nominal}`], own - 7)
  const lentLabel = variant === 'small' || lent === undefined ? undefined : fitting([`−${entry.lent}`], lent.width - 3)
  return (
    <>
      <rect className={styles['nominal']} x={nominal.x + 0.5} y={y} width={Math.max(0.5, own - 1)} height={height} />
      {lent !== undefined && (
        <rect
          className={`${styles['lent']} fill-canvas stroke-lent dashed`}
          x={lent.x + 0.5}
          y={y + 0.5}
          width={Math.max(0.5, lent.width - 1.5)}
          height={height - 1}
        />
      )}
      {lentLabel !== undefined && lent !== undefined && (
        <text className={styles['lentText']} x={lent.x + lent.width / 2} y={middle} textAnchor="middle">
          {lentLabel}
        </text>
      )}
      {label !== undefined && (
        <text className="fill-text" x={nominal.x + 5} y={middle}>
          {label}
        </text>
      )}
    </>
  )
}

function CurrentPart({ group, geometry, variant }: PartProps) {
  const { current, executing, borrowed, entry, names } = group
  const { y, height } = geometry.current
  const post = variant === 'small' ? 1 : 2
  const solid = executing?.width ?? 0
  return (
    <>
      <rect
        className={styles['free']}
        x={current.x + 0.5}
        y={y}
        width={Math.max(0.5, current.width - 1)}
        height={height}
      />
      {executing !== undefined && (
        <rect className="fill-level" x={executing.x + 0.5} y={y} width={Math.max(0.5, solid - 1)} height={height} />
      )}
      {borrowed !== undefined && (
        <rect
          className={styles['hatch']}
          fill={patternOf('hatch', entry.name)}
          x={borrowed.x - 0.5}
          y={y}
          width={borrowed.width}
          height={height}
        />
      )}
      <CurrentLabels group={group} y={y + height / 2} variant={variant} names={names} />
      <rect
        className={styles['post']}
        x={current.x + current.width - post}
        y={y - 3}
        width={post}
        height={height + (variant === 'small' ? 5 : 6)}
      />
      {entry.borrowed > 0 && variant !== 'small' && <BorrowedLabel group={group} y={y + height / 2} />}
    </>
  )
}

/** Code and limit, on the executing part where it is wide enough, otherwise on the free part. */
function CurrentLabels(props: {
  readonly group: LedgerGroup
  readonly y: number
  readonly variant: LedgerVariant
  readonly names: readonly string[]
}) {
  const { group, y, variant, names } = props
  const { current, executing, borrowed, entry } = group
  if (names.length > 1) return null
  const code = levelCode(entry.name)
  const solid = executing?.width ?? 0
  const used = solid + (borrowed?.width ?? 0)
  const texts = variant === 'small' ? [code] : [`${code} ${entry.current}`, `${entry.current}`]
  const least = variant === 'small' ? LEAST_SMALL_LABEL : 0
  const onFill = solid >= least ? fitting(texts.slice(0, 1), solid - 7) : undefined
  const free = current.width - used
  const onFree = onFill === undefined && free >= least ? fitting(texts, free - 9) : undefined
  if (onFill !== undefined) {
    return (
      <text className={styles['onFill']} x={current.x + 5} y={y + 4}>
        {onFill}
      </text>
    )
  }
  return onFree === undefined ? null : (
    <text className="strong fill-text" x={current.x + used + 4} y={y + 4}>
      {onFree}
    </text>
  )
}

/** How many seats above nominal, on a plate in the borrowed part. */
function BorrowedLabel({ group, y }: { readonly group: LedgerGroup; readonly y: number }) {
  const { borrowed, entry } = group
  const text = `+${entry.borrowed}`
  const plate = widthOf(text) + 8
  if (borrowed === undefined || borrowed.width < plate + 8) return null
  const middle = borrowed.x + borrowed.width / 2
  return (
    <>
      <rect className="fill-canvas" x={middle - plate / 2} y={y - 8} width={plate} height={16} />
      <text className={styles['borrowedText']} x={middle} y={y + 4} textAnchor="middle">
        {text}
      </text>
    </>
  )
}

/** Connects the end of a borrower's nominal part to the end of its current part. */
function Hairline({ group, geometry }: PartProps) {
  const { entry, nominal, current } = group
  if (entry.borrowed <= 0) return null
  const top = geometry.nominal.y + geometry.nominal.height
  const bottom = geometry.current.y
  const from = nominal.x + nominal.width
  const to = current.x + current.width - 1
  const middle = (top + bottom) / 2
  return <path className={styles['hairline']} d={`M${from} ${top}C${from} ${middle} ${to} ${middle} ${to} ${bottom}`} />
}
