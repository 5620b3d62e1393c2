import { dirname } from 'node:path'
import { createSourceNoter } from '../../core/alerts/notes.ts'
import type { LiveRequest, LiveState } from '../../core/contract/live.ts'
import {
  MOST_PAST_NOTES,
  type Extent,
  type Moment,
  type Note,
  type PastRequests,
} from '../../core/contract/recording.ts'
import { createNoter } from '../../core/compare/noter.ts'
import { MOST_READ_MS } from '../../core/bounds.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import { remember } from '../../core/remember.ts'
import { REALLOCATION_MS } from '../../core/frame/derive.ts'
import { frameOf, type SourceInfo } from '../../core/frame/frame.ts'
import type { AdjustmentStep } from '../../core/frame/derived.ts'
import { heatMapOf, stretchUntil } from '../../core/history/heat.ts'
import { median } from '../../core/frame/quantile.ts'
import { staleAfterMs } from '../../core/frame/staleAfter.ts'
import { tierOfPacked } from '../../core/history/packed.ts'
import { pointOf } from '../../core/history/point.ts'
import { createPicture, type Picture, type ServerPicture } from '../../core/source/picture.ts'
import {
  instantOf,
  threadOf,
  type EventKind,
  type SegmentEvents,
  type TimedEvent,
} from '../../core/source/recording.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import { unixMsOf, type UnixMs } from '../../core/units.ts'
import type { Archive } from '../ports/archive.ts'
import {
  openChapter,
  resolutionFor,
  wholeSpan,
  stepMsOf,
  type ChapterReader,
  type SegmentPlace,
  type Span,
} from './chapter.ts'
import type { StretchQuery } from './stretches.ts'
import { attempt, chaptersIn, partly, type ChapterFile } from './library.ts'

export interface ArchiveOptions {
  /** Folder of all recordings. */
  readonly folder: string
  /** Names of the recordings that are combined into one archive. */
  readonly ids: ReadonlySet<string>
  readonly source: SourceInfo
  readonly now: () => UnixMs
}

/** The first sample of a range is compared with samples before it: windows of rates and quantiles, cells of heat maps. */
const LEAD_MS = 40_000
/**
 * The history that most alert rules use: a rule that is first evaluated at the start of a range would begin too early
 * or too late.
 */
const NOTES_LEAD_MS = 600_000
/** Minimum interval between two reads of the folder. */
const LOOK_MS = 500
/** A shorter time between two segments is not a gap: a segment ends with a sample. */
const LEAST_GAP_MS = 60_000
/** Cached segments: a minute each, and a few hundred kilobytes. */
const MOST_READ = 48
/** The same with a page every five seconds or so: two hours. */
const MOST_SPARSE = 120
const MOST_PLAYED = 16
/** One for histograms, and one for reallocations. */
const MOST_PICTURED = 2

/** Event kinds that make up a moment. */
const STATE: ReadonlySet<EventKind> = new Set(['frame', 'facts', 'health', 'objects', 'pace', 'etcd', 'note'])
const TIMED: ReadonlySet<EventKind> = new Set(['frame', 'dump', 'health', 'objects'])
const DUMPS: ReadonlySet<EventKind> = new Set(['dump'])
const WITHOUT_DUMPS: ReadonlySet<EventKind> = new Set(['frame', 'health', 'objects'])
const REQUESTS: ReadonlySet<EventKind> = new Set(['requests'])
/** A request is recorded once it is over: a longer one is unknown until then. */
const LONGEST_REQUEST_MS = 60_000

/** A segment, and its file. */
interface Place extends SegmentPlace {
  readonly path: string
  /** Changes when the segment grows. */
  readonly key: string
}

interface KnownChapter {
  readonly file: ChapterFile
  readonly places: readonly Place[]
  /** Time spans with samples; for a recording without any, the time that its segments cover. */
  readonly spans: readonly Span[]
  readonly problems: readonly Problem[]
}

/** The picture of a range, and the notes in it. */
interface Pictured {
  readonly picture: Picture
  readonly notes: readonly Note[]
}

/** A sample with the values derived from the samples before it. */
interface Sample {
  readonly at: UnixMs
  readonly latest: ServerPicture['latest']
}

/** A picture of the samples between two instants, including the earlier samples that they are compared with. */
interface PicturedPart {
  readonly picture: Picture
  readonly first: UnixMs
  readonly last: UnixMs
}

