import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { toProblem } from '../../core/errors.ts'
import {
  CAPABILITIES,
  type Capability,
  type CapabilityResult,
  type PermissionReport,
  type Target,
} from '../../core/contract/source.ts'
import {
  reviewSelf,
  userInRefusal,
  type ReviewContext,
  testObjects,
  type Finding,
  type ObjectAccess,
} from './accessReview.ts'
import { type Connection, type ServerAddress, openConnection } from './connection.ts'
import { send, type Failed, type RequestSettings, getJson, gitVersion } from './http.ts'
import { DUMPS_PATH } from '../../core/metrics/dumps.ts'
import { METRICS_LIMITS } from './httpProblems.ts'
import { flowUids, readOwnFlow, type OwnFlow, ownLevelYaml, roleYaml, type Grant } from './ownFlow.ts'
import type { Consent } from './consent.ts'

const KINDS = 'flowschemas, prioritylevelconfigurations'

/** What each capability shows, the request that it needs, and the grant for it. */
const TEXTS: Readonly<Record<Capability, { readonly label: string; readonly needs: string; readonly grant: Grant }>> = {
  version: { label: 'Version of the server', needs: 'GET /version', grant: 'version' },
  metrics: { label: 'Seats, limits, demand, waits and rejections', needs: 'GET /metrics', grant: 'metrics' },
  'dump-levels': { label: 'State of each level now', needs: `GET ${DUMPS_PATH}/dump_priority_levels`, grant: 'dumps' },
  'dump-queues': { label: 'Queues of each level', needs: `GET ${DUMPS_PATH}/dump_queues`, grant: 'dumps' },
  'dump-requests': { label: 'Single requests and flows', needs: `GET ${DUMPS_PATH}/dump_requests`, grant: 'dumps' },
  'list-objects': { label: 'Levels and schemas', needs: `list ${KINDS}`, grant: 'objects' },
  'watch-objects': { label: 'Live configuration changes', needs: `watch ${KINDS}`, grant: 'objects' },
  'dry-run': {
    label: 'Dry run of edits',
    needs: `create, update, patch ${KINDS} (dry run)`,
    grant: 'edit',
  },
  write: {
    label: 'Apply and undo edits',
    needs: `create, update, patch, delete ${KINDS}`,
    grant: 'edit',
  },
}

/** Whether the connection reaches the API of the cluster, or only metrics pages. */
export type Reach = 'cluster' | 'pages'

/**
 * What the credentials of a connection may do on one server, tested without side effects: pages are read up to their
 * first bytes, everything else is checked by access reviews, which the server answers and does not store.
 */
async function permissionReport(
  server: ServerAddress,
  connection: Connection,
  reach: Reach,
  now: () => number,
): Promise<PermissionReport> {
  const report = { server: server.id, checkedAt: new Date(now()).toISOString(), results: [] }
  let settings: RequestSettings
  try {
    settings = await connection.settings(server)
  } catch (error) {
    return { ...report, problem: toProblem(error) }
  }
  const metrics = await probe(server.metrics, settings)
  // Without a response, or with invalid credentials, the other checks would only repeat this.
  if (!metrics.ok && (metrics.failed.status === undefined || metrics.failed.status === 401)) {
    return { ...report, problem: metrics.failed.problem }
  }
  const pages = await testPages(server, settings, metrics)
  const refused = metrics.ok ? undefined : userInRefusal(metrics.failed.problem.details)
  const context = server.base === undefined ? undefined : { base: server.base, settings }
  const identity = context && (await reviewSelf(context))
  const user = identity?.user ?? refused
  // An API server at the address of a page reports the user; any other program does not.
  if (context === undefined || (reach === 'pages' && identity === undefined)) {
    const findings = { ...pages, ...NO_CLUSTER }
    const remedy = user === undefined ? {} : { user, ...remedies(user, findings, undefined, false) }
    return { ...report, results: results(findings), ...remedy }
  }
  const objects = await testObjects(context, user)
  const others = await otherServers(context)
  const flow = await ownFlow(context, metrics.headers, objects)
  const findings = {
    ...pages,
    ...objects,
    version: withNote(pages.version, others.length < 2 ? undefined : `API servers: ${others.join(', ')}`),
    metrics: withNote(
      pages.metrics,
      flow === undefined ? undefined : `in level ${flow.level} by schema ${flow.schema}`,
    ),
  }
  return {
    ...report,
    results: results(findings),
    ...(user === undefined ? {} : { user, ...remedies(user, findings, flow, flowUids(metrics.headers) !== undefined) }),
  }
}

type Findings = Readonly<Record<Capability, Finding>>

function results(findings: Findings): CapabilityResult[] {
  return CAPABILITIES.map((capability) => {
    const { label, needs } = TEXTS[capability]
    return { capability, label, needs, ...findings[capability] }
  })
}

const NO_CLUSTER: ObjectAccess = (() => {
  const finding = { status: 'not-applicable', found: 'no API server answers at this address' } as const
  return { 'list-objects': finding, 'watch-objects': finding, 'dry-run': finding, write: finding }
})()

type Probe = { readonly headers: IncomingHttpHeaders } & (
  { readonly ok: true; readonly ms: number } | { readonly ok: false; readonly failed: Failed }
)

