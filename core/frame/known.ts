/** Sum of the parts, `undefined` as soon as one is not known; 0 of none. */
export const sumOfKnown = (parts: readonly (number | undefined)[]): number | undefined =>
  parts.reduce<number | undefined>((a, b) => (a === undefined || b === undefined ? undefined : a + b), 0)
