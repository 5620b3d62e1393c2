import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runRequestTests } from '../../../../core/classify/configuration.ts'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { RequestSample, RequestTest } from '../../../../core/contract/objects.ts'
import {
  changed,
  draftTableSentence,
  expecting,
  expectingWhatIs,
  filteredTests,
  newTest,
  observedTests,
  readTests,
  systemTests,
  tableSentence,
  testRows,
  testsText,
  withNew,
  without,
  withTest,
} from './table.logic.ts'

const objects = builtInObjects('v1.36.0')
/** Without the schema that matches service accounts. */
const draft: ObjectSet = {
  ...objects,
  schemas: objects.schemas.filter(({ metadata }) => metadata.name !== 'service-accounts'),
}
let ids = 0
const newId = (): string => `id-${++ids}`

const account: RequestSample = {
  user: 'system:serviceaccount:shop:web',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  method: 'GET',
  url: '/api/v1/pods',
}
const alice: RequestSample = { user: 'alice', groups: ['system:authenticated'], method: 'GET', url: '/api/v1/pods' }
const served = { flowSchema: 'service-accounts', priorityLevel: 'workload-low' }
const table: readonly RequestTest[] = [
  newTest('1', 'web lists', account, served),
  newTest('2', 'alice lists', alice),
  newTest('3', 'broken', { ...alice, url: '/%' }, served),
]
const rows = (tests = table, proposed?: ObjectSet) =>
  testRows(runRequestTests(objects, tests), proposed && runRequestTests(proposed, tests))

describe('the table', () => {
  it('holds each request once and keeps its label', () => {
    const again = withTest(table, newTest('9', 'other words', { ...account, groups: account.groups.toReversed() }))
    expect(again.map(({ id, label, expect: wanted }) => [id, label, wanted])).toEqual([
      ['1', 'web lists', undefined],
      ['2', 'alice lists', undefined],
      ['3', 'broken', served],
    ])
    expect(withNew(table, [newTest('8', '', alice)])).toBe(table)
    expect(withNew(table, [newTest('8', '', { ...alice, user: 'bob' })])).toHaveLength(4)
    expect(without(table, '2').map(({ id }) => id)).toEqual(['1', '3'])
    expect(changed(table, '2', (test) => expecting(test, served))[1]?.expect).toEqual(served)
    expect(expecting(newTest('1', '', alice, served), undefined)).not.toHaveProperty('expect')
  })

  it('expects what is, except where nothing is', () => {
    const now = expectingWhatIs(table, objects)
    expect(now.map(({ expect: wanted }) => wanted?.flowSchema)).toEqual([
      'service-accounts',
      'global-default',
      'service-accounts',
    ])
    expect(runRequestTests(objects, now).map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'unclassifiable'])
  })

  it('says which requests the draft moves', () => {
    const found = rows(table, draft)
    expect(found.map(({ moves }) => moves)).toEqual([true, false, false])
    expect(draftTableSentence(found)).toBe('The draft moves 1 of them; 1 then fails.')
    expect(draftTableSentence(rows(table, objects))).toBe('The draft moves none of them.')
    expect(draftTableSentence(rows())).toBeUndefined()
  })

  it.each([
    [[], 'No saved requests yet.'],
    [[0], 'The one saved request matches as expected.'],
    [[1], '1 saved request, none with an expectation yet.'],
    [[0, 1], '1 of 2 saved requests matches as expected; the others have no expectation.'],
    [[0, 1, 2], '1 of 3 saved requests does not match as expected.'],
  ])('of rows %j says %j', (which, sentence) => {
    expect(tableSentence(rows(table.filter((_, index) => which.includes(index))))).toBe(sentence)
  })

  it('is filtered by words and by outcome', () => {
    const found = rows(table, draft)
    const idsOf = (...args: readonly [Parameters<typeof filteredTests>[1], string]) =>
      filteredTests(found, ...args).map(({ test }) => test.id)
    expect(idsOf('all', 'ALICE pods')).toEqual(['2'])
    expect(idsOf('all', 'workload-low')).toEqual(['1'])
    expect(idsOf('failing', '')).toEqual(['1', '3'])
    expect(idsOf('moved', '')).toEqual(['1'])
  })
})

describe('a file', () => {
  it('comes back as it was written, with ids of its own', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 })
    const tests = fc.array(
      fc.record({
        id: text,
        label: text,
        request: fc.record({ user: text, groups: fc.array(text), method: text, url: text }),
      }),
    )
    fc.assert(
      fc.property(tests, (written) => {
        const read = readTests(testsText(written), newId)
        expect(read).toEqual({
          ok: true,
          tests: written.map((test) => ({ ...test, id: expect.any(String) as string })),
        })
      }),
    )
  })

  it('may hold the rows under tests, without ids and labels', () => {
    expect(readTests(JSON.stringify({ tests: [{ request: account, expect: served }] }), () => 'new')).toEqual({
      ok: true,
      tests: [newTest('new', 'shop:web LIST pods', account, served)],
    })
  })

  it.each([
    ['{', 'The file is not JSON.'],
    ['[{"request":{"user":"a"}}]', 'needs a list of rows'],
    ['{}', 'needs a list of rows'],
    [
      JSON.stringify([{ request: account, expects: served }]),
      'There is no key "expects" in row 1; did you mean expect?',
    ],
    [
      JSON.stringify({ tests: [{ request: account }, { request: account, expect: { ...served, flowschema: 'a' } }] }),
      'There is no key "flowschema" in row 2.expect; did you mean flowSchema?',
    ],
  ])('that is wrong is refused: %s', (text, problem) => {
    const read = readTests(text, newId)
    expect(read.ok ? '' : read.problem).toContain(problem)
  })
})

describe('tests that are made', () => {
  it('expect what keeps a cluster alive to go where it goes', () => {
    const tests = systemTests(objects, newId)
    expect(tests.length).toBeGreaterThan(20)
    expect(new Set(runRequestTests(objects, tests).map(({ outcome }) => outcome))).toEqual(new Set(['passed']))
  })

  it('are of requests whose path the objects explain, one of a sort', () => {
    const seen = (url: string, flowSchema: string) => ({
      request: { ...account, url },
      flowSchema,
      priorityLevel: 'workload-low',
    })
    const { tests, unclear } = observedTests(
      [
        seen('/api/v1/namespaces/a/pods', 'service-accounts'),
        seen('/api/v1/namespaces/b/pods', 'service-accounts'),
        seen('/api/v1/namespaces/b/secrets', 'of-my-own'),
      ],
      objects,
      newId,
    )
    expect(tests.map(({ label, expect: wanted }) => [label, wanted])).toEqual([['shop:web LIST pods', served]])
    expect(unclear).toBe(1)
  })
})
