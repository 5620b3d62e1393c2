import type { Cadence, ServerHealth, SourceSpec } from '../../core/contract/source.ts'
import type { Frame } from '../../core/frame/frame.ts'
import type { Console } from './console.ts'
import { openSession } from './open.ts'
import { problemLines } from './problemLines.ts'

/** What was read of a source, once. */
export interface ReadFrame {
  /** Absent when no server answered. */
  readonly frame: Frame | undefined
  readonly servers: readonly ServerHealth[]
  /** Sentences: which servers did not answer, and why. */
  readonly findings: readonly string[]
}

/** Reads every server of a source once. `undefined` when the command is to end. */
export async function readFrame(
  console: Console,
  spec: SourceSpec,
  cadence: Cadence,
  seconds: number,
): Promise<ReadFrame | undefined> {
  let frame: Frame | undefined
  let servers: readonly ServerHealth[] = []
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  const look = (): void => {
    const told = new Set(frame?.servers.map(({ id }) => id))
    if (servers.length > 0 && servers.every(({ id, status }) => told.has(id) || status === 'failing')) settle()
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
  await settled
  cancel()
  await session.end()
  if (console.signal.aborted) return undefined
  const told = new Set(frame?.servers.map(({ id }) => id))
  const findings = servers.flatMap((server) => {
    if (told.has(server.id)) return []
    const problem = server.failures.at(-1)?.problem
    return problem === undefined ? [`${server.id} did not answer within ${seconds} s.`] : problemLines(problem)
  })
  return { frame, servers, findings }
}
