import { defaultLevel, type LimitedSpec, type ObjectSet, objectNamed } from '../config/objects.ts'
import { quantileRange } from '../frame/quantile.ts'
import { allRejected } from '../frame/recent.ts'
import { plain } from '../text/format.ts'
import type { LevelUsage, ServerUsage } from './usage.ts'
import { listed } from '../text/text.ts'

/** Demand fits into the recommended seats during this part of the time. */
export const ENOUGH = 0.95
/** A wait that a client notices, seconds. */
export const NOTICED_SECONDS = 0.1

/** A level on the server where its state is worst. */
export interface Place {
  readonly server: ServerUsage
  readonly level: LevelUsage
}

/** Whether the p99 of the waits is certainly above this many seconds. */
export const waitedAbove = ({ waits }: LevelUsage): number => (waits && quantileRange(0.99, waits)?.above) ?? 0
export const isInNeed = (level: LevelUsage): boolean =>
  allRejected(level.rejected) > 0 || waitedAbove(level) >= NOTICED_SECONDS

export const over = ({ coveredMs, from }: ServerUsage): string =>
  `over ${plain.length(coveredMs)} since ${plain.dateTime(from)} UTC`
export const counting = ({ since }: ServerUsage): string => `since ${plain.dateTime(since)} UTC`
export const range = ({ from, to }: ServerUsage) => ({ from, to })
export const specOf = (objects: ObjectSet | undefined, name: string): LimitedSpec | undefined => {
  const found = objectNamed(objects?.levels, name)
  return found && defaultLevel(found).spec.limited
}

export function trouble({ server, level }: Place): readonly string[] {
  const rejected = allRejected(level.rejected)
  const waited = waitedAbove(level)
  return [
    ...(rejected > 0
      ? [
          `${plain.counted(rejected, 'request was', 'requests were')} rejected${level.dispatched === undefined ? '' : ` and ${plain.amount(level.dispatched)} dispatched`} ${counting(server)} (${listed(
            Object.entries(level.rejected).flatMap(([reason, count]) =>
              count > 0 ? [`${reason} ${plain.amount(count)}`] : [],
            ),
          )}).`,
        ]
      : []),
    ...(waited >= NOTICED_SECONDS
      ? [`One request in 100 waited more than ${plain.seconds(waited)} ${counting(server)}.`]
      : []),
  ]
}

export const DEMAND_STAYS =
  'Demand is taken to stay as it was: clients that are no longer rejected may send more, or retry less.'
