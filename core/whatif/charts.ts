import type { ApfEngine } from '../engine/apfEngine.ts'
import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { sumRejected } from '../frame/recent.ts'
import type { Series } from '../history/series.ts'
import { serverFrame } from '../simulate/serverFrame.ts'
import { createPicture } from '../source/picture.ts'
import { byCodeUnits } from '../text/text.ts'
import { type Nanoseconds, NS_PER_SECOND, type UnixMs, unixMsAfter } from '../units.ts'
import type { Variant } from './variant.ts'

/** Points of a chart: as many as fit when two are side by side. */
const POINTS = 120
const SERVER = 'all servers'

/** Chart data of one variant over time, summed over its servers: sampled now and then while it runs. */
export class RunCharts {
  private readonly engines: readonly ApfEngine<unknown>[]
  private readonly version: string
  private readonly range: { readonly from: UnixMs; readonly to: UnixMs }
  private readonly stepNs: Nanoseconds
  private readonly endNs: Nanoseconds
  private readonly picture = createPicture()
  private taken = 0

  constructor(
    engines: readonly ApfEngine<unknown>[],
    { version }: Pick<Variant, 'version'>,
    { startUnixMs, endNs }: { readonly startUnixMs: UnixMs; readonly endNs: Nanoseconds },
  ) {
    this.engines = engines
    this.version = version
    this.endNs = endNs
    this.range = { from: startUnixMs, to: unixMsAfter(startUnixMs, endNs) }
    this.stepNs = Math.ceil(Math.max(1, endNs / NS_PER_SECOND / POINTS)) * NS_PER_SECOND
  }

  /** When the next sample is due. */
  get nextNs(): Nanoseconds {
    return this.taken * this.stepNs
  }

  /** Takes all remaining samples. `false` when `runTo`, which advances the engines to an instant, ended it earlier. */
  toEnd(runTo: (ns: Nanoseconds) => boolean): boolean {
    while (this.nextNs <= this.endNs) {
      if (!runTo(this.nextNs)) return false
      this.take()
    }
    return true
  }

  /** Takes the next sample. */
  sample(runTo: (ns: Nanoseconds) => void): void {
    runTo(this.nextNs)
    this.take()
  }

  private take(): void {
    this.taken += 1
    const { version } = this
    const frames = this.engines.map((engine) => serverFrame(engine.snapshot(), { id: SERVER, version }))
    const [first] = frames
    if (first === undefined) return
    this.picture.take({ kind: 'frame', frame: frames.length === 1 ? first : { ...first, levels: summed(frames) } })
  }

  /** `undefined` for the max-in-flight filter, which has no levels. */
  series(): Series | undefined {
    const server = this.picture.server(SERVER)
    if (server === undefined || server.latest.frame.levels.length === 0) return undefined
    return server.history.series({ ...this.range, maxPoints: POINTS })
  }
}

/** Seats, requests, limits and counters of each level, summed; values that cannot be summed are left out. */
function summed(frames: readonly ServerFrame[]): LevelFrame[] {
  const byName = Map.groupBy(
    frames.flatMap(({ levels }) => levels),
    ({ name }) => name,
  )
  return [...byName]
    .toSorted(([a], [b]) => byCodeUnits(a, b))
    .map(([name, levels]): LevelFrame => {
      const sum = (of: (level: LevelFrame) => number | undefined): number =>
        levels.reduce((total, level) => total + (of(level) ?? 0), 0)
      return {
        name,
        limits: {
          nominal: sum(({ limits }) => limits.nominal),
          lower: sum(({ limits }) => limits.lower),
          upper: sum(({ limits }) => limits.upper),
          current: sum(({ limits }) => limits.current),
        },
        seats: { executing: sum(({ seats }) => seats.executing), queued: sum(({ seats }) => seats.queued) },
        requests: {
          executing: sum(({ requests }) => requests.executing),
          queued: sum(({ requests }) => requests.queued),
        },
        demand: {},
        dispatched: sum(({ dispatched }) => dispatched),
        rejected: sumRejected(levels),
        schemas: [],
      }
    })
}
