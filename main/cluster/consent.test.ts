import { describe, expect, test } from 'vitest'
import { createConsent, type Ask } from './consent.ts'
import { namedByOperator } from './namedByOperator.ts'

const REQUEST = {
  key: 'k',
  what: 'run x',
  lines: ['A page requests that the console run x.'],
  remedy: 'Name the file.',
}
const named = namedByOperator([], {})
const consentWith = (ask: Ask) =>
  createConsent({ named, operator: { where: 'terminal', ask }, now: () => 0, timeoutMs: 1 })

describe('the consent of the operator', () => {
  test('is asked for once while the answer is open, and holds afterwards', async () => {
    let asked = 0
    const consent = consentWith(() => {
      asked += 1
      return Promise.resolve(true)
    })
    await Promise.all([consent.confirm(REQUEST), consent.confirm(REQUEST)])
    await consent.confirm(REQUEST)
    expect(asked).toBe(1)
  })

  test('is asked for again when nobody answered in time', async () => {
    const answers = [undefined, true]
    const consent = consentWith(() => Promise.resolve(answers.shift()))
    await expect(consent.confirm(REQUEST)).rejects.toThrow(/^Not confirmed within 0.001 s: .*Name the file\.$/)
    await consent.confirm(REQUEST)
  })

  test('is not had when asking fails, and another question can be put', async () => {
    let fails = true
    const consent = consentWith(() => (fails ? Promise.reject(new Error('gone')) : Promise.resolve(true)))
    await expect(consent.confirm(REQUEST)).rejects.toThrow('gone')
    fails = false
    await consent.confirm(REQUEST)
  })

  test('is impossible where nobody can be asked', async () => {
    const consent = createConsent({ named, now: () => 0 })
    await expect(consent.confirm(REQUEST)).rejects.toThrow(
      'A page may not run x, and there is no terminal in which to ask you. Name the file.',
    )
  })
})
