/** Median; of an even number of values the upper one of the two in the middle. NaN of none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const round = (value: number, digits: number): number => Number(value.toFixed(digits))

/** Prints one result as a line of JSON. */
export const report = (result: Readonly<Record<string, unknown>>): void => {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
