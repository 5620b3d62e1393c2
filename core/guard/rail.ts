import { type ClassifyingConfiguration, classifyingConfiguration } from '../classify/configuration.ts'
import { defaultFlowSchema, defaultLevel } from '../config/defaulting.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { RequestTest } from '../contract/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { type SeatImpact, seatImpact } from '../impact/seatImpact.ts'
import type { Seats } from '../units.ts'
import { type GuardChange, changesBetween } from './changes.ts'
import type { GuardFinding } from './finding.ts'

/** What is known of the server that an edit is for. */
export interface GuardContext {
  /** gitVersion; the newest known behaviour without. */
  readonly version?: string | undefined
  /** Seats of one server. */
  readonly serverLimit: Seats
  /**
   * `files`: nothing runs yet. The console’s own engine, of the simulated server and of a proxy, is free of trap T29; that of
   * a proxy has no reconciler.
   */
  readonly origin: 'cluster' | 'simulation' | 'proxy' | 'files'
  /** Newest frames of its servers, for the present traffic. */
  readonly servers?: readonly ServerFrame[] | undefined
  /** As whom the server knows the console. */
  readonly user?: { readonly name: string; readonly groups: readonly string[] } | undefined
  /** The operator’s own regression set. */
  readonly tests?: readonly RequestTest[] | undefined
}

export interface GuardQuestion {
  readonly before: ObjectSet
  readonly after: ObjectSet
  readonly context: GuardContext
}

/** A configuration with its defaults, made ready to classify. */
export interface Side {
  readonly objects: ObjectSet
  readonly configuration: ClassifyingConfiguration
}

/** What every rail looks at. */
export interface RailInput {
  readonly changes: readonly GuardChange[]
  readonly before: Side
  readonly after: Side
  readonly impact: SeatImpact
  readonly context: GuardContext
}
export type Rail = (input: RailInput) => readonly GuardFinding[]

export const defaulted = ({ levels, schemas }: ObjectSet): ObjectSet => ({
  levels: levels.map(defaultLevel),
  schemas: schemas.map(defaultFlowSchema),
})

export const sideOf = (objects: ObjectSet, serverLimit?: Seats): Side => ({
  objects,
  configuration: classifyingConfiguration(objects, serverLimit),
})

export function railInput({ before, after, context }: GuardQuestion): RailInput {
  const { serverLimit, version } = context
  const [was, is] = [defaulted(before), defaulted(after)]
  return {
    changes: changesBetween(before, after),
    before: sideOf(was, serverLimit),
    after: sideOf(is, serverLimit),
    impact: seatImpact({ before: was, after: is, serverLimit, version }),
    context,
  }
}
