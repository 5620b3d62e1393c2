import { expect, it } from 'vitest'
import { strangeKeyInRequests, strangeKeyInTable } from './configuration.ts'

const request = { user: 'u', url: '/api' }
const expected = { flowSchema: 'a', priorityLevel: 'b' }

it.each([
  [[{ request, expects: expected }], 'There is no key "expects" in row 1; did you mean expect?'],
  [{ tests: [{ request }, { request, Expect: expected }] }, 'There is no key "Expect" in row 2; did you mean expect?'],
  [
    [{ request, expect: { flowschema: 'a', priorityLevel: 'b' } }],
    'There is no key "flowschema" in row 1.expect; did you mean flowSchema?',
  ],
  [
    [{ request: { ...request, group: [] }, expect: expected }],
    'There is no key "group" in row 1.request; did you mean groups?',
  ],
  [[{ request, note: 'x' }], 'There is no key "note" in row 1; valid keys are id, label, request, expect.'],
  [[{ id: '1', label: 'l', request, expect: expected }], undefined],
  ['no table', undefined],
])('%j: %s', (table, problem) => expect(strangeKeyInTable(table)).toBe(problem))

it('is found in requests as well', () => {
  expect(strangeKeyInRequests({ ...request, metod: 'GET' })).toBe(
    'There is no key "metod" in the request; did you mean method?',
  )
  expect(strangeKeyInRequests([request, { ...request, groups: [], verb: 'list' }])).toBeUndefined()
})
