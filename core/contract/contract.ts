import { z } from 'zod'
import { AlertsStateSchema, SilenceSchema } from './alerts.ts'
import { AdviceSchema } from './advice.ts'
import { DiagnosisSchema } from './diagnosis.ts'
import type { Problem } from '../errors.ts'
import { ProblemSchema } from '../problem.ts'
import { AdjustmentStepSchema, DerivedServerSchema } from '../frame/derived.ts'
import { DumpFrameSchema } from '../frame/dump.ts'
import { FrameSchema } from '../frame/frame.ts'
import { HeatMapSchema, SeriesSchema } from '../history/series.ts'
import { SimulationControlSchema, SimulationStateSchema } from './simulation.ts'
import {
  ApplyReportSchema,
  ApplyRequestSchema,
  CheckReportSchema,
  DraftSchema,
  EditingSchema,
  ElsewhereObjectsSchema,
  ElsewhereSchema,
  JournalEntrySchema,
  ObjectChangeSchema,
  ObjectsStateSchema,
  RequestTestSchema,
  RequestTestsChangeSchema,
} from './objects.ts'
import {
  LiveEventSchema,
  LivePageSchema,
  LivePageOfRequestsSchema,
  CandidateWishSchema,
  LiveStateSchema,
  ProxyModeSchema,
} from './live.ts'
import {
  EtcdAdviceSchema,
  EtcdChangedSchema,
  EtcdMonitorSchema,
  EtcdChangeSchema,
  EtcdPreviewSchema,
  EtcdRequestSchema,
  EtcdStateSchema,
  EtcdTestSchema,
  JsonSchema,
} from './etcd.ts'
import { EffectSchema, EffectsStateSchema } from './effect.ts'
import { SourceSummarySchema } from './fleet.ts'
import { ForecastEventSchema, ForecastEvidenceSchema, ForecastWishSchema } from './forecast.ts'
import { ClusterServiceSchema, PrometheusServersSchema, PrometheusTargetSchema, ThroughSchema } from './prometheus.ts'
import {
  ExtentSchema,
  MomentSchema,
  NoteSchema,
  NotesStateSchema,
  PastRequestsSchema,
  RecorderStateSchema,
  RecordingEntrySchema,
  RecordingStripSchema,
  RecordingPartSchema,
  RunStepSchema,
  RunSteppedSchema,
  SharedFileSchema,
  UploadBeginSchema,
  UploadPartSchema,
} from './recording.ts'
import { MOST_NODES, MOST_PAST_REQUESTS } from '../bounds.ts'
import { ReportSchema } from './report.ts'
import { SweepEventSchema, SweepWishSchema } from './sweep.ts'
import { TuneEventSchema, TuneWishSchema } from './tune.ts'
import { KeptScenarioSchema, ScenarioEventSchema, ScenarioWishSchema } from './scenario.ts'
import { LibraryScenarioSchema, runEventSchema, WhatIfEventSchema, WhatIfWishSchema } from './whatif.ts'
import { LimitsSchema } from './limits.ts'
import { UpdateStateSchema } from './update.ts'
import { SettingsChangeSchema } from './settings.ts'
import { SettingsSchema } from './storedSettings.ts'
import {
  CadenceSchema,
  ConnectedSchema,
  ConsentSchema,
  FoundContextSchema,
  PermissionReportSchema,
  RecentSourceSchema,
  ReportedFactsSchema,
  SourceSpecSchema,
  TargetSchema,
} from './source.ts'

/**
 * All messages between the two sides, declared once for every transport. Input is parsed where it arrives; so are
 * output and events: each side trusts only what its schema admits.
 */
const procedure = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output })
const stream = <P extends z.ZodType, E extends z.ZodType>(params: P, event: E) => ({ params, event })

const nothing = z.null()

/** The connected source that a call concerns, by the id of its connection. */
const connection = z.number().int()
const ofConnection = z.object({ connection })
const SeriesWishSchema = ofConnection.extend({
  server: z.string(),
  from: z.number(),
  to: z.number(),
  maxPoints: z.number().int().min(10).max(1_000),
})

