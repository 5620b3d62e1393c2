import type { ProcedureHandlers, StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError, toProblem } from '../../core/contract/errors.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import { MOST_PAST_REQUESTS } from '../../core/contract/bounds.ts'
import type { WhatIfDesk } from '../ports/whatIf.ts'
import type { ConnectedSource } from './connectedSource.ts'

interface WhatIfOptions {
  /** Nothing is compared without it. */
  readonly desk: WhatIfDesk | undefined
  /** The connection that knows the past of another one. */
  readonly openPast: (connection: number) => Promise<number>
  readonly sourceOf: (connection: number) => ConnectedSource
}

interface WhatIfHandlers {
  readonly procedures: Pick<ProcedureHandlers, 'whatIf.scenarios'>
  readonly streams: Pick<StreamHandlers, 'whatIf'>
}

/** Compares variants: the requests come from here, the work is done elsewhere. */
export function whatIfHandlers({ desk, openPast, sourceOf }: WhatIfOptions): WhatIfHandlers {
  const found = (): WhatIfDesk => {
    if (desk !== undefined) return desk
    throw new ProblemError('unsupported', 'This console cannot compare variants.')
  }
  const recordedBy = async (of: number): Promise<readonly LiveRequest[]> => {
    const connection = await openPast(of)
    const past = sourceOf(connection)
    const { last } = await past.call('past.extent', { connection })
    if (last === undefined) return []
    const { requests } = await past.call('past.requests', { connection, at: last, count: MOST_PAST_REQUESTS })
    return requests
  }
  return {
    procedures: { 'whatIf.scenarios': async () => [...(await found().scenarios())] },
    streams: {
      whatIf(wish, emit, signal) {
        const { from } = wish
        const run = async (): Promise<void> => {
          const recorded = from.kind === 'recorded' ? await recordedBy(from.connection) : []
          if (!signal.aborted) found().run({ wish, recorded }, emit, signal)
        }
        run().catch((thrown: unknown) => emit({ kind: 'failed', problem: toProblem(thrown) }))
      },
    },
  }
}
