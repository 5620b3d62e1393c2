/** A run of an engine by random steps that can be checkpointed, sent elsewhere, and continued there. */
import { type ApfEngine, type EngineConfiguration } from '../../../core/engine/apfEngine.ts'
import { runTo } from '../../../core/engine/step.ts'
import { createApfEngine } from '../../../core/engine/createEngine.ts'
import type { EngineCheckpoint } from '../../../core/engine/checkpoint.ts'
import { type Algorithm, AS_UPSTREAM, rulesOf } from '../../../core/engine/profiles.ts'
import type { EngineEvent } from '../../../core/engine/events.ts'
import type { Ticket } from '../../../core/engine/ticket.ts'
import { DEFAULT_OBJECTS, OBJECT_STATISTICS, requestLines, userNumber } from './requests.ts'

export interface Step {
  readonly op: 'arrive' | 'finish' | 'cancel' | 'initialise' | 'end-watch' | 'configure' | 'statistics' | 'watches'
  readonly pick: number
  /** Nanoseconds since the step before. */
  readonly gap: number
}

export interface RunCheckpoint {
  readonly algorithm: Algorithm
  readonly engine: EngineCheckpoint
  readonly fates: readonly Fate[]
  readonly arrivals: number
}
type Fate = 'waiting' | 'executing' | 'watching'

const eventText = (event: EngineEvent<string>): string =>
  'ticket' in event ? `${event.kind} ${event.ticket.payload.payload}` : JSON.stringify(event)

export class SteppedRun {
  private readonly engine: ApfEngine<string>
  private readonly algorithm: Algorithm
  private readonly held = new Map<Ticket<string>, Fate>()
  private arrivals = 0
  /** Every event, callback and answer as text, in order. */
  log: string[] = []

  constructor(algorithm: Algorithm) {
    this.algorithm = algorithm
    this.engine = createApfEngine<string>({
      ...rulesOf(algorithm, 'v1.36.3'),
      maxRequestsInFlight: 8,
      maxMutatingRequestsInFlight: 4,
      corrections: AS_UPSTREAM,
      startUnixMs: 1_700_000_000_000,
      rememberedFlows: 20,
      onDispatch: (ticket) => {
        this.held.set(ticket, ticket.payload.info.verb === 'watch' ? 'watching' : 'executing')
        this.log.push(`told to run ${ticket.payload.payload}`)
      },
      onTimeOut: (ticket, retryAfter) => {
        this.held.delete(ticket)
        this.log.push(`told to refuse ${ticket.payload.payload} ${retryAfter}`)
      },
    })
    this.engine.subscribe((event) => void this.log.push(eventText(event)))
    this.engine.configure(DEFAULT_OBJECTS)
  }

  static from({ algorithm, engine, fates, arrivals }: RunCheckpoint): SteppedRun {
    const run = new SteppedRun(algorithm)
    run.log = []
    run.arrivals = arrivals
    for (const [i, ticket] of run.engine.restore(engine).entries()) run.held.set(ticket, fates[i] ?? 'executing')
    return run
  }

  checkpoint(): RunCheckpoint {
    const engine = this.engine.checkpoint([...this.held.keys()])
    return { algorithm: this.algorithm, engine, fates: [...this.held.values()], arrivals: this.arrivals }
  }

  take(steps: readonly Step[]): void {
    for (const step of steps) {
      runTo(this.engine, this.engine.nowNs + step.gap)
      this.step(step)
    }
  }

  /** Everything that the engine exposes, as text. */
  state(): string {
    const { levels, queues, requests } = this.engine.dump()
    const placed = requests.map(({ level, ticket, queue, position }) => [level, ticket.payload, queue, position])
    return JSON.stringify([this.engine.snapshot(), levels, queues, placed, this.engine.adjustments()], (_, value) =>
      typeof value === 'bigint' ? `${value}n` : value instanceof Map ? [...value] : value,
    )
  }

  private step({ op, pick }: Step): void {
    const { engine } = this
    switch (op) {
      case 'arrive':
        return this.arrive(pick)
      case 'finish':
        return this.with('executing', pick, (ticket) => {
          this.held.delete(ticket)
          engine.finish(ticket)
        })
      case 'cancel':
        return this.with('waiting', pick, (ticket) => void engine.cancel(ticket))
      case 'initialise':
        return this.with('watching', pick, (ticket) => {
          if (ticket.state === 'executing') engine.watchInitialised(ticket)
        })
      case 'end-watch':
        return this.with('watching', pick, (ticket) => {
          this.held.delete(ticket)
          engine.endWatch(ticket)
        })
      case 'configure':
        this.log.push(JSON.stringify(engine.configure(without(pick))))
        return
      case 'statistics':
        for (const [key, count, size] of OBJECT_STATISTICS) engine.objectStatistics.set(key, count + pick, size)
        return
      case 'watches':
        engine.setWatches('', 'pods', pick)
    }
  }

  private arrive(pick: number): void {
    const line = requestLines[pick % requestLines.length]
    if (line === undefined) throw new Error('there are no request lines')
    const { info, query } = line
    this.arrivals += 1
    const answer = this.engine.arrive({ user: userNumber(pick % 61), info, query, payload: `r${this.arrivals}` })
    this.log.push(JSON.stringify([answer.kind, 'estimate' in answer ? answer.estimate : undefined]))
    if (answer.kind === 'waiting') this.held.set(answer.ticket, 'waiting')
    else if (answer.kind === 'executing') this.held.set(answer.ticket, info.verb === 'watch' ? 'watching' : 'executing')
  }

  private with(fate: Fate, pick: number, act: (ticket: Ticket<string>) => void): void {
    const tickets = [...this.held].flatMap(([ticket, known]) => (known === fate ? [ticket] : []))
    const ticket = tickets[pick % Math.max(1, tickets.length)]
    if (ticket !== undefined) act(ticket)
  }
}

/** The default objects without one of the levels, or with all of them. */
function without(pick: number): EngineConfiguration {
  const { levels, schemas } = DEFAULT_OBJECTS
  const gone = pick % (levels.length + 1)
  return { levels: levels.filter((level, i) => i !== gone || level.metadata.name === 'catch-all'), schemas }
}
