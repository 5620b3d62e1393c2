import type { User } from '../request/match.ts'
import { identityOf } from '../classify/identity.ts'
import { methodOfVerb } from '../classify/requestFields.ts'
import { type JsonObject, isJsonObject } from '../config/jsonValues.ts'
import { readRequestLine, isLongRunning } from '../request/requestInfo.ts'
import { keptText, MOST_CHARACTERS } from '../run/keptText.ts'
import { parseGoDuration, parseGoTime, asText } from '../text/text.ts'
import { CLOUD_AUDIT } from './envelopes.ts'
import { type FeedRecord, type FeedStage, quoted, unreadable } from './request.ts'

const STAGES: ReadonlyMap<unknown, FeedStage> = new Map([
  ['RequestReceived', 'received'],
  ['ResponseStarted', 'started'],
  ['ResponseComplete', 'complete'],
  ['Panic', 'panic'],
])
/** Written only for requests that took more than half a second, and for each of those (specification 5.8). */
const LATENCIES = 'apiserver.latency.k8s.io/'
const QUEUE_WAIT = `${LATENCIES}apf-queue-wait`
const WAIT_TOLD_FROM_MS = 500
/** Written for every request that reached authorization, which a server does after flow control. */
const AUTHORIZATION = 'authorization.k8s.io/decision'
const FORBIDDEN = 403
const UNAUTHORIZED = 401
const TOO_MANY = 429

const timeOf = (value: unknown): number | undefined => (typeof value === 'string' ? parseGoTime(value) : undefined)

/** An event of audit.k8s.io/v1; anything else is unreadable with a reason. */
export function readAuditEvent(event: unknown): FeedRecord {
  if (!isJsonObject(event)) return unreadable('An audit event is not a JSON object.')
  const { auditID, verb, requestURI } = event
  const stage = STAGES.get(event['stage'])
  if (typeof auditID !== 'string' || auditID === '') return unreadable('An audit event has no auditID.')
  if (stage === undefined) {
    return unreadable(`The audit event ${quoted(auditID)} has an unknown stage: ${quoted(asText(event['stage']))}.`)
  }
  if (typeof requestURI !== 'string' || typeof verb !== 'string') {
    return unreadable(`The audit event ${quoted(auditID)} has no requestURI or no verb.`)
  }
  const receivedMs = timeOf(event['requestReceivedTimestamp'])
  const endedMs = timeOf(event['stageTimestamp'])
  if (receivedMs === undefined || endedMs === undefined) {
    return unreadable(`The audit event ${quoted(auditID)} has no readable requestReceivedTimestamp or stageTimestamp.`)
  }
  // A server leaves the verb of a resource request empty if its method has none, such as OPTIONS.
  const line = readRequestLine(verb === '' ? 'OPTIONS' : methodOfVerb(verb), requestURI)
  if (line.ok && line.info.verb !== verb && !(verb === '' && !line.info.isResource)) {
    return unreadable(
      `The audit event ${quoted(auditID)} has the verb ${verb}, but a server reads ${quoted(requestURI)} as ${line.info.verb}.`,
    )
  }
  const status = statusOf(event['responseStatus'])
  const whose = userOf(event['impersonatedUser']) === undefined ? event['user'] : event['impersonatedUser']
  const user = userOf(whose)
  // Whoever takes part in flow control is somebody, also whoever has no credentials.
  if (user === undefined && line.ok && status !== UNAUTHORIZED)
    return unreadable(`The audit event ${quoted(auditID)} has no user, which decides its flow schema.`)
  const isWatch = line.ok && line.info.verb === 'watch'
  const waitMs = waitOf(event['annotations'])
  const stopped = stage === 'complete' && !hasAnnotation(event, AUTHORIZATION)
  const refused = stopped && status === TOO_MANY
  const isReduced = event[CLOUD_AUDIT] === true
  const ended = !refused && !isReduced && (isWatch ? stage === 'started' : stage === 'complete' || stage === 'panic')
  // Of a watch, and of a request that took no longer, only the sum of wait and execution is known.
  const inAllMs = Math.max(0, endedMs - receivedMs)
  const isLong = !isWatch && inAllMs > WAIT_TOLD_FROM_MS
  const isSplit = waitMs !== undefined || (isLong && hasLatencies(event))
  const lacks = [
    ...(isReduced ? ['cloud' as const] : hasGroups(whose) ? [] : ['groups' as const]),
    ...(isLong && ended && !isSplit ? ['latencies' as const] : []),
  ]
  return {
    kind: 'arrival',
    auditId: keptText(auditID, MOST_CHARACTERS.name),
    stage,
    user,
    client: clientOf(event),
    address: addressOf(event),
    verb,
    requestURI,
    line,
    isWatch,
    longRunning: line.ok && isLongRunning(line.info),
    receivedMs,
    endedMs,
    status,
    ...(ended ? durationsOf(inAllMs, isSplit, waitMs) : NO_DURATIONS),
    ...((ended || refused) && waitMs === undefined && { waitAtMostMs: isSplit ? 0 : inAllMs }),
    refused,
    ...(lacks.length > 0 && { lacks }),
    outside: outsideOf(line.ok ? undefined : line.problem, user, stopped && status === FORBIDDEN),
    server: waitMs === undefined ? undefined : { waitMs },
  }
}

