import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { requestInfo } from '../classify/requestInfo.ts'
import { parseRequestTarget } from '../classify/requestTarget.ts'
import { WatchTracker } from './watchTracker.ts'

interface Question {
  watches: string[]
  requests: { method: string; url: string }[]
}

const read = (method: string, url: string) => {
  const target = parseRequestTarget(url)
  if (target === undefined) throw new Error(url)
  return { info: requestInfo(method, target).info, query: target.query }
}

test('agrees with every upstream vector, and forgets everything again', () => {
  const vectors = readVectors<Question, { registered: boolean[]; interested: number[] }>('watches')
  for (const { in: question, out } of vectors) {
    const tracker = new WatchTracker()
    const forget = question.watches.map((url) => {
      const { info, query } = read('GET', url)
      return tracker.register(info, query)
    })
    expect(forget.map((done) => done !== undefined)).toEqual(out.registered)
    const interested = () => question.requests.map(({ method, url }) => tracker.interested(read(method, url).info))
    expect(interested()).toEqual(out.interested)
    for (const done of forget) {
      done?.()
      done?.()
    }
    expect(interested().every((count) => count === 0)).toBe(true)
  }
})
