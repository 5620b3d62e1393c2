import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advise } from '../../core/advice/advise.ts'
import { createUsageTally } from '../../core/advice/usage.ts'
import { createSourceNoter } from '../../core/alerts/notes.ts'
import { createAlertWatch } from '../../core/alerts/watch.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { SPECIMENS } from '../../core/diagnose/causes.fixture.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import type { Evidence } from '../../core/diagnose/facts.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { createPicture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { plain } from '../../core/text/format.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import { inOrder } from '../../core/twin/observe.ts'
import { unixMsOf } from '../../core/units.ts'
import { likelyCause, wordsFor } from '../../core/verdict/cause.ts'
import { headline, levelHeadline } from '../../core/verdict/headline.ts'
import { busiestInDump, levelRows, needAttention, recentRejections } from '../../core/verdict/levelRows.ts'
import { createKeptPages } from '../../main/recordings/keptPages.ts'
import { capturedFrames, capturedSeries } from '../fixtures/captured.ts'
import { levelFrame, schemaFrame } from '../fixtures/frames.ts'

/** One server and what was read beside its pages. */
type Situation = Pick<Evidence['servers'][number], 'frames' | 'dumps'> & Pick<Evidence, 'objects'>

const situations: readonly { readonly name: string; readonly of: (seed: number) => Situation }[] = [
  ...SPECIMENS.map(({ given, evidence }) => ({
    name: given,
    of: (seed: number): Situation => {
      const { servers, objects } = evidence(seed)
      return { frames: servers[0]?.frames ?? [], dumps: servers[0]?.dumps ?? [], objects }
    },
  })),
  ...capturedSeries.map((series) => {
    const frames = capturedFrames(series)
    return { name: series.path, of: (): Situation => ({ frames, dumps: [], objects: undefined }) }
  }),
]

/** What every surface says after that part of the pages. */
function surfaces({ frames, dumps, objects }: Situation, part: number) {
  const pages = inOrder(frames).slice(0, Math.ceil(part * frames.length))
  const until = unixMsOf(pages.at(-1)?.at ?? '')
  const shown = dumps.filter(({ at }) => unixMsOf(at) <= until)
  const events: readonly SourceEvent[] = [
    ...(objects === undefined
      ? []
      : [
          {
            kind: 'objects',
            origin: 'cluster',
            reading: { state: 'current', objects: ObjectSetSchema.parse(structuredClone(objects)) },
          } as const,
        ]),
    ...pages.map((frame) => ({ kind: 'frame', frame }) as const),
    ...shown.map((dump) => ({ kind: 'dump', dump }) as const),
  ]
  const [picture, kept, usage, watch] = [createPicture(), createKeptPages(), createUsageTally(), createAlertWatch()]
  const noter = createSourceNoter(watch)
  for (const event of events) {
    picture.take(event)
    kept.take(event)
    usage.take(event)
    noter.take(event, picture, until)
  }
  const diagnosis = diagnose(kept.all(undefined))
  const cause = likelyCause(diagnosis.findings)
  const servers = picture.servers.map(({ latest: { frame, derived } }) => {
    const rows = levelRows(frame, derived, byCodeUnits)
    const [worst] = needAttention(rows)
    const flow = worst && busiestInDump(shown.at(-1), worst.name)
    return { id: frame.id, rows, recent: recentRejections(derived), flow, cause }
  })
  const now = headline(servers, plain)
  const level = now.level === undefined ? undefined : servers[0] && levelHeadline(servers[0], now.level, plain)
  return {
    diagnosis,
    now,
    level,
    alerts: watch.alerts.map((alert) => ({ ...alert, ...wordsFor(diagnosis.findings, alert) })),
    advice: advise(usage.read(), { verdict: diagnosis }),
    names: new Set(picture.servers.flatMap(({ latest: { frame } }) => frame.levels.map(({ name }) => name))),
  }
}

/** `APF_RANDOM_SITUATIONS=1000` tries a thousand. */
const numRuns = Number(process.env['APF_RANDOM_SITUATIONS'] ?? 25)
const anywhere = [
  fc.constantFrom(...situations),
  fc.integer({ min: 1, max: 1_000 }),
  fc.double({ min: 0.2, max: 1, noNaN: true }),
] as const

describe('the verdict', () => {
  it('is the same on every surface, at any instant of any situation', () => {
    fc.assert(
      fc.property(...anywhere, ({ of }, seed, part) => {
        const { diagnosis, now, level, alerts, advice, names } = surfaces(of(seed), part)
        const { title, details, evidence = '' } = now
        expect(diagnosis.now).toMatchObject({ title, details: details ?? evidence })
        if (diagnosis.findings[0]?.group !== 'own side') expect(diagnosis.summary.startsWith(title)).toBe(true)
        if (level !== undefined) expect(level.title).toBe(title)
        const places = [...alerts, ...advice.suggestions, ...diagnosis.findings.map(({ place }) => place)]
        for (const { level: name } of places) expect(name === undefined || names.has(name), name).toBe(true)
        for (const { culprit, victims } of diagnosis.findings)
          expect(victims.map(({ name }) => name)).not.toContain(culprit)
        // What the verdict explains is not advised on a second time.
        const judged = new Set(diagnosis.findings.flatMap(({ group, place }) => (group === 'none' ? [] : place.level)))
        if (judged.size > 0) expect(advice.summary).not.toContain('Every level has enough seats')
        const edits = advice.suggestions.filter(({ kind }) => kind === 'shares' || kind === 'queues')
        for (const { level: advised } of edits)
          expect(advised === undefined || !judged.has(advised), advised).toBe(true)
      }),
      { numRuns },
    )
  })

  it('has no word about a level that was deleted', () => {
    fc.assert(
      fc.property(...anywhere, ({ of }, seed, part) => {
        const given = of(seed)
        fc.pre(given.objects !== undefined)
        const said = surfaces({ ...given, frames: given.frames.map(withGhost) }, part)
        // Pages that contradict the objects prove nothing: the level may have been created since.
        fc.pre(!said.names.has(GHOST))
        expect(JSON.stringify(said)).not.toContain(GHOST)
      }),
      { numRuns },
    )
  })
})

const GHOST = 'deleted-level'

/** The page with the last series of a level that rejected and was short of seats when it was deleted. */
const withGhost = (frame: ServerFrame): ServerFrame => {
  const rejected = { 'queue-full': 900, 'concurrency-limit': 0, 'time-out': 90 }
  const ghost = levelFrame(GHOST, [schemaFrame('s', { dispatched: 500, rejected })], {
    limits: { nominal: 9, lower: 9, upper: 9, current: 9 },
    demand: { highWatermark: 40, average: 40, stdev: 0, smoothed: 40, target: 40 },
  })
  return { ...frame, levels: [...frame.levels, ghost].toSorted((a, b) => byCodeUnits(a.name, b.name)) }
}
