import type { FitLevel } from '../contract/forecast.ts'
import type { SweepBase } from '../sweep/sweep.ts'
import { SETTLE_SECONDS } from '../twin/forecast.ts'
import { type Twin, twinRun } from '../twin/twin.ts'
import { plain } from '../text/format.ts'
import { MS_PER_SECOND, secondsToNs } from '../units.ts'

const TWIN_SEED = 1

/** The clients of a twin's best guess, which continue to send after the observed time, with its server. */
export function twinBase(twin: Twin): SweepBase {
  const { run } = twinRun(twin, (level) => twin.guesses.get(level)?.[0], TWIN_SEED)
  const { workload, smoothed, warmSeconds, seconds } = run
  const from = warmSeconds + SETTLE_SECONDS
  const [fromNs, untilNs] = [secondsToNs(from), secondsToNs(from + seconds)]
  return {
    kind: 'clients',
    traffic: { workload, seed: TWIN_SEED, startUnixMs: 0, fromNs, untilNs, smoothed },
    variant: twin.variant,
  }
}

/** The requests that a twin reproduces. */
export function spanText({ observation: { fromMs, untilMs } }: Pick<Twin, 'observation'>): string {
  const seconds = Math.round((untilMs - fromMs) / MS_PER_SECOND)
  return `The twin is fitted to the ${seconds} s before ${plain.instant(untilMs)}.`
}

/** A sentence for each level that a twin does not reproduce. */
export const misfits = (fit: readonly FitLevel[]): readonly string[] =>
  fit.flatMap(({ level, error, fits }) =>
    fits
      ? []
      : [
          `The twin does not reproduce ${level} (error ${Math.round(error * 100)} %): do not rely on the numbers of that level.`,
        ],
  )