/** Two consecutive recordings. */
interface Seam {
  readonly before: Place
  readonly place: Place
}

interface Played {
  readonly samples: readonly Sample[]
  readonly timed: readonly TimedEvent[]
}

export function createArchive({ folder, ids, source, now }: ArchiveOptions): Archive {
  let known = new Map<string, KnownChapter>()
  let lookedAt = Number.NEGATIVE_INFINITY

  const look = (): readonly KnownChapter[] => {
    if (Math.abs(now() - lookedAt) >= LOOK_MS) {
      lookedAt = now()
      const files = chaptersIn(folder).filter(({ recording }) => ids.has(recording))
      known = new Map(files.map((file) => [file.path, isSame(known.get(file.path), file) ?? readChapter(file)]))
    }
    return [...known.values()]
  }
  const placesNow = (): readonly Place[] => look().flatMap(({ places }) => places)

  const read = remember(MOST_READ, (place: Place, wanted: ReadonlySet<EventKind> | undefined) =>
    inChapter(place.path, (chapter) => chapter.read(place, wanted)),
  )
  const readSparse = remember(MOST_SPARSE, (place: Place, wanted: ReadonlySet<EventKind>, pageMs: number) =>
    inChapter(place.path, (chapter) => chapter.read(place, wanted, pageMs)),
  )
  const stateIn = (place: Place): SegmentEvents => read(`state ${place.key}`, place, STATE)

  /** Consecutive segments. */
  const played = remember(MOST_PLAYED, (run: readonly Place[]): Played => {
    const timed = run.flatMap((place, index) => {
      const { before, events } = stateIn(place)
      return index === 0 ? [...before, ...events] : events
    })
    const picture = createPicture()
    const samples = timed.flatMap((one): Sample[] => {
      picture.take(one.event)
      const latest = one.event.kind === 'frame' ? picture.server(one.event.frame.id)?.latest : undefined
      return latest === undefined ? [] : [{ at: instantOf(one), latest }]
    })
    return { samples, timed }
  })
  /**
   * The segment of an instant together with those before it, so that rates and quantiles of its first samples are
   * available.
   */
  const playedAt = (at: UnixMs): Played | undefined => {
    const places = placesNow()
    const upTo = places.filter(({ first }) => first <= at)
    const place =
      upTo.findLast(({ last }) => last >= at) ??
      upTo.reduce<Place | undefined>(
        (latest, one) => (one.last > (latest?.last ?? -Infinity) ? one : latest),
        undefined,
      )
    if (place === undefined) return undefined
    const run = [place]
    for (const before of places.slice(0, places.indexOf(place)).toReversed()) {
      const [first = place] = run
      if (first.first <= place.first - LEAD_MS || first.first - before.last >= LEAST_GAP_MS) break
      run.unshift(before)
    }
    return played(run.map(({ key }) => key).join(' '), run)
  }

  /** The clock of a source may be behind that of its recorder: of the last segment, up to its end. */
  const lastSample = (end: UnixMs): UnixMs => {
    const { samples, timed } = playedAt(end) ?? NOTHING
    const state = timed.findLast(({ event }) => event.kind === 'etcd')
    return Math.min(end, samples.at(-1)?.at ?? state?.at ?? end)
  }

  /**
   * The stored stretches of a range, and pictures of the segments that have none yet or that extend beyond `upTo`:
   * stored data after it cannot be used.
   */
  const stretchesIn = <T>(
    query: StretchQuery,
    ask: (chapter: ChapterReader, query: StretchQuery) => readonly T[],
    upTo = Number.POSITIVE_INFINITY,
  ): { readonly kept: readonly T[]; readonly pictures: readonly PicturedPart[] } => {
    const kept: T[] = []
    const open: Place[] = []
    for (const { file, places } of look()) {
      const inside = places.filter(({ first, last }) => first <= query.to && last >= query.from)
      if (inside.length === 0) continue
      const detailed = inChapter(file.path, (chapter) => {
        for (const added of ask(chapter, query)) kept.push(added)
        return chapter.detailed
      })
      for (const added of inside.filter(({ id, last }) => id === undefined || !detailed || last > upTo))
        open.push(added)
    }
    // All samples have to be read: for recordings of earlier versions only the last part.
    const all = wholeSpan(open)
    const last = Math.min(query.to, all.last)
    const first = Math.max(query.from, last - MOST_READ_MS, all.first)
    return { kept, pictures: open.length === 0 ? [] : [{ picture: pictureOf(first, last).picture, first, last }] }
  }

  /** All samples of a range, and the notes that they give about servers and objects. */
  const pictured = remember(MOST_PICTURED, (from: UnixMs, to: UnixMs): Pictured => {
    const picture = createPicture()
    const noter = createSourceNoter()
    const notes: Note[] = []
    const take = ({ event, at }: TimedEvent): void => {
      picture.take(event)
      for (const added of noter.take(event, picture, at).notes) notes.push(added)
    }
    const places = placesNow().filter(({ first, last }) => first <= to && last >= from - LEAD_MS)
    for (const [index, place] of places.entries()) {
      const { before, events } = stateIn(place)
      for (const one of index === 0 ? [...before, ...events] : events) if (instantOf(one) <= to) take(one)
    }
    return { picture, notes }
  })
  const pictureOf = (from: UnixMs, to: UnixMs): Pictured =>
    pictured(`${from} ${to} ${placesNow().at(-1)?.key ?? ''}`, from, to)

  /** Reallocations of a range, in chronological order. */
  const stepsBetween = (server: string, from: UnixMs, to: UnixMs): readonly AdjustmentStep[] => {
    const found = stretchesIn({ server, from, to }, (chapter, of) => chapter.steps(of))
    const shown = found.pictures.flatMap(
      ({ picture, first, last }) => picture.server(server)?.adjustments.steps(first, last) ?? [],
    )
    // The final version of a reallocation is the one of the page that completed it.
    const latest = new Map([...found.kept, ...shown].map((step) => [step.at, step]))
    return [...latest.values()].filter(({ at }) => at >= from && at <= to).toSorted((a, b) => a.at - b.at)
  }

  /** Differences between the end of a recording and the beginning of the next one. */
  const notesAt = remember(MOST_SEAMS, (seam: Seam): readonly Note[] => {
    const noter = createNoter()
    const last = inChapter(seam.before.path, (chapter) => chapter.lastWords(seam.before))
    const speakers = new Set(last.map(({ event }) => threadOf(event)))
    const first = inChapter(seam.place.path, (chapter) => chapter.firstWords(seam.place, speakers))
    const note = ({ event, at }: TimedEvent): readonly Note[] =>
      event.kind === 'frame'
        ? noter.takeServer(event.frame)
        : event.kind === 'objects'
          ? noter.takeObjects(event.reading, at)
          : []
    for (const one of objectsFirst(last)) note(one)
    // The instant at which a level began to reject in between is unknown.
    return objectsFirst(first)
      .flatMap(note)
      .filter(({ kind }) => kind !== 'rejecting')
  })
  /** Notes about the time without recordings. */
  const notesAtSeams = (from: UnixMs, to: UnixMs): readonly Note[] => {
    const seams: Seam[] = []
    let before: Place | undefined
    for (const place of placesNow().toSorted((a, b) => a.first - b.first)) {
      // If two consoles record at the same time, one of them records what happens.
      if (before !== undefined && dirname(before.path) !== dirname(place.path) && before.last < place.first) {
        if (before.last <= to && place.first >= from) seams.push({ before, place })
      }
      if (before === undefined || place.last > before.last) before = place
    }
    return seams.slice(-MOST_SEAMS).flatMap((seam) => notesAt(`${seam.before.key} ${seam.place.key}`, seam))
  }

  return {
    extent() {
      const chapters = look()
      // What a source told after its last sample, such as its failures, is not shown at any instant.
      const spans = chapters.flatMap((chapter) => chapter.spans)
      const { first, last } = wholeSpan(spans)
      return {
        ...(first <= last && { first, last: lastSample(last) }),
        gaps: gapsBetween(spans),
        problems: chapters.flatMap(({ problems }) => problems),
      }
    },
    moment(at) {
      const { samples, timed } = playedAt(at) ?? NOTHING
      const states = timed.flatMap(({ at: timedAt, event }) =>
        event.kind === 'etcd' ? [{ at: timedAt, state: event.state }] : [],
      )
      // A source has samples or the states of a proxy, never both.
      const gap = gapAt(states.length > 0 ? states : samples, at, placesNow())
      const upTo = timed.filter((one) => one.at <= at).map(({ event }) => event)
      const objects = upTo.findLast((event) => event.kind === 'objects')
      const health = new Map(
        upTo.flatMap((event) => (event.kind === 'health' ? [[event.health.id, event.health]] : [])),
      )
      const latest = gap === undefined ? lastOfEach(samples, at) : []
      const etcd = gap === undefined ? states.findLast((one) => one.at <= at)?.state : undefined
      return {
        at,
        ...(latest.length > 0 && {
          frame: frameOf(
            source,
            latest.map(({ frame }) => frame),
          ),
        }),
        derived: latest.map(({ derived }) => derived),
        health: [...health.values()],
        ...(objects !== undefined && { objects: objects.reading }),
        ...(etcd !== undefined && { etcd }),
        ...(gap !== undefined && { gap }),
      }
    },
    facts(server, at) {
      const { timed } = playedAt(at) ?? NOTHING
      return timed
        .flatMap(({ at: timedAt, event }) =>
          timedAt <= at && event.kind === 'facts' && event.server === server ? [event.facts] : [],
        )
        .at(-1)
    },
    dump(server, at) {
      const places = placesNow().filter(({ first, last }) => first <= at && last >= at - DUMP_MS)
      for (const place of places.toReversed()) {
        const { before, events } = read(`dumps ${place.key}`, place, DUMPS)
        const dumps = [...before, ...events].flatMap(({ event }) => (event.kind === 'dump' ? [event.dump] : []))
        const found = dumps.findLast((dump) => dump.server === server && isWithin(unixMsOf(dump.at), at - DUMP_MS, at))
        if (found !== undefined) return found
      }
      return undefined
    },
    requests(at, count) {
      const places = placesNow().toSorted((a, b) => a.first - b.first)
      const upTo = places.filter(({ first }) => first <= at + LONGEST_REQUEST_MS).toReversed()
      // When a request is recorded repeatedly, the last version counts; numbers are per recording.
      const found = new Map<string, LiveRequest>()
      let state: PastRequests['state']
      let complete = true
      for (const place of upTo) {
        // What was reported by then began by then. Long requests are reported late: those found so far may be older.
        const oldest =
          found.size < count
            ? undefined
            : [...found.values()].map((request) => request.at).toSorted((a, b) => b - a)[count - 1]
        if (oldest !== undefined && place.last < oldest) {
          complete = false
          break
        }
        const { before, events } = read(`requests ${place.key}`, place, REQUESTS)
        const timed = [...before, ...events]
        state ??= timed.flatMap(stateOfEvent).at(-1)
        for (const { event } of timed.toReversed()) {
          if (event.kind !== 'requests' || !('changes' in event)) continue
          for (const request of event.changes.requests) {
            const key = `${place.path} ${request.seq}`
            if (request.at <= at && !found.has(key)) found.set(key, request)
          }
        }
      }
      const requests = [...found.values()].toSorted((a, b) => a.at - b.at || a.seq - b.seq).slice(-count)
      return {
        requests: requests.map((request, seq) => ({ ...request, seq })),
        complete: complete && found.size <= count,
        ...(state !== undefined && { state }),
      }
    },
    series(server, query) {
      const { from, to } = query
      const resolution = resolutionFor(to - from)
      const found: Uint8Array[] = []
      const open: Place[] = []
      for (const { file, places } of look()) {
        const inside = places.filter(({ first, last }) => first <= to && last >= from)
        if (inside.length === 0) continue
        const summarised = inChapter(file.path, (chapter) => {
          for (const added of chapter.series(resolution, server, from, to)) found.push(added)
          return chapter.summarised
        })
        for (const added of inside.filter(({ id }) => id === undefined || !summarised)) open.push(added)
      }
      const samples = open.flatMap((place) => played(place.key, [place]).samples)
      const own = samples.filter(({ latest }) => latest.frame.id === server)
      const tier = readable(() => tierOfPacked(found, stepMsOf(resolution), own.length))
      for (const { latest } of own) tier.add(pointOf(latest.frame, latest.derived))
      return { server, ...tier.query(query) }
    },
    heatMap(server, query) {
      const { from, to, level, kind } = query
      // Cells are stored whole, and the range may end inside one.
      const whole = to - (to % CELL_MS)
      const stretches = stretchesIn(
        { server, from: from - CELL_MS, to },
        (chapter, of) => chapter.heat({ ...of, level, kind }).map((stretch) => stretchUntil(stretch, whole)),
        whole === to ? undefined : whole,
      )
      const shown = stretches.pictures.flatMap(({ picture, first, last }) => {
        const found = picture.server(server)
        return found === undefined ? [] : [found.history.heatBetween(first, last)]
      })
      const all = [...stretches.kept, ...shown]
      if (all.every(({ sampled }) => sampled.length === 0)) throw nothingOf(server)
      return heatMapOf(query, all)
    },
    steps(server, from, to) {
      const places = placesNow()
      const all = wholeSpan(places)
      const [first, last] = [Math.max(from, all.first), Math.min(to, all.last)]
      // Only the last steps of a day are returned: earlier ones are read if there are fewer of them.
      for (let length = 2 * MOST_STEPS * REALLOCATION_MS; ; length *= 4) {
        const since = Math.max(first, last - length)
        const steps = stepsBetween(server, since, last)
        if (steps.length >= MOST_STEPS || since === first) return numbered(steps.slice(-MOST_STEPS))
      }
    },
    notes(from, to) {
      const kept: Note[] = []
      const open: Place[] = []
      for (const { file, places } of look()) {
        // The last write of an object may be long before the chapter that contains it.
        const found = inChapter(file.path, (chapter) => notesOf(chapter, from, to))
        for (const added of found ?? []) kept.push(added)
        if (found === undefined)
          for (const added of places.filter(({ first, last }) => first <= to && last >= from)) open.push(added)
      }
      // For recordings of earlier versions all samples have to be read, so only the last part.
      const places = wholeSpan(open)
      const last = Math.min(to, places.last)
      const first = Math.max(from, last - MOST_READ_MS, places.first)
      const evaluated =
        open.length === 0 ? [] : pictureOf(Math.max(first - NOTES_LEAD_MS, last - MOST_READ_MS), last).notes
      const all = [...kept, ...evaluated, ...notesAtSeams(from, to)].filter(({ at }) => at >= from && at <= to)
      // Two consoles note the same events, and each connection notes the last writes of the objects.
      const once = new Map(all.map((one) => [`${one.at} ${one.kind} ${one.text} ${one.server ?? ''}`, one]))
      return [...once.values()].toSorted((a, b) => a.at - b.at).slice(-MOST_PAST_NOTES)
    },
    *events(from, to, { pages, dumps } = {}) {
      const [wanted, kinds] = dumps === true ? [WITHOUT_DUMPS, 'pages'] : [TIMED, 'events']
      const places = placesNow()
        .filter(({ first, last }) => first <= to && last >= from)
        .toSorted((a, b) => a.first - b.first)
      for (const [index, place] of places.entries()) {
        const whole = `events ${place.key}`
        const isKnown = read.knows(whole)
        const key = `${kinds} ${place.key}`
        const { before, events } =
          pages !== undefined && place.last < pages.until && !isKnown
            ? readSparse(`${pages.pageMs} ${key}`, place, wanted, pages.pageMs)
            : read(isKnown ? whole : key, place, wanted)
        yield* (index === 0 ? [...before, ...events] : events).filter((timed) => instantOf(timed) <= to)
      }
    },
    upTo(at = Number.POSITIVE_INFINITY) {
      const place = placesNow().findLast(({ first }) => first <= at)
      if (place === undefined) return []
      const { before, events } = read(`all ${place.key}`, place, undefined)
      return [...before, ...events].filter((timed) => instantOf(timed) <= at)
    },
  }
}

