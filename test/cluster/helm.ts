import { execFile } from 'node:child_process'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { cacheFolder, DEFAULT_VERSION } from './binaries.ts'

const HELM = 'v3.22.0'
const CHART = join(import.meta.dirname, '../../assets/helm/apf-console')

const run = promisify(execFile)

/** The path of a Helm that is built from its module on first use. */
export async function ensureHelm(log: (line: string) => void): Promise<string> {
  const folder = join(dirname(cacheFolder(DEFAULT_VERSION)), 'helm')
  const path = join(folder, HELM)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) return path
  const built = join(folder, `build-${process.pid}`)
  log(`building helm ${HELM}, once; this takes some minutes`)
  try {
    await mkdir(built, { recursive: true })
    await run('go', ['install', '-trimpath', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@${HELM}`], {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOBIN: built },
      maxBuffer: 64 << 20,
    })
    await rename(join(built, 'helm'), path)
    return path
  } finally {
    await rm(built, { recursive: true, force: true })
  }
}

/** The output of Helm about the chart; rejects if it finds a fault. */
export async function lintChart(helm: string, settings: readonly string[], chart = CHART): Promise<string> {
  const { stdout } = await run(helm, ['lint', '--strict', chart, ...settings])
  return stdout
}

const ObjectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).exactOptional() }),
})
export type Manifest = z.infer<typeof ObjectSchema>

export const manifestsIn = (text: string): readonly Manifest[] =>
  parseAllDocuments(text)
    .filter(({ contents }) => contents !== null)
    .map((document) => ObjectSchema.parse(document.toJS()))

/** The objects that Helm makes of the chart for a namespace of its name. */
export async function renderChart(
  helm: string,
  settings: readonly string[],
  chart = CHART,
): Promise<readonly Manifest[]> {
  const words = ['template', 'apf-console', chart, '--namespace', 'apf-console', '--kube-version', DEFAULT_VERSION]
  const { stdout } = await run(helm, [...words, ...settings], { maxBuffer: 16 << 20 })
  return manifestsIn(stdout)
}
