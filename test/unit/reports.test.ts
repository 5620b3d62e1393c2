import { expect, test } from 'vitest'
import { readPlaywright } from '../reports.ts'

const error = { message: '\u001b[31mError: expected 2\u001b[39m\n  at once' }
const report = (status: string, results: readonly object[]) => ({
  stats: { expected: 3, unexpected: 0, flaky: status === 'flaky' ? 1 : 0 },
  errors: [],
  suites: [
    { specs: [{ title: 'a number is kept', tests: [{ projectName: 'web', status, annotations: [], results }] }] },
  ],
})

test('a test of the browser that passes only the second time fails the run, and is named', () => {
  expect(readPlaywright(report('flaky', [{ error }, {}]))).toEqual({
    passed: 3,
    failed: 1,
    failures: [],
    flaky: ['web: a number is kept: Error: expected 2'],
    skipped: [],
  })
  expect(readPlaywright(report('expected', [{}])).failed).toBe(0)
})
