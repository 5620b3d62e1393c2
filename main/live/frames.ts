import { CadenceSchema, type Cadence, type ServerHealth } from '../../core/contract/source.ts'
import type { ApfEngine } from '../../core/engine/apfEngine.ts'
import type { ServerFacts } from '../../core/engine/facts.ts'
import { dumpFrame, serverFrame } from '../../core/simulate/serverFrame.ts'
import type { Emit } from '../../core/source/sourceEvent.ts'
import type { Environment } from '../ports/environment.ts'

/** Interval between two dumps while the queues are displayed: nothing is fetched, so it may be short. */
export const WATCHED_DUMPS_MS = 100
/** Health is not reported with each of those. */
export const DUMP_HEALTH_MS = 1_000

export interface FramesOptions {
  /** Id of the server in the frames. */
  readonly server: string
  readonly version: string
  readonly environment: Environment
  /** Brings the engine to the present and returns it; `undefined` while there is nothing to show. */
  readonly present: () => ApfEngine<unknown> | undefined
  /** Frames are emitted automatically at the cadence; otherwise `tellFrame` is called. */
  readonly byClock: boolean
}

/** Emits frames and dumps of an engine in this process, at the cadence. */
export interface Frames {
  start(signal: AbortSignal, emit: Emit): void
  setCadence(cadence: Cadence): void
  watchDumps(watched: boolean): void
  tellFrame(engine: ApfEngine<unknown>): void
  /** The facts about the server behind the engine have changed. */
  tellFacts(facts: ServerFacts): void
  /** Notices for the operator, in sentences. */
  setNotes(notes: readonly string[]): void
  readonly cadence: Cadence
}

export function createFrames({ server, version, environment, present, byClock }: FramesOptions): Frames {
  let cadence = CadenceSchema.parse({})
  let emit: Emit = () => undefined
  let signal: AbortSignal | undefined
  let watched = false
  let dumpsReportedMs = Number.NEGATIVE_INFINITY
  let known: ServerFacts | undefined
  let health: ServerHealth = { id: server, status: 'connecting', failures: [] }
  const tell = (change: Partial<ServerHealth>): void => {
    health = { ...health, ...change }
    if (signal?.aborted === false) emit({ kind: 'health', health })
  }
  const isoNow = (): string => new Date(environment.now()).toISOString()
  const tellFrame = (engine: ApfEngine<unknown>): void => {
    emit({ kind: 'frame', frame: serverFrame(engine.snapshot(), { id: server, version }) })
    tell({ status: 'ok', lastGoodAt: isoNow() })
  }
  const tellFacts = (facts: ServerFacts): void => {
    known = facts
    if (signal?.aborted === false) emit({ kind: 'facts', server, facts })
  }
  const frame = (): void => {
    const engine = present()
    if (engine !== undefined && byClock) tellFrame(engine)
  }
  const dump = (): void => {
    const engine = present()
    if (engine === undefined) return
    const latest = dumpFrame(server, engine)
    emit({ kind: 'dump', dump: latest })
    const nowMs = environment.now()
    if (nowMs - dumpsReportedMs < DUMP_HEALTH_MS) return
    dumpsReportedMs = nowMs
    tell({ dumps: { status: 'ok', costMs: 0, bytes: 0, lastAt: latest.at } })
  }
  const frames = repeating(environment, frame)
  const dumps = repeating(environment, dump)
  const schedule = (): void => {
    if (signal === undefined || signal.aborted) return
    frames.every(cadence.intervalMs)
    dumps.every(cadence.dumpsEveryMs === null ? undefined : watched ? WATCHED_DUMPS_MS : cadence.dumpsEveryMs)
  }
  return {
    get cadence() {
      return cadence
    },
    tellFrame,
    tellFacts,
    start(givenSignal, given) {
      signal = givenSignal
      emit = given
      signal.addEventListener(
        'abort',
        () => {
          frames.every(undefined)
          dumps.every(undefined)
        },
        { once: true },
      )
      tell({})
      if (known !== undefined) tellFacts(known)
      frame()
      if (cadence.dumpsEveryMs !== null) dump()
      schedule()
    },
    setCadence(next) {
      cadence = next
      schedule()
      if (next.dumpsEveryMs === null) tell({ dumps: { status: 'off' } })
    },
    watchDumps(now) {
      watched = now
      schedule()
      if (now && cadence.dumpsEveryMs !== null) dump()
    },
    setNotes(notes) {
      const { notes: _before, ...rest } = health
      health = notes.length === 0 ? rest : { ...rest, notes: [...notes] }
      tell({})
    },
  }
}

/** Calls at an interval, on the grid of its start; `undefined` stops it. */
function repeating({ now, after }: Environment, call: () => void): { every(ms: number | undefined): void } {
  let cancel = (): void => undefined
  const plan = (ms: number, dueMs: number): void => {
    cancel = after(Math.max(1, dueMs - now()), () => {
      call()
      // Missed calls are not made up for.
      plan(ms, Math.max(dueMs + ms, now()))
    })
  }
  let current: number | undefined
  return {
    every(ms) {
      if (ms === current) return
      current = ms
      cancel()
      if (ms !== undefined) plan(ms, now() + ms)
    },
  }
}
