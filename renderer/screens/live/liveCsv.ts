import type { LiveRequest } from '../../../core/contract/live.ts'
import { rfc3339 } from '../../../core/units.ts'
import { tableCsv, valueColumn } from '../../components/dataColumns.ts'

const column = valueColumn<LiveRequest>

/** All that is known of a request, whichever columns are shown. */
const COLUMNS = [
  column('at', 'Arrival (UTC)', ({ at }) => rfc3339(at)),
  column('user', 'User', ({ user }) => user),
  column('groups', 'Groups', ({ groups }) => groups.join(' ')),
  column('address', 'Client address', ({ address }) => address),
  column('verb', 'Verb', ({ verb }) => verb),
  column('url', 'URL', ({ url }) => url),
  column('resource', 'Resource', ({ resource }) => resource),
  column('namespace', 'Namespace', ({ namespace }) => namespace),
  column('name', 'Name', ({ name }) => name),
  column('level', 'Priority level', ({ level }) => level),
  column('schema', 'Flow schema', ({ schema }) => schema),
  column('flow', 'Flow', ({ flow }) => flow),
  column('queue', 'Queue', ({ queue }) => queue),
  column('initial', 'Initial seats', ({ seats }) => seats.initial),
  column('final', 'Final seats', ({ seats }) => seats.final),
  column('waited', 'Waited (ms)', ({ waitMs }) => waitMs),
  column('ran', 'Ran (ms)', ({ runMs }) => runMs),
  column('lingers', 'Lingers (ms)', ({ lingerMs }) => lingerMs),
  column('state', 'State', ({ state }) => state),
  column('status', 'Status', ({ status }) => status),
  column('reason', 'Reason', ({ reason }) => reason),
  column('serverLevel', 'Priority level at the server', ({ server }) => server?.level),
  column('serverSchema', 'Flow schema at the server', ({ server }) => server?.schema),
  column('serverInitial', 'Initial seats at the server', ({ server }) => server?.initialSeats),
  column('serverFinal', 'Final seats at the server', ({ server }) => server?.finalSeats),
  column('serverWaited', 'Waited at the server (ms)', ({ server }) => server?.waitMs),
  column('draft', 'State in the draft', ({ candidate }) => candidate?.state),
]

/** Requests as CSV, in the given order. */
export const liveCsv = (rows: readonly LiveRequest[]): string => tableCsv(COLUMNS, rows)
