import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  AUTOUPDATE_ANNOTATION,
  type LimitedSpec,
  type ObjectSet,
  type PriorityLevelConfiguration,
} from '../../core/config/objects.ts'
import { API_VERSION } from '../../core/config/content.ts'
import { seatImpact } from '../../core/impact/seatImpact.ts'
import { possibleServerLimits } from '../../core/impact/serverLimit.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { runCommand } from '../harness/command.ts'
import { ADMIN } from './identities.ts'
import { labelValues, readSamples, total, type Sample } from './independent.ts'
import { demandIn, limitsOf, reportedLimits, strayLimits } from './limits.ts'
import { runLoad } from './load.ts'
import { saturating, seed } from './profiles.ts'
import { noCluster, useCluster } from './suite.ts'
import { allNamed } from '../harness/consent.ts'

const SEATS = 600
/** One adjustment period, and time to read a page. */
const PERIOD_MS = 12_000
/** Long enough for two recomputations. */
const PAGES = 24
const PAGE_EVERY_MS = 1_000

const SeatsSchema = z.looseObject({
  nominal: z.number(),
  lower: z.number(),
  upper: z.number(),
  limitNow: z.number(),
})
const AnswerSchema = z.looseObject({
  serverLimit: z.number(),
  serverLimitFrom: z.string(),
  levels: z.array(z.looseObject({ name: z.string(), before: SeatsSchema, after: SeatsSchema })),
})

const ErrorsSchema = z.looseObject({ errors: z.array(z.looseObject({ field: z.string() })) })

type Edit = (limited: LimitedSpec) => LimitedSpec

const EDITS: readonly { readonly what: string; readonly edits: Readonly<Record<string, Edit>> }[] = [
  {
    what: 'shares',
    edits: { 'workload-low': (limited) => ({ ...limited, nominalConcurrencyShares: 37 }) },
  },
  {
    what: 'lendable percent of two levels',
    edits: {
      'workload-high': (limited) => ({ ...limited, lendablePercent: 7 }),
      system: (limited) => ({ ...limited, lendablePercent: 100 }),
    },
  },
  {
    what: 'borrowing percent',
    edits: { 'workload-low': (limited) => ({ ...limited, borrowingLimitPercent: 15 }) },
  },
  {
    what: 'all three of several levels',
    edits: {
      'workload-low': (limited) => ({
        ...limited,
        nominalConcurrencyShares: 13,
        lendablePercent: 33,
        borrowingLimitPercent: 0,
      }),
      'global-default': (limited) => ({ ...limited, nominalConcurrencyShares: 111, lendablePercent: 51 }),
      'node-high': (limited) => ({ ...limited, nominalConcurrencyShares: 0, borrowingLimitPercent: 300 }),
    },
  },
]

