import { describe, expect, it } from 'vitest'
import { callerOf, canBeBoth, canonicalAddress, isCaller, networkOf } from './subjects.ts'

const matches = (pattern: string, address: string): boolean =>
  isCaller(callerOf({ clientIP: pattern }), '', canonicalAddress(address))

describe('networks', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '10.0.0.1', false],
    ['fd00::/8', 'fdff:1::2', true],
    ['fd00::/8', 'fe80::1', false],
    ['2001:db8::', '2001:db8:0:0:0:0:0:0', true],
    ['10.0.0.0/8', '::ffff:10.2.3.4', true],
    ['::ffff:10.0.0.0/104', '10.2.3.4', true],
    ['fe80::1', 'fe80::1%eth0', true],
    ['::1:2:3:4.5.6.7', '::1:2:3:405:607', true],
    ['10.0.0.0/8', 'unknown', false],
    ['10.0.0.0/8', '', false],
  ])('%s holds %s: %s', (pattern, address, expected) => expect(matches(pattern, address)).toBe(expected))

  it.each([
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.01',
    '10.0.0.1/33',
    '::1/129',
    '1::2::3',
    ':::',
    '1:2:3',
    '12345::',
    'a.b.c.d',
    '::ffff:10.0.0.0/95',
    '10.0.0.1/',
    '1:2:3:4:5:6:7:8:9',
  ])('%j is none', (text) => expect(networkOf(text)).toBeUndefined())
})

describe('callers', () => {
  it('match by name, by its beginning, and by both fields', () => {
    expect(isCaller(callerOf({ user: 'al*' }), 'alice', undefined)).toBe(true)
    expect(isCaller(callerOf({ user: '*' }), '', undefined)).toBe(true)
    expect(isCaller(callerOf({ user: 'al' }), 'alice', undefined)).toBe(false)
    const both = callerOf({ user: 'alice', clientIP: '10.0.0.1' })
    expect(isCaller(both, 'alice', canonicalAddress('10.0.0.1'))).toBe(true)
    expect(isCaller(both, 'alice', canonicalAddress('10.0.0.2'))).toBe(false)
    expect(isCaller(both, 'bob', canonicalAddress('10.0.0.1'))).toBe(false)
  })

  it.each([
    [{ user: 'alice' }, { user: 'bob' }, false],
    [{ user: 'al*' }, { user: 'alice' }, true],
    [{ user: 'al*' }, { user: 'a*' }, true],
    [{ user: 'al*' }, { user: 'b*' }, false],
    [{ user: 'alice' }, { clientIP: '10.0.0.0/8' }, true],
    [{ clientIP: '10.0.0.0/8' }, { clientIP: '10.1.0.0/16' }, true],
    [{ clientIP: '10.0.0.0/8' }, { clientIP: '11.0.0.0/8' }, false],
    [{}, { user: 'alice' }, true],
  ])('%j and %j can be one: %s', (a, b, expected) => {
    expect(canBeBoth(callerOf(a), callerOf(b))).toBe(expected)
    expect(canBeBoth(callerOf(b), callerOf(a))).toBe(expected)
  })
})
