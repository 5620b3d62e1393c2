import type { Json, JsonMap } from '../manifest/json.ts'
import { differingFields } from './threeWay.ts'

/** Each field in which two manifests of an object differ, those of its spec first: `shares 100 → 30`. */
export function fieldTexts(before: JsonMap, after: JsonMap): readonly string[] {
  const rankOf = (field: string): number => (field.startsWith('spec.') ? 0 : 1)
  const fields = differingFields(before, after, before).toSorted((a, b) => rankOf(a.field) - rankOf(b.field))
  return fields.map(({ field, base, yours }) => {
    const short = field
      .replace(/^spec\.(limited\.|exempt\.)?(limitResponse\.queuing\.)?/, '')
      .replace('nominalConcurrencyShares', 'shares')
      .replace(/^metadata\.annotations\[apf\.kubernetes\.io\/(.*)\]$/, '$1')
    return isPlain(base) && isPlain(yours) ? `${short} ${plain(base)} → ${plain(yours)}` : short
  })
}

const isPlain = (value: Json | undefined): boolean => value === undefined || value === null || typeof value !== 'object'
const plain = (value: Json | undefined): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)
