import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureHelm, lintChart, manifestsIn, renderChart, type Manifest } from './helm.ts'
import { ADMIN } from './identities.ts'
import { NAMESPACE, PATHS } from './kubernetesPaths.ts'
import { noCluster, useCluster } from './suite.ts'

const PLAIN = join(import.meta.dirname, '../../assets/kubernetes/apf-console.yaml')

/** Values of the chart, by their purpose. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'as it is': [],
  'a certificate, viewers and several API servers': [
    '--set=tls.secretName=apf-tls,tls.hosts={console.example.com,localhost}',
    '--set=audiences={console},apiServers={https://10.0.0.1:6443,https://10.0.0.2:6443},interval=5,basePath=/tools/apf',
    '--set-json=viewers=[{"kind":"Group","name":"sre","apiGroup":"rbac.authorization.k8s.io"}]',
  ],
  'a volume of its own': ['--set=recordings.persistent=true,recordings.size=20Gi,recordings.storageClassName=fast'],
  'a volume that there is': ['--set=recordings.existingClaim=claim', '--set=image.tag=v1,image.pullPolicy=Always'],
  'a level and a network of another kind': [
    '--set=flowControl.nominalConcurrencyShares=10,flowControl.matchingPrecedence=500',
    '--set-json=networkPolicy={"from":[{"ipBlock":{"cidr":"10.0.0.0/8"}}],"metricsFrom":[]}',
    '--set=resources=null',
  ],
}

/** Labels name what created an object. */
const withoutLabels = (manifest: Manifest) => ({ ...manifest, metadata: { ...manifest.metadata, labels: undefined } })
const byName = (a: Manifest, b: Manifest): number =>
  `${a.kind} ${a.metadata.name}` < `${b.kind} ${b.metadata.name}` ? -1 : 1

describe.skipIf(noCluster)('the Helm chart', () => {
  const cluster = useCluster()
  let helm = ''
  beforeAll(async () => {
    helm = await ensureHelm((line) => console.warn(line))
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }
    await cluster().call('/api/v1/namespaces', ADMIN, { method: 'POST', body: JSON.stringify(namespace) })
  }, 900_000)

  it.each(Object.entries(CHOICES))(
    'with %s has no fault, and the API server takes all of it',
    async (_what, choice) => {
      expect(await lintChart(helm, choice)).toContain('0 chart(s) failed')
      const manifests = await renderChart(helm, choice)
      expect(manifests.length).toBeGreaterThan(8)
      for (const manifest of manifests) {
        const path = PATHS[manifest.kind]
        const answer = await cluster().call(`${path}?fieldValidation=Strict&dryRun=All`, ADMIN, {
          method: 'POST',
          body: JSON.stringify(manifest),
        })
        expect([answer.status, answer.status === 201 ? '' : answer.body], `${manifest.kind} ${path}`).toEqual([201, ''])
      }
    },
  )

  it('is what the plain manifests say', async () => {
    const rendered = await renderChart(helm, [])
    const plain = manifestsIn(await readFile(PLAIN, 'utf8'))
    expect(rendered.toSorted(byName).map(withoutLabels)).toEqual(plain.toSorted(byName).map(withoutLabels))
  })

  it('is refused for a certificate without names', async () => {
    await expect(renderChart(helm, ['--set=tls.secretName=apf-tls'])).rejects.toThrow(/tls\.hosts|name/i)
  })
})
