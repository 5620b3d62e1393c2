import { expect, test } from 'vitest'
import type { User } from '../../core/request/match.ts'
import { createTokenOwners } from './tokens.ts'

const ALICE: User = { name: 'alice', groups: [] }

function owners(answer: (authorization: string) => User | undefined) {
  const asked: string[] = []
  let now = 0
  const ownerOf = createTokenOwners(
    (authorization) => {
      asked.push(authorization)
      return new Promise((resolve) => resolve(answer(authorization)))
    },
    () => now,
  )
  return { asked, ownerOf, pass: (ms: number) => (now += ms) }
}

test('an owner is asked for once, however many ask, and then known at once for a minute', async () => {
  const { asked, ownerOf, pass } = owners(() => ALICE)
  expect(await Promise.all([ownerOf('a'), ownerOf('a'), ownerOf('a')])).toEqual([ALICE, ALICE, ALICE])
  expect(ownerOf('a')).toBe(ALICE)
  pass(59_999)
  expect(ownerOf('a')).toBe(ALICE)
  pass(1)
  expect(await ownerOf('a')).toBe(ALICE)
  expect(asked).toEqual(['a', 'a'])
})

test('that nobody owns a token is believed for ten seconds', async () => {
  const { asked, ownerOf, pass } = owners(() => undefined)
  expect(await ownerOf('a')).toBeUndefined()
  expect(ownerOf('a')).toBeUndefined()
  pass(10_000)
  expect(ownerOf('a')).toBeInstanceOf(Promise)
  expect(asked).toHaveLength(2)
})

test('what could not be asked is asked again at once', async () => {
  let fails = true
  const { asked, ownerOf } = owners(() => {
    if (fails) throw new Error('not now')
    return ALICE
  })
  await expect(ownerOf('a')).rejects.toThrow('not now')
  fails = false
  expect(await ownerOf('a')).toBe(ALICE)
  expect(asked).toHaveLength(2)
})

test('of very many tokens the oldest are forgotten', async () => {
  const { asked, ownerOf } = owners(() => ALICE)
  await Promise.all(Array.from({ length: 10_001 }, async (_, i) => ownerOf(String(i))))
  expect(ownerOf('10000')).toBe(ALICE)
  await ownerOf('0')
  expect(asked).toHaveLength(10_002)
})
