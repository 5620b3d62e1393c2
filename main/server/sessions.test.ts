import * as fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { cookieValues, createSessions, TOKEN_MINUTES, type Session, type Sessions } from './sessions.ts'

const NONE: Session = { cookie: '', secret: '' }
const enter = (sessions: Sessions): Session => sessions.redeem(sessions.issueToken().text) ?? NONE

describe('sessions', () => {
  afterEach(() => void vi.useRealTimers())

  test('a token opens one session, once', async () => {
    const sessions = createSessions()
    const { text, spent } = sessions.issueToken()
    const { cookie, secret } = sessions.redeem(text) ?? NONE
    await spent
    expect(sessions.find(cookie, secret)).toBeDefined()
    expect(sessions.knowsCookie(cookie)).toBe(true)
    expect(sessions.redeem(text)).toBeUndefined()
    expect(sessions.find(cookie, secret)).toBeDefined()
  })

  test('both halves of one session are needed', () => {
    const sessions = createSessions()
    const [mine, other] = [enter(sessions), enter(sessions)]
    expect(sessions.find(other.cookie, other.secret)).toBeDefined()
    for (const [cookie, secret] of [
      [mine.cookie, other.secret],
      [mine.cookie, ''],
      [mine.cookie, mine.cookie],
      ['', mine.secret],
      [mine.secret, mine.secret],
      [`${mine.cookie} ${mine.secret}`, ''],
    ] as const) {
      expect(sessions.find(cookie, secret)).toBeUndefined()
    }
    expect(sessions.knowsCookie(mine.secret)).toBe(false)
  })

  test('tokens are long, fresh, and no sessions themselves', () => {
    const sessions = createSessions()
    const tokens = Array.from({ length: 10 }, () => sessions.issueToken().text)
    expect(new Set(tokens).size).toBe(10)
    for (const token of tokens) {
      expect(token).toMatch(/^[\w-]{32}$/)
      expect(sessions.knowsCookie(token)).toBe(false)
      expect(sessions.find(token, token)).toBeUndefined()
    }
  })

  test('nothing else is let in', () => {
    const sessions = createSessions()
    sessions.issueToken()
    const { cookie } = enter(sessions)
    fc.assert(
      fc.property(fc.string(), (guess) => {
        expect(sessions.redeem(guess)).toBeUndefined()
        expect(sessions.knowsCookie(guess)).toBe(false)
        expect(sessions.find(cookie, guess)).toBeUndefined()
      }),
    )
  })

  test('an unused token expires', async () => {
    vi.useFakeTimers()
    const sessions = createSessions()
    const { text, spent } = sessions.issueToken()
    vi.advanceTimersByTime(TOKEN_MINUTES * 60_000)
    await spent
    expect(sessions.redeem(text)).toBeUndefined()
  })

  test('only the latest unused tokens and sessions are kept, however many are made', async () => {
    const sessions = createSessions()
    const tokens = Array.from({ length: 20 }, () => sessions.issueToken())
    await Promise.all(tokens.slice(0, 4).map(({ spent }) => spent))
    const opened = tokens.map(({ text }) => sessions.redeem(text))
    expect(opened.map((one) => one !== undefined)).toEqual([
      ...Array<boolean>(4).fill(false),
      ...Array<boolean>(16).fill(true),
    ])
    const last = enter(sessions)
    const open = [...opened.slice(4), last].map((one = NONE) => sessions.find(one.cookie, one.secret) !== undefined)
    expect(open).toEqual([false, ...Array<boolean>(16).fill(true)])
  })

  test('all end with the console', async () => {
    const sessions = createSessions()
    const { cookie, secret } = enter(sessions)
    const { text, spent } = sessions.issueToken()
    sessions.close()
    await spent
    expect(sessions.redeem(text)).toBeUndefined()
    expect(sessions.find(cookie, secret)).toBeUndefined()
  })
})

describe('cookieValues', () => {
  test.each([
    [undefined, []],
    ['', []],
    ['a=1', ['1']],
    ['b=2; a=1', ['1']],
    ['a=1=2', ['1=2']],
    ['aa=1', []],
    ['a', ['']],
    ['a=first; a=second', ['first', 'second']],
  ])('in %j they are %j', (header, values) => {
    expect(cookieValues(header, 'a')).toEqual(values)
  })

  test('no header throws', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(Array.isArray(cookieValues(header, 'a'))).toBe(true)
      }),
    )
  })
})
