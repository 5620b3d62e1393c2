import type { StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError, toProblem } from '../../core/contract/errors.ts'
import type { Twin } from '../../core/twin/fit.ts'
import { SHORTEST_SPAN_SECONDS } from '../../core/twin/observe.ts'
import { MS_PER_SECOND } from '../../core/units.ts'
import type { Environment } from '../ports/environment.ts'
import type { WhatIfDesk } from '../ports/whatIf.ts'
import type { ConnectedSource } from './connectedSource.ts'

interface ForecastOptions {
  /** Nothing is forecast without it. */
  readonly desk: WhatIfDesk | undefined
  readonly sourceOf: (connection: number) => ConnectedSource
  readonly environment: Pick<Environment, 'now'>
}

/** A twin this young is not fitted again: the draft changes with every keystroke, the requests do not. */
const TWIN_SECONDS = 60
/** Twins of other servers and objects are forgotten, the oldest first. */
const MOST_TWINS = 4

interface KeptTwin {
  readonly atMs: number
  readonly twin: Twin
  readonly widening: number
}

/** Forecasts what a draft does to a connected source; the work is done elsewhere. */
export function forecastHandlers({ desk, sourceOf, environment }: ForecastOptions): Pick<StreamHandlers, 'forecast'> {
  const twins = new Map<string, KeptTwin>()
  return {
    forecast(wish, emit, signal) {
      const { of, before, serverLimit, version } = wish
      const key = JSON.stringify([of, serverLimit, version, before])
      const run = async (): Promise<void> => {
        if (desk === undefined) throw new ProblemError('unsupported', 'This console cannot forecast.')
        const kept = twins.get(key)
        const isYoung = kept !== undefined && environment.now() - kept.atMs < TWIN_SECONDS * MS_PER_SECOND
        const source = sourceOf(of.connection)
        const evidence = isYoung ? undefined : await source.call('forecast.evidence', of)
        if (signal.aborted) return
        if (evidence?.history === null) throw new ProblemError('not-found', TOO_SHORT)
        const widening = evidence?.widening ?? kept?.widening ?? 1
        const made = isYoung ? { twin: kept.twin } : { evidence }
        desk.forecast(
          { wish, ...made, widening },
          (event) => {
            if (event.kind !== 'twin') return emit(event)
            twins.delete(key)
            twins.set(key, { atMs: environment.now(), twin: event.twin, widening })
            const [oldest] = twins.keys()
            if (twins.size > MOST_TWINS && oldest !== undefined) twins.delete(oldest)
          },
          signal,
        )
      }
      run().catch((thrown: unknown) => emit({ kind: 'failed', problem: toProblem(thrown) }))
    },
  }
}

const TOO_SHORT = `A forecast needs ${SHORTEST_SPAN_SECONDS} s of metrics since the server last started and its limits last changed. Wait a moment.`
