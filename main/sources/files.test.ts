import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { UploadedFile } from '../../core/contract/source.ts'
import { readFixture } from '../../test/fixtures/load.ts'
import { storedSet } from '../simulated/objects.ts'
import { heard } from '../../test/harness/heard.ts'
import { auditEvent } from '../../test/harness/liveCommand.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import type { SourceResult } from '../ports/source.ts'
import { createFilesSource } from './files.ts'

const NOW = Date.UTC(2026, 0, 1)

function page(started: number, dispatched: number, uptimeSeconds: number): string {
  return `# TYPE apiserver_flowcontrol_dispatched_requests_total counter
apiserver_flowcontrol_dispatched_requests_total{flow_schema="f",priority_level="l"} ${dispatched}
# TYPE apiserver_flowcontrol_priority_level_seat_utilization histogram
apiserver_flowcontrol_priority_level_seat_utilization_bucket{phase="executing",priority_level="l",le="+Inf"} ${uptimeSeconds * 1e9}
apiserver_flowcontrol_priority_level_seat_utilization_sum{phase="executing",priority_level="l"} 0
apiserver_flowcontrol_priority_level_seat_utilization_count{phase="executing",priority_level="l"} ${uptimeSeconds * 1e9}
# TYPE process_start_time_seconds gauge
process_start_time_seconds ${started}
`
}

const open = (...files: readonly (readonly [string, string])[]): Promise<SourceResult> =>
  createFilesSource(
    files.map(([name, text]): UploadedFile => ({ name, text })),
    { now: () => NOW },
  )

async function read(...files: readonly (readonly [string, string])[]) {
  const result = await open(...files)
  if (!result.ok) throw new Error(result.problem.message)
  const { emit, frames, dumps, health } = heard()
  result.source.start(new AbortController().signal, emit)
  return { frames, dumps, health: [...health.values()], info: result.source.info, still: result.source.still }
}

async function problemOf(...files: readonly (readonly [string, string])[]): Promise<string> {
  const result = await open(...files)
  return result.ok ? 'no problem' : result.problem.message
}

it('reads so many pages of all files together, and says which files are left out', async () => {
  const pages = (count: number): string =>
    'apiserver_flowcontrol_nominal_limit_seats{priority_level="l"} 1\n'.repeat(count)
  const { info, health } = await read(['a.txt', pages(10_001)], ['b.txt', pages(10_001)], ['c.txt', pages(1)])
  expect(info).toBeDefined()
  for (const name of ['b.txt', 'c.txt'])
    expect(JSON.stringify(health)).toContain(`${name} was left out: the files hold more than 20,000 pages together.`)
})

