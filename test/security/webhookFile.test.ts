import { mkdtemp, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FeedSpecSchema } from '../../core/contract/live.ts'
import { createFeedSource } from '../../main/sources/liveFeed.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { allNamed } from '../harness/consent.ts'

let folder = ''
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'feeds-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

test('the configuration of a webhook replaces a link in its place, and is for its owner alone', async () => {
  const victim = join(folder, 'victim')
  await writeFile(victim, 'precious', { mode: 0o644 })
  const own = join(folder, 'feeds')
  await mkdir(own)
  const path = join(own, 'audit-webhook.kubeconfig')
  await symlink(victim, path)
  const spec = FeedSpecSchema.parse({ kind: 'feed', feed: { kind: 'audit-webhook', port: 0 } })
  const made = await createFeedSource(spec, { environment: systemEnvironment, stateDir: folder, consent: allNamed })
  expect(made.ok).toBe(true)
  if (made.ok) {
    const end = new AbortController()
    made.source.start(end.signal, () => undefined)
    end.abort()
    await made.source.closed
  }
  expect(await readFile(victim, 'utf8')).toBe('precious')
  const { mode } = await lstat(path)
  expect((await lstat(path)).isFile()).toBe(true)
  expect(mode & 0o777).toBe(0o600)
  expect(await readFile(path, 'utf8')).toContain('token')
})
