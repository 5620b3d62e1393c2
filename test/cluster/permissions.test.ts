import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Capability, CapabilityResult, PermissionReport } from '../../core/contract/source.ts'
import { FrameSchema } from '../../core/frame/frame.ts'
import { permissionReports } from '../../main/cluster/permissions.ts'
import { runCommand } from '../harness/command.ts'
import { ADMIN, NOBODY, VIEWER } from './identities.ts'
import { noCluster, useCluster } from './suite.ts'
import { allNamed } from '../harness/consent.ts'

const POLL = { timeout: 15_000, interval: 500 }

describe.skipIf(noCluster)('permissions', () => {
  const cluster = useCluster()
  const reportFor = async (file: string): Promise<PermissionReport> => {
    const [report, ...others] = await permissionReports({ kind: 'kubeconfig', file }, allNamed)
    expect(others).toEqual([])
    if (report === undefined) throw new Error('no report')
    return report
  }
  const statuses = ({ results }: PermissionReport): Partial<Record<Capability, CapabilityResult['status']>> =>
    Object.fromEntries(results.map(({ capability, status }) => [capability, status]))

  const applyText = async (manifest: string): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'apf-manifest-'))
    try {
      const file = join(folder, 'manifest.yaml')
      await writeFile(file, manifest)
      await cluster().apply(file, ADMIN)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  it('lets the viewer see what it may, and says what it may not', async () => {
    const report = await reportFor(cluster().viewerKubeconfig)
    expect(report.user).toBe(VIEWER)
    expect(statuses(report)).toEqual({
      version: 'allowed',
      metrics: 'allowed',
      'dump-levels': 'allowed',
      'dump-queues': 'allowed',
      'dump-requests': 'allowed',
      'list-objects': 'allowed',
      'watch-objects': 'allowed',
      'dry-run': 'forbidden',
      write: 'forbidden',
    })
    expect(report.missingRole).toBeUndefined()
    expect(report.editRole).toContain('patch')
    const { code, output } = await runCommand('snapshot', '--kubeconfig', cluster().viewerKubeconfig)
    expect(code).toBe(0)
    expect(output).toContain('"workload-low"')
  })

  it('finds nothing missing for an administrator', async () => {
    const report = await reportFor(cluster().kubeconfig)
    expect(new Set(Object.values(statuses(report)))).toEqual(new Set(['allowed']))
    expect(report.missingRole).toBeUndefined()
  })

  it('takes a client certificate as well as a token', async () => {
    const { code, output } = await runCommand(
      'snapshot',
      '--kubeconfig',
      cluster().kubeconfig,
      '--context',
      'admin-cert',
    )
    expect(code).toBe(0)
    expect(output).toContain('"global-default"')
  })

  it('gives a user who may do nothing the role that opens the console', async () => {
    const before = await reportFor(cluster().nobodyKubeconfig)
    expect(before.user).toBe(NOBODY)
    const allowed = before.results.filter(({ status }) => status === 'allowed').map(({ capability }) => capability)
    // Every authenticated user may read the version.
    expect(allowed).toEqual(['version'])
    const refused = await runCommand('snapshot', '--kubeconfig', cluster().nobodyKubeconfig)
    expect(refused.code).toBe(2)
    expect(refused.output).toBe('')
    expect(refused.told).toMatch(/metrics/)
    expect(refused.told.trim().split('\n')).toHaveLength(1)

    await applyText(before.missingRole ?? '')
    // The role is for reading; the rights for edits are reviewed only for users who can read. The server's authoriser
    // gets new bindings by a watch.
    const unmet = async (): Promise<Capability[]> => {
      const { results } = await reportFor(cluster().nobodyKubeconfig)
      return results.filter(({ status }) => status !== 'allowed').map(({ capability }) => capability)
    }
    await expect.poll(unmet, POLL).toEqual(['dry-run', 'write'])
    expect((await runCommand('snapshot', '--kubeconfig', cluster().nobodyKubeconfig)).code).toBe(0)
  })

  it('offers the viewer a level of its own, which then takes its requests', async () => {
    const before = await reportFor(cluster().viewerKubeconfig)
    expect(before.ownLevel).toContain('kind: PriorityLevelConfiguration')
    await applyText(before.ownLevel ?? '')
    await expect.poll(async () => (await reportFor(cluster().viewerKubeconfig)).ownLevel, POLL).toBeUndefined()
    const { output } = await runCommand('snapshot', '--kubeconfig', cluster().viewerKubeconfig)
    const own = FrameSchema.parse(JSON.parse(output)).servers[0]?.levels.find(({ name }) => name === 'apf-console')
    expect(own?.dispatched).toBeGreaterThan(0)
  })

  it('says in one sentence that a token is not known', async () => {
    const { code, told } = await runCommand('snapshot', '--metrics-url', `${cluster().url}/metrics`)
    expect(code).toBe(2)
    expect(told.trim().split('\n')).toHaveLength(1)
  })
})
