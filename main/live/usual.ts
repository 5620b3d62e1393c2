import { SimulationSpecSchema } from '../../core/contract/simulation.ts'

/** Most changed rows that one event tells. */
export const UNTOLD = 2_000
/** What an engine behaves like when nobody says. */
export const NEWEST_VERSION: string = SimulationSpecSchema.shape.version.parse(undefined)
