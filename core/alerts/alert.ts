import type { UnixMs } from '../units.ts'

export const RULE_IDS = ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10', 'R11', 'R12'] as const
export type RuleId = (typeof RULE_IDS)[number]

export const SEVERITIES = ['critical', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** What an alert is about: alerts of one rule differ in it. */
export interface Place {
  /** Absent where the alert is about the objects, which all servers share. */
  readonly server?: string | undefined
  readonly level?: string | undefined
  /** A reason of rejection, a pair of windows, an object: what the rule says it is. */
  readonly subject?: string | undefined
}

/** One number behind an alert, and the threshold that it is compared with. */
export interface Evidence {
  readonly name: string
  readonly value: number
  readonly unit: 'requests/s' | 'requests' | 'seats' | 'seconds' | 'ratio'
}

/** A condition that held for as long as its rule demands. */
export interface Alert extends Place {
  readonly rule: RuleId
  /** As Prometheus calls it: `APFRequestsRejected`. */
  readonly name: string
  readonly severity: Severity
  /** Unix milliseconds at which the condition began to hold. */
  readonly since: UnixMs
  /** Unix milliseconds at which it had held for long enough. */
  readonly firedAt: UnixMs
  /** As they were at the last sample in which the condition held. */
  readonly evidence: readonly Evidence[]
  /** One or two sentences each. */
  readonly cause: string
  readonly remedy: string
  readonly silenced: boolean
}

/** An alert begins or ends. */
export interface AlertChange {
  readonly kind: 'fired' | 'resolved'
  /** Unix milliseconds of the sample that shows it. */
  readonly at: UnixMs
  readonly alert: Alert
}

/** Alerts that are not to disturb anybody; absent members match everything. */
export interface Silence {
  readonly rule?: RuleId | undefined
  readonly level?: string | undefined
  readonly server?: string | undefined
  /** Unix milliseconds; without it, it does not end. */
  readonly until?: UnixMs | undefined
}

/** Whether one of the silences holds for an alert at an instant. */
export const isSilenced = (
  alert: Place & { readonly rule: RuleId },
  silences: readonly Silence[],
  at: UnixMs,
): boolean =>
  silences.some(
    ({ rule = alert.rule, level = alert.level, server = alert.server, until = Number.POSITIVE_INFINITY }) =>
      rule === alert.rule && level === alert.level && server === alert.server && at < until,
  )
