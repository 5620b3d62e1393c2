import type { ConditionKind, CostKind, Op } from './operations.ts'

/** Queue disciplines (QoS specification 2). */
export const QDISCS = ['tbf', 'lbf', 'maxinflight', 'window'] as const
/** What people call each of them. */
export const QDISC_NAMES: Readonly<Record<Qdisc, string>> = {
  tbf: 'token bucket',
  lbf: 'leaky bucket',
  maxinflight: 'in flight',
  window: 'sliding window',
}
export type Qdisc = (typeof QDISCS)[number]

/** A queue discipline with its parameters. Rates are cost units per second. */
export type Limiter =
  | { readonly qdisc: 'tbf'; readonly qps: number; readonly burst: number }
  | { readonly qdisc: 'lbf'; readonly qps: number }
  | { readonly qdisc: 'maxinflight'; readonly num: number }
  | { readonly qdisc: 'window'; readonly limit: number; readonly windowMs: number }

/** What happens to a request that the discipline does not admit. */
export type Overflow =
  { readonly action: 'reject' } | { readonly action: 'delay'; readonly maxDelayMs: number; readonly maxWaiting: number }

/** The key by which the state of a class is split. */
export type GroupBy =
  | { readonly by: 'none' | 'user' | 'clientIP' }
  /** By the first `segments` segments of the key. */
  | { readonly by: 'prefix'; readonly segments: number }

/** Groups of a class that are kept by default. */
export const DEFAULT_GROUPS = 1_000

export interface QosClass {
  readonly name: string
  readonly limiter: Limiter
  readonly overflow: Overflow
  readonly cost: CostKind
  readonly groupBy: GroupBy
  readonly maxGroups: number
}

/** A caller. Both fields must match; an absent one matches all callers. */
export interface Subject {
  /** A name, or a name prefix with a trailing `*`. */
  readonly user?: string
  /** An address or a network in CIDR notation. */
  readonly clientIP?: string
}

/** A key range of a request: without an end it is one key, and the end `\x00` means all keys from this one on. */
export interface KeyRange {
  readonly key: string
  readonly rangeEnd?: string
}

export interface Condition {
  readonly kind: ConditionKind
  /** The value must be greater. */
  readonly threshold: number
}

/** A rule as it is configured. Keys are text in the notation of `bytesOf`. */
export interface QosRule {
  readonly name: string
  readonly qClassName: string
  /** 1 to 100; the matching rule with the highest applies. */
  readonly priority: number
  readonly enabled: boolean
  readonly subjects: readonly Subject[]
  readonly prefixPaths: readonly string[]
  readonly ranges: readonly KeyRange[]
  readonly keyMatch: 'overlap' | 'within'
  readonly ops: readonly Op[]
  readonly methods: readonly string[]
  readonly minRetry: number
  readonly conditions: readonly Condition[]
  /** Whether the rules of a class share its state, or each has its own. */
  readonly scope: 'class' | 'rule'
}

export interface Settings {
  /** How to treat two rules of one priority that only a larger request matches together. */
  readonly composite: 'warn' | 'reject'
  /** Maximum number of entries in the tracker. */
  readonly trackerCapacity: number
  readonly estimator: 'lru' | 'lru+stats'
  /** The text of a rejection: etcd's own, or one that names the rule. */
  readonly message: 'etcd' | 'named'
}

export const DEFAULT_SETTINGS: Settings = {
  composite: 'warn',
  trackerCapacity: 1_000,
  estimator: 'lru',
  message: 'etcd',
}

export const NO_RULES: QosConfiguration = { classes: [], rules: [], settings: DEFAULT_SETTINGS }

/** Everything that a proxy limits by. It is not validated here; `checkConfiguration` does that. */
export interface QosConfiguration {
  readonly classes: readonly QosClass[]
  readonly rules: readonly QosRule[]
  readonly settings: Settings
}
