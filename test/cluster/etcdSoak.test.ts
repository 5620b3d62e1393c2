import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import {
  type AddressInfo,
  connect as connectSocket,
  createServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Certificate, createAuthority } from '../harness/hostileServerCertificates.ts'
import { startCommand } from '../harness/command.ts'
import { residentBytes } from '../harness/memory.ts'
import { putKey, putOf } from '../harness/smallEtcd.ts'
import { DEFAULT_VERSION, ensureBinaries } from './binaries.ts'
import { etcdArguments } from './cluster.ts'
import { freePort, type Server, startServer } from './process.ts'
import { noCluster } from './suite.ts'

/** Ten minutes with 60 restarts and 60 cuts: APF_ETCD_SOAK_SECONDS=600. */
const SECONDS = Number(process.env['APF_ETCD_SOAK_SECONDS'] ?? 40)
const ROUND_SECONDS = 10
const CALLS = 24
const MOST_MIB = 512
const REFUSED = 'refused'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
  vi.unstubAllEnvs()
})

/** A connection to etcd that can be cut. */
async function cuttable(
  port: number,
): Promise<{ readonly port: number; readonly cut: (how: 'reset' | 'end') => void }> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server: NetServer = createServer((client) => {
    const up = connectSocket(port, '127.0.0.1')
    const pair = [client, up] as const
    pairs.add(pair)
    client.pipe(up).pipe(client)
    for (const one of pair) {
      one.on('error', () => undefined)
      one.once('close', () => {
        pairs.delete(pair)
        for (const each of pair) each.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (how: 'reset' | 'end'): void => {
    for (const [client, up] of pairs) {
      if (how === 'reset') client.resetAndDestroy()
      else client.end()
      up.destroy()
    }
  }
  closing.push(() => {
    server.close()
    cut('reset')
  })
  return { port: (server.address() as AddressInfo).port, cut }
}

describe.skipIf(noCluster)('the etcd proxy under load over TLS', () => {
  test(
    'outlives restarts of etcd and cuts of its connections, with flat memory',
    { timeout: SECONDS * 4_000 + 120_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'apf-etcd-soak-'))
      closing.push(() => rm(folder, { recursive: true, force: true }))
      const authority = createAuthority('soak')
      const issue = async (name: string): Promise<Certificate & { readonly files: readonly [string, string] }> => {
        const issued = authority.issue({ name, ips: ['127.0.0.1'], dns: ['localhost'] })
        const files = [join(folder, `${name}.crt`), join(folder, `${name}.key`)] as const
        await writeFile(files[0], issued.cert)
        await writeFile(files[1], issued.key, { mode: 0o600 })
        return { ...issued, files }
      }
      const ca = join(folder, 'ca.crt')
      await writeFile(ca, authority.cert)
      const [member, own, client] = [await issue('etcd'), await issue('proxy'), await issue('client')]

      const { etcd: binary } = await ensureBinaries(DEFAULT_VERSION, (line) => console.warn(line))
      const etcdPort = await freePort()
      const plain = etcdArguments(folder, etcdPort, await freePort())
      const [cert, key] = member.files
      const startEtcd = (): Server =>
        startServer(
          'etcd',
          binary,
          [
            ...plain.map((arg) => (arg.includes('client-urls') ? arg.replace('http:', 'https:') : arg)),
            `--cert-file=${cert}`,
            `--key-file=${key}`,
            `--trusted-ca-file=${ca}`,
            '--client-cert-auth',
            // A listener of its own for gRPC, as behind an API server; etcd then sends frames in other orders.
            `--listen-client-http-urls=https://127.0.0.1:${httpPort}`,
          ],
          folder,
        )
      const httpPort = await freePort()
      let etcd = startEtcd()
      closing.push(() => etcd.stop())
      const between = await cuttable(etcdPort)

      vi.stubEnv('APF_CONSOLE_STATE', folder)
      const port = await freePort()
      const proxy = startCommand(
        'etcd-proxy',
        `--upstream=https://127.0.0.1:${between.port}`,
        `--port=${port}`,
        `--certificate-authority=${ca}`,
        `--client-certificate=${own.files[0]}`,
        `--client-key=${own.files[1]}`,
        `--tls-cert=${own.files[0]}`,
        `--tls-key=${own.files[1]}`,
        `--client-ca=${ca}`,
      )
      const gone = new AbortController()
      void proxy.ended.then(() => gone.abort())
      closing.push(async () => {
        proxy.interrupt()
        await proxy.ended
      })
      await vi.waitFor(() => expect(proxy.output()).toContain('Management: '), { timeout: 60_000, interval: 100 })
      const address: unknown = JSON.parse(await readFile(join(folder, 'etcd/default.json'), 'utf8'))
      const { pid } = z.object({ pid: z.number() }).parse(address)

      let session: ClientHttp2Session | undefined
      /** Connections that got the settings of the proxy, on which clients of gRPC send calls. */
      const stood = new WeakSet<ClientHttp2Session>()
      /** How connections to the proxy ended. */
      const ends: string[] = []
      const connected = (): ClientHttp2Session => {
        if (session === undefined || session.closed || session.destroyed) {
          session = connect(`https://127.0.0.1:${port}`, { ca: authority.cert, cert: client.cert, key: client.key })
          const made = session
          made.once('remoteSettings', () => stood.add(made))
          const began = Date.now()
          const after = (what: string): void => void ends.push(`${what} after ${Date.now() - began} ms`)
          session.on('error', ({ message }: Error) => after(message))
          session.on('goaway', (code) => after(`GOAWAY ${code}`))
        }
        return session
      }
      closing.push(() => session?.destroy())
      const counts = new Map<string, number>()
      const call = async (index: number): Promise<string> => {
        // Every third one is a read of all keys.
        const read = index % 3 === 0
        const range = Buffer.from([0, 0, 0, 0, 6, 0x0a, 1, 0, 0x12, 1, 0])
        const body = read ? range : putOf(`/soak/${index % 100}`)
        const on = connected()
        const end = await putKey(on, '', body, read ? { ':path': '/etcdserverpb.KV/Range' } : {})
        // While etcd is gone the proxy lets nobody in, and takes no call of those whom it sends away.
        const refused =
          end === `reset ${constants.NGHTTP2_REFUSED_STREAM}` || (end.startsWith('reset') && !stood.has(on))
        const status = refused ? REFUSED : end
        counts.set(status, (counts.get(status) ?? 0) + 1)
        return status
      }
      await vi.waitFor(async () => expect(await call(1)).toBe('0'), { timeout: 60_000, interval: 200 })

      const over = new AbortController()
      const workers = Array.from({ length: CALLS }, async (_, worker) => {
        for (let index = worker; !over.signal.aborted && !gone.signal.aborted; index += CALLS)
          if ((await call(index)) !== '0') await sleep(20)
      })
      const memory: number[] = []
      const rounds = Math.ceil(SECONDS / ROUND_SECONDS)
      for (let round = 0; round < rounds && !gone.signal.aborted; round++) {
        const before = counts.get('0') ?? 0
        between.cut(round % 2 === 0 ? 'reset' : 'end')
        await sleep(ROUND_SECONDS * 500)
        await (round % 2 === 0 ? etcd.kill() : etcd.stop())
        etcd = startEtcd()
        await sleep(ROUND_SECONDS * 500)
        // The load goes on after each.
        await vi.waitFor(() => expect(gone.signal.aborted || (counts.get('0') ?? 0) > before).toBe(true), 60_000)
        memory.push(Math.round(residentBytes(pid) / 1024 ** 2))
      }
      over.abort()
      await Promise.all(workers)
      console.warn(`${rounds} restarts, ${rounds} cuts; calls by status ${JSON.stringify(Object.fromEntries(counts))}`)
      console.warn(`Connections to the proxy ended ${ends.length} times: ${ends.slice(0, 20).join(', ')}`)
      console.warn(`Resident MiB after each round: ${memory.join(' ')}`)

      expect(proxy.told()).not.toContain('ERR_')
      expect(gone.signal.aborted).toBe(false)
      expect(await call(1)).toBe('0')
      // Each call had an answer, a status of etcd or UNAVAILABLE, or was not taken.
      expect([...counts.keys()].filter((status) => !['0', '14', REFUSED].includes(status))).toEqual([])
      expect(counts.get('14')).toBeGreaterThan(0)
      expect(Math.max(...memory)).toBeLessThan(MOST_MIB)
      // Flat, once everything that is kept has been filled.
      if (rounds < 12) return
      const [early, late] = [memory.slice(rounds / 4, rounds / 2), memory.slice((rounds * 3) / 4)]
      expect(Math.max(...late)).toBeLessThan(Math.max(...early) * 1.25)
    },
  )
})
