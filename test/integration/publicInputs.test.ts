import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { runHere } from '../harness/commandHere.ts'

/** Small files from public reports that once failed, as `test/fixtures/README.md` describes them; each stands for a kind. */

const input = (name: string): string => join(import.meta.dirname, '../fixtures/inputs', name)

interface Level {
  readonly name: string
  readonly dispatched?: number
  readonly limits: { readonly nominal?: number }
  readonly requests: { readonly executing?: number; readonly queued?: number }
  readonly schemas: readonly { readonly wait?: { readonly count: number } }[]
}
interface Frame {
  readonly source: { readonly via: string }
  readonly servers: readonly { readonly version?: string; readonly levels: readonly Level[] }[]
}
async function frameOf(name: string): Promise<Frame> {
  const { code, output, told } = await runHere('snapshot', '--compact', '--file', input(name))
  expect([code, code === 0 ? '' : told]).toEqual([0, ''])
  return JSON.parse(output) as Frame
}

describe('classify', () => {
  test.each<readonly [string, readonly string[], RegExp]>([
    [
      'a list on 1.30 as a read from etcd',
      [
        '--user',
        'system:serviceaccount:a:b',
        '--url',
        '/api/v1/pods',
        '--objects',
        '300',
        '--kube-version',
        'v1.30',
        '--server-limit',
        '20000',
      ],
      /^Width +6 seats[^]*the latest version comes from etcd/m,
    ],
    [
      'a verb in capitals',
      [
        '--user',
        'alice',
        '--verb',
        'LIST',
        '--url',
        '/api/v1/pods',
        '--config',
        input('lists.yaml'),
        '--with-built-in',
      ],
      /^lists → workload-low$/m,
    ],
    [
      'a verb in capitals in a file',
      ['--request', input('uppercase-verb.json'), '--config', input('lists.yaml'), '--with-built-in'],
      /^lists → workload-low$/m,
    ],
    [
      'a sorted list of kubectl without a limit',
      [
        '--user',
        'alice',
        '--kubectl',
        'get events -A --sort-by=.lastTimestamp',
        '--objects',
        '20000',
        '--object-size',
        '900',
        '--kube-version',
        'v1.36',
      ],
      /^alice {2}GET \/api\/v1\/events(?!.*limit)[^]*^Width +8 seats/m,
    ],
    [
      'a copy of kubectl as an exec',
      ['--user', 'alice', '--kubectl', 'cp team-a/web-0:/data/x ./x'],
      /^alice {2}GET \/api\/v1\/namespaces\/team-a\/pods\/web-0\/exec$/m,
    ],
  ])('takes %s', async (_name, words, expected) => {
    const { code, output } = await runHere('classify', ...words)
    expect(output).toMatch(expected)
    expect(code).toBe(0)
  })
})

describe('an edit', () => {
  it.each(['impact', 'forecast'])('that a server refuses moves nothing in %s', async (command) => {
    const source = command === 'forecast' ? ['--demo'] : []
    const { code, output, told } = await runHere(command, ...source, '--edit', input('invalid-edit.yaml'))
    expect([code, output]).toEqual([1, ''])
    expect(told).toMatch(/invalid-edit\.yaml:4:37: spec\.limited\.lendablePercent cannot be 200.*nothing was computed/s)
  })

  it('that is the patch of an overlay is not judged alone', async () => {
    const [config, edit] = [input('overlay/base'), input('overlay/prod/shares.yaml')]
    const { code, output, told } = await runHere('impact', '--config', config, '--edit', edit)
    expect([code, output]).toEqual([2, ''])
    expect(told).toMatch(/patch of the kustomization .*build it with kustomize build/)
  })
})

describe('validate', () => {
  it('notes what is to be built, and has no errors of an overlay', async () => {
    const { code, output } = await runHere('validate', input('overlay'))
    expect(code).toBe(0)
    expect(output).toMatch(/note: This is a patch .*kubectl kustomize.*^0 errors, 0 warnings in 1 flow-control/ms)
  })

  it('does not speak of waiting where the level rejects', async () => {
    const { output } = await runHere('validate', input('jail-reject.yaml'))
    expect(output).toContain('unless its requests are meant to be rejected')
    expect(output).not.toMatch(/meant to wait/)
  })

  it.each(['helm-template.yaml', 'helm-value.yaml'])('says in one sentence that %s is a template', async (name) => {
    const { code, output } = await runHere('validate', input(name))
    expect(code).toBe(1)
    expect(output.match(/error:.*/g)).toEqual([
      expect.stringMatching(/^error: This is a Helm template, not a manifest: render it first/),
    ])
  })
})

