import { describe, expect, test } from 'vitest'
import { ProblemError } from '../../core/errors.ts'
import { apiServer, parseAddress, urlServer, withIds } from './connection.ts'

const ids = (...addresses: string[]): string[] =>
  withIds(
    addresses.map((address) => new URL(address)),
    apiServer,
  ).map(({ id }) => id)

describe('servers of a connection', () => {
  test('are called by their host, and by more only where hosts are the same', () => {
    expect(ids('https://a:6443', 'https://b')).toEqual(['a:6443', 'b'])
    expect(ids('https://a/x', 'https://a/y', 'https://b/x')).toEqual(['a/x', 'a/y', 'b'])
    expect(ids('https://a/x?t=1', 'https://a/x?t=2')).toEqual(['a/x (1)', 'a/x (2)'])
    expect(ids('https://a/', 'https://a')).toEqual(['a'])
  })

  test('have their API below their address', () => {
    expect(apiServer(new URL('https://a:6443/clusters/x/'))).toEqual({
      metrics: new URL('https://a:6443/clusters/x/metrics'),
      base: 'https://a:6443/clusters/x',
    })
  })

  test('read by the address of their metrics have one where that ends so', () => {
    const bases = ['http://a/k/metrics', 'http://b/federate'].map((address) => urlServer(new URL(address)).base)
    expect(bases).toEqual(['http://a/k', undefined])
  })
})

test.each(['metrics', 'ftp://a/metrics', 'https://jo:s3cr3t@a/metrics'])('the address %s is refused', (address) => {
  expect(() => parseAddress(address)).toThrow(ProblemError)
  expect(() => parseAddress(address)).not.toThrow('s3cr3t')
})
