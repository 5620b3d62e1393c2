import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nothingHeld } from '../harness/proxied.ts'
import { cacheFolder, DEFAULT_VERSION } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN } from './identities.ts'
import { type ProxiedCluster, proxyOf } from './proxied.ts'
import { noCluster, useCluster } from './suite.ts'

const SMALL = { maxInflight: 20, maxMutatingInflight: 10 }
const CONFIG_MAPS = '/api/v1/namespaces/batch/configmaps'
/** Of one answer and the next they differ by nature, and of two connections. */
const OF_THE_MOMENT = /^(?:date|audit-id|connection|keep-alive)$/i

/** What a client could distinguish the proxy from the server by, if both have the same limits. */
/** Without what one answer and the next may differ in by nature: the second of a review, and the version of a list. */
const timeless = (text: string | undefined): string | undefined =>
  text
    ?.replace(/("SelfSubjectReview",[^]*?"creationTimestamp": )"[^"]*"/, '$1""')
    .replace(/("NamespaceList",[^]*?"resourceVersion":)"\d+"/, '$1""')

describe.skipIf(noCluster)('the proxy and the server', () => {
  const cluster = useCluster(SMALL)
  let proxy: ProxiedCluster | undefined
  beforeAll(async () => {
    proxy = await proxyOf(cluster(), { seats: SMALL.maxInflight, mutating: SMALL.maxMutatingInflight })
  })
  afterAll(() => proxy?.close())
  const both = (): readonly Cluster[] => [cluster(), ...(proxy === undefined ? [] : [proxy.cluster])]

  it('refuse in the same words and with the same headers', async () => {
    const refusals: unknown[] = []
    for (const server of both()) {
      const held = Array.from({ length: 12 }, () => heldBack(server))
      await sleep(500)
      refusals.push(await refused(server))
      held.forEach((one) => one.destroy())
      await sleep(200)
    }
    expect(refusals[0]).toMatchObject({ status: 429, body: 'Too many requests, please try again later.\n' })
    expect(refusals[1]).toEqual(refusals[0])
    if (proxy !== undefined) await nothingHeld(proxy.run, 10_000)
  })

  const kubectl = path.join(cacheFolder(DEFAULT_VERSION), 'kubectl')

  it.skipIf(!existsSync(kubectl))('are one and the same to kubectl, in success and in failure', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'apf-kubectl-'))
    const pod = path.join(folder, 'pod.json')
    await writeFile(
      pod,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p1' },
        spec: { automountServiceAccountToken: false, nodeName: 'none', containers: [{ name: 'c', image: 'x' }] },
      }),
    )
    const clients = await Promise.all(both().map((server, i) => environmentOf(server, path.join(folder, `${i}`))))
    const [direct, through] = clients.map(({ env, host }) => async (line: string): Promise<string> => {
      const ran = promisify(execFile)(kubectl, line.split(' '), { env, maxBuffer: 64 << 20 })
      const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error)
      return `${stdout}${stderr}`.replaceAll(host, 'the-server')
    })
    try {
      await direct?.(`apply -f ${pod}`)
      const lines = [
        'get namespaces -o name',
        'get pods -o wide --no-headers -o custom-columns=:.metadata.name,:.spec.nodeName',
        'get --raw /api/v1/namespaces/batch/pods/p1',
        'get --raw /apis?timeout=nonsense',
        'get --raw /nothing',
        'get --raw /openapi/v3',
        'get --raw /readyz?verbose',
        'get pods --as nobody-in-particular',
        'get pods --as system:serviceaccount:batch:writer --as-group x',
        'logs p1',
        'exec p1 -- ls',
        'attach p1',
        'port-forward p1 8080:80',
        `cp p1:/x ${folder}/x`,
        'explain pods.spec.containers',
        'api-resources',
        'api-versions',
        'auth can-i --list',
        'auth whoami -o json',
        'version -o json',
        'cluster-info',
        `apply --server-side --dry-run=server -f ${pod} -o name`,
        'wait --for=condition=Ready pod/p1 --timeout=1s',
        'rollout status deployment/none',
        'top pods',
        'delete pod p1 --grace-period=0 --force --dry-run=server',
        'delete pod p2',
      ]
      for (const line of lines) {
        const [own, servers] = await Promise.all([through?.(line), direct?.(line)])
        expect([line, timeless(own)]).toEqual([line, timeless(servers)])
        expect(own).not.toBe('')
      }
      await direct?.('delete pod p1 --grace-period=0 --force')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it.skipIf(!existsSync(kubectl))('can both stand behind kubectl proxy', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'apf-kubectl-'))
    const bodies: string[] = []
    try {
      for (const [i, server] of both().entries()) {
        const { env } = await environmentOf(server, path.join(folder, `${i}`))
        const child = spawn(kubectl, ['proxy', '--port=0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
        try {
          const [line] = (await once(child.stdout, 'data')) as [Buffer]
          const [address = ''] = /127\.0\.0\.1:\d+/.exec(line.toString()) ?? []
          const list = await fetch(`http://${address}/api/v1/namespaces`)
          const watch = await fetch(`http://${address}/api/v1/namespaces?watch=1&timeoutSeconds=1`)
          bodies.push(`${list.status} ${await list.text()} ${watch.status} ${await watch.text()}`)
        } finally {
          child.kill()
        }
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    expect(bodies[0]).toMatch(/^200 [^]* 200 \{"type":"ADDED"/)
    expect(timeless(bodies[1])).toBe(timeless(bodies[0]))
  })
})

/** What kubectl needs to use a server as its administrator, and the name of the server in its output. */
async function environmentOf(server: Cluster, folder: string) {
  await mkdir(folder)
  const { url, ca } = server
  const file = path.join(folder, 'kubeconfig')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c', namespace: 'batch' } }],
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca.toString('base64') } }],
    users: [{ name: 'c', user: { token: server.identity(ADMIN).token } }],
  }
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  const env = { ...process.env, KUBECONFIG: file, KUBECACHEDIR: path.join(folder, 'cache') }
  return { env, host: new URL(url).host }
}

/** Occupies a seat: the server reads the body inside the handler, and it does not come. */
function heldBack(server: Cluster) {
  const sent = request(`${server.url}${CONFIG_MAPS}?dryRun=All`, {
    ca: server.ca,
    agent: false,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${server.identity('alice').token}`,
      'Content-Type': 'application/json',
      'Content-Length': '1000',
    },
  })
  sent.on('error', () => undefined)
  sent.flushHeaders()
  return sent
}

/** A request that waits a quarter of a second and is refused then. */
function refused(server: Cluster): Promise<unknown> {
  const { url, ca } = server
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${server.identity('alice').token}`,
      Accept: 'application/json',
      'Audit-Id': 'given-by-the-client',
    }
    const sent = request(`${url}${CONFIG_MAPS}/none?timeout=1s`, { ca, agent: false, headers }, (answer) => {
      let body = ''
      answer.on('data', (piece: Buffer) => (body += piece.toString()))
      answer.on('end', () => {
        const { rawHeaders: raw, headers: own, statusCode: status } = answer
        const lasting = raw.flatMap((name, i) =>
          i % 2 === 0 && !OF_THE_MOMENT.test(name) ? [`${name}: ${raw[i + 1] ?? ''}`] : [],
        )
        resolve({ status, body, id: own['audit-id'], headers: lasting.toSorted() })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
