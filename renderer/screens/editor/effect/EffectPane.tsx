import type { Effect, EffectsState, Measured } from '../../../../core/contract/effect.ts'
import type { NumberName } from '../../../../core/compare/compare.ts'
import { QUANTITIES } from '../../../../core/contract/bounds.ts'
import type { Quantity } from '../../../../core/contract/forecast.ts'
import { judge, type Judged, judgedOf, worstMiss } from '../../../../core/twin/judge.ts'
import { classes, scrollRegion } from '../../../components/classes.ts'
import { numberLabel } from '../../../../core/compare/present.ts'
import type { DataColumn } from '../../../components/dataColumns.ts'
import { Pane } from '../../../components/Pane.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { UNKNOWN } from '../../../../core/text/format.ts'
import { format } from '../../../theme/format.ts'
import { bandText, levelColumn, QUANTITY_LOOKS, SmallLine } from './quantities.tsx'
import styles from './quantities.module.css'
import { SETTLE_MS } from '../../../../core/compare/period.ts'

/** The effect of an applied edit: every level before and after it, and the forecast next to the measured values. */
export function EffectPane(props: { readonly effect: Effect; readonly watched: EffectsState['watched'] }) {
  const { effect, watched } = props
  const { measured, forecast } = effect
  const judged = judgedLevels(effect)
  return (
    <Pane title="Effect" note={<span role="status">{watchText(effect, watched)}</span>}>
      <div className={styles['notes']}>
        {effectSentences(effect).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      {measured !== undefined && measured.compared.length > 0 && <BeforeAfter measured={measured} />}
      {forecast !== undefined && judged.length > 0 && (
        <div className={styles['scroll']} {...scrollRegion('Forecast and measurement')}>
          <p className={styles['notes']}>Measured value, with the 90 % interval of the forecast below.</p>
          <PlainTable
            caption="Measured values of each level, with the forecast intervals"
            columns={JUDGED_COLUMNS}
            rows={judged}
            rowKey={({ level }) => level}
          />
        </div>
      )}
    </Pane>
  )
}

type Compared = Measured['compared'][number]

function BeforeAfter({ measured }: { readonly measured: Measured }) {
  const { fromMs, untilMs, compared } = measured
  return (
    <div className={styles['scroll']} {...scrollRegion('Before and after the edit')}>
      <p className={styles['notes']}>Value after the edit, with the value before it below.</p>
      <PlainTable
        caption={`Each level before the edit, and from ${format.time(fromMs)} to ${format.time(untilMs)}`}
        columns={COMPARED_COLUMNS}
        rows={compared}
        rowKey={({ name }) => name}
      />
    </div>
  )
}

const HEADERS: readonly (readonly [number: NumberName, header: string, text: (value: number | undefined) => string])[] =
  [
    ['dispatched', 'Dispatched /s', format.significant],
    ['rejected', 'Rejected /s', format.significant],
    ['waitP99', 'Longest wait p99', format.seconds],
    ['executing', 'Seats', format.seatsAverage],
    ['limit', 'Limit', format.seatsAverage],
  ]

const COMPARED_COLUMNS: readonly DataColumn<Compared>[] = [
  levelColumn(({ name }) => name),
  ...HEADERS.map(([number, header, text]): DataColumn<Compared> => ({
    id: number,
    header,
    title: numberLabel(number, true),
    align: 'right',
    cell: ({ numbers }) => {
      const { a, b } = numbers[number]
      return (
        <>
          <b>{text(b)}</b>
          <SmallLine>{text(a)}</SmallLine>
        </>
      )
    },
  })),
]

interface JudgedLevel {
  readonly level: string
  readonly numbers: ReadonlyMap<Quantity, Judged>
}

/** Levels with at least one relevant number. */
function judgedLevels({ forecast, measured }: Effect): readonly JudgedLevel[] {
  if (forecast === undefined || measured === undefined) return []
  const byLevel = Map.groupBy(judge(forecast, measured.levels), ({ level }) => level)
  return [...byLevel].flatMap(([level, list]) =>
    list.some(({ matters }) => matters) ? [{ level, numbers: new Map(list.map((one) => [one.quantity, one])) }] : [],
  )
}

const JUDGED_COLUMNS: readonly DataColumn<JudgedLevel>[] = [
  levelColumn(({ level }) => level),
  ...QUANTITIES.map((quantity): DataColumn<JudgedLevel> => ({
    id: quantity,
    header: QUANTITY_LOOKS[quantity].label,
    align: 'right',
    cell: ({ numbers }) => <JudgedNumber judged={numbers.get(quantity)} />,
  })),
]

/** The measured value with the interval below; a value outside is marked in words. */
function JudgedNumber({ judged }: { readonly judged: Judged | undefined }) {
  if (judged === undefined) return UNKNOWN
  const { quantity, measured, band, inside, matters } = judged
  const isMiss = matters && !inside
  return (
    <>
      <b className={classes(isMiss && styles['outside'])}>
        {QUANTITY_LOOKS[quantity].text(measured)}
        {isMiss && ' outside'}
      </b>
      <SmallLine>{bandText(band, quantity)}</SmallLine>
    </>
  )
}

/** How long the edit is still watched, or why that ended. */
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

/** How the measurement compares to the forecast, or why there is no result yet. */
export function effectSentences(effect: Effect): readonly string[] {
  const { measured, forecast, ended } = effect
  if (measured === undefined) {
    return [
      ended === undefined
        ? `The first numbers appear about ${(SETTLE_MS + FIRST_MS) / 1_000} s after the edit: limits settle for ${SETTLE_MS / 1_000} s, and ${FIRST_MS / 1_000} s are measured.`
        : 'There are too few measurements to show an effect.',
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
/** Minimum length of a measurement (core/twin/observe.ts). */
const FIRST_MS = 20_000

function missText({ level, quantity, measured, band }: Judged): string {
  const { label, text } = QUANTITY_LOOKS[quantity]
  return `${level}, ${label.toLowerCase()} ${text(measured)}, forecast ${bandText(band, quantity)}`
}