describe.skipIf(noCluster)('the seat impact of an edit', () => {
  const cluster = useCluster({ maxInflight: 400, maxMutatingInflight: SEATS - 400 })
  const end = new AbortController()
  let load: Promise<unknown> | undefined
  let before: ObjectSet = { levels: [], schemas: [] }
  let version = ''
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-impact-'))
    await seed(cluster())
    load = runLoad(cluster(), saturating, 600, end.signal)
    const read = await readClusterObjects({ kind: 'kubeconfig', file: cluster().kubeconfig }, allNamed)
    before = read.objects
    version = read.version ?? ''
  })
  afterAll(async () => {
    end.abort()
    await load
    await rm(folder, { recursive: true, force: true })
  })

  const page = async (): Promise<readonly Sample[]> => readSamples((await cluster().call('/metrics', ADMIN)).body)

  async function put(level: PriorityLevelConfiguration): Promise<void> {
    const { name, annotations } = level.metadata
    const path = `/apis/${API_VERSION}/prioritylevelconfigurations/${name}`
    const object = {
      apiVersion: API_VERSION,
      kind: 'PriorityLevelConfiguration',
      metadata: { name, annotations },
      spec: level.spec,
    }
    const { status, body } = await cluster().call(path, ADMIN, { method: 'PUT', body: JSON.stringify(object) })
    if (status !== 200) throw new Error(`PUT ${name}: ${status} ${body}`)
  }

  /** Edited levels with the annotation that makes the reconciler leave them alone. */
  const edited = (edits: Readonly<Record<string, Edit>>): readonly PriorityLevelConfiguration[] =>
    before.levels.flatMap((level) => {
      const { limited } = level.spec
      const edit = edits[level.metadata.name]
      if (edit === undefined || limited === undefined) return []
      const metadata = { ...level.metadata, annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } }
      return [{ metadata, spec: { ...level.spec, limited: edit(limited) } }]
    })
  const withLevels = (levels: readonly PriorityLevelConfiguration[]): ObjectSet => {
    const names = new Set(levels.map(({ metadata }) => metadata.name))
    return { ...before, levels: [...before.levels.filter(({ metadata }) => !names.has(metadata.name)), ...levels] }
  }

  it('judges Queue → Reject as the server does in a dry run of kubectl apply', async () => {
    const path = `/apis/${API_VERSION}/prioritylevelconfigurations/workload-low?dryRun=All`
    for (const [limitResponse, accepted] of [
      [{ type: 'Reject' }, false],
      [{ type: 'Reject', queuing: null }, true],
    ] as const) {
      const manifest = {
        apiVersion: API_VERSION,
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'workload-low' },
        spec: { type: 'Limited', limited: { limitResponse } },
      }
      const body = JSON.stringify(manifest)
      // Nothing was applied by kubectl before, so its patch is the manifest.
      const contentType = 'application/strategic-merge-patch+json'
      const server = await cluster().call(path, ADMIN, { method: 'PATCH', body, contentType })
      const edit = join(folder, 'queue-to-reject.json')
      await writeFile(edit, body)
      const ours = await runCommand('impact', '--edit', edit, '--kubeconfig', cluster().kubeconfig, '--json')
      const { errors } = ErrorsSchema.parse(JSON.parse(ours.output))
      expect({ limitResponse, status: server.status, fields: errors.map(({ field }) => field) }).toEqual({
        limitResponse,
        status: accepted ? 200 : 422,
        fields: accepted ? [] : ['spec.limited.limitResponse.queuing'],
      })
      if (accepted) continue
      expect(server.body).toContain('spec.limited.limitResponse.queuing')
      expect(ours.code).toBe(1)
    }
  })

  it('knows the seats of the server by its nominal limits', async () => {
    const samples = await page()
    const nominal = new Map(
      labelValues(samples, 'priority_level').map((name) => [
        name,
        total(samples, 'nominal_limit_seats', { priority_level: name }) ?? 0,
      ]),
    )
    const range = possibleServerLimits(before, nominal)
    expect(range?.least).toBeLessThanOrEqual(SEATS)
    expect(range?.most).toBeGreaterThanOrEqual(SEATS)
  })

  it('is told on the command line from the objects and the demand of the cluster', async () => {
    const edit = join(folder, 'edit.json')
    const [level] = edited({ system: (limited) => ({ ...limited, nominalConcurrencyShares: 60 }) })
    await writeFile(edit, JSON.stringify({ apiVersion: API_VERSION, kind: 'PriorityLevelConfiguration', ...level }))
    const { code, output, told } = await runCommand(
      'impact',
      '--kubeconfig',
      cluster().kubeconfig,
      '--edit',
      edit,
      '--json',
    )
    expect({ code, told }).toEqual({ code: 0, told: '' })
    const { serverLimit, serverLimitFrom, levels } = AnswerSchema.parse(JSON.parse(output))
    expect({ serverLimit, serverLimitFrom }).toEqual({ serverLimit: SEATS, serverLimitFrom: 'server' })
    const present = levels.map(({ name, before: was }) => [name, [was.nominal, was.lower, was.upper]])
    expect(Object.fromEntries(present)).toEqual(reportedLimits(await page()))
    const system = levels.find(({ name }) => name === 'system')
    expect(system?.after.nominal).toBe(Math.ceil((SEATS * 60) / 275))
    expect(system?.after.limitNow).toBeGreaterThan(system?.before.limitNow ?? Infinity)
  })

  it.each(EDITS)('of $what is what the server then reports, and an undo takes it back', async ({ edits }) => {
    const levels = edited(edits)
    const after = withLevels(levels)
    const predicted = seatImpact({ before, after, serverLimit: SEATS, version })
    expect(limitsOf(predicted, 'after')).not.toEqual(limitsOf(predicted, 'before'))
    for (const level of levels) await put(level)
    await expect
      .poll(async () => reportedLimits(await page()), { timeout: PERIOD_MS })
      .toEqual(limitsOf(predicted, 'after'))

    const wrong: (readonly string[])[] = []
    let demanded = 0
    for (let i = 0; i < PAGES; i++) {
      await sleep(PAGE_EVERY_MS)
      const samples = await page()
      const demand = demandIn(samples)
      demanded = Math.max(demanded, demand.get('workload-low')?.smoothed ?? 0)
      wrong.push(strayLimits(samples, seatImpact({ before, after, serverLimit: SEATS, version, demand })))
    }
    // A page that is read during a recomputation mixes two of them; the next one cannot.
    expect(wrong.filter((names, i) => names.length > 0 && (wrong[i - 1]?.length ?? 0) > 0)).toEqual([])
    expect(wrong.filter((names) => names.length > 0).length).toBeLessThanOrEqual(3)

    // The load is there, so that more than idle limits was compared.
    expect(demanded).toBeGreaterThan(100)

    for (const level of before.levels) if (edits[level.metadata.name] !== undefined) await put(level)
    await expect
      .poll(async () => reportedLimits(await page()), { timeout: PERIOD_MS })
      .toEqual(limitsOf(predicted, 'before'))
  })
})
