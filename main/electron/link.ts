import { z } from 'zod'
import { pagesOf, SCREENS } from '../../core/contract/screens.ts'
import { shownLine } from '../../core/text/text.ts'

/** Scheme of the links that the system passes to the application; electron-builder.yml registers the same. */
export const LINK_SCHEME = 'apf-console'

/** Whether an argument claims to be a link, valid or not. */
export const isLink = (argument: string): boolean => /^\s*apf-console:/i.test(argument)

export type ParsedLink =
  /** `address` is an address in the page, `#/level/system?at=…`. */
  { readonly ok: true; readonly address: string } | { readonly ok: false; readonly why: string }

const MOST_CHARACTERS = 2_000
const text = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u)

/** The only parameters of a link. None of them connects, reads a file, runs a program or changes a setting. */
const QuerySchema = z.strictObject({
  object: text.exactOptional(),
  source: text.exactOptional(),
  server: text.exactOptional(),
  range: text.exactOptional(),
  /** Of a run, seconds since its start. */
  at: z.union([z.iso.datetime({ offset: true }), z.string().regex(/^\d{1,8}(\.\d{1,3})? s$/)]).exactOptional(),
})
const ScreenSchema = z.enum(SCREENS)
/** The form of object names in the API server. */
const LevelSchema = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/)
const QUERY_NAMES = Object.keys(QuerySchema.shape).join(', ')

const refused = (why: string): ParsedLink => ({ ok: false, why })

/**
 * The address in the page that a link leads to: `apf-console://level/system?at=…` is `#/level/system?at=…`. A link may
 * be from anyone, so anything unknown is rejected with a sentence. The page itself reads ranges and names of sources,
 * and reports those that it cannot show.
 */
export function parseLink(link: string): ParsedLink {
  if (link.length > MOST_CHARACTERS) return refused('The link is longer than 2,000 characters.')
  const url = URL.parse(link)
  const lead = `${LINK_SCHEME}://`
  if (url === null || !link.toLowerCase().startsWith(lead) || !/^[!-~]+$/.test(link))
    return refused(`A link begins with ${lead} and has no blanks, for example ${lead}overview.`)
  if (url.username !== '' || url.password !== '' || url.port !== '' || url.hash !== '')
    return refused('A link must not contain a user, a port or #.')
  const screen = ScreenSchema.safeParse(url.hostname)
  if (!screen.success) return refused(`The link names no screen of the console. Screens are ${SCREENS.join(', ')}.`)
  const place = url.pathname.replace(/^\//, '')
  const isPlace =
    place === '' ||
    (screen.data === 'level'
      ? LevelSchema.safeParse(place).success
      : pagesOf(screen.data).some((page) => page === place))
  if (!isPlace)
    return refused(
      screen.data === 'level' ? 'The link names no priority level.' : `The link names no page of ${screen.data}.`,
    )
  const entries = [...url.searchParams]
  const twice = entries.find(([name], index) => entries.findIndex(([other]) => other === name) !== index)
  if (twice !== undefined) return refused(`The link has ${quoted(twice[0])} twice.`)
  const query = QuerySchema.safeParse(Object.fromEntries(entries))
  if (!query.success) {
    const [issue] = query.error.issues
    return refused(
      issue?.code === 'unrecognized_keys'
        ? `The link has ${quoted(issue.keys[0] ?? '')}, which is not allowed. Allowed are ${QUERY_NAMES}.`
        : `The ${String(issue?.path[0])} of the link cannot be read.`,
    )
  }
  const params = new URLSearchParams(entries).toString()
  return { ok: true, address: `#/${screen.data}${place === '' ? '' : `/${place}`}${params === '' ? '' : `?${params}`}` }
}

const quoted = (name: string): string => `“${shownLine(name.slice(0, 40))}”`
