import type { LiveRequest } from '../contract/live.ts'
import type { Vocabulary } from '../filter/filter.ts'
import { differencesOf } from './agreement.ts'

/**
 * Whether everything that the server reported equals the engine's decision; `undefined` when it reported nothing that
 * the engine decides. A wait alone does not count: it depends on traffic that does not come through here.
 */
export function agrees(request: LiveRequest): boolean | undefined {
  const { schema, level: own, initialSeats, finalSeats } = request.server ?? {}
  const said = [schema, own, initialSeats, finalSeats].some((word) => word !== undefined)
  return said ? differencesOf(request).length === 0 : undefined
}

/**
 * Whether the draft decided the request differently; `undefined` if no draft runs beside it, or the draft has not
 * decided yet.
 */
export function draftDiffers({ candidate, level, schema, state }: LiveRequest): boolean | undefined {
  if (candidate === undefined || candidate.state === 'behind') return undefined
  return (
    candidate.level !== level ||
    candidate.schema !== schema ||
    (candidate.state === 'rejected') !== (state === 'rejected')
  )
}

const yesNo = (value: boolean | undefined): string => (value === undefined ? '' : value ? 'yes' : 'no')

/** Path of the request, without its query. */
const pathOf = ({ url }: LiveRequest): string => url.split('?', 1)[0] ?? ''

const level = { of: (row: LiveRequest) => row.level }
const schema = { of: (row: LiveRequest) => row.schema }

/** The query language for rows of single requests: `pl:workload-low verb:list user:system:* wait>1s`. */
export const LIVE_VOCABULARY: Vocabulary<LiveRequest> = {
  texts: {
    level,
    pl: level,
    schema,
    fs: schema,
    flow: { of: (row) => row.flow },
    user: { of: (row) => row.user },
    group: { of: (row) => row.groups.join(' ') },
    verb: { of: (row) => row.verb, whole: true },
    ns: { of: (row) => row.namespace },
    resource: { of: (row) => row.resource },
    name: { of: (row) => row.name },
    path: { of: pathOf },
    status: { of: (row) => String(row.status ?? ''), whole: true },
    reason: { of: (row) => row.reason ?? '' },
    queue: { of: (row) => String(row.queue ?? ''), whole: true },
    state: { of: (row) => row.state },
    agree: { of: (row) => yesNo(agrees(row)), whole: true },
    differs: {
      of: (row) =>
        differencesOf(row)
          .map(([what]) => what)
          .join('; '),
    },
    draft: { of: (row) => draftWord(row), whole: true },
  },
  amounts: {
    wait: { of: (row) => row.waitMs, unit: 'duration' },
    run: { of: (row) => row.runMs, unit: 'duration' },
    linger: { of: (row) => row.lingerMs, unit: 'duration' },
    seats: { of: (row) => Math.max(row.seats.initial, row.seats.final), unit: 'count' },
    real: { of: (row) => row.server?.initialSeats, unit: 'count' },
  },
  free: (row) => [row.verb, row.url, row.resource, row.namespace, row.name, row.user, row.flow, row.schema, row.level],
}

function draftWord(row: LiveRequest): string {
  const differs = draftDiffers(row)
  return differs === undefined ? '' : differs ? 'different' : 'same'
}
