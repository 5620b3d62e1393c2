import type { ServerFrame } from './frame.ts'

/** Which of these families a page lacks, although its version has them. */
export const lacking = ({ missing }: Pick<ServerFrame, 'missing'>, families: readonly string[]): readonly string[] =>
  families.filter((name) => missing.some(({ family, reason }) => family === name && reason === 'not-exposed'))
