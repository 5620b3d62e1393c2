import type { ForecastWish } from '../../core/contract/forecast.ts'
import { defaultVariant, type Variant } from '../../core/whatif/variant.ts'
import { checkObject } from '../../core/config/checkObject.ts'
import { manifestOf } from '../../core/config/content.ts'
import type { FlowSchema, Kind, ObjectSet, PriorityLevelConfiguration } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/errors.ts'
import { beyondBounds } from '../simulated/objects.ts'

/**
 * Proposed objects with their defaults; throws `invalid-input` for objects that no server of that version would accept.
 */
export function acceptable({ levels, schemas }: ObjectSet, version: string): ObjectSet {
  return {
    levels: levels.map((level) => {
      const { kind, defaulted } = checked('PriorityLevelConfiguration', level, version)
      if (kind !== 'PriorityLevelConfiguration' || defaulted === undefined) return level
      const [bound] = beyondBounds(defaulted, 'The engine')
      if (bound !== undefined) throw unacceptable(kind, level, `${bound.field}: ${bound.message}`)
      return { ...level, spec: defaulted.spec }
    }),
    schemas: schemas.map((schema) => {
      const { kind, defaulted } = checked('FlowSchema', schema, version)
      return kind === 'FlowSchema' && defaulted !== undefined ? { ...schema, spec: defaulted.spec } : schema
    }),
  }
}

function checked(kind: Kind, object: FlowSchema | PriorityLevelConfiguration, version: string) {
  const check = checkObject(manifestOf(kind, object), version)
  const error = check.findings.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw unacceptable(kind, object, `${error.field}: ${error.message}`)
  return check
}

const unacceptable = (kind: Kind, { metadata }: FlowSchema | PriorityLevelConfiguration, why: string): ProblemError =>
  new ProblemError('invalid-input', `No server would accept ${kind} ${metadata.name} of the draft. ${why}`)

/** A server with that many seats and these objects; throws as `acceptable`. */
export const serverVariant = (wish: Pick<ForecastWish, 'before' | 'version' | 'serverLimit'>): Variant => ({
  ...defaultVariant('server', acceptable(wish.before, wish.version)),
  version: wish.version,
  maxRequestsInFlight: wish.serverLimit,
  maxMutatingRequestsInFlight: 0,
})
