import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API_VERSION } from '../../core/config/content.ts'
import { runCommand } from '../harness/command.ts'
import { flowControl, level, limited } from './flowControl.ts'
import { CRAWLER, mouse, WRITER } from './identities.ts'
import { runLoad, type LoadClient } from './load.ts'
import { seed } from './profiles.ts'
import { noCluster, useCluster } from './suite.ts'

const AnswerSchema = z.looseObject({
  summary: z.string(),
  findings: z.array(z.looseObject({ cause: z.string(), evidenceFor: z.array(z.string()) })),
})

const PATH = '/api/v1/namespaces/batch/configmaps'
/** A creation that keeps its seat for so long; nothing is stored. */
const held = (user: (worker: number) => string, workers: number, holdMs: number, query = ''): LoadClient => ({
  workers,
  thinkMs: 50,
  plan: (worker, turn) => ({
    user: user(worker),
    path: `${PATH}?dryRun=All${query}`,
    method: 'POST',
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `d-${worker}-${turn}` } }),
    holdMs,
  }),
})
const calm = held((worker) => mouse(worker % 20), 4, 100)

/** What the clients do, and which cause is to be found first. */
const SITUATIONS: readonly { readonly given: string; readonly load: readonly LoadClient[] }[] = [
  { given: 'nothing-waits', load: [calm] },
  { given: 'one-flow', load: [calm, held(() => CRAWLER, 250, 300)] },
  { given: 'slow-reader', load: [calm, held(() => CRAWLER, 60, 25_000), held(() => WRITER, 4, 100)] },
  { given: 'short-deadlines', load: [calm, held((worker) => mouse(worker % 20), 300, 700, '&timeout=4s')] },
]

describe.skipIf(noCluster)('diagnosis of a real server', () => {
  const cluster = useCluster({ maxInflight: 20, maxMutatingInflight: 10 })
  const { applyAs } = flowControl(cluster)

  beforeAll(() => seed(cluster()))

  const causeDuring = async (load: readonly LoadClient[]): Promise<z.infer<typeof AnswerSchema>> => {
    const end = new AbortController()
    const running = runLoad(cluster(), load, 120, end.signal)
    await sleep(15_000)
    const { output } = await runCommand('diagnose', '--kubeconfig', cluster().kubeconfig, '--seconds', '30', '--json')
    end.abort()
    await running
    return AnswerSchema.parse(JSON.parse(output))
  }

  it.each(SITUATIONS)('finds $given', async ({ given, load }) => {
    const { findings, summary } = await causeDuring(load)
    expect(findings[0]?.cause, summary).toBe(given)
  })

  it('finds a level without queues', async () => {
    await applyAs('tests', level('tight', limited(5)))
    await applyAs('tests', {
      apiVersion: API_VERSION,
      kind: 'FlowSchema',
      metadata: { name: 'tight' },
      spec: {
        priorityLevelConfiguration: { name: 'tight' },
        matchingPrecedence: 500,
        rules: [
          {
            subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'batch', name: 'crawler' } }],
            resourceRules: [
              { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
            ],
          },
        ],
      },
    })
    const { findings, summary } = await causeDuring([held(() => CRAWLER, 40, 300)])
    expect(findings[0]?.cause, summary).toBe('reject-level')
  })
})
