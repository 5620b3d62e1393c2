import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { PrometheusSpecSchema, type PrometheusSpec } from '../../core/contract/prometheus.ts'
import type { ServerSummary } from '../../core/contract/fleet.ts'
import { FAMILY } from '../../core/metrics/familyNames.ts'
import { promqlOf, type Place } from '../../core/prom/measures.ts'
import { createPicture } from '../../core/source/picture.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import type { Source } from '../../main/ports/source.ts'
import { LIVE_LIMITS, openPrometheus } from '../../main/sources/prometheus/api.ts'
import { createPrometheusSource } from '../../main/sources/prometheus.ts'
import { startPrometheus, whyNoPrometheus, type ScrapingServer } from '../cluster/prometheusServers.ts'
import { allNamed } from '../harness/consent.ts'
import { startNativeExporter } from '../harness/nativeExporter.ts'

const reason = whyNoPrometheus()
if (reason !== undefined) console.warn(`Native histograms of a real Prometheus are not tested: ${reason}.`)

const LEVEL = 'workload-low'
/** Nine of ten requests wait for 0.1 s, one for 1.5 s. */
const [SHORT, LONG] = [0.1, 1.5]
/**
 * Bounds at which the console reads native histograms are a power of √2 apart; those of the exporter one of 2^(1/8).
 */
const [READ, STORED] = [Math.SQRT2, 2 ** (1 / 8)]

/** The first two of these make the first quantile. */
const SCRAPES = 6
const Scrapes = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
})

describe.skipIf(reason !== undefined)('a real Prometheus that stores waits as native histograms', () => {
  let folder = ''
  let exporter: Awaited<ReturnType<typeof startNativeExporter>> | undefined
  let prometheus: ScrapingServer | undefined
  const end = new AbortController()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-native-'))
    exporter = await startNativeExporter([
      { perSecond: 90, seconds: SHORT },
      { perSecond: 10, seconds: LONG },
    ])
    prometheus = await startPrometheus(folder, exporter.target, 1, join(folder, 'queries.log'), [
      '--enable-feature=native-histograms',
    ])
    // A past of several instants: on a busy machine scrapes are late.
    const enough = async (): Promise<void> => {
      if ((await scrapes()) <= SCRAPES) throw new Error('There are too few scrapes for a past.')
    }
    await vi.waitFor(enough, { timeout: 60_000, interval: 500 })
  })
  afterAll(async () => {
    end.abort()
    await prometheus?.stop()
    await exporter?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const scrapes = async (): Promise<number> => {
    const response = await fetch(`${prometheus?.url}/api/v1/query?query=count_over_time(up[5m])`)
    const { data } = Scrapes.parse(await response.json())
    return Number(data.result[0]?.value[1] ?? 0)
  }
  const connect = async (over: Partial<PrometheusSpec>): Promise<Source> => {
    const spec = PrometheusSpecSchema.parse({ kind: 'prometheus', url: prometheus?.url, pastMs: 0, ...over })
    return vi.waitFor(
      async () => {
        const made = await createPrometheusSource(spec, systemEnvironment, allNamed)
        if (!made.ok) throw new Error(made.problem.message)
        return made.source
      },
      { timeout: 20_000, interval: 500 },
    )
  }
  const near = (got: number | undefined, wanted: number, factor: number, what: string): void => {
    expect(got, what).toBeGreaterThan(wanted / factor)
    expect(got, what).toBeLessThan(wanted * factor)
  }

  test('has quantiles with the error of their buckets, in frames, past and present, and in copied PromQL', async () => {
    const source = await connect({ pastMs: 60_000 })
    const picture = createPicture()
    source.start(end.signal, (event) => picture.take(event))
    const latest = () => picture.servers[0]?.latest
    const level = () => latest()?.derived.levels.find(({ name }) => name === LEVEL)
    await vi.waitFor(() => expect(level()?.waitP99).toBeDefined(), { timeout: 20_000, interval: 200 })
    const { waitP50, waitP99, waitP50Range, waitP99Range } = level() ?? {}
    near(waitP50, SHORT, READ, 'p50')
    near(waitP99, LONG, READ, 'p99')
    // The true values are within the range that the console reports, and the range is one bucket.
    for (const [range, value] of [
      [waitP50Range, SHORT],
      [waitP99Range, LONG],
    ] as const) {
      expect(range?.above).toBeLessThan(value)
      expect(range?.upTo).toBeGreaterThanOrEqual(value)
      expect((range?.upTo ?? 0) / (range?.above ?? 1)).toBeCloseTo(READ, 6)
    }
    // A level is not shown to wait because others do.
    expect(latest()?.derived.levels.filter(({ waitP99: other }) => other !== undefined)).toHaveLength(1)
    await vi.waitFor(() => expect(picture.health[0]?.past?.state).toBe('done'), { timeout: 20_000 })
    const series = picture.servers[0]?.history.series({ from: 0, to: Date.now(), maxPoints: 1_000 })
    const waits = series?.levels.find(({ name }) => name === LEVEL)?.columns.waitP99.filter((value) => value !== null)
    expect(waits?.length).toBeGreaterThan(2)
    for (const wait of waits ?? []) near(wait, LONG, READ, 'p99 of the past')

    const { labels = [], intervalMs, native } = picture.health[0]?.prometheus ?? {}
    expect(native).toEqual([FAMILY.wait])
    const place: Place = {
      version: latest()?.frame.version,
      matchers: labels.map((one) => ({ ...one, is: '=' as const })),
      intervalMs,
      native,
    }
    const api = await openPrometheus(
      PrometheusSpecSchema.parse({ kind: 'prometheus', url: prometheus?.url }),
      () => Date.now(),
      allNamed,
    )
    for (const [measures, wanted] of [
      ['waitP50', SHORT],
      ['waitP99', LONG],
      ['longestWaitP99', LONG],
    ] as const) {
      const query = promqlOf({ measures, ...(measures !== 'longestWaitP99' && { level: LEVEL }) }, place) ?? ''
      const reply = await api.query(query, undefined, { signal: end.signal, limits: LIVE_LIMITS })
      const [answer] = reply.ok ? reply.series.map(({ samples }) => samples[0]) : [reply.problem.details]
      near(Number(answer), wanted, STORED, query)
    }
    // What a heat map shows is one native histogram: all requests of the span.
    const waited = promqlOf({ measures: 'waits', level: LEVEL, spanMs: 30_000 }, place) ?? ''
    const counted = await api.query(waited, undefined, { signal: end.signal, limits: LIVE_LIMITS })
    const sample = counted.ok ? counted.series[0]?.samples[0] : undefined
    expect(typeof sample === 'object' ? sample.count : sample, waited).toBeGreaterThan(100)
    api.close()
  })

  test('has the longest waits on Fleet', async () => {
    const source = await connect({ fleet: true })
    let servers: readonly ServerSummary[] = []
    source.start(end.signal, () => undefined)
    source.whole?.subscribe((all) => (servers = all), end.signal)
    await vi.waitFor(() => expect(servers).toHaveLength(1), { timeout: 20_000, interval: 200 })
    const { levels = [], waitP99 = [] } = servers[0] ?? {}
    near(waitP99[levels.indexOf(LEVEL)] ?? undefined, LONG, STORED, 'p99')
  })
})
