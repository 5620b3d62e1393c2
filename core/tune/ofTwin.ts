import type { FitLevel } from '../contract/forecast.ts'
import type { SweepBase } from '../sweep/sweep.ts'
import { twinClients } from '../twin/clients.ts'
import type { Twin } from '../twin/twin.ts'
import { MS_PER_SECOND, rfc3339 } from '../units.ts'

const TWIN_SEED = 1

/** The best guess of the clients of a server, in front of it. */
export const twinBase = (twin: Twin): SweepBase => ({
  kind: 'clients',
  traffic: twinClients(twin, TWIN_SEED),
  variant: twin.variant,
})

/** Which requests a twin stands for. */
export function spanText({ observation: { fromMs, untilMs } }: Pick<Twin, 'observation'>): string {
  const seconds = Math.round((untilMs - fromMs) / MS_PER_SECOND)
  return `The twin is fitted to the ${seconds} s before ${rfc3339(untilMs)}.`
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
