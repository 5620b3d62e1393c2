import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import { serverLimitOf, type ServerLimit } from '../../../../core/impact/serverLimit.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { useConnected } from '../../../state/connection.ts'
import { useDraftIsStale, useDraftObjects } from '../../../state/draft.ts'
import { BUILT_IN_VERSIONS, useDraftBase } from '../../../state/draftBase.ts'
import { useObjects } from '../../../state/objects.ts'
import { ownLimitStore } from '../../../state/serverLimit.ts'
import { useViewPart, type View } from '../../../state/view.ts'
import { format } from '../../../theme/format.ts'
import { currentObjects, type CurrentObjects } from './configurations.data.ts'

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
