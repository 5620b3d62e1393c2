import { plain } from '../../core/text/format.ts'
import type { Effect, Score } from '../../core/contract/effect.ts'
import type { Band, Quantity } from '../../core/contract/forecast.ts'
import { judgedOf, scoreOf, scoreText, type Judged } from '../../core/twin/judge.ts'
import { rfc3339 } from '../../core/units.ts'
import { openStore } from '../store/store.ts'
import type { Console, ExitCode } from './console.ts'
import { textTable } from './print/terminal.ts'
import { readOutput, UsageError, type Given } from './usage.ts'

/** The forecasts of the edits that were applied to one target, and their outcomes. */
interface KeptForecasts {
  readonly target: string
  /** Absent before anything was measured. */
  readonly score?: Score
  /** The newest first. */
  readonly forecasts: readonly { readonly effect: Effect; readonly numbers: readonly Judged[] }[]
}

/** Prints the forecasts of applied edits next to the measurements, from the state folder; contacts nothing. */
export async function runKeptForecasts(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given)
  if (given.values('edit').length > 0)
    throw new UsageError('--kept prints earlier forecasts, so --edit does not go with it.')
  const store = openStore(console.stateDir)
  try {
    const targets = await Promise.all(
      (await store.effects.targets()).map(async (target) => keptOf(target, await store.effects.read(target))),
    )
    const kept = targets.filter(({ forecasts }) => forecasts.length > 0)
    if (output === 'json') console.printJson(kept, 2)
    else if (kept.length === 0)
      console.print(['No applied edit had a forecast yet. The Editor keeps the forecast of each edit.'])
    else console.print(kept.flatMap(targetText))
  } finally {
    store.close()
  }
  return 0
}

function keptOf(target: string, effects: readonly Effect[]): KeptForecasts {
  const score = scoreOf(effects)
  const forecasts = effects
    .filter(({ forecast }) => forecast !== undefined)
    .map((effect) => ({ effect, numbers: judgedOf(effect) }))
  return { target, ...(score && { score }), forecasts }
}

const HEAD = ['LEVEL', 'NUMBER', 'BEFORE', 'FORECAST', 'MEASURED', '']

const targetText = ({ target, score, forecasts }: KeptForecasts): readonly string[] => [
  `${target}: ${score === undefined ? 'no measurement is long enough yet.' : `${scoreText(score)}.`}`,
  ...forecasts.flatMap(({ effect, numbers }) => [
    '',
    `${rfc3339(effect.atMs)}  ${effect.label}, ${effect.server}`,
    ...(numbers.length === 0
      ? ['  no relevant value was measured']
      : textTable([HEAD, ...numbers.map(rowOf)], ['left', 'left', 'right', 'right', 'right', 'left'])),
  ]),
  '',
]

const LABELS: Readonly<Record<Quantity, string>> = {
  waitP50: 'wait p50',
  waitP99: 'wait p99',
  rejectedPerSecond: 'rejected /s',
  seats: 'seats',
  current: 'limit',
}

const rowOf = ({ level, quantity, now, band, measured, inside }: Judged): readonly string[] => [
  level,
  LABELS[quantity],
  quantityText(quantity, now),
  `${quantityText(quantity, band.point)} (${bandText(quantity, band)})`,
  quantityText(quantity, measured),
  inside ? '' : 'outside',
]

/** A value of a forecast with its unit, for columns that do not name the unit. */
export const quantityText = (quantity: Quantity, value: number): string =>
  quantity === 'waitP50' || quantity === 'waitP99' ? plain.seconds(value) : plain.amount(value)

export const bandText = (quantity: Quantity, { low, high }: Band): string =>
  `${quantityText(quantity, low)}–${quantityText(quantity, high)}`
