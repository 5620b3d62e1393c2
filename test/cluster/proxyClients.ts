import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { type LiveRequest, LiveRequestSchema } from '../../core/contract/live.ts'
import { type Running, startCommand } from '../harness/command.ts'
import { ensureController } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { type Controller, type ControllerOptions, startController } from './controller.ts'
import { ADMIN } from './identities.ts'

export const NAMESPACE = 'batch'
export const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`

const KubeconfigSchema = z.object({
  clusters: z.tuple([
    z.object({
      name: z.string(),
      cluster: z.looseObject({ server: z.url(), 'certificate-authority-data': z.base64().default('') }),
    }),
  ]),
})

export interface ProxyProcess {
  /** The kubeconfig that it writes for its clients. */
  readonly kubeconfig: string
  readonly url: string
  readonly ca: Buffer
  /** The requests that have ended. */
  rows(): readonly LiveRequest[]
}

/** Proxies and client-go clients for the present `describe`, which ends them all. */
export function useProxyClients(cluster: () => Cluster) {
  let binary: string
  let folder: string
  const proxies: Running[] = []
  const clients: Controller[] = []
  beforeAll(async () => {
    binary = await ensureController((line) => console.error(line))
    folder = await mkdtemp(path.join(tmpdir(), 'apf-clients-'))
    vi.stubEnv('APF_CONSOLE_STATE', path.join(folder, 'state'))
  })
  afterAll(async () => {
    const stopped = await Promise.allSettled(clients.map((client) => client.stop()))
    proxies.forEach((proxy) => proxy.interrupt())
    await Promise.all(proxies.map(({ ended }) => ended))
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
    expect(stopped.filter(({ status }) => status === 'rejected')).toEqual([])
  })
  /** Creates a ConfigMap and waits until every client has received it. */
  async function told(mark: string): Promise<void> {
    await change(cluster(), 'POST', mark, 'a mark')
    await vi.waitFor(() => {
      const untold = clients.filter((client) => client.history(`configmaps/${mark}`).length === 0)
      expect(untold.map(({ name }) => name)).toEqual([])
    }, 60_000)
  }
  const newFile = (): string => path.join(folder, `${randomUUID()}.kubeconfig`)

  return {
    clients: clients as readonly Controller[],
    /** Starts the command in front of the cluster. */
    async proxied(...args: readonly string[]): Promise<ProxyProcess> {
      const kubeconfig = newFile()
      const options = [
        '--kubeconfig',
        cluster().kubeconfig,
        '--client-kubeconfig',
        kubeconfig,
        '--mode',
        'enforce',
        '--json',
      ]
      const proxy = startCommand('proxy', ...options, ...args)
      proxies.push(proxy)
      await vi.waitFor(() => expect(proxy.told()).toContain('Try it: kubectl --kubeconfig'), 30_000)
      const { clusters } = KubeconfigSchema.parse(parse(await readFile(kubeconfig, 'utf8')))
      const { server, 'certificate-authority-data': ca } = clusters[0].cluster
      return {
        kubeconfig,
        url: server,
        ca: Buffer.from(ca, 'base64'),
        rows: () =>
          proxy
            .output()
            .split('\n')
            .slice(0, -1)
            .map((line) => LiveRequestSchema.parse(JSON.parse(line))),
      }
    },
    /** A kubeconfig for the same server and a user with a token. */
    async as(user: string, { url, ca }: Pick<Cluster, 'url' | 'ca'>): Promise<string> {
      const file = newFile()
      const config = {
        clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca.toString('base64') } }],
        users: [{ name: 'u', user: { token: cluster().identity(user).token } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }
      await writeFile(file, stringify(config), { mode: 0o600 })
      return file
    },
    start(name: string, kubeconfig: string, options: Omit<ControllerOptions, 'name' | 'kubeconfig' | 'namespace'>) {
      const client = startController(binary, { namespace: NAMESPACE, name, kubeconfig, ...options })
      clients.push(client)
      return client
    },
    /** Settles once they lead and have received all objects. */
    ready: () =>
      vi.waitFor(() => {
        const late = clients.filter((client) => client.of('synced').length < 2 || !client.leads())
        expect(late.map(({ name }) => name)).toEqual([])
      }, 30_000),
    told,
    /** Creates, changes, deletes and creates again; returns the names once every client has received the last. */
    async changes(prefix: string): Promise<readonly string[]> {
      const names = Array.from({ length: 20 }, (_, i) => `${prefix}-${i}`)
      await Promise.all(names.map((name, i) => changeOften(cluster(), name, i)))
      await told(`${prefix}-last`)
      return [...names, `${prefix}-last`]
    },
    /** Every client received the same changes of these ConfigMaps, in the same order, and missed no deletion. */
    expectSame(names: readonly string[]): void {
      expect(clients.flatMap((client) => client.of('stale'))).toEqual([])
      for (const name of names) {
        const [first, ...others] = clients.map((client) => client.history(`configmaps/${name}`))
        for (const other of others) expect([name, other]).toEqual([name, first])
      }
    },
  }
}

async function changeOften(cluster: Cluster, name: string, i: number): Promise<void> {
  await change(cluster, 'POST', name, 'first')
  for (let turn = 0; turn < i % 4; turn++) await change(cluster, 'PUT', name, `turn ${turn}`)
  if (i % 3 === 0) await change(cluster, 'DELETE', name, '')
  if (i % 6 === 0) await change(cluster, 'POST', name, 'x'.repeat(300_000))
}

/** As the administrator, to whom no limit applies. */
async function change(cluster: Cluster, method: 'POST' | 'PUT' | 'DELETE', name: string, data: string): Promise<void> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { data } })
  const { status } = await cluster.call(method === 'POST' ? CONFIG_MAPS : `${CONFIG_MAPS}/${name}`, ADMIN, {
    method,
    ...(method !== 'DELETE' && { body, contentType: 'application/json' }),
  })
  expect([method, name, status]).toEqual([method, name, method === 'POST' ? 201 : 200])
}
