import { describe, expect, test } from 'vitest'
import { gatewayMethod, readGatewayRequest, readGatewayResponse } from './gatewayRequests.ts'

const b64 = (text: string): string => Buffer.from(text).toString('base64')
const read = (method: string, body: unknown) => readGatewayRequest(method, JSON.stringify(body))

describe('requests to the JSON gateway', () => {
  test('paths stand for methods, in every version', () => {
    expect(gatewayMethod('/v3/kv/range')).toBe('KV/Range')
    expect(gatewayMethod('/v3beta/kv/compaction')).toBe('KV/Compact')
    expect(gatewayMethod('/v3alpha/kv/lease/revoke')).toBe('Lease/LeaseRevoke')
    for (const path of ['/v3/watch', '/v3/kv/range/', '/v2/keys', '/metrics', '/v3/constructor', '/v3/kv/nothing'])
      expect(gatewayMethod(path)).toBeUndefined()
  })

  test('keys and options, with either name of a field', () => {
    const range = { op: 'Range', key: '/a', rangeEnd: '/b' }
    expect(read('KV/Range', { key: b64('/a'), range_end: b64('/b') })).toEqual({ body: { ...range, options: {} } })
    expect(
      read('KV/Range', { key: b64('/a'), rangeEnd: b64('/b'), limit: '5', sortOrder: 'DESCEND', keys_only: true }),
    ).toEqual({ body: { ...range, options: { limit: 5, sortOrder: 2, keysOnly: true } } })
    expect(read('KV/Put', { key: b64('/a'), value: b64('v') })).toEqual({ body: { op: 'Put', key: '/a' } })
    expect(read('KV/DeleteRange', { key: b64('/a') })).toEqual({ body: { op: 'DeleteRange', key: '/a', rangeEnd: '' } })
    expect(read('Auth/Authenticate', { name: 'alice', password: 'x' })).toEqual({ name: 'alice' })
    expect(readGatewayRequest('Maintenance/Status', '')).toEqual({})
    // Bytes of any value, in the alphabet of URLs as well.
    expect(readGatewayRequest('KV/Put', '{"key":"_w"}')).toEqual({ body: { op: 'Put', key: '\xff' } })
  })

  test('everything in a Txn, nested ones included', () => {
    const put = { request_put: { key: b64('/p') } }
    const nested = { requestTxn: { failure: [{ requestDeleteRange: { key: b64('/d') } }] } }
    expect(read('KV/Txn', { success: [put, nested], compare: [{}] })).toEqual({
      body: {
        op: 'Txn',
        success: [
          { op: 'Put', key: '/p' },
          { op: 'Txn', success: [], failure: [{ op: 'DeleteRange', key: '/d', rangeEnd: '' }] },
        ],
        failure: [],
      },
    })
  })

  test.each([
    ['no JSON', '{"key":', 'Unexpected end'],
    ['more behind it', '{} {}', 'Unexpected non-whitespace'],
    ['a list', '[]', 'not a message'],
    ['both names of a field', '{"range_end":"YQ==","rangeEnd":"Yg=="}', 'both range_end and rangeEnd'],
    ['a key that is no text', '{"key":1}', 'key is not a text'],
  ])('%s is refused: servers may read it differently', (_, body, why) => {
    expect(() => readGatewayRequest('KV/Range', body)).toThrow(why)
  })

  test('what a response says', () => {
    const of = (method: string, ok: boolean, body: unknown) => readGatewayResponse(method, ok, JSON.stringify(body))
    expect(of('KV/Range', true, { kvs: [], count: '12' })).toMatchObject({ status: '0', scannedKeys: 12 })
    expect(of('KV/Put', true, { header: {} })).toMatchObject({ status: '0', scannedKeys: 1 })
    expect(
      of('KV/Txn', true, {
        responses: [
          { response_range: { count: '3' } },
          { response_put: {} },
          { response_txn: { responses: [{ responseDeleteRange: { deleted: '2' } }] } },
        ],
      }),
    ).toMatchObject({ scannedKeys: 6 })
    expect(of('Auth/Authenticate', true, { token: 'secret' })).toMatchObject({ token: 'secret' })
    expect(of('KV/Range', false, { code: 8, message: 'no' })).toEqual({
      status: '8',
      scannedKeys: undefined,
      token: undefined,
    })
  })
})
