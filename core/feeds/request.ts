import type { RequestLine } from '../request/requestLine.ts'
import type { LiveRow } from '../live/requestLog.ts'
import type { Call } from '../run/run.ts'
import type { UsualDurations } from '../run/usualDurations.ts'
import { msToNs, nsToMs } from '../units.ts'
import type { FeedArrival, FeedStage } from './arrival.ts'
import type { FeedEngine } from './feedEngine.ts'

/** Of two stages the later one tells more. */
const RANK = { received: 0, started: 1, complete: 2, panic: 3 } as const

const FORGOTTEN: RequestLine = { ok: false, status: 400, problem: 'It is not kept' }

/** A request from its first event to its last. */
export class FeedRequest {
  arrival: FeedArrival
  /** For how long the client of a watch asked, seconds; 0 where it did not. */
  readonly askedSeconds: number
  /** Its last event is known, or it was given up. */
  complete = false
  /** Nothing is told to the engine any more. */
  over = false
  row: LiveRow | undefined
  call: Call<LiveRow> | undefined
  /** How long it executes in the engine. */
  runMs: number | undefined
  private readonly stages = new Set<FeedStage>()
  /** The engine knows how long it takes, or will as soon as it lets it run. */
  private told = false

  constructor(arrival: FeedArrival) {
    this.arrival = arrival
    const { isWatch, line } = arrival
    this.askedSeconds = isWatch && line.ok ? Number(line.query.get('timeoutSeconds') ?? 0) : 0
    this.note(arrival.stage)
  }

  has(stage: FeedStage): boolean {
    return this.stages.has(stage)
  }

  /** Characters that are held for it. */
  get characters(): number {
    const { requestURI, user } = this.arrival
    const { name = '', groups = [] } = user ?? {}
    return groups.reduce((sum, group) => sum + group.length, requestURI.length + name.length)
  }

  /** Lets go of what only its placing needs: requests may be open for hours, and clients choose how long their URLs are. */
  forgetTexts(): void {
    this.arrival = { ...this.arrival, requestURI: '', line: FORGOTTEN, user: undefined, client: '' }
  }

  /** Adds what another stage tells. */
  merge(arrival: FeedArrival): void {
    const { arrival: before } = this
    this.note(arrival.stage)
    this.arrival = {
      ...(RANK[arrival.stage] > RANK[before.stage] ? arrival : before),
      executionMs: before.executionMs ?? arrival.executionMs,
      inAllMs: before.inAllMs ?? arrival.inAllMs,
      server: arrival.server ?? before.server,
    }
    if (this.row !== undefined) this.forgetTexts()
  }

  /** Tells the engine how long it ran, once that is known or never will be. */
  tellDuration(engine: FeedEngine, usual: UsualDurations): void {
    const { row, call, complete } = this
    const { executionMs, inAllMs, isWatch } = this.arrival
    if (row === undefined || call === undefined || this.told) return
    if (executionMs === undefined && inAllMs === undefined && !complete) return
    this.told = true
    const ran = (ms: number): void => {
      this.runMs = ms
      if (!isWatch) usual.note(row, msToNs(ms))
    }
    if (executionMs !== undefined) {
      ran(executionMs)
      engine.lasted(row, call, executionMs)
    } else if (inAllMs !== undefined) engine.lastedInAll(row, call, inAllMs, ran)
    else {
      this.runMs = isWatch ? 0 : nsToMs(usual.of(row))
      engine.lasted(row, call, this.runMs)
    }
  }

  private note(stage: FeedStage): void {
    this.stages.add(stage)
    this.complete ||= stage === 'complete' || stage === 'panic'
  }
}
