import { z } from 'zod'
import { ProblemSchema } from '../problem.ts'

/**
 * A version in the format of semver.org: three numbers, a pre-release, and build metadata that does not affect the
 * order.
 */
const VERSION =
  /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?(?:\+[\dA-Za-z-.]+)?$/

/** The response of an update address: the newest version, and a link to its notes. */
export const ReleaseSchema = z.object({ version: z.string().max(64).regex(VERSION), url: z.string().max(2_000) })

export const UpdateStateSchema = z.discriminatedUnion('state', [
  /** No address is set: nothing was requested. */
  z.object({ state: z.literal('off') }),
  /** No newer version; `latest` is the one in the response. */
  z.object({ state: z.literal('current'), latest: z.string() }),
  z.object({ state: z.literal('newer'), version: z.string(), url: z.string() }),
  z.object({ state: z.literal('failed'), problem: ProblemSchema }),
])
export type UpdateState = z.infer<typeof UpdateStateSchema>

/** The last check: when, at which address, by which version, and its result. */
export const KeptUpdateSchema = z.object({
  /** Unix milliseconds. */
  at: z.number(),
  from: z.string(),
  by: z.string(),
  state: UpdateStateSchema,
})
export type KeptUpdate = z.infer<typeof KeptUpdateSchema>

/**
 * Whether a release is newer than the own version, in the order of semver.org. A pre-release counts only if the own
 * version is one. False if either is not a version.
 */
export function isNewer(release: string, own: string): boolean {
  const [theirs, ours] = [parts(release), parts(own)]
  if (theirs === undefined || ours === undefined) return false
  if (theirs.pre.length > 0 && ours.pre.length === 0) return false
  return compare(theirs, ours) > 0
}

interface Parts {
  readonly numbers: readonly number[]
  readonly pre: readonly string[]
}

function parts(version: string): Parts | undefined {
  const found = VERSION.exec(version)
  if (found === null) return undefined
  const [, major, minor, patch, pre] = found
  return { numbers: [major, minor, patch].map(Number), pre: pre?.split('.') ?? [] }
}

function compare(a: Parts, b: Parts): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0
    if (number !== other) return number - other
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (const [index, word] of a.pre.entries()) {
    const order = compareWords(word, b.pre[index])
    if (order !== 0) return order
  }
  return a.pre.length - b.pre.length
}

const NUMBER = /^\d+$/

/** Numbers precede words, and more words follow fewer. */
function compareWords(a: string, b: string | undefined): number {
  if (b === undefined) return 1
  const [isNumber, otherIs] = [NUMBER.test(a), NUMBER.test(b)]
  if (isNumber && otherIs) return Number(a) - Number(b)
  if (isNumber !== otherIs) return isNumber ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