export const procedures = {
  'app.info': procedure(
    nothing,
    z.object({
      version: z.string(),
      mode: z.enum(['desktop', 'web', 'memory', 'headlamp']),
      platform: z.string(),
      limits: LimitsSchema.exactOptional(),
    }),
  ),
  /**
   * Whether there is a newer version; requests the address of the settings at most once a day, and nothing if it is
   * empty.
   */
  'app.update': procedure(nothing, UpdateStateSchema),
  'settings.read': procedure(nothing, SettingsSchema),
  'settings.write': procedure(SettingsChangeSchema, SettingsSchema),
  /** Contexts of the kubeconfig files of this machine, or of one file; sends nothing to a server. */
  'sources.contexts': procedure(z.object({ file: z.string().min(1).optional() }), z.array(FoundContextSchema)),
  /** Permissions of the credential on each address, tested without side effects. */
  'sources.permissions': procedure(z.object({ target: TargetSchema }), z.array(PermissionReportSchema)),
  /** Clusters and servers for which a Prometheus has flow-control metrics; one query. */
  'sources.servers': procedure(z.object({ target: PrometheusTargetSchema }), PrometheusServersSchema),
  /** Services of a cluster that have such metrics, the most likely first. */
  'sources.services': procedure(ThroughSchema, z.array(ClusterServiceSchema)),
  /**
   * Connects a source. `inPlaceOf` names the connection that ends once the new one is established, `null` that of the
   * first source; without it the source is added to those that are connected. `cancelled` when another one took the
   * place first.
   */
  'sources.connect': procedure(
    z.object({ spec: SourceSpecSchema, inPlaceOf: connection.nullable().exactOptional() }),
    ConnectedSchema,
  ),
  'sources.disconnect': procedure(ofConnection, nothing),
  /** Changes the sampling interval of a connected source without losing its history. */
  'sources.cadence': procedure(CadenceSchema.extend({ connection }), ConnectedSchema),
  /** Retries failing servers now instead of at the next backoff. */
  'sources.tryNow': procedure(z.object({ connection, server: z.string().optional() }), nothing),
  /** Stops reading the past; what has been read is kept. */
  'sources.stopPast': procedure(ofConnection, nothing),
  /** All recordings of this console's state folder, the latest first. */
  'recordings.list': procedure(nothing, z.array(RecordingEntrySchema)),
  /** What happened in one of them. */
  'recordings.strip': procedure(z.object({ id: z.string() }), RecordingStripSchema),
  /** Removes a recording that no console is writing any more; resolves to the remaining ones. */
  'recordings.remove': procedure(z.object({ id: z.string() }), z.array(RecordingEntrySchema)),
  /**
   * Begins the upload of such a file, of any size up to `MOST_RECORDING_BYTES`, in parts; resolves to the id of the
   * upload.
   */
  'recordings.upload': procedure(UploadBeginSchema, z.string()),
  /**
   * The next part, once the one before was answered. A part that does not continue the file or exceeds its size ends
   * the upload, and so does a pause of a minute.
   */
  'recordings.uploadPart': procedure(UploadPartSchema, nothing),
  /** Cancels an upload, also while it is imported. */
  'recordings.cancelUpload': procedure(z.object({ upload: z.string() }), nothing),
  /** Adds the recording of the uploaded file; resolves to its id. `bad-answer` for a file that no console exported. */
  'recordings.import': procedure(z.object({ upload: z.string() }), z.string()),
  /** The fraction of it that is imported so far. */
  'recordings.imported': procedure(z.object({ upload: z.string() }), z.number()),
  /**
   * The connection for the past of a source: another one that is in no list and ends with it, or the source itself if
   * it is a recording. `not-found` if nothing is recorded.
   */
  'past.open': procedure(ofConnection, connection),
  /** What is recorded; only for recordings and runs (otherwise `unsupported`), like those below. */
  'past.extent': procedure(ofConnection, ExtentSchema),
  /** The state at an instant, Unix milliseconds. */
  'past.moment': procedure(z.object({ connection, at: z.number() }), MomentSchema),
  /** Moves forwards or back from an instant by one step; only for runs (otherwise `unsupported`). */
  'past.step': procedure(RunStepSchema.extend({ connection }), RunSteppedSchema),
  /** Like `sources.facts`, at an instant. */
  'past.facts': procedure(z.object({ connection, server: z.string(), at: z.number() }), ReportedFactsSchema.nullable()),
  /** The last dump of a server up to an instant, with `level` only of that level; `null` if none is recorded. */
  'past.dump': procedure(
    z.object({ connection, server: z.string(), level: z.string().exactOptional(), at: z.number() }),
    DumpFrameSchema.nullable(),
  ),
  /** The last requests that had arrived by an instant, at most `count`. */
  'past.requests': procedure(
    z.object({ connection, at: z.number(), count: z.number().int().min(1).max(MOST_PAST_REQUESTS) }),
    PastRequestsSchema,
  ),
  /**
   * Events of servers and objects between two instants (Unix ms, both included), oldest first, the newest
   * `MOST_PAST_NOTES`; for recordings of earlier versions, everything except the last writes of objects covers only the
   * last `MOST_READ_MS`.
   */
  'past.notes': procedure(z.object({ connection, from: z.number(), to: z.number() }), z.array(NoteSchema)),
  /** The scenarios of the library, in the order of their numbers. */
  'whatIf.scenarios': procedure(nothing, z.array(LibraryScenarioSchema)),
  /** The YAML of one of them; rejects with `not-found`. */
  'whatIf.scenarioText': procedure(z.object({ name: z.string().max(100) }), z.string()),
  /** The user’s own scenarios, in the order in which they were added. */
  'whatIf.ownScenarios': procedure(nothing, z.array(KeptScenarioSchema)),
  /**
   * Stores a scenario, replacing one with the same name, or deletes it if there is no text. `too-large` beyond
   * `MOST_KEPT_SCENARIOS`.
   */
  'whatIf.keepScenario': procedure(KeptScenarioSchema.partial({ text: true }), nothing),
  'sources.recent': procedure(nothing, z.array(RecentSourceSchema)),
  'sources.forget': procedure(z.object({ at: z.string() }), z.array(RecentSourceSchema)),
  /** History of one server between two instants (Unix ms), reduced to at most `maxPoints` points. */
  'history.series': procedure(SeriesWishSchema, SeriesSchema),
  'history.heatMap': procedure(
    z.object({
      connection,
      server: z.string(),
      level: z.string(),
      /** Absent: the sum over the level's schemas. */
      schema: z.string().optional(),
      kind: z.enum(['wait', 'execution']),
      from: z.number(),
      to: z.number(),
    }),
    HeatMapSchema,
  ),
  /** Sets the silences of a source, replacing earlier ones. */
  'alerts.silence': procedure(z.object({ connection, silences: z.array(SilenceSchema).max(100) }), nothing),
  /** Switches the flight recorder of one source on or off; `unsupported` for a source that cannot be recorded. */
  'recorder.switch': procedure(z.object({ connection, on: z.boolean() }), nothing),
  /** Object counts, sizes and watches of one server; `null` until the source reports them. */
  'sources.facts': procedure(z.object({ connection, server: z.string() }), ReportedFactsSchema.nullable()),
  /**
   * The input of a forecast for one server: the pages and dumps of the last ten minutes; for a recording those before
   * `at` (Unix ms), if it is given.
   */
  'forecast.evidence': procedure(
    z.object({ connection, server: z.string(), at: z.number().exactOptional() }),
    ForecastEvidenceSchema,
  ),
  /**
   * Recomputations of one server's limits that were first seen between two instants (Unix ms, both included), oldest
   * first; about the last hour is kept. Expected limits: core/impact/expected.ts.
   */
  'allocation.steps': procedure(
    z.object({ connection, server: z.string(), from: z.number(), to: z.number() }),
    z.array(AdjustmentStepSchema),
  ),
  /** Switches editing of a connected source on or off; `unsupported` if it is impossible. */
  'editing.switch': procedure(z.object({ connection, on: z.boolean() }), EditingSchema),
  /** Requests a server-side dry run; changes nothing and does not require editing. */
  'objects.check': procedure(
    z.object({ connection, changes: z.array(ObjectChangeSchema).min(1).max(1_000) }),
    CheckReportSchema,
  ),
  /** Applies changes in their order until one is not accepted; `forbidden` while editing is off. */
  'objects.apply': procedure(ApplyRequestSchema.extend({ connection }), ApplyReportSchema),
  /** Stops retrying requests that the server's flow control rejects; they are reported as `throttled`. */
  'objects.giveUp': procedure(ofConnection, nothing),
  /** Objects of another cluster, or of manifests, to compare with. */
  'objects.elsewhere': procedure(z.object({ from: ElsewhereSchema }), ElsewhereObjectsSchema),
  /** Changes that were or are being applied to the connected target, newest first, and their outcomes. */
  'journal.read': procedure(ofConnection, z.array(JournalEntrySchema)),
  /** Reverts an applied change, or applies one that was reverted; like `objects.apply`. */
  'journal.undo': procedure(
    z.object({ connection, id: z.string(), force: z.boolean().default(false) }),
    ApplyReportSchema,
  ),
  'journal.redo': procedure(
    z.object({ connection, id: z.string(), force: z.boolean().default(false) }),
    ApplyReportSchema,
  ),
  /** The measured effect of the edit of a journal entry; `null` if it was not watched. */
  'effects.read': procedure(z.object({ connection, id: z.string() }), EffectSchema.nullable()),
  /** The draft of the connected target, as last written. */
  'drafts.read': procedure(ofConnection, DraftSchema),
  'drafts.write': procedure(z.object({ targetKey: z.string(), draft: DraftSchema }), nothing),
  /** The saved table of requests to classify. */
  'requests.read': procedure(nothing, z.array(RequestTestSchema)),
  /** Resolves to the whole table. */
  'requests.change': procedure(RequestTestsChangeSchema, z.array(RequestTestSchema)),
  /** Only while a simulation is connected; `unsupported` otherwise, like the one below. */
  'simulation.state': procedure(ofConnection, SimulationStateSchema),
  /** Controls the simulated server, for everyone connected to it. */
  'simulation.control': procedure(SimulationControlSchema.extend({ connection }), SimulationStateSchema),
  /** Stored requests; `unsupported` for a source without single requests. */
  'live.page': procedure(LivePageSchema.extend({ connection }), LivePageOfRequestsSchema),
  /** Runs a second engine with the proposed objects on the same arrivals, or ends it. */
  'live.candidate': procedure(z.object({ connection, wish: CandidateWishSchema }), LiveStateSchema),
  /** Sets whether a proxy enforces its decisions; requires editing to be on, and a proxy (`unsupported` otherwise). */
  'live.mode': procedure(z.object({ connection, mode: ProxyModeSchema }), LiveStateSchema),
  /** Changes the rules of the etcd proxy; `unsupported` for other sources, like the three below. */
  'etcd.change': procedure(z.object({ connection, change: EtcdChangeSchema }), EtcdChangedSchema),
  /** The effect that rules would have had on the last ten minutes; by default those in effect. */
  'etcd.preview': procedure(z.object({ connection, change: EtcdChangeSchema.exactOptional() }), EtcdPreviewSchema),
  /** Initial rules and rules for expensive requests, evaluated on the last five minutes. */
  'etcd.advise': procedure(ofConnection, z.array(EtcdAdviceSchema)),
  /** Requests of the last ten minutes above a threshold or decided by a rule, newest first. */
  'etcd.requests': procedure(z.object({ connection, wanted: EtcdMonitorSchema }), z.array(EtcdRequestSchema)),
  /** How a request would be handled now, given as a record as in docs/etcd-qos.md, and why; nothing is charged. */
  'etcd.test': procedure(z.object({ connection, record: z.record(z.string(), JsonSchema) }), EtcdTestSchema),
} as const