const NO_DURATIONS = { executionMs: undefined, inAllMs: undefined }

/** A long request with latencies, and without a wait among them, did not wait. */
const durationsOf = (
  inAllMs: number,
  isSplit: boolean,
  waitMs = 0,
): { readonly executionMs: number | undefined; readonly inAllMs: number | undefined } =>
  isSplit ? { executionMs: Math.max(0, inAllMs - waitMs), inAllMs: undefined } : { executionMs: undefined, inAllMs }

function outsideOf(problem: string | undefined, user: User | undefined, forbidden: boolean): string | undefined {
  if (problem !== undefined) return `The server rejects it before flow control: ${problem}.`
  if (forbidden) return 'The user may not impersonate another, so the server rejects the request before flow control.'
  return user === undefined
    ? 'The server could not authenticate the client, so it rejects the request before flow control.'
    : undefined
}

function userOf(value: unknown): User | undefined {
  if (!isJsonObject(value)) return undefined
  const { username, groups } = value
  if (typeof username !== 'string' || username === '') return undefined
  // An authenticated user has at least one, so a list that is not there was left out.
  if (!Array.isArray(groups)) return { name: username, groups: identityOf(username).groups }
  return { name: username, groups: groups.filter((group) => typeof group === 'string') }
}

function statusOf(value: unknown): number | undefined {
  const code = isJsonObject(value) ? value['code'] : undefined
  return typeof code === 'number' ? code : undefined
}

const hasAnnotation = ({ annotations }: JsonObject, name: string): boolean =>
  isJsonObject(annotations) && annotations[name] !== undefined

const hasLatencies = ({ annotations }: JsonObject): boolean =>
  isJsonObject(annotations) && Object.keys(annotations).some((name) => name.startsWith(LATENCIES))

const hasGroups = (user: unknown): boolean => !isJsonObject(user) || Array.isArray(user['groups'])

function waitOf(annotations: unknown): number | undefined {
  const text = isJsonObject(annotations) ? annotations[QUEUE_WAIT] : undefined
  return typeof text === 'string' ? parseGoDuration(text) : undefined
}

/** The first of `sourceIPs` is the client, as reported by proxies. */
function addressOf({ sourceIPs }: JsonObject): string | undefined {
  const first = Array.isArray(sourceIPs) ? asText(sourceIPs[0]) : ''
  return first === '' ? undefined : keptText(first, MOST_CHARACTERS.name)
}

function clientOf({ userAgent, sourceIPs }: JsonObject): string {
  const [agent = ''] = asText(userAgent).split(' ', 1)
  return keptText(`${agent} at ${Array.isArray(sourceIPs) ? asText(sourceIPs[0]) : ''}`, MOST_CHARACTERS.name)
}
