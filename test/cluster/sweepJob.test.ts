import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { CROWDED, SWEEP } from '../../core/sweep/sweep.fixture.ts'
import { runCommand } from '../harness/command.ts'
import { ADMIN } from './identities.ts'
import { noCluster, useCluster } from './suite.ts'

const SHARDS = 3
const PATHS: Readonly<Record<string, string>> = {
  ConfigMap: '/api/v1/namespaces/default/configmaps',
  Job: '/apis/batch/v1/namespaces/default/jobs',
}

interface Manifest {
  readonly kind: string
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: string[] }[] } }
  }
}

describe.skipIf(noCluster)('a sweep as an Indexed Job', () => {
  const cluster = useCluster()
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-sweep-job-'))
    await writeFile(join(folder, 'crowded.yaml'), CROWDED)
    await writeFile(join(folder, 'shares.yaml'), SWEEP)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const manifestsOf = async (...more: readonly string[]): Promise<readonly Manifest[]> => {
    const file = join(folder, 'shares.yaml')
    const job = await runCommand('sweep', 'job', file, '--image', 'console:test', '--shards', `${SHARDS}`, ...more)
    expect(job).toMatchObject({ code: 0, told: '' })
    return parseAllDocuments(job.output).map((document): Manifest => document.toJS())
  }

  it.each([[[]], [['--claim', 'results']]])('is accepted by a dry run, options %j', async (more) => {
    const manifests = await manifestsOf(...more)
    expect(manifests.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Job'])
    for (const manifest of manifests) {
      const answer = await cluster().call(`${PATHS[manifest.kind]}?dryRun=All&fieldValidation=Strict`, ADMIN, {
        method: 'POST',
        body: JSON.stringify(manifest),
      })
      expect(answer).toMatchObject({ status: 201 })
    }
  })

  it('runs each shard as a process, and merged they are the single run', { timeout: 120_000 }, async () => {
    const manifests = await manifestsOf()
    const files = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
    const mounted = await mkdtemp(join(folder, 'mounted-'))
    for (const [name, text] of Object.entries(files)) await writeFile(join(mounted, name), text)
    const args = manifests.find(({ kind }) => kind === 'Job')?.spec?.template.spec.containers[0]?.args ?? []
    expect(args).toContain('$(JOB_COMPLETION_INDEX)/3')
    const logs = []
    for (let index = 0; index < SHARDS; index++) {
      const expanded = args.map((one) =>
        one.replaceAll('$(JOB_COMPLETION_INDEX)', String(index)).replace('/sweep/', `${mounted}/`),
      )
      const pod = await runCommand(...expanded)
      expect(pod).toMatchObject({ code: 0, told: '' })
      logs.push(pod.output)
    }
    const log = join(folder, 'pods.log')
    await writeFile(log, logs.join(''))
    const merged = await runCommand('sweep', 'merge', log, '-o', 'csv')
    const single = await runCommand('sweep', join(folder, 'shares.yaml'), '-o', 'csv')
    expect(merged).toEqual({ code: 0, output: single.output, told: '' })
    expect(merged.output.split('\n')).toHaveLength(8)
    expect(await readFile(join(folder, 'shares.results.ndjson'), 'utf8')).toContain('"sweep":"shares"')
  })
})
