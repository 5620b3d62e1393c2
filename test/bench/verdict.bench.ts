/**
 * The verdict of a server of 32 levels, one of them in trouble, with a debug dump every 10 s: ten minutes of pages as a
 * session keeps them, each run with one more page. Processor time of this process; `page` is the time to derive the rates of one page,
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
const PAGES = 120
const PAGE_MS = 5_000
const GOAL_MS = 5
const GOAL_PAST_MS = 1_000

export async function run(): Promise<void> {
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
  const pages = median(frames.map((frame) => cpu(() => derive(frame))))
  const verdict = median(runs)
  report({
    bench: 'verdict',
    levels: frames[0]?.levels.length ?? 0,
    dumps: dumps.length,
    requests: median(dumps.map(({ requests }) => requests?.length ?? 0)),
    cpuMs: { verdict: round(verdict, 2), page: round(pages, 2), past: round(past, 1) },
    ratio: round(verdict / pages, 1),
    goal: GOAL_MS,
    reached: verdict <= GOAL_MS && past <= GOAL_PAST_MS,
  })
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
        (copy === 0 ? frame : (calm[i] ?? frame)).levels.map((level) =>
          copy === 0 ? level : { ...level, name: `${level.name}-${copy}` },
        ),
      ).flat(),
    })),
    dumps: dumps.map((dump) => ({ ...dump, at: stretched(dump.at) })),
    objects,
  }
}
