import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Problem } from '../../core/errors.ts'
import { onAnswer } from './answer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('takes the answer of what stood for its rest, and nothing once it was ended', async () => {
  const ask = vi.fn<() => Promise<string>>(async () => 'answer')
  const take = vi.fn<(answer: string) => void>()
  const end = onAnswer(ask, take, { restMs: 80 })
  await vi.advanceTimersByTimeAsync(79)
  expect(ask).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(take).toHaveBeenCalledExactlyOnceWith('answer')
  end()
  onAnswer(ask, take)()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ask).toHaveBeenCalledTimes(2)
  expect(take).toHaveBeenCalledOnce()
})

test('asks again after each answer, also after one that failed', async () => {
  const answers = [1, undefined, 3]
  const ask = async (): Promise<number> => {
    const answer = answers.shift()
    if (answer === undefined) throw new Error('gone')
    return answer
  }
  const take = vi.fn<(answer: number) => void>()
  const onProblem = vi.fn<(problem: Problem) => void>()
  const end = onAnswer(ask, take, { everyMs: 1_000, onProblem })
  await vi.advanceTimersByTimeAsync(2_500)
  expect(take.mock.calls).toEqual([[1], [3]])
  expect(onProblem).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ details: 'gone' }))
  end()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(take).toHaveBeenCalledTimes(2)
})
