import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { joinNotes } from '../../core/compare/notes.ts'
import { PrometheusPastSchema, PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import type { Note } from '../../core/contract/recording.ts'
import { CadenceSchema, type SourceSpec } from '../../core/contract/source.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import type { SourceResult } from '../../main/ports/source.ts'
import { createPrometheusSource } from '../../main/sources/prometheus.ts'
import { createScrapeSource } from '../../main/sources/scrape.ts'
import { openStore } from '../../main/store/store.ts'
import { openSource, type SourceHere } from '../../main/workspace/connectedSource.ts'
import { allNamed } from '../harness/consent.ts'
import { flowControl, level, limited } from './flowControl.ts'
import { VIEWER } from './identities.ts'
import { runLoad } from './load.ts'
import { saturating } from './profiles.ts'
import { startPrometheus } from './prometheusServers.ts'
import { startRelay, type Relay } from './relay.ts'
import { noPrometheus, scrapedCluster, type Scraping } from './scraped.ts'
import { noCluster } from './suite.ts'

const INTERVAL_MS = 5_000
const LATE_LEVEL = 'late-comer'

interface Scraper extends Scraping {
  readonly name: string
}

/** An instant in the past of the server, between what the test read before and after it. */
interface Cause {
  readonly from: number
  readonly to: number
}

describe.skipIf(noCluster || noPrometheus)('the past of a real API server, read from what scraped it', () => {
  const { cluster, folder, scrape, scrapeByVictoria } = scrapedCluster()
  const objects = flowControl(cluster)
  const scrapers: Scraper[] = []
  const opened: SourceHere[] = []
  let direct: Relay | undefined
  let reconfigured: Cause = { from: 0, to: 0 }
  let restarted: Cause = { from: 0, to: 0 }
  let loaded: Cause = { from: 0, to: 0 }

  /** Does it, and returns between which instants. */
  const timed = async (cause: () => Promise<unknown>): Promise<Cause> => {
    const from = Date.now()
    await cause()
    return { from, to: Date.now() }
  }

  beforeAll(async () => {
    const started = await scrape((target) => startPrometheus(folder(), target, 5, join(folder(), 'queries.log')))
    scrapers.push({ name: 'Prometheus', ...started })
    const victoria = await scrapeByVictoria(5)
    if (victoria !== undefined) scrapers.push({ name: 'VictoriaMetrics', ...victoria })
    await sleep(3 * INTERVAL_MS)
    reconfigured = await timed(() => objects.applyAs('somebody', level(LATE_LEVEL, limited(60))))
    await sleep(3 * INTERVAL_MS)
    restarted = await timed(async () => {
      await cluster().stopApiserver()
      await cluster().startApiserver()
    })
    await sleep(3 * INTERVAL_MS)
    loaded = await timed(() => runLoad(cluster(), saturating, 45))
    await sleep(2 * INTERVAL_MS)
    direct = await startRelay(cluster(), VIEWER)
  })
  afterAll(async () => {
    for (const source of opened) await source.end()
    await direct?.close()
  })

  const make = (spec: SourceSpec): Promise<SourceResult> => {
    if (spec.kind === 'prometheus') return createPrometheusSource(spec, systemEnvironment, allNamed)
    if (spec.kind === 'scrape') return createScrapeSource(spec, systemEnvironment, allNamed)
    throw new Error('not part of this test')
  }
  const frames: ServerFrame[] = []
  /** Opens it, reads all of its past, and keeps its events. */
  const open = async (spec: SourceSpec): Promise<readonly Note[]> => {
    frames.length = 0
    const take = (event: SourceEvent): void => {
      if (event.kind === 'frame' && event.lead !== true) frames.push(event.frame)
    }
    const source = await openSource(
      { id: 1, spec, onConnection: () => undefined },
      {
        environment: systemEnvironment,
        store: openStore(folder()),
        async makeSource(one) {
          const made = await make(one)
          if (!made.ok) return made
          const { source: told } = made
          const heard: typeof told = {
            ...told,
            start: (signal, emit) =>
              told.start(signal, (event) => {
                take(event)
                emit(event)
              }),
          }
          return { ...made, source: heard }
        },
      },
    )
    opened.push(source)
    await vi.waitFor(() => expect(source.connection.servers[0]?.past?.state).toBe('done'), { timeout: 60_000 })
    // The present goes on for a while beside it.
    await sleep(2 * INTERVAL_MS)
    // A new subscriber gets the earlier marks at once; the page joins both like this.
    const { promise, resolve } = Promise.withResolvers<readonly Note[]>()
    source.hear('notes', { connection: 1 }, ({ past, notes }) => resolve(joinNotes(notes, past)), source.ended)
    return promise
  }

  const within = (cause: Cause) => (at: number) => at >= cause.from - 1_000 && at <= cause.to + 2 * INTERVAL_MS
  /** What happened is there, each once, and no later than the second scrape after it. */
  const expectCauses = (notes: readonly Note[], where: string): void => {
    const atOf = (kind: Note['kind'], text: RegExp): readonly number[] =>
      notes.filter((one) => one.kind === kind && text.test(one.text)).map(({ at }) => at)
    const limits = atOf('reconfigured', /^limits configured otherwise: .*nominal \d+ → \d+/)
    expect(limits.filter(within(reconfigured)), `${where}: the new level takes seats`).toHaveLength(1)
    expect(atOf('restarted', /started; its counters began at 0$/).map(within(restarted)), where).toEqual([true])
    const [rejecting, ...others] = atOf('rejecting', /^workload-low began to reject, /)
    expect(rejecting !== undefined && within(loaded)(rejecting), `${where}: rejections begin`).toBe(true)
    expect(others.every(within(loaded)), where).toBe(true)
    expect(
      notes.map(({ at }) => at),
      where,
    ).toEqual(notes.map(({ at }) => at).toSorted((a, b) => a - b))
    console.info(`${where}: ${notes.map(({ kind }) => kind).join(', ')}`)
  }
  const scraped = ({ relay }: Scraper): number => relay.bodies('/metrics').length

  it('continues what is scraped directly, without a gap, under one name and with the marks of its causes', async () => {
    for (const scraper of scrapers) {
      const before = scraped(scraper)
      const notes = await open({
        kind: 'scrape',
        target: { kind: 'urls', urls: [`${direct?.url}/metrics`] },
        cadence: CadenceSchema.parse({ intervalMs: 1_000, dumpsEveryMs: null }),
        past: PrometheusPastSchema.parse({ url: scraper.server.url, pastMs: 600_000 }),
      })
      const times = frames.map(({ at }) => Date.parse(at)).toSorted((a, b) => a - b)
      expect(new Set(frames.map(({ id }) => id)).size, scraper.name).toBe(1)
      // As many as it scraped with success, and then one a second.
      const firstDirect = Date.parse(frames[0]?.at ?? '')
      const past = times.filter((at) => at < firstDirect)
      expect(past.length, scraper.name).toBeGreaterThanOrEqual(before - 2)
      expect(past.length, scraper.name).toBeLessThanOrEqual(before + 1)
      const since = times.filter((at) => at > restarted.to + INTERVAL_MS)
      const longest = Math.max(...since.slice(1).map((at, i) => at - (since[i] ?? at)))
      expect(longest, `${scraper.name}: no gap, at the seam either`).toBeLessThan(INTERVAL_MS * 1.5)
      // Counters go on from one to the other.
      const ordered = frames
        .filter(({ at }) => Date.parse(at) > restarted.to + INTERVAL_MS)
        .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
      const dispatched = ordered.map(({ levels }) => levels.reduce((sum, one) => sum + (one.dispatched ?? 0), 0))
      expect(dispatched, scraper.name).toEqual(dispatched.toSorted((a, b) => a - b))
      expectCauses(notes, `${scraper.name} behind a direct scrape`)
      await opened.pop()?.end()
    }
  })

  it('has the same marks where the Prometheus is the source itself', async () => {
    for (const scraper of scrapers) {
      const notes = await open(
        PrometheusSpecSchema.parse({ kind: 'prometheus', url: scraper.server.url, pastMs: 600_000 }),
      )
      expectCauses(notes, scraper.name)
      await opened.pop()?.end()
    }
  })
})
