import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNewer, ReleaseSchema } from './update.ts'

test('versions are ordered as semver.org orders them', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ]
  for (const [i, older] of ordered.entries()) {
    for (const [j, newer] of ordered.entries()) {
      const isOfStable = newer.includes('-') && !older.includes('-')
      expect(isNewer(newer, older), `${newer} after ${older}`).toBe(j > i && !isOfStable)
    }
  }
})

test('a release is not newer than itself, a downgrade or build metadata is no update, and no two are each newer', () => {
  const number = fc.nat({ max: 12 })
  const version = fc
    .tuple(number, number, number, fc.constantFrom('', '-rc.1', '-rc.2', '-a'), fc.constantFrom('', '+b1', '+b2'))
    .map(([major, minor, patch, pre, build]) => `${major}.${minor}.${patch}${pre}${build}`)
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(ReleaseSchema.safeParse({ version: a, url: '' }).success).toBe(true)
      expect(isNewer(a, a)).toBe(false)
      expect(isNewer(a, b) && isNewer(b, a)).toBe(false)
      expect(isNewer(`${a.split('+')[0] ?? ''}+x`, a)).toBe(false)
    }),
  )
})

test('what is no version is never newer', () => {
  for (const odd of ['', 'v1.0.0', '1.0', '01.0.0', '1.0.0-', '99999999999.0.0', '1.0.0\n', 'latest']) {
    expect(isNewer(odd, '0.0.1')).toBe(false)
    expect(ReleaseSchema.safeParse({ version: odd, url: '' }).success).toBe(false)
  }
  fc.assert(
    fc.property(fc.string(), (a) => {
      fc.pre(!ReleaseSchema.safeParse({ version: a, url: '' }).success)
      expect([isNewer(a, '0.0.1'), isNewer('9.9.9', a)]).toEqual([false, false])
    }),
  )
})
