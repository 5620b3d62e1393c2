import { describe, expect, it } from 'vitest'
import { mandatoryLevels, suggestedLevels } from '../../../../core/config/builtIn.ts'
import type { PriorityLevelConfiguration } from '../../../../core/config/objects.ts'
import { chance, formOf, levelChoices, oddsSentence, readShape, wholeNumber } from './shape.data.ts'

const levels = [...mandatoryLevels, ...suggestedLevels]
const shaped = (name: string, queues: number): PriorityLevelConfiguration => ({
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: { limitResponse: { type: 'Queue', queuing: { queues, handSize: 6, queueLengthLimit: 50 } } },
  },
})

describe('levelChoices', () => {
  it('are the levels that queue, and those to which the draft gives another shape', () => {
    const draft = [
      ...levels.filter(({ metadata }) => metadata.name !== 'system'),
      shaped('system', 256),
      shaped('new', 8),
    ]
    const keys = levelChoices(levels, draft).map(({ key }) => key)
    expect(keys.slice(0, 2)).toEqual(['system', 'node-high'])
    expect(keys).not.toContain('catch-all')
    expect(keys.filter((key) => key.startsWith('draft/'))).toEqual(['draft/system', 'draft/new'])
    expect(levelChoices(levels, []).some(({ drafted }) => drafted)).toBe(false)
  })
})

describe('readShape', () => {
  const form = formOf({ queues: 128, handSize: 6, queueLengthLimit: 50 })
  it('reads what a level has', () => {
    expect(readShape(form)).toEqual({ ok: true, queuing: { queues: 128, handSize: 6, queueLengthLimit: 50 } })
  })
  it('names the field that is wrong, and why no server deals the shape', () => {
    const read = readShape({ ...form, queues: '', queueLengthLimit: '1.5' })
    expect(read.ok ? [] : Object.keys(read.errors)).toEqual(['queues', 'queueLengthLimit'])
    const illegal = readShape({ ...form, queues: '512', handSize: '8' })
    expect(illegal.ok ? '' : illegal.problem).toContain('needs 72 bits')
  })
  it('takes whole numbers alone', () => {
    expect(['8', ' 8 ', '1e2'].map((text) => wholeNumber(text, 1, 100))).toEqual([8, 8, 100])
    expect(['', ' ', '8.5', '0', '101', 'eight'].map((text) => wholeNumber(text, 1, 100))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    )
  })
})

describe('sentences', () => {
  const queuing = { queues: 128, handSize: 6, queueLengthLimit: 50 }
  it('say the chance with as many digits as tell shapes apart', () => {
    expect(oddsSentence(queuing, 16, 0.022_118)).toBe(
      'With 128 queues and hands of 6, 16 elephants cover a small flow’s hand with probability 2.21 %.',
    )
    expect(oddsSentence(queuing, 1, 1.84e-10)).toContain(
      '1 elephant covers a small flow’s hand with probability 1.8e−10.',
    )
    expect(oddsSentence({ ...queuing, queues: 1, handSize: 1 }, 1, 1)).toContain('With one queue')
    expect(chance(0)).toBe('0 %')
  })
})
