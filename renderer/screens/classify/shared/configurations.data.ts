import { builtInObjects } from '../../../../core/config/builtIn.ts'
import { defaultFlowSchema, defaultLevel, type ObjectSet } from '../../../../core/config/objects.ts'
import type { Problem } from '../../../../core/contract/errors.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'

/** The objects that requests are classified on. */
export interface CurrentObjects {
  /** As a server stores them, with their defaults. */
  readonly objects: ObjectSet
  /** `built-in`: of a Kubernetes version, because those of the source are not known. */
  readonly origin: 'server' | 'files' | 'built-in'
  /** gitVersion whose behaviour is assumed. */
  readonly version: string
  /** What to know about these objects, in a sentence. */
  readonly note?: { readonly kind: 'info' | 'warn' | 'bad'; readonly text: string; readonly problem?: Problem }
}

/** Objects with what a server fills in. */
const stored = ({ levels, schemas }: ObjectSet): ObjectSet => ({
  levels: levels.map(defaultLevel),
  schemas: schemas.map(defaultFlowSchema),
})

/**
 * The objects to classify on; `undefined` while they are being read. `assumed` is the version where the source does not
 * tell one; `asOf` says a time to people.
 */
export function currentObjects(
  state: ObjectsState | undefined,
  frameVersion: string | undefined,
  assumed: string,
  asOf: (instant: string) => string,
): CurrentObjects | undefined {
  if (state === undefined) return undefined
  const known = state.version ?? frameVersion
  const version = known ?? assumed
  const builtIn = (why: string, more: Partial<NonNullable<CurrentObjects['note']>> = {}): CurrentObjects => ({
    objects: builtInObjects(version),
    origin: 'built-in',
    version,
    note: {
      kind: 'info',
      text: `${why} Requests are classified on the built-in objects of Kubernetes ${version}.`,
      ...more,
    },
  })
  if (state.connection === 0) return builtIn('Nothing is connected.')
  if (state.origin === 'none') return builtIn('This source has no flow schemas and levels to read.')
  if (state.state === 'loading') return undefined
  if (state.state === 'unavailable') {
    const { problem } = state
    return builtIn(`The objects of ${state.target} cannot be read.`, { kind: 'bad', ...(problem && { problem }) })
  }
  const { problem } = state
  const since = state.asOf === undefined ? '' : ` of ${asOf(state.asOf)}`
  return {
    objects: stored(state.objects),
    origin: state.origin === 'files' ? 'files' : 'server',
    version,
    ...(state.state === 'stale' && {
      note: {
        kind: 'warn' as const,
        text: `The objects are those${since}: ${state.target} does not tell of changes now.`,
        ...(problem && { problem }),
      },
    }),
  }
}
