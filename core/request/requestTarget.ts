/** The first value of each parameter of a query. */
export type Query = ReadonlyMap<string, string>

export interface RequestTarget {
  /** Percent-decoded: `a%2Fb` is two parts. */
  readonly path: string
  readonly query: Query
}

/** Undoes percent-encoding; `undefined` where an escape is not one or is not UTF-8. */
function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Splits the target of a request line as Go's net/url does: in a query `+` is a space, a pair that cannot be decoded or
 * holds a semicolon is left out. `undefined` when the path cannot be decoded; a server answers 400 to that.
 */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const question = target.indexOf('?')
  const path = decode(question === -1 ? target : target.slice(0, question))
  if (path === undefined) return undefined
  const query = new Map<string, string>()
  for (const pair of question === -1 ? [] : target.slice(question + 1).split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    const key = decode((equals === -1 ? pair : pair.slice(0, equals)).replaceAll('+', ' '))
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1).replaceAll('+', ' '))
    if (key !== undefined && value !== undefined && !query.has(key)) query.set(key, value)
  }
  return { path, query }
}
