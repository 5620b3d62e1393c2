import { constant } from '../simulate/random.ts'
import type { Workload } from '../simulate/workload.ts'
import { secondsToNs } from '../units.ts'
import type { SimulatedTraffic } from '../whatif/simulated.ts'
import type { Variant } from '../whatif/variant.ts'
import type { Scenario, ScenarioVariant } from './scenario.ts'

/** The clients of a scenario; handler times do not depend on the load. */
export function trafficOf({ clients, stored, seed, seconds, statisticsFrom }: Scenario): SimulatedTraffic {
  const workload: Workload = {
    namespaces: 1,
    objects: stored,
    // Every call has its own execution time.
    service: { byVerb: {}, otherwise: constant(0), bytesPerSecond: 1, capacity: [] },
    groups: clients,
  }
  return { workload, seed, startUnixMs: 0, fromNs: secondsToNs(statisticsFrom), untilNs: secondsToNs(seconds) }
}

export const serverOf = (variant: ScenarioVariant): Variant => ({ ...variant, servers: 1, executionFactor: 1 })