/** `undefined` where the chapter has none, or they are damaged. */
function notesOf(chapter: ChapterReader, from: UnixMs, to: UnixMs): readonly Note[] | undefined {
  try {
    return chapter.noting ? chapter.notes(from, to) : undefined
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** Seams between recordings that are evaluated, the last ones of a range: each costs reading a minute. */
const MOST_SEAMS = 8

/** Notes about limits come from the objects where these are known. */
const objectsFirst = (timed: readonly TimedEvent[]): readonly TimedEvent[] =>
  timed.toSorted((a, b) => Number(a.event.kind === 'frame') - Number(b.event.kind === 'frame'))

/** A cell of a heat map may begin before the range. */
const CELL_MS = 10_000
/** As many as are kept of a connected source: one hour at one step every 10 s. */
const MOST_STEPS = 360

/** Numbers start anew in each recording. */
const numbered = (steps: readonly AdjustmentStep[]): readonly AdjustmentStep[] =>
  steps.every(({ number }, index) => number > (steps[index - 1]?.number ?? 0))
    ? steps
    : steps.map((step, index) => ({ ...step, number: index + 1 }))

const NOTHING: Played = { samples: [], timed: [] }

/** The state of the source of individual requests. */
const stateOfEvent = ({ event }: TimedEvent): readonly LiveState[] =>
  event.kind === 'requests' && 'state' in event ? [event.state] : []

/** Maximum age of a dump: dumps are five minutes apart at most. */
const DUMP_MS = 300_000

const isWithin = (at: UnixMs, from: UnixMs, to: UnixMs): boolean => at >= from && at <= to

/** The last sample of each server up to an instant, by server name. */
function lastOfEach(samples: readonly Sample[], at: UnixMs): ServerPicture['latest'][] {
  const latest = new Map<string, ServerPicture['latest']>()
  for (const sample of samples) if (sample.at <= at) latest.set(sample.latest.frame.id, sample.latest)
  return [...latest.values()].toSorted((a, b) => byCodeUnits(a.frame.id, b.frame.id))
}

/** The nearest samples to an instant in a gap; `undefined` where the instant lies between two consecutive samples. */
function gapAt(samples: readonly Pick<Sample, 'at'>[], at: UnixMs, places: readonly Place[]): Moment['gap'] {
  const before = samples.findLast((sample) => sample.at <= at)?.at
  const after = samples.find((sample) => sample.at > at)?.at ?? firstAfter(places, at)
  if (before === undefined) return { ...(after !== undefined && { after }) }
  const distances = samples.slice(1).map((sample, i) => sample.at - (samples[i]?.at ?? sample.at))
  const usual = median(distances.filter((distance) => distance > 0)) ?? LEAST_GAP_MS
  if (at - before <= staleAfterMs(usual)) return undefined
  return { before, ...(after !== undefined && { after }) }
}

const firstAfter = (places: readonly Place[], at: UnixMs): UnixMs | undefined =>
  places.map(({ first }) => first).find((first) => first > at)

/** Times without any span. */
function gapsBetween(spans: readonly Span[]): Extent['gaps'] {
  const gaps: { from: number; to: number }[] = []
  let end = Number.POSITIVE_INFINITY
  for (const { first, last } of spans.toSorted((a, b) => a.first - b.first)) {
    if (first - end > LEAST_GAP_MS) gaps.push({ from: end, to: first })
    end = end === Number.POSITIVE_INFINITY ? last : Math.max(end, last)
  }
  return gaps
}

/** Throws `bad-answer` for series that were not packed by a recorder. */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ProblemError(
      'bad-answer',
      'A recording of this time is damaged: its series cannot be read.',
      error.message,
    )
  }
}

