import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API_VERSION, manifestOf } from '../../core/config/content.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { AUTOUPDATE_ANNOTATION, defaultLevel } from '../../core/config/objects.ts'
import { FrameSchema, type ServerFrame } from '../../core/frame/frame.ts'
import { REJECT_REASONS } from '../../core/frame/reading.ts'
import { familiesOf } from '../../core/metrics/catalogue.ts'
import { parseKubernetesVersion } from '../../core/metrics/versions.ts'
import { invalidObjectArbitrary } from '../fixtures/brokenObjects.ts'
import { mangledManifest, validManifestArbitrary } from '../fixtures/configObjects.ts'
import { runCommand } from '../harness/command.ts'
import { VERSIONS } from './binaries.ts'
import { expectSameFlows, putRandomSchemas } from './classifying.ts'
import { ADMIN } from './identities.ts'
import { labelValues, readSamples, total, type Sample } from './independent.ts'
import { reportedLimits } from './limits.ts'
import { noCluster, useCluster } from './suite.ts'
import { expectAgreement } from './verdicts.ts'

const SEED = 20_261_125
const SEATS = 600
/** Time in which the server applies an object. */
const SETTLE_MS = 20_000
const MIB = 1 << 20

const DriftSchema = z.looseObject({ differences: z.array(z.unknown()) })
const ImpactSchema = z.looseObject({
  serverLimit: z.number(),
  serverLimitFrom: z.string(),
  levels: z.array(
    z.looseObject({
      name: z.string(),
      before: z.looseObject({ nominal: z.number(), lower: z.number(), upper: z.number() }),
      after: z.looseObject({ nominal: z.number(), lower: z.number(), upper: z.number() }),
    }),
  ),
})

/** A preview among them, say, whose modules must be had and may need a newer Go. */
const CHOSEN = process.env['APF_CLUSTER_VERSIONS']?.split(',') ?? VERSIONS

