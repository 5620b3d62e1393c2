import { readFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../core/contract/contract.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import type { Workspace } from '../../main/workspace/workspace.ts'
import { oneSource, type OneSource } from '../harness/oneSource.ts'
import { memoryClient } from '../harness/ports.ts'
import { testWorkspace } from '../harness/workspace.ts'

const RECORDING = fileURLToPath(new URL('../../assets/demo/recording.ndjson.br', import.meta.url))
const SERVER = 'demo-apiserver'

describe('the recording', () => {
  it('is small and holds no secret and no address but loopback', async () => {
    expect((await stat(RECORDING)).size).toBeLessThan(700_000)
    const text = brotliDecompressSync(await readFile(RECORDING)).toString('utf8')
    // Tokens of the test server are 32 hexadecimal digits.
    expect(text.match(/bearer |-----BEGIN|\b[0-9a-f]{32}\b/i)?.[0]).toBeUndefined()
    const addresses = text.match(/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g) ?? []
    expect(addresses.find((address) => !address.startsWith('127.'))).toBeUndefined()
  })
})

describe('the demo, over the contract', () => {
  let stateDir = ''
  let workspace: Workspace
  let line: ReturnType<typeof memoryClient>
  let client: OneSource

  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'apf-state-'))
    workspace = testWorkspace(stateDir, { demo: RECORDING })
    line = memoryClient(workspace.handlers, systemEnvironment)
    client = oneSource(line)
  })
  afterEach(async () => {
    line.close()
    await workspace.close()
    await rm(stateDir, { recursive: true, force: true })
  })

  it('shows trouble at once, with the minutes before it', async () => {
    const started = Date.now()
    await client.call('sources.connect', { spec: { kind: 'demo' } })
    const event = await new Promise<StreamEvent<'frames'>>((resolve) => void client.subscribe('frames', null, resolve))
    const [server] = event.frame.servers
    const [derived] = event.derived
    expect(server?.id).toBe(SERVER)
    expect(Date.parse(event.frame.at)).toBeGreaterThan(started - 5_000)
    const level = (name: string) => server?.levels.find((one) => one.name === name)
    // The first screen: workload-low has borrowed seats, its queues are long, and requests are rejected.
    expect(level('workload-low')?.limits.current).toBeGreaterThan(level('workload-low')?.limits.nominal ?? Infinity)
    expect(level('workload-low')?.requests.queued).toBeGreaterThan(100)
    expect(derived?.noRates).toBeUndefined()

    const now = Date.now()
    const series = await client.call('history.series', { server: SERVER, from: now - 600_000, to: now, maxPoints: 300 })
    expect(series.times.length).toBeGreaterThan(250)
    const rejecting = (name: string, column: 'queueFullRate' | 'concurrencyLimitRate' | 'timeOutRate'): boolean =>
      series.levels.find((one) => one.name === name)?.columns[column].some((rate) => (rate ?? 0) > 0) ?? false
    expect(rejecting('workload-low', 'queueFullRate')).toBe(true)
    expect(rejecting('workload-low', 'timeOutRate')).toBe(true)
    expect(rejecting('catch-all', 'concurrencyLimitRate')).toBe(true)
    // No gap and no restart where one lap follows the other.
    for (const { name, columns } of series.levels)
      expect({ name, gaps: columns.executing.filter((value) => value === null) }).toEqual({ name, gaps: [] })

    const query = { server: SERVER, level: 'workload-low', kind: 'wait', from: now - 600_000, to: now } as const
    const heat = await client.call('history.heatMap', query)
    expect(heat.cells.flat().reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBeGreaterThan(1_000)
  })

  it('has queues and requests from the dumps', async () => {
    await client.call('sources.connect', { spec: { kind: 'demo' } })
    const dump = await new Promise<DumpFrame>((resolve) => {
      client.subscribe('dumps', { server: SERVER, level: 'workload-low' }, resolve)
    })
    expect(dump.errors).toEqual([])
    expect(dump.queues?.some(({ pending }) => pending > 0)).toBe(true)
    expect(new Set(dump.requests?.map(({ level }) => level))).toEqual(new Set(['workload-low']))
    expect(new Set(dump.requests?.map(({ user }) => user)).size).toBeGreaterThan(1)
  })
})
