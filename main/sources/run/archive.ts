import type { LiveState } from '../../../core/contract/live.ts'
import type { Moment, PastRequests } from '../../../core/contract/recording.ts'
import { ProblemError } from '../../../core/errors.ts'
import type { ServerHealth } from '../../../core/contract/source.ts'
import type { EngineEvent } from '../../../core/engine/events.ts'
import type { Ticket } from '../../../core/engine/ticket.ts'
import { frameOf, type SourceInfo } from '../../../core/frame/frame.ts'
import type { LiveRow } from '../../../core/live/requestLog.ts'
import { eventText } from '../../../core/run/eventText.ts'
import { dumpFrame } from '../../../core/simulate/serverFrame.ts'
import { createPicture, type ServerPicture } from '../../../core/source/picture.ts'
import type { TimedEvent } from '../../../core/source/recording.ts'
import { msToNs, type UnixMs, unixMsAfter } from '../../../core/units.ts'
import { arrivedRow, changeBy } from '../../live/eventRows.ts'
import type { Archive } from '../../ports/archive.ts'
import { framesNow, type PlayedRun, readingNow, serverName, storyOf } from './story.ts'

/** Rates and quantiles of an instant are compared with samples up to this much earlier. */
const LEAD_MS = 40_000
/** Requests that are shown before an instant: more would require repeating a larger part of the run. */
const MOST_REQUESTS = 2_000

/**
 * A run as an archive of all its instants. Charts come from its samples; an instant itself is reached from the last
 * checkpoint before it. Within an instant the run may stand between two events, where a step ended.
 */
export function createRunArchive(played: PlayedRun, source: SourceInfo): Required<Archive> {
  const { run, timeline, endNs } = played
  const { stepMs, samples, timed, picture, notes } = storyOf(played)
  const first = run.startUnixMs
  const last = unixMsAfter(first, endNs)
  const nowAt = (): UnixMs => unixMsAfter(first, timeline.nowNs)

  const standAt = (at: UnixMs): void => {
    if (nowAt() !== at) timeline.seek(msToNs(at - first))
  }
  const serverOf = (id: string): ServerPicture => {
    const found = picture.server(id)
    if (found !== undefined) return found
    throw new ProblemError('not-found', `The run has no server ${JSON.stringify(id)}.`)
  }
  /** The moment where the run stands, named by the requested instant. */
  const momentAt = (at: UnixMs): Moment => {
    // Rates over a moment are meaningless: the previous sample is at least a step away.
    const before = createPicture()
    for (const { at: timedAt, event } of timed) {
      if (timedAt > at - LEAD_MS && timedAt <= at - stepMs) before.take(event)
    }
    for (const frame of framesNow(played)) before.take({ kind: 'frame', frame })
    const latest = before.servers.map((server) => server.latest)
    const frame = frameOf(
      source,
      latest.map((one) => one.frame),
    )
    const health = latest.map((one): ServerHealth => ({
      id: one.frame.id,
      status: 'ok',
      failures: [],
      lastGoodAt: one.frame.at,
    }))
    return { at, frame, derived: latest.map(({ derived }) => derived), health, objects: readingNow(played) }
  }

  return {
    extent: () => ({ first, last, gaps: [], problems: [] }),
    moment(at) {
      standAt(at)
      return momentAt(at)
    },
    step({ at, stride, back }) {
      standAt(at)
      let event: EngineEvent<unknown> | undefined
      const leave = timeline.watch((one) => (event = one))
      if (back) timeline.back(stride)
      else timeline.forward(stride)
      leave()
      const text = event !== undefined && !back ? eventText(event, 'priority-and-fairness') : undefined
      return { moment: momentAt(nowAt()), events: timeline.events, ...(text !== undefined && { event: text }) }
    },
    dump(server, at) {
      standAt(at)
      const place = run.engines.findIndex((_, index) => serverName(index, run.engines.length) === server)
      const engine = run.engines[place]
      return engine && dumpFrame(server, engine)
    },
    requests(at, count): PastRequests {
      standAt(at)
      const here = timeline.events
      const most = Math.min(count, MOST_REQUESTS)
      const arrivedBy = samples.findLast((sample) => sample.at <= at)?.arrived ?? 0
      const from = samples.findLast(({ arrived }) => arrived <= arrivedBy - most) ?? { at: first, arrived: 0 }
      timeline.seek(msToNs(from.at - first))
      const rows: LiveRow[] = []
      const rowOf = new Map<Ticket<unknown>, LiveRow>()
      const leave = run.engines.map((engine) =>
        engine.subscribe((event) => note(event, unixMsAfter(first, engine.nowNs), engine.nowNs)),
      )
      const note = (event: EngineEvent<unknown>, now: UnixMs, nowNs: number): void => {
        if (!('ticket' in event)) return
        if (event.kind === 'arrived') {
          const row = { ...arrivedRow(event.ticket, now), seq: rows.length }
          rows.push(row)
          rowOf.set(event.ticket, row)
          return
        }
        const row = rowOf.get(event.ticket)
        if (row !== undefined) Object.assign(row, changeBy(event, nowNs))
      }
      timeline.hearTo(here)
      for (const end of leave) end()
      standAt(at)
      return {
        requests: rows.slice(-most).map((row, seq) => ({ ...row, seq })),
        complete: from.arrived === 0 && rows.length <= most,
        state: stateOf(source, from.arrived + rows.length),
      }
    },
    facts: (server) => picture.facts(server),
    notes: (from, to) => notes.filter(({ at }) => at >= from && at <= to).toSorted((a, b) => a.at - b.at),
    series: (server, query) => serverOf(server).history.series(query),
    heatMap: (server, query) => serverOf(server).history.heatMap(query),
    steps: (server, from, to) => serverOf(server).adjustments.steps(from, to),
    upTo: (at = last) => untilAt(timed, at - LEAD_MS, at),
    events: (from, to) => untilAt(timed, from, to),
  }
}

/** The events between two instants, after the last objects before them. */
function untilAt(timed: readonly TimedEvent[], from: UnixMs, to: UnixMs): readonly TimedEvent[] {
  const objects = timed.findLast(({ at, event }) => event.kind === 'objects' && at < from)
  const inside = timed.filter(({ at }) => at >= from && at <= to)
  return objects === undefined ? inside : [objects, ...inside]
}

const LIMITS = [
  'The last 2,000 requests before the instant have rows, as they were then. Requests that arrived before these have none.',
]

const stateOf = ({ name }: SourceInfo, arrived: number): LiveState => ({
  title: name,
  mode: 'simulation',
  limits: LIMITS,
  arrived,
  unreadable: 0,
  agreement: { compared: 0, schemaAndLevel: 0, widthCompared: 0, width: 0, differences: [] },
})
