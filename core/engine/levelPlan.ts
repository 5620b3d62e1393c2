import { byCodeUnits } from '../text/text.ts'
import { mandatoryLevels } from '../config/builtIn.ts'
import {
  CATCH_ALL,
  EXEMPT,
  type PriorityLevelConfiguration,
  type PriorityLevelSpec,
  objectNamed,
} from '../config/objects.ts'
import { isLegalDealer } from '../config/shape.ts'
import type { SeatShares } from './allocation.ts'
import type { QueuingConfig } from './queue.ts'

/** The parts of a level's specification that the engine needs. Absent percentages stay absent (specification 6.1). */
export interface LevelPlan extends SeatShares {
  /** Empty for levels without an API object (trap T71). */
  readonly uid: string
  readonly queuing: QueuingConfig
}

const WITHOUT_QUEUES = { handSize: 0, queueLengthLimit: 0 }

/** Queues of a level: −1 for Exempt, 0 for Reject (specification 4.1). */
function queuingOf(spec: PriorityLevelSpec): QueuingConfig {
  if (spec.type === 'Exempt') return { queues: -1, ...WITHOUT_QUEUES }
  return spec.limited?.limitResponse.queuing ?? { queues: 0, ...WITHOUT_QUEUES }
}

/** Why the engine treats an object as if it did not exist; `undefined` if it accepts the object (specification 7.2). */
export function refusal({ metadata, spec }: PriorityLevelConfiguration): string | undefined {
  if ((spec.type === 'Limited') !== (spec.limited !== undefined))
    return 'spec.limited must be set for type Limited, and for no other type'
  if ((spec.type === 'Exempt') !== (spec.exempt !== undefined))
    return 'spec.exempt must be set for type Exempt, and for no other type'
  if ((spec.type === 'Exempt') !== (metadata.name === EXEMPT))
    return 'type Exempt is for the level named exempt and no other'
  if (spec.limited === undefined) return undefined
  const { type, queuing } = spec.limited.limitResponse
  if ((type === 'Reject') !== (queuing === undefined))
    return 'queuing must be set for limit response Queue, and for no other'
  if (queuing !== undefined && queuing.queues > 0 && !isLegalDealer(queuing.queues, queuing.handSize)) {
    return `a hand of ${queuing.handSize} cannot be dealt from ${queuing.queues} queues`
  }
  return undefined
}

export function planOf({ metadata, spec }: PriorityLevelConfiguration): LevelPlan {
  const shared = spec.limited ?? spec.exempt
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    exempt: spec.type === 'Exempt',
    shares: shared?.nominalConcurrencyShares ?? 0,
    lendablePercent: shared?.lendablePercent,
    borrowingLimitPercent: spec.limited?.borrowingLimitPercent,
    queuing: queuingOf(spec),
  }
}

const planOfBuiltIn = (name: string): LevelPlan => {
  const object = objectNamed(mandatoryLevels, name)
  if (object === undefined) throw new Error(`${name} is not a mandatory level`)
  return planOf(object)
}

/** Levels that exist even without an object. */
export const IMAGINED_LEVELS: readonly LevelPlan[] = [planOfBuiltIn(EXEMPT), planOfBuiltIn(CATCH_ALL)]

/** The levels that a server derives from level objects right after its start: no level is left from before. */
export interface TakenLevels {
  /** By name; including imagined mandatory levels, but not refused ones. */
  readonly plans: readonly LevelPlan[]
  /** Names of the levels that have an object. */
  readonly accepted: ReadonlySet<string>
  /** Why a server ignores these levels, by name. */
  readonly refused: ReadonlyMap<string, string>
}

/** The objects as stored, with their defaults. */
export function takeLevels(levels: readonly PriorityLevelConfiguration[]): TakenLevels {
  const refused = new Map<string, string>()
  const plans: LevelPlan[] = []
  for (const level of levels) {
    const why = refusal(level)
    if (why === undefined) plans.push(planOf(level))
    else refused.set(level.metadata.name, why)
  }
  const accepted = new Set(plans.map(({ name }) => name))
  for (const added of IMAGINED_LEVELS.filter(({ name }) => !accepted.has(name))) plans.push(added)
  return { plans: plans.toSorted((a, b) => byCodeUnits(a.name, b.name)), accepted, refused }
}
