/**
 * The verdict of a server of 32 levels, one of them in trouble, with a debug dump every 10 s: ten minutes of pages as a
 * session keeps them, each run with one more page. Processor time of this process, of a session that has run for a while;
 * `first` is that of its first samples, whose code is not compiled yet. `page` is the time to derive the rates of one page,
 * as every sample needs it anyway. Goals: 5 ms a sample, 1 s for an instant of the past, whose pages and dumps are new.
 */
import { SPECIMENS } from '../../core/diagnose/causes.fixture.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import type { Evidence } from '../../core/diagnose/facts.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { createKeptPages } from '../../main/recordings/keptPages.ts'
import { createDeriver } from '../../core/frame/derive.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { rfc3339, unixMsOf } from '../../core/units.ts'
import { median, report, round } from './statistics.ts'

const COPIES = 4
const RUNS = 40
/** Sessions of so many runs one after the other, in one process. */
const SESSIONS = 8
const PAGES = 120
const PAGE_MS = 5_000
const GOAL_MS = 5
const GOAL_PAST_MS = 1_000

export async function run(): Promise<void> {
  const sessions = Array.from({ length: SESSIONS }, session)
  const [first, last] = [sessions[0], sessions.at(-1)]
  if (first === undefined || last === undefined) return
  report({
    bench: 'verdict',
    levels: last.frames[0]?.levels.length ?? 0,
    dumps: last.dumps.length,
    requests: median(last.dumps.map(({ requests }) => requests?.length ?? 0)),
    cpuMs: {
      verdict: round(last.verdict, 2),
      first: round(first.verdict, 2),
      page: round(last.page, 2),
      past: round(first.past, 1),
    },
    ratio: round(last.verdict / last.page, 1),
    goal: GOAL_MS,
    reached: last.verdict <= GOAL_MS && first.past <= GOAL_PAST_MS,
  })
}

function session() {
  const { frames, dumps, objects } = wide()
  const cpu = (work: () => unknown): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  const kept = createKeptPages()
  kept.take({
    kind: 'objects',
    origin: 'cluster',
    reading: { state: 'current', objects: ObjectSetSchema.parse(objects) },
  })
  for (const frame of frames.slice(0, PAGES)) kept.take({ kind: 'frame', frame })
  for (const dump of dumps) kept.take({ kind: 'dump', dump })
  const past = cpu(() => diagnose(kept.all(undefined)))
  const runs = frames.slice(PAGES).map((frame) => {
    kept.take({ kind: 'frame', frame })
    return cpu(() => diagnose(kept.all(undefined)))
  })
  const derive = createDeriver('server')
  const page = median(frames.map((frame) => cpu(() => derive(frame))))
  return { frames, dumps, past, page, verdict: median(runs) }
}

/** A flood, its levels several times beside each other under other names, stretched over ten minutes. */
function wide(): { frames: readonly ServerFrame[]; dumps: readonly DumpFrame[]; objects: Evidence['objects'] } {
  const { servers, objects } = SPECIMENS.find(({ given }) => given === 'one-flow')?.evidence(1) ?? {
    servers: [],
    objects: undefined,
  }
  const [{ frames, dumps } = { frames: [], dumps: [] }] = servers
  const calm = SPECIMENS.find(({ given }) => given === 'nothing-waits')?.evidence(1).servers[0]?.frames ?? []
  const start = unixMsOf(frames[0]?.at ?? '')
  const stretched = (at: string): string => rfc3339(start + ((unixMsOf(at) - start) * PAGE_MS) / 2_000)
  const last = frames.at(-1)
  const more = Array.from({ length: PAGES + RUNS }, (_, i) => frames[i] ?? last).flatMap((frame) => frame ?? [])
  return {
    frames: more.map((frame, i) => ({
      ...frame,
      at: rfc3339(start + i * PAGE_MS),
      levels: Array.from({ length: COPIES }, (_c, copy) =>
        (copy === 0 ? frame : (calm[i] ?? calm.at(-1) ?? frame)).levels.map((level) =>
          copy === 0 ? level : { ...level, name: `${level.name}-${copy}` },
        ),
      ).flat(),
    })),
    dumps: dumps.map((dump) => ({ ...dump, at: stretched(dump.at) })),
    objects,
  }
}