export const streams = {
  /** The connected sources: at the start and at every change, in the order in which they were connected. */
  connections: stream(nothing, z.array(ConnectedSchema)),
  /** What the console cannot read or store on this machine, and what to do about it; empty if there are no problems. */
  notices: stream(nothing, z.array(ProblemSchema)),
  /** What the operator has to confirm in the terminal or in a window: at the start and at every change. */
  consent: stream(nothing, ConsentSchema),
  /**
   * Frames as they arrive, the latest one at the start. A slow reader gets the newest one and a larger step in `seq`.
   */
  frames: stream(
    ofConnection,
    z.object({ connection: z.number(), seq: z.number(), frame: FrameSchema, derived: z.array(DerivedServerSchema) }),
  ),
  /** The data of the Fleet screen for a source: at the start, and after new frames at most once a second. */
  summary: stream(ofConnection, SourceSummarySchema),
  /** Debug dumps of one server; with `level`, only that level's queues and requests. */
  dumps: stream(z.object({ connection, server: z.string(), level: z.string().optional() }), DumpFrameSchema),
  /** Flow-control objects of a source and whether they may be edited: at the start and at every change. */
  objects: stream(ofConnection, ObjectsStateSchema),
  /** The state of the watched edits of the source: at the start and at every change. */
  effects: stream(ofConnection, EffectsStateSchema),
  /** The state of the connected simulation: at the start, with each frame and after each `simulation.control`. */
  simulation: stream(ofConnection, SimulationStateSchema),
  /** New and changed requests, at most ten events per second; nothing for a source without single requests. */
  live: stream(ofConnection, LiveEventSchema),
  /** The state of the live source: at the start, each second and after `live.candidate`. */
  liveState: stream(ofConnection, LiveStateSchema),
  /** Runs a baseline and its candidates on the same requests; the end of the subscription cancels the run. */
  whatIf: stream(WhatIfWishSchema, WhatIfEventSchema),
  /** Runs every variant of a scenario; the end of the subscription cancels the run. */
  scenario: stream(ScenarioWishSchema, ScenarioEventSchema),
  /** Runs every point of a sweep; the end of the subscription cancels the run. */
  sweep: stream(SweepWishSchema, SweepEventSchema),
  /** The effect of a draft on waits, rejections and seats; the end of the subscription cancels the work. */
  forecast: stream(ForecastWishSchema, ForecastEventSchema),
  /** Searches for the smallest edit that meets goals; the end of the subscription cancels the search. */
  tune: stream(TuneWishSchema, TuneEventSchema),
  /** Writes a recording, or a part of it, to a file; `too-large` if it does not fit into a message. */
  export: stream(RecordingPartSchema, runEventSchema(SharedFileSchema)),
  /** Makes the incident report of a recording, or of a part of it. */
  report: stream(RecordingPartSchema, runEventSchema(ReportSchema)),
  /**
   * Why requests wait, are rejected or are slow, from the pages and dumps of the last ten minutes; for a recording
   * those before `at` (Unix ms), by default its end. The end of the subscription ends the reading, as in the following.
   */
  diagnosis: stream(z.object({ connection, at: z.number().exactOptional() }), runEventSchema(DiagnosisSchema)),
  /**
   * Recommended changes, from everything that the source reported since it was connected; for a recording the hours
   * before `at` (Unix ms), by default its end. `nodes`: nodes of the cluster, if known.
   */
  advice: stream(
    z.object({
      connection,
      at: z.number().exactOptional(),
      nodes: z.number().int().min(1).max(MOST_NODES).exactOptional(),
    }),
    runEventSchema(AdviceSchema),
  ),
  /** The state of the alert rules at an instant, evaluated on the `ALERTS_LEAD_MS` before it; without silences. */
  pastAlerts: stream(z.object({ connection, at: z.number() }), runEventSchema(AlertsStateSchema)),
  /** Like `history.series`, with the state at the end of the range; only for recordings and runs. */
  pastPeriod: stream(SeriesWishSchema, runEventSchema(z.object({ series: SeriesSchema, moment: MomentSchema }))),
  /** The state of the etcd proxy: each second; nothing for other sources. */
  etcd: stream(ofConnection, EtcdStateSchema),
  /** The state of the alert rules: at the start, and with each sample while there are subscribers. */
  alerts: stream(ofConnection, AlertsStateSchema),
  /** Notes about a source: at the start, and with each new event. */
  notes: stream(ofConnection, NotesStateSchema),
  /** The state of the flight recorder for a source: at the start, and about each second while events arrive. */
  recorder: stream(ofConnection, RecorderStateSchema),
} as const

