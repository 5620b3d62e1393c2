import type { ServerFrame, SourceInfo } from './frame.ts'

/** Which of these families a page lacks, although its version has them. */
export const lacking = ({ missing }: Pick<ServerFrame, 'missing'>, families: readonly string[]): readonly string[] =>
  families.filter((name) => missing.some(({ family, reason }) => family === name && reason === 'not-exposed'))

/** Notes of a file describe what is missing from it; those of a server are advice. */
export const notesOfFiles = (
  source: Pick<SourceInfo, 'kind'> | undefined,
  servers: Iterable<{ readonly notes?: readonly string[] | undefined }>,
): readonly string[] => (source?.kind === 'file' ? [...servers].flatMap(({ notes = [] }) => notes) : [])
