import { byCodeUnits } from '../text/order.ts'

interface Named {
  readonly metadata: { readonly name: string }
}

/** Objects of one kind by their name; of the same name twice, the later one. */
export const byName = <T extends Named>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map((object) => [object.metadata.name, object]))

/** One name of two sets of objects; `undefined` where the set has no object of it. */
export interface NamedPair<T> {
  readonly name: string
  readonly from: T | undefined
  readonly to: T | undefined
}

/** The objects of one kind in two sets, side by side in the order of their names. */
export function pairedByName<T extends Named>(before: readonly T[], after: readonly T[]): readonly NamedPair<T>[] {
  const [old, fresh] = [byName(before), byName(after)]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].toSorted(byCodeUnits)
  return names.map((name) => ({ name, from: old.get(name), to: fresh.get(name) }))
}