export type Procedures = typeof procedures
export type ProcedureName = keyof Procedures
/** As written, or as parsed before. */
export type ProcedureInput<N extends ProcedureName> = z.input<Procedures[N]['input']> | z.output<Procedures[N]['input']>
export type ProcedureOutput<N extends ProcedureName> = z.output<Procedures[N]['output']>

export type Streams = typeof streams
export type StreamName = keyof Streams
export type StreamParams<N extends StreamName> = z.input<Streams[N]['params']> | z.output<Streams[N]['params']>
export type StreamEvent<N extends StreamName> = z.output<Streams[N]['event']>

/** The implementation of the serving side: parsed input in, output or a rejection with `ProblemError` out. */
export type ProcedureHandlers = {
  [N in ProcedureName]: (input: z.output<Procedures[N]['input']>) => Promise<ProcedureOutput<N>>
}
/**
 * A stream handler emits until its signal aborts. Emitting never blocks: the transport keeps the newest event for a
 * slow reader and drops those before it, so no queue grows.
 */
export type StreamHandlers = {
  [N in StreamName]: (
    params: z.output<Streams[N]['params']>,
    emit: (event: StreamEvent<N>) => void,
    signal: AbortSignalLike,
  ) => void
}
export interface Handlers {
  readonly procedures: ProcedureHandlers
  readonly streams: StreamHandlers
}

