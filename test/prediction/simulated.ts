import { defaultFlowSchema, defaultLevel, type LimitedSpec } from '../../core/config/objects.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { exponential, lognormal, namedRandom } from '../../core/simulate/random.ts'
import { dumpFrame, serverFrame } from '../../core/simulate/serverFrame.ts'
import { createSimulation, type Simulation } from '../../core/simulate/simulation.ts'
import type { CallKind, Waves } from '../../core/simulate/workload.ts'
import { SETTLE_SECONDS } from '../../core/twin/forecast.ts'
import { CALLS, clients, OBJECTS, SERVER, withLow, workloadOf } from '../../core/twin/twin.fixture.ts'
import { MS_PER_SECOND, secondsToNs } from '../../core/units.ts'
import { engineOptions } from '../../core/whatif/variant.ts'
import type { MeasuredSpan, Recording } from './bench.ts'
import { between, pick, whole } from './draw.ts'

/** Of pages and dumps, as the Editor keeps them. */
const EVERY_SECONDS = 5
const BEFORE_SECONDS = 600

/** A simulated server with a client in waves beside steady ones, and one edit of `workload-low`: whole waves after it. */
export function simulatedWaves(seed: number): Recording {
  const random = namedRandom(seed, 'waves')
  const range = (low: number, high: number): number => between(random, low, high)
  const count = (low: number, high: number): number => whole(random, low, high)
  const taking = (low: number, high: number): readonly CallKind[] =>
    CALLS.map((call) => ({ ...call, execution: lognormal(range(low, high), range(0.3, 0.9)) }))
  const onRejection = pick(random, ['next', 'retry'] as const)
  const periodMs = range(60, 190) * MS_PER_SECOND
  const waves: Waves = {
    firstMs: range(5, 60) * MS_PER_SECOND,
    activeMs: periodMs * range(0.2, 0.6),
    periodMs,
  }
  const isOpen = random() < 0.4
  const workload = workloadOf(
    clients(
      'wave',
      count(1, 2),
      isOpen
        ? {
            kind: 'open',
            arrivals: { kind: 'poisson', perSecond: range(60, 220), waves },
            calls: taking(150, 600),
            onRejection,
          }
        : {
            kind: 'closed',
            threads: count(60, 300),
            think: exponential(range(10, 800)),
            waves,
            calls: taking(150, 900),
            onRejection,
          },
    ),
    clients('worker', count(2, 10), {
      kind: 'closed',
      threads: count(1, 6),
      think: exponential(range(100, 1_500)),
      calls: taking(20, 400),
    }),
    clients('few', count(1, 5), {
      kind: 'open',
      arrivals: { kind: 'poisson', perSecond: range(1, 8) },
      calls: taking(20, 400),
      onRejection: 'next',
    }),
  )
  const change: Partial<LimitedSpec> = pick(random, [
    { nominalConcurrencyShares: count(20, 250) },
    { borrowingLimitPercent: count(0, 100) },
    {
      limitResponse: {
        type: 'Queue',
        queuing: { queues: count(64, 164), handSize: count(4, 8), queueLengthLimit: count(10, 150) },
      },
    },
  ])
  const after = withLow(change)
  const measuredSeconds = (Math.floor((BEFORE_SECONDS * MS_PER_SECOND) / periodMs) * periodMs) / MS_PER_SECOND
  const until = BEFORE_SECONDS + SETTLE_SECONDS + measuredSeconds
  const simulation = createSimulation({
    ...engineOptions(SERVER, 0, secondsToNs(until)),
    seed,
    workload,
    configuration: OBJECTS,
  })
  const flags = { maxInflight: SERVER.maxRequestsInFlight, maxMutatingInflight: SERVER.maxMutatingRequestsInFlight }
  const before = spanOf(simulation, 0, BEFORE_SECONDS)
  simulation.configure(after)
  const measured = spanOf(simulation, BEFORE_SECONDS + SETTLE_SECONDS, until)
  const asStored = ({ levels, schemas }: typeof OBJECTS): typeof OBJECTS => ({
    levels: levels.map(defaultLevel),
    schemas: schemas.map(defaultFlowSchema),
  })
  const what = `workload-low: ${JSON.stringify(change)}`
  return {
    seed,
    version: SERVER.version,
    what: [`${isOpen ? 'open' : 'closed'}, ${Math.round(waves.activeMs / 1_000)} of ${Math.round(periodMs / 1_000)} s`],
    spans: [
      { ...before, what: '', objects: asStored(OBJECTS), flags },
      { ...measured, what, objects: asStored(after), flags },
    ],
  }
}

function spanOf(simulation: Simulation, from: number, until: number): Pick<MeasuredSpan, 'frames' | 'dumps'> {
  const frames: ServerFrame[] = []
  const dumps: DumpFrame[] = []
  for (let second = from; second <= until; second += EVERY_SECONDS) {
    simulation.runTo(secondsToNs(second))
    frames.push(serverFrame(simulation.engine.snapshot(), { id: 'server', version: SERVER.version }))
    dumps.push(dumpFrame('server', simulation.engine))
  }
  return { frames, dumps }
}
