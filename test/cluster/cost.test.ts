import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_VERSION, versionOf } from '../../core/config/content.ts'
import { createClusterObjects } from '../../main/cluster/clusterObjects.ts'
import { openConnection } from '../../main/cluster/connection.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { runCommand } from '../harness/command.ts'
import { allNamed } from '../harness/consent.ts'
import { DEFAULT_VERSION } from './binaries.ts'
import { level, limited } from './flowControl.ts'
import { ADMIN, NOBODY } from './identities.ts'
import { readSamples, total } from './independent.ts'
import { noCluster, useCluster } from './suite.ts'

/*
 * What the console costs the server that it watches: the most seats that its level had at once around each command, as
 * the server itself reports them. The level is the console's alone (a server asks costly things of itself, as an
 * administrator), and it rejects rather than queues, because only such a level lets a request be as wide as an exempt one.
 */

const VERSIONS = (process.env['APF_COST_VERSIONS'] ?? DEFAULT_VERSION).split(',')
/** A high watermark covers ten seconds and is reported with the next. */
const PERIODS_MS = 21_000
/** An edit begins new ones, and so does each status that the server writes after it. */
const LOOK_EVERY_MS = 150
/** An edit may read and write at once. */
const MOST_SEATS = { read: 1, edit: 2 }
const MANY = 1_000
const LASTS_MS = 900_000

const CONSOLE = 'console'
const EDIT = 'dry runs, an edit and its undo'
/** The user may do everything in this test. */
const OWN = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'console-may-do-everything' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: NOBODY }],
  },
  level(CONSOLE, limited(300)),
  {
    apiVersion: API_VERSION,
    kind: 'FlowSchema',
    metadata: { name: CONSOLE },
    spec: {
      priorityLevelConfiguration: { name: CONSOLE },
      matchingPrecedence: 2,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: NOBODY } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    },
  },
]

