import type { Pattern } from './pattern.ts'

/**
 * The two kinds of objects of the first design of API Priority and Fairness, in the text of KEP-1040. No server ever
 * had them; docs/draft-objects.md describes them.
 */
export interface RequestPriority {
  readonly name: string
  /** Never queued and never counted. */
  readonly exempt: boolean
  /** Takes requests that no schema matches. */
  readonly catchAll: boolean
  readonly assuredConcurrencyShares: number
  readonly queues: number
  /** 1 where there is one queue. */
  readonly handSize: number
  readonly queueLengthLimit: number
}

export interface DraftFlowSchema {
  readonly name: string
  /** Name of its RequestPriority. */
  readonly level: string
  /** Lower is tried first. */
  readonly matchingPriority: number
  readonly flowDistinguisher?: DraftDistinguisher
  /** A request matches if all atoms of any one of these pass. */
  readonly match: readonly (readonly Atom[])[]
}

export interface DraftDistinguisher {
  readonly source: (typeof FLOW_SOURCES)[number]
  /** The flow is the first group when the pattern matches the whole attribute, and empty without a match. */
  readonly transform?: Pattern
}

export const FLOW_SOURCES = ['user', 'namespace'] as const

/** One test of one attribute of a request, or the negation of the test. */
export type Atom = { readonly field: DraftField; readonly negated: boolean } & (
  | { readonly test: 'equals'; readonly value: string }
  | { readonly test: 'inSet'; readonly set: readonly string[] }
  | { readonly test: 'superSet'; readonly set: readonly string[] }
  | { readonly test: 'patternMatch'; readonly pattern: Pattern }
)

export const TESTS = ['equals', 'inSet', 'patternMatch', 'superSet'] as const
export type DraftTest = (typeof TESTS)[number]

/** The draft's name for the negation of a test: `notInSet`. */
export const negationOf = (test: DraftTest): string => `not${test.charAt(0).toUpperCase()}${test.slice(1)}`

/** Attributes of a request; `groups` is a set, the others are texts. */
export const FIELDS = [
  'user',
  'groups',
  'verb',
  'apiGroup',
  'resource',
  'subresource',
  'namespace',
  'name',
  'path',
  'isResource',
] as const
export type DraftField = (typeof FIELDS)[number]

/** Attributes that only requests for resources have. */
export const RESOURCE_FIELDS: ReadonlySet<DraftField> = new Set([
  'apiGroup',
  'resource',
  'subresource',
  'namespace',
  'name',
])

/** A configuration of the draft. */
export interface DraftSet {
  readonly levels: readonly RequestPriority[]
  readonly schemas: readonly DraftFlowSchema[]
}

/** Levels of the draft’s example, which the draft adds implicitly where a configuration lacks them. */
export const IMPLICIT_EXEMPT: RequestPriority = {
  name: 'system-top',
  exempt: true,
  catchAll: false,
  assuredConcurrencyShares: 0,
  queues: 1,
  handSize: 1,
  queueLengthLimit: 0,
}
export const IMPLICIT_LIMITED: RequestPriority = {
  name: 'workload-low',
  exempt: false,
  catchAll: true,
  assuredConcurrencyShares: 100,
  queues: 128,
  handSize: 6,
  queueLengthLimit: 100,
}
