import { msToNs, type Nanoseconds, nsToMs, MS_PER_SECOND, secondsToNs } from '../units.ts'
import {
  drawCall,
  stepAt,
  type Arrivals,
  type BackOff,
  type Behaviour,
  type CallMix,
  type OnRejection,
  type PreparedCall,
  type Steps,
  type Waves,
} from './workload.ts'
import { type Distribution, drawNs, exponential, type Random, type RandomState, uniform } from './random.ts'
import type { Job } from './jobs.ts'
import type { Flight, Outcome } from './server.ts'

/** Extra wait of a closed-loop client after a failure, on top of its think time. */
const AFTER_FAILURE = uniform(500, 1_500)
/** Threads whose wave begins do not move in step. */
const WAVE_START = exponential(500)
/** How often client-go's REST client retries a request that was answered with 429 and Retry-After. */
const MOST_RETRIES = 10

type Closed = Extract<Behaviour, { kind: 'closed' }>
type Informing = Extract<Behaviour, { kind: 'informer' }>

/** The constant behaviour of a client, which follows from the scenario. */
export type ClientPlan =
  /** Calls at given times, each retried on its own. */
  | {
      readonly kind: 'open'
      readonly arrivals: Arrivals
      readonly mix: CallMix
      readonly onRejection?: OnRejection | BackOff
    }
  /** One thread that calls, waits for the answer, thinks, and calls again. */
  | ({ readonly kind: 'closed'; readonly mix: CallMix; readonly thread: number } & Pick<
      Closed,
      'think' | 'waves' | 'active' | 'onRejection'
    >)
  /** One thread that sends requests that others need or cause. */
  | { readonly kind: 'on demand'; readonly mix: CallMix; readonly think: Distribution }
  /** Keeps a copy of one resource: lists, watches from there on, and lists again when the watch cannot be resumed. */
  | ({ readonly kind: 'informer'; readonly list: PreparedCall; readonly watch: PreparedCall } & Pick<
      Informing,
      'start' | 'watchLife' | 'relistChance'
    >)

type ClosedPlan = Extract<ClientPlan, { kind: 'closed' }>

/** The state of a client, except for its pending tasks: plain data that each step changes in place. */
export interface ClientState {
  readonly random: RandomState
  /**
   * For a client that does not retry: a separate sequence of random numbers for its draws after a failure, so that its
   * n-th call is the same regardless of the outcome of earlier ones.
   */
  readonly failures?: RandomState
  /** Of an open-loop client, once it has begun. */
  arrivals?: ArrivalState
  /** Of an informer that had to restart. */
  backoff?: BackoffState
  /** The current job of a client that sends on demand; absent while it waits for a job. */
  job?: Job
  /** Of a thread: its think time since a bug made it hurry, after failures too. */
  hurryMs?: number
}

export const copyOfState = ({ random, failures, arrivals, backoff, ...rest }: ClientState): ClientState => ({
  ...rest,
  random: [...random],
  ...(failures !== undefined && { failures: [...failures] }),
  ...(arrivals !== undefined && { arrivals: { ...arrivals, pending: [...arrivals.pending] } }),
  ...(backoff !== undefined && { backoff: { ...backoff } }),
})

/** A later action of a client. */
export type ClientTask =
  /**
   * Its next call: for an open-loop client the one due now, for a thread the one after thinking, for an informer its
   * list, for a client on demand its job.
   */
  { readonly kind: 'call'; readonly client: number } | { readonly kind: 'retry'; readonly flight: Flight }

/** A client with its plan, state and random numbers. */
export interface Client {
  readonly number: number
  readonly plan: ClientPlan
  readonly state: ClientState
  /** Draws from `state.random`. */
  readonly random: Random
  /** Draws from `state.failures` where the client has it. */
  readonly failureRandom: Random
}

export interface ClientWorld {
  readonly nowNs: () => Nanoseconds
  /** Runs a task after this many nanoseconds. */
  readonly later: (ns: Nanoseconds, task: ClientTask) => void
  readonly send: (flight: Flight) => void
  /** Whether the request for which a job was created still waits for it. */
  readonly isWanted: (job: Job) => boolean
  readonly done: (job: Job) => void
  /** The client has no job any more. */
  readonly free: (client: number) => void
}

const LIST = 0
const WATCH = 1

export function callOf(plan: ClientPlan, place: number): PreparedCall | undefined {
  if (plan.kind === 'informer') return place === LIST ? plan.list : plan.watch
  return plan.mix.calls[place]
}

export function begin(client: Client, world: ClientWorld): void {
  const { plan, random, number } = client
  switch (plan.kind) {
    case 'open':
      return planArrival(client, plan.arrivals, world)
    case 'closed':
      return world.later(drawNs(plan.think, random), { kind: 'call', client: number })
    case 'on demand':
      return world.free(number)
    case 'informer':
      return world.later(drawNs(plan.start, random), { kind: 'call', client: number })
  }
}

