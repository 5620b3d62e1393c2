import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Problem } from '../../core/errors.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { startRecorder } from '../../main/recordings/recorder.ts'
import { shelve } from '../../main/recordings/shelving.ts'
import { openStore, type Store } from '../../main/store/store.ts'
import { runHere } from '../harness/commandHere.ts'

const CHILD = fileURLToPath(new URL('storeChild.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const ABOUT = {
  recording: 'r',
  startedAt: '2026-11-21T03:00:00Z',
  source: { name: 'prod', kind: 'scrape', via: '' },
} as const
if (!isRoot) console.warn('Files of other users are not tried here: only root can run a process as another user.')

let folder = ''
const stores: Store[] = []
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-store-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const store of stores.splice(0)) store.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

function open(at = folder) {
  const store = openStore(at)
  stores.push(store)
  let notices: readonly Problem[] = []
  store.notices.subscribe((latest) => (notices = latest), new AbortController().signal)
  return { store, messages: () => notices.map(({ message }) => message) }
}

/** A process that writes; `kept` are the ids of acknowledged entries. */
function writer(name: string, count: number) {
  const child = spawn(process.execPath, [CHILD, folder, 'write', name, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let printed = ''
  child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const kept = (): string[] => printed.split('\n').slice(0, -1)
  return { child, ended, kept }
}

const TellingSchema = z.object({ settings: z.unknown(), notices: z.array(z.string()) })
const tellAs = (uid: number, at: string) =>
  TellingSchema.parse(
    JSON.parse(execFileSync(process.execPath, [CHILD, at, 'tell'], { uid, gid: uid, encoding: 'utf8', cwd: '/' })),
  )

/** Every file below, with its bytes, owner and mode. */
async function filesIn(at: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of (await readdir(at)).toSorted()) {
    const { uid, mode } = await stat(join(at, name))
    found[name] = `${uid} ${mode.toString(8)} ${(await readFile(join(at, name))).toString('base64')}`
  }
  return found
}

describe('two consoles', () => {
  test('that write a thousand changes each lose none, and nobody reads half of one', async () => {
    const writers = [writer('a', 1_000), writer('b', 1_000)]
    const { store, messages } = open()
    const ended = Promise.all(writers.map((one) => one.ended))
    const going = new AbortController()
    void ended.finally(() => going.abort())
    let reads = 0
    const reading = (async () => {
      let seen = 0
      while (!going.signal.aborted) {
        const entries = await store.journal.read('t')
        expect(entries.length).toBeGreaterThanOrEqual(seen)
        seen = entries.length
        reads++
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    })()
    expect(await ended).toEqual([0, 0])
    await reading
    const ids = (await store.journal.read('t')).map(({ id }) => id)
    const wanted = ['a', 'b'].flatMap((name) => Array.from({ length: 1_000 }, (_, n) => `${name}-${n}`))
    expect(ids.toSorted()).toEqual(wanted.toSorted())
    expect(messages()).toEqual([])
    expect(reads).toBeGreaterThan(10)
  })

  test('lose no acknowledged change to kill -9, in fifteen rounds', async () => {
    const kept: string[] = []
    for (let round = 0; round < 15; round++) {
      const writers = [writer(`${round}a`, 10_000), writer(`${round}b`, 10_000)]
      const most = 1 + Math.floor(Math.random() * 30)
      await vi.waitFor(() => expect(writers.some((one) => one.kept().length >= most)).toBe(true), {
        timeout: 20_000,
        interval: 1,
      })
      for (const { child } of writers) child.kill('SIGKILL')
      await Promise.all(writers.map(({ ended }) => ended))
      kept.push(...writers.flatMap((one) => one.kept()))
      const { store, messages } = open()
      const ids = new Set((await store.journal.read('t')).map(({ id }) => id))
      expect(kept.filter((id) => !ids.has(id))).toEqual([])
      expect(messages()).toEqual([])
      store.close()
    }
    expect(kept.length).toBeGreaterThan(15)
  })
})

test.skipIf(process.platform === 'win32')('a folder of one’s own that others can change is named', async () => {
  await chmod(folder, 0o777)
  const { store, messages } = open()
  await store.settings.read()
  const loose = `Others on this machine can replace the files in ${folder}; use chmod go-w ${folder}.`
  expect(messages()).toEqual([loose])
  vi.stubEnv('APF_CONSOLE_STATE', folder)
  // Whatever else is wrong with them.
  for (const words of [['import', 'none'], ['proxy', '--port=x'], ['feed'], ['etcd-proxy', '--port=x']])
    expect((await runHere(...words)).told, words[0]).toContain(loose)
  vi.unstubAllEnvs()
})

describe.skipIf(!isRoot)('a store of another user', () => {
  test('is not read, changed or replaced, and the console says why', async () => {
    const { store } = open()
    await store.settings.change({ theme: 'dark' })
    store.close()
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual(['console.db']))
    await chmod(folder, 0o755)
    for (const mode of [0o600, 0o644, 0o666]) {
      await chmod(join(folder, 'console.db'), mode)
      const before = await filesIn(folder)
      const { settings, notices } = tellAs(NOBODY, folder)
      expect(settings).toMatchObject({ theme: 'system', density: 'compact' })
      expect(notices).toEqual([expect.stringMatching(/belongs to another user .* Run the console as that user/)])
      expect(await filesIn(folder)).toEqual(before)
    }
  })

  test('whose file root made in a folder of the user is left as it is', async () => {
    const own = join(folder, 'own')
    await chmod(folder, 0o755)
    await mkdir(own, { mode: 0o700 })
    await writeFile(join(own, 'console.db'), 'root was here', { mode: 0o644 })
    await chown(own, NOBODY, NOBODY)
    const before = await filesIn(own)
    expect(tellAs(NOBODY, own).notices).toEqual([expect.stringContaining(`${join(own, 'console.db')}: it belongs to`)])
    expect(await filesIn(own)).toEqual(before)
  })

  test('gets no file of root, which would lock that user out', async () => {
    const own = join(folder, 'own')
    await chmod(folder, 0o755)
    await mkdir(own, { mode: 0o700 })
    await chown(own, NOBODY, NOBODY)
    const { store, messages } = open(own)
    await store.settings.change({ theme: 'dark' })
    expect(messages()).toEqual([expect.stringContaining('belongs to another user')])
    expect(await readdir(own)).toEqual([])
    await expect(shelve(own, ABOUT, [])).rejects.toThrow('belongs to another user')
    const recorder = startRecorder({
      folder: join(own, 'recordings'),
      source: ABOUT.source,
      writer: '',
      environment: systemEnvironment,
      stretches: () => [],
    })
    recorder.take({ kind: 'health', health: { id: 's', status: 'ok', failures: [] } }, [])
    await recorder.end()
    expect(await readdir(own)).toEqual([])
    expect(tellAs(NOBODY, own)).toMatchObject({ settings: { density: 'compact' }, notices: [] })
    expect((await stat(join(own, 'console.db'))).uid).toBe(NOBODY)
  })

  test('in a folder that cannot be written is in memory, and says so', async () => {
    const own = join(folder, 'own')
    await chmod(folder, 0o755)
    await mkdir(own, { mode: 0o700 })
    await chown(own, NOBODY, NOBODY)
    await chmod(own, 0o500)
    expect(tellAs(NOBODY, own).notices).toEqual([
      expect.stringMatching(/this user does not have the permission.*kept in memory/),
    ])
    expect(await readdir(own)).toEqual([])
  })
})

/** A file system of 2 MB, of which one stays free; `undefined` where this process may not mount one. */
function mountSmall(at: string): (() => void) | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'none', at], { stdio: 'ignore' })
    return () => void execFileSync('umount', ['-l', at])
  } catch {
    console.warn('A full disk is not tried here: this process may not mount a file system.')
    return undefined
  }
}

test('a full disk fails the change, says so, and loses nothing that was kept before', async (context) => {
  const small = join(folder, 'small')
  await mkdir(small)
  const unmount = mountSmall(small)
  context.skip(unmount === undefined, 'no file system could be mounted')
  try {
    const { store, messages } = open(small)
    await store.settings.change({ theme: 'dark' })
    let kept = 0
    const fill = async (): Promise<void> => {
      for (;;) {
        await store.drafts.write(String(kept), {
          entries: [{ kind: 'FlowSchema', name: 'a', text: 'x'.repeat(10_000) }],
        })
        kept++
      }
    }
    const full = expect.stringMatching(/disk (is full|reports an error)/)
    await expect(fill()).rejects.toMatchObject({ problem: { message: full } })
    expect(messages()).toEqual([full])
    expect(await store.settings.read()).toMatchObject({ theme: 'dark' })
    for (let n = 0; n < kept; n++) expect((await store.drafts.read(String(n))).entries).toHaveLength(1)
    store.close()
  } finally {
    unmount?.()
  }
})
