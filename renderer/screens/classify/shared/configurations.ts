import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { builtInName, builtInObjects } from '../../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { Problem } from '../../../../core/errors.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { defaulted } from '../../../../core/guard/changes.ts'
import { serverLimitOf, type ServerLimit } from '../../../../core/impact/serverLimit.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { useConnected } from '../../../state/connection.ts'
import { useDraftIsStale, useDraftObjects } from '../../../state/draft.ts'
import { BUILT_IN_VERSIONS, useDraftBase } from '../../../state/draftBase.ts'
import { useObjects } from '../../../state/objects.ts'
import { ownLimitStore } from '../../../state/serverLimit.ts'
import { useViewPart, type View } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'

/** The objects against which requests are classified. */
export interface CurrentObjects {
  /** As a server stores them, with their defaults. */
  readonly objects: ObjectSet
  /** `built-in`: those of a Kubernetes version, because the objects of the source are not available. */
  readonly origin: 'server' | 'files' | 'built-in'
  /** gitVersion whose behaviour is assumed. */
  readonly version: string
  /** A note about these objects, in a sentence. */
  readonly note?: { readonly kind: 'info' | 'warn' | 'bad'; readonly text: string; readonly problem?: Problem }
}

/**
 * The objects to classify against; `undefined` while they are being read. `assumed` is the version where the source
 * does not report one; `asOf` formats a time for people.
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
      text: `${why} Requests are classified against ${builtInName(version)}.`,
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
  const since = state.asOf === undefined ? 'may be outdated' : `are from ${asOf(state.asOf)}`
  return {
    objects: defaulted(state.objects),
    origin: state.origin === 'files' ? 'files' : 'server',
    version,
    ...(state.state === 'stale' && {
      note: {
        kind: 'warn' as const,
        text: `The objects ${since}: ${state.target} does not report changes now.`,
        ...(problem && { problem }),
      },
    }),
  }
}

export interface Configurations {
  readonly current: CurrentObjects
  /** What the draft proposes; absent without a draft. */
  readonly draft: ObjectSet | undefined
  /** The draft has errors, so its last valid values are used. */
  readonly draftStale: boolean
  readonly limit: ServerLimit
}

const [NEWEST = 'v1.36.0'] = BUILT_IN_VERSIONS
const asOf = (instant: string): string => format.time(unixMsOf(instant))

/** The present and the proposed configuration; `undefined` while the present one is being read. */
export function useConfigurations(): Configurations | undefined {
  const state = useObjects()
  const frameVersion = useViewPart(({ server }) => server?.version)
  const current = useMemo(() => currentObjects(state, frameVersion, NEWEST, asOf), [state, frameVersion])
  const draft = useDraftObjects()
  const draftStale = useDraftIsStale()
  const base = useDraftBase()
  const connected = useConnected()
  const own = ownLimitStore(({ seats }) => seats)
  // A frame makes a new server object; its limit changes only with a restart or a changed level.
  const limit = useViewPart(
    useShallow(({ server }: View) => serverLimitOf({ own, spec: connected?.spec, server, objects: base?.objects })),
  )
  return useMemo(() => current && { current, draft, draftStale, limit }, [current, draft, draftStale, limit])
}
