/** The value in the middle, the upper one of two; `undefined` of none. */
export function median(values: readonly number[]): number | undefined {
  const ascending = values.toSorted((a, b) => a - b)
  return ascending[ascending.length >>> 1]
}
