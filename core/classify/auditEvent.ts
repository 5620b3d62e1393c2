import { z } from 'zod'
import { type PartialRequest, type Unreadable, parseJson, pathOf } from './partialRequest.ts'
import { methodOfVerb } from './requestFields.ts'

const UserSchema = z.looseObject({ username: z.string(), groups: z.array(z.string()).optional() })

/** What matters of audit.k8s.io/v1 Event. */
const EventSchema = z.looseObject({
  requestURI: z.string(),
  verb: z.string().min(1),
  user: UserSchema,
  impersonatedUser: UserSchema.optional(),
})
const ListSchema = z.looseObject({ items: z.array(z.unknown()).min(1) })

/** Reads an audit event, or the first one of a list or of several lines. */
export function readAuditEvent(text: string): PartialRequest | Unreadable {
  const value = parseJson(text) ?? parseJson(text.split('\n', 1)[0] ?? '')
  if (value === undefined) return { problem: 'The text begins like JSON and is none.' }
  const list = ListSchema.safeParse(value)
  const all: readonly unknown[] = list.success ? list.data.items : Array.isArray(value) ? value : [value]
  const event = EventSchema.safeParse(all[0])
  if (!event.success) {
    return { problem: 'The JSON is no audit event of version v1: it needs requestURI, verb and user.username.' }
  }
  const { requestURI, verb, user, impersonatedUser } = event.data
  const url = pathOf(requestURI)
  if (url === undefined) return { problem: `The requestURI of the audit event is no path: ${requestURI}` }
  const { username, groups } = impersonatedUser ?? user
  return {
    method: methodOfVerb(verb),
    url,
    user: username,
    ...(groups === undefined ? {} : { groups }),
    notes: [
      ...(all.length > 1 ? ['The text holds several events; this is the first.'] : []),
      ...(impersonatedUser === undefined
        ? []
        : [`${user.username} impersonates ${username}; flow schemas see only the latter.`]),
    ],
  }
}
