import { beforeAll, describe, expect, it } from 'vitest'
import { ObjectSetSchema } from '../config/schema.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { SPECIMENS } from '../diagnose/causes.fixture.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import type { SourceEvent } from '../source/sourceEvent.ts'
import { filteredFrame, levelFrame, schemaFrame } from '../../test/fixtures/frames.ts'
import { syntheticStory, type StoryMoment } from '../../test/fixtures/synthetic.ts'
import { textOf } from '../../test/unit/sources.ts'
import { reportHtml } from './html.ts'
import { createIncident, rejections, type Incident } from './incident.ts'
import { reportMarkdown } from './markdown.ts'
import { judgedMoment, reportOf } from './report.ts'

const START = Date.UTC(2026, 10, 21, 3)
const source = { kind: 'scrape', name: 'prod', via: '/metrics' } as const
const options = { source, version: '1.2.3' }
const END = START + 239_000
const LOOK = { tokens: textOf('renderer/theme/tokens.css'), font: 'data:font/woff2;base64,d09GMg==' }

let moments: readonly (StoryMoment & { readonly at: number })[]
beforeAll(() => {
  moments = [...syntheticStory({ seconds: 240, startAt: START })].map((moment, second) => ({
    ...moment,
    at: START + second * 1_000,
  }))
})

function incidentOf(
  frames: readonly ServerFrame[],
  more: readonly { at: number; event: SourceEvent }[] = [],
): Incident {
  const builder = createIncident({ from: START, to: END })
  const pages = frames.map((frame) => ({ at: Date.parse(frame.at), event: { kind: 'frame', frame } as const }))
  for (const one of [...more, ...pages].toSorted((a, b) => a.at - b.at)) builder.take(one, false)
  return builder.finish()
}
const frames = (): ServerFrame[] => moments.flatMap(({ frame }) => frame.servers)
const totals = (level: string, frame: ServerFrame | undefined) => {
  const found = frame?.levels.find(({ name }) => name === level)
  return { dispatched: found?.dispatched ?? 0, full: found?.rejected?.['queue-full'] ?? 0 }
}
const markdown = (incident: Incident): string => reportMarkdown(reportOf(incident, options))

const dumpAt = (second: number): SourceEvent => {
  const request = (user: string) => ({
    level: 'workload-low',
    schema: 'service-accounts',
    queue: 1,
    position: 0,
    flow: user,
    arrivedAt: START + second * 1_000,
    initialSeats: 1,
    finalSeats: 0,
    additionalLatencyMs: 0,
    user,
  })
  const requests = ['system:serviceaccount:batch:crawler', 'system:serviceaccount:batch:crawler', 'mouse'].map(request)
  const at = new Date(START + second * 1_000).toISOString()
  return { kind: 'dump', dump: { server: 'synthetic', at, costMs: 1, bytes: 1, errors: [], requests } }
}

const told = (objects: unknown, at: number): { at: number; event: SourceEvent } => ({
  at,
  event: { kind: 'objects', origin: 'cluster', reading: { state: 'current', objects: ObjectSetSchema.parse(objects) } },
})

