import { format } from '../../../theme/format.ts'
import { plural } from '../../../../core/text/format.ts'
import {
  strangeKeyInTable,
  type Landing,
  type RequestTestResult,
  landings,
} from '../../../../core/classify/configuration.ts'
import { z } from 'zod'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import {
  RequestSampleSchema,
  RequestTestSchema,
  type RequestSample,
  type RequestTest,
} from '../../../../core/contract/objects.ts'
import { SYSTEM_GROUPS } from '../../../../core/guard/systemRequests.ts'
import { holdsWords } from '../../../../core/text/text.ts'
import { keyOfRequest } from '../../../../core/classify/recentRequests.ts'
import { labelOf } from '../shared/seen.data.ts'

export const newTest = (id: string, label: string, request: RequestSample, expect?: Landing): RequestTest =>
  expecting({ id, label, request: { ...request, groups: [...request.groups] } }, expect)

/** Adds a test; it replaces one of the same request in its place, which keeps its label. */
export function withTest(tests: readonly RequestTest[], test: RequestTest): readonly RequestTest[] {
  const key = keyOfRequest(test.request)
  const same = tests.find(({ request }) => keyOfRequest(request) === key)
  if (same === undefined) return [...tests, test]
  return tests.map((one) => (one === same ? { ...test, id: same.id, label: same.label } : one))
}

/** Adds those whose request is not in the table yet. */
export function withNew(tests: readonly RequestTest[], added: readonly RequestTest[]): readonly RequestTest[] {
  const known = new Set(tests.map(({ request }) => keyOfRequest(request)))
  const fresh = added.filter(({ request }) => {
    const key = keyOfRequest(request)
    const isNew = !known.has(key)
    known.add(key)
    return isNew
  })
  return fresh.length === 0 ? tests : [...tests, ...fresh]
}

export const changed = (tests: readonly RequestTest[], id: string, change: (test: RequestTest) => RequestTest) =>
  tests.map((test) => (test.id === id ? change(test) : test))

export const without = (tests: readonly RequestTest[], id: string): readonly RequestTest[] =>
  tests.filter((test) => test.id !== id)

export const expecting = ({ expect: _gone, ...test }: RequestTest, expect: Landing | undefined): RequestTest =>
  expect === undefined
    ? test
    : { ...test, expect: { flowSchema: expect.flowSchema, priorityLevel: expect.priorityLevel } }

/** Sets the expectation of every test to its match with these objects; unclassifiable requests stay unchanged. */
export function expectingWhatIs(tests: readonly RequestTest[], objects: ObjectSet): readonly RequestTest[] {
  const land = landings(objects)
  return tests.map((test) => {
    const landed = land(test.request)
    return landed.ok ? expecting(test, landed) : test
  })
}

/** Requests that keep a cluster running, with their present match as the expectation. */
export function systemTests(objects: ObjectSet, newId: () => string): readonly RequestTest[] {
  const land = landings(objects)
  return SYSTEM_GROUPS.flatMap(({ title, requests }) =>
    requests.map(({ label, request }) => {
      const landed = land(request)
      return newTest(newId(), `${title}: ${label}`, request, landed.ok ? landed : undefined)
    }),
  )
}

/** A request that was seen, and where the server sent it. */
export interface ObservedRequest extends Landing {
  readonly request: RequestSample
}

export interface ObservedTests {
  readonly tests: readonly RequestTest[]
  /** Requests left out because they would match differently with the groups that follow from their user’s name. */
  readonly unclear: number
}

/**
 * Tests of seen requests, one for each user, schema and kind of request. Only where the objects explain what the server
 * did: dumps contain no groups, so a user may belong to groups that are unknown here.
 */
export function observedTests(
  seen: readonly ObservedRequest[],
  objects: ObjectSet,
  newId: () => string,
): ObservedTests {
  const land = landings(objects)
  const sorts = new Set<string>()
  const tests: RequestTest[] = []
  let unclear = 0
  for (const { request, flowSchema, priorityLevel } of seen) {
    const label = labelOf(request).replace(/ in \S+$/, '')
    const sort = `${flowSchema} ${label}`
    if (sorts.has(sort)) continue
    sorts.add(sort)
    const landed = land(request)
    if (landed.ok && landed.flowSchema === flowSchema && landed.priorityLevel === priorityLevel) {
      tests.push(newTest(newId(), label, request, landed))
    } else unclear += 1
  }
  return { tests, unclear }
}

