import { expect, test } from 'vitest'
import { resourcesOf } from './FlowControlPane.tsx'

test('resources come from the folders of an API server, the busiest first', () => {
  const rates = [
    { keys: '/registry/leases', requests: 3 },
    { keys: '/registry/minions', requests: 1 },
    { keys: '/registry/pods', requests: 2 },
    { keys: '/registry/pods', requests: 5 },
    { keys: '/registry/stable.example.com', requests: 9 },
    { keys: '/tenants/a', requests: 9 },
    { keys: '', requests: 9 },
  ]
  expect(resourcesOf(rates)).toEqual(['pods', 'leases', 'nodes'])
})
