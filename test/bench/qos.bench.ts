/**
 * The rules engine of etcd QoS, on one thread.
 *
 * - `decide`: from a request as data to its decision and the end of its call, 10⁵ requests by 0, 100 and 1,000 rules (a
 *   configuration has at most 100); `perSecondOfProcessor` counts only the time that the thread had a processor. The
 *   last rule that matches is in the middle of the order, and every second request matches none.
 * - `memory`: heap and buffers, garbage collected, over 10⁶ distinct requests that are cheap, and that are expensive,
 *   with the requests that a proxy keeps: `filledMb` until everything that is bounded is full, compiled code included,
 *   and `grownMb` from then on.
 */
import os from 'node:os'
import type { QosConfiguration, QosRule } from '../../core/qos/configuration.ts'
import { DEFAULT_SETTINGS } from '../../core/qos/configuration.ts'
import { QosEngine } from '../../core/qos/engine.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import { seenOf } from '../../core/qos/seen.ts'
import { Traffic } from '../../core/qos/traffic.ts'
import { msToNs } from '../../core/units.ts'
import { collectGarbage } from './engine/garbage.ts'
import { CLASS, ruleAt } from './etcd/rules.ts'
import { median, report, round } from './statistics.ts'

const REQUESTS = 100_000
const ROUNDS = 5
const WARM_UP = 1
const DISTINCT = 1_000_000
/** By then everything that is bounded is full. */
const FILLED = 50_000
/** A request of the proxy takes about this long: 100 rules may cost a fifth of it. */
const GOAL_PER_SECOND = 20_000

const configurationOf = (rules: readonly QosRule[]): QosConfiguration => ({
  classes: [CLASS],
  rules,
  settings: DEFAULT_SETTINGS,
})

/** Reads and writes, of which the even ones are of a kind that the rule in the middle selects. */
function requestsFor(rules: number): readonly QosRequest[] {
  return Array.from({ length: 1_000 }, (_, index): QosRequest => {
    const kind = index % 2 === 0 ? `kind${Math.floor(rules / 2)}` : 'other'
    const key = `/registry/${kind}/ns${index % 50}/`
    const body =
      index % 4 < 2
        ? { op: 'Range' as const, key, rangeEnd: `${key.slice(0, -1)}0` }
        : { op: 'Put' as const, key: `${key}x` }
    return { method: `KV/${body.op}`, body, user: `user${index % 20}`, clientIP: '10.0.0.7', requestBytes: 200 }
  })
}

const measured = (scannedKeys: number) => ({ ok: true, scannedKeys, responseBytes: 4_000, latencyMs: 2 })

interface Round {
  readonly wallMs: number
  readonly processorMs: number
  readonly limited: number
}

function oneRound(rules: readonly QosRule[], requests: readonly QosRequest[]): Round {
  const engine = new QosEngine(configurationOf(rules), () => undefined)
  const outcome = measured(2_000)
  let limited = 0
  const processor = process.cpuUsage()
  const started = performance.now()
  for (let i = 0; i < REQUESTS; i++) {
    const request = requests[i % requests.length]
    if (request === undefined) continue
    const now = msToNs(i / 20)
    const { id, verdict } = engine.arrive(request, now)
    if (verdict === 'passed') engine.end(id, outcome, now)
    else limited += 1
  }
  const { user, system } = process.cpuUsage(processor)
  return { wallMs: performance.now() - started, processorMs: (user + system) / 1_000, limited }
}

function decide(): void {
  const counts = [0, 100, 1_000]
  const prepared = counts.map((count) => {
    const rules = Array.from({ length: count }, (_, index) => ruleAt(index))
    return { count, rules, requests: requestsFor(count), rounds: [] as Round[] }
  })
  // In turns, so that other work on the machine affects all of them.
  for (let turn = 0; turn < WARM_UP + ROUNDS; turn++) {
    for (const one of prepared) {
      const result = oneRound(one.rules, one.requests)
      if (turn >= WARM_UP) one.rounds.push(result)
    }
  }
  for (const { count, rounds } of prepared) {
    const perSecond = (of: (each: Round) => number): number => Math.round((REQUESTS * 1_000) / median(rounds.map(of)))
    report({
      bench: 'qos decide',
      rules: count,
      requests: REQUESTS,
      limited: rounds[0]?.limited,
      perSecond: perSecond(({ wallMs }) => wallMs),
      perSecondOfProcessor: perSecond(({ processorMs }) => processorMs),
      range: rounds.map(({ wallMs }) => Math.round((REQUESTS * 1_000) / wallMs)).toSorted((a, b) => a - b),
      goal: GOAL_PER_SECOND,
      load: round(os.loadavg()[0] ?? Number.NaN, 2),
    })
  }
}

const usedMb = (): number => collectGarbage() / 2 ** 20

function memory(kind: string, scannedKeys: number): void {
  const engine = new QosEngine(configurationOf([{ ...ruleAt(0), prefixPaths: [] }]), () => undefined)
  const start = usedMb()
  let filled = start
  const traffic = new Traffic()
  for (let i = 0; i < DISTINCT; i++) {
    const request: QosRequest = {
      method: 'KV/Range',
      body: { op: 'Range', key: `/registry/pods/${i}/` },
      user: `user${i}`,
      clientIP: '10.0.0.7',
    }
    const decision = engine.arrive(request, msToNs(i))
    const observed = measured(scannedKeys)
    engine.end(decision.id, observed, msToNs(i))
    if (decision.verdict !== 'waiting') traffic.push(seenOf(decision, observed))
    if (i === FILLED) filled = usedMb()
  }
  const grown = usedMb() - filled
  const { tracker, inFlight } = engine.state
  report({
    bench: 'qos memory',
    requests: DISTINCT,
    kind,
    filledMb: round(filled - start, 2),
    grownMb: round(grown, 2),
    goalMb: 5,
    tracked: tracker.size,
    inFlight: inFlight.size,
    kept: traffic.recent(0).length,
  })
}

export function run(): Promise<void> {
  decide()
  memory('cheap', 10)
  memory('expensive', 5_000)
  return Promise.resolve()
}
