import { msToNs, type Nanoseconds, nsToMs } from '../units.ts'
import { arrivalTimes, nextActiveMs } from './arrivals.ts'
import type { CallMix, PreparedCall } from './calls.ts'
import { drawNs, exponential, uniform } from './distribution.ts'
import { Backoff, type ClientContext, sendPersistently } from './retry.ts'
import type { Arrivals, Behaviour } from './workload.ts'

/** What a closed-loop client waits after a failure, on top of its think time. */
const AFTER_FAILURE = uniform(500, 1_500)
/** Threads whose wave begins do not move in step. */
const WAVE_START = exponential(500)

/** Calls at given times, each retried on its own. */
export function startOpenClient(client: ClientContext, arrivals: Arrivals, mix: CallMix): void {
  const times = arrivalTimes(arrivals, client.random)
  const next = (): void => {
    const { done, value } = times.next()
    if (done === true) return
    client.after(Math.max(0, value - client.nowNs()), () => {
      sendPersistently(client, mix.draw(client.random), undefined, () => undefined)
      next()
    })
  }
  next()
}

/** One thread that calls, waits for the answer, thinks, and calls again. */
export function startClosedThread(
  client: ClientContext,
  { think, waves }: Pick<Extract<Behaviour, { kind: 'closed' }>, 'think' | 'waves'>,
  mix: CallMix,
): void {
  const { random } = client
  const pauseNs = (): Nanoseconds => {
    if (waves === undefined) return 0
    const nowMs = nsToMs(client.nowNs())
    const activeMs = nextActiveMs(waves, nowMs)
    return activeMs > nowMs ? msToNs(activeMs - nowMs) + drawNs(WAVE_START, random) : 0
  }
  const call = (): void => {
    const pause = pauseNs()
    if (pause > 0) return client.after(pause, call)
    sendPersistently(client, mix.draw(random), undefined, ({ kind }) => {
      const thought = drawNs(think, random)
      client.after(kind === 'served' ? thought : thought + drawNs(AFTER_FAILURE, random), call)
    })
  }
  client.after(drawNs(think, random), call)
}

export interface InformerCalls {
  readonly list: PreparedCall
  readonly watch: PreparedCall
}

/** Keeps a copy of one resource: lists, watches from there on, and lists again when that cannot go on. */
export function startInformer(
  client: ClientContext,
  {
    start,
    watchLife,
    relistChance,
  }: Pick<Extract<Behaviour, { kind: 'informer' }>, 'start' | 'watchLife' | 'relistChance'>,
  { list, watch }: InformerCalls,
): void {
  const { random } = client
  const backoff = new Backoff()
  const beginAnew = (): void => client.after(backoff.drawNs(client.nowNs(), random), fetch)
  const fetch = (): void =>
    sendPersistently(client, list, undefined, ({ kind }) => (kind === 'served' ? follow() : beginAnew()))
  const follow = (): void =>
    sendPersistently(client, watch, drawNs(watchLife, random), ({ kind }) => {
      if (kind !== 'served') return beginAnew()
      if (random() < relistChance) return fetch()
      follow()
    })
  client.after(drawNs(start, random), fetch)
}
