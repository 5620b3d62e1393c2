import type { Json, JsonMap } from '../manifest/json.ts'
import { changeOf, shortField, wordsOf } from '../config/fieldWords.ts'
import { differingFields } from './threeWay.ts'

/** Each field in which two manifests of an object differ, those of its spec first: `shares 100 → 30`. */
export function fieldTexts(before: JsonMap, after: JsonMap): readonly string[] {
  const rankOf = (field: string): number => (field.startsWith('spec.') ? 0 : 1)
  const fields = differingFields(before, after, before).toSorted((a, b) => rankOf(a.field) - rankOf(b.field))
  return fields.map(({ field, base, yours }) => {
    const short = shortField(field)
    return isPlain(base) && isPlain(yours) ? changeOf(short, plain(base), plain(yours)) : wordsOf(short)[0]
  })
}

const isPlain = (value: Json | undefined): boolean => value === undefined || value === null || typeof value !== 'object'
const plain = (value: Json | undefined): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