describe('snapshot of a page', () => {
  it('without types has its histograms', async () => {
    const { servers } = await frameOf('no-type-lines.txt')
    expect(servers[0]?.levels[0]?.schemas[0]?.wait?.count).toBe(9)
  })

  it('of two servers has both', async () => {
    const { servers } = await frameOf('two-servers.txt')
    expect(servers.map(({ levels }) => levels[0]?.dispatched)).toEqual([1_000, 7])
  })

  it('in OpenMetrics has its counters', async () => {
    expect((await frameOf('openmetrics.txt')).servers[0]?.levels[0]?.dispatched).toBe(1_000)
  })

  it('in UTF-16 is read', async () => {
    expect((await frameOf('utf16-page.txt')).servers[0]?.levels[0]?.requests.executing).toBe(3)
  })

  it('that the server refused says so, and shows nothing', async () => {
    const { code, output, told } = await runHere('snapshot', '--file', input('status-403.txt'))
    expect([code, output]).toEqual([2, ''])
    expect(told).toMatch(/403 Forbidden: forbidden: User "viewer" cannot get path "\/metrics"/)
  })

  it('or a dump of 1.20 is read', async () => {
    const { servers } = await frameOf('levels-1.20.txt')
    expect(servers[0]?.levels).toMatchObject([
      { name: 'global-default', limits: {}, requests: { executing: 3, queued: 7 } },
      { name: 'workload-low', requests: { executing: 0, queued: 0 } },
    ])
  })

  it('in a folder with a log below is read with it', async () => {
    expect((await frameOf('must-gather')).source.via).toBe('one undated page, 1 request of logs')
  })
})

describe('a page of three families', () => {
  test.each([
    ['diagnose', 1],
    ['advise', 0],
    ['classify', 0],
  ] as const)('is answered by %s without waiting, and without what it lacks', async (command, exit) => {
    const words = command === 'classify' ? ['--traffic'] : command === 'advise' ? ['--seconds', '20'] : []
    const began = performance.now()
    const { code, output } = await runHere(command, ...words, '--file', input('three-families.txt'))
    expect(performance.now() - began).toBeLessThan(60_000)
    expect(code).toBe(exit)
    expect(output).not.toMatch(/inqueue|--seconds|epoch_advance/)
  })
})

describe('audit events', () => {
  it('in pretty JSON are two requests of an unknown version, not an idle server', async () => {
    const { source, servers } = await frameOf('events-pretty.json')
    expect(source.via).toBe('2 requests of logs')
    expect(servers[0]?.version).toBe(undefined)
    expect(servers[0]?.levels.reduce((sum, { dispatched = 0 }) => sum + dispatched, 0)).toBe(2)
  })

  it.each(['eventlist.json', 'cloudwatch-filter.json', 'cloudwatch-tail.log', 'fluent-bit.log', 'events-pretty.json'])(
    '%s are two requests of a feed',
    async (name) => {
      const { code, output } = await runHere('feed', '--audit-file', input(name), '--once')
      expect(output).toMatch(/^2 requests: 2 dispatched, (?!.*could not be read)/m)
      expect(code).toBe(0)
    },
  )

  it('without their times fail with the last reason and its line', async () => {
    const { code, output } = await runHere('feed', '--audit-file', input('no-stage-times.log'), '--once')
    expect(output).toMatch(/^No requests .*; 2 records could not be read\.$/m)
    expect(output).toMatch(/Line 2: .* has no readable requestReceivedTimestamp or stageTimestamp/)
    expect(code).toBe(1)
  })
})

test.each(['request-log-timestamps.log', 'request-log-journal.log'])('%s is two requests', async (name) => {
  const { code, output } = await runHere('feed', '--httplog', input(name), '--once')
  expect(output).toMatch(/^2 requests: 2 dispatched/m)
  expect(code).toBe(0)
})

test.each([
  ['merge-keys', /^apf-console: Nothing listens at 127\.0\.0\.1:1;/m],
  ['yes', /^apf-console: Nothing listens at 127\.0\.0\.1:1;/m],
  ['utf16', /^apf-console: Nothing listens at 127\.0\.0\.1:1;/m],
  ['socks', /^apf-console: Nothing listens at the proxy 127\.0\.0\.1:1 of the kubeconfig;/m],
])('the kubeconfig with %s is read as kubectl reads it', async (name, sentence) => {
  const file = input(`kubeconfig-${name}.yaml`)
  const { code, output, told } = await runHere('snapshot', '--kubeconfig', file, '--timeout', '60')
  expect([code, output]).toEqual([2, ''])
  expect(told).toMatch(sentence)
})
