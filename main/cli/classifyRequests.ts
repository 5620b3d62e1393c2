import { z } from 'zod'
import { identityOf } from '../../core/classify/identity.ts'
import { addressOfVerb, verbProblem } from '../../core/classify/requestFields.ts'
import { strangeKeyInRequests, strangeKeyInTable } from '../../core/classify/configuration.ts'
import { NO_QUERY, readRequestInfos } from '../../core/classify/requestInfoText.ts'
import { readRequestText } from '../../core/classify/requestText.ts'
import { ProblemError } from '../../core/errors.ts'
import { valuesIn } from '../../core/feeds/envelopes.ts'
import { otherText } from '../../core/text/otherTexts.ts'
import type { RequestSample, RequestTest } from '../../core/contract/objects.ts'
import { decodeText, readWithin } from '../files/files.ts'
import type { Reading } from './inputFiles.ts'
import { UsageError, type Given } from './usage.ts'

/** Requests to classify. Notes name the values that were filled in. */
export interface GivenRequests {
  /** The input was a list, so the output is a list. */
  readonly many: boolean
  readonly requests: readonly RequestSample[]
  readonly notes: readonly string[]
}

/** Tables of requests are written by hand; this bounds an endless stream. */
const MOST_BYTES = 64 * 1024 * 1024

/** A request in a file: in the console's format, or with a verb instead of the method. */
const RequestSchema = z.object({
  user: z.string(),
  groups: z.array(z.string()).optional(),
  method: z.string().min(1).optional(),
  verb: z.string().min(1).optional(),
  url: z.string().min(1),
})
type WrittenRequest = z.infer<typeof RequestSchema>

const RequestsSchema = z.union([z.array(RequestSchema).min(1), RequestSchema])

const ExpectSchema = z.object({ flowSchema: z.string(), priorityLevel: z.string() })
const TestsSchema = z.array(
  z.object({
    id: z.string().optional(),
    label: z.string().optional(),
    request: RequestSchema,
    expect: ExpectSchema.optional(),
  }),
)
/** In the console's format, or the list alone. */
const TestTableSchema = z.union([TestsSchema, z.object({ tests: TestsSchema }).transform(({ tests }) => tests)])

/** The requests that the options specify in one of three ways. Rejects with `UsageError` or `ProblemError`. */
export async function requestsFrom(given: Given, reading: Reading): Promise<GivenRequests> {
  const [file, kubectl, text, url] = [
    given.value('request'),
    given.value('kubectl'),
    given.value('text'),
    given.value('url'),
  ]
  const ways = [
    file !== undefined && '--request',
    kubectl !== undefined && '--kubectl',
    text !== undefined && '--text',
    url !== undefined && '--url',
  ].filter(Boolean)
  if (ways.length !== 1) {
    throw new UsageError(
      ways.length === 0
        ? 'classify needs a request: --user and --url, --kubectl, --text or --request.'
        : `Give the request in one way, not with ${ways.join(' and ')}.`,
    )
  }
  if (file !== undefined) return fromFile(given, file, reading)
  const written = kubectl === undefined ? text : `kubectl ${kubectl.trim().replace(/^(?:kubectl|k|oc)(?=\s|$)/, '')}`
  return written === undefined ? fromOptions(given, url ?? '') : fromText(given, written)
}

function fromOptions(given: Given, url: string): GivenRequests {
  const [user, verb, method] = [given.value('user'), given.value('verb'), given.value('method')]
  if (user === undefined) throw new UsageError('--url needs --user: the schema depends on the user.')
  if (verb !== undefined && method !== undefined)
    throw new UsageError('--verb and --method mean the same; give one of them.')
  const groups = given.values('group')
  const written: WrittenRequest = {
    user,
    url,
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(verb !== undefined && { verb }),
    ...(method !== undefined && { method }),
  }
  return { many: false, ...completed(written) }
}