/** Performs a `ClientTask` of kind `call`. */
export function makeCall(client: Client, world: ClientWorld): void {
  const { plan, random } = client
  switch (plan.kind) {
    case 'open':
      send(client, drawCall(plan.mix, random), world)
      return planArrival(client, plan.arrivals, world)
    case 'closed': {
      const pauseNs = Math.max(pauseOf(plan.waves, world.nowNs(), random), restOf(plan, world.nowNs()))
      if (pauseNs === Number.POSITIVE_INFINITY) return
      if (pauseNs > 0) return world.later(pauseNs, { kind: 'call', client: client.number })
      return send(client, drawCall(plan.mix, random), world)
    }
    case 'on demand': {
      const { job } = client.state
      if (job !== undefined && world.isWanted(job)) return send(client, drawCall(plan.mix, random), world)
      delete client.state.job
      return world.free(client.number)
    }
    case 'informer':
      return send(client, LIST, world)
  }
}

export const givesUp = (plan: ClientPlan): boolean =>
  plan.kind === 'on demand' || (plan.kind !== 'informer' && plan.onRejection === 'next')

export function backOffOf(plan: ClientPlan): BackOff | undefined {
  if (plan.kind !== 'open' && plan.kind !== 'closed') return undefined
  return typeof plan.onRejection === 'object' ? plan.onRejection : undefined
}

function pauseBefore(retry: number, { firstMs, factor, mostMs, jitter }: BackOff, random: Random): Nanoseconds {
  const ms = Math.min(mostMs, firstMs * factor ** (retry - 1))
  return drawNs(uniform((1 - jitter) * ms, (1 + jitter) * ms), random)
}

/**
 * The attempt has ended. Like client-go, the client waits after a 429 for exactly the seconds of Retry-After and tries
 * again, at most ten times, unless it gives up at once.
 */
export function answered(client: Client, flight: Flight, outcome: Outcome, world: ClientWorld): void {
  const { plan, random, failureRandom, number } = client
  const backOff = backOffOf(plan)
  if (backOff !== undefined && outcome.kind !== 'served') {
    const again = { ...flight, retries: flight.retries + 1 }
    return world.later(pauseBefore(again.retries, backOff, failureRandom), { kind: 'retry', flight: again })
  }
  if (outcome.kind === 'rejected' && flight.retries < MOST_RETRIES && !givesUp(plan)) {
    const again = { ...flight, retries: flight.retries + 1 }
    return world.later(secondsToNs(outcome.retryAfter), { kind: 'retry', flight: again })
  }
  const isServed = outcome.kind === 'served'
  switch (plan.kind) {
    case 'open':
      return
    case 'closed': {
      const thoughtNs = drawNs(plan.think, random)
      const { hurryMs } = client.state
      if (hurryMs !== undefined) return world.later(msToNs(hurryMs), { kind: 'call', client: number })
      const pauseNs = isServed ? thoughtNs : thoughtNs + drawNs(AFTER_FAILURE, failureRandom)
      return world.later(pauseNs, { kind: 'call', client: number })
    }
    case 'on demand': {
      const { job } = client.state
      if (!isServed) return world.later(drawNs(AFTER_FAILURE, failureRandom), { kind: 'call', client: number })
      delete client.state.job
      if (job !== undefined) world.done(job)
      return world.free(number)
    }
    case 'informer': {
      if (!isServed) {
        client.state.backoff ??= { ...FIRST_BACKOFF }
        const backoffNs = drawBackoffNs(client.state.backoff, world.nowNs(), random)
        return world.later(backoffNs, { kind: 'call', client: number })
      }
      if (flight.call === WATCH && random() < plan.relistChance) return makeCall(client, world)
      return send(client, WATCH, world, drawNs(plan.watchLife, random))
    }
  }
}

function send({ number }: Client, call: number, world: ClientWorld, watchNs?: Nanoseconds): void {
  world.send({ client: number, call, watchNs, retries: 0 })
}

function planArrival({ state, random, number }: Client, arrivals: Arrivals, world: ClientWorld): void {
  state.arrivals ??= firstArrival()
  const ns = nextArrivalNs(arrivals, state.arrivals, random)
  if (ns !== undefined) world.later(Math.max(0, ns - world.nowNs()), { kind: 'call', client: number })
}

function pauseOf(waves: Waves | undefined, nowNs: Nanoseconds, random: Random): Nanoseconds {
  if (waves === undefined) return 0
  const nowMs = nsToMs(nowNs)
  const activeMs = nextActiveMs(waves, nowMs)
  return activeMs > nowMs ? msToNs(activeMs - nowMs) + drawNs(WAVE_START, random) : 0
}

/** How long until the number of active threads includes this one; `Infinity` when it never does. */
function restOf({ active, thread }: Pick<ClosedPlan, 'active' | 'thread'>, nowNs: Nanoseconds): Nanoseconds {
  if (active === undefined) return 0
  const { stepMs, values } = active
  const nowMs = nsToMs(nowNs)
  const now = stepAt(active, nowMs)
  const later = values.findIndex((_, step) => (values[(now + step) % values.length] ?? 0) > thread)
  if (later <= 0) return later < 0 ? Number.POSITIVE_INFINITY : 0
  return msToNs((Math.floor(nowMs / stepMs) + later) * stepMs - nowMs)
}