describe('the files source', () => {
  it('puts pages of one server in the order in which they were written, at the time that they tell', async () => {
    const { frames, info, still } = await read(['b.txt', page(1_000, 30, 70)], ['a.txt', page(1_000, 20, 60)])
    expect(frames.map(({ at, levels }) => [at, levels[0]?.dispatched])).toEqual([
      [new Date(1_060_000).toISOString(), 20],
      [new Date(1_070_000).toISOString(), 30],
    ])
    expect(new Set(frames.map(({ id }) => id))).toEqual(new Set(['a.txt']))
    expect(info.via).toBe('2 pages in the order of time')
    expect(still).toBe(true)
  })

  it('reads the audit and request logs and the objects of a folder of captures', async () => {
    const audit = readFixture('feeds/audit.jsonl.gz')
    const objects = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: own }
spec: { type: Limited, limited: { nominalConcurrencyShares: 5, limitResponse: { type: Reject } } }
`
    const capture = JSON.stringify({ path: '/apis/flowcontrol.apiserver.k8s.io/v1/x', status: 200, body: objects })
    const files: [string, string][] = [
      ['audit.jsonl', String(audit)],
      ['httplog.txt', String(readFixture('feeds/httplog.txt.gz'))],
      ['objects.ndjson', capture],
    ]
    const result = await createFilesSource(
      files.map(([name, text]) => ({ name, text })),
      { now: () => Date.UTC(2027, 0, 1) },
    )
    if (!result.ok) throw new Error(result.problem.message)
    const { live, info } = result.source
    expect(info.via).toMatch(/^1 flow-control object, [\d,]+ requests of logs$/)
    const rows = live?.log.before(10) ?? []
    expect(rows).toHaveLength(10)
    expect(rows.every(({ user }) => user !== '')).toBe(true)
    // A draft processes the whole log again.
    live?.candidate({ on: true, objects: storedSet(builtInObjects('v1.37.0')) })
    expect(live?.state().candidate).toBeDefined()
    expect(live?.log.before(10).map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq))
  })

  it('corrects the execution times of an audit log by the captures of metrics beside it', async () => {
    const name = 'apiserver_flowcontrol_request_execution_seconds'
    const labels = 'flow_schema="global-default",priority_level="global-default",type="regular"'
    const executed = (atMs: number, count: number, sum: number): string =>
      JSON.stringify({
        t: NOW + atMs,
        path: '/metrics',
        status: 200,
        body: `# TYPE ${name} histogram
${name}_bucket{${labels},le="0.05"} 0
${name}_bucket{${labels},le="0.2"} ${count}
${name}_bucket{${labels},le="+Inf"} ${count}
${name}_sum{${labels}} ${sum}
${name}_count{${labels}} ${count}
process_start_time_seconds 1000
`,
      })
    const events = Array.from({ length: 30 }, (_, n) =>
      JSON.stringify(auditEvent(n, { atMs: NOW + n * 100, lastedMs: 400 })),
    )
    const log = ['audit.jsonl', events.join('\n')] as const
    const opened = async (...files: readonly (readonly [string, string])[]) => {
      const result = await createFilesSource(
        files.map(([file, text]) => ({ name: file, text })),
        { now: () => NOW + 86_400_000 },
      )
      if (!result.ok) throw new Error(result.problem.message)
      return result.source.live
    }
    // Far more than twenty seconds apart, and 0.1 s each according to the histogram.
    const captures = ['metrics.ndjson', `${executed(-1_000, 10, 1)}\n${executed(90_000, 40, 4)}`] as const
    const corrected = await opened(log, captures)
    expect(corrected?.state().waits).toMatchObject({
      bounds: { guessed: 0 },
      corrected: { fromMs: NOW - 1_000, toMs: NOW + 90_000, requests: 30, factor: expect.closeTo(0.25) },
    })
    expect(corrected?.log.before(1)[0]?.runMs).toBeCloseTo(100)
    const alone = await opened(log)
    expect(alone?.state().waits).toMatchObject({ bounds: { told: 0, untold: expect.closeTo(12), guessed: 30 } })
    expect(alone?.state().limits.join(' ')).toContain('Execution times of 30 requests are not corrected')
  })

  it('reads a request log without an audit log, and an EventList', async () => {
    const httplog = await open(['httplog.txt', String(readFixture('feeds/httplog.txt.gz'))])
    expect(httplog.ok && httplog.source.info.via).toMatch(/^[\d,]+ requests of logs$/)
    const text = String(readFixture('feeds/audit-webhook-batch.json.gz'))
    const batch = await createFilesSource([{ name: 'batch.json', text }], { now: () => Date.UTC(2026, 10, 22) })
    expect(batch.ok && batch.source.info.via).toMatch(/^[\d,]+ requests of logs$/)
    // To this computer they are in the future.
    expect(await problemOf(['batch.json', text])).toMatch(
      /^Nothing could be read from the audit log batch.json: 100 records/,
    )
  })

  it('keeps servers apart by when they started', async () => {
    const { frames } = await read(['a.txt', page(1_000, 1, 5)], ['b.txt', page(2_000, 1, 5)])
    expect(frames.map(({ id }) => id)).toEqual(['a.txt', 'b.txt'])
  })

  it('takes the times of a capture', async () => {
    const lines = [7_000, 6_000].map((t) => JSON.stringify({ t, path: '/metrics', status: 200, body: page(1, t, 5) }))
    const { frames } = await read(['c.ndjson', lines.join('\n')])
    expect(frames.map(({ at }) => Date.parse(at))).toEqual([6_000, 7_000])
  })

  it('puts pages without a time between those of a capture of the same server', async () => {
    // The histograms began 3 s after the process.
    const lines = [10, 20, 30].map((s) =>
      JSON.stringify({ t: (1_003 + s) * 1_000, path: '/metrics', status: 200, body: page(1_000, s, s) }),
    )
    const { frames } = await read(['a.txt', page(1_000, 15, 15)], ['c.ndjson', lines.join('\n')])
    expect(frames.map(({ at, levels }) => [Date.parse(at) / 1_000, levels[0]?.dispatched])).toEqual([
      [1_013, 10],
      [1_018, 15],
      [1_023, 20],
      [1_033, 30],
    ])
  })

  it('keeps a capture together when the server restarted in it', async () => {
    const pages = [page(1_000, 50, 60), page(2_000, 1, 5)]
    const lines = pages.map((body, index) => JSON.stringify({ t: index * 1_000, path: '/metrics', body }))
    const { frames } = await read(['c.ndjson', lines.join('\n')], ['same-server.txt', page(1_000, 60, 70)])
    expect(frames.map(({ id }) => id)).toEqual(['c.ndjson', 'c.ndjson', 'c.ndjson'])
    expect(frames.map(({ startedAt }) => startedAt)).toEqual([1_000, 2_000, 1_000])
  })

  it('counts damage beyond the first sentences', async () => {
    const lines = Array.from({ length: 20 }, () => JSON.stringify({ path: '/metrics', status: 503, body: '' }))
    const { health } = await read(['c.ndjson', lines.join('\n')], ['a.txt', page(1_000, 1, 5)])
    expect(health[0]?.notes).toHaveLength(9)
    expect(health[0]?.notes?.at(-1)).toBe('12 more parts could not be read.')
  })

  it('shows what comes before damage, and says where it is', async () => {
    const { frames, health } = await read(['m.txt', `${page(1_000, 1, 5)}apiserver_flowcontrol_current_r{prio`])
    expect(frames).toHaveLength(1)
    expect(health[0]?.notes).toEqual([expect.stringMatching(/^m\.txt, line 9, column \d+: .*save the page again/)])
  })

  it('takes the version from the answer of /version when the page does not tell it', async () => {
    const { frames } = await read(
      ['version.json', '{"major":"1","gitVersion":"v1.30.14"}'],
      ['a.txt', page(1_000, 1, 5)],
    )
    expect(frames[0]?.version).toBe('v1.30.14')
  })

  it('leaves other files of a folder out and says how many', async () => {
    const { info, health } = await read(['README.md', 'words'], ['a.txt', page(1_000, 1, 5)])
    expect(info.via).toBe('one page, 1 other file left out: README.md')
    expect(health[0]?.notes).toBeUndefined()
  })

  it('tells each reading of the dumps of a capture, at its time', async () => {
    const lines = readFixture('captures/v1.36.3/waves.dumps.ndjson.gz').toString().trim().split('\n').slice(0, 9)
    const { dumps, frames, info } = await read(['waves.ndjson', lines.join('\n')])
    const times = lines.map((line): number => JSON.parse(line).t)
    expect(dumps.length).toBeGreaterThan(1)
    expect(dumps.map(({ at }) => Date.parse(at))).toEqual(
      [...new Set(dumps.map(({ at }) => Date.parse(at)))].filter((at) => times.includes(at)).toSorted((a, b) => a - b),
    )
    expect(frames.map(({ at }) => at)).toEqual(dumps.map(({ at }) => at))
    expect(info.via).toBe(`${dumps.length} samples in the order of time`)
  })

  it('keeps the users of requests that were dumped with and without details at once', async () => {
    const [, , plain = '', detailed = ''] = readFixture('captures/v1.36.3/waves.dumps.ndjson.gz').toString().split('\n')
    const [early, late] = [plain, detailed].map((line): { t: number } => JSON.parse(line))
    for (const gap of [-300, -1, 0, 1, 300]) {
      const lines = [JSON.stringify(early), JSON.stringify({ ...late, t: (early?.t ?? 0) + gap })]
      const { dumps } = await read(['waves.ndjson', lines.join('\n')])
      expect(dumps).toHaveLength(1)
      expect(dumps[0]?.requests?.every(({ user }) => user !== undefined)).toBe(true)
    }
  })

  it('makes of dumps alone what they tell', async () => {
    const levels = `PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests
l,                 1,            false,  false,       5,               2,                 40,                 3,                0,                1
`
    const { frames, dumps } = await read(['dump.txt', levels])
    expect(dumps).toHaveLength(1)
    expect(frames[0]?.levels).toEqual([
      expect.objectContaining({ name: 'l', dispatched: 40, requests: { executing: 2, queued: 5 }, limits: {} }),
    ])
    expect(frames[0]?.missing.length).toBeGreaterThan(0)
    const twice = `${levels}l,                 1,            false,  false,       6,               3,                 41,                 3,                0,                1\n`
    const [again] = (await read(['dump.txt', twice])).frames
    expect(again?.levels).toEqual(frames[0]?.levels)
  })

  it('says in one sentence why nothing could be read', async () => {
    expect(await problemOf(['x.html', '<html>'])).toMatch(/^x\.html is a web page/)
    expect(await problemOf(['g.txt', '# TYPE go_gc gauge\ngo_gc 1\n'])).toMatch(/^g\.txt holds metrics, but none of/)
    expect(await problemOf(['e.txt', ''])).toBe('e.txt is empty.')
  })

  describe('with manifests', () => {
    const LEVEL = `# kept in git
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: PriorityLevelConfiguration
metadata: { name: a }
spec: { type: Limited, limited: { nominalConcurrencyShares: 5, limitResponse: { type: Reject } } }
`
    const reading = async (...files: readonly (readonly [string, string])[]) => {
      const result = await open(...files)
      if (!result.ok) throw new Error(result.problem.message)
      const { objects, info } = result.source
      let told: ObjectsReading | undefined
      objects?.start(new AbortController().signal, (next) => void (told = next))
      return { info, objects, told }
    }

    it('has their objects, converted, to be drafted upon and not to be applied', async () => {
      const { info, objects, told } = await reading(['a.yaml', LEVEL], ['version.json', '{"gitVersion":"v1.30.1"}'])
      expect(info).toMatchObject({ name: '2 files', via: '1 flow-control object' })
      expect(objects).toMatchObject({ origin: 'files', target: 'a.yaml', targetKey: 'files a.yaml' })
      expect(objects?.editor).toMatchObject({ impossible: expect.stringContaining('save the changed objects as YAML') })
      expect(told).toMatchObject({ state: 'current', version: 'v1.30.1' })
      expect(told?.objects.levels).toEqual([
        {
          metadata: { name: 'a' },
          spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
        },
      ])
    })

    it('stands beside a metrics page, whose own source has no objects', async () => {
      const { info, told } = await reading(['metrics.txt', page(1, 5, 10)], ['a.yaml', LEVEL])
      expect(info.via).toBe('one page, 1 flow-control object')
      expect(told?.objects.levels).toHaveLength(1)
      expect((await reading(['metrics.txt', page(1, 5, 10)])).objects).toBeUndefined()
    })

    it('says what cannot be read, and is a problem when that is everything', async () => {
      const broken = LEVEL.replace('Limited, limited', 'Limited, limited: 3, other')
      const { told } = await reading(['a.yaml', LEVEL], ['b.yaml', broken])
      expect(told?.problem?.message).toContain('b.yaml')
      const nothing = await open(['b.yaml', broken])
      expect(nothing).toMatchObject({ ok: false, problem: { message: expect.stringContaining('b.yaml') } })
    })
  })
})
