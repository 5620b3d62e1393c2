import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RecordingState } from '../../core/contract/recording.ts'
import { openChapter } from '../../main/recordings/chapter.ts'
import { listRecordings } from '../../main/recordings/library.ts'
import { startRecorder } from '../../main/recordings/recorder.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { standingClock } from '../harness/standingClock.ts'

const CHILD = fileURLToPath(new URL('recorderChild.ts', import.meta.url))
/** APF_RECORDER_KILLS sets more of them, such as 200 (CONTRIBUTING.md). */
const KILLS = Number(process.env['APF_RECORDER_KILLS'] ?? 12)
/** Two consoles start for each; on a busy machine that takes a while. */
const LONGEST_ROUND_MS = 60_000

let folder = ''
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-recorder-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

/** Events of all recordings in the folder; throws where one cannot be read. */
function eventsIn(at: string): number {
  let events = 0
  for (const { chapters, problems } of listRecordings(at, () => false)) {
    expect(problems).toEqual([])
    for (const path of chapters) {
      const chapter = openChapter(path)
      for (const segment of chapter.segments) events += chapter.read(segment).events.length
      chapter.close()
    }
  }
  return events
}

test(
  `the flight recorder loses nothing that it called kept to ${KILLS} times kill -9, of two consoles at once`,
  async () => {
    for (let round = 0; round < KILLS; round++) {
      const at = join(folder, String(round))
      const writers = [0, 1].map(() => {
        const child = spawn(process.execPath, [CHILD, at], { stdio: ['ignore', 'pipe', 'inherit'] })
        children.push(child)
        let printed = ''
        child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
        const ended = new Promise((resolve) => child.once('close', resolve))
        return { child, ended, kept: () => Number(printed.split('\n').at(-2) ?? 0) }
      })
      await vi.waitFor(() => expect(writers.every(({ kept }) => kept() > 0)).toBe(true), { timeout: 60_000 })
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_500))
      for (const { child } of writers) child.kill('SIGKILL')
      await Promise.all(writers.map(({ ended }) => ended))
      const kept = writers.reduce((sum, writer) => sum + writer.kept(), 0)
      expect(eventsIn(at)).toBeGreaterThanOrEqual(kept)
    }
  },
  KILLS * LONGEST_ROUND_MS,
)

test('a full disk pauses the recording, says so, and loses nothing that was kept before', async (context) => {
  const small = join(folder, 'small')
  await mkdir(small)
  let unmount: (() => void) | undefined
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1500k,mode=700', 'none', small], { stdio: 'ignore' })
    unmount = () => void execFileSync('umount', ['-l', small])
  } catch {
    console.warn('A full disk is not tried here: this process may not mount a file system.')
  }
  context.skip(unmount === undefined, 'no file system could be mounted')
  try {
    const clock = standingClock(Date.UTC(2026, 10, 21, 3))
    const source = { kind: 'scrape', name: 'prod', via: '/metrics' } as const
    const recorder = startRecorder({
      folder: small,
      source,
      writer: 'this',
      environment: clock.environment,
      stretches: () => [],
    })
    let state: RecordingState | undefined
    recorder.state.subscribe((latest) => (state = latest), new AbortController().signal)
    let taken = 0
    for (const { frame, dump } of syntheticStory({ seconds: 600 })) {
      for (const server of frame.servers) {
        recorder.take({ kind: 'frame', frame: server })
        recorder.take({ kind: 'dump', dump: dump(server.id) })
        taken += 2
      }
      clock.advance(1_000)
      await vi.waitFor(() => expect((state?.events ?? 0) + (state?.lost ?? 0)).toBe(taken), { interval: 1 })
      if (state?.problem !== undefined) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(state).toMatchObject({
      status: 'paused',
      problem: { message: expect.stringMatching(/disk (is full|reports an error)/) },
    })
    await recorder.end()
    expect(eventsIn(small)).toBe(state?.events)
    expect(state?.events).toBeGreaterThan(10)
  } finally {
    unmount?.()
  }
})
