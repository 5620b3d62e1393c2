import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escaped, escapedLines, isLoopback, redact, redactCredentials, shownUrl } from './redact.ts'

describe('redact', () => {
  test('leaves no secret, however they overlap', () => {
    const secret = fc.stringMatching(/^[a-c]{1,6}$/)
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.array(secret), (secrets, words) => {
        const hidden = redact([...words, ...secrets].join('-'), secrets).replaceAll('[hidden]', ' ')
        for (const one of secrets) expect(hidden).not.toContain(one)
      }),
    )
  })

  test('keeps the rest', () => {
    expect(redact('user jo with key abc', ['abc', ''])).toBe('user jo with key [hidden]')
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

describe('text of others', () => {
  test('holds no character that a terminal acts on or that hides others', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(text, (words) => {
        expect(escaped(words)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(escapedLines(words).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })

  test('is otherwise as it was', () => {
    expect(escaped('naïve 値 \u{1b}[2J\u{202e}\n')).toBe(String.raw`naïve 値 \u{1b}[2J\u{202e}\u{a}`)
    expect(escapedLines('a\r\nb\tc')).toBe(String.raw`a
b\u{9}c`)
  })
})
