import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recognise } from './recognise.ts'

const kinds = (text: string): string[] => recognise('f', text).map(({ kind }) => kind)
const line = (value: object): string => JSON.stringify(value)
const PAGE = '# TYPE apiserver_a gauge\napiserver_a 1\n'

describe('recognise', () => {
  it.each([
    [PAGE, 'page'],
    ['apiserver_a{b="c"} 1\n', 'page'],
    ['apiserver_a 1.5e+06 1700000000000\n', 'page'],
    ['nr_free_pages 119\nnr_zone_inactive_anon 5\n', 'foreign'],
    ['PriorityLevelName, ActiveQueues, IsIdle\n', 'dump'],
    ['', 'foreign'],
    [' \n\n', 'foreign'],
    ['<!DOCTYPE html><p>Sign in', 'foreign'],
    ['{\n  "kind": "Status"\n}\n', 'foreign'],
    ['I1121 07:31:14.155000 1 httplog.go:1] "HTTP" verb="GET"\n', 'httplog'],
    ['{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata"}\n', 'audit'],
    ['{"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": []}', 'audit'],
    ['# a remark\nwords of a person\n', 'foreign'],
    ['# kept in git\napiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\n', 'manifest'],
    ['kind: List\nitems:\n- apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n', 'manifest'],
    ['{"kind":"FlowSchemaList","apiVersion":"flowcontrol.apiserver.k8s.io/v1","items":[]}', 'manifest'],
    [line({ path: '/apis', body: '{"apiVersion":"flowcontrol.apiserver.k8s.io/v1"}' }), 'manifest'],
    [line({ path: '/apis', body: '{"apiVersion":"v1"}' }), 'unreadable'],
  ])('%j is a %s', (text, kind) => {
    expect(kinds(text)).toEqual([kind])
  })

  it('tells the three dumps apart', () => {
    const dumps = ['ActiveQueues', 'Index, NextDispatchR', 'FlowSchemaName'].flatMap((columns) =>
      recognise('f', `PriorityLevelName, ${columns}\n`).map((part) => part.kind === 'dump' && part.dump),
    )
    expect(dumps).toEqual(['levels', 'queues', 'requests'])
  })

  it('reads captures line by line and names the lines that it cannot read', () => {
    const text = [
      line({ t: 5, path: '/metrics', status: 200, body: PAGE }),
      line({ path: '/metrics', status: 429, body: 'Too many' }),
      '{"path":"/metr',
      line({ something: 'else' }),
      '',
    ].join('\n')
    const [page, ...others] = recognise('c.ndjson', text)
    expect(page).toEqual({ kind: 'page', file: 'c.ndjson', line: 1, t: 5, text: PAGE })
    expect(others.map((part) => part.kind === 'unreadable' && part.sentence)).toEqual([
      'c.ndjson, line 2 is a 429 response to /metrics.',
      'c.ndjson, line 3 is not JSON, perhaps cut short; record it again.',
      'c.ndjson, line 4 has no "path" and "body".',
    ])
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((text) => `{${text}`),
        ),
        (text) => void recognise('f', text),
      ),
    )
  })
})
