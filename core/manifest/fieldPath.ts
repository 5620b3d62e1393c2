/** Keys and indices from the top of an object. */
export type FieldPath = readonly (string | number)[]

/**
 * Reads a path as the API server reports it: `spec.rules[0].subjects[1].user.name`. In brackets stands an index or, as
 * in `metadata.annotations[example.com/team]`, a key.
 */
export function parseField(field: string): FieldPath {
  const path: (string | number)[] = []
  // Behind the last closing bracket an opening one means nothing, and is not matched in search of its end.
  const end = field.lastIndexOf(']') + 1
  const steps = [
    ...field.slice(0, end).matchAll(/([^.[\]]+)|\[([^\]]*)\]/g),
    ...field.slice(end).matchAll(/([^.[\]]+)/g),
  ]
  for (const [, key, inBrackets] of steps) {
    if (key !== undefined) path.push(key)
    else if (inBrackets !== undefined) path.push(/^\d+$/.test(inBrackets) ? Number(inBrackets) : inBrackets)
  }
  return path
}

/** Writes a path as the API server reports it. */
export function fieldOf(path: FieldPath): string {
  return path.reduce<string>((field, step) => {
    if (typeof step === 'number') return `${field}[${step}]`
    if (/[.[\]]/.test(step)) return `${field}[${step}]`
    return field === '' ? step : `${field}.${step}`
  }, '')
}
