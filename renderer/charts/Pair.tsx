import { memo, useCallback, useMemo, type ReactNode } from 'react'
import type { ComparedPeriod } from '../../core/compare/compare.ts'
import { AtCursor, Crosshair } from './Crosshair.tsx'
import { seatPlot, type Plot } from '../../core/text/plot.ts'
import { useSize } from './plot.tsx'
import { UNKNOWN } from '../../core/text/format.ts'
import { format } from '../theme/format.ts'
import styles from './paired.module.css'

/** A formatted number at an instant. */
interface Reading {
  readonly what: string
  readonly value: string
}

/** Two periods, or two variants, and what is read of them. */
export interface ReadPair {
  /** Letter of `b`; that of `a` is A. */
  readonly letter: string
  readonly a: ComparedPeriod
  readonly b: ComparedPeriod
  /** The same numbers in the same order for every instant. */
  readonly read: (shown: ComparedPeriod, at: number) => readonly Reading[]
}

interface PairProps extends ReadPair {
  /** The chart's name. */
  readonly label: string
  readonly height: number
  /** A drawing of one period, or the reason why there is none. */
  readonly draw: (shown: ComparedPeriod, side: string, plot: Plot) => ReactNode
}

/** From an instant of A to the one of B that is equally far from the start; milliseconds. */
const apartOf = ({ a, b }: Pick<ReadPair, 'a' | 'b'>): number => b.period.from - a.period.from

/** One chart of two periods, or of two variants. Their cursors are equally far from the start of each period. */
export const Pair = memo(function Pair(props: PairProps) {
  const { a, b, letter } = props
  return (
    <div className={styles['pair']}>
      <Half {...props} side="A" shown={a} shift={apartOf(props)} />
      <Half {...props} side={letter} shown={b} shift={0} />
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
  const { letter, label, height, a, b, draw, read, side, shown, shift } = props
  const [box, { width }] = useSize()
  const plot = useMemo(() => seatPlot(width, height), [width, height])
  const spoken = useCallback(
    (at: number) => `A | ${letter}: ${wordsAt({ a, b, read }, at + shift)}`,
    [letter, a, b, read, shift],
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
          spoken={spoken}
          shift={shift}
        />
      )}
    </div>
  )
}

/** The numbers of both at the cursor, with their instants, in place of a note. */
export function PairReading(props: ReadPair & { readonly children: ReactNode }) {
  const { letter, a, b, children } = props
  const apart = apartOf(props)
  const domain = { from: b.period.from, to: Math.max(b.period.to, a.period.to + apart) }
  const say = (at: number): string =>
    `A ${format.time(at - apart)} | ${letter} ${format.time(at)}  ${wordsAt(props, at)}`
  return (
    <AtCursor domain={domain} say={say}>
      {children}
    </AtCursor>
  )
}

/** `at`: an instant of B. */
function wordsAt({ a, b, read }: Pick<ReadPair, 'a' | 'b' | 'read'>, at: number): string {
  const inA = readingOf(read, a, at - apartOf({ a, b }))
  const inB = readingOf(read, b, at)
  return (inA.length > 0 ? inA : inB)
    .map(({ what }) => `${what} ${valueIn(inA, what)} | ${valueIn(inB, what)}`)
    .join(', ')
}

const valueIn = (readings: readonly Reading[], what: string): string =>
  readings.find((one) => one.what === what)?.value ?? UNKNOWN

/** Empty where this period is shorter than the other. */
const readingOf = (read: ReadPair['read'], shown: ComparedPeriod, at: number): readonly Reading[] =>
  at < shown.period.from || at > shown.period.to ? [] : read(shown, at)
