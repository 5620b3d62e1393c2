import type { Histogram } from '../frame/frame.ts'
import type { EngineSnapshot, LaneSnapshot, LevelSnapshot } from '../engine/snapshot.ts'
import { byCodeUnits } from '../text/order.ts'

/** What a family says of a snapshot: values or histograms with their labels, in alphabetical order of the labels. */
export interface Exposed {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | Histogram
}

export interface FamilyRule {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** As the server words it, stability in brackets; programs compare it. */
  readonly help: string
  readonly expose: (snapshot: EngineSnapshot) => readonly Exposed[]
}

export type Head = Pick<FamilyRule, 'name' | 'type' | 'help'>
type Labels = Readonly<Record<string, string>>

export const PREFIX = 'apiserver_flowcontrol_'
/** How the help of the time-weighted histograms begins. */
export const OBSERVATIONS = 'EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of'

export const gauge = (name: string, help: string): Head => ({ name, type: 'gauge', help })
export const counter = (name: string, help: string): Head => ({ name, type: 'counter', help })
export const histogram = (name: string, help: string): Head => ({ name, type: 'histogram', help })

/** A series for each level; one whose value is undefined does not exist yet. */
export const byLevel = (head: Head, value: (level: LevelSnapshot) => number | Histogram | undefined): FamilyRule => ({
  ...head,
  expose: ({ levels }) => levels.flatMap((level) => one({ priority_level: level.name }, value(level))),
})

export const byLane = (
  head: Head,
  values: (lane: LaneSnapshot) => readonly (readonly [extra: Labels, value: number | Histogram | undefined])[],
): FamilyRule => ({
  ...head,
  expose: ({ levels }) =>
    levels.flatMap(({ name, lanes }) =>
      lanes.flatMap((lane) =>
        values(lane).flatMap(([extra, value]) =>
          one(sorted({ ...extra, flow_schema: lane.schema, priority_level: name }), value),
        ),
      ),
    ),
})

export const one = (labels: Labels, value: number | Histogram | undefined): readonly Exposed[] =>
  value === undefined ? [] : [{ labels, value }]

const sorted = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => byCodeUnits(a, b)))

/** A counter appears with its first event, a histogram with its first observation. */
export const counted = (value: number): number | undefined => (value === 0 ? undefined : value)
export const observed = (value: Histogram): Histogram | undefined => (value.count === 0 ? undefined : value)

export const hasExecuted = ({ dispatched }: LaneSnapshot): boolean => dispatched > 0
export const hasQueued = ({ queueLength }: LaneSnapshot): boolean => queueLength.count > 0
