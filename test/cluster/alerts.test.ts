import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runCommand, startCommand, type Running } from '../harness/command.ts'
import { alertChanges } from './alertChanges.ts'
import { cacheFolder, DEFAULT_VERSION } from './binaries.ts'
import { OPERATOR, VIEWER } from './identities.ts'
import { runLoad, type LoadClient } from './load.ts'
import { loads, saturating, trickle, write } from './profiles.ts'
import { seriesSeen, startAlertmanager, startPrometheus, valuesOf, type ScrapingServer } from './prometheusServers.ts'
import { noPrometheus, scrapedCluster } from './scraped.ts'
import { noCluster } from './suite.ts'

/** Six minutes are enough for all rules but R2, R7, R10, R11 and R12; 12 for R2 and R10 as well. */
const MINUTES = Number(process.env['APF_ALERT_MINUTES'] ?? 6)
const SCRAPE_SECONDS = 5
/**
 * Seconds after the end of the load within which an alert is over: the window that its condition looks back on, and the
 * time for which the condition must not hold (docs/alerts.md). R4 ends with smoothed demand, R11 and R12 look back for
 * hours.
 */
const OVER_SECONDS: Readonly<Record<string, number>> = {
  R1: 120 + 60,
  R2: 60 + 120,
  R3: 60 + 60,
  R5: 60,
  R6: 60,
  R9: 300 + 300,
  R10: 120,
}
/** Samples, evaluations, and the delays of Prometheus and Alertmanager before they forward. */
const LATE_SECONDS = 45
/**
 * Prometheus extrapolates rates over a window that is not full (docs/alerts.md): R1 then fires up to its window
 * earlier.
 */
const APART_MS = 150_000
const GRAFANA = join(dirname(fileURLToPath(import.meta.url)), 'grafana')

const PROFILES: Readonly<Record<string, readonly LoadClient[]>> = {
  ...loads,
  trickle,
  saturating: [...saturating, { workers: 60, plan: write(OPERATOR, 2_500) }],
}
/** Names, with commas between them. */
const CHOSEN = (process.env['APF_ALERT_PROFILES'] ?? 'saturating').split(',')

/** From when to when an alert fired, Unix milliseconds; the end is absent while it fires. */
interface Span {
  readonly fired: number
  readonly resolved: number | undefined
}

const RulesSchema = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(z.looseObject({ name: z.string(), health: z.string(), lastError: z.string().optional() })),
      }),
    ),
  }),
})
const AlertsSchema = z.array(
  z.looseObject({
    labels: z.record(z.string(), z.string()),
    receivers: z.array(z.object({ name: z.string() })),
  }),
)
const DashboardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), query: z.string() })) }),
})
const ValuesSchema = z.object({ data: z.array(z.string()) })

const json = async (url: string): Promise<unknown> => (await fetch(url)).json()
const exported = async (folder: string, kind: string, name: string): Promise<string> => {
  const file = join(folder, name)
  const { code, told } = await runCommand(
    'export',
    kind,
    file,
    '--cluster-label',
    'cluster',
    '--interval',
    String(SCRAPE_SECONDS),
    '--kube-version',
    DEFAULT_VERSION,
    ...(kind === 'recording-rules' ? [] : ['--prometheus-label', 'job=apiserver']),
  )
  expect([code, told]).toEqual([0, ''])
  return file
}

