import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import { createDemoSource } from '../sources/demo.ts'
import { createKeptPages } from './keptPages.ts'

it('keeps the newest page, so that a verdict does not depend on which others are kept', async () => {
  const said: unknown[] = []
  for (const phase of [0, 3_000]) {
    const { environment } = standingClock(1_795_000_000_000 + phase)
    const made = await createDemoSource(join(import.meta.dirname, '../../assets/demo/recording.ndjson.br'), environment)
    if (!made.ok) throw new Error(made.problem.message)
    const kept = createKeptPages()
    const stop = new AbortController()
    made.source.start(stop.signal, (event) => kept.take(event))
    stop.abort()
    said.push(diagnose(kept.all(undefined)).findings.map(({ title, confidence, place }) => [title, confidence, place]))
  }
  expect(said[0]).not.toEqual([])
  expect(said[1]).toEqual(said[0])
})
