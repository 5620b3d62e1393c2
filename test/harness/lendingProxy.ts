import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { tmpdir } from 'node:os'
import { ProxySpecSchema, type ProxySpec } from '../../core/contract/live.ts'
import { openReached } from '../../main/proxy/openReached.ts'
import { allNamed } from './consent.ts'
import { liveRun, portOf, upstreamServer, type Cleanups } from './proxied.ts'

const REVIEW = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
/** The content of the kubeconfig of the proxy. */
export const OWN = 'Bearer own-token'

/**
 * A proxy with the credentials of an administrator, opened as the console opens it, in front of a recording API server.
 */
export async function lendingProxy(cleanups: Cleanups, given: Partial<ProxySpec> = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'apf-lending-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const seen: IncomingMessage[] = []
  const server = await upstreamServer(cleanups, (request, response) => {
    request.resume()
    if (request.url !== REVIEW) {
      seen.push(request)
      // Cookies and CORS of the upstream must not reach any client, either.
      return void response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'upstream=1' }).end('SECRET')
    }
    const userInfo = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
    response.writeHead(201, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ kind: 'SelfSubjectReview', status: { userInfo } }))
  })
  const file = path.join(folder, 'kubeconfig')
  const kubeconfig = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${portOf(server)}` } }],
    users: [{ name: 'u', user: { token: OWN.replace('Bearer ', '') } }],
  }
  await writeFile(file, JSON.stringify(kubeconfig))
  const run = liveRun(600)
  const spec = ProxySpecSchema.parse({ kind: 'proxy', upstream: { kind: 'kubeconfig', file }, ...given })
  const proxy = await openReached(spec, {
    upstream: 'here',
    folder,
    run,
    names: { level: () => undefined, schema: () => undefined },
    now: Date.now,
    env: {},
    consent: allNamed,
  })
  cleanups.push(
    () => run.close(),
    () => proxy.close(),
  )
  return {
    seen,
    proxy,
    run,
    /** The credentials that clients need. */
    token: async () => (await readFile(path.join(folder, 'here', 'token'), 'utf8')).trim(),
  }
}

/** Headers of a request that carry its identity, as they arrived. */
export const identityOf = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string[] =>
  rawHeaders.filter((_, i) => /^(?:impersonate-|x-remote-|authorization$)/i.test(rawHeaders[i - (i % 2)] ?? ''))
