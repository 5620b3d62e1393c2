import { ProblemError } from '../../core/contract/errors.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import { isWithoutLevels, WITHOUT_LEVELS } from '../../core/frame/reading.ts'
import type { Session } from '../workspace/session.ts'

/** Throws `unsupported` for a source of which a command that reads metrics of levels could only say what is not true. */
export function refuseWithoutLevels(source: SourceInfo | undefined): void {
  if (source === undefined || !isWithoutLevels(source)) return
  throw new ProblemError(
    'unsupported',
    `${WITHOUT_LEVELS} ${source.name} uses it, and this command reads metrics of levels; proxy --json and feed --json print each request.`,
  )
}

/** The same of a session, which is ended then. */
export async function assertLevels(session: Session): Promise<void> {
  try {
    refuseWithoutLevels(session.connection.source)
  } catch (refused) {
    await session.end()
    throw refused
  }
}