/** The procedures about a source that the source itself does not answer: one disconnects it, one finds another. */
export const DISCONNECT = 'sources.disconnect' satisfies ProcedureName
export const OPEN_PAST = 'past.open' satisfies ProcedureName
export const OF_WORKSPACE: ReadonlySet<string> = new Set([DISCONNECT, OPEN_PAST])

/** Procedures and streams about one connected source, answered where it runs. */
export type SourceProcedureName = Exclude<
  { [N in ProcedureName]: ProcedureInput<N> extends { connection: number } ? N : never }[ProcedureName],
  typeof DISCONNECT | typeof OPEN_PAST
>
export type SourceStreamName = {
  [N in StreamName]: StreamParams<N> extends { connection: number } ? N : never
}[StreamName]
/** Those of them that end with an answer. */
export type SourceRunName = Extract<SourceStreamName, 'diagnosis' | 'advice' | 'pastAlerts' | 'pastPeriod'>
export interface SourceHandlers {
  readonly procedures: Pick<ProcedureHandlers, SourceProcedureName>
  readonly streams: Pick<StreamHandlers, SourceStreamName>
}

/** The part of AbortSignal that core uses without depending on a platform. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
}

/** The interface of the calling side, whatever the transport. Calls reject with `ProblemError`. */
export interface Client {
  call<N extends ProcedureName>(name: N, input: ProcedureInput<N>): Promise<ProcedureOutput<N>>
  /**
   * Returns the function that ends the subscription. `onProblem` is called for events that had to be dropped, and when
   * the stream fails.
   */
  subscribe<N extends StreamName>(
    name: N,
    params: StreamParams<N>,
    onEvent: (event: StreamEvent<N>) => void,
    onProblem?: (problem: Problem) => void,
  ): () => void
  /** Whether the other side is reachable; called at once and on every change. */
  onLink(listener: (up: boolean) => void): () => void
}
