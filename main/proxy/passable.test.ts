import { expect, test } from 'vitest'
import { cannotPass } from './passable.ts'

test('what arrives as it came is let through, what would not is refused', () => {
  expect(cannotPass({ headers: {}, method: 'GET' })).toBeUndefined()
  expect(cannotPass({ headers: { 'transfer-encoding': 'Chunked' }, method: 'M-SEARCH' })).toBeUndefined()
  expect(cannotPass({ headers: { 'transfer-encoding': 'gzip, chunked' }, method: 'POST' })?.status).toBe(501)
  expect(cannotPass({ headers: {}, method: 'get' })?.status).toBe(501)
})
