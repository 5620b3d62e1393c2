import { toProblem } from '../../core/errors.ts'
import type { Kind } from '../../core/config/objects.ts'
import { statisticsKey } from '../../core/engine/workEstimator.ts'
import { FLOW_CONTROL_GROUP, type FlowControlResource, type ReviewContext } from './accessReview.ts'
import type { Connection } from './connection.ts'
import type { Failed } from './http.ts'

/** The API of one cluster, served by one or several servers. */
export interface ClusterApi {
  readonly servers: number
  /** Where the API of the first server begins. */
  readonly first: string
  /**
   * Sends the request to the current server. If it does not answer, the next server becomes the current one. If the
   * credentials are refused, they are read anew and the request, which was not carried out, is sent once more.
   */
  ask<T extends { readonly ok: true }>(request: (context: ReviewContext) => Promise<T | Failed>): Promise<T | Failed>
}

/** `undefined` when no address at which an API begins is available for the connection. */
export function createClusterApi(connection: Connection): ClusterApi | undefined {
  const servers = connection.servers.flatMap((server) =>
    server.base === undefined ? [] : [{ server, base: server.base }],
  )
  const [first] = servers
  if (first === undefined) return undefined
  let turn = 0
  return {
    servers: servers.length,
    first: first.base,
    async ask(request) {
      const mine = turn
      const { server, base } = servers[mine % servers.length] ?? first
      const once = async () => request({ base, settings: await connection.settings(server) })
      try {
        const answer = await once()
        if (answer.ok) return answer
        if (answer.status === 401) {
          connection.renew()
          return await once()
        }
        if (answer.status === undefined && answer.problem.code !== 'cancelled' && turn === mine) turn++
        return answer
      } catch (error) {
        return { ok: false, problem: toProblem(error) }
      }
    },
  }
}

/** Tries every server at most once, until one answers, even with a refusal. Only for requests that change nothing. */
export async function askAny<T extends { readonly ok: true }>(
  api: ClusterApi,
  request: (context: ReviewContext) => Promise<T | Failed>,
): Promise<T | Failed> {
  for (let left = api.servers; ; left--) {
    const answer = await api.ask(request)
    if (answer.ok || answer.status !== undefined || left <= 1) return answer
  }
}

const RESOURCES: Readonly<Record<Kind, FlowControlResource>> = {
  FlowSchema: 'flowschemas',
  PriorityLevelConfiguration: 'prioritylevelconfigurations',
}

/** The name under which the server counts the objects of a kind. */
export const countedAs = (kind: Kind): string =>
  statisticsKey({ resource: RESOURCES[kind], apiGroup: FLOW_CONTROL_GROUP })

export function collectionUrl(base: string, kind: Kind, query: Readonly<Record<string, string>> = {}): URL {
  return withQuery(`${base}/apis/${FLOW_CONTROL_GROUP}/v1/${RESOURCES[kind]}`, query)
}

/** The URL of one object; its name must be a valid path segment (`isPathSegment`). */
export function objectUrl(base: string, kind: Kind, name: string, query: Readonly<Record<string, string>> = {}): URL {
  const address = `${base}/apis/${FLOW_CONTROL_GROUP}/v1/${RESOURCES[kind]}/${encodeURIComponent(name)}`
  return withQuery(address, query)
}

function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address)
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
  return url
}
