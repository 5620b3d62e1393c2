import type { ServerHealth, SourceSpec } from '../../core/contract/source.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { Emit } from '../../core/source/sourceEvent.ts'
import type { Environment } from '../../main/ports/environment.ts'
import type { LiveTraffic, Source } from '../../main/ports/source.ts'
import { manyQueuesDump } from '../fixtures/manyQueues.ts'
import { infoOf } from '../fixtures/sources.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { randomFrom } from '../fixtures/syntheticServer.ts'

export interface StorySourceOptions {
  readonly levels?: number
  readonly servers?: number
  /** Ten dumps a second of so many queues while a page is subscribed, in addition to those of the story. */
  readonly queues?: number
}

/** A source that plays a synthetic story in the time of its environment, and can be made to fail. */
export interface StorySource {
  readonly source: Source
  /** Emits an event outside the story. */
  readonly tell: Emit
  /** The first of its servers stops responding, or responds again. */
  setSilent(silent: boolean): void
}

const SECOND_MS = 1_000
const DUMPS_EVERY_SECONDS = 5
const WATCHED_DUMPS_MS = 100

export function storySource(
  spec: SourceSpec,
  environment: Environment,
  { levels = 8, servers = 3, queues }: StorySourceOptions,
  parts: Pick<Source, 'objects'> & { readonly live?: LiveTraffic | undefined },
): StorySource {
  const still = spec.kind === 'files'
  const story = syntheticStory({ levels, servers, seconds: Number.POSITIVE_INFINITY, startAt: environment.now() })
  let emit: Emit = () => undefined
  let silent = false
  let seconds = 0
  let latest: readonly ServerFrame[] = []
  let cancelDumps = (): void => undefined

  const tellHealth = (): void => {
    for (const [index, frame] of latest.entries())
      emit({ kind: 'health', health: healthOf(frame, silent && index === 0, environment.now()) })
  }
  const second = (): void => {
    const { value } = story.next()
    if (!silent && value !== undefined) {
      latest = value.frame.servers
      for (const frame of latest) emit({ kind: 'frame', frame })
      if (seconds % DUMPS_EVERY_SECONDS === 0) for (const { id } of latest) emit({ kind: 'dump', dump: value.dump(id) })
    }
    seconds += 1
    tellHealth()
  }
  const again = (ms: number, call: () => void): (() => void) => {
    let cancel = environment.after(ms, function next() {
      call()
      cancel = environment.after(ms, next)
    })
    return () => cancel()
  }
  const dumpMany = (count: number): (() => void) => {
    const server = latest[0]?.id ?? ''
    const random = randomFrom(1)
    const dumps = Array.from({ length: 10 }, () =>
      manyQueuesDump({ server, at: environment.now(), level: 'workload-low', queues: count, random }),
    )
    let turn = 0
    return again(WATCHED_DUMPS_MS, () => {
      const dump = dumps[turn++ % dumps.length]
      if (dump !== undefined) emit({ kind: 'dump', dump: { ...dump, at: new Date(environment.now()).toISOString() } })
    })
  }
  return {
    tell: (event) => emit(event),
    setSilent(next) {
      silent = next
      tellHealth()
    },
    source: {
      info: infoOf(spec),
      still,
      ...(parts.objects && { objects: parts.objects }),
      ...(parts.live && { live: parts.live }),
      start(signal, to) {
        emit = to
        second()
        if (still) return
        const stop = again(SECOND_MS, second)
        signal.addEventListener('abort', () => {
          stop()
          cancelDumps()
        })
      },
      tryNow: () => void (silent = false),
      setCadence: () => undefined,
      watchDumps(watched) {
        cancelDumps()
        if (watched && queues !== undefined) cancelDumps = dumpMany(queues)
      },
    },
  }
}

const healthOf = ({ id, at }: ServerFrame, failing: boolean, now: number): ServerHealth => ({
  id,
  status: failing ? 'failing' : 'ok',
  lastGoodAt: at,
  failures: failing
    ? [1, 2, 4, 8].map((seconds) => ({
        at: new Date(now - 16_000 + seconds * 1_000).toISOString(),
        problem: {
          code: 'unreachable',
          message: 'apiserver-a refused the connection; is it running?',
          details: 'connect ECONNREFUSED 10.20.0.11:6443',
        },
      }))
    : [],
  ...(failing && { nextTryAt: new Date(now + 11_000).toISOString() }),
  fetchMs: 11,
  parseMs: 2.4,
  bytes: 1_800_000,
  wireBytes: 86_000,
  families: 31,
  clockOffsetMs: 12,
  dumps: { status: 'ok', costMs: 3.4, bytes: 64_000, lastAt: at },
})
