import type { JsonObject } from '../../core/config/jsonValues.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { FlowControl } from '../cluster/flowControl.ts'
import type { LoadClient } from '../cluster/load.ts'

/** What the truth says of one question, and the words by which an answer to it is recognised. */
export interface Point {
  readonly given: string
  /** All of them occur in what the console says. */
  readonly words: readonly RegExp[]
}

export const QUESTIONS = ['symptom', 'cause', 'culprit', 'victims', 'remedy'] as const
export type Question = (typeof QUESTIONS)[number]

/** A statement that is false in this incident. */
export interface Falsehood {
  readonly why: string
  readonly words: RegExp
}

/** What happened, written before the console was asked. */
export type Truth = Readonly<Record<Question, Point>> & {
  readonly story: string
  readonly forbidden: readonly Falsehood[]
}

/** What an incident may do to the cluster while its clients send. */
export interface Stage {
  readonly control: FlowControl
  readonly cluster: Cluster
  /** The process of the API server ends and starts again with other limits. */
  readonly restart: (limits: Limits) => Promise<void>
}

/** --max-requests-inflight and --max-mutating-requests-inflight. */
export type Limits = readonly [inflight: number, mutating: number]

export interface Incident {
  readonly name: string
  /** One of the kinds of issue 36, for tables that must not tell the rest. */
  readonly kind: string
  readonly limits: Limits
  /** Objects that exist before the console watches. */
  readonly objects?: readonly JsonObject[]
  /** ConfigMaps of 3 kB in namespace `catalog`: large lists and watches. */
  readonly stored?: number
  readonly clients: readonly LoadClient[]
  /** Seconds after the start of the load. */
  readonly events?: readonly { readonly at: number; readonly run: (stage: Stage) => Promise<unknown> }[]
  /** When the trouble begins, and when the console is asked; seconds after the start of the load. */
  readonly onset: number
  readonly asked: number
  readonly truth: Truth
}

/** One user, before and during the incident and after its remedy, as its own requests saw it. */
export interface Measured {
  readonly user: string
  readonly before: Service
  readonly during: Service
  /** After the draft of the first finding was applied, where it has one. */
  readonly after: Service | undefined
}

export interface Service {
  readonly perSecond: number
  /** Answers 429, and requests without an answer. */
  readonly rejected: number
  readonly broken: number
  /** Of served requests, milliseconds. */
  readonly median: number | undefined
  readonly p95: number | undefined
}
