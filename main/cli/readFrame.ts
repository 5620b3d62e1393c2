import type { Cadence, ServerHealth, SourceSpec } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { Frame } from '../../core/frame/frame.ts'
import type { ServerFacts } from '../../core/engine/serverFacts.ts'
import type { Console } from './console.ts'
import { openSession } from './open.ts'
import { problemLines } from './problemLines.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'

/** What was read of a source, once. */
export interface ReadFrame {
  /** Absent when no server answered. */
  readonly frame: Frame | undefined
  readonly servers: readonly ServerHealth[]
  /** Sentences: which servers did not answer, and why. */
  readonly findings: readonly string[]
  /** Object counts, sizes and watches of the first server of the frame, where the source reports them. */
  readonly facts: ServerFacts | undefined
  /** The latest debug dump of that server, where the source has one. */
  readonly dump: DumpFrame | undefined
  /** Absent unless asked for. */
  readonly objects: ObjectsReading | undefined
}

/** Reads every server of a source once, and its objects if `withObjects`. `undefined` when the command is to end. */
export async function readFrame(
  console: Console,
  spec: SourceSpec,
  cadence: Cadence,
  seconds: number,
  withObjects = false,
): Promise<ReadFrame | undefined> {
  let frame: Frame | undefined
  let objects: ObjectsReading | undefined
  let servers: readonly ServerHealth[] = []
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  const look = (): void => {
    const told = new Set(frame?.servers.map(({ id }) => id))
    const answered = servers.length > 0 && servers.every(({ id, status }) => told.has(id) || status === 'failing')
    if (answered && (!withObjects || (objects !== undefined && objects.state !== 'loading'))) settle()
  }
  const session = await openSession(console, spec, cadence, (connection) => {
    servers = connection.servers
    look()
  })
  console.signal.addEventListener('abort', () => settle(), { once: true })
  const cancel = console.environment.after(seconds * 1_000, settle)
  session.frames.subscribe((event) => {
    frame = event.frame
    look()
  }, console.signal)
  if (withObjects) {
    session.readObjects((reading) => {
      objects = reading
      look()
    })
  }
  await settled
  cancel()
  const first = frame?.servers[0]?.id
  const facts = first === undefined ? undefined : session.picture.facts(first)
  const dump = first === undefined ? undefined : session.picture.dump(first)
  await session.end()
  if (console.signal.aborted) return undefined
  const told = new Set(frame?.servers.map(({ id }) => id))
  const findings = servers.flatMap((server) => {
    if (told.has(server.id)) return []
    const problem = server.failures.at(-1)?.problem
    return problem === undefined ? [`${server.id} did not answer within ${seconds} s.`] : problemLines(problem)
  })
  return { frame, servers, findings, facts, dump, objects }
}
