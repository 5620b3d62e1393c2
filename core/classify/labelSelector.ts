/**
 * Whether a text is a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`. Only that is asked of label
 * selectors here; nothing is ever matched by them (specification 2.1).
 */
export function isLabelSelector(text: string): boolean {
  const tokens = text.match(/[(),]|!=|==|[=!<>]|[^\s(),=!<>]+/g) ?? []
  const end = tokens.length
  let at = 0

  const take = (expected: string): boolean => {
    if (tokens[at] !== expected) return false
    at += 1
    return true
  }
  const takeIf = (valid: (token: string) => boolean): boolean => {
    const token = tokens[at]
    if (token === undefined || !valid(token)) return false
    at += 1
    return true
  }
  /** A value may be left out, which means the empty one. */
  const takeValue = (): boolean => at === end || tokens[at] === ',' || tokens[at] === ')' || takeIf(isValue)
  const takeSet = (): boolean => {
    if (!take('(')) return false
    do if (!takeValue()) return false
    while (take(','))
    return take(')')
  }
  const takeRequirement = (): boolean => {
    if (take('!')) return takeIf(isKey)
    if (!takeIf(isKey)) return false
    if (at === end || tokens[at] === ',') return true
    if (take('in') || take('notin')) return takeSet()
    if (take('=') || take('==') || take('!=')) return takeValue()
    return (take('>') || take('<')) && takeIf((token) => /^[+-]?\d+$/.test(token))
  }

  if (end === 0) return true
  do if (!takeRequirement()) return false
  while (take(','))
  return at === end
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

const isValue = (token: string): boolean => token.length <= 63 && NAME.test(token)

function isKey(token: string): boolean {
  const slash = token.indexOf('/')
  const name = token.slice(slash + 1)
  const prefix = slash === -1 ? undefined : token.slice(0, slash)
  return isValue(name) && (prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix)))
}
