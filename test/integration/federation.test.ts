import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFilesSource } from '../../main/sources/files.ts'
import { freePort, startServer } from '../cluster/process.ts'
import { whyNoPrometheus } from '../cluster/prometheusServers.ts'
import { metricsPages, readFixture } from '../fixtures/load.ts'
import { heard } from '../harness/heard.ts'
import { answerPage, startHostileServer } from '../harness/hostileServer.ts'

const reason = whyNoPrometheus()
if (reason !== undefined) console.warn(`The federation of a real Prometheus is not tested: ${reason}.`)

const MATCH =
  '{__name__=~"apiserver_(flowcontrol|current|longrunning|storage|resource|request|init)_.+|process_start_time_seconds|kubernetes_build_info"}'
const AT = Date.UTC(2026, 10, 20)

/** What was read of each server, in the order of their starts; sums are added up in the order of labels. */
async function serversIn(name: string, text: string) {
  const result = await createFilesSource([{ name, text }], { now: () => AT })
  if (!result.ok) throw new Error(result.problem.message)
  const { emit, frames } = heard()
  result.source.start(new AbortController().signal, emit)
  const rounded = (_name: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value
  return frames
    .map(({ id: _id, at: _at, acquisition: _bytes, missing: _missing, ...frame }) => frame)
    .toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0))
    .map((frame): unknown => JSON.parse(JSON.stringify(frame, rounded)))
}

describe.skipIf(reason !== undefined)('the federation of a running Prometheus', () => {
  const closing: (() => Promise<unknown>)[] = []
  const pages: string[] = []
  const federated: string[] = []

  /** A Prometheus that scrapes; its page of federation, once it has all servers. */
  const scrape = async (name: string, job: object): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'apf-federation-'))
    closing.unshift(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'prometheus.yml')
    const global = { scrape_interval: '3s', scrape_timeout: '3s' }
    await writeFile(file, JSON.stringify({ global, scrape_configs: [{ job_name: name, ...job }] }))
    const port = await freePort()
    const data = join(folder, 'data')
    const options = [`--config.file=${file}`, `--storage.tsdb.path=${data}`, `--web.listen-address=127.0.0.1:${port}`]
    const server = startServer('prometheus', 'prometheus', options, folder)
    closing.unshift(() => server.stop())
    const url = `127.0.0.1:${port}`
    await vi.waitFor(
      async () => {
        const text = await (await fetch(`http://${url}/federate?match[]=${encodeURIComponent(MATCH)}`)).text()
        if (text.match(/^process_start_time_seconds/gm)?.length !== 2) throw new Error('It has not scraped both yet.')
        federated.push(text)
      },
      { timeout: 60_000, interval: 500 },
    )
    return url
  }

  beforeAll(async () => {
    const targets: string[] = []
    for (const name of metricsPages.slice(6, 8)) {
      pages.push(readFixture(name).toString('utf8'))
      const server = await startHostileServer({ behaviour: answerPage(() => readFixture(name).toString('utf8')) })
      closing.push(() => server.close())
      targets.push(new URL(server.url()).host)
    }
    const first = await scrape('apiserver', { static_configs: [{ targets }] })
    const above = {
      metrics_path: '/federate',
      params: { 'match[]': [MATCH] },
      static_configs: [{ targets: [first] }],
    }
    await scrape('above', { ...above, honor_labels: true })
    await scrape('above', { ...above, honor_labels: false })
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  it.each(['itself', 'with honor_labels', 'without honor_labels'])('%s has the numbers of the pages', async (name) => {
    const text = federated[['itself', 'with honor_labels', 'without honor_labels'].indexOf(name)] ?? ''
    const direct = await Promise.all(pages.map((page) => serversIn('page', page)))
    const expected = direct.flat().toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
    const read = await serversIn('federate', text)
    expect(read.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(expected)
  })
})
