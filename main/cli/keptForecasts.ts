import { amount } from '../../core/answer/answer.ts'
import type { Effect, Score } from '../../core/contract/effect.ts'
import { presentEffect, scoreText } from '../../core/twin/present.ts'
import { judgedOf, scoreOf, type Judged } from '../../core/twin/judge.ts'
import { openStore } from '../store/store.ts'
import type { Console, ExitCode } from './console.ts'
import type { Said } from './print/terminal.ts'
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
  const output = readOutput(given, ['markdown'])
  if (given.values('edit').length > 0)
    throw new UsageError('--kept prints earlier forecasts, so --edit does not go with it.')
  const store = openStore(console.stateDir)
  try {
    const targets = await Promise.all(
      (await store.effects.targets()).map(async (target) => keptOf(target, await store.effects.read(target))),
    )
    const kept = targets.filter(({ forecasts }) => forecasts.length > 0)
    console.answer(output, kept, kept.length === 0 ? [NONE] : kept.flatMap(saidOf))
  } finally {
    store.close()
  }
  return 0
}

const NONE = 'No applied edit had a forecast yet. The Editor keeps the forecast of each edit.'

function keptOf(target: string, effects: readonly Effect[]): KeptForecasts {
  const score = scoreOf(effects)
  const forecasts = effects
    .filter(({ forecast }) => forecast !== undefined)
    .map((effect) => ({ effect, numbers: judgedOf(effect) }))
  return { target, ...(score && { score }), forecasts }
}

const saidOf = ({ target, score, forecasts }: KeptForecasts): Said => [
  `${target}: ${score === undefined ? 'no measurement is long enough yet.' : `${scoreText(score)}.`}`,
  ...forecasts.flatMap(({ effect }) => [
    '',
    {
      ...presentEffect(effect, null),
      title: [amount('instant')(effect.atMs), `  ${effect.label}, ${effect.server}`],
    },
  ]),
  '',
]
