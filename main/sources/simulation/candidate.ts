import type { CandidateWish, CandidateReport } from '../../../core/contract/live.ts'
import type { EngineEvent } from '../../../core/engine/events.ts'
import type { Ticket } from '../../../core/engine/ticket.ts'
import type { ArrivalListener, Compared, UnderWay } from '../../../core/run/candidate.ts'
import type { RunOptions } from '../../../core/run/run.ts'
import type { CapacityCurve } from '../../../core/simulate/workload.ts'
import { SimulatedLengths, type Working, type ServerCall } from '../../../core/simulate/server.ts'
import type { Simulation } from '../../../core/simulate/simulation.ts'
import { secondsToNs } from '../../../core/units.ts'
import { createDraft } from '../../live/draft.ts'

/** A request in both engines; most of them have no row. */
interface Subject extends Compared, Working {
  readonly ticket: Ticket<ServerCall>
}

export interface SimulationCandidateOptions {
  readonly simulation: Pick<Simulation, 'engine' | 'facts' | 'nowNs'>
  /** Options like those of the simulation's engine. */
  readonly engine: RunOptions
  readonly version: string
  readonly capacity: CapacityCurve
  /** Called when the draft's decision about a request has changed. */
  readonly show: (ticket: Ticket<ServerCall>, candidate: Compared['candidate']) => void
}

/** A draft on the arrivals of a simulated server. */
export interface SimulationCandidate {
  /** The draft runs. */
  readonly on: boolean
  readonly report: CandidateReport | undefined
  wish(wish: CandidateWish): void
  /** Receives the events of the simulation's engine; only while the draft is on. */
  hear(event: EngineEvent<ServerCall>): void
  settle(): void
}

/** An engine uses facts about the server for three minutes, so they are refreshed before that. */
const FACTS_AGAIN_NS = secondsToNs(60)

/** Receives all arrivals, with or without rows; costs nothing while it is off. */
export function createSimulationCandidate(options: SimulationCandidateOptions): SimulationCandidate {
  const { simulation, capacity, version, show } = options
  const { engine } = simulation
  let listener: ArrivalListener<Subject> | undefined
  /** Requests about which the simulation's engine has not decided. */
  const undecided = new Map<Ticket<ServerCall>, Subject>()
  let factsDueNs = 0
  const draft = createDraft<Subject>({
    version,
    beside: () => ({ baseline: engine, engine: options.engine }),
    lengths: () => new SimulatedLengths(capacity),
    touch: ({ ticket, candidate }) => show(ticket, candidate),
    listen: (next) => void (listener = next),
    underWay,
  })
  const tellFacts = (): void => {
    factsDueNs = simulation.nowNs + FACTS_AGAIN_NS
    draft.facts(simulation.facts())
  }
  const subjectOf = (ticket: Ticket<ServerCall>, state: Compared['state'], work: Working['work']): Subject => {
    const subject: Subject = { ticket, state, ...ticket.place, work }
    if (state === 'waiting') undecided.set(ticket, subject)
    return subject
  }
  /** In order of arrival. An executing one has the rest of its work ahead. */
  function underWay(): UnderWay<Subject>[] {
    const tickets = engine.dump().requests.map(({ ticket }) => ticket)
    return tickets
      .toSorted((a, b) => a.arrivedNs - b.arrivedNs)
      .map((ticket) => {
        const { executionNs, watchNs } = ticket.payload.payload.owner
        const runs = ticket.state === 'executing'
        const doneNs = runs ? simulation.nowNs - ticket.startedNs : 0
        const work = { executionNs: Math.max(0, executionNs - doneNs), watchNs }
        return { row: subjectOf(ticket, runs ? 'executing' : 'waiting', work), request: ticket.payload }
      })
  }
  return {
    get on() {
      return listener !== undefined
    },
    get report() {
      return draft.report
    },
    wish(wish) {
      if (wish.on && listener === undefined) tellFacts()
      draft.wish(wish)
      if (!wish.on) undecided.clear()
    },
    settle: () => draft.settle(),
    hear(event) {
      if (listener === undefined) return
      if (simulation.nowNs >= factsDueNs) tellFacts()
      if (event.kind === 'arrived') {
        const { ticket } = event
        listener.arrived(subjectOf(ticket, 'waiting', ticket.payload.payload.owner), ticket.payload)
      } else if (event.kind === 'dispatched' || event.kind === 'rejected') {
        const subject = undecided.get(event.ticket)
        if (subject === undefined) return
        undecided.delete(event.ticket)
        subject.state = event.kind === 'dispatched' ? 'executing' : 'rejected'
        listener.decided(subject)
      }
    },
  }
}
