import { useCallback, useMemo, useState } from 'react'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { FlowSchema, Queuing } from '../../../../core/config/objects.ts'
import { NEWEST_VERSION } from '../../../../core/engine/profiles.ts'
import { useDraftObjects } from '../../../state/draft.ts'
import { useObjects } from '../../../state/objects.ts'
import { openPage, useRoute } from '../../../state/route.ts'
import { useSelection } from '../../../state/selection.ts'
import { useViewPart } from '../../../state/view.ts'
import {
  formOf,
  levelChoices,
  readShape,
  type QueueingLevel,
  type ReadShape,
  type ShapeField,
  type ShapeForm,
} from './shape.data.ts'

export interface Sharding {
  /** The levels to choose from. */
  readonly levels: readonly QueueingLevel[]
  /** Whether they are those of the connected source, or the built-in ones. */
  readonly known: boolean
  /** The level whose flows are shown. */
  readonly level: QueueingLevel | undefined
  /** The flow schemas that stand beside the levels. */
  readonly schemas: readonly FlowSchema[]
  readonly chooseLevel: (key: string) => void
  readonly form: ShapeForm
  /** Whether the form says something else than the level. */
  readonly changed: boolean
  readonly set: (field: ShapeField, text: string) => void
  /** Tries another shape, or goes back to that of the level. */
  readonly attempt: (shape: Partial<Queuing> | undefined) => void
  readonly read: ReadShape
}

/** What the API server gives a level that says nothing (specification 1.3). */
const USUAL: Queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 }

/** The shape that the page is about: that of a level until the reader tries another. */
export function useSharding(): Sharding {
  const { levels, schemas, known } = useLevels()
  const { object } = useRoute()
  const { level: selected } = useSelection()
  const keyed = (key: string | undefined): QueueingLevel | undefined => levels.find((one) => one.key === key)
  const level = keyed(object) ?? keyed(selected) ?? widest(levels)
  const own = useMemo(() => formOf(level?.queuing ?? USUAL), [level?.queuing])

  const [tried, setTried] = useState<{ readonly of: string | undefined; readonly form: ShapeForm }>()
  const form = tried !== undefined && tried.of === level?.key ? tried.form : own
  const attempt = useCallback(
    (shape: Partial<Queuing> | undefined): void =>
      setTried(shape === undefined ? undefined : { of: level?.key, form: { ...form, ...texts(shape) } }),
    [level?.key, form],
  )
  return {
    levels,
    known,
    level,
    schemas,
    chooseLevel: (key) => openPage('classify', 'sharding', key),
    form,
    changed: JSON.stringify(form) !== JSON.stringify(own),
    set: (field, text) => setTried({ of: level?.key, form: { ...form, [field]: text } }),
    attempt,
    read: useMemo(() => readShape(form), [form]),
  }
}

/** Levels and schemas of the connected source and of the draft; without objects the built-in ones of the version. */
function useLevels(): Pick<Sharding, 'levels' | 'schemas' | 'known'> {
  const state = useObjects()
  const draft = useDraftObjects()
  const version = useViewPart(({ server }) => server?.version)
  return useMemo(() => {
    const given = state !== undefined && state.origin !== 'none' && state.objects.levels.length > 0
    const objects = given ? state.objects : builtInObjects(state?.version ?? version ?? NEWEST_VERSION)
    return {
      levels: levelChoices(objects.levels, draft?.levels ?? []),
      schemas: (draft ?? objects).schemas,
      known: given,
    }
  }, [state, draft, version])
}

/** The level with most queues: usually one that many flows share. */
const widest = (levels: readonly QueueingLevel[]): QueueingLevel | undefined =>
  levels.toSorted((a, b) => b.queuing.queues - a.queuing.queues)[0]

const texts = (shape: Partial<Queuing>): Partial<ShapeForm> =>
  Object.fromEntries(Object.entries(shape).map(([field, value]) => [field, String(value)]))
