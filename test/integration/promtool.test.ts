import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { promqlOf } from '../../core/prom/measures.ts'
import { createFilesSource } from '../../main/sources/files.ts'
import { onPath } from '../chromium.mjs'
import { metricsPages, readFixture } from '../fixtures/load.ts'
import { heard } from '../harness/heard.ts'

const hasPromtool = onPath('promtool') !== undefined
if (!hasPromtool) console.log('Without promtool, what it dumps is not compared with the page that it stored.')

/** Sums of series are added up in the order of their labels, which a dump changes: the last digits differ. */
const rounded = (frame: object): unknown =>
  JSON.parse(
    JSON.stringify(frame, (_name, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(12)) : value,
    ),
  )
const run = promisify(execFile)
const MOST_OUTPUT = 64 * 1024 * 1024
const AT = Date.UTC(2026, 10, 20)

async function framesOf(name: string, text: string) {
  const result = await createFilesSource([{ name, text }], { now: () => AT })
  if (!result.ok) throw new Error(result.problem.message)
  const { emit, frames } = heard()
  result.source.start(new AbortController().signal, emit)
  return frames.map(({ id: _id, at: _at, acquisition: _bytes, missing: _missing, ...frame }) => frame)
}

describe.skipIf(!hasPromtool)('promtool', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-promtool-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.each(metricsPages.slice(0, 4))('dumps what was stored of %s, and it reads as the page', async (path) => {
    const page = readFixture(path).toString('utf8')
    // Two targets and two scrapes, with the times and labels that Prometheus adds.
    const samples = page.match(/^[a-z].*$/gm) ?? []
    const stored = ['10.0.0.1:6443', '10.0.0.2:6443'].flatMap((instance) =>
      samples.flatMap((line) =>
        [0, 10].map((later) => {
          const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
          const all = [labels, `instance="${instance}"`, 'job="apiserver"'].filter((part) => part !== '').join(',')
          return `${name}{${all}} ${value} ${AT / 1_000 + later}`
        }),
      ),
    )
    const file = join(folder, 'page.om')
    const blocks = await mkdtemp(join(folder, 'blocks-'))
    await writeFile(file, `${stored.toSorted().join('\n')}\n# EOF\n`)
    await run('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, blocks], { maxBuffer: MOST_OUTPUT })
    await mkdir(join(blocks, 'wal'))
    // Before 2.52, promtool knows only its own format.
    const dump = (command: string) => run('promtool', ['tsdb', command, blocks], { maxBuffer: MOST_OUTPUT })
    const { stdout } = await dump('dump-openmetrics').catch(() => dump('dump'))
    const [expected] = await framesOf('page', page)
    const dumped = await framesOf('dump', stdout)
    expect(dumped).toHaveLength(4)
    for (const frame of dumped) expect(rounded(frame)).toEqual(rounded(expected ?? {}))
  })

  it.each([
    ['lent where there is a pool', 0.5, 12],
    ['withheld, and lent to nobody, without one', 0, 0],
  ])('computes seats that are %s', async (_, fraction, lent) => {
    const P = 'apiserver_flowcontrol_'
    const limits = { a: [20, 10], b: [10, 8], c: [5, 9] }
    const place = { version: 'v1.36.2', matchers: [], intervalMs: 10_000 }
    const samples = (expr: string | undefined, values: readonly (readonly [string, number])[]) => ({
      expr,
      eval_time: '0s',
      exp_samples: values.map(([labels, value]) => ({ labels, value })),
    })
    const tests = {
      evaluation_interval: '10s',
      tests: [
        {
          interval: '10s',
          input_series: [
            { series: `${P}seat_fair_frac{instance="i"}`, values: String(fraction) },
            ...Object.entries(limits).flatMap(([level, [nominal, current]]) => [
              { series: `${P}nominal_limit_seats{instance="i",priority_level="${level}"}`, values: String(nominal) },
              { series: `${P}current_limit_seats{instance="i",priority_level="${level}"}`, values: String(current) },
            ]),
          ],
          promql_expr_test: [
            samples(promqlOf({ measures: 'lent' }, place), [['{instance="i"}', lent]]),
            samples(promqlOf({ measures: 'change', level: 'a' }, place), [
              ['{instance="i", priority_level="a"}', lent === 0 ? 0 : -10],
            ]),
          ],
        },
      ],
    }
    const file = join(folder, 'lent.json')
    await writeFile(file, JSON.stringify(tests))
    const { stdout } = await run('promtool', ['test', 'rules', file])
    expect(stdout).toContain('SUCCESS')
  })
})
