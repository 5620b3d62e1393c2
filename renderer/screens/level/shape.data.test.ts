import { describe, expect, it } from 'vitest'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../../core/config/builtIn.ts'
import { levelOf } from './level.fixture.ts'
import { levelShape, queuingFacts, retryAfterFacts, schemasOf, shareFacts } from './shape.data.ts'

/** The default objects, as an API server gives them. */
const levels = [...mandatoryLevels, ...suggestedLevels]
const shapeOf = (name: string) => {
  const shape = levelShape(levels, name)
  if (shape === undefined) throw new Error(`no object of ${name}`)
  return shape
}

describe('the shape of a default level', () => {
  it('is what the objects say', () => {
    expect(shapeOf('workload-low')).toEqual({
      shares: 100,
      shareSum: 245,
      queuing: { queues: 128, handSize: 6, queueLengthLimit: 50 },
      lendablePercent: 90,
      borrowingPercent: undefined,
    })
    expect(shapeOf('exempt')).toMatchObject({ shares: 0, queuing: undefined })
    expect(shapeOf('catch-all').queuing).toBeUndefined()
  })
  it('names the flow schemas that feed it, whether or not they sent anything', () => {
    expect(schemasOf([...mandatorySchemas, ...suggestedSchemas], 'catch-all')).toEqual(['catch-all'])
  })
  it('is unknown without an object', () => {
    expect(levelShape(levels, 'old-batch')).toBeUndefined()
  })
})

describe('facts of the header', () => {
  it('give the shares of the total', () => {
    expect(shareFacts(shapeOf('workload-low'))).toMatchObject([{ value: '100', detail: 'of 245' }])
  })
  it('give the queues, and the widest request that follows from them', () => {
    // min(⌈245 × 0.15⌉, ⌊245 ÷ 6⌋) = min(37, 40)
    expect(queuingFacts(shapeOf('workload-low'), levelOf('workload-low'))).toMatchObject([
      { term: 'Queue', value: '128 queues × hand 6 × length 50' },
      { term: 'widest request', value: '37 seats' },
    ])
  })
  it('say nothing of queues where requests do not wait, and nothing of width without a limit', () => {
    expect(queuingFacts(shapeOf('catch-all'), levelOf('catch-all'))).toEqual([])
    const limits = { nominal: undefined, lower: undefined, upper: undefined, current: undefined }
    expect(queuingFacts(shapeOf('workload-low'), levelOf('workload-low', { limits }))).toHaveLength(1)
  })
  it('give Retry-After only where it is known', () => {
    expect(retryAfterFacts(undefined)).toEqual([])
    expect(retryAfterFacts(4)).toMatchObject([{ term: 'Retry-After', value: '4 s' }])
  })
})
