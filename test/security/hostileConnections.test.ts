import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { residentBytes } from '../harness/memory.ts'
import { attackMany, honest, type Listener } from './hostileConnections.ts'

const CHILD = fileURLToPath(new URL('hostileConnectionsChild.ts', import.meta.url))
/** To each listener; APF_HOSTILE_CONNECTIONS sets more, such as 100000, and APF_HOSTILE_SEED others. */
const CONNECTIONS = Number(process.env['APF_HOSTILE_CONNECTIONS'] ?? 100)
const SEED = Number(process.env['APF_HOSTILE_SEED'] ?? 1)
/** Only listeners whose name this regular expression finds. */
const ONLY = new RegExp(process.env['APF_HOSTILE_LISTENER'] ?? '')
/** Of the process with all listeners. */
const MOST_MIB = 640

const residentMib = (pid: number): number => Math.round(residentBytes(pid) / 1024 ** 2)

test(
  `${CONNECTIONS} hostile connections to each listener end no process and shut nobody out`,
  { timeout: 900_000 + CONNECTIONS * 400 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'apf-hostile-'))
    const child = spawn(process.execPath, [CHILD, folder], { stdio: ['pipe', 'pipe', 'pipe'] })
    let told = ''
    child.stderr.on('data', (chunk: Buffer) => (told = (told + chunk.toString()).slice(-5_000)))
    const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    try {
      const first = new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve))
      const line = await Promise.race([first, over.then(() => '[]')])
      const listeners = JSON.parse(line) as readonly Listener[]
      expect(listeners, told).not.toEqual([])
      const { pid = 0 } = child
      for (const listener of listeners.filter(({ name }) => ONLY.test(name))) {
        const before = residentMib(pid)
        let most = before
        const look = (): void => void (most = Math.max(most, residentMib(pid)))
        const looks = setInterval(look, 1_000)
        const ended = await attackMany(listener, CONNECTIONS, SEED).finally(() => clearInterval(looks))
        expect(child.exitCode, `${listener.name}: ${told}`).toBe(null)
        expect(await honest(listener), listener.name).toBe(listener.status ?? (listener.ask === 'put' ? 0 : 200))
        look()
        if (CONNECTIONS > 1_000)
          console.warn(
            `${listener.name}: ${ended.client} ended by the client, ${ended.listener} by the listener, ${ended.kept} kept; ${before} MiB resident before, at most ${most} until its end`,
          )
        expect(most, listener.name).toBeLessThan(MOST_MIB)
      }
    } finally {
      child.stdin.end()
      child.kill()
      await over
      await rm(folder, { recursive: true, force: true })
    }
  },
)
