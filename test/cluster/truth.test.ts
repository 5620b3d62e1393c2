import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DumpFrameSchema, type DumpFrame } from '../../core/frame/dump.ts'
import { FrameSchema, type Frame, type LevelFrame } from '../../core/frame/frame.ts'
import { REJECT_REASONS } from '../../core/frame/reading.ts'
import { runCommand } from '../harness/command.ts'
import { labelValues, readRows, readSamples, total, type Sample } from './independent.ts'
import { VIEWER } from './identities.ts'
import { runLoad } from './load.ts'
import { saturating, seed } from './profiles.ts'
import { startRelay, type Relay } from './relay.ts'
import { noCluster, useCluster } from './suite.ts'
import { testWorkspace } from '../harness/workspace.ts'

const WARM_UP_MS = 25_000
const SECONDS = 120

describe.skipIf(noCluster)('under the saturating load', () => {
  const cluster = useCluster({ maxInflight: 20, maxMutatingInflight: 10 })
  const endLoad = new AbortController()
  let load: Promise<unknown> | undefined
  let relay: Relay | undefined
  let frame: Frame | undefined
  let samples: readonly Sample[] = []

  const url = (): string => relay?.url ?? ''
  const levels = (): readonly LevelFrame[] => frame?.servers[0]?.levels ?? []
  const workloadLow = (): LevelFrame | undefined => levels().find(({ name }) => name === 'workload-low')

  beforeAll(async () => {
    await seed(cluster())
    relay = await startRelay(cluster(), VIEWER)
    load = runLoad(cluster(), saturating, SECONDS, endLoad.signal)
    // Two adjustments of the limits, 10 s apart, and some rejections.
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS))
    const { code, output, told } = await runCommand('snapshot', '--metrics-url', `${url()}/metrics`)
    if (code !== 0) throw new Error(`snapshot: ${told}`)
    frame = FrameSchema.parse(JSON.parse(output))
    samples = readSamples(relay.bodies('/metrics').at(-1) ?? '')
  })
  afterAll(async () => {
    endLoad.abort()
    await load
    await relay?.close()
  })

  it('shows every level of the page, sorted by name', () => {
    expect(levels().map(({ name }) => name)).toEqual(labelValues(samples, 'priority_level'))
    expect(levels().length).toBeGreaterThanOrEqual(8)
  })

  it('has the limits and the demand of each level as the page has them', () => {
    for (const { name, limits, demand } of levels()) {
      const of = (family: string): number | undefined => total(samples, family, { priority_level: name })
      expect({ name, ...limits }).toEqual({
        name,
        nominal: of('nominal_limit_seats'),
        lower: of('lower_limit_seats'),
        upper: of('upper_limit_seats'),
        current: of('current_limit_seats'),
      })
      expect({ name, ...demand }).toEqual({
        name,
        highWatermark: of('demand_seats_high_watermark'),
        average: of('demand_seats_average'),
        stdev: of('demand_seats_stdev'),
        smoothed: of('demand_seats_smoothed'),
        target: of('target_seats'),
      })
    }
  })

  it('has seats, requests and totals of each level and schema as the page has them', () => {
    for (const level of levels()) {
      expectFlow(level, { priority_level: level.name })
      const schemas = labelValues(samples, 'flow_schema', ({ labels }) => labels.get('priority_level') === level.name)
      expect(level.schemas.map(({ name }) => name).toSorted()).toEqual(schemas)
      for (const schema of level.schemas) {
        expectFlow(schema, { priority_level: level.name, flow_schema: schema.name })
      }
    }
  })

  /** A family that appears only with its first event reads as 0. */
  function expectFlow(
    flow: Pick<LevelFrame, 'seats' | 'requests' | 'dispatched' | 'rejected'>,
    labels: Record<string, string>,
  ): void {
    const of = (family: string, more: Record<string, string> = {}): number =>
      total(samples, family, { ...labels, ...more }) ?? 0
    expect({
      labels,
      seats: flow.seats,
      requests: flow.requests,
      dispatched: flow.dispatched,
      rejected: flow.rejected,
    }).toEqual({
      labels,
      seats: { executing: of('current_executing_seats'), queued: of('current_inqueue_seats') },
      requests: { executing: of('current_executing_requests'), queued: of('current_inqueue_requests') },
      dispatched: of('dispatched_requests_total'),
      rejected: Object.fromEntries(REJECT_REASONS.map((reason) => [reason, of('rejected_requests_total', { reason })])),
    })
  }

  it('has the waits of each schema as the page has them', () => {
    for (const { name: level, schemas } of levels()) {
      for (const { name: schema, wait } of schemas) {
        const labels = { priority_level: level, flow_schema: schema, execute: 'true' }
        expect(wait?.count).toBe(total(samples, 'request_wait_duration_seconds_count', labels))
        expect(wait?.sum).toBe(total(samples, 'request_wait_duration_seconds_sum', labels))
        wait?.bounds.forEach((bound, index) => {
          const upTo = total(samples, 'request_wait_duration_seconds_bucket', { ...labels, le: String(bound) })
          expect(wait.counts[index]).toBe(upTo)
        })
      }
    }
  })

  it('shows queues, rejections and borrowing', () => {
    const low = workloadLow()
    expect(low?.requests.queued).toBeGreaterThan(0)
    expect(low?.seats.executing).toBeGreaterThan(0)
    expect(low?.rejected?.['queue-full']).toBeGreaterThan(0)
    expect(low?.rejected?.['time-out']).toBeGreaterThan(0)
    expect(low?.limits.current).toBeGreaterThan(low?.limits.nominal ?? Infinity)
    const lenders = levels().filter(({ limits }) => (limits.current ?? 0) < (limits.nominal ?? 0))
    expect(lenders.length).toBeGreaterThan(0)
  })

  it('has levels, queues and requests as the dumps have them', async () => {
    const dump = await readOneDump(`${url()}/metrics`)
    const rows = (name: string): Record<string, string>[] =>
      readRows(relay?.bodies(`/debug/api_priority_and_fairness/${name}`)[0] ?? '')
    expect(dump.errors).toEqual([])
    expect(
      dump.levels?.map(({ name, waiting, executing, dispatched }) => [name, waiting, executing, dispatched]),
    ).toEqual(
      rows('dump_priority_levels').map((row) => [
        row['PriorityLevelName'],
        Number(row['WaitingRequests']),
        Number(row['ExecutingRequests']),
        Number(row['DispatchedRequests']),
      ]),
    )
    expect(dump.queues?.map(({ level, index, pending, seatsInUse }) => [level, index, pending, seatsInUse])).toEqual(
      rows('dump_queues').map((row) => [
        row['PriorityLevelName'],
        Number(row['Index']),
        Number(row['PendingRequests']),
        Number(row['SeatsInUse']),
      ]),
    )
    expect(dump.requests?.map(({ level, schema, queue, user, verb }) => [level, schema, queue, user, verb])).toEqual(
      rows('dump_requests?includeRequestDetails=1').map((row) => [
        row['PriorityLevelName'],
        row['FlowSchemaName'],
        Number(row['QueueIndex']),
        row['UserName'],
        row['Verb'],
      ]),
    )
    expect(
      dump.requests?.filter(({ level, startedAt }) => level === 'workload-low' && startedAt === undefined).length,
    ).toBeGreaterThan(0)
  })
})

/** The first dump of a source that a workspace emits. */
async function readOneDump(url: string): Promise<DumpFrame> {
  const stateDir = await mkdtemp(join(tmpdir(), 'apf-state-'))
  const { handlers, close } = testWorkspace(stateDir)
  const end = new AbortController()
  try {
    const cadence = { intervalMs: 1_000, dumpsEveryMs: 60_000 }
    const target = { kind: 'urls' as const, urls: [url] }
    const { id } = await handlers.procedures['sources.connect']({ spec: { kind: 'scrape', target, cadence } })
    const dump = await new Promise<DumpFrame>((resolve) => {
      handlers.streams.dumps({ connection: id, server: new URL(url).host }, resolve, end.signal)
    })
    return DumpFrameSchema.parse(dump)
  } finally {
    end.abort()
    await close()
    await rm(stateDir, { recursive: true, force: true })
  }
}
