import { setTimeout as sleep } from 'node:timers/promises'
import { API_VERSION } from '../../core/config/content.ts'
import { defaultFlowSchema, defaultLevel, type ObjectSet } from '../../core/config/objects.ts'
import { QUANTITIES } from '../../core/bounds.ts'
import type { ForecastReport } from '../../core/contract/forecast.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { median } from '../../core/frame/quantile.ts'
import { createFrameBuilder } from '../../core/metrics/buildFrame.ts'
import { emptyDump, withDump } from '../../core/metrics/dumps.ts'
import { createParser } from '../../core/metrics/parse.ts'
import { MS_PER_SECOND, rfc3339 } from '../../core/units.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { fitTwin } from '../../core/twin/fit.ts'
import { flowsOf } from '../../core/twin/flows.ts'
import { forecast, SETTLE_SECONDS } from '../../core/twin/forecast.ts'
import { twinHistory } from '../../core/twin/history.ts'
import { judge, type Judged } from '../../core/twin/judge.ts'
import { observe } from '../../core/twin/observe.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import { allNamed } from '../harness/consent.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN, CRAWLER } from './identities.ts'
import { patient, runLoad } from './load.ts'
import { predictable, seed } from './profiles.ts'

/** One edit of the objects that a server begins with. */
export interface PredictedEdit {
  readonly what: string
  readonly edit: (objects: ObjectSet) => ObjectSet
}

export interface PredictionTimes {
  /** Seconds of pages before the first edit, and after each edit once the first moments have passed. */
  readonly before: number
  readonly after: number
}

/** A value that was forecast, and the measured one. */
export interface Prediction extends Judged {
  readonly load: string
  readonly what: string
}

export interface Outcome {
  readonly predictions: readonly Prediction[]
  readonly report: ForecastReport
  /** Nominal limits that are not those that were computed. */
  readonly wrongLimits: readonly string[]
  /** Levels with requests for which only limits were shown. */
  readonly limitsOnly: readonly string[]
}

/** The measurements under one set of objects. */
export interface MeasuredSpan extends Pages {
  readonly what: string
  readonly objects: ObjectSet
  /** Seats of the server where they are others than those of `SERVER_LIMITS`. */
  readonly serverLimit?: number
}

/** A server under one load: the objects that it begins with, and then one edit after the other. */
export interface LoadRecording {
  readonly load: string
  readonly version: string
  readonly spans: readonly MeasuredSpan[]
}

/** Seeds a server and reads the objects that its edits begin with. */
export async function seededObjects(cluster: Cluster): Promise<ObjectSet> {
  await seed(cluster)
  return (await readClusterObjects({ kind: 'kubeconfig', file: cluster.kubeconfig }, allNamed)).objects
}

/** The server and its clients settle for so long before the history begins, seconds. */
const START_SECONDS = 25
/** Of the servers whose edits are forecast. */
export const SERVER_LIMITS = { maxInflight: 80, maxMutatingInflight: 40 } as const
export const OTHER_LIMITS = { maxInflight: 60, maxMutatingInflight: 30 } as const
/** A dump takes a lock of the server's. */
const DUMP_EVERY = 5

/**
 * Loads the server and reads its pages, before and after each edit, and undoes the edits. Forecasts are computed
 * afterwards, each from the pages before its edit alone: the load runs in this process and would be held up.
 */
export async function recordEdits(
  cluster: Cluster,
  objects: ObjectSet,
  load: keyof typeof predictable,
  edits: readonly PredictedEdit[],
  { before, after }: PredictionTimes,
): Promise<LoadRecording> {
  const seconds = START_SECONDS + before + edits.length * (SETTLE_SECONDS + after + 10) + 30
  const end = new AbortController()
  const running = runLoad(cluster, patient(predictable[load](seconds)), seconds, end.signal)
  const pages = pageReader(cluster)
  let present = objects
  try {
    await sleep(START_SECONDS * 1_000)
    const spans: MeasuredSpan[] = [{ what: 'as it is', objects: asStored(objects), ...(await pages(before)) }]
    for (const { what, edit } of edits) {
      const edited = edit(objects)
      await putAll(cluster, present, edited)
      present = edited
      await sleep(SETTLE_SECONDS * 1_000)
      spans.push({ what, objects: asStored(edited), ...(await pages(after)) })
    }
    return { load, version: cluster.version, spans }
  } finally {
    end.abort()
    await running
    await putAll(cluster, present, objects)
  }
}