/** Formats of a table's file: the rows alone, or under `tests`; ids and labels may be missing. */
const RowSchema = RequestTestSchema.partial({ id: true, label: true }).extend({ request: RequestSampleSchema })
const FileSchema = z.union([
  z.array(RowSchema),
  z.object({ tests: z.array(RowSchema) }).transform(({ tests }) => tests),
])

/** The tests of a file, with new ids, or what is wrong with the file, in a sentence. */
export function readTests(
  text: string,
  newId: () => string,
): { readonly ok: true; readonly tests: readonly RequestTest[] } | { readonly ok: false; readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'The file is not JSON.' }
  }
  const strange = strangeKeyInTable(value)
  if (strange !== undefined) return { ok: false, problem: strange }
  const read = FileSchema.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : ` Check ${issue.path.join('.')}.`
    return {
      ok: false,
      problem: `The file contains no test table: it needs a list of rows with request (user, groups, method, url) and expect.${where}`,
    }
  }
  return {
    ok: true,
    tests: read.data.map(({ label, request, expect }) => newTest(newId(), label ?? labelOf(request), request, expect)),
  }
}

export const testsText = (tests: readonly RequestTest[]): string => `${JSON.stringify(tests, undefined, 2)}\n`

/** One row of the table: a test and its result. */
export interface TestRow {
  readonly test: RequestTest
  readonly now: RequestTestResult
  /** The result with the draft; absent without one. */
  readonly draft?: RequestTestResult
  /** The draft sends the request elsewhere. */
  readonly moves: boolean
}

export function testRows(
  now: readonly RequestTestResult[],
  draft: readonly RequestTestResult[] | undefined,
): readonly TestRow[] {
  return now.map((result, index): TestRow => {
    const proposed = draft?.[index]
    return {
      test: result.test,
      now: result,
      ...(proposed && { draft: proposed }),
      moves: proposed !== undefined && placeOf(result) !== placeOf(proposed),
    }
  })
}

const placeOf = (result: RequestTestResult): string =>
  result.outcome === 'unclassifiable' ? '' : `${result.actual.flowSchema} ${result.actual.priorityLevel}`

export const SHOWN = ['all', 'failing', 'moved'] as const
export type Shown = (typeof SHOWN)[number]

const fails = (result: RequestTestResult | undefined): boolean =>
  result?.outcome === 'failed' || result?.outcome === 'unclassifiable'

/** Rows of the selected kind that contain every word of the filter. */
export function filteredTests(rows: readonly TestRow[], shown: Shown, filter: string): readonly TestRow[] {
  const holds = holdsWords(filter)
  return rows.filter(({ test, now, draft, moves }) => {
    if (shown === 'failing' && !fails(now) && !fails(draft)) return false
    if (shown === 'moved' && !moves) return false
    const { user, groups, method, url } = test.request
    return holds([test.label, user, ...groups, method, url, placeOf(now), test.expect?.flowSchema].join(' '))
  })
}

const requests = (count: number): string => format.counted(count, 'saved request')

export function tableSentence(rows: readonly TestRow[]): string {
  const failing = rows.filter(({ now }) => fails(now)).length
  const open = rows.filter(({ now }) => now.outcome === 'no-expectation').length
  if (rows.length === 0) return 'No saved requests yet.'
  if (failing > 0) {
    return plural(
      failing,
      `1 of ${requests(rows.length)} does not match as expected.`,
      `${failing} of ${requests(rows.length)} do not match as expected.`,
    )
  }
  if (open === rows.length) return `${requests(rows.length)}, none with an expectation yet.`
  const said = rows.length - open
  if (open > 0) {
    return `${said} of ${requests(rows.length)} ${plural(said, 'matches', 'match')} as expected; the others have no expectation.`
  }
  return plural(said, 'The one saved request matches as expected.', `All ${requests(said)} match as expected.`)
}

/** What the draft does to the table; `undefined` without one. */
export function draftTableSentence(rows: readonly TestRow[]): string | undefined {
  if (rows.every(({ draft }) => draft === undefined)) return undefined
  const moved = rows.filter(({ moves }) => moves).length
  const broken = rows.filter(({ now, draft }) => fails(draft) && !fails(now)).length
  if (moved === 0) return 'The draft moves none of them.'
  const then = broken === 0 ? 'none fails because of it' : format.counted(broken, 'then fails', 'then fail')
  return `The draft moves ${moved} of them; ${then}.`
}
