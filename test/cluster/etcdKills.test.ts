import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { startCommand, type Running } from '../harness/command.ts'
import { ADMIN } from './identities.ts'
import { freePort } from './process.ts'
import { noCluster, useCluster } from './suite.ts'

const AddressSchema = z.object({ pid: z.number() })

describe.skipIf(noCluster)('a kube-apiserver whose proxy before etcd is killed', () => {
  let folder = ''
  let start: () => Promise<Running> = () => Promise.reject(new Error('there is no etcd'))
  let proxy: Running | undefined
  const cluster = useCluster({
    async beforeEtcd(etcdPort) {
      folder = await mkdtemp(join(tmpdir(), 'apf-etcd-kills-'))
      vi.stubEnv('APF_CONSOLE_STATE', folder)
      const port = await freePort()
      start = async () => {
        const started = startCommand('etcd-proxy', '--upstream', `http://127.0.0.1:${etcdPort}`, '--port', String(port))
        // A busy machine takes long to start a process.
        for (let tries = 0; tries < 600 && !started.output().includes('Management: '); tries++) await sleep(100)
        return started
      }
      proxy = await start()
      return {
        port,
        close: async () => {
          proxy?.interrupt()
          await proxy?.ended
        },
      }
    },
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  const create = async (name: string): Promise<number> => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
    const sent = { method: 'POST', body, contentType: 'application/json' }
    return (await cluster().call('/api/v1/namespaces/default/configmaps', ADMIN, sent)).status
  }
  const names = async (query: string): Promise<ReadonlySet<string>> => {
    const { body } = await cluster().call(`/api/v1/namespaces/default/configmaps${query}`, ADMIN)
    return new Set(Array.from(body.matchAll(/"name":"(k-[\d-]+)"/g), ([, name = '']) => name))
  }
  const kill = async (): Promise<void> => {
    const text = await readFile(join(folder, 'etcd/default.json'), 'utf8')
    process.kill(AddressSchema.parse(JSON.parse(text)).pid, 'SIGKILL')
    await proxy?.ended
  }

  test(
    'three times: no confirmed write is lost, and reads, writes and watches go on',
    { timeout: 180_000 },
    async () => {
      const confirmed: string[] = []
      for (let round = 0; round < 3; round++) {
        const over = new AbortController()
        const writer = (async () => {
          for (let index = 0; !over.signal.aborted; index++) {
            const name = `k-${round}-${index}`
            if ((await create(name)) === 201) confirmed.push(name)
          }
        })()
        await vi.waitFor(() => expect(confirmed.some((name) => name.startsWith(`k-${round}-`))).toBe(true), 20_000)
        await kill()
        proxy = await start()
        const before = confirmed.length
        await vi.waitFor(() => expect(confirmed.length).toBeGreaterThan(before + 5), 60_000)
        over.abort()
        await writer
        expect([...(await names(''))]).toEqual(expect.arrayContaining(confirmed))
        // The watch cache follows by its watch, which was opened again.
        await vi.waitFor(async () => {
          const cached = await names('?resourceVersion=0')
          expect(confirmed.filter((name) => !cached.has(name))).toEqual([])
        }, 60_000)
      }
      // The server repeats an earlier result of this check for a while.
      await vi.waitFor(async () => expect((await cluster().call('/readyz/etcd', ADMIN)).status).toBe(200), 30_000)
    },
  )
})
