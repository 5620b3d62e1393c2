/** The name of a field without its path. */
export const shortField = (field: string): string =>
  field
    .replace(/^spec\.(limited\.|exempt\.)?(limitResponse\.queuing\.)?/, '')
    .replace(/^metadata\.annotations\[apf\.kubernetes\.io\/(.*)\]$/, '$1')

/** Settings of a level as people call them, with their unit. */
const WORDS: Readonly<Record<string, readonly [words: string, unit?: string]>> = {
  nominalConcurrencyShares: ['shares'],
  lendablePercent: ['lendable', ' %'],
  borrowingLimitPercent: ['borrowing limit', ' %'],
  handSize: ['hand size'],
  queueLengthLimit: ['queue length limit'],
}

export const wordsOf = (field: string): readonly [words: string, unit?: string] =>
  (Object.hasOwn(WORDS, field) ? WORDS[field] : undefined) ?? [field]

/** `lendable 90 % → 50 %`; the field without its path. */
export function changeOf(field: string, from: string, to: string): string {
  const [words, unit = ''] = wordsOf(field)
  const [before, after] = [from, to].map((value) => (/^\d/.test(value) ? `${value}${unit}` : value))
  return `${words} ${before} → ${after}`
}
