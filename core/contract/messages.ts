import { z } from 'zod'
import { parseJson } from '../text/text.ts'

const id = z.number().int().nonnegative()

/** From the calling side. `id` is chosen by it and unique among its open calls and subscriptions. */
export const RequestSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('call'), id, name: z.string(), input: z.unknown().optional() }),
  z.strictObject({ type: z.literal('subscribe'), id, name: z.string(), params: z.unknown().optional() }),
  /** One event was taken: the serving side may send another. */
  z.strictObject({ type: z.literal('ack'), id }),
  z.strictObject({ type: z.literal('unsubscribe'), id }),
])
export type Request = z.infer<typeof RequestSchema>

/** The message in `data`, or `undefined` when it is not one; never throws. */
export function decode<T>(schema: z.ZodType<T>, data: unknown, messageLength: number): T | undefined {
  if (typeof data !== 'string' || data.length > messageLength) return undefined
  const parsed = schema.safeParse(parseJson(data))
  return parsed.success ? parsed.data : undefined
}

/** The first error in a value, for people: `intervalMs: Too small: expected number to be >=500`. */
export function describeMismatch(error: z.ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return 'does not have the expected shape'
  const place = issue.path.map(String).join('.')
  return place === '' ? issue.message : `${place}: ${issue.message}`
}