describe.skipIf(noCluster || noPrometheus).each(CHOSEN)('%s: exports in the tools that people run', (profile) => {
  const { cluster, folder: folderOf, scrape } = scrapedCluster()
  let [fromMs, overMs, dashboard] = [0, 0, '']
  let prometheus: ScrapingServer | undefined
  let alertmanager: ScrapingServer | undefined
  let watching: Running | undefined
  const url = (): string => prometheus?.url ?? ''

  /** By rule, level and subject; without R8, which the exported rules lack. */
  const consoleSpans = (): ReadonlyMap<string, Span> => {
    const spans = new Map<string, Span>()
    for (const { change, rule, level = '', subject = '', at } of alertChanges(watching?.output() ?? '')) {
      const key = `${rule} ${level} ${subject}`
      const known = spans.get(key)
      if (rule === 'R8') continue
      if (change === 'fired') spans.set(key, { fired: known?.fired ?? Date.parse(at), resolved: undefined })
      else if (known !== undefined) spans.set(key, { ...known, resolved: Date.parse(at) })
    }
    return spans
  }
  const prometheusSpans = async (): Promise<ReadonlyMap<string, Span>> => {
    const labels = ['apf_rule', 'priority_level', 'reason', 'apf_subject']
    const now = Date.now()
    const seen = await seriesSeen(url(), 'ALERTS{alertstate="firing"}', { fromMs, stepSeconds: SCRAPE_SECONDS })
    return new Map(
      seen.map(({ metric, firstMs, lastMs }): [string, Span] => {
        const [rule, level, ...subject] = labels.map((name) => metric[name] ?? '')
        const resolved = now - lastMs > 3_000 * SCRAPE_SECONDS ? lastMs : undefined
        return [`${rule} ${level} ${subject.join('')}`, { fired: firstMs, resolved }]
      }),
    )
  }

  beforeAll(async () => {
    const folder = folderOf()
    const rules = [
      await exported(folder, 'rules', 'rules.yaml'),
      await exported(folder, 'recording-rules', 'more.yaml'),
    ]
    dashboard = await readFile(await exported(folder, 'dashboard', 'dashboard.json'), 'utf8')
    alertmanager = await startAlertmanager(folder, await exported(folder, 'alertmanager', 'alertmanager.yaml'))
    if (alertmanager === undefined) console.warn('Routes are not loaded: prometheus-alertmanager is not installed.')
    const settings = {
      rule_files: rules,
      ...(alertmanager !== undefined && {
        alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager.url).host] }] }] },
      }),
    }
    const { server } = await scrape((target) =>
      startPrometheus(folder, target, SCRAPE_SECONDS, join(folder, 'queries.log'), [], settings),
    )
    prometheus = server
    fromMs = Date.now()
    const interval = ['--interval', String(SCRAPE_SECONDS)]
    watching = startCommand('watch', '--alert', ...interval, '--kubeconfig', cluster().kubeconfig, '--context', VIEWER)
    await runLoad(cluster(), PROFILES[profile] ?? [], MINUTES * 60)
    overMs = Date.now()
  })
  afterAll(async () => {
    watching?.interrupt()
    await watching?.ended
    await alertmanager?.stop()
  })

  it('evaluates every rule without an error', async () => {
    const { data } = RulesSchema.parse(await json(`${url()}/api/v1/rules`))
    const all = data.groups.flatMap(({ rules }) => rules)
    expect(all.length).toBeGreaterThan(20)
    expect(all.filter(({ health }) => health !== 'ok')).toEqual([])
  })

  it('fires the same alerts as the console', async () => {
    const [ofConsole, ofPrometheus] = [consoleSpans(), await prometheusSpans()]
    const now = Date.now()
    const keys = [...new Set([...ofConsole.keys(), ...ofPrometheus.keys()])].toSorted()
    const after = (at: number | undefined): string =>
      at === undefined ? '-' : `${Math.round((at - fromMs) / 1_000)} s`
    const told = (span: Span | undefined): string => `${after(span?.fired)} to ${after(span?.resolved)}`
    console.info(
      [
        `${profile}: alert, console, Prometheus`,
        ...keys.map((key) => `  ${key}: ${told(ofConsole.get(key))}, ${told(ofPrometheus.get(key))}`),
      ].join('\n'),
    )
    const missing = (own: ReadonlyMap<string, Span>, other: ReadonlyMap<string, Span>): string[] =>
      [...own].flatMap(([key, { fired }]) => (now - fired > APART_MS && !other.has(key) ? [key] : []))
    expect(missing(ofConsole, ofPrometheus), 'of the console, and not of Prometheus').toEqual([])
    expect(missing(ofPrometheus, ofConsole), 'of Prometheus, and not of the console').toEqual([])
    for (const [key, { fired, resolved }] of ofConsole) {
      const other = ofPrometheus.get(key)
      if (other === undefined) continue
      expect(Math.abs(fired - other.fired), `${key} fired`).toBeLessThan(APART_MS)
      // One that has just ended in one of the two is about to end in the other.
      expect(Math.abs((resolved ?? now) - (other.resolved ?? now)), `${key} resolved`).toBeLessThan(APART_MS)
    }
    if (profile === 'saturating') expect([...ofConsole.keys()]).toContain('R1 workload-low queue-full')
    if (profile === 'trickle') expect(keys).toEqual([])
  })

  it('reaches the receivers of its severity in Alertmanager', async () => {
    if (alertmanager === undefined) return
    const received = AlertsSchema.parse(await json(`${alertmanager.url}/api/v2/alerts`))
    const receivers = { critical: 'apf-critical', warning: 'apf-warning', info: 'apf-info' }
    for (const { labels, receivers: found } of received) {
      const { severity } = z.object({ severity: z.enum(['critical', 'warning', 'info']) }).parse(labels)
      expect(
        found.map(({ name }) => name),
        JSON.stringify(labels),
      ).toEqual([receivers[severity]])
    }
    if (profile === 'saturating') {
      expect(new Set(received.map(({ labels }) => labels['severity']))).toEqual(new Set(['critical', 'warning']))
    }
    const firing = await valuesOf(url(), 'ALERTS{alertstate="firing"}', ['alertname', 'priority_level', 'reason'])
    const names = new Set(received.map(({ labels }) => labels['alertname']))
    expect([...firing.keys()].filter((key) => !names.has(key.split(' ')[0] ?? ''))).toEqual([])
  })

  it('answers every query of the dashboard', async () => {
    const { panels, templating } = DashboardSchema.parse(JSON.parse(dashboard))
    for (const { query } of templating.list) {
      const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
      if (metric === undefined) continue
      const { data } = ValuesSchema.parse(await json(`${url()}/api/v1/label/${label}/values?match[]=${metric}`))
      expect(data, query).not.toEqual([])
    }
    const empty: string[] = []
    let asked = 0
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        asked++
        const found = await seriesSeen(url(), expr.replaceAll(/\$\w+/g, '.+'), { fromMs, stepSeconds: 15 })
        if (found.length === 0) empty.push(`${title}: ${expr}`)
      }
    }
    console.info(`${asked} queries of ${panels.length} panels asked, ${empty.length} without a series.`)
    // Reasons for which nothing was rejected have no series.
    expect(empty.filter((one) => profile === 'saturating' || !one.startsWith('Rejections'))).toEqual([])
  })

  it('ends every alert after the load, in the console, in Prometheus and in Alertmanager', async () => {
    const secondsOf = (key: string): number | undefined => OVER_SECONDS[key.split(' ')[0] ?? '']
    const due = [...consoleSpans().keys()].filter((key) => secondsOf(key) !== undefined)
    const latest = overMs + 1_000 * (LATE_SECONDS + Math.max(0, ...due.map((key) => secondsOf(key) ?? 0)))
    const isOver = (spans: ReadonlyMap<string, Span>): boolean =>
      due.every((key) => spans.get(key)?.resolved !== undefined)
    const open = async (): Promise<readonly string[]> => {
      if (alertmanager === undefined) return []
      const alerts = AlertsSchema.parse(await json(`${alertmanager.url}/api/v2/alerts?active=true`))
      return alerts.flatMap(({ labels: { apf_rule = '', alertname = '' } }) =>
        secondsOf(apf_rule) === undefined ? [] : [alertname],
      )
    }
    while (Date.now() < latest) {
      if (isOver(consoleSpans()) && isOver(await prometheusSpans()) && (await open()).length === 0) break
      await sleep(2_000)
    }
    const [ofConsole, ofPrometheus] = [consoleSpans(), await prometheusSpans()]
    const ended = (span: Span | undefined): number => ((span?.resolved ?? Infinity) - overMs) / 1_000
    console.info(
      [
        `${profile}: alert, seconds after the load until it was over in the console, in Prometheus`,
        ...due.map((key) => `  ${key}: ${ended(ofConsole.get(key))}, ${ended(ofPrometheus.get(key))}`),
      ].join('\n'),
    )
    for (const key of due) {
      const most = (secondsOf(key) ?? 0) + LATE_SECONDS
      expect(ended(ofConsole.get(key)), `${key} in the console`).toBeLessThan(most)
      expect(ended(ofPrometheus.get(key)), `${key} in Prometheus`).toBeLessThan(most)
    }
    expect(await open()).toEqual([])
  }, 700_000)
})