/** The same load on a server that was started with other flags, whose objects are those of the first one. */
export async function recordOtherFlags(
  cluster: Cluster,
  before: MeasuredSpan,
  load: keyof typeof predictable,
  after: number,
): Promise<LoadRecording> {
  const { maxInflight, maxMutatingInflight } = OTHER_LIMITS
  const what = `server limit 120 → ${maxInflight + maxMutatingInflight}`
  const { spans, version } = await recordEdits(cluster, before.objects, load, [], { before: after, after: 0 })
  const measured = spans.map((span) => ({ ...span, what, serverLimit: maxInflight + maxMutatingInflight }))
  return { load, version, spans: [before, ...measured] }
}

interface Pages {
  readonly frames: readonly ServerFrame[]
  readonly dumps: readonly DumpFrame[]
}

function pageReader(cluster: Cluster): (seconds: number) => Promise<Pages> {
  const parser = createParser()
  const frameOf = createFrameBuilder({ id: 'server' })
  const path = '/debug/api_priority_and_fairness/dump_requests'
  return async (seconds) => {
    const frames: ServerFrame[] = []
    const dumps: DumpFrame[] = []
    const start = Date.now()
    for (let turn = 0; Date.now() - start <= seconds * 1_000; turn++) {
      const at = Date.now()
      const { body } = await cluster.call('/metrics', ADMIN)
      frames.push(frameOf(parser.parse(Buffer.from(body)), { at: rfc3339(at), version: cluster.version }))
      if (turn % DUMP_EVERY === 0) {
        const dump = await cluster.call(path, ADMIN)
        dumps.push(withDump(emptyDump('server', at), 'requests', dump.body, path))
      }
      await sleep(Math.max(0, 1_000 - (Date.now() - at)))
    }
    return { frames, dumps }
  }
}

/** Writes what differs between two sets of objects, levels before the schemas that need them. */
async function putAll(cluster: Cluster, from: ObjectSet, to: ObjectSet): Promise<void> {
  const kinds = [
    { plural: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration', from: from.levels, to: to.levels },
    { plural: 'flowschemas', kind: 'FlowSchema', from: from.schemas, to: to.schemas },
  ]
  const path = (plural: string, name: string): string => `/apis/${API_VERSION}/${plural}/${name}`
  for (const { plural, kind, from: was, to: is } of kinds) {
    for (const object of is) {
      const { name } = object.metadata
      const old = was.find(({ metadata }) => metadata.name === name)
      if (old === object) continue
      const metadata = { name, annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } }
      const body = JSON.stringify({ apiVersion: API_VERSION, kind, metadata, spec: object.spec })
      const target = old === undefined ? path(plural, '').slice(0, -1) : path(plural, name)
      const { status, body: answer } = await cluster.call(target, ADMIN, {
        method: old === undefined ? 'POST' : 'PUT',
        body,
      })
      if (status >= 300) throw new Error(`${name}: ${status} ${answer}`)
    }
  }
  for (const { plural, from: was, to: is } of kinds.toReversed()) {
    for (const { metadata } of was) {
      if (is.some((object) => object.metadata.name === metadata.name)) continue
      await cluster.call(path(plural, metadata.name), ADMIN, { method: 'DELETE' })
    }
  }
}

const asStored = ({ levels, schemas }: ObjectSet): ObjectSet => ({
  levels: levels.map(defaultLevel),
  schemas: schemas.map(defaultFlowSchema),
})

/** Each edit of a recording: its forecast, from the pages before it, beside what was measured after it. */
export const outcomesOf = (recording: LoadRecording): readonly Outcome[] =>
  recording.spans.slice(1).map((after, i) => outcomeOf(recording, recording.spans[i] ?? after, after))

