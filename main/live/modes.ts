import type { ProxyMode } from '../../core/contract/live.ts'
import type { ApfEngine, EngineConfiguration } from '../../core/engine/apfEngine.ts'
import type { UnixMs } from '../../core/units.ts'
import { createLiveRun, type LiveRun, type LiveRunOptions } from './liveRun.ts'

/** A run whose mode can change while requests come. */
export interface ModeRun extends Pick<LiveRun, 'crowdedOut' | 'log' | 'settle' | 'arrive' | 'listen' | 'close'> {
  readonly mode: ProxyMode
  /** A new one after each change of the mode, as after a start of the server. */
  readonly engine: ApfEngine<unknown>
  /** Start time of the engine, Unix milliseconds. */
  readonly startUnixMs: UnixMs
  configure(configuration: EngineConfiguration): void
  /**
   * From now on requests wait and may be rejected, or pass. Earlier requests stay with the engine at which they
   * arrived, which is dropped once nothing waits or runs there any more; the listener is removed.
   */
  change(mode: ProxyMode): void
}

export interface ModeRunOptions extends Omit<LiveRunOptions, 'engine'> {
  readonly engine: Omit<LiveRunOptions['engine'], 'startUnixMs'>
  /** Unix milliseconds. */
  readonly now: () => number
}

const LEFT_BEHIND_MS = 1_000

/** A run that begins in a mode; nothing is configured yet. */
export function createModeRun(firstMode: ProxyMode, { engine, now, ...around }: ModeRunOptions): ModeRun {
  let configuration: EngineConfiguration | undefined
  const begin = (mode: ProxyMode) => {
    const startUnixMs = now()
    return { mode, startUnixMs, run: createLiveRun(mode, { ...around, engine: { ...engine, startUnixMs } }) }
  }
  let current = begin(firstMode)
  let crowdedBefore = 0
  /** Functions that end the engines that were left behind. */
  const endings = new Set<() => void>()
  const leave = (run: LiveRun): void => {
    const end = (): void => {
      run.close()
      endings.delete(end)
      cancel()
    }
    const look = (): (() => void) =>
      around.clock.after(LEFT_BEHIND_MS, () => {
        run.settle()
        if (isIdle(run.engine)) end()
        else cancel = look()
      })
    let cancel = look()
    endings.add(end)
  }
  return {
    log: around.log,
    get mode() {
      return current.mode
    },
    get engine() {
      return current.run.engine
    },
    get startUnixMs() {
      return current.startUnixMs
    },
    get crowdedOut() {
      return crowdedBefore + current.run.crowdedOut
    },
    settle: () => current.run.settle(),
    arrive: (arrival) => current.run.arrive(arrival),
    listen: (listener) => current.run.listen(listener),
    configure(next) {
      configuration = next
      current.run.configure(next)
    },
    change(mode) {
      if (mode === current.mode) return
      const { run } = current
      run.listen(undefined)
      crowdedBefore += run.crowdedOut
      leave(run)
      current = begin(mode)
      if (configuration !== undefined) current.run.configure(configuration)
    },
    close() {
      for (const end of endings) end()
      current.run.close()
    },
  }
}

/** Nothing waits and nothing holds a seat. */
const isIdle = (engine: ApfEngine<unknown>): boolean =>
  engine.snapshot().levels.every(({ executingRequests, waitingRequests }) => executingRequests + waitingRequests === 0)