describe('an incident', () => {
  it('names who had most of the requests of the worst level, by the name of every surface', () => {
    const text = markdown(incidentOf(frames(), [{ at: START + 9_000, event: dumpAt(9) }]))
    expect(text).toContain('batch:crawler had 67 % of the requests of workload-low in 1 debug dump.')
  })

  it('calls a creation and a deletion by their names, and gives waits as ranges', () => {
    const { levels, schemas } = structuredClone(builtInObjects('v1.36.3'))
    const name = schemas.at(-1)?.metadata.name ?? ''
    const text = markdown(
      incidentOf(frames(), [
        told({ levels, schemas }, START + 1_000),
        told({ levels, schemas: schemas.slice(0, -1) }, START + 2_000),
        told({ levels, schemas }, START + 3_000),
      ]),
    )
    expect(text).toContain(`Deleted: FlowSchema ${name}`)
    expect(text).toContain(`Created: FlowSchema ${name}`)
    expect(text).toMatch(/\| (≤ |> |\d[\d.]*( m?s)?–)[\d.]* m?s \|/)
  })

  it('counts what its frames count, and finds the worst samples', () => {
    const all = frames()
    const level = incidentOf(all).servers[0]?.levels.find(({ name }) => name === 'workload-low')
    const [first, last] = [totals('workload-low', all[0]), totals('workload-low', all.at(-1))]
    expect(level?.dispatched).toBeCloseTo(last.dispatched - first.dispatched)
    expect(level?.rejected?.['queue-full']).toBe(last.full - first.full)
    expect(level?.rejected?.['queue-full']).toBeGreaterThan(0)
    const queued = all.map((frame) => frame.levels.find(({ name }) => name === 'workload-low')?.requests.queued ?? 0)
    expect(level?.queued?.value).toBe(Math.max(...queued))
    expect(level?.queued?.at).toBe(START + queued.indexOf(Math.max(...queued)) * 1_000)
    expect(level?.queuedFrom).toBe(START + queued.findIndex((count) => count > 0) * 1_000)
    const grew = all.findIndex(
      (frame, i) => i > 0 && totals('workload-low', frame).full > totals('workload-low', all[i - 1]).full,
    )
    expect(level?.rejectedFrom).toBe(START + grew * 1_000)
    const limits = all.map((frame) => frame.levels.find(({ name }) => name === 'workload-low')?.limits.current ?? 0)
    expect([level?.limit?.first, level?.limit?.last]).toEqual([limits[0], limits.at(-1)])
    expect([level?.limit?.least.value, level?.limit?.most.value]).toEqual([Math.min(...limits), Math.max(...limits)])
  })

  it('is judged once its trouble shows: up to a minute later, while requests still wait', () => {
    const incident = incidentOf(frames())
    const [server] = incident.servers
    const level = server?.levels.find(({ name }) => name === 'workload-low')
    if (server === undefined || level === undefined) throw new Error('no level')
    const judged = (waitingUntil: number): number => {
      const points = Array.from({ length: 120 }, (_, second) => ({
        at: START + second * 1_000,
        executing: 1,
        waiting: 0,
        nominal: 1,
        limit: 1,
        queued: second >= 10 && second <= waitingUntil ? 100 - second : 0,
      }))
      const worst = { ...level, queued: { value: 90, at: START + 10_000 }, rejectedFrom: undefined, points }
      return ((judgedMoment({ ...incident, servers: [{ ...server, levels: [worst] }] }) ?? 0) - START) / 1_000
    }
    expect([judged(10), judged(30), judged(119)]).toEqual([10, 30, 70])
  })

  it('counts on after a restart from 0, and names it', () => {
    const all = frames()
    const base = all[120]
    const restarted = all.map((frame, i): ServerFrame => (i < 120 ? frame : { ...frame, startedAt: 1_800_000_000 }))
    const [server] = incidentOf(restarted).servers
    expect(server?.restarts).toEqual([Date.parse(base?.at ?? '')])
    const level = server?.levels.find(({ name }) => name === 'workload-low')
    const before = totals('workload-low', all[119]).dispatched - totals('workload-low', all[0]).dispatched
    expect(level?.dispatched).toBeCloseTo(before + totals('workload-low', all.at(-1)).dispatched)
  })

  it('takes a start time that the clock of the server corrected for the same process', () => {
    const all = frames()
    const corrected = all.map((frame, i): ServerFrame =>
      i < 120 || frame.startedAt === undefined ? frame : { ...frame, startedAt: frame.startedAt + 0.01 },
    )
    expect(incidentOf(corrected).servers).toEqual(incidentOf(all).servers)
  })

  it('leaves out samples from before the recording, which only lead to its first one', () => {
    const all = frames()
    const builder = createIncident({ from: START, to: END })
    all.forEach((frame, i) => {
      const at = Math.max(Date.parse(frame.at), START + 60_000)
      builder.take({ at, event: { kind: 'frame', frame, ...(i < 60 && { lead: true as const }) } }, false)
    })
    expect(builder.finish().servers).toEqual(incidentOf(all.slice(60)).servers)
  })

  it('counts a level until it was deleted, and names none that was deleted before', () => {
    const { servers, objects } = SPECIMENS.find(({ given }) => given === 'nothing-waits')?.evidence(1) ?? expect.fail()
    const pages = servers[0]?.frames ?? []
    const given = told(objects ?? expect.fail(), Date.parse(pages[0]?.at ?? '') - 1)
    // The server exports the last series of a deleted level until it restarts.
    const withGhost = (drains: number): readonly ServerFrame[] =>
      pages.map((frame, i) => {
        const full = 100 * Math.min(i, drains)
        const rejected = { 'queue-full': full, 'concurrency-limit': 0, 'time-out': 0 }
        const executing = i < drains ? 1 : 0
        const ghost = levelFrame('ghost', [schemaFrame('s', { dispatched: full, rejected })], {
          seats: { executing, queued: 0 },
        })
        return { ...frame, levels: [...frame.levels, ghost] }
      })
    expect(JSON.stringify(incidentOf(withGhost(0), [given]))).not.toContain('ghost')
    const drained = incidentOf(withGhost(9), [given]).servers[0]?.levels.find(({ name }) => name === 'ghost')
    expect(drained?.rejected).toMatchObject({ 'queue-full': 800 })
    expect(drained?.rejectedTo).toBe(Date.parse(pages[8]?.at ?? ''))
  })

  it('names gaps, and does not draw over them', () => {
    const [server] = incidentOf(frames().filter((_, i) => i < 60 || i > 100)).servers
    expect(server?.gaps).toEqual([{ from: START + 59_000, to: START + 101_000 }])
    expect(server?.levels[0]?.points.some(({ limit, at }) => limit === undefined && at === START + 59_000)).toBe(true)
  })
})