const nothingOf = (server: string): ProblemError =>
  new ProblemError('not-found', `Nothing of ${JSON.stringify(server)} is recorded in this time.`)

function readChapter(file: ChapterFile): KnownChapter {
  const problems: Problem[] = []
  const places: Place[] = []
  let sampled: readonly Span[] = []
  attempt(problems, () => {
    inChapter(file.path, (chapter) => {
      for (const place of chapter.segments) {
        const key = `${file.path} ${place.id ?? `${file.bytes} ${file.writtenMs}`}`
        // A segment without an instant contains nothing that could be requested.
        if (place.first <= place.last) places.push({ ...place, path: file.path, key })
      }
      if (chapter.problem !== undefined) problems.push(partly(file.path, chapter.problem))
      sampled = chapter.sampled()
    })
  })
  // A server that does not answer is included, too.
  const spans = sampled.length === 0 ? places : [...sampled, ...places.filter(({ id }) => id === undefined)]
  return { file, places, spans, problems }
}

const isSame = (before: KnownChapter | undefined, { bytes, writtenMs }: ChapterFile): KnownChapter | undefined =>
  before?.file.bytes === bytes && before.file.writtenMs === writtenMs ? before : undefined

/** An open file could not be removed once it is too old, and would keep its writer from cleaning up. */
function inChapter<T>(path: string, ask: (chapter: ChapterReader) => T): T {
  const chapter = openChapter(path)
  try {
    return ask(chapter)
  } finally {
    chapter.close()
  }
}
