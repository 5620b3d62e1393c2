import { z } from 'zod'
import type { Problem } from './errors.ts'
import { AdjustmentStepSchema } from '../frame/adjustmentStep.ts'
import { DerivedServerSchema } from '../frame/derived.ts'
import { DumpFrameSchema } from '../frame/dump.ts'
import { FrameSchema } from '../frame/frame.ts'
import { HeatMapSchema, SeriesSchema } from '../frame/series.ts'
import {
  SimulationControlSchema,
  SimulationObjectsSchema,
  SimulationReportSchema,
  SimulationStateSchema,
} from './simulation.ts'
import { SettingsChangeSchema, SettingsSchema } from './settings.ts'
import {
  CadenceSchema,
  ConnectionSchema,
  FoundContextSchema,
  PermissionReportSchema,
  RecentSourceSchema,
  SourceSpecSchema,
  TargetSchema,
} from './source.ts'

/**
 * Everything that may be said between the two sides, declared once for every transport. Input is parsed where it
 * arrives; so are output and events: each side trusts only what its schema admits.
 */
const procedure = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output })
const stream = <P extends z.ZodType, E extends z.ZodType>(params: P, event: E) => ({ params, event })

const nothing = z.null()

export const procedures = {
  'app.info': procedure(
    nothing,
    z.object({ version: z.string(), mode: z.enum(['desktop', 'web', 'memory']), platform: z.string() }),
  ),
  'settings.read': procedure(nothing, SettingsSchema),
  'settings.write': procedure(SettingsChangeSchema, SettingsSchema),
  /** Contexts of the kubeconfig files of this machine, or of one file; contacts nothing. */
  'sources.contexts': procedure(z.object({ file: z.string().min(1).optional() }), z.array(FoundContextSchema)),
  /** What the credential may do on each address, tested without side effects. */
  'sources.permissions': procedure(z.object({ target: TargetSchema }), z.array(PermissionReportSchema)),
  'sources.connect': procedure(z.object({ spec: SourceSpecSchema }), ConnectionSchema),
  'sources.disconnect': procedure(nothing, ConnectionSchema),
  /** Changes the cadence of the connected source without losing its history. */
  'sources.cadence': procedure(CadenceSchema, ConnectionSchema),
  /** Tries failing servers now instead of at the next backoff. */
  'sources.tryNow': procedure(z.object({ server: z.string().optional() }), nothing),
  'sources.recent': procedure(nothing, z.array(RecentSourceSchema)),
  'sources.forget': procedure(z.object({ at: z.string() }), z.array(RecentSourceSchema)),
  /** History of one server between two instants (Unix ms), reduced to at most `maxPoints` points. */
  'history.series': procedure(
    z.object({ server: z.string(), from: z.number(), to: z.number(), maxPoints: z.number().int().min(10).max(1_000) }),
    SeriesSchema,
  ),
  'history.heatMap': procedure(
    z.object({
      server: z.string(),
      level: z.string(),
      /** Absent sums over the level's schemas. */
      schema: z.string().optional(),
      kind: z.enum(['wait', 'execution']),
      from: z.number(),
      to: z.number(),
    }),
    HeatMapSchema,
  ),
  /**
   * Recomputations of one server's limits that were first seen between two instants (Unix ms, both included), oldest
   * first; about the last hour is kept. What they should have been: core/frame/expected.ts.
   */
  'allocation.steps': procedure(
    z.object({ server: z.string(), from: z.number(), to: z.number() }),
    z.array(AdjustmentStepSchema),
  ),
  /** Only while a simulation is connected; `unsupported` otherwise, like the three below. */
  'simulation.state': procedure(nothing, SimulationStateSchema),
  /** Steers the simulated server, for everybody who looks at it. */
  'simulation.control': procedure(SimulationControlSchema, SimulationStateSchema),
  'simulation.objects': procedure(nothing, SimulationObjectsSchema),
  /** Replaces all objects, in force at once. */
  'simulation.configure': procedure(z.object({ objects: SimulationObjectsSchema }), SimulationReportSchema),
} as const

export const streams = {
  /** The connection, whenever it changes and once at the start. */
  connection: stream(nothing, ConnectionSchema),
  /** Frames as they arrive, the latest one at the start. A slow reader gets the newest and a larger step in `seq`. */
  frames: stream(
    nothing,
    z.object({ connection: z.number(), seq: z.number(), frame: FrameSchema, derived: z.array(DerivedServerSchema) }),
  ),
  /** Debug dumps of one server; with `level`, only that level's queues and requests. */
  dumps: stream(z.object({ server: z.string(), level: z.string().optional() }), DumpFrameSchema),
  /** How the connected simulation goes: at the start, with each frame and after each `simulation.control`. */
  simulation: stream(nothing, SimulationStateSchema),
} as const

export type Procedures = typeof procedures
export type ProcedureName = keyof Procedures
export type ProcedureInput<N extends ProcedureName> = z.input<Procedures[N]['input']>
export type ProcedureOutput<N extends ProcedureName> = z.output<Procedures[N]['output']>

export type Streams = typeof streams
export type StreamName = keyof Streams
export type StreamParams<N extends StreamName> = z.input<Streams[N]['params']>
export type StreamEvent<N extends StreamName> = z.output<Streams[N]['event']>

/** What the serving side implements: parsed input in, output or a rejection with `ProblemError` out. */
export type ProcedureHandlers = {
  [N in ProcedureName]: (input: z.output<Procedures[N]['input']>) => Promise<ProcedureOutput<N>>
}
/**
 * A stream handler emits until its signal aborts. Emitting never waits: the transport keeps the newest event for a slow
 * reader and drops those before it, so no queue grows.
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

/** The part of AbortSignal that core may name without knowing the platform. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
}

/** What the asking side holds, whatever lies between. Calls reject with `ProblemError`. */
export interface Client {
  call<N extends ProcedureName>(name: N, input: ProcedureInput<N>): Promise<ProcedureOutput<N>>
  /**
   * Returns the function that ends the subscription. `onProblem` hears of events that had to be left out,
   * and of the stream's end by failure.
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
