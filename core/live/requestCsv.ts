import type { LiveRequest } from '../contract/live.ts'
import { type CsvValue, instantHeader, instantValue, toCsv } from '../text/csv.ts'

/** All that is known of a request after its arrival, whichever columns are shown. */
const COLUMNS: readonly (readonly [header: string, value: (row: LiveRequest) => CsvValue])[] = [
  ['User', ({ user }) => user],
  ['Groups', ({ groups }) => groups.join(' ')],
  ['Client address', ({ address }) => address],
  ['Verb', ({ verb }) => verb],
  ['URL', ({ url }) => url],
  ['Resource', ({ resource }) => resource],
  ['Namespace', ({ namespace }) => namespace],
  ['Name', ({ name }) => name],
  ['Priority level', ({ level }) => level],
  ['Flow schema', ({ schema }) => schema],
  ['Flow', ({ flow }) => flow],
  ['Queue', ({ queue }) => queue],
  ['Initial seats', ({ seats }) => seats.initial],
  ['Final seats', ({ seats }) => seats.final],
  ['Waited (ms)', ({ waitMs }) => waitMs],
  ['Ran (ms)', ({ runMs }) => runMs],
  ['Lingers (ms)', ({ lingerMs }) => lingerMs],
  ['State', ({ state }) => state],
  ['Status', ({ status }) => status],
  ['Reason', ({ reason }) => reason],
  ['Priority level at the server', ({ server }) => server?.level],
  ['Flow schema at the server', ({ server }) => server?.schema],
  ['Initial seats at the server', ({ server }) => server?.initialSeats],
  ['Final seats at the server', ({ server }) => server?.finalSeats],
  ['Waited at the server (ms)', ({ server }) => server?.waitMs],
  ['State in the draft', ({ candidate }) => candidate?.state],
]

/** Requests as CSV, in the given order. */
export const requestCsv = (rows: readonly LiveRequest[]): string =>
  toCsv(
    [instantHeader('Arrival', rows[0]?.at ?? Infinity), ...COLUMNS.map(([header]) => header)],
    rows.map((row) => [instantValue(row.at), ...COLUMNS.map(([, value]) => value(row))]),
  )
