import { createHash } from 'node:crypto'
import { Agent, request } from 'node:https'
import { z } from 'zod'
import { FlowSchemaSchema, PriorityLevelConfigurationSchema } from '../../core/config/schema.ts'
import { ProxySpecSchema, type ProxySpec } from '../../core/contract/live.ts'
import type { LiveRun } from '../../main/live/liveRun.ts'
import { openProxy } from '../../main/proxy/open.ts'
import { selfSigned } from '../harness/hostileServerCertificates.ts'
import { liveRun } from '../harness/proxied.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN } from './identities.ts'
import { allNamed } from '../harness/consent.ts'

/** A proxy in front of the cluster, as a cluster of its own: the same users, another address. */
export interface ProxiedCluster {
  readonly run: LiveRun
  /** For the load generator: through the proxy, over TLS. */
  readonly cluster: Cluster
  close(): Promise<void>
}

const API = '/apis/flowcontrol.apiserver.k8s.io/v1'
const ListSchema = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) })
const NamedSchema = z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) })

export async function proxyOf(
  cluster: Cluster,
  { seats, mutating }: { readonly seats: number; readonly mutating: number },
  identity: ProxySpec['identity'] = 'token',
): Promise<ProxiedCluster> {
  const read = async (resource: string): Promise<unknown> =>
    JSON.parse((await cluster.call(`${API}/${resource}`, ADMIN)).body)
  const [levels, schemas] = await Promise.all([read('prioritylevelconfigurations'), read('flowschemas')])
  const names = new Map(
    [levels, schemas].flatMap((list) =>
      ListSchema(NamedSchema)
        .parse(list)
        .items.map(({ metadata: { name, uid } }) => [uid, name] as const),
    ),
  )
  const objects = {
    levels: ListSchema(PriorityLevelConfigurationSchema).parse(levels).items,
    schemas: ListSchema(FlowSchemaSchema).parse(schemas).items,
  }
  const run = liveRun(seats, objects, mutating)
  const tls = selfSigned({ name: 'localhost', dns: ['localhost'], ips: ['127.0.0.1'] })
  const spec = ProxySpecSchema.parse({
    kind: 'proxy',
    upstream: { kind: 'kubeconfig', file: cluster.kubeconfig },
    identity,
  })
  const nameOf = (uid: string): string | undefined => names.get(uid)
  const proxy = await openProxy(spec, {
    run,
    names: { level: nameOf, schema: nameOf },
    now: Date.now,
    consent: allNamed,
    env: process.env,
    listen: { tls },
  })
  return {
    run,
    cluster: { ...cluster, url: proxy.url, ca: Buffer.from(tls.cert) },
    async close() {
      await proxy.close()
      run.close()
    },
  }
}

export interface Heard {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: number
  /** SHA-256 of the body. */
  readonly sum: string
  readonly body: string
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Keep the body, too. */
  readonly keep?: boolean
}

/** A plain client of one address, with connections of its own. */
export function clientOf({ url, ca, identity }: Pick<Cluster, 'url' | 'ca' | 'identity'>) {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  return {
    agent,
    ask: (path: string, as: string, { method = 'GET', headers = {}, body, keep = false }: Ask = {}): Promise<Heard> =>
      new Promise((resolve, reject) => {
        const sent = request(
          url + path,
          {
            agent,
            method,
            headers: {
              Authorization: `Bearer ${identity(as).token}`,
              ...(body !== undefined && {
                'Content-Type': 'application/json',
                'Content-Length': String(Buffer.byteLength(body)),
              }),
              ...headers,
            },
          },
          (answer) => {
            const hash = createHash('sha256')
            const pieces: Buffer[] = []
            let bytes = 0
            answer.on('data', (piece: Buffer) => {
              hash.update(piece)
              bytes += piece.length
              if (keep) pieces.push(piece)
            })
            answer.on('end', () =>
              resolve({
                status: answer.statusCode ?? 0,
                headers: answer.headers,
                bytes,
                sum: hash.digest('hex'),
                body: Buffer.concat(pieces).toString(),
              }),
            )
            answer.on('error', reject)
          },
        )
        sent.on('error', reject)
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}
