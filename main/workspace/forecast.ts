import { FIT_PART } from '../../core/bounds.ts'
import type { AbortSignalLike, StreamHandlers } from '../../core/contract/contract.ts'
import { ProblemError, toProblem } from '../../core/errors.ts'
import type { Earlier, ForecastWish } from '../../core/contract/forecast.ts'
import type { Twin } from '../../core/twin/twin.ts'
import { SHORTEST_SPAN_SECONDS } from '../../core/twin/observe.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../../core/units.ts'
import type { Environment } from '../ports/environment.ts'
import type { WhatIfRunner } from '../ports/whatIf.ts'
import type { ConnectedSource } from './connectedSource.ts'

interface ForecastOptions {
  /** Without it, nothing is forecast. */
  readonly runner: WhatIfRunner | undefined
  readonly sourceOf: (connection: number) => ConnectedSource
  readonly environment: Pick<Environment, 'now'>
}

/**
 * A younger twin is not fitted again: the draft changes with every keystroke, the requests do not. In the time of the
 * source: at ×10 a minute here is ten of its minutes, after which its requests have changed.
 */
const TWIN_SECONDS = 60
/** However fast the source's time runs, a twin outlasts a few keystrokes. */
const TYPING_SECONDS = 5
/** Twins of other servers and objects are dropped, the oldest first. */
const MOST_TWINS = 4

interface Forecasts extends Pick<StreamHandlers, 'forecast'> {
  /**
   * The twin of a server, fitted now or within the last minute; `tell` receives the fraction of the fit that is done.
   * Rejects with `ProblemError`.
   */
  readonly twinOf: (wish: ForecastWish, tell: (part: number) => void, signal: AbortSignalLike) => Promise<Twin>
}

interface KeptTwin {
  /** Present of the source as the fit began, Unix milliseconds. */
  readonly ofMs: UnixMs
  /** Our own time when the fit was done. */
  readonly atMs: UnixMs
  readonly twin: Twin
  readonly earlier: Earlier
}

/** A fit in progress, and all callers that wait for it. */
interface Fitting {
  readonly twin: Promise<KeptTwin>
  readonly end: AbortController
  readonly waiting: Set<(part: number) => void>
}

/** Forecasts the effects of a draft on a connected source; the computation runs elsewhere. */
export function forecastHandlers({ runner, sourceOf, environment }: ForecastOptions): Forecasts {
  const twins = new Map<string, KeptTwin>()
  const fits = new Map<string, Fitting>()

  const presentOf = async (connection: number): Promise<UnixMs> => {
    const source = sourceOf(connection)
    if (source.connection.spec.kind !== 'simulation') return environment.now()
    return unixMsOf((await source.call('simulation.state', { connection })).at)
  }
  const isYoung = ({ ofMs, atMs }: KeptTwin, presentMs: UnixMs): boolean =>
    presentMs - ofMs < TWIN_SECONDS * MS_PER_SECOND || environment.now() - atMs < TYPING_SECONDS * MS_PER_SECOND

  const fit = async (by: WhatIfRunner, key: string, wish: ForecastWish, end: AbortController): Promise<KeptTwin> => {
    const ofMs = await presentOf(wish.of.connection)
    const evidence = await sourceOf(wish.of.connection).call('forecast.evidence', wish.of)
    if (evidence.history === null) throw new ProblemError('not-found', TOO_SHORT)
    const { earlier } = evidence
    const twin = await new Promise<Twin>((resolve, reject) => {
      by.forecast(
        { wish, evidence, earlier },
        (event) => {
          if (event.kind === 'twin') resolve(event.twin)
          else if (event.kind === 'failed') reject(ProblemError.of(event.problem))
          else if (event.kind === 'progress') for (const tell of fits.get(key)?.waiting ?? []) tell(event.part)
        },
        end.signal,
      )
    })
    // The runs that would follow belong to the first draft that needed the twin.
    end.abort()
    const kept = { ofMs, atMs: environment.now(), twin, earlier }
    twins.delete(key)
    twins.set(key, kept)
    const [oldest] = twins.keys()
    if (twins.size > MOST_TWINS && oldest !== undefined) twins.delete(oldest)
    return kept
  }

  /** The twin, from the fit in progress if there is one. The fit ends once no caller waits for it. */
  const twinFor = async (
    by: WhatIfRunner,
    wish: ForecastWish,
    tell: (part: number) => void,
    signal: AbortSignalLike,
  ): Promise<KeptTwin> => {
    const { of, before, serverLimit, version } = wish
    const key = JSON.stringify([of, serverLimit, version, before])
    const kept = twins.get(key)
    if (kept !== undefined && isYoung(kept, await presentOf(of.connection))) return kept
    const fitting = fits.get(key) ?? startFit(by, key, wish)
    fitting.waiting.add(tell)
    const leave = (): void => {
      fitting.waiting.delete(tell)
      if (fitting.waiting.size > 0 || fits.get(key) !== fitting) return
      fits.delete(key)
      fitting.end.abort()
    }
    signal.addEventListener('abort', leave, { once: true })
    return fitting.twin
  }
  const startFit = (by: WhatIfRunner, key: string, wish: ForecastWish): Fitting => {
    const end = new AbortController()
    const twin = fit(by, key, wish, end).finally(() => {
      if (fits.get(key)?.end === end) fits.delete(key)
    })
    const fitting = { twin, end, waiting: new Set<(part: number) => void>() }
    fits.set(key, fitting)
    return fitting
  }

  const found = (): WhatIfRunner => {
    if (runner !== undefined) return runner
    throw new ProblemError('unsupported', 'This console cannot forecast.')
  }
  return {
    twinOf: async (wish, tell, signal) => (await twinFor(found(), wish, (part) => tell(part / FIT_PART), signal)).twin,
    forecast(wish, emit, signal) {
      const run = async (): Promise<void> => {
        const by = found()
        let from = 0
        const tell = (part: number): void => {
          from = FIT_PART
          emit({ kind: 'progress', part })
        }
        const { twin, earlier } = await twinFor(by, wish, tell, signal)
        if (signal.aborted) return
        by.forecast(
          { wish, twin, earlier },
          (event) => {
            if (event.kind === 'progress') emit({ kind: 'progress', part: from + event.part * (1 - from) })
            else if (event.kind !== 'twin') emit(event)
          },
          signal,
        )
      }
      run().catch((thrown: unknown) => emit({ kind: 'failed', problem: toProblem(thrown) }))
    },
  }
}

const TOO_SHORT = `A forecast needs ${SHORTEST_SPAN_SECONDS} s of metrics since the server last started and its limits last changed. Wait a moment.`
