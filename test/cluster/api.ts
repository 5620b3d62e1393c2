import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface Call {
  readonly method?: string
  readonly body?: string
  readonly contentType?: string
}

/** One keep-alive client of the API server that trusts the cluster's CA. */
export interface Api {
  call(path: string, token: string, call?: Call): Promise<Answer>
  /** Server-side apply of every document of a manifest file; throws with the server's words. */
  apply(manifest: string, token: string): Promise<void>
  close(): void
}

const ObjectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
})

/** Kinds that the manifests of this folder use, with their resource names. */
const resources: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  FlowSchema: 'flowschemas',
  PriorityLevelConfiguration: 'prioritylevelconfigurations',
}

export function createApi(base: string, ca: Buffer): Api {
  const agent = new Agent({ ca, keepAlive: true })
  const call = (path: string, token: string, options: Call = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'user-agent': 'apf-cluster-tests',
        ...(options.body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
      }
      const sent = request(
        base + path,
        { agent, method: options.method ?? 'GET', headers, timeout: 30_000 },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
          )
          response.on('error', reject)
        },
      )
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${path} within 30 s`)))
      sent.on('error', reject)
      sent.end(options.body)
    })
  const applyOne = async (document: unknown, token: string): Promise<void> => {
    const object = ObjectSchema.parse(document)
    const resource = resources[object.kind]
    if (resource === undefined) throw new Error(`no path known for kind ${object.kind}`)
    const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`
    const path = `${root}/${resource}/${object.metadata.name}?fieldManager=apf-cluster-tests&force=true`
    const body = JSON.stringify(document)
    const answer = await call(path, token, { method: 'PATCH', body, contentType: 'application/apply-patch+yaml' })
    if (answer.status >= 300)
      throw new Error(`apply ${object.kind} ${object.metadata.name}: ${answer.status} ${answer.body}`)
  }
  return {
    call,
    apply: async (manifest, token) => {
      for (const document of parseAllDocuments(await readFile(manifest, 'utf8'))) await applyOne(document.toJS(), token)
    },
    close: () => agent.destroy(),
  }
}
