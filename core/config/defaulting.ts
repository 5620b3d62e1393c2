import type {
  ExemptSpec,
  FlowSchema,
  LimitedSpec,
  PriorityLevelConfiguration,
  PriorityLevelSpec,
  Queuing,
} from './objects.ts'

/** What the API server fills in (specification 1.2, 1.3). */
const DEFAULT_MATCHING_PRECEDENCE = 1_000
export const DEFAULT_SHARES = 30
export const DEFAULT_QUEUING: Queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 }

/**
 * A schema as the server stores it: what is absent or 0 has its default (specification 1.2). Gives back the same object
 * where there is nothing to fill in.
 */
export function defaultFlowSchema(schema: FlowSchema): FlowSchema {
  if (schema.spec.matchingPrecedence !== 0) return schema
  return { ...schema, spec: { ...schema.spec, matchingPrecedence: DEFAULT_MATCHING_PRECEDENCE } }
}

/**
 * A level as the server stores it: absent numbers have their defaults (specification 1.3). Only members are filled in:
 * `limited`, `exempt` and `queuing` are never made.
 */
export const defaultLevel = (level: PriorityLevelConfiguration): PriorityLevelConfiguration => ({
  ...level,
  spec: defaultLevelSpec(level.spec),
})

const defaultLevelSpec = (spec: PriorityLevelSpec): PriorityLevelSpec => ({
  ...spec,
  ...(spec.limited !== undefined && { limited: defaultLimited(spec.limited) }),
  ...(spec.exempt !== undefined && { exempt: defaultExempt(spec.exempt) }),
})

const defaultExempt = (exempt: ExemptSpec): ExemptSpec => ({
  nominalConcurrencyShares: exempt.nominalConcurrencyShares ?? 0,
  lendablePercent: exempt.lendablePercent ?? 0,
})

function defaultLimited(limited: LimitedSpec): LimitedSpec {
  const { queuing } = limited.limitResponse
  return {
    ...limited,
    nominalConcurrencyShares: limited.nominalConcurrencyShares ?? DEFAULT_SHARES,
    lendablePercent: limited.lendablePercent ?? 0,
    limitResponse: { ...limited.limitResponse, ...(queuing !== undefined && { queuing: defaultQueuing(queuing) }) },
  }
}

/** For these three an explicit 0 counts as absent. */
const defaultQueuing = ({ queues, handSize, queueLengthLimit }: Queuing): Queuing => ({
  queues: queues || DEFAULT_QUEUING.queues,
  handSize: handSize || DEFAULT_QUEUING.handSize,
  queueLengthLimit: queueLengthLimit || DEFAULT_QUEUING.queueLengthLimit,
})
