import { expect, test } from 'vitest'
import { verdictOfFailure } from './writeObjects.ts'

const CHANGE = { kind: 'FlowSchema', name: 'a' } as const

test('refused credentials are not told as a missing right', () => {
  const problem = { code: 'unauthorized', message: 'x does not accept the credentials (401). Sign in again.' } as const
  const verdict = verdictOfFailure(CHANGE, { ok: false, status: 401, problem, body: '{"message":"Unauthorized"}' })
  expect(verdict).toMatchObject({
    outcome: 'forbidden',
    problem: { code: 'unauthorized', message: `FlowSchema a was not changed: ${problem.message}` },
  })
  const refused = { code: 'forbidden', message: 'no' } as const
  const missing = verdictOfFailure(CHANGE, {
    ok: false,
    status: 403,
    problem: refused,
    body: '{"message":"jo cannot"}',
  })
  expect(missing.problem?.message).toBe('The user may not change FlowSchema a: jo cannot')
})
