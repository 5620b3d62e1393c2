import { expect, test } from 'vitest'
import { startFakePrometheus } from '../harness/fakePrometheus.ts'
import { runHere } from '../harness/commandHere.ts'
import { metricsPage } from '../harness/hostileServer.ts'

test('several sources in one table: one that cannot be read says so in its row and disturbs no other', async () => {
  const began = Date.now() - 120_000
  const targets = ['prod', 'staging'].map((cluster) => ({
    labels: { job: 'apiserver', instance: '10.0.0.1:6443', cluster },
    intervalMs: 2_000,
    page: (at: number) => (at < began ? undefined : metricsPage({ step: Math.round(at / 1_000) % 100_000 })),
  }))
  const prometheus = await startFakePrometheus(Date.now, () => targets)
  const { code, output } = await runHere(
    'fleet',
    '--demo',
    '--metrics-url',
    'http://127.0.0.1:9/metrics',
    '--prometheus',
    prometheus.url('/'),
    '--seconds',
    '4',
    '--levels',
    '--json',
  )
  await prometheus.close()
  const lines: Record<string, unknown>[] = JSON.parse(output)
  const clusters = lines.filter(({ kind }) => kind === 'cluster')
  expect(clusters.map(({ cluster, servers }) => [cluster, servers])).toEqual(
    expect.arrayContaining([
      ['127.0.0.1:9', 1],
      ['Demo', 1],
    ]),
  )
  expect(clusters).toHaveLength(4)
  expect(clusters.find(({ cluster }) => cluster === '127.0.0.1:9')).toMatchObject({
    state: 'failing',
    problem: expect.stringMatching(/^Nothing listens at 127\.0\.0\.1:9/),
  })
  expect(lines.find(({ cluster, level }) => cluster === 'Demo' && level === 'workload-low')).toMatchObject({
    server: 'demo-apiserver',
    limit: expect.any(Number),
    rejectedPerSecond: expect.any(Number),
  })
  expect(code).toBe(1)
})

test('a search and an order; what they cannot be is said', async () => {
  const { code, output } = await runHere('fleet', '--demo', '--seconds', '2', '--levels', '--search', 'level:system')
  expect(code).toBe(0)
  expect(output).toMatch(/^CLUSTER +SERVERS +STATE/m)
  expect(output).toMatch(/^ {4}system /m)
  expect(output).not.toMatch(/^ {4}workload-low/m)
  for (const [args, said] of [
    [[], /fleet needs sources/],
    [['--demo', '--search', 'wait>soon'], /--search: Write a duration/],
    [['--demo', '--token-file', 'x'], /--token-file goes with --metrics-url or --prometheus/],
    [['--demo', '--sort', 'colour'], /--sort takes worst, name,/],
  ] as const) {
    const wrong = await runHere('fleet', ...args, '--seconds', '1')
    expect(wrong.code, args.join(' ')).not.toBe(0)
    expect(`${wrong.told}${wrong.output}`).toMatch(said)
  }
})
