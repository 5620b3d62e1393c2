/** Where two answers disagree first. */
export interface Difference {
  /** Such as `outcomes[3][4]`; empty for the answer itself. */
  readonly where: string
  readonly ours: unknown
  readonly upstreams: unknown
}

/**
 * Numbers that upstream itself does not always compute to the last bit, with the relative difference that is accepted:
 * it visits the levels in random order, and its sort of the solver's breakpoints is unstable (docs/conformance.md).
 */
const TOLERANCES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  limits: { fairFrac: 1e-9, fairFracByName: 1e-9, allocByName: 1e-9 },
  borrow: { fairFrac: 1e-9, fairFracByName: 1e-9, allocByName: 1e-9 },
  solver: { allocs: 1e-9, fairProp: 1e-9 },
}
/** Texts for people: only their presence is compared, not their content. */
const TEXTS: Readonly<Record<string, string>> = { solver: 'error' }

/**
 * Compares an answer, as it is printed, with upstream's: exactly, but for the stated tolerances. `undefined` when they
 * agree.
 */
export function difference(subcommand: string, answer: unknown, upstreams: unknown): Difference | undefined {
  const tolerances = TOLERANCES[subcommand] ?? {}
  const visit = (ours: unknown, wanted: unknown, where: string, key: string): Difference | undefined => {
    if (ours === wanted) return undefined
    if (Array.isArray(ours) && Array.isArray(wanted)) {
      return first(Math.max(ours.length, wanted.length), (i) => visit(ours[i], wanted[i], `${where}[${i}]`, key))
    }
    if (isObject(ours) && isObject(wanted)) {
      const keys = [...new Set([...Object.keys(wanted), ...Object.keys(ours)])]
      return first(keys.length, (i) => {
        const name = keys[i] ?? ''
        return visit(ours[name], wanted[name], where === '' ? name : `${where}.${name}`, name)
      })
    }
    if (typeof ours === 'number' && typeof wanted === 'number') {
      if (Math.abs(ours - wanted) <= (tolerances[key] ?? 0) * Math.abs(wanted)) return undefined
    }
    if (key === TEXTS[subcommand] && typeof ours === 'string' && typeof wanted === 'string') return undefined
    return { where, ours, upstreams: wanted }
  }
  return visit(JSON.parse(JSON.stringify(answer)), upstreams, '', '')
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function first(length: number, look: (index: number) => Difference | undefined): Difference | undefined {
  for (let i = 0; i < length; i++) {
    const found = look(i)
    if (found !== undefined) return found
  }
  return undefined
}
