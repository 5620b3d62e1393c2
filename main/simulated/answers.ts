import type { FlowSchema, PriorityLevelConfiguration } from '../../core/config/objects.ts'
import { dumpPriorityLevels, dumpQueues, dumpRequests } from '../../core/engine/debugDumps.ts'
import { parseKubernetesVersion } from '../../core/metrics/version.ts'
import { NS_PER_MS } from '../../core/units.ts'
import type { SimulatedApiServer } from '../ports/source.ts'
import { metricsPage } from './metricsPage.ts'

export interface HttpAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

const GROUP_VERSION = 'flowcontrol.apiserver.k8s.io/v1'
const KINDS = {
  flowschemas: 'FlowSchema',
  prioritylevelconfigurations: 'PriorityLevelConfiguration',
} as const
export type Plural = keyof typeof KINDS
const isPlural = (text: string): text is Plural => Object.hasOwn(KINDS, text)

const text = (body: string): HttpAnswer => ({ status: 200, contentType: 'text/plain; charset=utf-8', body })
const json = (value: unknown, status = 200): HttpAnswer => ({
  status,
  contentType: 'application/json',
  body: `${JSON.stringify(value, undefined, 2)}\n`,
})

/** What the simulated server answers to a GET; what it does not have is a Status of 404, as on a real one. */
export async function answerTo(server: SimulatedApiServer, path: string, query: URLSearchParams): Promise<HttpAnswer> {
  switch (path) {
    case '/metrics':
      return { status: 200, ...(await metricsPage(server)) }
    case '/version':
      return json(versionOf(server))
    case '/debug/api_priority_and_fairness/dump_priority_levels':
      return text(dumpPriorityLevels(server.engine.dump().levels))
    case '/debug/api_priority_and_fairness/dump_queues':
      return text(dumpQueues(server.engine.dump().queues))
    case '/debug/api_priority_and_fairness/dump_requests':
      return text(requestsText(server, (query.get('includeRequestDetails') ?? '') !== ''))
    default:
      return objectAnswer(server, path) ?? failure(404, 'NotFound', 'the server could not find the requested resource')
  }
}

function versionOf({ version }: SimulatedApiServer) {
  const parsed = parseKubernetesVersion(version)
  return { major: String(parsed?.major ?? ''), minor: String(parsed?.minor ?? ''), gitVersion: version }
}

const requestsText = ({ engine, startUnixMs }: SimulatedApiServer, details: boolean): string =>
  dumpRequests(engine.dump().requests, {
    describe: ({ lane, flow, payload }) => ({
      flowSchema: lane.schema,
      distinguisher: flow?.distinguisher ?? '',
      user: payload.user.name,
      info: payload.info,
    }),
    startUnixNs: BigInt(Math.round(startUnixMs)) * BigInt(NS_PER_MS),
    details,
  })

/** Lists and single objects of the two flow-control kinds; `undefined` for any other address. */
function objectAnswer(server: SimulatedApiServer, path: string): HttpAnswer | undefined {
  const [prefix, plural = '', name, ...more] = splitObjectPath(path)
  if (prefix === undefined || !isPlural(plural) || more.length > 0) return undefined
  const objects = objectsOf(server, plural)
  if (name === undefined) {
    return json({
      kind: `${KINDS[plural]}List`,
      apiVersion: GROUP_VERSION,
      metadata: { resourceVersion: server.objects.resourceVersion },
      items: objects,
    })
  }
  const found = objects.find(({ metadata }) => metadata.name === name)
  if (found !== undefined) return json({ kind: KINDS[plural], apiVersion: GROUP_VERSION, ...found })
  return failure(404, 'NotFound', `${plural}.flowcontrol.apiserver.k8s.io "${name}" not found`)
}

function splitObjectPath(path: string): readonly (string | undefined)[] {
  const prefix = `/apis/${GROUP_VERSION}/`
  return path.startsWith(prefix) ? [prefix, ...path.slice(prefix.length).split('/')] : []
}

function objectsOf({ objects, startUnixMs }: SimulatedApiServer, plural: Plural) {
  const held: readonly (FlowSchema | PriorityLevelConfiguration)[] =
    plural === 'flowschemas' ? objects.objects.schemas : objects.objects.levels
  const creationTimestamp = new Date(startUnixMs).toISOString().replace(/\.\d+Z$/, 'Z')
  return held.map((object) => ({ ...object, metadata: { creationTimestamp, ...object.metadata } }))
}

/** The kind that an address lists. */
export function listedKind(path: string): Plural | undefined {
  const [prefix, plural = '', ...more] = splitObjectPath(path)
  return prefix !== undefined && isPlural(plural) && more.length === 0 ? plural : undefined
}

/** All objects of a kind, each complete, by name. */
export function objectsByName(server: SimulatedApiServer, plural: Plural) {
  const typed = objectsOf(server, plural).map((object) => ({
    kind: KINDS[plural],
    apiVersion: GROUP_VERSION,
    ...object,
  }))
  return new Map(typed.map((object) => [object.metadata.name, object]))
}

/** A failure as the API tells it. */
export const failure = (code: number, reason: string, message: string): HttpAnswer =>
  json({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }, code)
