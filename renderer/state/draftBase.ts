import { create } from 'zustand'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { ObjectsOrigin, ObjectsState } from '../../core/contract/objects.ts'
import { COVERED_MINORS, ruledBy } from '../../core/metrics/versions.ts'
import { objectsStore } from './objects.ts'

/** Kubernetes versions whose built-in objects can be the base of a draft, newest first. */
export const BUILT_IN_VERSIONS: readonly string[] = Array.from(
  { length: COVERED_MINORS.newest - COVERED_MINORS.oldest + 1 },
  (_, index) => `v1.${COVERED_MINORS.newest - index}.0`,
)
const [NEWEST = 'v1.36.0'] = BUILT_IN_VERSIONS

interface BaseChoice {
  /** Version of the built-in objects where no others are known; absent: that of the source, otherwise the newest. */
  readonly version?: string
  /** Use the built-in objects as base although a source is connected, because its own cannot be read. */
  readonly insist: boolean
}

export const baseChoiceStore = create<BaseChoice>(() => ({ insist: false }))

export interface DraftBase {
  /** `built-in`: objects of a Kubernetes version, where neither a server nor files provide any. */
  readonly origin: Exclude<ObjectsOrigin, 'none'> | 'built-in'
  readonly objects: ObjectSet
  /** The version whose rules apply. */
  readonly version: string
  readonly targetKey: string
}

let last: {
  readonly state: ObjectsState | undefined
  readonly choice: BaseChoice
  readonly base: DraftBase | undefined
}

/** `undefined` while the objects of the source are not known. The same value as long as nothing changes. */
export function draftBase(): DraftBase | undefined {
  const { state } = objectsStore.getState()
  const choice = baseChoiceStore.getState()
  if (last === undefined || last.state !== state || last.choice !== choice)
    last = { state, choice, base: baseOf(state, choice) }
  return last.base
}

function baseOf(state: ObjectsState | undefined, { version, insist }: BaseChoice): DraftBase | undefined {
  if (state === undefined) return undefined
  const { origin, targetKey, objects } = state
  if (origin === 'none' || (insist && state.state === 'unavailable')) {
    const of = version ?? ruledBy(state.version ?? NEWEST)
    return { origin: 'built-in', objects: builtInObjects(of), version: of, targetKey }
  }
  if (state.state === 'loading' || state.state === 'unavailable') return undefined
  return { origin, objects, version: state.version ?? NEWEST, targetKey }
}

export const chooseBuiltInVersion = (version: string): void => baseChoiceStore.setState({ version })
export const insistOnBuiltIn = (): void => baseChoiceStore.setState({ insist: true })

export function useDraftBase(): DraftBase | undefined {
  objectsStore()
  baseChoiceStore()
  return draftBase()
}
