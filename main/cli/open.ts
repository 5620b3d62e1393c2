import { ProblemError } from '../../core/contract/errors.ts'
import type { Cadence, Connected, SourceSpec } from '../../core/contract/source.ts'
import { startSession, type Session } from '../workspace/session.ts'
import type { Console } from './console.ts'

/** Connects a command to its source; ends with the command. Throws `ProblemError` when the source cannot be made. */
export async function openSession(
  console: Console,
  spec: SourceSpec,
  cadence: Cadence,
  onConnection: (connection: Connected) => void,
): Promise<Session> {
  const { environment, signal } = console
  const made = await console.access.makeSource(spec, environment)
  if (!made.ok) throw new ProblemError(made.problem.code, made.problem.message, made.problem.details)
  made.source.setCadence(cadence)
  const session = startSession({ id: 1, ...made, spec, cadence, environment, onConnection })
  signal.addEventListener('abort', () => void session.end(), { once: true })
  return session
}
