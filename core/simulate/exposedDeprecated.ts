import { byLane, byLevel, type FamilyRule, gauge, hasExecuted, PREFIX } from './exposed.ts'

/** From this minor on the executing seats have a name of their own that is not deprecated. */
const IN_USE_DEPRECATED_SINCE = 31

/** Old names of the nominal limit and of executing seats (specification 8.4). */
export const deprecatedFamilies = (minor: number): readonly FamilyRule[] => [
  byLevel(
    gauge(
      `${PREFIX}request_concurrency_limit`,
      '[ALPHA] (Deprecated since 1.30.0) Nominal number of execution seats configured for each priority level',
    ),
    ({ limits }) => limits.nominal,
  ),
  byLane(
    gauge(
      `${PREFIX}request_concurrency_in_use`,
      `[ALPHA] ${minor >= IN_USE_DEPRECATED_SINCE ? '(Deprecated since 1.31.0) ' : ''}Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem`,
    ),
    (lane) => [[{}, hasExecuted(lane) ? lane.executingSeats : undefined]],
  ),
]
