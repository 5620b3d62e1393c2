import type { ProcedureHandlers, StreamEvent, StreamHandlers } from '../../core/contract/contract.ts'
import type { LiveRequest, LiveState } from '../../core/contract/live.ts'
import { AgreementMeter } from '../../core/live/agreement.ts'
import { RequestLog, type LiveRow } from '../../core/live/requestLog.ts'
import { randomFrom } from '../fixtures/syntheticServer.ts'

type Live = Extract<keyof ProcedureHandlers, `live.${string}`>

export interface MemoryLiveOptions {
  readonly mode: LiveState['mode']
  /** Requests a second. */
  readonly perSecond: number
  /** Requests that were there before the page came. */
  readonly before: number
  readonly now: () => number
  readonly connection: () => number
}

export interface MemoryLive {
  readonly procedures: Pick<ProcedureHandlers, Live>
  readonly streams: Pick<StreamHandlers, 'live' | 'liveState'>
  /** Lives through a tenth of a second. */
  readonly tick: () => void
}

/** Who sends what: weight, user, level, schema, whether lists are sent. */
const CLIENTS = [
  { weight: 34, user: 'system:serviceaccount:inventory:scanner', verb: 'list' },
  { weight: 12, user: 'system:serviceaccount:search:indexer', verb: 'list' },
  { weight: 8, user: 'system:serviceaccount:ci:runner', verb: 'create' },
  { weight: 5, user: 'system:serviceaccount:monitoring:collector', verb: 'list' },
  { weight: 4, user: 'alice', verb: 'get' },
  { weight: 9, user: 'system:node:node-17', verb: 'patch' },
  { weight: 6, user: 'system:kube-controller-manager', verb: 'update' },
  { weight: 7, user: 'system:apiserver', verb: 'get' },
  { weight: 2, user: 'kubernetes-admin', verb: 'get' },
] as const
const RESOURCES = ['pods', 'secrets', 'configmaps', 'endpoints', 'events', 'deployments.apps'] as const

function placeOf(user: string): Pick<LiveRequest, 'level' | 'schema' | 'flow' | 'groups'> {
  const groups = user.startsWith('system:serviceaccount:')
    ? ['system:serviceaccounts', `system:serviceaccounts:${user.split(':')[2] ?? ''}`, 'system:authenticated']
    : ['system:authenticated']
  if (user === 'system:apiserver' || user === 'kubernetes-admin')
    return { level: 'exempt', schema: 'exempt', flow: '', groups: ['system:masters', ...groups] }
  if (user.startsWith('system:node:'))
    return { level: 'system', schema: 'system-nodes', flow: user, groups: ['system:nodes', ...groups] }
  if (user === 'system:kube-controller-manager')
    return { level: 'workload-high', schema: 'kube-controller-manager', flow: 'kube-system', groups }
  if (user.startsWith('system:serviceaccount:'))
    return { level: 'workload-low', schema: 'service-accounts', flow: user, groups }
  return { level: 'global-default', schema: 'global-default', flow: user, groups }
}

