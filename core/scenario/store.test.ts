import { expect, test } from 'vitest'
import { readAnyScenario, readScenario } from './read.ts'
import { runAnyScenario } from './run.ts'

const TEXT = `
name: store
title: A store
teaches: Nothing.
seconds: 10
statisticsFrom: 0
etcd: { quotaBytes: 1000, usedBytes: 0, concurrency: 1 }
clients:
  - name: writer
    count: 2
    user: 'writer-{i}'
    threads: 1
    requests: [{ method: KV/Put, key: '/a/{i}', requestBytes: 100, latencyMs: 10 }]
  - name: reader
    perSecond: 20
    requests: [{ method: KV/Range, key: /a/0, latencyMs: 1 }]
variants:
  - { name: free, verdict: not prevented }
  - name: limited
    verdict: prevented
    rules:
      classes: [{ name: writes, qdisc: lbf, qps: 0.5 }]
      rules: [{ name: writes, qClassName: writes, priority: 1, ops: [Put], prefixPaths: [/a/] }]
criteria: [{ measure: waitMax, clients: reader, most: 100 }, { clients: writer, measure: served, most: 6 }]
`
const read = (text: string) => readAnyScenario(text, 's.yaml')
const findingsOf = (text: string) => read(text).findings.map(({ line, field, message }) => ({ line, field, message }))
const outcomeOf = (text: string, seed?: number) => {
  const { found, findings } = read(text)
  expect(findings).toEqual([])
  return found === undefined ? expect.fail('there is no scenario') : runAnyScenario(found, { seed })
}

test('a full store refuses writes and still reads; rules keep it from filling up', () => {
  const outcome = outcomeOf(TEXT)
  expect(outcome).toMatchObject({ of: 'etcd', passed: true })
  const [free, limited] = outcome?.runs ?? []
  // Ten writes of 100 bytes fit.
  expect(free?.result.clients[0]).toMatchObject({ client: 'writer', served: 10, rejected: { 'concurrency-limit': 0 } })
  expect(free?.result.clients[0]?.expired).toBeGreaterThan(5)
  expect(free?.result.clients[1]?.expired).toBe(0)
  expect(limited?.result.clients[0]).toMatchObject({ served: 4, expired: 0 })
  expect(limited?.result.clients[0]?.rejected['concurrency-limit']).toBeGreaterThan(5)
})

test('the same seed gives the same run, and clients send the same in every variant', () => {
  expect(outcomeOf(TEXT, 3)).toEqual(outcomeOf(TEXT, 3))
  expect(outcomeOf(TEXT, 3)).not.toEqual(outcomeOf(TEXT, 4))
  const offered = outcomeOf(TEXT)?.runs.map(({ result }) => result.clients[1]?.offered)
  expect(new Set(offered).size).toBe(1)
})

test('calls that have not begun within 10 s are given up', () => {
  const slow = TEXT.replace('latencyMs: 1 }', 'latencyMs: 60000 }').replace('seconds: 10', 'seconds: 30')
  const [free] = outcomeOf(slow.replaceAll(/verdict: [a-z ]+/g, 'verdict: not prevented'))?.runs ?? []
  const reader = free?.result.clients[1]
  expect(reader?.served).toBe(0)
  expect(reader?.expired).toBeGreaterThan(300)
})

test('says where a file is wrong', () => {
  expect(findingsOf(TEXT.replace('priority: 1', 'priority: 101'))).toMatchObject([
    { line: 23, field: 'variants[1].rules.rules[0].priority' },
  ])
  expect(findingsOf(TEXT.replace('method: KV/Put', 'method: KV/Putt'))).toMatchObject([
    { line: 13, field: 'clients[0].requests[0].method', message: 'etcd has no method “KV/Putt”: did you mean KV/Put?' },
  ])
  expect(findingsOf(TEXT.replace('latencyMs: 10', 'latency: 10'))).toMatchObject([
    { line: 13, field: 'clients[0].requests[0].latency' },
  ])
  expect(findingsOf(TEXT.replace('clients: reader', 'clients: raeder'))).toMatchObject([
    { message: 'There is no group of clients “raeder”: did you mean “reader”?' },
  ])
  expect(findingsOf(TEXT.replace('measure: served', 'measure: seats'))).toMatchObject([
    { line: 24, message: 'Scenarios for an etcd have no measure seats.' },
  ])
  expect(findingsOf(TEXT.replace('usedBytes: 0', 'usedBytes: 2000'))).toMatchObject([
    { line: 7, field: 'etcd.usedBytes' },
  ])
  expect(findingsOf(TEXT.replace('    threads: 1\n', ''))).toMatchObject([
    { message: 'clients[0] needs exactly one of threads and perSecond.' },
  ])
})

test('only simulate runs one', () => {
  const { scenario, findings } = readScenario(TEXT, 's.yaml')
  expect(scenario).toBeUndefined()
  expect(findings).toMatchObject([{ line: 7, field: 'etcd' }])
})
