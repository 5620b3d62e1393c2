import { quoted } from '../config/problems.ts'
import type { FieldPath } from './fieldPath.ts'
import { isList, isMap, type Json } from './json.ts'

export type Changed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

/** The value at a path; `undefined` where there is none. */
export function getIn(value: Json, path: FieldPath): Json | undefined {
  let found: Json | undefined = value
  for (const step of path) {
    if (found === undefined) return undefined
    if (typeof step === 'number') found = isList(found) ? found[step] : undefined
    else found = isMap(found) && Object.hasOwn(found, step) ? found[step] : undefined
  }
  return found
}

/** The value with another one at a path, or without it. Missing parents are made; what is to be removed may be missing. */
export function setIn(value: Json, path: FieldPath, wanted: Json | undefined): Changed {
  const [step, ...rest] = path
  if (step === undefined) return { ok: true, value: wanted ?? null }
  if (value === null)
    return wanted === undefined ? { ok: true, value } : setIn(typeof step === 'number' ? [] : {}, path, wanted)
  if (typeof step === 'number') {
    if (!isList(value)) return { ok: false, why: `There is no list that could have an entry ${step}.` }
    if (step > value.length)
      return { ok: false, why: `The list has ${value.length} entries; entry ${step} would leave a gap.` }
    if (wanted === undefined && step === value.length) return { ok: true, value }
    if (wanted === undefined && rest.length === 0) return { ok: true, value: value.toSpliced(step, 1) }
    const inner = setIn(value[step] ?? null, rest, wanted)
    return inner.ok ? { ok: true, value: value.toSpliced(step, 1, inner.value) } : inner
  }
  if (!isMap(value)) return { ok: false, why: `There is no map that could have a field ${quoted(step)}.` }
  const members = Object.entries(value)
  const present = Object.hasOwn(value, step)
  if (wanted === undefined && !present) return { ok: true, value }
  if (wanted === undefined && rest.length === 0) {
    return { ok: true, value: Object.fromEntries(members.filter(([key]) => key !== step)) }
  }
  const inner = setIn(present ? (value[step] ?? null) : null, rest, wanted)
  if (!inner.ok) return inner
  const changed = members.map(([key, member]) => [key, key === step ? inner.value : member] as const)
  return { ok: true, value: Object.fromEntries(present ? changed : [...members, [step, inner.value] as const]) }
}
