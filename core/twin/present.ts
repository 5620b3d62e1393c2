import {
  amount,
  LEVEL_COLUMN,
  counted,
  numberColumns,
  phrase,
  type Amount,
  type Answer,
  type Cell,
  type Column,
  type Row,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import type { NumberName } from '../compare/compare.ts'
import { LEAST_AFTER_MS, SETTLE_MS } from '../compare/period.ts'
import { numberLabel } from '../compare/present.ts'
import { QUANTITIES } from '../bounds.ts'
import type { Effect, EffectsState, Measured, Score } from '../contract/effect.ts'
import type { Band, ForecastLevel, ForecastReport, Quantity } from '../contract/forecast.ts'
import { plain, plural } from '../text/format.ts'
import { MS_PER_SECOND } from '../units.ts'
import { type Banded, isBanded, type Judged, judge, judgedOf, worstMiss } from './judge.ts'

export const QUANTITY_LABELS: Readonly<Record<Quantity, string>> = {
  waitP50: 'Wait p50',
  waitP99: 'Wait p99',
  rejectedPerSecond: 'Rejected /s',
  seats: 'Seats',
  current: 'Limit',
}

const valueOf = (quantity: Quantity, value: number | undefined): Amount =>
  amount(quantity === 'waitP50' || quantity === 'waitP99' ? 'seconds' : 'amount')(value)

/** `wait p50 7 of 9, seats 9 of 9 in their bands; wait p99 2 of 2 in the stated direction; over the last 5 edits` */
export function scoreText({ edits, quantities }: Score): string {
  const parts = (of: 'numbers' | 'directions', right: 'inside' | 'rightDirections'): string =>
    quantities
      .filter((one) => one[of] > 0)
      .map((one) => `${QUANTITY_LABELS[one.quantity].toLowerCase()} ${one[right]} of ${one[of]}`)
      .join(', ')
  const [bands, directions] = [parts('numbers', 'inside'), parts('directions', 'rightDirections')]
  return [
    ...(bands === '' ? [] : [`${bands} in their bands`]),
    ...(directions === '' ? [] : [`${directions} in the stated direction`]),
    `over the last ${plural(edits, 'edit', plain.counted(edits, 'edit'))}`,
  ].join('; ')
}

const bandOf = (quantity: Quantity, { low, high }: Band): Sentence =>
  phrase`${valueOf(quantity, low)} – ${valueOf(quantity, high)}`

const columnsOf = (quantities: readonly Quantity[]): readonly Column[] => [
  LEVEL_COLUMN,
  ...numberColumns(...quantities.map((quantity) => QUANTITY_LABELS[quantity])),
]

/** Each level now and under the edit, with 90 % intervals, and how well the twin reproduces the present. */
export function presentForecast(
  { levels, fit, notes }: ForecastReport,
  quantities: readonly Quantity[] = QUANTITIES,
): Answer {
  const remarks = levels.filter(({ note, now }) => note !== undefined && now?.arrivalsPerSecond !== 0)
  return {
    title: phrase`The twin fits ${String(fit.filter(({ fits }) => fits).length)} of ${counted(fit.length, 'level')} with requests.`,
    evidence: [
      ...[...Map.groupBy(remarks, ({ note }) => note)].map(
        ([note = '', of]) => `${of.map(({ level }) => level).join(', ')}: ${note}`,
      ),
      ...unsureTexts(quantities, levels),
      ...notes,
    ].map((sentence) => [sentence]),
    tables: [
      {
        title: 'Forecast',
        note: 'now → forecast (90 % interval)',
        columns: columnsOf(quantities),
        rows: levels.map((level) => [level.level, ...quantities.map((quantity) => forecastCell(level, quantity))]),
      },
      {
        title: 'Fit of the twin',
        note: 'mean error of each level',
        columns: [
          { id: 'level', label: 'Level' },
          ...numberColumns('Error'),
          { id: 'clients', label: 'Clients' },
          ...numberColumns('Flows'),
        ],
        rows: fit.map(({ level, error, clients, flows, fits }) => [
          level,
          { value: error, as: 'percent' },
          fits ? clients : 'does not fit',
          { value: flows, as: 'fixed' },
        ]),
      },
    ],
  }
}

function forecastCell({ now, bands, unsure }: ForecastLevel, quantity: Quantity): Cell | Sentence {
  const [was, band, direction] = [valueOf(quantity, now?.[quantity]), bands[quantity], unsure?.[quantity]]
  if (band !== undefined) return phrase`${{ from: was, to: valueOf(quantity, band.point) }} (${bandOf(quantity, band)})`
  return direction === undefined ? was : phrase`${was} ${direction.to ?? '→ ?'}`
}

/** Why quantities have no bands: one sentence for each reason. */
function unsureTexts(quantities: readonly Quantity[], levels: readonly ForecastLevel[]): readonly string[] {
  const without = quantities.flatMap((quantity) => {
    const reasons = Map.groupBy(levels, ({ unsure }) => unsure?.[quantity]?.why)
    return [...reasons].flatMap(([why, of]) =>
      why === undefined
        ? []
        : [{ why, what: `${QUANTITY_LABELS[quantity]} of ${of.map(({ level }) => level).join(', ')}` }],
    )
  })
  return [...Map.groupBy(without, ({ why }) => why)].map(
    ([why, of]) =>
      `${of.map(({ what }) => what).join('; ')}: only the direction is shown, if it is certain, because ${why}.`,
  )
}

/**
 * An applied edit: every level before and after it, and the forecast beside what was measured; the `edited` levels come
 * first.
 */
export function presentEffect(
  effect: Effect,
  watched: EffectsState['watched'],
  edited: readonly string[] = [],
): Answer {
  const { measured, forecast, ended } = effect
  return {
    title:
      ended !== undefined
        ? [ENDED[ended]]
        : watched
          ? phrase`measuring until ${{ value: watched.untilMs, as: 'time' }}`
          : ['not measured any more'],
    evidence: [...resultOf(effect), ...comparedOf(measured)],
    tables: [
      ...(measured === undefined ? [] : [beforeAndAfter(measured, edited)]),
      ...(measured === undefined || forecast === undefined
        ? []
        : [judgedTable(judge(forecast, measured.levels), edited)]),
    ].filter(({ rows }) => rows.length > 0),
  }
}

const ENDED: Readonly<Record<NonNullable<Effect['ended']>, string>> = {
  complete: 'measured for ten minutes',
  changed: 'measured until the next change of limits or objects',
  restarted: 'measured until the server restarted',
  interrupted: 'pages are missing from the ten minutes after the edit',
}

/** How the measurement compares to the forecast, or why there is no result yet. */
function resultOf(effect: Effect): readonly Sentence[] {
  if (effect.measured === undefined) {
    return effect.ended === undefined
      ? [
          [
            `The first numbers appear about ${(SETTLE_MS + LEAST_AFTER_MS) / 1_000} s after the edit: limits settle for ${SETTLE_MS / 1_000} s, and ${LEAST_AFTER_MS / 1_000} s are measured.`,
          ],
        ]
      : [['There are too few measurements to show an effect.']]
  }
  if (effect.forecast === undefined) return [['There was no forecast on the screen when this was applied.']]
  const judged = judgedOf(effect)
  const banded = judged.filter(isBanded)
  const stated = judged.filter(({ unsure }) => unsure?.to !== undefined)
  if (banded.length + stated.length === 0) return [['None of the forecast numbers is large enough to count.']]
  const right = (of: readonly Judged[]): number => of.filter((one) => one.right).length
  const miss = worstMiss(banded)
  return [
    ...(banded.length === 0 ? [] : [[bandsText(right(banded), banded.length)]]),
    ...(stated.length === 0 ? [] : [[`${right(stated)} of ${stated.length} directions are right.`]]),
    ...(miss === undefined ? [] : [missOf(miss)]),
  ]
}

/** Which time before the edit is compared with which time after it. */
function comparedOf(measured: Measured | undefined): readonly Sentence[] {
  if (measured === undefined) return []
  const { compared, spans, periodMs } = measured
  const seconds = (ms: number): string => `${Math.round(ms / MS_PER_SECOND)} s`
  const waves = periodMs === undefined ? '' : `The load comes in waves of ${seconds(periodMs)}`
  if (compared.length === 0) {
    return [
      [
        waves === ''
          ? 'Nothing was recorded before the edit to compare with.'
          : `${waves}; none was recorded whole before the edit.`,
      ],
    ]
  }
  if (spans === undefined) return []
  const { a, b } = spans
  const [before, after] = [a.to - a.from, b.to - b.from]
  if (periodMs === undefined) {
    return [[`Compared: the ${seconds(before)} before the edit, and ${seconds(after)} after its limits settled.`]]
  }
  const whole = Math.round(after / periodMs)
  return [
    [
      after < periodMs
        ? `${waves}. Compared: ${seconds(after)} after the edit, and the same part of a wave ${seconds(b.from - a.from)} earlier.`
        : `${waves}. Compared: ${plural(whole, 'one whole wave', `${whole} whole waves`)} before the edit, and as many after it.`,
    ],
  ]
}

const bandsText = (inside: number, numbers: number): string =>
  numbers === 1
    ? `The forecast number ${plural(inside, 'lies', 'does not lie')} in its band.`
    : `${inside} of ${numbers} forecast numbers lie in their bands.`

const missOf = ({ level, quantity, measured, band }: Banded): Sentence =>
  phrase`Farthest outside: ${level}, ${QUANTITY_LABELS[quantity].toLowerCase()} ${valueOf(quantity, measured)}, forecast ${bandOf(quantity, band)}.`

const COMPARED: readonly (readonly [number: NumberName, label: string, as: 'amount' | 'seconds'])[] = [
  ['dispatched', 'Dispatched /s', 'amount'],
  ['rejected', 'Rejected /s', 'amount'],
  ['waitP99', 'Longest wait p99', 'seconds'],
  ['executing', 'Seats', 'amount'],
  ['limit', 'Limit', 'amount'],
]

const editedFirst = <T>(all: readonly T[], edited: readonly string[], nameOf: (one: T) => string): readonly T[] =>
  all.toSorted((a, b) => Number(edited.includes(nameOf(b))) - Number(edited.includes(nameOf(a))))

const beforeAndAfter = ({ compared }: Measured, edited: readonly string[]): Table => ({
  title: 'Before and after the edit',
  note: 'after (before)',
  columns: [
    LEVEL_COLUMN,
    ...COMPARED.map(([number, label]): Column => ({
      id: number,
      label,
      title: numberLabel(number, true),
      align: 'right',
    })),
  ],
  rows: editedFirst(compared, edited, ({ name }) => name).map(({ name, numbers }) => [
    name,
    ...COMPARED.map(([number, , as]) => phrase`${amount(as)(numbers[number].b)} (${amount(as)(numbers[number].a)})`),
  ]),
})

/** The numbers that count, of the edited levels and of those that have any. */
const judgedTable = (all: readonly Judged[], edited: readonly string[]): Table => ({
  title: 'Forecast and measurement',
  note: 'measured (90 % interval of the forecast)',
  columns: columnsOf(QUANTITIES),
  rows: editedFirst([...Map.groupBy(all, ({ level }) => level)], edited, ([level]) => level).flatMap(
    ([level, list]): readonly Row[] => {
      const cells = QUANTITIES.map((quantity) => list.find((one) => one.matters && one.quantity === quantity))
      const isShown = edited.includes(level) || cells.some((one) => one !== undefined)
      return isShown ? [[level, ...cells.map(judgedCell)]] : []
    },
  ),
})

function judgedCell(judged: Judged | undefined): Cell | Sentence {
  if (judged === undefined) return amount('amount')(undefined)
  const { quantity, measured, band, unsure, right, matters } = judged
  const outside = matters && !right && (band !== undefined || unsure?.to !== undefined)
  const value = valueOf(quantity, measured)
  const foretold = band === undefined ? [unsure?.to ?? 'no forecast'] : bandOf(quantity, band)
  return phrase`${outside ? { ...value, tone: 'worse' } : value}${outside ? ' outside' : ''} (${foretold})`
}

/** What became of a quantity of a level: before, after, and the forecast of it. */
export const judgedSentence = ({ quantity, now, measured, band, right }: Banded): Sentence =>
  phrase`${valueOf(quantity, now)} → ${valueOf(quantity, measured)}, ${right ? 'as forecast' : 'forecast'}: ${bandOf(quantity, band)}`
