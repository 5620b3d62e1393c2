import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GUARD_RAILS, GUARD_SEVERITIES } from '../../core/guard/finding.ts'
import { RECONCILER_PERIOD_SECONDS } from '../../core/guard/reconciler.ts'
import { SYSTEM_GROUPS } from '../../core/guard/systemRequests.ts'
import { readFixture } from '../fixtures/load.ts'
import { runHere } from '../harness/commandHere.ts'

const SeatsSchema = z.looseObject({
  shares: z.number(),
  nominal: z.number(),
  lower: z.number(),
  upper: z.number(),
  maxSeatsPerRequest: z.number(),
  limitNow: z.number().optional(),
})
const LevelSchema = z.looseObject({
  name: z.string(),
  assumedIdle: z.boolean().optional(),
  before: SeatsSchema.nullable(),
  after: SeatsSchema.nullable(),
})
const AnswerSchema = z.looseObject({
  serverLimit: z.number(),
  serverLimitFrom: z.string(),
  configuration: z.object({ name: z.string(), version: z.string() }),
  levels: z.array(LevelSchema),
  guardRails: z.array(z.looseObject({ code: z.string(), severity: z.string(), message: z.string() })),
  confirmations: z.array(z.looseObject({ name: z.string() })),
  errors: z.array(z.looseObject({ file: z.string(), line: z.number(), field: z.string() })),
  allocation: z.looseObject({ before: z.looseObject({ regime: z.string() }) }).optional(),
  servers: z.array(z.looseObject({ id: z.string(), serverLimit: z.number() })).optional(),
})

/** What is printed of an edit that a server rejects. */
const RejectedSchema = AnswerSchema.pick({ configuration: true, errors: true })

