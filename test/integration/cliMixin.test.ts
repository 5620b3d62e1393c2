import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { createAlertWatch } from '../../core/alerts/watch.ts'
import { createDeriver } from '../../core/frame/derive.ts'
import { histogramOf, levelFrame, schemaFrame, serverFrame } from '../fixtures/frames.ts'
import { runHere } from '../harness/commandHere.ts'

const run = promisify(execFile)
const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const [hasPromtool, hasAmtool] = ['promtool', 'amtool'].map(isInstalled)
if (hasPromtool !== true) console.info('Rules are not checked: promtool is not installed (apt-get install prometheus).')
if (hasAmtool !== true)
  console.info('Routes are not checked: amtool is not installed (apt-get install prometheus-alertmanager).')

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-mixin-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function written(kind: string, ...options: readonly string[]): Promise<string> {
  const file = join(folder, `${kind}.yaml`)
  const { code, told } = await runHere('export', kind, file, '--force', ...options)
  expect([code, told]).toEqual([0, ''])
  return file
}

it('prints the same text as it writes, and names what is wrong', async () => {
  const file = await written('rules')
  expect((await runHere('export', 'rules')).output).toBe(await readFile(file, 'utf8'))
  expect((await runHere('export', 'rules', file)).code).toBe(2)
  expect((await runHere('export', 'rule')).told).toContain('export needs a recording and the file to write')
  expect((await runHere('export', 'rules', '--cluster-label', 'a b')).told).toContain('--cluster-label takes the name')
  const labelled = ['--label', 'release=prom', '--label', 'example.com/team=a']
  expect((await runHere('export', 'prometheusrule', ...labelled)).output).toContain(
    'labels:\n    release: prom\n    example.com/team: a\n',
  )
  for (const kind of ['rules', 'mixin'])
    expect((await runHere('export', kind, ...labelled)).told).toContain('--label takes NAME=VALUE')
  expect((await runHere('export', 'prometheusrule', '--label', 'release=a b')).told).toContain(
    '--label takes NAME=VALUE',
  )
  expect((await runHere('export', 'dashboard', ...labelled)).told).toContain(
    '--label goes with export rules, prometheusrule, mixin alone.',
  )
  expect((await runHere('export', 'rules', '--kube-version', 'v1.10')).told).toContain('v1.29 to v1.37')
})

