import { memo, useCallback, useMemo, type ReactNode } from 'react'
import type { ComparedPeriod } from '../../core/compare/compare.ts'
import { Crosshair } from './Crosshair.tsx'
import { seatPlot, type Plot } from '../../core/text/plot.ts'
import { useSize } from './plot.tsx'
import { PlainTable } from '../components/PlainTable.tsx'
import { UNKNOWN } from '../../core/text/format.ts'
import { format } from '../theme/format.ts'
import styles from './paired.module.css'

/** A formatted number at an instant. */
export interface Reading {
  readonly what: string
  readonly value: string
}

export interface PairProps {
  /** What the two are. */
  readonly sides: 'periods' | 'variants'
  /** The chart's name. */
  readonly label: string
  readonly height: number
  /** Letter of `b`; that of `a` is A. */
  readonly letter: string
  readonly a: ComparedPeriod
  readonly b: ComparedPeriod
  /** A drawing of one period, or the reason why there is none. */
  readonly draw: (shown: ComparedPeriod, side: string, plot: Plot) => ReactNode
  /** The same numbers in the same order for every instant. */
  readonly read: (shown: ComparedPeriod, at: number) => readonly Reading[]
}

/** One chart of two periods, or of two variants. Their cursors are equally far from the start of each period. */
export const Pair = memo(function Pair(props: PairProps) {
  const { a, b } = props
  const apart = b.period.from - a.period.from
  return (
    <div className={styles['pair']}>
      <Half {...props} side="A" shown={a} shift={apart} />
      <Half {...props} side={props.letter} shown={b} shift={0} />
    </div>
  )
})

function Half(
  props: PairProps & {
    readonly side: string
    readonly shown: ComparedPeriod
    /** From an instant of this side to the cursor, which is an instant of B; milliseconds. */
    readonly shift: number
  },
) {
  const { sides, letter, label, height, a, b, draw, read, side, shown, shift } = props
  const [box, { width }] = useSize()
  const plot = useMemo(() => seatPlot(width, height), [width, height])
  const both = useCallback(
    (at: number) => {
      const instants = { A: at + shift - (b.period.from - a.period.from), B: at + shift }
      return { instants, a: readingOf(read, a, instants.A), b: readingOf(read, b, instants.B) }
    },
    [a, b, read, shift],
  )
  const tooltip = useCallback(
    (at: number) => {
      const { instants, a: inA, b: inB } = both(at)
      return (
        <PlainTable
          caption={`${label} in both ${sides}`}
          columns={[
            { id: 'what', header: '', cell: ({ what }: Reading) => what },
            { id: 'a', header: `A ${format.time(instants.A)}`, align: 'right', cell: ({ what }) => valueIn(inA, what) },
            {
              id: 'b',
              header: `${letter} ${format.time(instants.B)}`,
              align: 'right',
              cell: ({ what }) => valueIn(inB, what),
            },
          ]}
          rows={inA.length > 0 ? inA : inB}
          rowKey={({ what }) => what}
        />
      )
    },
    [both, label, letter, sides],
  )
  const spoken = useCallback(
    (at: number) => {
      const { a: inA, b: inB } = both(at)
      return (inA.length > 0 ? inA : inB)
        .map(({ what }) => `${what} ${valueIn(inA, what)} in A, ${valueIn(inB, what)} in ${letter}`)
        .join('; ')
    },
    [both, letter],
  )
  return (
    <div ref={box} className="shrink-x placed" style={{ height }}>
      {width > 0 && draw(shown, side, plot)}
      {width > 0 && (
        <Crosshair
          plot={plot}
          domain={shown.period}
          times={shown.series.times}
          label={`${label}, ${side}`}
          tooltip={tooltip}
          spoken={spoken}
          shift={shift}
        />
      )}
    </div>
  )
}

const valueIn = (readings: readonly Reading[], what: string): string =>
  readings.find((one) => one.what === what)?.value ?? UNKNOWN

/** Empty where this period is shorter than the other. */
const readingOf = (read: PairProps['read'], shown: ComparedPeriod, at: number): readonly Reading[] =>
  at < shown.period.from || at > shown.period.to ? [] : read(shown, at)
