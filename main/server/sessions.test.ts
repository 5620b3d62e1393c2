import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cookieValue, createSessions } from './sessions.ts'

describe('sessions', () => {
  test('a token opens one session, once', () => {
    const sessions = createSessions()
    const token = sessions.issueToken()
    const cookie = sessions.redeem(token) ?? ''
    expect(sessions.isOpen(cookie)).toBe(true)
    expect(sessions.redeem(token)).toBeUndefined()
    expect(sessions.isOpen(cookie)).toBe(true)
  })

  test('tokens are long, fresh, and no sessions themselves', () => {
    const sessions = createSessions()
    const tokens = Array.from({ length: 10 }, () => sessions.issueToken())
    expect(new Set(tokens).size).toBe(10)
    for (const token of tokens) {
      expect(token).toMatch(/^[\w-]{32}$/)
      expect(sessions.isOpen(token)).toBe(false)
    }
  })

  test('nothing else is let in', () => {
    const sessions = createSessions()
    sessions.issueToken()
    fc.assert(
      fc.property(fc.string(), (guess) => {
        expect(sessions.redeem(guess)).toBeUndefined()
        expect(sessions.isOpen(guess)).toBe(false)
      }),
    )
  })

  test('only the latest unused addresses are remembered, however many are asked for', () => {
    const sessions = createSessions()
    const tokens = Array.from({ length: 20 }, () => sessions.issueToken())
    expect(tokens.map((token) => sessions.redeem(token) !== undefined)).toEqual([
      ...Array<boolean>(4).fill(false),
      ...Array<boolean>(16).fill(true),
    ])
  })
})

describe('cookieValue', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['a=1', '1'],
    ['b=2; a=1', '1'],
    ['a=1=2', '1=2'],
    ['aa=1', undefined],
    ['a', ''],
    ['a=first; a=second', 'first'],
  ])('in %j it is %j', (header, value) => {
    expect(cookieValue(header, 'a')).toBe(value)
  })

  test('no header throws', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(['string', 'undefined']).toContain(typeof cookieValue(header, 'a'))
      }),
    )
  })
})
