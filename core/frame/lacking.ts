import type { LevelFrame, ServerFrame, SourceInfo } from './frame.ts'

/** Which of these families a page lacks, although its version has them. */
export const lacking = ({ missing }: Pick<ServerFrame, 'missing'>, families: readonly string[]): readonly string[] =>
  families.filter((name) => missing.some(({ family, reason }) => family === name && reason === 'not-exposed'))

const VALUES = {
  dispatched: ({ dispatched }: LevelFrame) => dispatched,
  rejected: ({ rejected }: LevelFrame) => rejected,
  executingSeats: ({ seats }: LevelFrame) => seats.executing,
  current: ({ limits }: LevelFrame) => limits.current,
  queuedRequests: ({ requests }: LevelFrame) => requests.queued,
} as const

/** Whether no level of a page has this value. */
export const showsNone = (key: keyof typeof VALUES, { levels }: Pick<ServerFrame, 'levels'>): boolean =>
  levels.every((level) => VALUES[key](level) === undefined)

/** Notes of a file describe what is missing from it; those of a server are advice. */
export const notesOfFiles = (
  source: Pick<SourceInfo, 'kind'> | undefined,
  servers: Iterable<{ readonly notes?: readonly string[] | undefined }>,
): readonly string[] => (source?.kind === 'file' ? [...servers].flatMap(({ notes = [] }) => notes) : [])
