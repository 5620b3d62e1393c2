import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CROWDED, SWEEP } from '../../core/sweep/sweep.fixture.ts'
import { COMMAND, startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'

let folder: string
let sweep: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-sweep-'))
  sweep = join(folder, 'shares.yaml')
  writeFileSync(join(folder, 'crowded.yaml'), CROWDED)
  writeFileSync(sweep, SWEEP)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const csv = ['-o', 'csv'] as const
const results = (): string => join(folder, 'shares.results.ndjson')
/** More points than the time that a test waits. */
const LARGE = SWEEP.replace('to: 16', 'to: 160')

describe('a sweep', () => {
  it('runs every point in threads, and adds nothing to results that are complete', async () => {
    const first = await runHere('sweep', sweep, ...csv)
    expect(first.told).toContain('shares.results.ndjson')
    expect(first.code).toBe(0)
    const lines = first.output.trimEnd().split('\n')
    expect(lines[0]).toBe(
      'point,workload-low.nominalConcurrencyShares,workload-low.queues,workload-low.waitP99,leases.rejectedPercent,problem',
    )
    expect(lines).toHaveLength(7)
    expect(lines[6]).toMatch(/^5,300,16,[\d.]+,0,$/)
    const size = statSync(results()).size
    const second = await runHere('sweep', sweep, ...csv)
    expect(second.output).toBe(first.output)
    expect(second.told).toContain('has 6 of 6 points already')
    expect(statSync(results()).size).toBe(size)
  })

  it('in shards, merged, is the same as in one run', async () => {
    const whole = await runHere('sweep', sweep, ...csv)
    const shards = [0, 1, 2, 3].map((index) => join(folder, `${index}.ndjson`))
    for (const [index, file] of shards.entries()) {
      const run = await runHere('sweep', sweep, '--shard', `${index}/4`, '--results', file, ...csv)
      expect(run.code).toBe(0)
    }
    const merged = await runHere('sweep', 'merge', ...shards, ...csv)
    expect(merged).toEqual({ code: 0, output: whole.output, told: '' })
    // The logs of all pods in one text.
    const logs = join(folder, 'logs')
    writeFileSync(logs, shards.map((file) => readFileSync(file, 'utf8')).join(''))
    expect((await runHere('sweep', 'merge', logs, ...csv)).output).toBe(whole.output)
    const part = await runHere('sweep', 'merge', ...shards.slice(1), ...csv)
    expect(part).toMatchObject({ code: 1, told: expect.stringContaining('1 of 6 points are missing') })
  })

  it('goes on where a kill ended it, and cuts off the line that was being written', async () => {
    writeFileSync(sweep, LARGE)
    const child = spawn(process.execPath, [...COMMAND, 'sweep', sweep], {
      stdio: 'ignore',
    })
    const lines = (): readonly string[] => {
      try {
        return readFileSync(results(), 'utf8').split('\n')
      } catch {
        return []
      }
    }
    await vi.waitUntil(() => lines().length > 5)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    appendFileSync(results(), '{"point":59,"valu')
    const before = lines().length - 2
    expect(before).toBeLessThan(60)
    writeFileSync(join(folder, 'copy.yaml'), `# A comment changes nothing.\n${LARGE}`)
    const again = await runHere('sweep', join(folder, 'copy.yaml'), '--results', results(), '-o', 'json')
    expect(again.told).toContain(`has ${before} of 60 points already`)
    const { rows } = JSON.parse(again.output) as { readonly rows: readonly { readonly point: number }[] }
    expect(rows.map(({ point }) => point)).toEqual(Array.from({ length: 60 }, (_, point) => point))
    const other = await runHere('sweep', sweep, '--results', join(folder, 'other.ndjson'), '-o', 'json')
    expect(JSON.parse(other.output)).toEqual(JSON.parse(again.output))
  })

  it('stops at an interrupt, and says how to continue', async () => {
    writeFileSync(sweep, LARGE)
    const command = startCommand('sweep', sweep)
    await vi.waitUntil(() => {
      try {
        return statSync(results()).size > 500
      } catch {
        return false
      }
    })
    command.interrupt()
    expect(await command.ended).toBe(2)
    expect(command.told()).toMatch(/Stopped after \d+ of 60 points\. Run the same command again to continue/)
  })

  it('draws a heat map', async () => {
    const svg = join(folder, 'map.svg')
    const map = await runHere('sweep', sweep, '--heat-map', 'workload-low.waitP99', '--svg', svg)
    expect(map.output).toContain('workload-low.waitP99 (ms) by workload-low.nominalConcurrencyShares (across)')
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
    const wrong = await runHere('sweep', sweep, '--heat-map', 'waitP99')
    expect(wrong).toMatchObject({ code: 2, told: expect.stringContaining('There is no result waitP99') })
  })

  it('takes recorded requests', async () => {
    const row = (at: number): string => {
      const stamp = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString().replace('Z', '000Z')
      return JSON.stringify({
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        auditID: String(at),
        stage: 'ResponseComplete',
        requestURI: '/api/v1/namespaces/default/pods/one',
        verb: 'get',
        user: { username: `user-${at % 3}`, groups: ['system:authenticated'] },
        responseStatus: { code: 200 },
        requestReceivedTimestamp: stamp(at),
        stageTimestamp: stamp(at + 500),
      })
    }
    writeFileSync(join(folder, 'audit.log'), `${Array.from({ length: 400 }, (_, at) => row(at)).join('\n')}\n`)
    writeFileSync(
      sweep,
      `name: recorded
base: { requests: [audit.log] }
parameters: [{ field: maxRequestsInFlight, values: [10, 400] }]
results: [{ measure: waitP99 }, { measure: offered }]
`,
    )
    const run = await runHere('sweep', sweep, '-o', 'json')
    expect(JSON.parse(run.output)).toMatchObject({ rows: [{ values: [10] }, { values: [400] }] })
    const { rows } = JSON.parse(run.output) as { readonly rows: readonly { readonly results: readonly number[] }[] }
    expect(rows.map((one) => one.results[1])).toEqual([400, 400])
    expect(rows[0]?.results[0]).toBeGreaterThan(rows[1]?.results[0] ?? Infinity)
  })

  it('says what is wrong with the command, the file and the results', async () => {
    const told = async (...args: readonly string[]): Promise<string> => {
      const { code, told: sentence } = await runHere('sweep', ...args)
      expect(code).toBe(2)
      return sentence
    }
    expect(await told()).toContain('sweep needs one file')
    expect(await told(sweep, '--shard', '4/4')).toContain('--shard takes I/N with I from 0 to N-1')
    expect(await told(sweep, '--shards', '4')).toContain('JOB_COMPLETION_INDEX, which is not set')
    expect(await told('merge')).toContain('sweep merge needs the files')
    expect(await told('job', sweep)).toContain('sweep job needs --image')
    writeFileSync(sweep, SWEEP.replace('crowded.yaml', 'missing.yaml'))
    expect(await told(sweep)).toContain('missing.yaml cannot be read: there is no such file')
    writeFileSync(sweep, SWEEP.replace('clients: leases', 'clients: lease'))
    expect(await told(sweep)).toContain(
      'shares.yaml:8:16: There is no group of clients “lease”: did you mean “leases”?',
    )
    writeFileSync(sweep, SWEEP)
    writeFileSync(results(), 'something else\n')
    expect(await told(sweep)).toContain('shares.results.ndjson:1: not a line of sweep results')
    expect(readFileSync(results(), 'utf8')).toBe('something else\n')
  })
})