describe.runIf(hasPromtool)('promtool', () => {
  it.each([
    ['v1.29', []],
    ['v1.36.3', ['--cluster-label', 'cluster', '--prometheus-label', 'job=apiserver', '--interval', '15']],
    ['v1.37', ['--instance-label', 'node']],
  ])('accepts the rules of %s', async (version, options) => {
    const files = await Promise.all(
      ['rules', 'recording-rules'].map((kind) => written(kind, '--kube-version', version, ...options)),
    )
    const operator: unknown = parse(await readFile(await written('prometheusrule', '--kube-version', version), 'utf8'))
    expect(operator).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule' })
    const { stdout, stderr } = await run('promtool', ['check', 'rules', ...files])
    expect(stderr).toBe('')
    expect(stdout.match(/SUCCESS/g)).toHaveLength(2)
  })

  it('fires for waits as the console does', async () => {
    await written('rules', '--interval', '15')
    const labels = 'instance="a",priority_level="workload-low",flow_schema="s"'
    const wait = (suffix: string, values: string) => ({
      series: `apiserver_flowcontrol_request_wait_duration_seconds_${suffix}`.replace(
        '{',
        `{${labels},execute="true",`,
      ),
      values,
    })
    const tests = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '15s',
      tests: [
        {
          interval: '15s',
          input_series: [
            wait('bucket{le="0.1"}', '0+42x250'),
            wait('bucket{le="+Inf"}', '0+60x250'),
            wait('count{}', '0+60x250'),
            { series: `apiserver_flowcontrol_dispatched_requests_total{${labels}}`, values: '0+60x250' },
          ],
          promql_expr_test: [58, 61].map((minutes) => ({
            expr: 'count by (alertname, apf_subject, severity) (ALERTS{alertstate="firing"})',
            eval_time: `${minutes}m`,
            exp_samples:
              minutes < 60
                ? []
                : [{ labels: '{alertname="APFErrorBudgetBurn",apf_subject="wait-fast",severity="warning"}', value: 1 }],
          })),
        },
      ],
    }
    const file = join(folder, 'tests.yaml')
    await writeFile(file, stringify(tests))
    expect((await run('promtool', ['test', 'rules', file])).stdout).toContain('SUCCESS')

    const watch = createAlertWatch()
    const derive = createDeriver('a')
    const fired = Array.from({ length: 61 * 4 + 1 }, (_, step) =>
      serverFrame(step * 15, [waitingAt(step)], { id: 'a' }),
    )
      .flatMap((frame) => watch.take(frame, derive(frame)))
      .map(({ alert }) => [alert.subject, alert.severity])
    expect(fired).toEqual([['wait-fast', 'warning']])
  })

  it('fires as the console does', async () => {
    await written('rules', '--interval', '15')
    const series = (name: string, labels: string, values: string) => ({
      series: `apiserver_flowcontrol_${name}{instance="a",${labels}}`,
      values,
    })
    const low = 'priority_level="workload-low"'
    const tests = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '15s',
      tests: [
        {
          interval: '15s',
          input_series: [
            series('rejected_requests_total', `${low},flow_schema="s",reason="queue-full"`, '0+15x250'),
            series('dispatched_requests_total', `${low},flow_schema="s"`, '0+60x250'),
            series('current_limit_seats', low, '20x250'),
            series('upper_limit_seats', low, '20x250'),
            series('demand_seats_smoothed', low, '30x250'),
            series('nominal_limit_seats', low, '20x250'),
          ],
          promql_expr_test: Object.entries(FIRING).map(([minutes, names]) => ({
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: `${minutes}m`,
            exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
          })),
        },
      ],
    }
    const file = join(folder, 'tests.yaml')
    await writeFile(file, stringify(tests))
    const { stdout } = await run('promtool', ['test', 'rules', file])
    expect(stdout).toContain('SUCCESS')

    const watch = createAlertWatch()
    const derive = createDeriver('a')
    const firing = new Map<string, readonly string[]>()
    for (let step = 0; step <= 61 * 4; step++) {
      const frame = serverFrame(step * 15, [levelAt(step)], { id: 'a' })
      watch.take(frame, derive(frame))
      firing.set(String(step / 4), [...new Set(watch.alerts.map(({ name }) => name))].toSorted())
    }
    for (const [minutes, names] of Object.entries(FIRING)) expect(firing.get(minutes), minutes).toEqual(names)
  })
})

/** A level in which three of ten requests wait longer than 100 ms, at its scrapes 15 s apart. */
const waitingAt = (step: number) =>
  levelFrame('workload-low', [
    schemaFrame('s', { dispatched: step * 60, wait: histogramOf([0.1, 1], [step * 42, step * 18, 0]) }),
  ])

/** The level of the series above at its scrapes, 15 s apart. */
const levelAt = (step: number) =>
  levelFrame(
    'workload-low',
    [
      schemaFrame('s', {
        dispatched: step * 60,
        rejected: { 'queue-full': step * 15, 'concurrency-limit': 0, 'time-out': 0 },
      }),
    ],
    {
      limits: { nominal: 20, lower: undefined, upper: 20, current: 20 },
      demand: { highWatermark: undefined, average: undefined, stdev: undefined, smoothed: 30, target: undefined },
    },
  )

/** Alerts that fire after so many minutes of one rejection a second in a level that is at its maximum. */
const FIRING: Readonly<Record<string, readonly string[]>> = {
  2: [],
  4: ['APFRequestsRejected'],
  6: ['APFAtMaximumStillShort', 'APFRequestsRejected'],
  61: ['APFAtMaximumStillShort', 'APFErrorBudgetBurn', 'APFRequestsRejected'],
}

it.runIf(hasAmtool)('amtool accepts the routes', async () => {
  const { stdout } = await run('amtool', ['check-config', await written('alertmanager', '--cluster-label', 'cluster')])
  expect(stdout).toContain('SUCCESS')
})