for (const version of VERSIONS) {
  describe.skipIf(noCluster)(`what the console reads of ${version}`, () => {
    const cluster = useCluster({ version })
    let folder = ''
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'apf-cost-'))
      const file = join(folder, 'own.yaml')
      await writeFile(file, OWN.map((object) => JSON.stringify(object)).join('\n---\n'))
      await cluster().apply(file, ADMIN)
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    const metrics = async (): Promise<string> => (await cluster().call('/metrics', ADMIN)).body
    /** The most seats that the console needed at once from the present ten seconds on, until those of the end are reported. */
    const watch = async (run: () => Promise<unknown>): Promise<number> => {
      let most = 0
      const look = async (): Promise<void> => {
        const samples = readSamples(await metrics())
        most = Math.max(most, total(samples, 'demand_seats_high_watermark', { priority_level: CONSOLE }) ?? 0)
      }
      let end = Number.POSITIVE_INFINITY
      const ran = run().finally(() => (end = Date.now() + PERIODS_MS))
      for (; Date.now() < end; await sleep(LOOK_EVERY_MS)) await look()
      await ran
      return most
    }
    const edit = async (): Promise<void> => {
      const target = { kind: 'kubeconfig', file: cluster().nobodyKubeconfig } as const
      const connection = await openConnection(target, Date.now, { consent: allNamed })
      const { editor } = createClusterObjects(connection, systemEnvironment)
      if (editor === undefined || 'impossible' in editor) throw new Error('no editor')
      try {
        expect(await editor.access()).toMatchObject({ ok: true })
        const change = { kind: 'PriorityLevelConfiguration', name: 'edited' } as const
        const object = level('edited', limited(3))
        const [tried] = await Promise.all([editor.check({ ...change, object }), editor.check({ ...change, object })])
        expect(tried.outcome).toBe('accepted')
        const { done } = await editor.apply({ ...change, object }, false, async () => undefined)
        const base = versionOf(done?.to ?? {})
        if (base === undefined) throw new Error('the change was not made')
        const undone = await editor.apply({ ...change, base, object: null }, false, async () => undefined)
        expect(undone.done).toBeDefined()
      } finally {
        connection.close()
      }
    }
    const command = (...args: readonly string[]) => {
      return async (): Promise<void> => {
        const { code, told } = await runCommand(...args, '--kubeconfig', cluster().nobodyKubeconfig)
        expect([0, 1], told).toContain(code)
      }
    }
    const others = (): readonly (() => Promise<void>)[] => [
      command('status'),
      command('explain', CONSOLE),
      command('advise', '--seconds', '20'),
      command('watch', '--count', '3'),
      command('forecast', '--seconds', '20', '--edit', join(folder, 'edit.yaml')),
      command('record', join(folder, `${randomUUID()}.apfrec`), '--for', '5s'),
      command('fleet'),
    ]
    const reads = (): readonly (readonly [string, () => Promise<unknown>])[] => [
      ['snapshot', command('snapshot')],
      ['permissions', command('permissions')],
      ['drift', command('drift')],
      ['impact', command('impact', '--edit', join(folder, 'edit.yaml'))],
      ['classify', command('classify', '--user', 'alice', '--url', '/api/v1/pods')],
      ['pages, dumps and objects', command('diagnose', '--seconds', '20', '--interval', '0.5')],
      [
        'other commands, one after the other',
        async () => {
          for (const run of others()) await run()
        },
      ],
      [EDIT, edit],
    ]
    /** What cost more than it may; all is printed. */
    const costly = async (state: string): Promise<readonly string[]> => {
      const edited = level('workload-low', limited(90))
      await writeFile(join(folder, 'edit.yaml'), JSON.stringify(edited))
      const found: Record<string, number> = {}
      for (const [name, run] of reads()) found[name] = await watch(run)
      console.info(`${version}, ${state}: ${JSON.stringify(found)}`)
      return Object.entries(found).flatMap(([name, seats]) =>
        seats < 1 || seats > MOST_SEATS[name === EDIT ? 'edit' : 'read'] ? [name] : [],
      )
    }
    /** Each kind is counted for the first time one to two minutes after the start. */
    const counted = async (): Promise<boolean> => {
      const page = await metrics()
      return ['flowschemas', 'prioritylevelconfigurations'].every((kind) =>
        new RegExp(`^apiserver_(?:storage|resource)_objects\\{[^}]*${kind}[^}]*\\} \\d`, 'm').test(page),
      )
    }
    const restart = async (): Promise<void> => {
      await cluster().stopApiserver()
      await cluster().startApiserver()
      await expect.poll(counted, { timeout: 180_000, interval: 2_000 }).toBe(true)
    }

    it(
      'costs little on a server that has just started',
      async () => {
        expect(await costly('fresh')).toEqual([])
      },
      LASTS_MS,
    )

    it(
      'costs no more after a restart on existing data, which leaves sizes unknown',
      async () => {
        await restart()
        expect(await costly('restarted')).toEqual([])
      },
      LASTS_MS,
    )

    it(
      `costs no more with ${MANY} objects`,
      async () => {
        const schema = (at: number) => ({
          apiVersion: API_VERSION,
          kind: 'FlowSchema',
          metadata: { name: `many-${at}` },
          spec: {
            priorityLevelConfiguration: { name: 'workload-low' },
            matchingPrecedence: 9_000,
            rules: [
              {
                subjects: [{ kind: 'User', user: { name: `nobody-${at}` } }],
                resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
              },
            ],
          },
        })
        for (let at = 0; at < MANY; at += 20) {
          const some = Array.from({ length: 20 }, (_, more) => JSON.stringify(schema(at + more)))
          const path = `/apis/${API_VERSION}/flowschemas`
          const made = await Promise.all(some.map((body) => cluster().call(path, ADMIN, { method: 'POST', body })))
          for (const { status, body } of made) expect(status, body).toBe(201)
        }
        await restart()
        expect(await costly(`${MANY} objects, restarted`)).toEqual([])
      },
      LASTS_MS,
    )
  })
}
