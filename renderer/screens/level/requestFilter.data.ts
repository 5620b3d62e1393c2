import type { Vocabulary } from '../../../core/filter/filter.ts'
import type { RequestRow } from './requests.data.ts'

/** What can be asked of the requests of one level. */
export const REQUEST_VOCABULARY: Vocabulary<RequestRow> = {
  texts: {
    flow: { of: (row) => row.flow },
    schema: { of: (row) => row.schema },
    verb: { of: (row) => row.verb },
    ns: { of: (row) => row.namespace },
    user: { of: (row) => row.user },
    queue: { of: (row) => String(row.queue), whole: true },
    state: { of: (row) => row.state },
    resource: { of: (row) => row.target },
  },
  amounts: {
    wait: { of: (row) => row.waited * 1_000, unit: 'duration' },
    run: { of: (row) => (row.running === undefined ? undefined : row.running * 1_000), unit: 'duration' },
    seats: { of: (row) => row.seats, unit: 'count' },
  },
  free: (row) => [row.verb, row.target, row.path, row.namespace, row.user, row.flow, row.schema],
}
