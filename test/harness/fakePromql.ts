/** Samples of a series between two instants, Unix milliseconds. */
export interface Sampled {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [number, number])[]
}

export interface Value {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

/** Series that a selector finds, with their samples after one instant up to another. */
type Select = (selector: string, from: number, to: number) => readonly Sampled[]

/** The lookback of an instant query. */
const LOOKBACK_MS = 300_000

/** As much of PromQL as the console uses for a whole fleet; any other expression returns nothing. */
export function evaluate(text: string, at: number, select: Select): readonly Value[] {
  const expression = text.trim()
  const or = splitAt(expression, ' or ')
  if (or !== undefined) {
    const left = evaluate(or[0], at, select)
    const known = new Set(left.map(({ metric }) => keyOf(metric)))
    return [...left, ...evaluate(or[1], at, select).filter(({ metric }) => !known.has(keyOf(metric)))]
  }
  const and = splitAt(expression, ' and on ')
  if (and !== undefined) {
    const [, labels = '', right = ''] = /^\(([^)]*)\) (.*)$/s.exec(and[1]) ?? []
    const of = ({ metric }: Value): string => JSON.stringify(listed(labels).map((label) => metric[label] ?? ''))
    const known = new Set(evaluate(right, at, select).map(of))
    return evaluate(and[0], at, select).filter((one) => known.has(of(one)))
  }
  const ratio = splitAt(expression, ' / ')
  if (ratio !== undefined) {
    const below = new Map(evaluate(ratio[1], at, select).map(({ metric, value }) => [keyOf(metric), value]))
    return evaluate(ratio[0], at, select).flatMap(({ metric, value }) => {
      const divisor = below.get(keyOf(metric))
      return divisor === undefined ? [] : [{ metric: unnamed(metric), value: value / divisor }]
    })
  }
  const [, how, dropped = '', summed = ''] = /^(sum|max) without \(([^)]*)\) \((.*)\)$/s.exec(expression) ?? []
  if (how !== undefined) {
    const groups = Map.groupBy(evaluate(summed, at, select), ({ metric }) => keyOf(metric, listed(dropped)))
    return [...groups.values()].map((all) => ({
      metric: without(all[0]?.metric ?? {}, listed(dropped)),
      value:
        how === 'sum' ? all.reduce((sum, { value }) => sum + value, 0) : Math.max(...all.map(({ value }) => value)),
    }))
  }
  const [, kept = '', addends] = /^sum by \(([^)]*)\) \((.*)\)$/s.exec(expression) ?? []
  if (addends !== undefined) {
    const only = ({ metric }: Value): Record<string, string> =>
      Object.fromEntries(Object.entries(metric).filter(([label]) => listed(kept).includes(label)))
    const groups = Map.groupBy(evaluate(addends, at, select), (one) => JSON.stringify(only(one)))
    return [...groups.values()].flatMap((all) => {
      const [first] = all
      return first === undefined ? [] : [{ metric: only(first), value: all.reduce((sum, { value }) => sum + value, 0) }]
    })
  }
  const [, quantile, buckets = ''] = /^histogram_quantile\(([\d.]+), (.*)\)$/s.exec(expression) ?? []
  if (quantile !== undefined) return quantiles(Number(quantile), evaluate(buckets, at, select))
  const [, counter = '', amount, unit] = /^rate\((.*)\[(\d+)(ms|s)\]\)$/s.exec(expression) ?? []
  if (amount !== undefined) {
    return select(counter, at - Number(amount) * (unit === 's' ? 1_000 : 1), at).flatMap(({ metric, values }) => {
      const [first, last] = [values[0], values.at(-1)]
      if (first === undefined || last === undefined || first === last) return []
      return [{ metric: unnamed(metric), value: ((last[1] - first[1]) / (last[0] - first[0])) * 1_000 }]
    })
  }
  return select(expression, at - LOOKBACK_MS, at).flatMap(({ metric, values }) => {
    const last = values.at(-1)
    return last === undefined ? [] : [{ metric, value: last[1] }]
  })
}

/** Both sides of an operator outside parentheses, braces and quotes. */
function splitAt(text: string, operator: string): readonly [string, string] | undefined {
  let [depth, quoted] = [0, false]
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? ''
    if (character === '"' && text[i - 1] !== '\\') quoted = !quoted
    if (quoted) continue
    if ('({['.includes(character)) depth++
    else if (')}]'.includes(character)) depth--
    else if (depth === 0 && text.startsWith(operator, i)) return [text.slice(0, i), text.slice(i + operator.length)]
  }
  return undefined
}

const listed = (labels: string): readonly string[] => labels.split(',').map((label) => label.trim())

const without = (metric: Value['metric'], labels: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(metric).filter(([label]) => label !== '__name__' && !labels.includes(label)))

const unnamed = (metric: Value['metric']): Record<string, string> => without(metric, [])

/** The same for series with the same labels but those that are left out. */
const keyOf = (metric: Value['metric'], leftOut: readonly string[] = []): string =>
  JSON.stringify(Object.entries(without(metric, leftOut)).toSorted(([a], [b]) => (a < b ? -1 : 1)))

function quantiles(q: number, buckets: readonly Value[]): readonly Value[] {
  return [...Map.groupBy(buckets, ({ metric }) => keyOf(metric, ['le'])).values()].flatMap((all) => {
    const bound = ({ metric }: Value): number => Number(metric['le']?.replace('+Inf', 'Infinity'))
    const ordered = all.toSorted((a, b) => bound(a) - bound(b))
    const total = ordered.at(-1)?.value ?? 0
    const index = ordered.findIndex(({ value }) => value >= q * total)
    const [here, below] = [ordered[index], ordered[index - 1]]
    if (here === undefined || total === 0) return []
    const [from, upTo] = [below === undefined ? 0 : bound(below), bound(here)]
    const start = below?.value ?? 0
    const value = Number.isFinite(upTo) ? from + ((upTo - from) * (q * total - start)) / (here.value - start) : from
    return [{ metric: without(here.metric, ['le']), value }]
  })
}
