import { ProblemError } from '../../core/errors.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import { isWithoutLevels, WITHOUT_LEVELS } from '../../core/frame/reading.ts'
import type { Session } from '../workspace/session.ts'

/** Throws `unsupported` for a source on which a command that reads metrics of levels could only print wrong results. */
export function refuseWithoutLevels(source: SourceInfo | undefined): void {
  if (source === undefined || !isWithoutLevels(source)) return
  throw new ProblemError(
    'unsupported',
    `${WITHOUT_LEVELS} ${source.name} uses it, and this command reads metrics of levels; proxy --json and feed --json print each request.`,
  )
}

/** The same for a session, which is then ended. */
export async function assertLevels(session: Session): Promise<void> {
  try {
    refuseWithoutLevels(session.connection.source)
  } catch (refused) {
    await session.end()
    throw refused
  }
}