const level = (name: string, shares: number): string => `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: ${name} }
spec: { type: Limited, limited: { nominalConcurrencyShares: ${shares}, limitResponse: { type: Reject } } }
`
const schema = (name: string, precedence: number, levelName: string): string => `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: { name: ${name} }
spec:
  matchingPrecedence: ${precedence}
  priorityLevelConfiguration: { name: ${levelName} }
  rules:
    - subjects: [{ kind: Group, group: { name: 'system:nodes' } }]
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }]
`

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-impact-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The path of a file of the test with this text. */
async function file(name: string, text: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

async function rejected(...args: readonly string[]) {
  const { code, output, told } = await runHere('impact', ...args, '--json')
  return { code, told, answer: RejectedSchema.parse(JSON.parse(output)) }
}

async function impact(...args: readonly string[]) {
  const { code, output, told } = await runHere('impact', ...args, '--json')
  return { code, told, answer: AnswerSchema.parse(JSON.parse(output)) }
}

describe('docs/impact.md', () => {
  const doc = readFileSync(new URL('../../docs/impact.md', import.meta.url), 'utf8')
  const [before = '', edit = ''] = [...doc.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const shown: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(doc)?.[1] ?? '')

  it('shows what its command prints, and explains every member', async () => {
    const files = ['--config', await file('before.yaml', before), '--edit', await file('edit.yaml', edit)]
    const { code, told, answer } = await impact(...files, '--server-limit', '300')
    expect({ code, told }).toEqual({ code: 0, told: '' })
    expect(answer.levels).toContainEqual(shown)
    for (const name of Object.keys(answer)) expect(doc, name).toContain(`\`${name}\``)
  })
})

describe('docs/guard-rails.md', () => {
  it('explains every rail and severity', () => {
    const doc = readFileSync(new URL('../../docs/guard-rails.md', import.meta.url), 'utf8')
    for (const rail of GUARD_RAILS) expect(doc).toMatch(new RegExp(`^\\| \`${rail}\` +\\| \\S`, 'm'))
    for (const severity of GUARD_SEVERITIES) expect(doc).toContain(`- **${severity}**: `)
    expect(doc).toContain(`every ${RECONCILER_PERIOD_SECONDS} s.`)
    expect(SYSTEM_GROUPS.flatMap(({ requests }) => requests)).toHaveLength(40)
  })
})

describe('apf-console impact', () => {
  it('compares with the built-in objects when nothing else is given', async () => {
    const edit = await file('small.yaml', level('batch', 10) + '---' + schema('batch', 8_000, 'batch'))
    const { code, told, answer } = await impact('--edit', edit, '--kube-version', 'v1.36.3')
    expect(code).toBe(0)
    expect(told).toContain('the built-in objects of v1.36.3')
    expect([answer.serverLimit, answer.serverLimitFrom]).toEqual([600, 'default'])
    const nominal = answer.levels.map(({ name, before, after }) => [
      name,
      before?.nominal ?? null,
      after?.nominal ?? null,
    ])
    expect(nominal).toContainEqual(['batch', null, 24])
    expect(nominal).toContainEqual(['workload-low', 245, 236])
  })

  it('ends with 1 when a guard rail blocks the edit, and says so for people', async () => {
    const edit = await file('bad.yaml', level('bad', 10) + '---' + schema('grab', 3, 'bad'))
    const { code, answer } = await impact('--edit', edit)
    expect(code).toBe(1)
    expect(answer.guardRails.filter(({ severity }) => severity === 'blocks').map(({ code: rail }) => rail)).toContain(
      'system-traffic/node-heartbeats',
    )
    const text = await runHere('impact', '--edit', edit)
    expect(text.code).toBe(1)
    expect(text.output).toMatch(/^bad \(added\) +10 +24 +\+24 /m)
    expect(text.output).toContain('✗ Node heartbeats: grab sends 3 kinds of requests to bad')
  })

  it('ends with 1 when a server would reject the edit, and names the place', async () => {
    const edit = await file('wrong.yaml', level('wrong', -1))
    const { code, told, answer } = await rejected('--edit', edit)
    expect(code).toBe(1)
    expect(answer.errors).toEqual([
      expect.objectContaining({ line: 5, field: 'spec.limited.nominalConcurrencyShares' }),
    ])
    expect(told).toContain('wrong.yaml:5:')
  })

  it('judges Queue → Reject as kubectl apply does: the queues of a live level stay unless they are written as null', async () => {
    const reject = (response: string): string => level('global-default', 20).replace('{ type: Reject }', response)
    const partial = await rejected('--edit', await file('reject.yaml', reject('{ type: Reject }')))
    expect(partial.code).toBe(1)
    expect(partial.answer.errors).toEqual([
      expect.objectContaining({
        field: 'spec.limited.limitResponse.queuing',
        file: expect.stringMatching(/reject\.yaml$/),
      }),
    ])
    expect(partial.told).toContain('to remove a field, write it as null')
    const cleared = await impact('--edit', await file('cleared.yaml', reject('{ type: Reject, queuing: null }')))
    expect(cleared.answer.errors).toEqual([])
    expect(cleared.code).toBe(0)
    // The files before were applied, so an apply removes fields that the edit leaves out.
    const before = await file('queue.yaml', reject('{ type: Queue, queuing: { queues: 16, handSize: 4 } }'))
    const applied = await impact('--config', before, '--edit', await file('reject.yaml', reject('{ type: Reject }')))
    expect(applied.answer.errors).toEqual([])
  })

  it('computes nothing from an edit that the server rejects', async () => {
    const partial = level('workload-low', 30).replace(/spec:[^]*/, 'spec: { limited: { lendablePercent: 200 } }\n')
    const { code, output, told } = await runHere('impact', '--edit', await file('invalid.yaml', partial))
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(told).toMatch(
      /lendablePercent cannot be 200: set it to a percentage from 0 to 100\.\n.*nothing was computed/,
    )
  })

  it('takes the patch of a kustomization for a part of an object', async () => {
    await mkdir(join(folder, 'prod', 'parts'), { recursive: true })
    const base = await file('base.yaml', level('batch', 20))
    const listings = [
      'patches: [{ path: parts/shares.yaml }]',
      'patchesStrategicMerge: [parts/shares.yaml]',
      'patchesJson6902: [{ path: parts/shares.yaml }]',
    ]
    const patch = await file('prod/parts/shares.yaml', level('batch', 40).replace(/  type:.*\n/, ''))
    for (const listing of listings) {
      await file('prod/kustomization.yaml', `resources: [../base]\n${listing}\n`)
      const { code, output, told } = await runHere('impact', '--config', base, '--edit', patch)
      expect({ code, output }).toEqual({ code: 2, output: '' })
      expect(told).toMatch(/patch of the kustomization in .*prod, .* kustomize build/)
    }
    const whole = await runHere('validate', join(folder, 'prod'))
    expect(whole).toMatchObject({ code: 0, output: expect.stringContaining('note: This is a patch') })
    await file('prod/kustomization.yaml', 'resources: [parts/shares.yaml]\n')
    expect((await runHere('validate', patch)).output).not.toContain('This is a patch')
  })

  it('knows that the server creates the mandatory objects again', async () => {
    const config = await file('all.yaml', level('a', 10))
    const { answer } = await impact('--edit', config, '--whole')
    const removed = answer.levels.filter(({ after }) => after === null).map(({ name }) => name)
    expect(removed).not.toContain('catch-all')
    expect(answer.confirmations.map(({ name }) => name)).not.toContain('catch-all')
  })

  it('reads several files after one option, and takes an edit for the whole', async () => {
    const config = await file('config.yaml', level('a', 10) + '---' + level('b', 10))
    const [one, two] = [await file('one.yaml', level('a', 20)), await file('two.yaml', level('c', 30))]
    const names = (answer: z.infer<typeof AnswerSchema>) =>
      answer.levels.map(({ name, after }) => `${name} ${after?.shares ?? 'gone'}`)
    const some = await impact('--config', config, '--edit', one, two)
    expect(names(some.answer)).toEqual(['a 20', 'b 10', 'c 30', 'catch-all 5', 'exempt 0'])
    const whole = await impact('--config', config, '--edit', one, two, '--whole')
    expect(names(whole.answer)).toEqual(['a 20', 'b gone', 'c 30', 'catch-all 5', 'exempt 0'])
    expect(whole.answer.confirmations.map(({ name }) => name)).toContain('b')
  })

  it('computes present limits from the metrics of a server, which tell its seats and version, too', async () => {
    const page = await file('metrics.txt', readFixture('captures/v1.33.13/mixed-and-lists.metrics.txt.gz'))
    const edit = await file('low.yaml', level('batch', 10) + '---' + schema('batch', 8_000, 'batch'))
    const { answer } = await impact('--edit', edit, '--file', page)
    expect([answer.serverLimit, answer.serverLimitFrom]).toEqual([30, 'server'])
    expect(answer.configuration.version).toBe('v1.33.13')
    const { output } = await runHere('snapshot', '--file', page, '--compact')
    const reported = new Map(
      FrameLevels.parse(JSON.parse(output)).servers[0]?.levels.map((one) => [one.name, one.limits.current]),
    )
    const computed = answer.levels.flatMap(({ name, before }) =>
      before === null ? [] : [[name, before.limitNow] as const],
    )
    expect(new Map(computed)).toEqual(reported)
    expect(answer.allocation).toBeDefined()
    expect(answer.servers).toHaveLength(1)
    // Nothing reports the demand of the new level: its limit is marked, and the reason is below the table.
    expect(answer.levels.filter(({ assumedIdle }) => assumedIdle).map(({ name }) => name)).toEqual(['batch'])
    const text = await runHere('impact', '--edit', edit, '--file', page)
    expect(text.output).toMatch(/^batch \(added\) .* ≈ 2 +\+2$/m)
    expect(text.output).toContain('\n≈ The demand of batch is unknown and counts as 0.')
  })

  it('runs a saved table of requests', async () => {
    const edit = await file('moves.yaml', schema('nodes', 3, 'workload-high'))
    const request = {
      user: 'system:node:n',
      groups: ['system:nodes', 'system:authenticated'],
      method: 'GET',
      url: '/api/v1/pods',
    }
    const table = await file(
      'tests.json',
      JSON.stringify([{ request, expect: { flowSchema: 'system-nodes', priorityLevel: 'system' } }]),
    )
    const { code, answer } = await impact('--edit', edit, '--test', table)
    expect(code).toBe(1)
    expect(answer.guardRails).toContainEqual(
      expect.objectContaining({ code: 'saved-tests/failed', severity: 'blocks' }),
    )
  })

  it.each([
    [[], 'impact needs --edit'],
    [['--edit', '/nowhere/x.yaml'], '/nowhere/x.yaml cannot be read: there is no such file.'],
    [['--edit', 'package.json'], 'package.json'],
    [['--edit', 'package.json', '--server-limit', '0'], '--server-limit takes a whole number from 1'],
    [['--edits', 'x'], 'did you mean --edit?'],
  ])('refuses %j', async (args, sentence) => {
    const { code, output, told } = await runHere('impact', ...args)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(told).toContain(sentence)
  })
})

const FrameLevels = z.object({
  servers: z.array(
    z.object({ levels: z.array(z.object({ name: z.string(), limits: z.object({ current: z.number().optional() }) })) }),
  ),
})
