/** A request as a developer's log of the API server writes it: `%#v` of a RequestInfo and of the user beside it. */
export interface LoggedRequestInfo {
  readonly user: string
  readonly groups: string[]
  readonly verb: string
  /** Path without the query, which a RequestInfo does not hold. */
  readonly url: string
}

export const NO_QUERY = 'A RequestInfo holds no query, so options such as limit and resourceVersion are unknown.'

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`
const field = (name: string): RegExp => new RegExp(String.raw`\b${name}:\s*(${QUOTED})`)
const FIELDS = { path: field('Path'), verb: field('Verb'), user: field('Name') }
const GROUPS = new RegExp(String.raw`\bGroups:\s*\[\]string\{((?:\s*${QUOTED},?)*)\s*\}`)

/** The requests in such a text, as the KEP of Priority and Fairness lists them; on one line, or on several. */
export function readRequestInfos(text: string): LoggedRequestInfo[] {
  const [, ...extracts] = text.split(/\brequest\.RequestInfo\{/)
  return extracts.flatMap((extract) => {
    const [info = '', user = ''] = extract.split(/\buser\.DefaultInfo\{/)
    const [path, verb, name] = [
      valueOf(FIELDS.path.exec(info)),
      valueOf(FIELDS.verb.exec(info)),
      valueOf(FIELDS.user.exec(user)),
    ]
    if (path === undefined || verb === undefined || name === undefined) return []
    const groups = GROUPS.exec(user)?.[1]?.match(new RegExp(QUOTED, 'g')) ?? []
    return [{ user: name, groups: groups.map(unquoted), verb, url: path }]
  })
}

const valueOf = (found: RegExpExecArray | null): string | undefined =>
  found?.[1] === undefined ? undefined : unquoted(found[1])

/** Go quotes printable text as JSON does. */
function unquoted(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}
