import type { ProcedureHandlers, ProcedureName, StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError, toProblem } from '../../core/errors.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import { MOST_PAST_REQUESTS } from '../../core/bounds.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import type { RequestsFrom, RunGiven } from '../../core/contract/whatif.ts'
import type { WhatIfRunner } from '../ports/whatIf.ts'
import type { Store } from '../store/store.ts'
import type { ConnectedSource } from './connectedSource.ts'

interface WhatIfOptions {
  /** Without it, nothing is compared. */
  readonly runner: WhatIfRunner | undefined
  /** Opens the connection with the past of another one. */
  readonly openPast: (connection: number) => Promise<number>
  readonly sourceOf: (connection: number) => ConnectedSource
  readonly kept: Store['scenarios']
}

interface WhatIfHandlers {
  readonly procedures: Pick<ProcedureHandlers, `whatIf.${string}` & ProcedureName>
  readonly streams: Pick<StreamHandlers, 'whatIf' | 'scenario' | 'sweep'>
  /** A run together with its requests and its scenario; any other source unchanged. Rejects with `ProblemError`. */
  readonly complete: (spec: SourceSpec) => Promise<SourceSpec>
}

/** Compares variants: the requests come from here, the computation runs elsewhere. */
export function whatIfHandlers({ runner, openPast, sourceOf, kept }: WhatIfOptions): WhatIfHandlers {
  const found = (): WhatIfRunner => {
    if (runner !== undefined) return runner
    throw new ProblemError('unsupported', 'This console cannot compare variants.')
  }
  const recordedBy = async (of: number): Promise<LiveRequest[]> => {
    const connection = await openPast(of)
    const past = sourceOf(connection)
    const { last } = await past.call('past.extent', { connection })
    if (last === undefined) return []
    const { requests } = await past.call('past.requests', { connection, at: last, count: MOST_PAST_REQUESTS })
    return requests
  }
  const givenTo = async (from: RequestsFrom): Promise<RunGiven> => {
    if (from.kind === 'recorded') return { requests: await recordedBy(from.connection) }
    return from.kind === 'scenario' ? { scenario: await found().scenarioText(from.name) } : {}
  }
  return {
    procedures: {
      'whatIf.scenarios': async () => [...(await found().scenarios())],
      'whatIf.scenarioText': ({ name }) => found().scenarioText(name),
      'whatIf.ownScenarios': () => kept.read(),
      'whatIf.keepScenario': async ({ file, text }) => {
        await kept.write(file, text)
        return null
      },
    },
    streams: {
      scenario(wish, emit, signal) {
        if (runner !== undefined) return runner.scenario(wish, emit, signal)
        emit({ kind: 'failed', problem: { code: 'unsupported', message: 'This console cannot run scenarios.' } })
      },
      sweep(wish, emit, signal) {
        if (runner !== undefined) return runner.sweep(wish, emit, signal)
        emit({ kind: 'failed', problem: { code: 'unsupported', message: 'This console cannot run sweeps.' } })
      },
      whatIf(wish, emit, signal) {
        const run = async (): Promise<void> => {
          const given = await givenTo(wish.from)
          if (!signal.aborted) found().run({ wish, given }, emit, signal)
        }
        run().catch((thrown: unknown) => emit({ kind: 'failed', problem: toProblem(thrown) }))
      },
    },
    async complete(spec) {
      if (spec.kind !== 'run') return spec
      const { of } = spec
      if (of.kind === 'scenario' && spec.given?.scenario !== undefined) return spec
      return { ...spec, given: await givenTo(of.kind === 'comparison' ? of.wish.from : of) }
    },
  }
}