/** Single requests of a made-up afternoon: a scanner that floods workload-low, and everybody else. */
export function memoryLive({ mode: firstMode, perSecond, before, now, connection }: MemoryLiveOptions): MemoryLive {
  const random = randomFrom(7)
  const log = new RequestLog(200_000, 2_000)
  const meter = new AgreementMeter()
  const ends: { readonly at: number; readonly end: () => void }[] = []
  const listeners = new Set<(event: StreamEvent<'live'>) => void>()
  const stateListeners = new Set<(state: LiveState) => void>()
  let candidateOn = false
  let mode = firstMode
  let ticks = 0
  let owed = 0

  const pick = <T>(list: readonly T[]): T => {
    const item = list[Math.floor(random() * list.length)]
    if (item === undefined) throw new Error('the list is empty')
    return item
  }
  const client = (): (typeof CLIENTS)[number] => {
    let left = random() * CLIENTS.reduce((sum, { weight }) => sum + weight, 0)
    return CLIENTS.find(({ weight }) => (left -= weight) < 0) ?? CLIENTS[0]
  }
  const seatsOf = (verb: string): LiveRequest['seats'] =>
    verb === 'list'
      ? { initial: pick([1, 2, 2, 2, 5]), final: 0 }
      : { initial: 1, final: ['create', 'update', 'patch'].includes(verb) ? pick([0, 1, 3]) : 0 }

  const arrive = (at: number): void => {
    const { user, verb } = client()
    const place = placeOf(user)
    const resource = pick(RESOURCES)
    const namespace = place.level === 'exempt' ? 'kube-system' : `tenant-${1_000 + Math.floor(random() * 4_000)}`
    const name = verb === 'list' || verb === 'create' ? '' : `object-${Math.floor(random() * 100)}`
    const group = resource.includes('.') ? '/apis/apps/v1' : '/api/v1'
    const seats = seatsOf(verb)
    const crowded = place.level === 'workload-low'
    const row = log.begin({
      at,
      user,
      verb,
      url: `${group}/namespaces/${namespace}/${resource.split('.', 1)[0] ?? ''}${name === '' ? '' : `/${name}`}`,
      resource,
      namespace,
      name,
      state: crowded ? 'waiting' : 'executing',
      seats,
      ...place,
      ...(crowded && {
        queue: user.endsWith('scanner') ? pick([45, 41, 126, 105, 14, 42]) : Math.floor(random() * 128),
      }),
    })
    const full = user.endsWith('scanner') && random() < 0.4
    const tooLong = crowded && !full && random() < 0.02
    const waitMs = full
      ? 0
      : tooLong
        ? 15_000
        : crowded
          ? user.endsWith('scanner')
            ? 2_000 + random() * 4_000
            : random() * 90
          : 0
    if (full || tooLong) {
      const refuse = (): void => {
        const reason = full ? 'queue-full' : 'time-out'
        finish(row, { state: 'rejected', waitMs, status: 429, reason, retryAfter: full ? 4 : 2 }, at + waitMs)
      }
      return later(at + waitMs, refuse)
    }
    later(at + waitMs, () => {
      row.state = 'executing'
      row.waitMs = waitMs
      log.touch(row)
    })
    const runMs = 2 + random() ** 3 * (verb === 'list' ? 4_000 : 200)
    const lingerMs = seats.final > 0 ? 5 : 0
    later(at + waitMs + runMs, () =>
      finish(
        row,
        { state: 'served', waitMs, runMs, lingerMs, status: verb === 'create' ? 201 : 200 },
        at + waitMs + runMs,
      ),
    )
  }
  const later = (at: number, end: () => void): void => void ends.push({ at, end })

  const finish = (row: LiveRow, change: Partial<LiveRequest>, at: number): void => {
    Object.assign(row, change)
    if (mode === 'observe' || mode === 'feed') row.server = serverWords(row)
    if (candidateOn)
      row.candidate = { level: row.level, schema: row.schema, state: random() < 0.9 ? row.state : 'rejected' }
    meter.note(row, at)
    log.touch(row)
  }
  const serverWords = (row: LiveRow): NonNullable<LiveRequest['server']> => {
    const wide = row.seats.initial === 5 && random() < 0.05
    return {
      level: row.level,
      schema: random() < 0.0005 ? 'global-default' : row.schema,
      initialSeats: wide ? 2 : row.seats.initial,
      finalSeats: row.seats.final,
      ...(row.waitMs !== undefined && { waitMs: row.waitMs + random() * 5.2 }),
    }
  }

  const live = (at: number, seconds: number): void => {
    owed += perSecond * seconds
    const count = Math.floor(owed)
    owed -= count
    for (let nth = 1; nth <= count; nth++) arrive(at - (1 - nth / count) * seconds * 1_000)
    const due = ends.filter((one) => one.at <= at).toSorted((a, b) => a.at - b.at)
    const left = ends.filter((one) => one.at > at)
    ends.splice(0, ends.length, ...left)
    for (const { end } of due) end()
  }
  const begun = now()
  if (perSecond > 0)
    for (let tenth = -Math.ceil((before / perSecond) * 10); tenth < 0; tenth++) live(begun + tenth * 100, 0.1)
  log.takeChanges()

  const side = (factor: number) => ({
    arrived: log.count,
    rejected: Math.round(log.count * 0.118 * factor),
    executingSeats: Math.round(491 / factor),
    queued: Math.round(338 / factor),
    waitP99: { 'workload-low': 14_200 / factor, 'global-default': 6_420 / factor, system: 4 },
  })
  const state = (): LiveState => ({
    title: 'http://127.0.0.1:41233 → prod-eu-1',
    ...(mode !== 'simulation' && { address: 'http://127.0.0.1:41233' }),
    mode,
    limits: mode === 'feed' ? ['Audit events carry no seats and no queue waits; both are estimated.'] : [],
    arrived: log.count,
    unreadable: 0,
    agreement: meter.read(now()),
    ...(candidateOn && {
      candidate: { seconds: 300, a: side(1), b: side(2.6), different: Math.round(log.count * 0.1) },
    }),
  })
  const tellState = (): void => {
    for (const emit of stateListeners) emit(state())
  }
  return {
    procedures: {
      'live.page': async ({ before: seq, since, count }) => ({
        connection: connection(),
        event: log.event,
        requests: log.before(count, seq, since),
      }),
      'live.candidate': async ({ wish }) => {
        candidateOn = wish.on
        tellState()
        return state()
      },
      'live.mode': async (wished) => {
        mode = wished.mode
        tellState()
        return state()
      },
    },
    streams: {
      live: (_params, emit, signal) => {
        listeners.add(emit)
        signal.addEventListener('abort', () => void listeners.delete(emit))
        emit({ connection: connection(), from: log.event, event: log.event, requests: [], dropped: 0 })
      },
      liveState: (_params, emit, signal) => {
        stateListeners.add(emit)
        signal.addEventListener('abort', () => void stateListeners.delete(emit))
        emit(state())
      },
    },
    tick() {
      live(now(), 0.1)
      const changes = log.takeChanges()
      if (changes.event > changes.from) for (const emit of listeners) emit({ connection: connection(), ...changes })
      ticks += 1
      if (ticks % 10 === 0) tellState()
    },
  }
}
