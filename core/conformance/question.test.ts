import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SUBCOMMANDS, answer } from './answers.ts'
import { QuestionError } from './question.ts'

test('a question that cannot be answered is told in one sentence that names the field', () => {
  const level = { name: 'a', type: 'Queue', queues: 4, handSize: 5 }
  const cases: readonly (readonly [subcommand: string, question: unknown, sentence: RegExp])[] = [
    ['shard', 5, /^The question must be an object\.$/],
    ['shard', { deck: 1.5 }, /^deck must be a whole number below 2\^53\.$/],
    ['shard', { hash: '18446744073709551616' }, /^hash must be a whole number of 64 bits, without a sign/],
    ['shard', { hash: 2 ** 53 }, /^hash must be a whole number .* as a decimal string\.$/],
    ['flowhash', { flowSchema: ['x'] }, /^flowSchema must be a string\.$/],
    ['seatseconds', { op: 'plus' }, /^op must be "times" or "perSeat" or "text" or "float"\.$/],
    ['seatseconds', { op: 'perSeat', raw: '5' }, /^seats leads to a result of more than 64 bits/],
    [
      'solver',
      {
        items: [
          [1, 2, 3],
          [1, 'x'],
        ],
      },
      /^items\[1\]\.upper must be a number\.$/,
    ],
    ['solver', { items: [[1, 2, 3, 4]] }, /^items\[0\] must be a list of lower, upper, target\.$/],
    ['integrator', { steps: [['0', 'jump']] }, /^steps\[0\]\.op must be "set" or/],
    ['timing', {}, /^buckets must be a list\.$/],
    ['timing', { buckets: [1, 1] }, /^buckets must be increasing\.$/],
    ['timing', { buckets: [1], numerator: 1, steps: [['5', 'scrape']] }, /^denominator must not be zero/],
    ['queueset', { config: level }, /^config must have a handSize that can be dealt from its queues\.$/],
    ['queueset', { arrivals: [[0, '5', 1], ['-1']] }, /^arrivals\[1\]\.at must be a whole number of nanoseconds/],
    ['queueset', { reconfigs: [{ limit: true }] }, /^reconfigs\[0\]\.limit must be a whole number/],
    ['limits', { priorityLevels: [{ name: 'a' }] }, /^priorityLevels\[0\]\.type must be "Exempt" or/],
    ['borrow', { steps: [{ demand: { a: '1' } }] }, /^steps\[0\]\.demand\.a must be a number\.$/],
    ['match', { flowSchemas: [{}] }, /^flowSchemas\[0\]\.metadata must be an object\.$/],
    ['requestinfo', { method: 'GET', url: 'pods' }, /^url "pods" is no target of a request\.$/],
    ['estimate', { url: '/api/v1/watch' }, /^url "\/api\/v1\/watch" is that of a request/],
    ['dump', { starts: [{ url: '/', priorityLevel: 'x' }] }, /^priorityLevel "x" is no level\.$/],
  ]
  for (const [subcommand, question, sentence] of cases) {
    expect(() => answer(subcommand, question), `${subcommand} ${JSON.stringify(question)}`).toThrow(sentence)
  }
})

test('what is missing or null is zero, as in the oracle', () => {
  const nothing = { average: 'NaN', deviation: 'NaN', duration: 0, max: 0, min: 0 }
  expect(answer('queueset', null)).toMatchObject({ outcomes: [], demand: nothing, final: { idle: true, queues: [] } })
  expect(answer('queueset', {})).not.toHaveProperty('samples')
  expect(answer('integrator', { steps: null })).toEqual({ results: null })
  expect(answer('integrator', { steps: [[null, 'results']] })).toEqual({ results: [nothing] })
  expect(answer('solver', {})).toEqual({ fairProp: 0 })
  expect(answer('match', {})).toEqual({ order: ['exempt', 'catch-all'], dangling: {}, answers: null })
  expect(answer('shard', {})).toEqual({ entropyBits: -(2 ** 63), legal: false, cards: null })
})

test('events at one instant are counted, as the oracle counts them', () => {
  const config = { queues: 1, handSize: 1, queueLengthLimit: 9, limit: 1 }
  const arrivals = [
    ['5', '0', 1, 0, '0', '10'],
    ['5', '0', 1, 0, '0', '10'],
  ]
  expect(answer('queueset', { config, arrivals })).toMatchObject({ ties: 1 })
  expect(answer('queueset', { config, arrivals: arrivals.slice(1) })).not.toHaveProperty('ties')
})

test('whatever is asked, the answer is JSON or one sentence', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SUBCOMMANDS.keys()), fc.jsonValue(), (subcommand, question) => {
      try {
        expect(JSON.parse(JSON.stringify(answer(subcommand, question)))).toBeTypeOf('object')
      } catch (error) {
        expect(error).toBeInstanceOf(QuestionError)
        expect(String(error)).toMatch(/^Error: [^\n]+\.$/)
      }
    }),
  )
})
