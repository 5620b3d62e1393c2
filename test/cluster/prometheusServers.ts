import { execFile, execFileSync } from 'node:child_process'
import { access, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { cacheFolder, DEFAULT_VERSION } from './binaries.ts'
import { freePort, startServer } from './process.ts'

/** A real Prometheus, or a real VictoriaMetrics, that scrapes one target. */
export interface ScrapingServer {
  readonly url: string
  readonly stop: () => Promise<void>
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Why there is no Prometheus; `undefined` where there is one. */
export function whyNoPrometheus(): string | undefined {
  try {
    execFileSync('prometheus', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'prometheus is not installed (apt-get install prometheus)'
  }
}

/** Scrapes `host:port` over plain HTTP; the log of queries is a line of JSON each. */
const configuration = (target: string, seconds: number, queryLog?: string, settings: object = {}): string =>
  JSON.stringify({
    ...settings,
    global: {
      scrape_interval: `${seconds}s`,
      scrape_timeout: `${seconds}s`,
      ...(queryLog !== undefined && { query_log_file: queryLog }),
      ...('rule_files' in settings && { evaluation_interval: `${seconds}s` }),
    },
    scrape_configs: [
      { job_name: 'apiserver', static_configs: [{ targets: [target], labels: { cluster: 'apf-kube' } }] },
    ],
  })

export async function startPrometheus(
  folder: string,
  target: string,
  seconds: number,
  queryLog: string,
  more: readonly string[] = [],
  settings: object = {},
): Promise<ScrapingServer> {
  const own = join(folder, `prometheus-${seconds}`)
  await mkdir(own, { recursive: true })
  const file = join(own, 'prometheus.yml')
  await writeFile(file, configuration(target, seconds, queryLog, settings))
  const port = await freePort()
  const server = startServer(
    'prometheus',
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(own, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      ...more,
    ],
    own,
  )
  return ready(`http://127.0.0.1:${port}`, '/-/ready', server)
}

/**
 * One that scrapes nothing and has the blocks of `data`; its log of queries is `folder`/queries.log. It answers below a
 * path prefix, as those behind a gateway do.
 */
export async function startPrometheusOn(folder: string, data: string, prefix = '/prometheus'): Promise<ScrapingServer> {
  const file = join(folder, 'prometheus.yml')
  await writeFile(file, JSON.stringify({ global: { query_log_file: join(folder, 'queries.log') } }))
  const port = await freePort()
  const server = startServer(
    'prometheus',
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      `--web.route-prefix=${prefix}`,
    ],
    folder,
  )
  return ready(`http://127.0.0.1:${port}${prefix}`, '/-/ready', server)
}

const VectorSchema = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
})

/** The values of an instant query, by the label values of their series. */
export async function valuesOf(
  url: string,
  query: string,
  labels: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query }) })
  const body = await answer.text()
  if (!answer.ok) throw new Error(`${query}: ${body}`)
  const { data } = VectorSchema.parse(JSON.parse(body))
  return new Map(
    data.result.map(({ metric, value }) => [labels.map((name) => metric[name] ?? '').join(' '), Number(value[1])]),
  )
}

const MatrixSchema = z.object({
  data: z.object({
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), values: z.array(z.tuple([z.number(), z.string()])) }),
    ),
  }),
})

/** A series, and when it had its first and its last value; Unix milliseconds. */
interface Seen {
  readonly metric: Readonly<Record<string, string>>
  readonly firstMs: number
  readonly lastMs: number
}

/** Every series that a query has had since. */
export async function seriesSeen(
  url: string,
  query: string,
  { fromMs, stepSeconds }: { readonly fromMs: number; readonly stepSeconds: number },
): Promise<readonly Seen[]> {
  const seconds = (ms: number): string => String(Math.floor(ms / 1_000))
  const body = new URLSearchParams({
    query,
    start: seconds(fromMs),
    end: seconds(Date.now()),
    step: String(stepSeconds),
  })
  const answer = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${query}: ${text}`)
  return MatrixSchema.parse(JSON.parse(text)).data.result.flatMap(({ metric, values }) => {
    const [first, last] = [values[0], values.at(-1)]
    return first === undefined || last === undefined
      ? []
      : [{ metric, firstMs: first[0] * 1_000, lastMs: last[0] * 1_000 }]
  })
}

/** A real Alertmanager with a file of routes; `undefined` where it is not installed. */
export async function startAlertmanager(folder: string, routes: string): Promise<ScrapingServer | undefined> {
  const program = 'prometheus-alertmanager'
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const port = await freePort()
  const server = startServer(
    'alertmanager',
    program,
    [
      `--config.file=${routes}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    folder,
  )
  return ready(`http://127.0.0.1:${port}`, '/-/ready', server)
}

export async function startVictoriaMetrics(
  folder: string,
  target: string,
  seconds: number,
  path: string,
): Promise<ScrapingServer> {
  const own = join(folder, `victoria-metrics-${seconds}`)
  await mkdir(own, { recursive: true })
  const file = join(own, 'scrape.yml')
  await writeFile(file, configuration(target, seconds))
  const port = await freePort()
  const server = startServer(
    'victoria-metrics',
    path,
    [`-promscrape.config=${file}`, `-storageDataPath=${join(own, 'data')}`, `-httpListenAddr=127.0.0.1:${port}`],
    own,
  )
  return ready(`http://127.0.0.1:${port}`, '/health', server)
}

async function ready(url: string, path: string, server: ReturnType<typeof startServer>): Promise<ScrapingServer> {
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline) {
    const ended = await server.ended()
    if (ended !== undefined) throw new Error(ended)
    const answer = await fetch(url + path).catch(() => undefined)
    if (answer?.ok === true) return { url, stop: () => server.stop() }
    await sleep(100)
  }
  await server.stop()
  throw new Error(`${url} was not ready in time`)
}

const VICTORIA_METRICS = 'github.com/VictoriaMetrics/VictoriaMetrics@v0.0.0-20250718125606-9d9bea03485e'

/** The path of a VictoriaMetrics that is built on first use; the reason where it cannot be. */
export async function ensureVictoriaMetrics(): Promise<{ readonly path: string } | { readonly reason: string }> {
  const path = join(dirname(cacheFolder(DEFAULT_VERSION)), 'victoria-metrics')
  if (await exists(path)) return { path }
  const source = `${path}-source-${process.pid}`
  const run = promisify(execFile)
  try {
    const { stdout } = await run('go', ['mod', 'download', '-json', VICTORIA_METRICS])
    const found: unknown = JSON.parse(stdout)
    if (typeof found !== 'object' || found === null || !('Dir' in found)) throw new Error('the module has no folder')
    // Its go.mod replaces modules, which `go install` refuses; the cache is read-only.
    await cp(String(found.Dir), source, { recursive: true })
    await run('chmod', ['-R', 'u+w', source])
    await run('go', ['build', '-mod=mod', '-o', `${path}-${process.pid}`, './app/victoria-metrics'], {
      cwd: source,
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
      maxBuffer: 64 << 20,
    })
    await rename(`${path}-${process.pid}`, path)
    return { path }
  } catch (error) {
    return {
      reason: `VictoriaMetrics cannot be built: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`,
    }
  } finally {
    await rm(source, { recursive: true, force: true })
  }
}
