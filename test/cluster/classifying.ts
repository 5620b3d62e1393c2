import { Agent, request as httpsRequest } from 'node:https'
import fc from 'fast-check'
import { expect } from 'vitest'
import { explainer } from '../../core/classify/explain.ts'
import { impersonatedGroups } from '../../core/classify/identity.ts'
import type { FlowSchema, ObjectSet } from '../../core/config/objects.ts'
import type { RequestSample } from '../../core/contract/objects.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { flowUids, type FlowUids } from '../../main/cluster/ownFlow.ts'
import { flowSchemaManifest, requestLine, sender, type Sender } from './classifyArbitraries.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN, CRAWLER, NODE, OPERATOR, SCHEDULER, VIEWER } from './identities.ts'
import { allNamed } from '../harness/consent.ts'

const SCHEMAS = 40
/** Requests at a time: fewer than the server has seats. */
export const AT_ONCE = 6
const SETTLE_MS = 60_000
/** Of everything that writes. */
const BODY = '{}'

/** Users with a token, with the groups of the server's token file. */
const KNOWN = [ADMIN, VIEWER, 'alice', CRAWLER, OPERATOR, SCHEDULER, NODE] as const

interface Sent {
  readonly sample: RequestSample
  readonly uids: FlowUids | undefined
}

/** Random flow schemas on the server, and all its objects once it has applied them. */
export async function putRandomSchemas(cluster: Cluster, seed: number): Promise<ObjectSet> {
  for (const [index, manifest] of fc.sample(flowSchemaManifest, { seed, numRuns: SCHEMAS }).entries()) {
    const name = `random-${index}`
    const object = { ...manifest, metadata: { name } }
    const path = `/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/${name}?fieldManager=apf-cluster-tests`
    const body = JSON.stringify(object)
    const { status, body: answer } = await cluster.call(path, ADMIN, {
      method: 'PATCH',
      body,
      contentType: 'application/apply-patch+yaml',
    })
    if (status >= 300) throw new Error(`${body}: ${status} ${answer}`)
  }
  return settledObjects(cluster)
}

/** Sends random requests and expects our schema and level of each to be those that the headers of the answer name. */
export async function expectSameFlows(
  cluster: Cluster,
  objects: ObjectSet,
  { seed, requests }: { readonly seed: number; readonly requests: number },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const whoAndWhat = fc.sample(fc.tuple(fc.constantFrom(...KNOWN, undefined, undefined), sender, requestLine), {
    seed,
    numRuns: requests,
  })
  const explain = explainer(objects, { version: cluster.version })
  const sent = await inTurns(whoAndWhat, ([known, stranger, line]) =>
    send(cluster, agent, known === undefined ? stranger : known, line),
  ).finally(() => agent.destroy())
  const wrong = sent.flatMap(({ sample, uids }) => {
    const answer = explain(sample)
    const ours = answer.ok
      ? { schema: answer.classification.uids.flowSchema, level: answer.classification.uids.priorityLevel }
      : undefined
    const same = ours?.schema === uids?.schema && ours?.level === uids?.level && uids !== undefined
    return same ? [] : [{ sample, ours, uids }]
  })
  expect(wrong, `seed ${seed}`).toEqual([])
  expect(sent).toHaveLength(requests)
  // Otherwise the schemas were such that nothing was tested.
  expect(new Set(sent.map(({ uids }) => uids?.schema)).size).toBeGreaterThan(8)
}

/** The objects once the conditions of every schema show that the server has applied it. */
async function settledObjects(cluster: Cluster): Promise<ObjectSet> {
  const isTaken = ({ metadata, status }: FlowSchema): boolean =>
    !metadata.name.startsWith('random-') || (status?.conditions ?? []).some(({ type }) => type === 'Dangling')
  const deadline = Date.now() + SETTLE_MS
  while (Date.now() < deadline) {
    const { objects } = await readClusterObjects({ kind: 'kubeconfig', file: cluster.kubeconfig }, allNamed)
    if (objects.schemas.length >= SCHEMAS && objects.schemas.every(isTaken)) {
      // The condition is written while the new order is made.
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      return objects
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error('the server has not taken over the flow schemas')
}

export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const rest = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

/** Sends as a user with a token, or impersonates another one; only the headers of the response are read. */
export function send(
  cluster: Cluster,
  agent: Agent,
  who: string | Sender,
  [method, url]: readonly [method: string, url: string],
): Promise<Sent> {
  const identity = cluster.identity(typeof who === 'string' ? who : ADMIN)
  const impersonation: Record<string, string | string[]> =
    typeof who === 'string'
      ? {}
      : { 'Impersonate-User': who.user, ...(who.groups.length > 0 && { 'Impersonate-Group': [...who.groups] }) }
  const groups =
    typeof who === 'string' ? [...identity.groups, 'system:authenticated'] : impersonatedGroups(who.user, who.groups)
  const sample = { user: typeof who === 'string' ? who : who.user, groups: [...groups], method, url }
  return new Promise((resolve, reject) => {
    const writes = method !== 'GET' && method !== 'HEAD'
    const sent = httpsRequest(
      cluster.url + url,
      {
        agent,
        ca: cluster.ca,
        method,
        headers: {
          authorization: `Bearer ${identity.token}`,
          ...impersonation,
          // Node does not send the length of a body of DELETE by itself.
          ...(writes && {
            'content-length': BODY.length,
            'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
          }),
        },
        timeout: 30_000,
      },
      (response) => {
        response.resume()
        response.once('end', () => resolve({ sample, uids: flowUids(response.headers) }))
        response.once('error', reject)
      },
    )
    sent.once('timeout', () => sent.destroy(new Error(`no answer to ${method} ${url} within 30 s`)))
    sent.once('error', (cause) => reject(new Error(`${sample.user}: ${method} ${url}`, { cause })))
    sent.end(writes ? BODY : undefined)
  })
}
