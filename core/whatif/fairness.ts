import type { Fairness, FairnessOverTime } from '../contract/whatif.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import type { EngineEvent } from '../engine/events.ts'
import { maxMinShares } from '../frame/flow.ts'
import { type Nanoseconds, secondsToNs } from '../units.ts'
import { jainIndex } from './results.ts'

/** Seconds over which fairness is averaged unless they are chosen. */
export const FAIRNESS_SECONDS = 10

export interface FairnessOptions<T> {
  readonly clientOf: (payload: T) => string
  /** Its execution time when nothing slows it down: the same under each variant, also where it is rejected. */
  readonly workOf: (payload: T) => Nanoseconds
  /** The judged period. */
  readonly fromNs: Nanoseconds
  readonly untilNs: Nanoseconds
  readonly windowSeconds?: number | undefined
}

/** Work of one client in one step. */
interface Work {
  arrived: number
  begun: number
  rejected: number
}
const COUNTED: Partial<Record<EngineEvent<unknown>['kind'], keyof Work>> = {
  arrived: 'arrived',
  dispatched: 'begun',
  rejected: 'rejected',
}

/** What a client got in a step, and what would have been its max-min fair share of what all got. */
interface Part {
  readonly got: number
  readonly fair: number
}
type Parts = ReadonlyMap<string, Part>

/** A step is a second, or longer in a run of more than an hour. */
const MOST_STEPS = 3_600

/**
 * How fairly clients were served (KEP-1040: “utilization observed over time”): the work of each that began, beside its
 * max-min fair share of all that began in the same second, averaged over time.
 */
export class FairnessLog<T> {
  private readonly options: FairnessOptions<T>
  private readonly stepSeconds: number
  private readonly steps = new Map<number, Map<string, Work>>()

  constructor(engines: readonly ApfEngine<T>[], options: FairnessOptions<T>) {
    this.options = options
    this.stepSeconds = Math.max(1, Math.ceil(options.untilNs / secondsToNs(MOST_STEPS)))
    for (const engine of engines) engine.subscribe((event) => this.take(event, this.stepAt(engine.nowNs)))
  }

  /** `undefined` if nothing was asked for. */
  result(): Fairness | undefined {
    const { windowSeconds = FAIRNESS_SECONDS } = this.options
    const steps = this.parts()
    const overall = fairnessOf(added(steps))
    if (overall === undefined) return undefined
    const length = Math.max(1, Math.round(windowSeconds / this.stepSeconds))
    return {
      overall,
      windowSeconds,
      intervals: summary(windows(steps, length, length)),
      sliding: summary(windows(steps, length, 1)),
      decaying: summary(decaying(steps, length)),
    }
  }

  private stepAt(ns: Nanoseconds): number {
    return Math.floor(ns / secondsToNs(this.stepSeconds))
  }

  private take(event: EngineEvent<T>, step: number): void {
    const counted = COUNTED[event.kind]
    if (counted === undefined || !('ticket' in event)) return
    const { payload } = event.ticket.payload
    const clients = this.steps.get(step) ?? new Map<string, Work>()
    this.steps.set(step, clients)
    const client = this.options.clientOf(payload)
    const work = clients.get(client) ?? { arrived: 0, begun: 0, rejected: 0 }
    clients.set(client, work)
    work[counted] += this.options.workOf(payload)
  }

  /** For each step of the judged period, the parts of the clients that wanted something in it. */
  private parts(): readonly Parts[] {
    const { fromNs, untilNs } = this.options
    const from = this.stepAt(fromNs)
    const waiting = new Map<string, number>()
    const parts: Parts[] = []
    for (let step = 0; step < untilNs / secondsToNs(this.stepSeconds); step++) {
      const now = this.steps.get(step)
      const asking = [...new Set([...waiting.keys(), ...(now?.keys() ?? [])])].map((client) => {
        const { arrived, begun, rejected } = now?.get(client) ?? { arrived: 0, begun: 0, rejected: 0 }
        const wanted = (waiting.get(client) ?? 0) + arrived
        if (wanted > begun + rejected) waiting.set(client, wanted - begun - rejected)
        else waiting.delete(client)
        return { client, wanted, got: begun }
      })
      const shares = maxMinShares(
        asking.map(({ wanted }) => wanted),
        asking.reduce((sum, { got }) => sum + got, 0),
      )
      if (step >= from)
        parts.push(new Map(asking.map(({ client, got }, at) => [client, { got, fair: shares[at] ?? 0 }])))
    }
    return parts
  }
}

/** Jain index of what clients got as a part of their fair shares; `undefined` if no one had a share. */
const fairnessOf = (parts: Parts): number | undefined =>
  jainIndex([...parts.values()].flatMap(({ got, fair }) => (fair > 0 ? [got / fair] : [])))

/** Adds what clients got in a step to the sums of those before it. */
function add(sums: Map<string, Part>, parts: Parts): void {
  for (const [client, { got, fair }] of parts) {
    const before = sums.get(client) ?? NOTHING
    sums.set(client, { got: before.got + got, fair: before.fair + fair })
  }
}
const NOTHING: Part = { got: 0, fair: 0 }

function added(steps: readonly Parts[]): Parts {
  const sums = new Map<string, Part>()
  for (const parts of steps) add(sums, parts)
  return sums
}

/** Of windows of that many steps, each of which begins `apart` steps after the one before it. */
const windows = (steps: readonly Parts[], length: number, apart: number): readonly (number | undefined)[] =>
  Array.from({ length: Math.max(0, Math.floor((steps.length - length) / apart) + 1) }, (_, at) =>
    fairnessOf(added(steps.slice(at * apart, at * apart + length))),
  )

/** Of averages at each step, in which what is older counts less: by the factor e in each length. */
function decaying(steps: readonly Parts[], length: number): readonly (number | undefined)[] {
  const keep = Math.exp(-1 / length)
  const sums = new Map<string, Part>()
  return steps
    .map((parts) => {
      for (const [client, { got, fair }] of sums) {
        if (fair * keep < FORGOTTEN) sums.delete(client)
        else sums.set(client, { got: got * keep, fair: fair * keep })
      }
      add(sums, parts)
      return fairnessOf(sums)
    })
    .slice(length - 1)
}
/** Nanoseconds of work. */
const FORGOTTEN = 1

function summary(values: readonly (number | undefined)[]): FairnessOverTime | undefined {
  const known = values.filter((value) => value !== undefined)
  if (known.length === 0) return undefined
  return { mean: known.reduce((sum, value) => sum + value, 0) / known.length, worst: Math.min(...known) }
}
