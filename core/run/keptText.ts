import type { RequestDigest } from '../request/match.ts'
import type { Query } from '../request/requestTarget.ts'
import type { LiveRequest } from '../contract/live.ts'

/**
 * Clients choose the length of most texts of a request, and rows are kept long after their requests: each text has a
 * budget, and so have all texts of a log together. Requests are classified, enqueued and forwarded with their whole
 * texts.
 */
export const MOST_CHARACTERS = { url: 2_048, user: 512, groups: 2_048, name: 256 } as const

/** For all kept rows together. 200,000 rows of usual length have about 60 million. */
export const MOST_TEXT = 96_000_000

/** A copy: a part of a text keeps the whole of it in memory. */
export const ownText = (part: string): string => ` ${part}`.slice(1)

/** The text, or its beginning and how much is missing. */
export function keptText(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = text.slice(0, most)
  return `${ownText(kept)}… (${text.length - most} more characters)`
}

/** As many groups as fit, and how many are missing. */
export function keptGroups(groups: readonly string[]): string[] {
  let left: number = MOST_CHARACTERS.groups
  const fit = groups.findIndex((group) => (left -= group.length) < 0)
  if (fit === -1) return [...groups]
  // The one that does not fit is shown in part: it may be the only one.
  const [next = ''] = groups.slice(fit)
  const kept = [...groups.slice(0, fit), keptText(next, MOST_CHARACTERS.name)]
  const more = groups.length - kept.length
  return more === 0 ? kept : [...kept, `… (${more} more groups)`]
}

type Texts = Pick<LiveRequest, 'url' | 'user' | 'groups' | 'resource' | 'namespace' | 'name' | 'flow' | 'address'>

/** Characters of a row that its client chose. */
export const textOf = ({ url, user, groups, resource, namespace, name, flow, address = '' }: Texts): number =>
  groups.reduce((sum, group) => sum + group.length, url.length + user.length + flow.length) +
  resource.length +
  namespace.length +
  name.length +
  address.length

type Placed = RequestDigest & { readonly query: Query }

const isLong = ({ user, info, query }: Placed): boolean => {
  let characters = info.path.length + user.name.length
  for (const group of user.groups) characters += group.length
  for (const value of query.values()) characters += value.length
  return characters > MOST_CHARACTERS.url
}

/** A request that was placed, for as long as it waits and runs: itself unless it is long. */
export function shortened(request: Placed): Placed {
  if (!isLong(request)) return request
  const { user, info, query } = request
  const { url, user: name, name: part } = MOST_CHARACTERS
  const short = (text: string): string => ownText(keptText(text, part))
  return {
    user: { name: keptText(user.name, name), groups: keptGroups(user.groups) },
    info: {
      ...info,
      path: ownText(keptText(info.path, url)),
      namespace: short(info.namespace),
      resource: short(info.resource),
      subresource: short(info.subresource),
      name: short(info.name),
      apiGroup: short(info.apiGroup),
      apiVersion: short(info.apiVersion),
      apiPrefix: short(info.apiPrefix),
      fieldSelector: short(info.fieldSelector),
      labelSelector: short(info.labelSelector),
      parts: [],
    },
    query: new Map(
      [...query].filter(([key, value]) => key.length + value.length <= part).map(([k, v]) => [ownText(k), ownText(v)]),
    ),
  }
}
