import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { ADMIN } from '../cluster/identities.ts'
import { makePki } from '../cluster/pki.ts'

/** An admission webhook that allows all creations of ConfigMaps in a namespace after a while; it ends with the process. */
export async function slowWebhook(cluster: Cluster, namespace: string, delayMs: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'apf-webhook-'))
  const pki = await makePki(folder)
  const [key, cert, ca] = await Promise.all([pki.serverKey, pki.serverCert, pki.ca].map((file) => readFile(file)))
  await rm(folder, { recursive: true, force: true })
  const server = createServer({ key, cert }, (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const [uid] = /(?<="uid":")[^"]+/.exec(body) ?? ['']
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } }
      setTimeout(() => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(review))
      }, delayMs)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  server.unref()
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has this address
  const { port } = server.address() as AddressInfo
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'image-policy' },
    webhooks: [
      {
        name: 'image-policy.example.com',
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: ca?.toString('base64') },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        timeoutSeconds: 10,
        admissionReviewVersions: ['v1'],
      },
    ],
  }
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  const { status, body } = await cluster.call(path, ADMIN, { method: 'POST', body: JSON.stringify(configuration) })
  if (status > 299) throw new Error(`${status} ${body}`)
}
