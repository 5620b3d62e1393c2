import type { ObjectSet } from '../../core/config/objects.ts'
import type { ProxyMode } from '../../core/contract/live.ts'
import { KEPT_REQUESTS } from '../../core/bounds.ts'
import { AS_UPSTREAM, profileFor } from '../../core/engine/profiles.ts'
import { AgreementMeter } from '../../core/live/agreement.ts'
import { type LiveRow, RequestLog, UNTOLD } from '../../core/live/requestLog.ts'
import { UsualDurations } from '../../core/run/usualDurations.ts'
import { createDraft } from '../../main/live/draft.ts'
import { createModeRun } from '../../main/live/modes.ts'
import type { Environment } from '../../main/ports/environment.ts'
import type { LiveTraffic } from '../../main/ports/source.ts'
import { randomFrom } from '../fixtures/syntheticServer.ts'

export interface StoryTrafficOptions {
  readonly mode: ProxyMode
  /** Requests a second. */
  readonly perSecond: number
  readonly version: string
  readonly objects: ObjectSet
  readonly environment: Environment
}

/** Single requests through the engine of a proxy, without anything to listen on and without a server behind. */
export interface StoryTraffic {
  readonly live: LiveTraffic
  configure(objects: ObjectSet): void
  /** Starts the requests. */
  begin(): void
  end(): void
}

const account = (namespace: string, name: string) => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
})
const user = (name: string, ...groups: string[]) => ({ name, groups: [...groups, 'system:authenticated'] })

/** Who sends what: a scanner that floods its level, and all other clients. */
const CLIENTS = [
  { weight: 34, user: account('inventory', 'scanner'), method: 'GET', name: '', runMs: 1_500 },
  { weight: 12, user: account('search', 'indexer'), method: 'GET', name: '', runMs: 300 },
  { weight: 8, user: account('ci', 'runner'), method: 'POST', name: '', runMs: 60 },
  { weight: 5, user: account('monitoring', 'collector'), method: 'GET', name: '', runMs: 300 },
  { weight: 4, user: user('alice'), method: 'GET', name: 'web', runMs: 30 },
  { weight: 9, user: user('system:node:node-17', 'system:nodes'), method: 'PATCH', name: 'web', runMs: 30 },
  { weight: 6, user: user('system:kube-controller-manager'), method: 'PUT', name: 'web', runMs: 30 },
  { weight: 9, user: user('kubernetes-admin', 'system:masters'), method: 'GET', name: 'web', runMs: 30 },
] as const
const WEIGHTS = CLIENTS.reduce((sum, { weight }) => sum + weight, 0)
/** So few seats that the scanner fills its queues. */
const SEATS = { maxRequestsInFlight: 20, maxMutatingRequestsInFlight: 10 } as const
/** For one in so many requests the server reports another width. */
const DIFFERENT_EVERY = 40

export function storyTraffic({ mode, perSecond, version, objects, environment }: StoryTrafficOptions): StoryTraffic {
  const { now, after } = environment
  const random = randomFrom(7)
  const agreement = new AgreementMeter()
  const engine = {
    mode: 'priority-and-fairness',
    ...SEATS,
    profile: profileFor(version),
    corrections: AS_UPSTREAM,
  } as const
  const log = new RequestLog(KEPT_REQUESTS, UNTOLD)
  const onAnswered = (row: LiveRow): void => agreement.note(row, now())
  const run = createModeRun(mode, { engine, now, clock: { now, after }, log, onAnswered })
  log.telling = false
  run.configure(objects)
  const draft = createDraft<LiveRow>({
    version,
    beside: () => ({ baseline: run.engine, engine: { ...engine, startUnixMs: run.startUnixMs } }),
    lengths: () => ({
      kind: 'measured',
      from: run.mode === 'enforce' ? 'dispatch' : 'arrival',
      usual: new UsualDurations(),
    }),
    touch: (row) => log.touch(row),
    listen: (listener) => run.listen(listener),
  })

  const arrive = (): void => {
    let left = random() * WEIGHTS
    const client = CLIENTS.find(({ weight }) => (left -= weight) < 0) ?? CLIENTS[0]
    const runMs = client.runMs * (0.5 + random())
    const path = `/api/v1/namespaces/tenant-${1_000 + Math.floor(random() * 4_000)}/pods`
    const call = run.arrive({
      user: client.user,
      method: client.method,
      target: client.name === '' ? path : `${path}/${client.name}`,
      bytes: 1_000,
      decide: (verdict) => {
        if (verdict.kind === 'run') after(runMs, () => call.finished(200, server))
      },
    })
    const [row] = log.before(1)
    if (row === undefined) throw new Error('what arrived is not in the log')
    const { seq, level, schema, seats } = row
    const initialSeats = seats.initial + (seq % DIFFERENT_EVERY === 0 ? 1 : 0)
    const server = { level, schema, initialSeats, finalSeats: seats.final }
  }
  let cancel = (): void => undefined
  return {
    configure: (next) => run.configure(next),
    begin() {
      if (perSecond === 0) return
      const began = now()
      let count = 0
      const next = (): void => {
        // Between two instants at which the session reports: the order of what is due at one instant is no fact to test.
        cancel = after(began + ((count + 0.5) * 1_000) / perSecond - now(), () => {
          count += 1
          arrive()
          next()
        })
      }
      next()
    },
    end() {
      cancel()
      draft.close()
      run.close()
    },
    live: {
      log,
      version,
      get engine() {
        return run.engine
      },
      settle() {
        run.settle()
        draft.settle()
      },
      state() {
        const { report } = draft
        return {
          title: 'http://127.0.0.1:41233 → prod-eu-1',
          address: 'http://127.0.0.1:41233',
          mode: run.mode,
          limits: [],
          arrived: log.count,
          unreadable: 0,
          agreement: agreement.read(now()),
          ...(report !== undefined && { candidate: report }),
        }
      },
      candidate: (wish) => draft.wish(wish),
      change(wanted) {
        run.settle()
        run.change(wanted)
        draft.renew()
      },
    },
  }
}