/** The forecast of going from the objects of one span to those of the other. */
export function outcomeOf(
  { load, version }: Pick<LoadRecording, 'load' | 'version'>,
  before: MeasuredSpan,
  after: MeasuredSpan,
): Outcome {
  const { what } = after
  const variant = {
    ...defaultVariant('server', before.objects),
    version,
    maxRequestsInFlight: SERVER_LIMITS.maxInflight,
    maxMutatingRequestsInFlight: SERVER_LIMITS.maxMutatingInflight,
  }
  const history = twinHistory(before.frames, 30_000)
  const twin = history && fitTwin({ history, variant, flows: flowsOf(before.dumps) })
  if (twin === undefined) throw new Error('too few pages for a twin')
  const measured = observe(after.frames)
  const seconds = measured && (measured.untilMs - measured.fromMs) / MS_PER_SECOND
  const report = forecast(twin, after.objects, {
    ...(seconds !== undefined && { seconds }),
    ...(after.serverLimit !== undefined && { serverLimit: after.serverLimit }),
  })
  if (report === undefined || measured === undefined) throw new Error('nothing was measured')
  const came = measured.levels.map(({ name, quantities }) => ({ level: name, quantities }))
  const predictions = judge(report, came).map((judged): Prediction => ({ load, what, ...judged }))
  const nominalOf = (level: string): number | undefined =>
    after.frames.at(-1)?.levels.find(({ name }) => name === level)?.limits.nominal
  return {
    predictions,
    report,
    wrongLimits: report.levels.flatMap(({ level, nominal }) =>
      nominal === undefined || nominal === nominalOf(level) ? [] : [`${level}: ${nominal}, ${nominalOf(level) ?? '?'}`],
    ),
    limitsOnly: report.levels.flatMap(({ level, now, bands, note }) =>
      (now?.arrivalsPerSecond ?? 0) < 1 || level === 'exempt' || Object.keys(bands).length > 0
        ? []
        : [`${level}: ${note ?? ''}`],
    ),
  }
}

/** What the specification of forecasts counts: waits p99 and rejection rates that are not as good as nothing. */
export function scoreOf(predictions: readonly Prediction[]) {
  const counted = predictions.filter(
    ({ quantity, matters }) => matters && (quantity === 'waitP99' || quantity === 'rejectedPerSecond'),
  )
  const halves = counted
    .map(({ band: { low, high, point } }) => (high - low) / 2 / Math.max(point, 1e-9))
    .toSorted((a, b) => a - b)
  const limits = predictions.filter(({ quantity }) => quantity === 'current')
  const close = limits.filter(isClose)
  return {
    cells: counted.length,
    inside: counted.filter(({ inside }) => inside).length,
    medianHalfWidth: halves[halves.length >>> 1] ?? 0,
    limits: limits.length,
    closeLimits: close.length,
  }
}

/** Values of each quantity that matter: how many, how many in their band, and the medians of half-width and error. */
export const summaryOf = (predictions: readonly Prediction[]): string =>
  QUANTITIES.map((quantity) => {
    const counted = predictions.filter((one) => one.quantity === quantity && one.matters)
    const inside = counted.filter((one) => one.inside).length
    const percent = (of: (one: Prediction) => number): string => `${Math.round(100 * (median(counted.map(of)) ?? 0))} %`
    const half = percent(({ band: { low, high, point } }) => (high - low) / 2 / Math.max(point, 1e-9))
    const error = percent(({ band: { point }, measured }) => Math.abs(point - measured) / Math.max(point, measured))
    return `${quantity}: ${inside} of ${counted.length} inside, half-width ${half}, error ${error}`
  }).join('\n')

/** The tolerance for the mean of a current limit. */
const isClose = ({ band, measured }: Prediction): boolean =>
  Math.abs(band.point - measured) <= Math.max(1, 0.03 * measured)