/** When an activity is next on, not before `ms`: `ms` itself while it is on. */
export function nextActiveMs({ firstMs, activeMs, periodMs }: Waves, ms: number): number {
  if (ms < firstMs) return firstMs
  const within = (ms - firstMs) % periodMs
  return within < activeMs ? ms : ms - within + periodMs
}

/** The state of the arrivals of an open-loop client. */
export interface ArrivalState {
  /** Arrivals, or bursts of them, before the next one. */
  turn: number
  /** Of the last arrival, milliseconds since the start. */
  latestMs: number
  /** The phase of a regular client in its period, milliseconds. */
  offsetMs: number | undefined
  /** The rest of a burst, milliseconds after it began. */
  pending: number[]
}

export const firstArrival = (): ArrivalState => ({ turn: 0, latestMs: 0, offsetMs: undefined, pending: [] })

/**
 * When an open-loop client calls next: whole nanoseconds since the start, ascending; `undefined` after the last time.
 */
export function nextArrivalNs(arrivals: Arrivals, state: ArrivalState, random: Random): Nanoseconds | undefined {
  const ms = nextArrivalMs(arrivals, state, random)
  return ms === undefined ? undefined : msToNs(ms)
}

function nextArrivalMs(arrivals: Arrivals, state: ArrivalState, random: Random): number | undefined {
  switch (arrivals.kind) {
    case 'poisson':
      return poisson(arrivals.perSecond, arrivals.waves, state, random)
    case 'regular': {
      const { periodMs, jitter } = arrivals
      state.offsetMs ??= random() * periodMs
      // Half a period to each side keeps the order.
      const offMs = (random() - 0.5) * Math.min(jitter, 1) * periodMs
      return Math.max(0, state.offsetMs + state.turn++ * periodMs + offMs)
    }
    case 'bursts':
      return burst(arrivals, state, random)
    case 'steps':
      return inSteps(arrivals.perSecond, state, random)
    case 'schedule':
      return arrivals.atMs.toSorted((a, b) => a - b)[state.turn++]
  }
}

function poisson(perSecond: number, waves: Waves | undefined, state: ArrivalState, random: Random): number | undefined {
  if (perSecond <= 0) return undefined
  for (;;) {
    state.latestMs += (-Math.log(1 - random()) * MS_PER_SECOND) / perSecond
    const activeMs = waves === undefined ? state.latestMs : nextActiveMs(waves, state.latestMs)
    if (activeMs <= state.latestMs) return state.latestMs
    // The process has no memory, so it may as well restart with the wave.
    state.latestMs = activeMs
  }
}

/**
 * The next arrival at a rate that is constant within a step: the rest of an exponential draw continues in the next
 * step.
 */
function inSteps(perSecond: Steps, state: ArrivalState, random: Random): number | undefined {
  const { stepMs, values } = perSecond
  if (!values.some((value) => value > 0)) return undefined
  let rest = -Math.log(1 - random()) * MS_PER_SECOND
  for (;;) {
    const endMs = (Math.floor(state.latestMs / stepMs) + 1) * stepMs
    const rate = values[stepAt(perSecond, state.latestMs)] ?? 0
    const needed = rest / rate
    if (state.latestMs + needed < endMs) {
      state.latestMs += needed
      return state.latestMs
    }
    rest -= (endMs - state.latestMs) * rate
    state.latestMs = endMs
  }
}

function burst(
  { waves, count, spreadMs }: Extract<Arrivals, { kind: 'bursts' }>,
  state: ArrivalState,
  random: Random,
): number | undefined {
  if (count < 1) return undefined
  if (state.pending.length === 0) {
    state.pending = Array.from({ length: count }, () => random() * spreadMs).toSorted((a, b) => a - b)
    state.turn += 1
  }
  const offsetMs = state.pending.shift() ?? 0
  state.latestMs = Math.max(state.latestMs, waves.firstMs + (state.turn - 1) * waves.periodMs + offsetMs)
  return state.latestMs
}

/** Figures of client-go's reflector. */
const LONGEST_BACKOFF_MS = 30_000
const RESET_AFTER_MS = 120_000

/** The state of a reflector about its restarts. */
export interface BackoffState {
  nextMs: number
  lastNs: Nanoseconds
}

export const FIRST_BACKOFF: Readonly<BackoffState> = { nextMs: 800, lastNs: Number.NEGATIVE_INFINITY }

/**
 * How long a reflector waits before it restarts, nanoseconds: doubling from 0.8 s to 30 s, each up to twice as long at
 * random, and from the start again after two minutes in which it did not have to wait.
 */
export function drawBackoffNs(state: BackoffState, nowNs: Nanoseconds, random: Random): Nanoseconds {
  if (nowNs - state.lastNs > msToNs(RESET_AFTER_MS)) state.nextMs = FIRST_BACKOFF.nextMs
  const ms = state.nextMs * (1 + random())
  state.lastNs = nowNs
  state.nextMs = Math.min(2 * state.nextMs, LONGEST_BACKOFF_MS)
  return msToNs(ms)
}
