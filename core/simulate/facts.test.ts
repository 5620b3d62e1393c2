import { expect, test } from 'vitest'
import { readRequestLine } from '../request/requestLine.ts'
import { simulatedFacts } from './facts.ts'

const watch = (target: string) => {
  const line = readRequestLine('GET', target)
  if (!line.ok) throw new Error(line.problem)
  return { payload: line }
}

test('tells of objects, and of watches of all objects of a resource as the engine counts them', () => {
  const objects = [{ key: 'pods', count: 300, averageSize: 4_000 }]
  const facts = simulatedFacts({ objects }, [
    watch('/api/v1/pods?watch=true'),
    watch('/api/v1/pods?watch=true&resourceVersion=1'),
    watch('/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dnode-1'),
    watch('/api/v1/namespaces/app/pods?watch=true'),
    watch('/apis/apps/v1/deployments?watch=true'),
    watch('/apis/apps/v1/namespaces/app/statefulsets?watch=true'),
  ])
  expect(facts.objects).toEqual(new Map([['pods', { count: 300, averageSize: 4_000 }]]))
  expect(facts.watches).toEqual([
    { apiGroup: '', resource: 'pods', total: 2 },
    { apiGroup: 'apps', resource: 'deployments', total: 1 },
    { apiGroup: 'apps', resource: 'statefulsets', total: 0 },
  ])
})
