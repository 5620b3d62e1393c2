import { expect, test } from 'vitest'
import { createObjectVersions } from './objectVersions.ts'

const object = (resourceVersion: string, shares: number, status = '') => ({
  metadata: { uid: 'u', resourceVersion },
  spec: { shares },
  status: { conditions: [{ status }] },
})

test('an object of an earlier version said the same while only its status was written', () => {
  const versions = createObjectVersions()
  versions.see(object('1', 5))
  versions.see(object('2', 5, 'True'))
  versions.see(object('3', 6, 'True'))
  const base = (resourceVersion: string, uid = 'u') => ({ uid, resourceVersion })
  expect(versions.saidTheSame(base('1'), object('2', 5, 'True'))).toBe(true)
  expect(versions.saidTheSame(base('1'), object('3', 6))).toBe(false)
  expect(versions.saidTheSame(base('0'), object('1', 5))).toBe(false)
  expect(versions.saidTheSame(base('1', 'another'), object('1', 5))).toBe(false)
})

test('the oldest versions are forgotten', () => {
  const versions = createObjectVersions()
  for (let version = 0; version <= 12_000; version++) versions.see(object(String(version), 5))
  const said = (version: number) => versions.saidTheSame({ uid: 'u', resourceVersion: String(version) }, object('x', 5))
  expect([said(0), said(1), said(12_000)]).toEqual([false, true, true])
})