describe('a dashboard', () => {
  const hasGo = (() => {
    try {
      execFileSync('go', ['version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })()
  if (!hasGo) console.warn("Dashboards are not checked against Grafana's schema: go is not installed.")

  it.runIf(hasGo)("holds to Grafana's schema, of servers old and new", async () => {
    const checker = join(dirname(cacheFolder(DEFAULT_VERSION)), 'grafana-dashboard')
    await mkdir(dirname(checker), { recursive: true })
    await promisify(execFile)('go', ['build', '-o', checker, '.'], { cwd: GRAFANA })
    const folder = await mkdtemp(join(tmpdir(), 'apf-dashboard-'))
    const check = (text: string): { readonly code: number; readonly said: string } => {
      try {
        return { code: 0, said: execFileSync(checker, { input: text, encoding: 'utf8', stdio: 'pipe' }) }
      } catch (thrown) {
        return { code: 1, said: z.looseObject({ stderr: z.string() }).parse(thrown).stderr }
      }
    }
    for (const version of ['v1.29.6', 'v1.33.13', 'v1.36.3']) {
      const file = join(folder, `${version}.json`)
      await runCommand('export', 'dashboard', file, '--cluster-label', 'cluster', '--kube-version', version)
      const text = await readFile(file, 'utf8')
      expect(check(text), version).toEqual({
        code: 0,
        said: expect.stringMatching(/^8 panels, /),
      })
      // It does find faults.
      const board = z.looseObject({}).parse(JSON.parse(text))
      expect(check(JSON.stringify({ ...board, tittle: 'x' })).said).toContain("unexpected field 'tittle'")
      expect(check(JSON.stringify({ ...board, fiscalYearStartMonth: 13 })).said).toContain('must be < 12')
      expect(check(text.replace('"expr":', '"query":')).said).toContain('targets[0].expr: required field is missing')
    }
    await rm(folder, { recursive: true, force: true })
  })
})
