import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { shellWords } from '../../core/classify/requestText.ts'
import { readFixture } from '../fixtures/load.ts'
import { startCommand, type Finished } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'

const DOCUMENT = fileURLToPath(new URL('../../docs/classify.md', import.meta.url))

/** Fenced blocks of the page, each with the text since the one before. */
const blocksOf = (page: string): readonly { readonly before: string; readonly kind: string; readonly text: string }[] =>
  [...page.matchAll(/([^]*?)^```(\w+)\n([^]*?)^```$/gm)].map(([, before = '', kind = '', text = '']) => ({
    before,
    kind,
    text,
  }))

const page = await readFile(DOCUMENT, 'utf8')
const blocks = blocksOf(page)
const commands = blocks.filter(({ kind }) => kind === 'console').map(({ text }) => text)

const ROW = { user: 'alice', groups: [], method: 'GET', url: '/healthz' }

const TrafficSchema = z.object({
  schemas: z.array(z.object({ schema: z.string(), level: z.string() })),
  flows: z.array(z.object({ distinguisher: z.string(), elsewhere: z.string().optional() })),
})
/** One level for all requests. */
const ONLY = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: everything }
spec: { type: Limited, limited: { nominalConcurrencyShares: 30, limitResponse: { type: Reject } } }
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: { name: all }
spec:
  matchingPrecedence: 1
  priorityLevelConfiguration: { name: everything }
  rules:
    - subjects: [{ kind: Group, group: { name: 'system:authenticated' } }]
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }]
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }]
`

let folder = ''
const file = (name: string): string => join(folder, name)
/** A folder of captures of a real server. */
const captured = (name: string): string => fixture(`captures/v1.36.3/${name}`)
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const StepSchema = z.object({ kind: z.string(), label: z.string(), value: z.number().optional() })
const DumpLineSchema = z.object({ path: z.string(), body: z.string() })
const classify = (...args: readonly string[]): Promise<Finished> => runHere('classify', ...args)
const json = ({ output }: Finished): Record<string, unknown> => JSON.parse(output) as Record<string, unknown>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-classify-'))
  // A block holds the last file named in the text before it.
  for (const { before, text } of blocks) {
    const name = [...before.matchAll(/`([\w-]+\.(?:yaml|json))`/g)].at(-1)?.[1]
    if (name !== undefined && !text.startsWith('$'))
      await writeFile(file(name), text, { flag: 'wx' }).catch(() => undefined)
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('docs/classify.md', () => {
  it.each(commands)('%s', async (block) => {
    const [line = '', ...output] = block.split('\n')
    const words = shellWords(line.replace(/^\$ apf-console classify /, '')) ?? []
    const args = words.map((word) => (/^[\w-]+\.(?:yaml|json)$/.test(word) ? file(word) : word))
    const answer = await classify(...args)
    expect(answer.output).toBe(output.join('\n'))
    expect(answer.code).toBe(0)
  })

  it('has examples, and JSON that is what is printed', async () => {
    expect(commands.length).toBeGreaterThanOrEqual(3)
    const documented = blocks.findLast(({ kind }) => kind === 'json')?.text ?? ''
    const answer = await classify('--request', file('request.json'), '--json')
    expect(answer.code).toBe(0)
    expect(json(answer)).toMatchObject(JSON.parse(documented) as object)
  })
})

describe('apf-console classify', () => {
  it('prints what the issue asks for, and every schema', async () => {
    const user = ['--user', 'system:serviceaccount:default:builder', '--group', 'system:serviceaccounts']
    const answer = json(
      await classify(
        ...user,
        '--verb',
        'create',
        '--url',
        '/api/v1/namespaces/default/pods',
        '--watchers',
        '199',
        '--json',
      ),
    )
    expect(answer).toMatchObject({
      flowSchema: 'service-accounts',
      priorityLevel: 'workload-low',
      distinguisher: 'system:serviceaccount:default:builder',
      flowHash: '6620097910960460477',
      hand: [61, 18, 103, 1, 16, 69],
      seats: { initial: 1, final: 10, additionalLatencyMs: 10 },
    })
    expect(answer['trace']).toHaveLength(11)
    expect(answer['trace']).toMatchObject([
      { flowSchema: 'exempt', matched: false, reason: 'not in group system:masters' },
      { flowSchema: 'probes', matched: false },
      ...Array.from({ length: 6 }, () => ({ matched: false, reason: expect.any(String) })),
      { flowSchema: 'service-accounts', matched: true },
      // The groups that were given are all that the user has.
      { flowSchema: 'global-default', matched: false, reached: false },
      { flowSchema: 'catch-all', matched: false, reached: false },
    ])
  })

  it('estimates as the version does, for the limit of the server', async () => {
    const list = [
      '--user',
      'alice',
      '--url',
      '/api/v1/pods?resourceVersion=1&resourceVersionMatch=Exact',
      '--objects',
      '20000',
      '--object-size',
      '4000',
    ]
    const seats = async (...args: readonly string[]) => json(await classify(...list, ...args, '--json'))['seats']
    expect(await seats('--kube-version', 'v1.33')).toMatchObject({ initial: 8, cap: 8 })
    expect(await seats('--kube-version', 'v1.33', '--server-limit', '6000')).toMatchObject({ initial: 10, cap: 10 })
    expect(await seats('--kube-version', 'v1.36', '--server-limit', '6000')).toMatchObject({ initial: 74, cap: 74 })
  })

  it('takes several files as --config, before other options too', async () => {
    const levels = await readFile(file('levels.yaml'), 'utf8')
    const [level = '', schema = ''] = levels.split('---\n')
    await writeFile(file('only-level.yaml'), level)
    await writeFile(file('only-schema.yaml'), schema)
    const config = ['--config', file('only-level.yaml'), file('only-schema.yaml'), '--with-built-in']
    const url = '/api/v1/namespaces/a/pods'
    const request = ['--user', 'system:serviceaccount:inventory:scanner', '--url', url, '--json']
    expect(json(await classify(...config, ...request))).toMatchObject({ priorityLevel: 'batch' })
    expect(json(await classify(...request, ...config))).toMatchObject({ priorityLevel: 'batch' })
  })

  it('takes objects, counts, version and limit from a source, unless an option names others', async () => {
    const list = ['--user', 'alice', '--url', '/api/v1/configmaps', '--json']
    const scraped = ['--file', captured('mixed.metrics.txt.gz')]
    const step = (kind: string, value: number) => expect.objectContaining({ kind, value })
    const reported = json(await classify(...list, ...scraped, '--file', captured('objects')))
    expect(reported).toMatchObject({
      configuration: { name: '3 files', version: 'v1.36.3' },
      seats: { assumptions: [], steps: expect.arrayContaining([step('objects', 3_052), step('needed', 10)]) },
    })
    // The page is that of a server of 30 seats, and global-default has 20 of 245 shares.
    expect(reported).toMatchObject({ nominalLimit: 3, seats: { width: 1, levelCap: 1 } })
    const limit = json(await classify(...list, ...scraped, '--server-limit', '6000'))
    expect(limit).toMatchObject({ seats: { width: 10 } })
    const count = json(
      await classify(...list, ...scraped, '--server-limit', '6000', '--objects', '7', '--object-size', '9'),
    )
    expect(count).toMatchObject({ seats: { width: 1 } })
    const create = ['--user', 'alice', '--verb', 'create', '--url', '/api/v1/namespaces', '--json']
    const watched = json(await classify(...create, ...scraped))['seats']
    expect(watched).toMatchObject({ assumptions: [], steps: expect.arrayContaining([step('watches', 1)]) })
  })

  it('says whose objects stand in where those of the server’s version are not known', async () => {
    const later = file('later.txt')
    const text = readFixture('captures/v1.36.3/mixed.metrics.txt.gz').toString('utf8')
    await writeFile(later, text.replaceAll('v1.36.3', 'v1.99.0'))
    const { told } = await classify('--user', 'alice', '--url', '/api/v1/pods', '--file', later)
    expect(told).toContain('the built-in objects of v1.37, because those of v1.99.0 are unknown')
  })

  it('takes limit and seats from the dumps of files, and no estimate from their request rows', async () => {
    const crawl = ['--user', 'system:serviceaccount:batch:crawler', '--url', '/api/v1/namespaces/batch/configmaps']
    const seats = async (...files: readonly string[]) => {
      const answer = json(await classify(...crawl, '--json', ...files.flatMap((path) => ['--file', path])))
      return z
        .object({
          nominalLimit: z.number(),
          seats: z.object({ width: z.number(), assumptions: z.string().array(), steps: StepSchema.array() }),
        })
        .parse(answer)
    }
    // A page of a server of 30 seats without the counts of its objects, so that they do not decide the width.
    const lines = readFixture('captures/v1.36.3/mixed.metrics.txt.gz').toString('utf8').split('\n')
    const [bare, dump] = [file('no-counts.txt'), file('dump_requests.txt')]
    await writeFile(
      bare,
      lines.filter((line) => !/resource_size|resource_objects|storage_objects/.test(line)).join('\n'),
    )
    const dumps = readFixture('captures/v1.36.3/waves.dumps.ndjson.gz').toString('utf8').trim().split('\n')
    const held = dumps
      .map((line) => DumpLineSchema.parse(JSON.parse(line)))
      .find(({ path, body }) => path.endsWith('?includeRequestDetails=1') && body.includes(':batch:crawler'))
    await writeFile(dump, held?.body ?? '')

    const unknown = await seats(bare)
    expect(unknown).toMatchObject({ nominalLimit: 13, seats: { width: 1 } })
    expect(unknown.seats.assumptions.join()).toContain('Number and size of configmaps are unknown')

    const seen = await seats(bare, dump)
    expect(seen).toMatchObject({ nominalLimit: 13, seats: { width: 2 } })
    expect(seen.seats.steps[0]).toMatchObject({
      label: expect.stringMatching(/^estimated by the server for \d+ requests like it$/),
      value: 2,
    })
    expect(seen.seats.assumptions.join()).toContain('The server estimated 2 seats')

    // The seats of rows are those of the console's own engine: they prove nothing about the server.
    const audit = await seats(bare, fixture('feeds/audit.jsonl.gz'))
    expect(audit).toEqual(unknown)
  })

  it('takes the objects of files and the counts of a source', async () => {
    const list = ['--user', 'alice', '--url', '/api/v1/configmaps', '--json']
    const given = ['--config', file('levels.yaml'), '--file', captured('mixed.metrics.txt.gz')]
    expect(json(await classify(...list, ...given))).toMatchObject({
      priorityLevel: 'catch-all',
      configuration: { name: `files ${file('levels.yaml')}`, version: 'v1.36.3' },
      seats: { assumptions: [] },
    })
  })

  it('says which seats are not known where a source cannot be read', async () => {
    const { code, told } = await classify(
      '--user',
      'alice',
      '--url',
      '/healthz',
      '--metrics-url',
      'http://127.0.0.1:1/metrics',
    )
    expect({ code, told }).toEqual({ code: 0, told: expect.stringContaining('127.0.0.1:1') })
  })

  it('answers a list by a list, from standard input', async () => {
    const requests = [
      { user: 'alice', groups: ['system:masters'], verb: 'list', url: '/api/v1/pods' },
      { user: 'alice', groups: [], method: 'GET', url: '/%zz' },
    ]
    const running = startCommand('classify', '--request', '-', '--json')
    running.input.end(JSON.stringify(requests))
    expect(await running.ended).toBe(1)
    expect(JSON.parse(running.output())).toMatchObject([
      { flowSchema: 'exempt', flowHash: '0', hand: [] },
      { problem: 'A server answers 400: the path is not properly percent-encoded.' },
    ])
  })

  it('reads lists of the latest version from etcd on request, and on 1.30', async () => {
    const list = ['--user', 'alice', '--url', '/api/v1/pods', '--objects', '300', '--server-limit', '20000']
    const width = async (...more: string[]): Promise<unknown> => json(await classify(...list, ...more, '--json'))
    const seats = (initial: number) => ({ seats: { initial } })
    expect(await width('--kube-version', 'v1.33')).toMatchObject(seats(3))
    expect(await width('--kube-version', 'v1.33', '--no-etcd-progress')).toMatchObject(seats(6))
    expect(await width('--kube-version', 'v1.30')).toMatchObject(seats(6))
  })

  it('classifies every RequestInfo of a log', async () => {
    const running = startCommand('classify', '--request', '-', '--json')
    const logged = (path: string, user: string) =>
      `requestInfo=&request.RequestInfo{IsResourceRequest:true, Path:"${path}", Verb:"list"}, userInfo=&user.DefaultInfo{Name:"${user}", Groups:[]string{"system:authenticated"}}\n`
    running.input.end(logged('/api/v1/nodes', 'system:kube-scheduler') + logged('/api/v1/pods', 'alice'))
    expect(await running.ended).toBe(0)
    expect(JSON.parse(running.output())).toMatchObject([
      { flowSchema: 'kube-scheduler' },
      { flowSchema: 'global-default' },
    ])
    expect(running.told()).toContain('A RequestInfo holds no query')
  })

  it('exits with 1 when a row of the table fails, and when a server would reject the configuration', async () => {
    const table = await classify('--test', file('tests.json'), '--json')
    expect(table.code).toBe(1)
    expect(json(table)).toMatchObject({
      passed: 1,
      failed: 1,
      results: [
        { outcome: 'failed', expected: { flowSchema: 'batch-scanners' }, actual: { flowSchema: 'service-accounts' } },
        { outcome: 'passed' },
      ],
    })
    const broken = file('broken.yaml')
    await writeFile(broken, (await readFile(file('levels.yaml'), 'utf8')).replace('8000', '80000'))
    const answer = await classify('--user', 'alice', '--url', '/healthz', '--config', broken)
    expect(answer.code).toBe(1)
    expect(answer.told).toMatch(/broken\.yaml:\d+:\d+: /)
  })

  it.each<readonly [string, object, string]>([
    ['row', { expects: {} }, 'There is no key "expects" in row 1; did you mean expect?'],
    ['expectation', { expect: { flowschema: 'a', priorityLevel: 'b' } }, 'in row 1.expect; did you mean flowSchema?'],
    ['request', { request: { ...ROW, group: [] } }, 'There is no key "group" in row 1.request; did you mean groups?'],
  ])('refuses a table with a misspelt key in its %s', async (part, over, sentence) => {
    const table = file(`misspelt-${part}.json`)
    await writeFile(table, JSON.stringify([{ request: ROW, ...over }]))
    const { code, told, output } = await classify('--test', table)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(told).toContain(sentence)
    expect(told).toContain(table)
    expect(told.trim().split('\n')).toHaveLength(1)
  })

  it.each<readonly [readonly string[], RegExp]>([
    [[], /classify needs a request/],
    [['--url', '/x'], /--url needs --user/],
    [['--user', 'a', '--url', 'x'], /must begin with a slash/],
    [['--kubectl', 'get widgets'], /"widgets" is not a built-in resource/],
    [['--kubectl', 'get pods', '--url', '/x'], /in one way, not with --kubectl and --url/],
    [['--request', '/nowhere/at/all'], /there is no such file/],
    [['--user', 'a', '--url', '/x', 'file.yaml'], /given as --config file.yaml/],
    [['--test', 'x', '--user', 'a'], /--user does not go with it/],
    [['--user', 'a', '--url', '/x', '--object-size', '5'], /--object-size needs --objects/],
  ])('%j is told in one sentence', async (args, sentence) => {
    const { code, told, output } = await classify(...args)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(told).toMatch(sentence)
    expect(told.trim().split('\n')).toHaveLength(1)
  })
})

describe('--traffic', () => {
  it('lists the schemas with what their requests were, and flows with where other objects send them', async () => {
    const printed = await classify('--traffic', '--demo', '--json')
    expect(printed.code).toBe(0)
    const { schemas, flows } = TrafficSchema.parse(json(printed))
    expect(schemas.map(({ schema }) => schema)).toContain('system-leader-election')
    expect(schemas.find(({ schema }) => schema === 'catch-all')?.level).toBe('catch-all')
    // The built-in objects send it where the server did.
    expect(flows[0]).toEqual({ distinguisher: 'system:serviceaccount:batch:crawler' })
    const text = await classify('--traffic', '--demo')
    expect(text.output).toContain('THESE OBJECTS SEND IT TO')
    const [flow] = flows
    await writeFile(file('only.yaml'), ONLY)
    const other = TrafficSchema.parse(
      json(await classify('--traffic', '--demo', '--config', file('only.yaml'), '--json')),
    )
    expect(other.flows.find((one) => one.distinguisher === flow?.distinguisher)?.elsewhere).toBe('all → everything')
  })

  it('takes no other requests', async () => {
    const refused = await classify('--traffic', '--user', 'alice', '--url', '/healthz')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.told).toContain('--traffic takes the requests of the source; --user does not go with it.')
    expect((await classify('--seconds', '5', '--user', 'a', '--url', '/healthz')).told).toContain(
      '--seconds goes with --traffic.',
    )
  })
})
