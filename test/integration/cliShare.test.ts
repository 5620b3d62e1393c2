import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FrameSchema } from '../../core/frame/frame.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { syntheticStory, type StoryMoment } from '../fixtures/synthetic.ts'
import type { Finished } from '../harness/command.ts'
import { progress, runHere } from '../harness/commandHere.ts'
import { answerPage, metricsPage, startHostileServer } from '../harness/hostileServer.ts'
import { recordStory } from '../harness/recordStory.ts'

const START = Date.UTC(2026, 10, 21, 3)
const SECONDS = 150
const ID = '20261121T03'
const RANGE = ['--from', '2026-11-21T03:01:00Z', '--to', '2026-11-21T03:02:00Z']

let folder = ''
let file = ''
let exported: Finished
/** The console that recorded, and one that has recorded nothing. */
const here = (): void => void vi.stubEnv('APF_CONSOLE_STATE', join(folder, 'here'))
const elsewhere = (name = 'elsewhere'): void => void vi.stubEnv('APF_CONSOLE_STATE', join(folder, name))
const lines = (output: string): string[] => output.trimEnd().split('\n')

const story: StoryMoment[] = []
function* telling(): Generator<StoryMoment> {
  for (const moment of syntheticStory({ seconds: SECONDS, startAt: START, servers: 2 })) {
    story.push(moment)
    yield moment
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-share-'))
  file = join(folder, 'incident.apfrec')
  await recordStory({
    stateDir: join(folder, 'here'),
    name: 'prod',
    startAt: START,
    events: [],
    story: telling(),
    dumps: true,
  })
  here()
  exported = await runHere('export', ID, file, ...RANGE)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

describe('a recording as a file', () => {
  it('says how far its import is when that takes longer than a second', async () => {
    elsewhere('slow')
    let now = Date.now()
    const clock = vi.spyOn(systemEnvironment, 'now').mockImplementation(() => (now += 2_000))
    progress.length = 0
    await runHere('import', file)
    clock.mockRestore()
    expect(progress.join('')).toMatch(/incident\.apfrec: \d+ % imported, about \d+ s left\.\n/)
  })

  it('is read by this user only, is not replaced unasked, and is the same content each time', async () => {
    here()
    expect(exported).toMatchObject({ code: 0, told: '' })
    expect(exported.output).toMatch(
      /events of prod, 2026-11-21T03:01:00.000Z to 2026-11-21T03:02:00.000Z\nSHA-256 .*[0-9a-f]{64}\n/,
    )
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await runHere('export', ID, file)).toMatchObject({ code: 2, told: expect.stringContaining('--force') })
    const before = await readFile(file)
    await runHere('export', ID, file, ...RANGE, '--force')
    expect((await readFile(file)).equals(before)).toBe(true)
    expect(before.subarray(-32).equals(createHash('sha256').update(before.subarray(0, -32)).digest())).toBe(true)
  })

  it('tells elsewhere of its range what the recording tells', async () => {
    here()
    const told = await runHere('recordings', ID, ...RANGE)
    elsewhere()
    const imported = await runHere('import', file)
    expect(imported).toMatchObject({
      code: 0,
      output: expect.stringMatching(/: recording 20261121T030100Z-[0-9a-f]{8}\n$/),
    })
    const { code, output } = imported
    expect(await runHere('import', file)).toMatchObject({ code, output })
    expect(lines((await runHere('recordings')).output)).toHaveLength(2)
    const again = await runHere('recordings', ID, ...RANGE)
    expect(again).toEqual(told)
    expect(lines(again.output).length).toBeGreaterThan(100)
  })

  it('is a source at any of its instants', async () => {
    elsewhere('third')
    const at = '2026-11-21T03:01:30Z'
    const snapshot = await runHere('snapshot', '--recording', file, '--at', at)
    expect(snapshot).toMatchObject({ code: 0, told: '' })
    const frame = FrameSchema.parse(JSON.parse(snapshot.output))
    expect(frame).toMatchObject({ at: '2026-11-21T03:01:30.000Z', source: { kind: 'recording', name: 'prod' } })
    expect(frame.servers).toHaveLength(2)
    const last = await runHere('snapshot', '--file', file)
    expect(JSON.parse(last.output)).toMatchObject({ at: '2026-11-21T03:02:00.000Z' })
    const classified = await runHere(
      'classify',
      '--user',
      'a',
      '--url',
      '/api/v1/pods',
      '--recording',
      file,
      '--at',
      at,
    )
    expect(classified.code).toBe(0)
    expect(await runHere('snapshot', '--recording', file, '--at', '2026-11-21T04:00:00Z')).toMatchObject({
      code: 2,
      told: expect.stringMatching(/^apf-console: Nothing of prod was recorded at .* nearest samples are of .*:02:00/),
    })
    expect((await runHere('snapshot', '--demo', '--at', at)).told).toContain('--at needs a recording')
    const page = join(folder, 'page.txt')
    await writeFile(page, 'up 1\n')
    expect((await runHere('snapshot', '--file', page, '--at', at)).told).toContain(`recording, and ${page} is none.`)
    expect((await runHere('snapshot', '--demo', '--recording', file)).told).toContain('Only one source')
  })

  it('replays its frames as they were', async () => {
    here()
    const { code, output } = await runHere('replay', ID, ...RANGE)
    expect(code).toBe(0)
    const frames = lines(output).map((line) => FrameSchema.parse(JSON.parse(line)))
    expect(frames.map(({ servers }) => servers)).toEqual(story.slice(60, 121).map(({ frame }) => frame.servers))
    expect(
      (await runHere('watch', '--recording', file, '--at', '2026-11-21T03:01:58Z')).output.split('\n'),
    ).toHaveLength(4)
    const began = performance.now()
    expect(lines((await runHere('replay', file, '--speed', '20', '--count', '5')).output)).toHaveLength(5)
    expect(performance.now() - began).toBeGreaterThan(190)
  })
})

describe('import of other files', () => {
  it('makes a recording of what watch printed', async () => {
    here()
    const printed = (await runHere('replay', file)).output
    const watched = join(folder, 'watched.ndjson')
    await writeFile(watched, printed)
    elsewhere('watched')
    const imported = await runHere('import', watched)
    expect(imported).toMatchObject({
      code: 0,
      output: expect.stringMatching(/: recording 20261121T030100Z-[0-9a-f]{8}\n$/),
    })
    expect(await runHere('import', watched)).toEqual(imported)
    expect(lines((await runHere('recordings')).output)).toHaveLength(2)
    const servers = (text: string) => lines(text).map((line) => FrameSchema.parse(JSON.parse(line)).servers)
    expect(servers((await runHere('replay', '2026')).output)).toEqual(servers(printed))
    expect((await runHere('snapshot', '--recording', '2026', '--at', '2026-11-21T03:01:30Z')).code).toBe(0)
  })

  it('makes a recording of a dump of Prometheus, a server for each instance', async () => {
    const text = [10, 20, 30]
      .flatMap((second) =>
        ['a:6443', 'b:6443'].map(
          (instance) =>
            `apiserver_flowcontrol_dispatched_requests_total{instance="${instance}",job="k",flow_schema="f",priority_level="l"} ${second} ${1_795_000_000 + second}.5`,
        ),
      )
      .join('\n')
    const dump = join(folder, 'dump.om')
    await writeFile(dump, `# TYPE apiserver_flowcontrol_dispatched_requests_total counter\n${text}\n# EOF\n`)
    elsewhere('dumped')
    expect((await runHere('import', dump)).code).toBe(0)
    const [frame] = lines((await runHere('snapshot', '--recording', '2026')).output.replaceAll(/\n\s*/g, ''))
    const read = FrameSchema.parse(JSON.parse(frame ?? ''))
    expect(read.servers.map(({ id, at, levels }) => [id, at, levels[0]?.dispatched])).toEqual([
      ['dump.om, a:6443', '2026-11-18T11:07:10.500Z', 30],
      ['dump.om, b:6443', '2026-11-18T11:07:10.500Z', 30],
    ])
    expect(lines((await runHere('replay', '2026')).output)).toHaveLength(3)
  })

  it('says what is wrong', async () => {
    const other = join(folder, 'other.txt')
    await writeFile(other, 'hello')
    expect(await runHere('import', other)).toMatchObject({
      code: 2,
      told: expect.stringContaining('is neither a metrics page'),
    })
    expect((await runHere('import')).told).toContain('import needs files')
  })
})

describe('report', () => {
  it('writes an incident report of a range, as Markdown or as a page', async () => {
    elsewhere('reports')
    const printed = await runHere('report', file)
    expect(printed).toMatchObject({ code: 0, told: '' })
    expect(printed.output).toMatch(
      /^# Incident report: prod\n\n2026-11-21 03:01:00 to 2026-11-21 03:02:00 UTC \(1 min\)/,
    )
    const page = join(folder, 'report.html')
    expect(await runHere('report', file, page)).toEqual({ code: 0, output: '', told: '' })
    expect(await readFile(page, 'utf8')).toMatch(/^<!doctype html>[^]*<svg/)
    expect((await runHere('report', file, page)).told).toContain('--force')
    expect((await runHere('report', file, '--from', '2027-01-01T00:00:00Z')).told).toContain(
      'has no data for this period',
    )
  })
})

describe('a report as PDF', () => {
  /** In place of a Chromium: writes the page that it gets to print. */
  const withBrowser = async (script: string): Promise<void> => {
    const programs = await mkdtemp(join(folder, 'programs-'))
    await writeFile(join(programs, 'chromium'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    vi.stubEnv('PATH', `${programs}:/bin:/usr/bin`)
  }

  it('is what the browser prints of the page', async () => {
    elsewhere('pdf')
    await withBrowser(
      'for a; do case $a in --print-to-pdf=*) to=${a#*=};; file:*) from=${a#file://};; esac; done; cp "$from" "$to"',
    )
    const pdf = join(folder, 'report.pdf')
    expect(await runHere('report', file, pdf)).toEqual({ code: 0, output: '', told: '' })
    expect(await readFile(pdf, 'utf8')).toMatch(/^<!doctype html>[^]*<svg/)
    expect((await runHere('report', file, '--format', 'pdf')).told).toContain('A PDF needs the file to write')
  })

  it('says what is missing without one, and what failed with a broken one', async () => {
    elsewhere('no-pdf')
    const pdf = join(folder, 'none.pdf')
    vi.stubEnv('PATH', folder)
    expect((await runHere('report', file, pdf)).told).toContain('none of them is in PATH')
    await withBrowser('exit 3')
    expect((await runHere('report', file, pdf)).told).toContain('printed no PDF')
    await expect(readFile(pdf)).rejects.toThrow('ENOENT')
  })
})

/** A file with any head and body, and a valid checksum. */
const made = (start: string, body: Uint8Array): Buffer => {
  const content = Buffer.concat([Buffer.from(start), body])
  return Buffer.concat([content, createHash('sha256').update(content).digest()])
}
const HEAD = `apfrec 1\n${JSON.stringify({
  source: { kind: 'scrape', name: 'x', via: 'y' },
  from: '2026-11-21T03:00:00.000Z',
  to: '2026-11-21T03:00:01.000Z',
  held: 0,
  console: '0',
})}\n`
const packed = (text: string): Uint8Array => zstdCompressSync(Buffer.from(text))

describe('a file that is no recording', () => {
  const BAD: readonly [string, () => Promise<Buffer>, RegExp][] = [
    ['something else', async () => Buffer.from('hello'), /bad.apfrec is not a recording/],
    ['empty', async () => Buffer.alloc(0), /bad.apfrec is not a recording/],
    ['newer', async () => made('apfrec 2\n{}\n', packed('')), /has format 2, .* reads format 1; update/],
    ['cut short', async () => (await readFile(file)).subarray(0, -1), /cut short or damaged/],
    ['its beginning alone', async () => (await readFile(file)).subarray(0, 40), /cut short or damaged/],
    [
      'another byte',
      async () => (await readFile(file)).map((byte, at) => (at === 5_000 ? byte ^ 1 : byte)) as Buffer,
      /cut short or damaged/,
    ],
    ['no zstd', async () => made(HEAD, Buffer.from('plain')), /bad.apfrec cannot be unpacked/],
    ['no head', async () => made('apfrec 1\n{"source":1}\n', packed('')), /cut short or damaged/],
    ['no event', async () => made(HEAD, packed('{}\n')), /event 1, cannot be read: a line is a list/],
    [
      'another kind of event',
      async () => made(HEAD, packed('[1,"",[{"kind":"shell"}]]\n')),
      /event 1, cannot be read: it contains no event/,
    ],
    [
      'a time that is none',
      async () => made(HEAD, packed('[1e300,"",[{"kind":"note","note":"ended"}]]\n')),
      /event 1, has no time/,
    ],
    ['half an event', async () => made(HEAD, packed('[1,"",[{"kind"')), /ends in the middle of an event/],
    ['a bomb', async () => made(HEAD, packed('x'.repeat(80_000_000))), /unpacks to far more/],
    [
      'very many events in few bytes',
      async () => made(HEAD, packed('[1,"",[{"kind":"note","note":"ended"}]]\n'.repeat(250_000))),
      /unpacks to far more/,
    ],
  ]
  it.each(BAD)('%s: says so in one sentence and keeps nothing', async (_, bytes, sentence) => {
    elsewhere('hostile')
    const bad = join(folder, 'bad.apfrec')
    await writeFile(bad, await bytes())
    const { code, told } = await runHere('import', bad)
    expect(code).toBe(2)
    expect(told).toMatch(sentence)
    expect(lines(told).filter((line) => !line.includes('% imported'))).toHaveLength(1)
    expect((await runHere('recordings')).output).toBe('Nothing has been recorded yet.\n')
    for (const name of await readdir(join(folder, 'hostile')).catch(() => []))
      expect(await readdir(join(folder, 'hostile', name))).toEqual([])
  })
})

describe('record', () => {
  it('records a source without a window, into a file as well', async () => {
    elsewhere('recording')
    const recorded = join(folder, 'simulated.apfrec')
    let step = 0
    const server = await startHostileServer({ behaviour: answerPage(() => metricsPage({ step: step++ })) })
    const options = ['--metrics-url', server.url(), '--for', '15s']
    const { code, output, told: said } = await runHere('record', recorded, ...options)
    await server.close()
    expect([code, said]).toEqual([0, expect.stringMatching(/Recording \d{8}T\d{6}Z-/)])
    expect(output).toMatch(/simulated.apfrec: \d+ events of /)
    elsewhere('fourth')
    const frames = lines((await runHere('replay', recorded)).output)
    expect(frames.length).toBeGreaterThanOrEqual(2)
  })

  it('says that no server answered, and fails', async () => {
    elsewhere('unanswered')
    const { code, told } = await runHere('record', '--metrics-url', 'http://127.0.0.1:1/metrics', '--for', '2s')
    expect(code).toBe(2)
    expect(told).toMatch(
      /Nothing listens at 127\.0\.0\.1:1.* Retrying\.[^]*No server answered, so the recording \S+ holds no/,
    )
  })

  it('says why it cannot', async () => {
    expect((await runHere('record', '--demo', '--for', '1s')).told).toMatch(/is not recorded: it can be opened again/)
    expect((await runHere('record', '--simulate', '--for', 'soon')).told).toMatch(/--for takes a time like 90s/)
  })
})
