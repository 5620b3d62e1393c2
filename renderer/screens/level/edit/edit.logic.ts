import type { SimulationObjects } from '../../../../core/contract/simulation.ts'
import { configuredLimits, maxSeatsPerRequest, type ConfiguredLimits } from '../../../../core/engine/allocation.ts'
import { planOf, refusal } from '../../../../core/engine/levelPlan.ts'

export type LevelObject = SimulationObjects['levels'][number]

export const FIELDS = [
  'shares',
  'lendablePercent',
  'borrowingLimitPercent',
  'queues',
  'handSize',
  'queueLengthLimit',
] as const
export type FieldName = (typeof FIELDS)[number]

/** The fields that a level has, as typed; absent are those that its type has not. */
export type EditForm = Partial<Readonly<Record<FieldName, string>>>
export type EditErrors = Partial<Readonly<Record<FieldName, string>>>

interface Bounds {
  readonly min: number
  readonly max: number
}

/** Bounds of the API (specification 1.3), and those of the simulation where they are closer. */
export const BOUNDS: Readonly<Record<FieldName, Bounds>> = {
  shares: { min: 0, max: 1_000_000 },
  lendablePercent: { min: 0, max: 100 },
  borrowingLimitPercent: { min: 0, max: 1_000_000 },
  queues: { min: 1, max: 10_000 },
  handSize: { min: 1, max: 10_000 },
  queueLengthLimit: { min: 1, max: 1_000_000_000 },
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value))

export function formOf({ spec }: LevelObject): EditForm {
  const { limited, exempt } = spec
  const shared = limited ?? exempt
  const queuing = limited?.limitResponse.queuing
  return {
    shares: textOf(shared?.nominalConcurrencyShares),
    lendablePercent: textOf(shared?.lendablePercent),
    ...(limited && { borrowingLimitPercent: textOf(limited.borrowingLimitPercent) }),
    ...(queuing && {
      queues: textOf(queuing.queues),
      handSize: textOf(queuing.handSize),
      queueLengthLimit: textOf(queuing.queueLengthLimit),
    }),
  }
}

export type EditResult =
  { readonly ok: true; readonly level: LevelObject } | { readonly ok: false; readonly errors: EditErrors }

/** The level as the form wants it, or what is wrong, field by field. */
export function readForm(form: EditForm, before: LevelObject): EditResult {
  const errors: Partial<Record<FieldName, string>> = {}
  const read = (name: FieldName): number => {
    const text = form[name]?.trim() ?? ''
    const { min, max } = BOUNDS[name]
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) errors[name] = `A whole number from ${min} to ${max}.`
    return value
  }
  const { limited, exempt, ...rest } = before.spec
  const queuing = limited?.limitResponse.queuing
  const shared = { nominalConcurrencyShares: read('shares'), lendablePercent: read('lendablePercent') }
  const unlimited = (form.borrowingLimitPercent?.trim() ?? '') === ''
  const level: LevelObject = {
    ...before,
    spec: {
      ...rest,
      ...(exempt && { exempt: shared }),
      ...(limited && {
        limited: {
          ...shared,
          ...(unlimited ? {} : { borrowingLimitPercent: read('borrowingLimitPercent') }),
          limitResponse: {
            ...limited.limitResponse,
            ...(queuing && {
              queuing: {
                queues: read('queues'),
                handSize: read('handSize'),
                queueLengthLimit: read('queueLengthLimit'),
              },
            }),
          },
        },
      }),
    },
  }
  if (Object.keys(errors).length === 0) {
    const why = handProblem(level)
    if (why === undefined) return { ok: true, level }
    errors.handSize = why
  }
  return { ok: false, errors }
}

/** Why no hand can be dealt (specification 1.3, 4.2). */
function handProblem(level: LevelObject): string | undefined {
  const queuing = level.spec.limited?.limitResponse.queuing
  if (queuing !== undefined && queuing.handSize > queuing.queues) {
    return `A hand holds at most all ${queuing.queues} queues.`
  }
  return refusal(level) === undefined ? undefined : 'There are too many such hands to deal; take a smaller one.'
}

/** The objects with one level replaced. */
export const withLevel = (objects: SimulationObjects, level: LevelObject): SimulationObjects => ({
  ...objects,
  levels: objects.levels.map((one) => (one.metadata.name === level.metadata.name ? level : one)),
})

/** What configuration alone makes of one level. */
export interface Configured extends ConfiguredLimits {
  readonly name: string
  /** Seats that a request is at most estimated at; only where requests queue. */
  readonly widest: number | undefined
}

export function configuredOf(objects: SimulationObjects, serverLimit: number): readonly Configured[] {
  const plans = objects.levels.map(planOf)
  return configuredLimits(serverLimit, plans).map((limits, index) => {
    const plan = plans[index]
    const handSize = plan?.queuing.handSize ?? 0
    return {
      ...limits,
      name: plan?.name ?? '',
      widest: handSize > 0 ? maxSeatsPerRequest(limits.nominal, handSize) : undefined,
    }
  })
}

/** One level whose limits an edit changes. */
export interface Effect {
  readonly before: Configured
  readonly after: Configured
}

export function effectsOf(before: SimulationObjects, after: SimulationObjects, serverLimit: number): readonly Effect[] {
  const configured = configuredOf(after, serverLimit)
  return configuredOf(before, serverLimit).flatMap((one, index) => {
    const next = configured[index]
    const same = next?.nominal === one.nominal && next.min === one.min && next.max === one.max
    return next === undefined || (same && next.widest === one.widest) ? [] : [{ before: one, after: next }]
  })
}
