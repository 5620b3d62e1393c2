import { expect, it } from 'vitest'
import { arrivalsOf, variantOf } from './whatif.fixture.ts'
import { whatIf } from './whatif.ts'

const SECONDS = 40
/** A client that sends that many requests of half a second in every second. */
const sending = (user: string, perSecond: number, until = SECONDS) =>
  Array.from({ length: perSecond * until }, (_, at) => ({ user, atMs: (1_000 * at) / perSecond, lastsMs: 500 }))
const run = (sent: ReturnType<typeof sending>, windowSeconds?: number, maxRequestsInFlight = 4) => {
  const fair = variantOf('fair')
  const filter = variantOf('filter', { algorithm: 'max-in-flight', maxRequestsInFlight })
  return (
    whatIf(arrivalsOf(sent, 1_000 * SECONDS), fair, [filter], undefined, { windowSeconds }) ??
    expect.fail('it runs to its end')
  )
}

it('is 1 where everybody gets what they ask for, however different that is', () => {
  const { baseline } = run([...sending('elephant', 6), ...sending('mouse', 1)])
  expect(baseline.fairness?.overall).toBe(1)
  expect(baseline.fairness?.sliding).toEqual({ mean: 1, worst: 1 })
})

it('is less where one is crowded out, over time and in the worst while', () => {
  const mouse = sending('mouse', 1).map((one) => ({ ...one, atMs: one.atMs + 203 }))
  const sent = [...mouse, ...sending('elephant', 100, SECONDS / 2)]
  const { candidates } = run(sent)
  const fairness = candidates[0]?.result.fairness ?? expect.fail('somebody was served')
  expect(fairness.overall).toBeLessThan(0.95)
  for (const over of [fairness.intervals, fairness.sliding, fairness.decaying]) {
    expect(over?.worst).toBeLessThan(0.8)
    expect(over?.mean).toBeGreaterThan(over?.worst ?? 1)
  }
})

it('is averaged over the time that is chosen: longer averages even out, and a longer one than the run is unknown', () => {
  // Each is crowded out in its turn, by one that has the seats first.
  const sent = [0, 1].flatMap((turn) =>
    sending(`user-${turn}`, 4, SECONDS).map((one) => ({
      ...one,
      lastsMs: 990,
      atMs: one.atMs + (Math.floor(one.atMs / 5_000) % 2 === turn ? 0 : 1),
    })),
  )
  const over = (seconds: number) => run(sent, seconds, 1).candidates[0]?.result.fairness
  expect(over(20)?.intervals?.worst).toBeGreaterThan(over(1)?.intervals?.worst ?? 1)
  expect(over(20)?.windowSeconds).toBe(20)
  expect(over(SECONDS + 1)?.intervals).toBeUndefined()
})
