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
import { type Banded, isBanded, judge, type Judged } from '../../core/twin/judge.ts'
import { observe } from '../../core/twin/observe.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import { allNamed } from '../harness/consent.ts'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import { ADMIN } from '../cluster/identities.ts'
import { patient, runLoad } from '../cluster/load.ts'
import { seed } from '../cluster/profiles.ts'
import { drawEdits, type EditsWanted, type Flags, isSame, type Mixture, seatsOf } from './draw.ts'

export interface RecordingOptions extends EditsWanted {
  /** Seconds of pages before the first edit, and after each edit once the first moments have passed. */
  readonly before: number
  readonly after: number
}

/** A value that was forecast, and the measured one. */
export interface Prediction extends Judged {
  readonly seed: number
  readonly what: string
}

/** The measurements under one set of objects and flags. */
export interface MeasuredSpan extends Pages {
  /** The edit before it; empty for the first one. */
  readonly what: string
  readonly objects: ObjectSet
  readonly flags: Flags
}

/** A server under one load: the objects that it begins with, and then one edit after the other. */
export interface Recording extends Pick<Mixture, 'seed' | 'what'> {
  readonly version: string
  readonly spans: readonly MeasuredSpan[]
}

/** The server and its clients settle for so long before the history begins, seconds. */
const START_SECONDS = 25
/** A dump takes a lock of the server's. */
const DUMP_EVERY = 5

/**
 * Loads a server of its own and reads its pages, before and after each edit. Forecasts are computed afterwards, each
 * from the pages before its edit alone: the load runs in this process and would be held up.
 */
export async function record(
  { seed: number, flags, clients, what, levels }: Mixture,
  { version, before, after, edits, restarts }: RecordingOptions,
): Promise<Recording> {
  let present = flags
  const cluster = await startCluster({
    version,
    log: () => undefined,
    // Of a flag that is given twice, the last one holds.
    apiserverArguments: () =>
      Promise.resolve([
        `--max-requests-inflight=${present.maxInflight}`,
        `--max-mutating-requests-inflight=${present.maxMutatingInflight}`,
      ]),
  })
  const seconds = START_SECONDS + before + edits * (SETTLE_SECONDS + after + 20) + 30
  const end = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  try {
    await seed(cluster)
    let objects: ObjectSet = (await readClusterObjects({ kind: 'kubeconfig', file: cluster.kubeconfig }, allNamed))
      .objects
    running = runLoad(cluster, patient(clients), seconds, end.signal)
    const pages = pageReader(cluster)
    await sleep(START_SECONDS * MS_PER_SECOND)
    const spans: MeasuredSpan[] = [{ what: '', objects: asStored(objects), flags, ...(await pages(before)) }]
    for (const edit of drawEdits({ seed: number, flags, levels }, objects, { version, edits, restarts })) {
      await putAll(cluster, objects, edit.objects)
      ;({ objects } = edit)
      if (edit.flags !== present) {
        present = edit.flags
        await cluster.stopApiserver()
        await cluster.startApiserver()
      }
      await sleep(SETTLE_SECONDS * MS_PER_SECOND)
      spans.push({ what: edit.what, objects: asStored(objects), flags: present, ...(await pages(after)) })
    }
    return { seed: number, what, version: cluster.version, spans }
  } finally {
    end.abort()
    await running
    await cluster.stop()
  }
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

/** What a recording says about forecasts. */
export interface Outcome {
  readonly predictions: readonly Prediction[]
  readonly report: ForecastReport
  /** Nominal limits that are not those that were computed. */
  readonly wrongLimits: readonly string[]
}

/** Each edit of a recording: its forecast, from the pages before it, beside what was measured after it. */
export function outcomesOf({ seed: number, version, spans }: Recording): readonly Outcome[] {
  return spans.slice(1).flatMap((after, i) => {
    const before = spans[i]
    const outcome = before && outcomeOf(version, before, after)
    if (outcome === undefined) return []
    const { judged, ...rest } = outcome
    return [{ ...rest, predictions: judged.map((one) => ({ seed: number, what: after.what, ...one })) }]
  })
}

/** More than a window has, and a thread's worth of time. */
const REQUESTS_OF_RUN = 20_000

/** `undefined` where the pages do not suffice. */
function outcomeOf(version: string, before: MeasuredSpan, after: MeasuredSpan) {
  const variant = {
    ...defaultVariant('server', before.objects),
    version,
    maxRequestsInFlight: before.flags.maxInflight,
    maxMutatingRequestsInFlight: before.flags.maxMutatingInflight,
  }
  const history = twinHistory(before.frames, REQUESTS_OF_RUN)
  const twin = history && fitTwin({ history, variant, flows: flowsOf(before.dumps) })
  const measured = observe(after.frames)
  if (twin === undefined || measured === undefined) return undefined
  const report = forecast(twin, after.objects, {
    seconds: (measured.untilMs - measured.fromMs) / MS_PER_SECOND,
    ...(!isSame(after.flags, before.flags) && { serverLimit: seatsOf(after.flags) }),
  })
  if (report === undefined) return undefined
  const nominalOf = (level: string): number | undefined =>
    after.frames.at(-1)?.levels.find(({ name }) => name === level)?.limits.nominal
  return {
    judged: judge(
      report,
      measured.levels.map(({ name, quantities }) => ({ level: name, quantities })),
    ),
    report,
    wrongLimits: report.levels.flatMap(({ level, nominal }) =>
      nominal === undefined || nominal === nominalOf(level) ? [] : [`${level}: ${nominal}, ${nominalOf(level) ?? '?'}`],
    ),
  }
}

/** By quantity, of the values that matter: those with a band, those in it, its width, and the directions. */
export const summaryOf = (predictions: readonly Prediction[]): string =>
  QUANTITIES.map((quantity) => {
    const counted = predictions.filter((one) => one.quantity === quantity && one.matters)
    const banded = counted.filter((one): one is Prediction & Banded => isBanded(one))
    const stated = counted.filter(({ unsure }) => unsure?.to !== undefined)
    const right = (of: readonly Prediction[]): string => `${of.filter((one) => one.right).length} of ${of.length}`
    const percent = (values: readonly number[]): string => `${Math.round(100 * (median(values) ?? 0))} %`
    const half = percent(banded.map(({ band: { low, high, point } }) => (high - low) / 2 / Math.max(point, 1e-9)))
    const error = percent(
      banded.map(({ band: { point }, measured }) => Math.abs(point - measured) / Math.max(point, measured)),
    )
    return [
      `${quantity.padEnd(17)} bands in ${banded.length} of ${counted.length} cells, ${right(banded)} inside`,
      `median half-width ${half}, error ${error}`,
      `directions ${right(stated)} right`,
    ].join('; ')
  }).join('\n')

/** Every value that matters, misses marked. */
export const tableOf = (predictions: readonly Prediction[]): string =>
  predictions
    .filter(({ matters }) => matters)
    .map(({ seed: number, what, level, quantity, now, band, unsure, measured, right }) =>
      [
        right ? 'ok  ' : band === undefined && unsure?.to === undefined ? '-   ' : 'MISS',
        String(number).padEnd(6),
        level.padEnd(15),
        quantity.padEnd(17),
        `now ${now.toFixed(2)}`.padEnd(12),
        (band === undefined
          ? (unsure?.to ?? 'unknown')
          : `forecast ${band.point.toFixed(2)} [${band.low.toFixed(2)}, ${band.high.toFixed(2)}]`
        ).padEnd(36),
        `measured ${measured.toFixed(2)}`.padEnd(18),
        what,
      ].join(' '),
    )
    .join('\n')
