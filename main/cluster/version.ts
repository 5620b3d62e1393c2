/** The gitVersion of a reply of /version. */
export function gitVersion(reply: unknown): string | undefined {
  if (typeof reply !== 'object' || reply === null || !('gitVersion' in reply)) return undefined
  return typeof reply.gitVersion === 'string' ? reply.gitVersion : undefined
}
