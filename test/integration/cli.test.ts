import { createServer, type Server } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeriver } from '../../core/frame/derive.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import { FrameSchema, type Frame, type ServerFrame } from '../../core/frame/frame.ts'
import { levelStates, troubleOf, type LevelState } from '../../core/frame/recent.ts'
import { COVERED_MINORS, isCovered } from '../../core/metrics/versions.ts'
import { HELP } from '../../main/cli/help.ts'
import { rosterRows } from '../../renderer/app/shell.data.ts'
import { levelRows } from '../../core/verdict/levelRows.ts'
import { captureVersions, readFixture } from '../fixtures/load.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { openLiveConsole } from '../harness/live.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/captures/${path}`, import.meta.url))
const EXEC_API = 'client.authentication.k8s.io/v1'
const BELOW = /^apf-console: The credential plugin .* is not installed.*\napf-console: {3}Install it\.\n$/
const parse = (output: string): Frame => FrameSchema.parse(JSON.parse(output))

describe('apf-console snapshot --file', () => {
  it.each(captureVersions)('reads the page of a %s server at rest', async (version) => {
    const { code, output, told } = await runHere('snapshot', '--file', fixture(`${version}/idle/metrics.txt.gz`))
    expect({ code, told }).toEqual({ code: 0, told: '' })
    const frame = parse(output)
    expect(frame.source.kind).toBe('file')
    const [server] = frame.servers
    expect(server?.version).toBe(version)
    const names = server?.levels.map(({ name }) => name) ?? []
    expect(names).toEqual(names.toSorted())
    expect(names).toContain('workload-low')
    // A server at rest has every value: what has not happened yet is 0.
    expect(server?.levels.find(({ name }) => name === 'workload-low')).toMatchObject({
      requests: { queued: 0 },
      seats: { queued: 0 },
      rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
    })
    for (const { family, note } of server?.missing ?? []) expect([family, note]).not.toContain('')
  })

  it('reads a folder with its dumps, compressed or not, and standard input', async () => {
    const folder = await runCommand('snapshot', '--compact', '--file', fixture('v1.36.3/idle'))
    expect(folder.code).toBe(0)
    expect(folder.output.trim()).not.toContain('\n')
    const page = gunzipSync(await readFile(fixture('v1.36.3/idle/metrics.txt.gz')))
    const piped = startCommand('snapshot', '--compact', '--file', '-')
    piped.input.end(page)
    expect(await piped.ended).toBe(0)
    expect(parse(piped.output()).servers[0]?.levels).toEqual(parse(folder.output).servers[0]?.levels)
  })

  it.each([
    ['mixed', 'queueing'],
    ['elephants-and-mice-1', 'idle'],
  ] as const)('prints %s, %s among its states, as the roster and the table show it', async (name, among) => {
    const path = fixture(`v1.36.3/${name}.metrics.txt.gz`)
    const { output } = await runHere('snapshot', '--compact', '--file', path)
    const [printed] = parse(output).servers
    const derived = printed && createDeriver('')(printed)
    const states = printed?.levels.map((level): readonly [string, readonly LevelState[]] => [
      level.name,
      levelStates(
        level,
        derived?.levels.find((one) => one.name === level.name),
      ),
    ])
    const file = { name: `${name}.txt`, text: gunzipSync(await readFile(path)).toString('utf8') }
    const console = await openLiveConsole('')
    try {
      const told: { readonly server: ServerFrame | undefined; readonly derived: DerivedServer | undefined }[] = []
      console.client.subscribe('frames', null, ({ frame, derived: all }) => {
        told.push({ server: frame.servers[0], derived: all[0] })
      })
      await console.client.call('sources.connect', { spec: { kind: 'files', files: [file] } })
      await expect.poll(() => told.length).toBeGreaterThan(0)
      const [shown] = told
      if (shown?.server === undefined) throw new Error('no server')
      const order = (a: string, b: string): number => (a < b ? -1 : 1)
      const rows = levelRows(shown.server, shown.derived, order)
      expect(rows.map((row) => [row.name, row.states])).toEqual(states)
      const roster = rosterRows(shown.server, shown.derived, order)
      expect(roster.map((row) => [row.name, row.trouble])).toEqual(
        states?.map(([level, all]) => [level, troubleOf(all)]),
      )
      const all = new Set(rows.flatMap((row) => row.states))
      expect(all).toContain(among)
      // One page has no window, so nothing rejects now, however much its totals count.
      expect(all).not.toContain('rejecting')
    } finally {
      await console.close()
    }
  })

  it('prints what comes before damage and exits with 1', async () => {
    const truncated = startCommand('snapshot', '--file', '-')
    truncated.input.end(readFixture('captures/v1.36.3/mixed.metrics.txt.gz').subarray(0, 700_000))
    expect(await truncated.ended).toBe(1)
    // The version is after the damage.
    expect(truncated.told()).toMatch(
      /^apf-console: standard input, line \d+, column \d+: .*\napf-console: .* version\b.*\n$/,
    )
    expect(parse(truncated.output()).servers[0]?.levels.length).toBeGreaterThan(0)
  })
})

describe('apf-console', () => {
  it('names in its help only releases whose rules are known, and refuses others in every command', async () => {
    const helps = await Promise.all(
      ['--help', ...Object.keys(HELP).filter((name) => name !== 'general')].map((name) => runHere(name, '--help')),
    )
    for (const { code, output } of helps) {
      expect(code).toBe(0)
      const named = [...output.matchAll(/\bv1\.\d+(?:\.\d+)?/g)].map(([version]) => version)
      expect(named.filter((version) => !isCovered(version))).toEqual([])
    }
    const ranges = helps.flatMap(({ output }) => [...output.matchAll(/v1\.\d+ to v1\.\d+/g)].map(([range]) => range))
    expect(new Set(ranges)).toEqual(new Set([`v1.${COVERED_MINORS.oldest} to v1.${COVERED_MINORS.newest}`]))

    const file = fixture('v1.36.3/objects')
    const commands = [
      ['classify', '--user', 'alice', '--url', '/healthz'],
      ['classify', '--user', 'alice', '--url', '/healthz', '--config', file],
      ['classify', '--user', 'alice', '--url', '/healthz', '--file', fixture('v1.36.3/mixed.metrics.txt.gz')],
      ['impact', '--edit', file],
      ['drift', '--config', file],
      ['diff', file, file],
      ['validate', file],
    ]
    for (const args of commands) {
      const { code, output, told } = await runHere(...args, '--kube-version', 'v1.99')
      expect({ args, code, output }).toEqual({ args, code: 2, output: '' })
      expect(told).toMatch(/^apf-console: --kube-version takes a version from v1\.29 to v1\.37, .* not "v1\.99"\.\n$/)
    }
  })

  it('says what is wrong in one sentence and exits with 2', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['snapsot'], /no command "snapsot"; did you mean snapshot\?/],
      [['snapshot', '--kubconfig', 'x'], /no option --kubconfig; did you mean --kubeconfig\?/],
      [['snapshot', '--file', '/nowhere/at/all'], /cannot be read: there is no such file/],
      [['snapshot', '--kubeconfig', '/nowhere/at/all'], /\/nowhere\/at\/all/],
      [['snapshot', '--demo', '--simulate'], /not a simulation and --demo/],
      [['snapshot', '--server-version', 'v1.99'], /--server-version takes a version from v1\.29 to v1\.37/],
      [['web', '--serve-simulation', 'yes'], /--serve-simulation takes a whole number/],
      [['snapshot', '--demo', '--file', 'x'], /Only one source/],
      [['watch', '--interval', '0.1'], /--interval takes a number from 0\.5 to 60/],
      [['snapshot', '--metrics-url', 'user:secret@host'], /--metrics-url takes an address/],
      [['web', '--port', '70000'], /--port takes a whole number/],
    ]
    for (const [args, sentence] of cases) {
      const { code, output, told } = await runHere(...args)
      expect({ args, code, output, lines: told.trim().split('\n').length }).toEqual({
        args,
        code: 2,
        output: '',
        lines: 1,
      })
      expect(told).toMatch(sentence)
      expect(told).not.toContain('secret')
    }
  })

  describe('with a credential plugin', () => {
    let folder = ''
    let file = ''
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'apf-cli-'))
      file = join(folder, 'config')
    })
    afterEach(() => rm(folder, { recursive: true }))
    const withPlugin = (exec: object): Promise<void> => {
      const config = {
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { exec: { apiVersion: EXEC_API, interactiveMode: 'Never', ...exec } } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }
      return writeFile(file, JSON.stringify(config))
    }

    it('prints what it says below the sentence about it', async () => {
      await withPlugin({ command: 'no-such-plugin-of-apf', installHint: 'Install it.' })
      const snapshot = await runCommand('snapshot', '--kubeconfig', file)
      expect(snapshot).toMatchObject({ code: 2, output: '', told: expect.stringMatching(BELOW) })
      const watch = startCommand('watch', '--kubeconfig', file)
      await vi.waitFor(() => expect(watch.told()).toMatch(BELOW))
      watch.interrupt()
      await watch.ended
    })

    it.each(['status', 'diagnose', 'advise', 'explain workload-low'])(
      'is all that %s says, at once, where nothing else can be said',
      async (words) => {
        await withPlugin({ command: 'no-such-plugin-of-apf', installHint: 'Install it.' })
        const answer = await runCommand(...words.split(' '), '--kubeconfig', file)
        expect(answer).toMatchObject({ code: 2, output: '', told: expect.stringMatching(BELOW) })
        expect(answer.told.split('no-such-plugin-of-apf')).toHaveLength(2)
      },
    )

    it('names one that hangs, however short the time is that it gets', async () => {
      await withPlugin({ command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] })
      const { code, told } = await runCommand('snapshot', '--kubeconfig', file, '--timeout', '1')
      expect(code).toBe(2)
      expect(told).toContain(`The credential plugin ${process.execPath} of the kubeconfig did not finish within 1 s`)
      expect(told).not.toContain('did not answer')
    })
  })

  it('explains itself', async () => {
    for (const args of [['--help'], ['snapshot', '--help'], ['watch', '-h'], ['web', '--help']]) {
      const { code, output } = await runHere(...args)
      expect(code).toBe(0)
      expect(output).toContain('--kubeconfig')
    }
    const { output } = await runCommand('--version')
    expect(output).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('apf-console watch', () => {
  it('plays the demo, frame by frame', async () => {
    const { code, output } = await runCommand('watch', '--demo', '--count', '2')
    expect(code).toBe(0)
    const frames = output.trim().split('\n').map(parse)
    expect(frames).toHaveLength(2)
    expect(frames[0]?.source).toMatchObject({ kind: 'demo', via: expect.stringContaining('recording') })
  })

  it('lives through the present of a simulation', async () => {
    const { code, output } = await runCommand('watch', '--server-version', 'v1.33', '--count', '2')
    expect(code).toBe(0)
    const frames = output.trim().split('\n').map(parse)
    expect(frames.map(({ source }) => source.kind)).toEqual(['simulation', 'simulation'])
    expect(frames[0]?.servers[0]?.version).toBe('v1.33.0')
    const seconds = frames.map(
      ({ servers: [server] }) => (Date.parse(server?.at ?? '') - 1_000 * (server?.startedAt ?? 0)) / 1_000,
    )
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(599.9)
    const { output: one } = await runCommand('snapshot', '--seed', '7', '--timeout', '300')
    const levels = parse(one).servers[0]?.levels
    expect(levels?.find(({ name }) => name === 'workload-low')?.limits.nominal).toBe(245)
  })

  it('ends without a word when it is interrupted, and when nobody reads any more', async () => {
    const interrupted = startCommand('watch', '--demo')
    await interrupted.nextFrame()
    interrupted.interrupt()
    expect(await interrupted.ended).toBe(0)
    const unread = startCommand('watch', '--demo')
    await unread.nextFrame()
    unread.stopReading()
    expect(await unread.ended).toBe(0)
    expect([interrupted.told(), unread.told()]).toEqual(['', ''])
  })
})

describe('with servers of its own', () => {
  let server: Server
  let answer: (path: string) => { readonly status: number; readonly body: Buffer | string }
  let url = ''
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { status, body } = answer(request.url ?? '')
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const page = readFixture('captures/v1.36.3/idle/metrics.txt.gz')

  it('prints the servers that answer and tells of the others, exit code 1', async () => {
    answer = (path) => (path === '/a/metrics' ? { status: 200, body: page } : { status: 500, body: 'broken' })
    const { code, output, told } = await runCommand(
      'snapshot',
      '--metrics-url',
      `${url}/a/metrics`,
      '--metrics-url',
      `${url}/b/metrics`,
    )
    expect(code).toBe(1)
    expect(parse(output).servers).toHaveLength(1)
    expect(told).toContain('500')
  })

  it('asks for nothing but the metrics', async () => {
    const asked: string[] = []
    answer = (path) => {
      asked.push(path)
      return { status: 200, body: page }
    }
    expect((await runCommand('snapshot', '--metrics-url', `${url}/metrics`)).code).toBe(0)
    expect(asked).toEqual(['/metrics'])
  })

  it('survives a server that fails for a while', async () => {
    let broken = false
    answer = () => (broken ? { status: 503, body: 'later' } : { status: 200, body: page })
    const watch = startCommand('watch', '--metrics-url', `${url}/metrics`, '--interval', '0.5')
    await watch.nextFrame()
    broken = true
    await expect.poll(watch.told).toContain('Retrying.')
    broken = false
    await expect.poll(watch.told).toContain('answers again.')
    await watch.nextFrame()
    watch.interrupt()
    expect(await watch.ended).toBe(0)
  })
})

describe('apf-console web', () => {
  it('says so when its port is taken', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { code, told } = await runCommand('web', '--port', String(port))
    taken.close()
    expect(code).toBe(2)
    expect(told.trim().split('\n')).toHaveLength(1)
  })
})
