import { beforeAll, describe, expect, it } from 'vitest'
import type { ObjectSet } from '../../core/config/objects.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { allNamed } from '../harness/consent.ts'
import { CRAWLER } from '../cluster/identities.ts'
import {
  changed,
  predictEdit,
  type PredictedEdit,
  type Prediction,
  scoreOf,
  summaryOf,
  tableOf,
  THREE_EDITS,
} from '../cluster/predict.ts'
import { seed } from '../cluster/profiles.ts'
import { noCluster, useCluster } from '../cluster/suite.ts'

const low = (change: Parameters<typeof changed>[2]) => (objects: ObjectSet) => changed(objects, 'workload-low', change)

/** A level of its own for the crawler. */
function withCrawlerLevel({ levels, schemas }: ObjectSet): ObjectSet {
  const limited = { nominalConcurrencyShares: 30, lendablePercent: 0, borrowingLimitPercent: 0 }
  const queuing = { queues: 16, handSize: 4, queueLengthLimit: 50 }
  const level = {
    metadata: { name: 'crawlers' },
    spec: { type: 'Limited', limited: { ...limited, limitResponse: { type: 'Queue', queuing } } },
  }
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }
  const [, , namespace = '', name = ''] = CRAWLER.split(':')
  const schema = {
    metadata: { name: 'crawlers' },
    spec: {
      priorityLevelConfiguration: { name: 'crawlers' },
      matchingPrecedence: 1_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace, name } }], resourceRules: [rule] }],
    },
  }
  return { levels: [...levels, level], schemas: [...schemas, schema] }
}

const EDITS: readonly PredictedEdit[] = [
  ...THREE_EDITS,
  { load: 'elephants-and-mice', what: 'workload-low: shares 100 → 400', edit: low({ nominalConcurrencyShares: 400 }) },
  {
    load: 'elephants-and-mice',
    what: 'workload-low: Queue → Reject',
    edit: low({ limitResponse: { type: 'Reject' } }),
  },
  { load: 'elephants-and-mice', what: 'a level for the crawler', edit: withCrawlerLevel },
  { load: 'mixed', what: 'workload-low: shares 100 → 30', edit: low({ nominalConcurrencyShares: 30 }) },
  {
    load: 'mixed',
    what: 'workload-high: lends nothing',
    edit: (objects) => changed(objects, 'workload-high', { lendablePercent: 0 }),
  },
  { load: 'waves', what: 'workload-low: no borrowing', edit: low({ borrowingLimitPercent: 0 }) },
  { load: 'waves', what: 'workload-low: shares 100 → 200', edit: low({ nominalConcurrencyShares: 200 }) },
  {
    load: 'waves',
    what: 'global-default: shares 20 → 60',
    edit: (objects) => changed(objects, 'global-default', { nominalConcurrencyShares: 60 }),
  },
  { load: 'list-storm', what: 'workload-low: shares 100 → 40', edit: low({ nominalConcurrencyShares: 40 }) },
  { load: 'list-storm', what: 'workload-low: shares 100 → 300', edit: low({ nominalConcurrencyShares: 300 }) },
]

/** Of the cells in their band, and of the half-width of a band. */
const GOAL = { inside: 0.85, halfWidth: 0.35 } as const

describe.skipIf(noCluster)('forecasts against a real server', () => {
  const cluster = useCluster({ maxInflight: 80, maxMutatingInflight: 40 })
  let objects: ObjectSet = { levels: [], schemas: [] }

  beforeAll(async () => {
    await seed(cluster())
    const read = await readClusterObjects({ kind: 'kubeconfig', file: cluster().kubeconfig }, allNamed)
    objects = read.objects
  })

  it('hold for edits of every kind', async () => {
    const all: Prediction[] = []
    const wrong: string[] = []
    for (const edit of EDITS) {
      const outcome = await predictEdit(cluster(), objects, edit, { before: 180, after: 120 })
      all.push(...outcome.predictions)
      wrong.push(...outcome.wrongLimits)
      console.log(tableOf(outcome.predictions))
      for (const sentence of outcome.limitsOnly) console.log(`limits only: ${edit.load}, ${edit.what}: ${sentence}`)
    }
    const score = scoreOf(all)
    console.log(`${tableOf(all.filter(({ inside }) => !inside))}\n${summaryOf(all)}\n${JSON.stringify(score)}`)
    expect(wrong).toEqual([])
    expect(score.closeLimits).toBe(score.limits)
    expect(score.inside / score.cells).toBeGreaterThanOrEqual(GOAL.inside)
    expect(score.medianHalfWidth).toBeLessThanOrEqual(GOAL.halfWidth)
  })
})
