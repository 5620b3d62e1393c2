import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../main/bootstrap/runtime.mjs'
import { readPlaywright, readVitest } from '../reports.ts'

const error = { message: '\u001b[31mError: expected 2\u001b[39m\n  at once' }
const report = (status: string, results: readonly object[]) => ({
  stats: { expected: 3, unexpected: 0, flaky: status === 'flaky' ? 1 : 0 },
  errors: [],
  suites: [
    { specs: [{ title: 'a number is kept', tests: [{ projectName: 'web', status, annotations: [], results }] }] },
  ],
})

test('a test of the browser that passes only the second time is named, and fails the run of a workflow', () => {
  const flaky = report('flaky', [{ error }, {}])
  const about = { failures: [], flaky: ['web: a number is kept: Error: expected 2'], skipped: [] }
  expect(readPlaywright(flaky, true)).toEqual({ ...about, passed: 3, failed: 1 })
  expect(readPlaywright(flaky, false)).toEqual({ ...about, passed: 4, failed: 0 })
  expect(readPlaywright(report('expected', [{}]), true).failed).toBe(0)
})

test('a file whose process ended on the way is named', () => {
  const file = (name: string, statuses: readonly string[], status = 'failed') => ({
    name: path.join(root, name),
    status,
    assertionResults: statuses.map((one, index) => ({ fullName: `test ${index}`, status: one })),
  })
  const read = readVitest({
    numPassedTests: 2,
    numFailedTests: 1,
    testResults: [
      file('a.test.ts', ['passed', 'pending']),
      file('b.test.ts', ['failed']),
      file('c.test.ts', ['passed'], 'passed'),
    ],
  })
  expect(read.failures).toEqual(['a.test.ts: its process ended', 'b.test.ts: test 0: no message'])
  expect(read.failed).toBe(2)
})
