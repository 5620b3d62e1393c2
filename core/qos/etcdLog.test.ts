import { describe, expect, it, test } from 'vitest'
import { bytesOf } from './keys.ts'
import { isEtcdLog, readEtcdLog } from './etcdLog.ts'
import { RecordReader } from './record.ts'

/** Lines of etcd 3.6.8 with thresholds of 1 ns. */
const MEMBER = String.raw`{"level":"warn","ts":"2026-11-28T17:17:02.643828Z","caller":"txn/util.go:93","msg":"apply request took too long","took":"2.72687ms","expected-duration":"1ns","prefix":"","request":"header:<ID:7587899219085233666 > cluster_member_attr_set:<member_ID:10276657743932975437 member_attributes:<name:\"default\" client_urls:\"http://127.0.0.1:23791\" > > ","response":""}`
const PUT = String.raw`{"level":"warn","ts":"2026-11-28T17:17:06.273028Z","caller":"txn/util.go:93","msg":"apply request took too long","took":"58.347µs","expected-duration":"1ns","prefix":"","request":"header:<ID:7587899219085233670 > put:<key:\"k\\000\\377\\\"<x>\" value_size:1 >","response":"size:4"}`
const PUT_CALL = String.raw`{"level":"warn","ts":"2026-11-28T17:17:06.273455Z","caller":"v3rpc/interceptor.go:202","msg":"request stats","start time":"2026-11-28T17:17:06.272276Z","time spent":"1.171818ms","remote":"127.0.0.1:48100","response type":"/etcdserverpb.KV/Put","request count":1,"request size":12,"response count":0,"response size":28,"request content":"key:\"k\\000\\377\\\"<x>\" value_size:1 "}`
const RANGE = String.raw`{"level":"warn","ts":"2026-11-28T17:17:06.297985Z","caller":"txn/util.go:93","msg":"apply request took too long","took":"122.784ms","expected-duration":"1ns","prefix":"read-only range ","request":"key:\"/registry/pods/\" range_end:\"/registry/pods0\" limit:500 keys_only:true ","response":"range_response_count:9000 size:32"}`
const TXN_CALL = String.raw`{"level":"warn","ts":"2026-11-28T17:17:06.399828Z","caller":"v3rpc/interceptor.go:202","msg":"request stats","start time":"2026-11-28T17:17:06.389693Z","time spent":"10.125149ms","remote":"[::1]:48100","response type":"/etcdserverpb.KV/Txn","request count":1,"request size":27,"response count":0,"response size":38,"request content":"compare:<target:MOD key:\"/registry/pods/a\" mod_revision:0 > success:<request_put:<key:\"/registry/pods/a\" value_size:5 >> failure:<request_range:<key:\"/registry/pods/a\" > >"}`
const TXN = String.raw`{"level":"warn","ts":"2026-11-28T17:17:06.399739Z","caller":"txn/util.go:93","msg":"apply request took too long","took":"136.203µs","expected-duration":"1ns","prefix":"","request":"header:<ID:7587899219085233673 > txn:<compare:<target:MOD key:\"/registry/pods/a\" mod_revision:0 > success:<request_put:<key:\"/registry/pods/a\" value_size:5 >> failure:<request_range:<key:\"/registry/pods/a\" > >>","response":"size:14"}`
const LEASE_CALL = String.raw`{"level":"warn","ts":"2026-11-28T17:17:06.422265Z","caller":"v3rpc/interceptor.go:202","msg":"request stats","start time":"2026-11-28T17:17:06.421685Z","time spent":"577.402µs","remote":"127.0.0.1:48100","response type":"/etcdserverpb.Lease/LeaseGrant","request count":-1,"request size":-1,"response count":-1,"response size":-1,"request content":""}`
const OTHER = '{"level":"info","ts":"2026-11-28T17:17:02Z","msg":"ready to serve client requests"}'
const OLD = String.raw`2020-05-01 10:00:00.123456 W | etcdserver: read-only range request "key:\"/registry/events/\" range_end:\"/registry/events0\" " with result "range_response_count:7 size:55" took too long (1.5s) to execute`

const recordsIn = (...lines: readonly string[]) => {
  const reader = new RecordReader()
  return readEtcdLog(lines.join('\n')).records.map((record) => {
    const read = reader.read(record)
    if (!read.ok) throw new Error(read.message)
    return read.record
  })
}

describe('slow requests of an etcd log', () => {
  it('are records with their keys and costs, by their arrival', () => {
    expect(readEtcdLog([MEMBER, OTHER, PUT].join('\n')).left).toBe(1)
    const [range, put] = recordsIn(MEMBER, OTHER, PUT, RANGE)
    expect(put).toMatchObject({
      request: { method: 'KV/Put', body: { op: 'Put', key: bytesOf(String.raw`k\x00\xff"<x>`) } },
    })
    expect(range).toMatchObject({
      at: 0,
      request: {
        method: 'KV/Range',
        body: {
          op: 'Range',
          key: '/registry/pods/',
          rangeEnd: '/registry/pods0',
          options: { limit: 500, keysOnly: true },
        },
      },
      observed: { ok: true, scannedKeys: 9_000, responseBytes: 32, latencyMs: 122.784 },
    })
  })

  it('that are logged twice count once, with the address of the client', () => {
    const both = recordsIn(PUT, PUT_CALL, TXN, TXN_CALL, LEASE_CALL)
    expect(both.map(({ request }) => [request.method, request.clientIP, request.requestBytes])).toEqual([
      ['KV/Put', '127.0.0.1', 12],
      ['KV/Txn', '::1', 27],
      ['Lease/LeaseGrant', '127.0.0.1', undefined],
    ])
    expect(both[1]?.request.body).toMatchObject({
      op: 'Txn',
      success: [{ op: 'Put', key: '/registry/pods/a' }],
      failure: [{ op: 'Range', key: '/registry/pods/a' }],
    })
    expect(recordsIn(TXN)[0]?.request.body).toEqual(both[1]?.request.body)
  })

  test.each([
    ['kubectl logs', (line: string) => `2026-11-28T17:17:06Z ${line}`],
    ['CRI', (line: string) => `2026-11-28T17:17:06Z stderr F ${line}`],
    ['Docker', (line: string) => JSON.stringify({ log: `${line}\n`, stream: 'stderr' })],
    ['journal', (line: string) => `Nov 28 17:17:06 node1 etcd[7]: ${line}`],
  ])('are read behind the prefix of %s', (_name, wrap) => {
    const all = [PUT_CALL, RANGE, TXN, OLD]
    expect(isEtcdLog(all.map(wrap).join('\n'))).toBe(true)
    expect(recordsIn(...all.map(wrap))).toEqual(recordsIn(...all))
  })

  it('are read from etcd before 3.5 too', () => {
    expect(recordsIn(OLD)).toMatchObject([
      {
        request: { method: 'KV/Range', body: { key: '/registry/events/' } },
        observed: { scannedKeys: 7, latencyMs: 1_500 },
      },
    ])
  })

  it('are not found in recordings', () => {
    expect(isEtcdLog('{"method":"KV/Range","key":"/a"}\n')).toBe(false)
  })
})
