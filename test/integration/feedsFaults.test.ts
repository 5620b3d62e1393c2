import { spawn } from 'node:child_process'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FeedSpecSchema, LiveRequestSchema } from '../../core/contract/live.ts'
import { openStore } from '../../main/store/store.ts'
import { COMMAND } from '../harness/command.ts'
import { openLiveConsole } from '../harness/live.ts'

const STEP_MS = 100

let folder = ''
let path = ''
let cleanups: (() => unknown)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feeds-'))
  path = join(folder, 'audit.log')
  await writeFile(path, '')
})
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup()
  cleanups = []
  await rm(folder, { recursive: true, force: true })
})

/** Requests one after the other, a tenth of a second apart, from an hour ago on. */
const FROM = Date.now() - 3_600_000
const event = (n: number, user = 'alice'): string => {
  const at = FROM + n * STEP_MS
  const said = {
    kind: 'Event',
    auditID: `id-${n}`,
    stage: 'ResponseComplete',
    requestURI: `/api/v1/namespaces/default/pods/pod-${n}`,
    verb: 'get',
    user: user === '' ? {} : { username: user, groups: ['system:authenticated'] },
    responseStatus: { code: user === '' ? 401 : 200 },
    requestReceivedTimestamp: new Date(at).toISOString(),
    stageTimestamp: new Date(at + 20).toISOString(),
  }
  return `${JSON.stringify(said)}\n`
}
const events = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => event(from + i)).join('')
const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `pod-${from + i}`)
/** Advances the time, so that nothing is held back; its user is unknown. */
const later = (n: number): string => event(n + 1_000, '')

/** The command in a process of its own, which prints each request as it ends. */
function console() {
  const child = spawn(process.execPath, [...COMMAND, 'feed', '--audit-file', path, '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
  })
  const exited = new Promise((resolve) => child.once('close', resolve))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  cleanups.push(kill)
  const printed = (): string[] =>
    output
      .slice(0, output.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => LiveRequestSchema.parse(JSON.parse(line)).name)
      .filter((name) => name.startsWith('pod-'))
  return { kill, printed }
}

describe('kill -9 of a console that reads a feed', () => {
  test('loses no request, and none is there twice in the next one', async () => {
    let written = 0
    const write = async (to: number): Promise<void> => {
      for (; written < to; written += 20) {
        await appendFile(path, events(written, written + 20))
        await pause(25)
      }
    }
    const first = console()
    await write(200)
    // The position is written once a second: there is one, and more events follow it.
    const store = openStore(join(folder, 'state', 'apf-console'))
    cleanups.push(() => store.close())
    await vi.waitFor(async () => expect((await store.places.read(path))?.lines).toBeGreaterThan(0), 20_000)
    await vi.waitFor(() => expect(first.printed().length).toBeGreaterThan(100), 10_000)
    await write(800)
    await pause(300)
    await write(1_000)
    await first.kill()
    // The file ends with half a line.
    const next = event(1_000)
    await appendFile(path, next.slice(0, 50))
    const before = first.printed()
    expect(new Set(before).size).toBe(before.length)
    expect(before.length).toBeLessThan(1_000)
    const second = console()
    await pause(500)
    await appendFile(path, `${next.slice(50)}${events(1_001, 1_200)}${later(1_200)}`)
    await vi.waitFor(() => expect(second.printed()).toContain('pod-1199'), 20_000)
    const after = second.printed()
    expect(new Set(after).size).toBe(after.length)
    expect(new Set([...before, ...after])).toEqual(new Set(names(0, 1_200)))
    // It continued where the first one was, and did not start again.
    expect(after.length).toBeLessThan(1_200)
  })
})

describe('a store that cannot be written', () => {
  test('is told, the feed goes on, and the position is written once it can be', async () => {
    const desk = await openLiveConsole('feed')
    cleanups.push(() => desk.close())
    await desk.connect(FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-file', path } }))
    await appendFile(path, events(0, 10))
    await pause(400)
    await appendFile(path, later(10))
    const store = openStore(desk.stateDir)
    cleanups.push(async () => store.close())
    const position = async () => (await store.places.read(path))?.lines
    await vi.waitFor(async () => expect(await position()).toBe(10), 5_000)
    const file = new DatabaseSync(join(desk.stateDir, 'console.db'), { timeout: 5_000 })
    cleanups.push(async () => file.close())
    file.exec(
      "CREATE TRIGGER full BEFORE INSERT ON items WHEN NEW.kind = 'place' BEGIN SELECT RAISE(FAIL, 'no space'); END",
    )
    await appendFile(path, events(1_100, 2_600))
    await pause(400)
    await appendFile(path, later(2_600))
    const limits = (): string => desk.state()?.limits.join(' ') ?? ''
    await vi.waitFor(() => expect(limits()).toMatch(/Cannot save the position in .*no space/), 5_000)
    await vi.waitFor(() => expect(desk.state()?.arrived).toBeGreaterThanOrEqual(1_511), 5_000)
    expect(await position()).toBe(10)
    expect(desk.state()?.unreadable).toBe(0)
    file.exec('DROP TRIGGER full')
    await appendFile(path, later(4_000))
    await vi.waitFor(async () => expect(await position()).toBeGreaterThanOrEqual(1_511), 8_000)
  })
})