/** Every value that matters, misses marked: outside the band, and of a limit more than one seat and 3 % off. */
export const tableOf = (predictions: readonly Prediction[]): string =>
  predictions
    .filter(({ matters }) => matters)
    .map((prediction) => {
      const { load, what, level, quantity, now, band, measured, inside } = prediction
      return [
        (quantity === 'current' ? isClose(prediction) : inside) ? 'ok  ' : 'MISS',
        load.padEnd(18),
        what.padEnd(30),
        level.padEnd(15),
        quantity.padEnd(17),
        `now ${now.toFixed(2)}`.padEnd(12),
        `forecast ${band.point.toFixed(2)} [${band.low.toFixed(2)}, ${band.high.toFixed(2)}]`.padEnd(36),
        `measured ${measured.toFixed(2)}`,
      ].join(' ')
    })
    .join('\n')

export const changed = (
  objects: ObjectSet,
  name: string,
  change: Partial<NonNullable<ObjectSet['levels'][number]['spec']['limited']>>,
): ObjectSet => ({
  ...objects,
  levels: objects.levels.map((level) =>
    level.metadata.name === name && level.spec.limited !== undefined
      ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, ...change } } }
      : level,
  ),
})

const low =
  (change: Parameters<typeof changed>[2]): PredictedEdit['edit'] =>
  (objects) =>
    changed(objects, 'workload-low', change)

/** The edits under each load. Those of `npm run test:cluster` come first. */
export const EDITS = {
  'elephants-and-mice': [
    { what: 'workload-low: shares 100 → 40', edit: low({ nominalConcurrencyShares: 40 }) },
    {
      what: 'workload-low: queues of 5',
      edit: low({ limitResponse: { type: 'Queue', queuing: { queues: 128, handSize: 6, queueLengthLimit: 5 } } }),
    },
    { what: 'workload-low: shares 100 → 400', edit: low({ nominalConcurrencyShares: 400 }) },
    { what: 'workload-low: Queue → Reject', edit: low({ limitResponse: { type: 'Reject' } }) },
    { what: 'a level for the crawler', edit: withCrawlerLevel },
  ],
  mixed: [
    { what: 'workload-low: no borrowing', edit: low({ borrowingLimitPercent: 0 }) },
    { what: 'workload-low: shares 100 → 30', edit: low({ nominalConcurrencyShares: 30 }) },
    {
      what: 'workload-high: lends nothing',
      edit: (objects) => changed(objects, 'workload-high', { lendablePercent: 0 }),
    },
  ],
  waves: [
    { what: 'workload-low: no borrowing', edit: low({ borrowingLimitPercent: 0 }) },
    { what: 'workload-low: shares 100 → 200', edit: low({ nominalConcurrencyShares: 200 }) },
    {
      what: 'global-default: shares 20 → 60',
      edit: (objects) => changed(objects, 'global-default', { nominalConcurrencyShares: 60 }),
    },
  ],
  'list-storm': [
    { what: 'workload-low: shares 100 → 40', edit: low({ nominalConcurrencyShares: 40 }) },
    { what: 'workload-low: shares 100 → 300', edit: low({ nominalConcurrencyShares: 300 }) },
  ],
} as const satisfies Readonly<Record<keyof typeof predictable, readonly PredictedEdit[]>>

/** A level of its own for the crawler. */
function withCrawlerLevel({ levels, schemas }: ObjectSet): ObjectSet {
  const limited = { nominalConcurrencyShares: 30, lendablePercent: 0, borrowingLimitPercent: 0 }
  const queuing = { queues: 16, handSize: 4, queueLengthLimit: 50 }
  const level = {
    metadata: { name: 'crawlers' },
    spec: { type: 'Limited', limited: { ...limited, limitResponse: { type: 'Queue', queuing } } },
  }
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }
  const [, , namespace = '', name = ''] = CRAWLER.split(':')
  const schema = {
    metadata: { name: 'crawlers' },
    spec: {
      priorityLevelConfiguration: { name: 'crawlers' },
      matchingPrecedence: 1_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace, name } }], resourceRules: [rule] }],
    },
  }
  return { levels: [...levels, level], schemas: [...schemas, schema] }
}
