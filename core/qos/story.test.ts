import { expect, test } from 'vitest'
import { randomOf, seededState } from '../simulate/random.ts'
import { readRules } from './read.ts'
import { STORY_RULES, storyRequests } from './story.ts'

test('the rules of the story have no error', () => {
  const { configuration, findings } = readRules([{ file: 'story', text: STORY_RULES }])
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(configuration?.rules).toHaveLength(5)
})

test('the same seed gives the same requests, as many as the story says on average', () => {
  const run = (seed: number) => {
    const random = randomOf(seededState(seed))
    return Array.from({ length: 1_000 }, (_, tick) => storyRequests(100 + tick / 10, 0.1, random)).flat()
  }
  expect(run(1)).toEqual(run(1))
  expect(run(1)).not.toEqual(run(2))
  const events = run(1).filter(({ request }) => request.body?.op === 'Put' && request.body.key.includes('/events/'))
  expect(events.length / 100).toBeGreaterThan(12)
  expect(events.length / 100).toBeLessThan(16)
})
