import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createFrameBuilder } from '../../core/metrics/buildFrame.ts'
import {
  FrameSchema,
  LevelFrameSchema,
  MISSING_REASONS,
  SchemaFrameSchema,
  ServerFrameSchema,
} from '../../core/frame/frame.ts'
import { createParser } from '../../core/metrics/parse.ts'
import { readFixture } from '../fixtures/load.ts'

const doc = readFileSync(new URL('../../docs/frame.md', import.meta.url), 'utf8')
const example = FrameSchema.parse(JSON.parse(/```json\n([\s\S]*?)```/.exec(doc)?.[1] ?? ''))

describe('docs/frame.md', () => {
  it('has a valid example that is what a real page gives', () => {
    const page = createParser().parse(readFixture('captures/v1.36.3/elephants-and-mice-2.metrics.txt.gz'))
    const built = createFrameBuilder({ id: '127.0.0.1:6443' })(page, { at: '2026-11-21T07:30:00.000Z' })
    const [server] = example.servers
    const [level] = server?.levels ?? []
    expect(level).toBeDefined()
    expect(built.levels.find(({ name }) => name === level?.name)).toMatchObject({ ...level })
    expect(built).toMatchObject({ ...server, levels: built.levels })
  })

  it('names every property and every reason', () => {
    const properties = [FrameSchema, ServerFrameSchema, LevelFrameSchema, SchemaFrameSchema].flatMap((schema) =>
      Object.keys(schema.shape),
    )
    for (const name of [...properties, ...MISSING_REASONS]) {
      expect(doc, name).toMatch(new RegExp(`\`${name}[\`.]`))
    }
  })
})