describe.skipIf(noCluster).each(CHOSEN)('kube-apiserver %s', (version) => {
  const cluster = useCluster({ version, maxInflight: 400, maxMutatingInflight: SEATS - 400 })
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-versions-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const page = async (): Promise<string> => (await cluster().call('/metrics', ADMIN)).body

  it('is scraped: limits, demand, seats and totals are those of the page, and nothing that it has is missing', async () => {
    // A mutating request, so that each family with requests of both kinds has a series.
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'big' },
      data: { big: 'x'.repeat(MIB / 2) },
    }
    await cluster().call('/api/v1/namespaces/default/configmaps', 'alice', {
      method: 'POST',
      body: JSON.stringify(configMap),
    })
    await cluster().call('/api/v1/namespaces/default/configmaps', 'alice')
    const before = readSamples(await page())
    const { code, output, told } = await runCommand('snapshot', '--kubeconfig', cluster().kubeconfig)
    // The user of this kubeconfig is in system:masters, which is all that there is to say.
    expect({ code, told }).toEqual({
      code: 0,
      told: expect.stringMatching(
        /^[^\n]*because admin is in the group system:masters;[^\n]*\n(?:[^\n]* is supported as a preview: [^\n]*\n)?$/,
      ),
    })
    const after = readSamples(await page())
    const [server] = FrameSchema.parse(JSON.parse(output)).servers
    expect(server?.version).toBe(version)
    expect(server?.levels.map(({ name }) => name)).toEqual(labelValues(before, 'priority_level'))
    expect(strayNumbers(server, before, after)).toEqual([])
    // Only what the version has removed or hidden, or does not have yet.
    const has = new Set(familiesOf(version).map(({ name }) => name))
    const minor = parseKubernetesVersion(version)?.minor ?? 0
    for (const { family, reason } of server?.missing ?? []) {
      expect([family, reason]).toEqual([family, expect.stringMatching(/^(?:removed|hidden|not-yet)$/)])
      expect({ family, has: has.has(family) && reason !== 'hidden' }).toEqual({ family, has: false })
    }
    // The two deprecated families are hidden from 1.31 and 1.32 on, and removed in 1.37.
    expect(server?.missing.filter(({ reason }) => reason === 'hidden')).toHaveLength(
      minor < 31 || minor >= 37 ? 0 : minor < 32 ? 1 : 2,
    )
  })

  it('has the built-in objects that the console takes it to have', async () => {
    const { code, output } = await runCommand('drift', '--kubeconfig', cluster().kubeconfig, '--json')
    expect({ code, differences: DriftSchema.parse(JSON.parse(output)).differences }).toEqual({
      code: 0,
      differences: [],
    })
  })

  it('gets the limits after an edit that were predicted', async () => {
    const { levels } = builtInObjects(version)
    const edited = ['workload-low', 'system'].map((name, index) => {
      const level = levels.find(({ metadata }) => metadata.name === name)
      const spec = level && defaultLevel(level).spec
      if (spec?.limited === undefined) throw new Error(`no level ${name}`)
      const limited = {
        ...spec.limited,
        nominalConcurrencyShares: 37 + 20 * index,
        lendablePercent: 41,
        borrowingLimitPercent: 55,
      }
      return {
        apiVersion: API_VERSION,
        kind: 'PriorityLevelConfiguration',
        metadata: { name, annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } },
        spec: { ...spec, limited },
      }
    })
    const edit = join(folder, 'edit.json')
    await writeFile(edit, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: edited }))
    const { code, output } = await runCommand('impact', '--kubeconfig', cluster().kubeconfig, '--edit', edit, '--json')
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
    const told = ImpactSchema.parse(JSON.parse(output))
    expect([told.serverLimit, told.serverLimitFrom]).toEqual([SEATS, 'server'])
    const limits = (side: 'before' | 'after') =>
      Object.fromEntries(
        told.levels.map(({ name, [side]: { nominal, lower, upper } }) => [name, [nominal, lower, upper]]),
      )
    expect(limits('before')).toEqual(reportedLimits(readSamples(await page())))
    for (const object of edited) {
      const path = `/apis/${API_VERSION}/prioritylevelconfigurations/${object.metadata.name}`
      const { status, body } = await cluster().call(path, ADMIN, { method: 'PUT', body: JSON.stringify(object) })
      expect({ status, body: status === 200 ? '' : body }).toEqual({ status: 200, body: '' })
    }
    await expect
      .poll(async () => reportedLimits(readSamples(await page())), { timeout: SETTLE_MS })
      .toEqual(limits('after'))
  })

  it('judges valid, invalid and mangled objects as the console does', async () => {
    const valid = await expectAgreement(cluster(), fc.sample(validManifestArbitrary, { seed: SEED, numRuns: 60 }))
    expect([...valid]).toEqual([['accepted', 60]])
    const invalid = await expectAgreement(cluster(), fc.sample(invalidObjectArbitrary, { seed: SEED, numRuns: 100 }))
    expect(invalid.get('accepted')).toBeUndefined()
    const { levels, schemas } = builtInObjects(version)
    const builtIn = fc.constantFrom(
      ...levels.map((level) => manifestOf('PriorityLevelConfiguration', level)),
      ...schemas.map((schema) => manifestOf('FlowSchema', schema)),
    )
    const mangled = mangledManifest(fc.oneof(builtIn, validManifestArbitrary))
    await expectAgreement(cluster(), fc.sample(mangled, { seed: SEED, numRuns: 100 }))
  })

  it('puts random requests into the schema and level that the console names', async () => {
    const objects = await putRandomSchemas(cluster(), SEED)
    await expectSameFlows(cluster(), objects, { seed: SEED, requests: 150 })
  })
})

/** Numbers of a frame that are not between those of the pages before and after it. */
function strayNumbers(
  server: ServerFrame | undefined,
  before: readonly Sample[],
  after: readonly Sample[],
): readonly string[] {
  const wrong: string[] = []
  const check = (family: string, labels: Record<string, string>, is: number | undefined, isGauge = false): void => {
    const [was, will] = [total(before, family, labels), total(after, family, labels)]
    const fits = isGauge ? is === was || is === will : (was ?? 0) <= (is ?? -1) && (is ?? 0) <= (will ?? 0)
    if (!fits) wrong.push(`${family} ${JSON.stringify(labels)}: ${is ?? '?'}, not ${was ?? '?'} to ${will ?? '?'}`)
  }
  for (const { name, limits, demand, dispatched, rejected, schemas } of server?.levels ?? []) {
    const labels = { priority_level: name }
    check('nominal_limit_seats', labels, limits.nominal, true)
    check('lower_limit_seats', labels, limits.lower, true)
    check('upper_limit_seats', labels, limits.upper, true)
    // Both are recomputed every 10 s: a page in between may have either.
    if (limits.current === undefined || demand.smoothed === undefined) wrong.push(`${name}: no current limit or demand`)
    check('dispatched_requests_total', labels, dispatched)
    for (const reason of REJECT_REASONS) check('rejected_requests_total', { ...labels, reason }, rejected?.[reason])
    for (const { name: flow_schema, estimatedSeats, execution } of schemas) {
      const of = { ...labels, flow_schema }
      check('work_estimated_seats_count', of, estimatedSeats?.count ?? 0)
      check('request_execution_seconds_count', { ...of, type: 'regular' }, execution?.count ?? 0)
    }
  }
  return wrong
}
