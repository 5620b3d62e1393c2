import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLoopback, redact, redactCredentials, shownUrl } from './redact.ts'

describe('redact', () => {
  test('leaves no secret, however they overlap', () => {
    const secret = fc.stringMatching(/^[a-c]{4,8}$/)
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.array(secret), (secrets, words) => {
        const hidden = redact([...words, ...secrets].join('-'), secrets).replaceAll('[hidden]', ' ')
        for (const one of secrets) expect(hidden).not.toContain(one)
      }),
    )
  })

  test('keeps the rest', () => {
    expect(redact('user jo with key abcd', ['abcd', ''])).toBe('user jo with key [hidden]')
  })

  const short = fc.stringMatching(/^[A-Za-z0-9.*$]{1,3}$/)

  test('leaves words alone that a short secret happens to be part of', () => {
    fc.assert(
      fc.property(fc.array(short), fc.stringMatching(/^[a-z ]{0,40}$/), (secrets, words) => {
        fc.pre(!/token|passw|secret|api.?key|bearer|basic/.test(words))
        expect(redact(words, secrets)).toBe(words)
      }),
    )
  })

  test('hides a short secret where the text announces a credential', () => {
    const before = fc.constantFrom('token ', 'Bearer ', 'password: "', 'api_key=', "Secret '", 'PASSWD = ')
    fc.assert(
      fc.property(short, before, (secret, announced) => {
        expect(redact(`refused ${announced}${secret}" at all`, [secret])).toBe(`refused ${announced}[hidden]" at all`)
      }),
    )
  })
})

test.each([
  ['refused token eyJhbGciOi.eyJzdWIi.c2ln today', 'refused token [hidden] today'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer [hidden]'],
  ['GET /x?token=abc&b=1', 'GET /x?token=[hidden]&b=1'],
  ['{"password": "abc"}', '{"password": "[hidden]"}'],
  ['no credentials found', 'no credentials found'],
])('what looks like a credential is hidden: %s', (words, shown) => {
  expect(redactCredentials(words)).toBe(shown)
})

test('an address is shown without what may be secret', () => {
  expect(shownUrl(new URL('https://jo:pw@host:6443/a/metrics?token=t#f'))).toBe('https://host:6443/a/metrics')
})

test.each([
  ['http://localhost:8001/', true],
  ['http://127.0.0.53/', true],
  ['https://[::1]:6443/', true],
  ['https://127.0.0.1.example.com/', false],
  ['https://10.0.0.1/', false],
  ['https://localhost.example.com/', false],
])('%s is loopback: %s', (address, loopback) => {
  expect(isLoopback(new URL(address))).toBe(loopback)
})
