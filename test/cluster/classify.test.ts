import { Agent } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainer } from '../../core/classify/explain.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { AT_ONCE, expectSameFlows, inTurns, putRandomSchemas, send } from './classifying.ts'
import { noCluster, useCluster } from './suite.ts'

const REQUESTS = 300

describe.skipIf(noCluster)('classification beside a real server', () => {
  const cluster = useCluster()
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const seed = Date.now() % 2 ** 31
  let objects: ObjectSet = { levels: [], schemas: [] }

  beforeAll(async () => {
    objects = await putRandomSchemas(cluster(), seed)
  })
  afterAll(() => agent.destroy())

  it(`puts ${REQUESTS} random requests into the schema and level that the server's headers name`, async () => {
    await expectSameFlows(cluster(), objects, { seed, requests: REQUESTS })
  })

  it('knows which requests the server serves past flow control', async () => {
    const lines = ['log', 'exec', 'attach', 'portforward', 'proxy', 'status', 'eviction'].map(
      (subresource) => ['GET', `/api/v1/namespaces/ci/pods/none/${subresource}`] as const,
    )
    const explain = explainer(objects)
    const sent = await inTurns(lines, (line) => send(cluster(), agent, 'alice', line))
    expect(sent.map(({ uids }) => uids === undefined)).toEqual(
      sent.map(({ sample }) => {
        const answer = explain(sample)
        return answer.ok && answer.classification.bypasses
      }),
    )
  })
})
