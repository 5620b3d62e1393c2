import { z } from 'zod'
import { ProblemError, toProblem, type Problem } from '../../../core/errors.ts'
import type { ClusterService, Through } from '../../../core/contract/prometheus.ts'
import { parseJson } from '../../../core/text/text.ts'
import type { ReviewContext } from '../../cluster/accessReview.ts'
import { createClusterApi } from '../../cluster/clusterApi.ts'
import { kubeconfigConnection } from '../../cluster/connection.ts'
import type { Consent } from '../../cluster/consent.ts'
import { getJson, getText, type Failed } from '../../cluster/http.ts'
import { ANY_VERSION } from '../../cluster/listObjects.ts'
import type { Environment } from '../../ports/environment.ts'
import { openPrometheus } from './api.ts'
import { findServers } from './servers.ts'

/** Names that charts and operators give in the labels of the services of a Prometheus, and of what answers as one. */
const NAMES =
  'prometheus,kube-prometheus-stack-prometheus,prometheus-server,thanos-query-frontend,thanos-query,thanos-querier,vmsingle,victoria-metrics-single'
/** The best first: the operator's own service, which has no address of its own, exists beside a better one. */
const SELECTORS = [`app.kubernetes.io/name in (${NAMES})`, `app in (${NAMES})`, 'operated-prometheus=true']
/** Names of services where the user may not watch them, in the order of their frequency. */
const USUAL = [
  'monitoring/prometheus-k8s',
  'monitoring/kube-prometheus-stack-prometheus',
  'monitoring/prometheus-operated',
  'monitoring/prometheus-server',
  'prometheus/prometheus-server',
  'monitoring/prometheus',
  'kube-system/prometheus',
]
const MOST_ASKED = 8

const ServiceSchema = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({
    ports: z
      .array(z.object({ name: z.string().optional(), port: z.number(), appProtocol: z.string().optional() }))
      .min(1),
  }),
})
const EventSchema = z.object({ type: z.enum(['ADDED', 'MODIFIED']), object: ServiceSchema })

/** `namespace/name:port`, with a scheme before the name where it is TLS: as paths of the API name it. */
const SERVICE = /^[\da-z-]+\/(?:https?:)?[\d.a-z-]+(?::[\w-]+)?$/

/**
 * The services of a cluster that answer queries about its API servers; `named`: this one, unasked. The API server passes
 * queries on as long-running requests, which occupy no seat. What finds the services occupies one at a time: short
 * watches, or single objects where the user may not watch. Rejects with `ProblemError`.
 */
export async function clusterServices(
  through: Through,
  named: string | undefined,
  { environment, consent }: { readonly environment: Environment; readonly consent: Consent },
): Promise<readonly ClusterService[]> {
  const now = (): number => environment.now()
  if (named !== undefined && !SERVICE.test(named)) {
    throw new ProblemError('invalid-input', `${JSON.stringify(named)} is not a service; write NAMESPACE/NAME:PORT.`)
  }
  const connection = await kubeconfigConnection({ kind: 'kubeconfig', ...through }, now, { consent, env: process.env })
  try {
    const api = createClusterApi(connection)
    if (api === undefined) throw new Error('a kubeconfig has an API server')
    const addressOf = (service: string): ClusterService => {
      const [namespace, name] = service.split('/')
      return { service, url: `${api.first}/api/v1/namespaces/${namespace}/services/${name}/proxy` }
    }
    if (named !== undefined) return [addressOf(named)]
    const listed = await api.ask(labelled)
    const found = listed.ok ? listed : await api.ask(usual)
    if (!found.ok) throw ProblemError.of(found.problem)
    const refusals: string[] = []
    const answering: ClusterService[] = []
    for (const service of found.services.slice(0, MOST_ASKED)) {
      const one = addressOf(service)
      const problem = await problemOf({ through, url: one.url }, now, consent)
      if (problem === undefined) answering.push(one)
      else refusals.push(problem.message)
    }
    if (answering.length > 0) return answering
    const why =
      refusals.length > 0 ? refusals : [listed.ok ? 'No service has the usual labels.' : listed.problem.message]
    throw new ProblemError(
      'not-found',
      `No Prometheus of ${connection.name} answers. ${why.join(' ')} To name its service, write cluster:NAMESPACE/NAME:PORT.`,
    )
  } finally {
    connection.close()
  }
}

async function problemOf(
  target: { readonly through: Through; readonly url: string },
  now: () => number,
  consent: Consent,
): Promise<Problem | undefined> {
  try {
    const api = await openPrometheus(target, now, consent)
    try {
      const found = await findServers(api, target, new AbortController().signal)
      return found.ok ? undefined : found.problem
    } finally {
      api.close()
    }
  } catch (error) {
    return toProblem(error)
  }
}

type Found = { readonly ok: true; readonly services: readonly string[] }

/** Services by their labels. A watch costs one seat, however many services there are; a list may cost ten. */
async function labelled({ base, settings }: ReviewContext): Promise<Found | Failed> {
  const found = new Set<string>()
  for (const labelSelector of SELECTORS) {
    const query = { watch: 'true', resourceVersion: ANY_VERSION, timeoutSeconds: '1', labelSelector }
    const url = new URL(`${base}/api/v1/services?${new URLSearchParams(query).toString()}`)
    const answer = await getText({ url, settings, accept: 'application/json' })
    if (!answer.ok) return answer
    for (const line of answer.value.split('\n')) {
      const event = EventSchema.safeParse(parseJson(line)).data
      if (event !== undefined) found.add(serviceOf(event.object))
    }
  }
  return { ok: true, services: [...found] }
}

/** Those of the usual names that exist and that the user may read. */
async function usual({ base, settings }: ReviewContext): Promise<Found | Failed> {
  const services: string[] = []
  for (const place of USUAL) {
    const [namespace, name] = place.split('/')
    const answer = await getJson({ url: new URL(`${base}/api/v1/namespaces/${namespace}/services/${name}`), settings })
    if (!answer.ok && answer.status !== 403 && answer.status !== 404) return answer
    const service = answer.ok ? ServiceSchema.safeParse(answer.value).data : undefined
    if (service !== undefined) services.push(serviceOf(service))
  }
  return { ok: true, services }
}

const PORTS = /^(?:https?-)?(?:web|http|https|query|prometheus)$/

function serviceOf({ metadata: { namespace, name }, spec: { ports } }: z.infer<typeof ServiceSchema>): string {
  const port = ports.find((one) => PORTS.test(one.name ?? '')) ?? ports[0]
  const { name: portName = '', appProtocol = '' } = port ?? {}
  const isSecure = portName.startsWith('https') || appProtocol === 'https' || port?.port === 443
  return `${namespace}/${isSecure ? 'https:' : ''}${name}:${portName || port?.port}`
}