/** Reads the first bytes of a page. A HEAD request would be another verb, which a role may not include. */
async function probe(url: URL, settings: RequestSettings): Promise<Probe> {
  const answer = await send({ url, settings, limits: METRICS_LIMITS }, () => 'enough')
  return answer.ok
    ? { ok: true, headers: answer.headers, ms: answer.ms }
    : { ok: false, headers: answer.headers ?? {}, failed: answer }
}

type PageFindings = Pick<Findings, 'version' | 'metrics' | 'dump-levels' | 'dump-queues' | 'dump-requests'>

async function testPages(server: ServerAddress, settings: RequestSettings, metrics: Probe): Promise<PageFindings> {
  const { base } = server
  if (base === undefined) {
    const unknown = {
      status: 'not-applicable',
      found: 'its address cannot be derived from that of the metrics',
    } as const
    return {
      version: unknown,
      metrics: pageFinding(metrics),
      'dump-levels': unknown,
      'dump-queues': unknown,
      'dump-requests': unknown,
    }
  }
  const dump = async (name: string) => pageFinding(await probe(new URL(`${base}${DUMPS_PATH}/${name}`), settings))
  return {
    version: await versionFinding(base, settings),
    metrics: pageFinding(metrics),
    'dump-levels': await dump('dump_priority_levels'),
    'dump-queues': await dump('dump_queues'),
    'dump-requests': await dump('dump_requests'),
  }
}

function pageFinding(page: Probe): Finding {
  return page.ok ? { status: 'allowed', found: `first bytes after ${Math.round(page.ms)} ms` } : failure(page.failed)
}

async function versionFinding(base: string, settings: RequestSettings): Promise<Finding> {
  const answer = await getJson({ url: new URL(`${base}/version`), settings })
  if (!answer.ok) return failure(answer)
  const version = gitVersion(answer.value)
  return version === undefined
    ? { status: 'failed', found: 'the response contains no version' }
    : { status: 'allowed', found: version }
}

function failure({ status, problem }: Failed): Finding {
  if (status === 403) {
    const user = userInRefusal(problem.details)
    return { status: 'forbidden', found: user === undefined ? '403' : `403 for user ${user}` }
  }
  return { status: 'failed', found: status === undefined ? problem.message : String(status) }
}

async function ownFlow(
  context: ReviewContext,
  headers: IncomingHttpHeaders,
  objects: ObjectAccess,
): Promise<OwnFlow | undefined> {
  const uids = flowUids(headers)
  if (uids === undefined || objects['list-objects'].status !== 'allowed') return undefined
  return readOwnFlow(context, uids)
}

function withNote(finding: Finding, note: string | undefined): Finding {
  return note === undefined ? finding : { ...finding, found: `${finding.found}; ${note}` }
}

const ANONYMOUS = 'system:anonymous'

/**
 * The missing role, and a level for the console. The right to edit is offered separately, and only to a user who can
 * read everything, so that nobody gets it by copying. Nothing is offered to anonymous users: it would be granted to all
 * clients.
 */
function remedies(
  user: string,
  findings: Findings,
  flow: OwnFlow | undefined,
  flowControlled: boolean,
): Pick<PermissionReport, 'missingRole' | 'editRole' | 'ownLevel'> {
  if (user === ANONYMOUS) return {}
  const missing = new Set(
    CAPABILITIES.filter((capability) => findings[capability].status === 'forbidden').map(
      (capability) => TEXTS[capability].grant,
    ),
  )
  const reads = [...missing].filter((grant) => grant !== 'edit')
  const ownNeeded = flowControlled && (flow === undefined || (flow.shared && !flow.exempt))
  return {
    ...(reads.length === 0 ? {} : { missingRole: roleYaml(user, reads) }),
    ...(reads.length === 0 && missing.has('edit') ? { editRole: roleYaml(user, ['edit']) } : {}),
    ...(ownNeeded ? { ownLevel: ownLevelYaml(user, flow) } : {}),
  }
}

const SliceSchema = z.object({
  endpoints: z.array(z.object({ addresses: z.array(z.string()) })).nullable(),
  ports: z.array(z.object({ name: z.string().optional(), port: z.number() })).nullable(),
})

/**
 * Addresses of the single API servers of a cluster, from its `kubernetes` service; empty when the user may not read
 * that. They are a suggestion: they may be unreachable from outside the cluster's network.
 */
async function otherServers({ base, settings }: ReviewContext): Promise<string[]> {
  const url = new URL(`${base}/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes`)
  const answer = await getJson({ url, settings })
  const slice = answer.ok ? SliceSchema.safeParse(answer.value) : undefined
  if (slice?.success !== true) return []
  const port = slice.data.ports?.[0]?.port ?? 443
  const addresses = (slice.data.endpoints ?? []).flatMap((endpoint) => endpoint.addresses)
  return addresses.map((address) => `https://${address.includes(':') ? `[${address}]` : address}:${port}`)
}

/** A report for each server of the target. Rejects with `ProblemError` when the target cannot be opened at all. */
export async function permissionReports(
  target: Target,
  consent: Consent,
  now: () => number = Date.now,
): Promise<PermissionReport[]> {
  const connection = await openConnection(target, now, { consent })
  const reach = target.kind === 'kubeconfig' ? 'cluster' : 'pages'
  try {
    return await Promise.all(connection.servers.map((server) => permissionReport(server, connection, reach, now)))
  } finally {
    connection.close()
  }
}
