import { msToNs, type Nanoseconds, nsToMs, MS_PER_SECOND, secondsToNs } from '../units.ts'
import type { CallMix, PreparedCall, Arrivals, Behaviour, Waves } from './workload.ts'
import { drawNs, exponential, uniform, type Random } from './random.ts'
import type { Outcome } from './server.ts'

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

/** When an activity is on next, at the earliest at `ms`: `ms` itself while it is on. */
export function nextActiveMs({ firstMs, activeMs, periodMs }: Waves, ms: number): number {
  if (ms < firstMs) return firstMs
  const within = (ms - firstMs) % periodMs
  return within < activeMs ? ms : ms - within + periodMs
}

/** Times of the calls of one open-loop client, ascending: whole nanoseconds since the start. */
export function* arrivalTimes(arrivals: Arrivals, random: Random): Generator<number, void> {
  for (const ms of arrivalsMs(arrivals, random)) yield msToNs(ms)
}

function* arrivalsMs(arrivals: Arrivals, random: Random): Generator<number, void> {
  switch (arrivals.kind) {
    case 'poisson':
      return yield* poisson(arrivals.perSecond, arrivals.waves, random)
    case 'regular':
      return yield* regular(arrivals.periodMs, arrivals.jitter, random)
    case 'bursts':
      return yield* bursts(arrivals, random)
    case 'schedule':
      return yield* arrivals.atMs.toSorted((a, b) => a - b)
  }
}

function* poisson(perSecond: number, waves: Waves | undefined, random: Random): Generator<number, void> {
  if (perSecond <= 0) return
  let ms = 0
  for (;;) {
    ms += (-Math.log(1 - random()) * MS_PER_SECOND) / perSecond
    if (waves !== undefined) {
      const active = nextActiveMs(waves, ms)
      // The process has no memory, so that it may as well begin anew with the wave.
      if (active > ms) {
        ms = active
        continue
      }
    }
    yield ms
  }
}

function* regular(periodMs: number, jitter: number, random: Random): Generator<number, void> {
  const offset = random() * periodMs
  for (let turn = 0; ; turn++) {
    // Half a period to each side keeps the order.
    const off = (random() - 0.5) * Math.min(jitter, 1) * periodMs
    yield Math.max(0, offset + turn * periodMs + off)
  }
}

function* bursts(
  { waves, count, spreadMs }: Extract<Arrivals, { kind: 'bursts' }>,
  random: Random,
): Generator<number, void> {
  let latest = 0
  for (let turn = 0; ; turn++) {
    const offsets = Array.from({ length: count }, () => random() * spreadMs).toSorted((a, b) => a - b)
    for (const offset of offsets) {
      latest = Math.max(latest, waves.firstMs + turn * waves.periodMs + offset)
      yield latest
    }
  }
}

/** How often client-go's REST client sends a request again that was answered with 429 and Retry-After. */
const MOST_RETRIES = 10

/** What a client does and draws with. */
export interface ClientContext {
  readonly random: Random
  readonly nowNs: () => Nanoseconds
  /** Calls back so many nanoseconds later. */
  readonly after: (ns: Nanoseconds, run: () => void) => void
  /** Sends once. `watchNs` makes it a watch that lasts so long. */
  readonly send: (call: PreparedCall, watchNs: Nanoseconds | undefined, done: (outcome: Outcome) => void) => void
}

/**
 * Sends as client-go does: after a 429 it waits for exactly the seconds that the server named and tries again, ten times
 * at most. What it ends with is told to `done`.
 */
export function sendPersistently(
  client: ClientContext,
  call: PreparedCall,
  watchNs: Nanoseconds | undefined,
  done: (outcome: Outcome) => void,
): void {
  let retries = 0
  const attempt = (): void =>
    client.send(call, watchNs, (outcome) => {
      if (outcome.kind !== 'rejected' || retries === MOST_RETRIES) return done(outcome)
      retries += 1
      client.after(secondsToNs(outcome.retryAfter), attempt)
    })
  attempt()
}

/** Figures of client-go's reflector. */
const FIRST_BACKOFF_MS = 800
const LONGEST_BACKOFF_MS = 30_000
const RESET_AFTER_MS = 120_000

/**
 * How long a reflector waits before it begins anew: from 0.8 s doubling to 30 s, each up to twice as long by chance, and
 * from the start again after two minutes in which it did not have to wait.
 */
export class Backoff {
  private nextMs = FIRST_BACKOFF_MS
  private lastNs = Number.NEGATIVE_INFINITY

  /** Nanoseconds. */
  drawNs(nowNs: Nanoseconds, random: Random): Nanoseconds {
    if (nowNs - this.lastNs > msToNs(RESET_AFTER_MS)) this.nextMs = FIRST_BACKOFF_MS
    const ms = this.nextMs * (1 + random())
    this.lastNs = nowNs
    this.nextMs = Math.min(2 * this.nextMs, LONGEST_BACKOFF_MS)
    return msToNs(ms)
  }
}