function fromText(given: Given, text: string): GivenRequests {
  const user = given.value('user')
  const groups = given.values('group')
  if (user === undefined && groups.length > 0) throw new UsageError('--group needs --user.')
  const reading = readRequestText(text, user === undefined ? undefined : { user, ...(groups.length > 0 && { groups }) })
  if (!reading.ok) throw new UsageError(reading.problem)
  return { many: false, requests: [reading.request], notes: reading.notes }
}

/** Of what is neither JSON nor RequestInfos, what `--text` reads; lines of a client that waited may be JSON. */
async function fromFile(given: Given, file: string, reading: Reading): Promise<GivenRequests> {
  const text = await readFile(file, reading)
  const logged = readRequestInfos(text)
  const other = otherText(text)
  if (other !== undefined) throw new ProblemError('bad-answer', `${nameOf(file)} ${other}.`)
  if (logged.length === 0 && (!/^\s*[[{]/.test(text) || text.includes('client-side throttling')))
    return fromText(given, text)
  const read = logged.length > 0 ? logged : writtenIn(text, file)
  const all = (Array.isArray(read) ? read : [read]).map(completed)
  return {
    many: Array.isArray(read),
    requests: all.flatMap(({ requests }) => requests),
    notes: [...new Set([...(logged.length > 0 ? [NO_QUERY] : []), ...all.flatMap(({ notes }) => notes)])],
  }
}

function writtenIn(text: string, file: string): WrittenRequest | WrittenRequest[] {
  const written = jsonIn(text, file)
  refuse(strangeKeyInRequests(written), file)
  return parsed(RequestsSchema, written, file, 'user, groups, method (or verb) and url')
}

/** A saved test table. Rows without an id are numbered; a missing label is made of user, method and URL. */
export async function testsFrom(file: string, reading: Reading): Promise<readonly RequestTest[]> {
  const written = jsonIn(await readFile(file, reading), file)
  refuse(strangeKeyInTable(written), file)
  const rows = parsed(TestTableSchema, written, file, 'request and expect in each row')
  return rows.map(({ id, label, request, expect }, index): RequestTest => {
    const [sample] = completed(request).requests
    if (sample === undefined) throw new Error('a request was lost')
    return {
      id: id ?? String(index + 1),
      label: label ?? `${sample.user} ${sample.method} ${sample.url}`,
      request: sample,
      ...(expect !== undefined && { expect }),
    }
  })
}

function completed({
  user,
  groups,
  method,
  verb,
  url,
}: WrittenRequest): Pick<GivenRequests, 'requests'> & { notes: string[] } {
  const written = verb ?? method?.toUpperCase() ?? 'GET'
  const problem = verbProblem(written)
  if (problem !== undefined) throw new ProblemError('invalid-input', problem)
  const address = addressOfVerb(written, url)
  const identity = identityOf(user)
  return {
    requests: [{ user, groups: [...(groups ?? identity.groups)], method: address.method, url: address.url }],
    notes: [
      ...address.notes,
      ...(groups === undefined ? [`Groups of ${user}: ${identity.groups.join(', ')}. ${identity.reason}`] : []),
    ],
  }
}

const readFile = async (file: string, { readStdin, signal }: Reading): Promise<string> =>
  decodeText(await (file === '-' ? readStdin(MOST_BYTES) : readWithin(file, { mostBytes: MOST_BYTES, signal })))

/** One JSON value, or a list of those that follow each other, as in lines of JSON. */
function jsonIn(text: string, file: string): unknown {
  const { values, cut } = valuesIn(text)
  const [value, ...others] = values
  if (cut || value === undefined) throw new ProblemError('invalid-input', `${nameOf(file)} is not JSON.`)
  return others.length === 0 ? value : values
}

function refuse(problem: string | undefined, file: string): void {
  if (problem !== undefined) throw new ProblemError('invalid-input', `${nameOf(file)}: ${problem}`)
}

const nameOf = (file: string): string => (file === '-' ? 'The standard input' : file)

function parsed<S extends z.ZodType>(schema: S, value: unknown, file: string, what: string): z.output<S> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw new ProblemError('invalid-input', `${nameOf(file)} does not contain ${what}.`)
}
