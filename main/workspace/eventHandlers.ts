import type { SourceHandlers, SourceProcedureName, SourceStreamName } from '../../core/contract/contract.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { reportedFacts } from '../../core/live/serverFacts.ts'
import type { Archive } from '../ports/archive.ts'
import type { Environment } from '../ports/environment.ts'
import type { Alerting } from './alerting.ts'
import type { ConnectedObjects } from './connectedObjects.ts'
import type { Session } from './session.ts'
import { createSummaries } from './summaries.ts'

type EventProcedure = Extract<
  SourceProcedureName,
  'sources.tryNow' | 'sources.facts' | 'history.series' | 'history.heatMap' | 'allocation.steps'
>
type EventStream = Extract<SourceStreamName, 'frames' | 'summary' | 'dumps' | 'objects' | 'alerts' | 'notes'>

interface Emitted {
  readonly session: Session
  readonly objects: Pick<ConnectedObjects, 'states'>
  readonly alerting: Pick<Alerting, 'states' | 'notes'>
  readonly environment: Environment
  /** Replaces the session's history, where the source is a recording. */
  readonly archive?: Archive | undefined
}

/** Handlers that read the events of a source so far, independent of where the console runs and what else it can do. */
export function eventHandlers({ session, objects, alerting, environment, archive }: Emitted): {
  readonly procedures: Pick<SourceHandlers['procedures'], EventProcedure>
  readonly streams: Pick<SourceHandlers['streams'], EventStream>
} {
  const summaries = createSummaries(session, environment)
  return {
    procedures: {
      'sources.tryNow': async ({ server }) => {
        session.tryNow(server)
        return null
      },
      'sources.facts': async ({ server }) => {
        const facts = session.picture.facts(server)
        return facts === undefined ? null : reportedFacts(facts)
      },
      'history.series': async ({ server, ...range }) =>
        archive === undefined ? session.server(server).history.series(range) : archive.series(server, range),
      'history.heatMap': async ({ server, ...cells }) =>
        archive === undefined ? session.server(server).history.heatMap(cells) : archive.heatMap(server, cells),
      'allocation.steps': async ({ server, from, to }) => [
        ...(archive === undefined
          ? session.server(server).adjustments.steps(from, to)
          : archive.steps(server, from, to)),
      ],
    },
    streams: {
      frames: (_, emit, signal) => session.frames.subscribe(emit, signal),
      summary: (_, emit, signal) => summaries.subscribe(emit, signal),
      dumps: ({ server, level }, emit, signal) =>
        session.dumps(server, (dump) => emit(level === undefined ? dump : onlyLevel(dump, level)), signal),
      objects: (_, emit, signal) => objects.states.subscribe(emit, signal),
      alerts: (_, emit, signal) => alerting.states.subscribe(emit, signal),
      notes: (_, emit, signal) => alerting.notes.subscribe(emit, signal),
    },
  }
}

/** Levels are few and stay; queues and requests make a dump large. */
export function onlyLevel(dump: DumpFrame, level: string): DumpFrame {
  return {
    ...dump,
    ...(dump.queues && { queues: dump.queues.filter((queue) => queue.level === level) }),
    ...(dump.requests && { requests: dump.requests.filter((request) => request.level === level) }),
  }
}
