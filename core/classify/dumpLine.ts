import type { DumpRequest } from '../frame/dump.ts'
import { DUMP_DETAIL_COLUMNS, DUMP_REQUEST_COLUMNS } from '../metrics/dumpColumns.ts'
import { methodOfVerb } from './requestFields.ts'
import type { PartialRequest, Unreadable } from './partialRequest.ts'

/** Columns of a request dump with details, and where those begin. */
const DETAILS = DUMP_REQUEST_COLUMNS.length
const COLUMNS = DETAILS + DUMP_DETAIL_COLUMNS.length

/** Reads one line of a request dump that was taken with details; a header before it is passed over. */
export function readDumpLine(text: string): PartialRequest | Unreadable {
  const line = text.split('\n').find((each) => each.trim() !== '' && !each.startsWith('PriorityLevelName')) ?? ''
  const cells = line.split(',').map((cell) => cell.trim())
  if (cells.length < COLUMNS) {
    return {
      problem: 'The line is none of a request dump with details; ask for dump_requests?includeRequestDetails=1.',
    }
  }
  if (cells.length > COLUMNS)
    return { problem: 'The line of the dump has too many columns: a name in it holds a comma.' }
  const [user = '', verb = '', path = ''] = cells.slice(DETAILS)
  return requestOfDump({ user, verb, path }) ?? { problem: 'The line of the dump names no user, verb and path.' }
}

/** The request of a row of the dump; `undefined` for a row without details. */
export function requestOfDump({
  user,
  verb,
  path,
}: Pick<DumpRequest, 'user' | 'verb' | 'path'>): PartialRequest | undefined {
  if (user === undefined || verb === undefined || verb === '' || path === undefined || !path.startsWith('/'))
    return undefined
  const watch = verb === 'watch' ? '?watch=true' : ''
  return {
    method: methodOfVerb(verb),
    url: `${encodeURI(path.toWellFormed())}${watch}`,
    user,
    guessed: ['url'],
    notes: ['A dump holds no groups and no query: the seats of lists and watches may differ.'],
  }
}