describe('its report', () => {
  it('says what happened, who was affected and what it rests on', () => {
    const dumps = moments
      .filter((_, i) => i % 5 === 0)
      .map(({ at, dump }) => ({ at, event: { kind: 'dump', dump: dump('apiserver-a:6443') } as const }))
    const incident = incidentOf(frames(), dumps)
    const report = markdown(incident)
    const level = incident.servers[0]?.levels.find(({ name }) => name === 'workload-low')
    const rejected = level === undefined ? 0 : rejections(level)
    expect(report).toContain(`Most of them, ${rejected.toLocaleString('en-US')}, in workload-low.`)
    expect(report).toMatch(/\| 03:0\d:\d\d \| First rejection in workload-low \|/)
    expect(report).toContain('240 samples of its metrics from 03:00:00 to 03:03:59, every 1 s.')
    expect(report).toMatch(/Mean of 48 debug dumps, of workload-low/)
    expect(report).toContain('no flow-control objects were recorded')
    expect(report).toMatch(/- queue-full: Every queue/)
  })

  it('is understood from its first page: what, the worst level drawn, and when; tables and other levels follow', () => {
    const [first = '', evidence = ''] = reportHtml(reportOf(incidentOf(frames()), options), LOOK).split('class="next"')
    expect(first.match(/<figcaption>[^<]*/g)).toEqual([
      '<figcaption>workload-low: seats',
      '<figcaption>workload-low: queued requests',
    ])
    expect(first).toContain('First rejection in workload-low')
    expect(evidence).toContain('<h2>Priority levels</h2>')
  })

  it('is drawn as on the screens: hue of the level, what waits stippled, gaps hatched, events with their words', () => {
    const objects = builtInObjects('v1.36.3')
    const changed = { ...objects, schemas: objects.schemas.slice(0, -1) }
    const sampled = frames().filter((_, i) => i < 160 || i > 200)
    const restarted = sampled.map((frame, i): ServerFrame => (i < 140 ? frame : { ...frame, startedAt: 1_800_000_000 }))
    const incident = incidentOf(restarted, [told(objects, START + 1_000), told(changed, START + 20_000)])
    const [seats = '', queued = ''] =
      reportHtml(reportOf(incident, options), LOOK).match(/<svg viewBox[^]*?<\/svg>/g) ?? []
    expect(seats).toContain('<path class="executing" fill="var(--lv-workload-low)"')
    for (const name of ['waiting', 'limit', 'nominal', 'gap', 'first']) expect(seats).toContain(`class="${name}"`)
    expect(seats).toContain('>42 s</text>')
    expect(seats).toContain('>03:00:20 edit</text>')
    expect(seats).toMatch(/>\d\d:\d\d:\d\d first rejection</)
    expect(seats).toMatch(
      /aria-label="workload-low: seats: [^"]*; 03:00:20 Deleted: FlowSchema [^"]*; 03:02:20 [^"]* had restarted"/,
    )
    expect(queued).toContain('class="waiting"')
    expect(queued).not.toContain('var(--lv-')
  })

  it('brings the tokens and the font of the console, loads nothing, and is printed light', () => {
    const html = reportHtml(reportOf(incidentOf(frames()), options), LOOK)
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; font-src data:"`)
    expect(html).toContain(`src:url(${LOOK.font})`)
    expect(html).toMatch(/@media print,\(prefers-color-scheme:light\)\{:root\{[^}]*--surface: #fcfbf8;/)
    expect(html).not.toContain('data-theme')
    // Every token that the page reads is set, and no colour is its own.
    const read = new Set(Array.from(html.matchAll(/var\((--[\w-]+)\)/g), ([, name = '']) => name))
    for (const name of read) expect(html).toContain(`${name}: `)
    expect(html.slice(html.indexOf('body{')).replaceAll(/&#\w+;/g, '')).not.toMatch(/#[0-9a-f]{3,6}\b/)
  })

  it('says so where nothing happened or nothing is known', () => {
    const calm = markdown(incidentOf(frames().slice(0, 5)))
    expect(calm).toContain('No request was rejected.')
    expect(calm).toContain('metrics do not identify flows, and no debug dump of requests was recorded')
    const bare = frames().map((frame): ServerFrame => ({
      ...frame,
      levels: frame.levels.map((level) => ({
        ...level,
        rejected: undefined,
        schemas: level.schemas.map((schema) => ({ ...schema, rejected: undefined })),
      })),
    }))
    expect(markdown(incidentOf(bare))).toContain('Rejections are unknown')
  })

  it('states nothing of requests that a filtered page does not show', () => {
    const filtered = frames().map((frame) => filteredFrame(frame, [FAMILY.rejected, FAMILY.wait]))
    const text = markdown(incidentOf(filtered))
    expect(text).toContain('Rejections are unknown: the pages do not show them.')
    expect(text).toContain('Whether requests waited is unknown: the pages do not show it.')
    expect(text).toMatch(/^\| workload-low +\|(?: unknown \|){6}$/m)
    expect(text).toContain('Unknown: the pages do not show both rejections and waits.')
    expect(text).not.toMatch(/No (?:request|flow schema)/)
  })

  it('names changes of the configuration, each field', () => {
    const objects = builtInObjects('v1.36.3')
    const changed = {
      ...objects,
      levels: objects.levels.map((level) =>
        level.metadata.name === 'workload-low'
          ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: 7 } } }
          : level,
      ),
    }
    const both = [objects, changed].map((set, i) => told(set, START + i * 60_000))
    const report = markdown(incidentOf(frames(), both))
    expect(report).toContain(
      '03:01:00 PriorityLevelConfiguration workload-low: spec.limited.nominalConcurrencyShares 100 → 7',
    )
  })

  it('is one page without scripts, whatever names are in it', () => {
    const hostile = '</title><script>alert(1)</script>|`*_[x](y)'
    const named = frames().map((frame): ServerFrame => ({
      ...frame,
      levels: frame.levels.map((level) => (level.name === 'workload-low' ? { ...level, name: hostile } : level)),
    }))
    const report = reportOf(incidentOf(named), { ...options, source: { ...source, name: hostile } })
    const html = reportHtml(report, LOOK)
    expect(html).not.toMatch(/<script|src=|href=|@import|url\((?!#apf-|data:font\/woff2;)/)
    expect(html).toContain('&lt;script&gt;')
    expect(html.match(/<svg /g)?.length).toBeGreaterThan(0)
    expect(html).not.toContain('NaN')
    expect(reportMarkdown(report)).not.toMatch(/[^\\]<script/)
  })

  it('mentions nobody, links nowhere and keeps the order of its lines, whatever names are in it', () => {
    const links = [
      'http://evil.test',
      'HTTPS://evil.test',
      'www.evil.test',
      'ftp://e.test',
      'mailto:a@e.test',
      '@org/team',
      'org/repo#12',
    ]
    const hostile = `${links.join(' ')} a\u0000b \u202ecod.exe a\u2067b`
    const report = reportOf(incidentOf(frames()), { ...options, source: { ...source, name: hostile } })
    const markdownText = reportMarkdown(report)
    expect(markdownText).not.toMatch(/@(?!&#8203;)|(?<!&)#\d|(?:https?|ftp|mailto):|www\./i)
    expect(markdownText).toContain('http&#8203;://evil.test')
    expect(markdownText).toContain(String.raw`\\u202ecod.exe`)
    for (const text of [markdownText, reportHtml(report, LOOK)]) expect(text).not.toMatch(/[\0\u202e\u2067]/)
  })
})
