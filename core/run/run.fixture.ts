import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet } from '../config/objects.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'

/** Options of the engines in these tests: 226 seats. */
export const ENGINE = {
  mode: 'priority-and-fairness',
  maxRequestsInFlight: 226,
  maxMutatingRequestsInFlight: 0,
  profile: profileFor('v1.36.3'),
  corrections: AS_UPSTREAM,
  startUnixMs: 0,
} as const

export const OBJECTS = builtInObjects('v1.36.3')

/** Level of all requests in these tests. */
export const LEVEL = 'global-default'

/** That level, or another one, with this many shares, and queues of this length; it neither lends nor borrows. */
export const shaped = (
  nominalConcurrencyShares: number,
  queueLengthLimit: number,
  queues = 1,
  { objects = OBJECTS, level: name = LEVEL }: { readonly objects?: ObjectSet; readonly level?: string } = {},
): ObjectSet => ({
  ...objects,
  levels: objects.levels.map((level) =>
    level.metadata.name === name
      ? {
          ...level,
          spec: {
            type: 'Limited',
            limited: {
              nominalConcurrencyShares,
              lendablePercent: 0,
              borrowingLimitPercent: 0,
              limitResponse: { type: 'Queue', queuing: { queues, handSize: 1, queueLengthLimit } },
            },
          },
        }
      : level,
  ),
})
