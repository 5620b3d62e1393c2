import { MOST_PAST_REQUESTS, TUNE_EVALUATIONS } from '../../core/bounds.ts'
import type { AbortSignalLike, StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError, toProblem } from '../../core/errors.ts'
import type { ForecastWish } from '../../core/contract/forecast.ts'
import type { TuneWish } from '../../core/contract/tune.ts'
import type { SweepBase } from '../../core/sweep/sweep.ts'
import { misfits, twinBase } from '../../core/tune/ofTwin.ts'
import { namesOfObjects } from '../../core/tune/goalText.ts'
import { misspelt } from '../../core/tune/read.ts'
import { tuneAnswer } from '../../core/tune/report.ts'
import type { Twin } from '../../core/twin/twin.ts'
import { serverVariant } from '../live/proposed.ts'
import { recordedArrivals } from '../live/wished.ts'
import type { Environment } from '../ports/environment.ts'
import type { WhatIfRunner } from '../ports/whatIf.ts'
import type { ConnectedSource } from './connectedSource.ts'

interface TuneOptions {
  /** Without it, nothing is searched. */
  readonly runner: WhatIfRunner | undefined
  readonly openPast: (connection: number) => Promise<number>
  readonly sourceOf: (connection: number) => ConnectedSource
  readonly twinOf: (wish: ForecastWish, tell: (part: number) => void, signal: AbortSignalLike) => Promise<Twin>
  readonly environment: Pick<Environment, 'now'>
}

/** Fraction of the whole that fitting a twin takes. */
const FIT_SHARE = 0.2

/** Searches for the smallest edit of a connected source; the computation runs elsewhere, and nothing is applied. */
export function tuneHandlers(options: TuneOptions): Pick<StreamHandlers, 'tune'> {
  const { runner, environment } = options
  return {
    tune(wish, emit, signal) {
      const started = environment.now()
      const run = async (): Promise<void> => {
        if (runner === undefined) throw new ProblemError('unsupported', 'This console cannot search for edits.')
        // Checked first, because fitting a twin takes minutes.
        const wrong = misspelt(wish, namesOfObjects(wish.before))
        if (wrong !== undefined) throw new ProblemError('invalid-input', wrong)
        const tell = (part: number): void => emit({ kind: 'progress', part: part * FIT_SHARE })
        const { base, notes } = await baseOf(wish, options, tell, signal)
        if (signal.aborted) return
        const { goals, guardRails, seeds, levels } = wish
        const written = { name: 'Search', goals, guardRails, seeds, seed: 1, evaluations: TUNE_EVALUATIONS.usual }
        runner.search(
          { base, written, levels },
          (event) => {
            if (event.kind === 'progress') emit({ kind: 'progress', part: FIT_SHARE + (1 - FIT_SHARE) * event.part })
            else if (event.kind === 'failed') emit(event)
            else emit({ kind: 'done', report: tuneAnswer(event.report, notes), elapsedMs: environment.now() - started })
          },
          signal,
        )
      }
      run().catch((thrown: unknown) => emit({ kind: 'failed', problem: toProblem(thrown) }))
    },
  }
}

/** A search runs hundreds of times. */
const REQUESTS_OF_SEARCH = 5_000

async function baseOf(
  { from, before, serverLimit, version }: TuneWish,
  { openPast, sourceOf, twinOf }: TuneOptions,
  tell: (part: number) => void,
  signal: AbortSignalLike,
): Promise<{ readonly base: SweepBase; readonly notes: readonly string[] }> {
  if (from.kind === 'twin') {
    const { server, at } = from
    const connection = at === undefined ? from.connection : await openPast(from.connection)
    const of = { connection, server, ...(at !== undefined && { at }) }
    const twin = await twinOf({ of, before, after: before, serverLimit, version }, tell, signal)
    const ofNow = at === undefined ? [] : ['The edit is of the objects as they are now.']
    const { base, text } = twinBase(twin, REQUESTS_OF_SEARCH)
    return { base, notes: [text, ...ofNow, ...misfits(twin.fit)] }
  }
  const connection = await openPast(from.connection)
  const { requests } = await sourceOf(connection).call('past.requests', {
    connection,
    at: from.to,
    count: MOST_PAST_REQUESTS,
  })
  const inRange = requests.filter(({ at }) => at >= from.from)
  if (inRange.length === 0) {
    throw new ProblemError('not-found', 'No requests are recorded in this range. Select another one, or the twin.')
  }
  const arrivals = recordedArrivals({ requests: inRange })
  const variant = serverVariant({ before, version, serverLimit })
  const isCut = requests.length >= MOST_PAST_REQUESTS && inRange.length === requests.length
  return {
    base: { kind: 'requests', arrivals, variant },
    notes: [
      ...arrivals.notes,
      'Recorded requests do not react to an edit, and there is one run of each edit, without other seeds.',
      ...(isCut ? [`Only the last ${MOST_PAST_REQUESTS} requests of the range are used.`] : []),
    ],
  }
}
