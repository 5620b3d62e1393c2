import { expect, it } from 'vitest'
import { runHere } from '../harness/commandHere.ts'

const WORDS = [
  'whatif',
  'T2',
  '--candidate',
  'few=max-requests-inflight=4,max-mutating-requests-inflight=0',
  '--closed-loop',
] as const

it('whatif exits with 1 when a candidate does not meet an assertion', async () => {
  const failed = await runHere(...WORDS, '--assert', 'one never waits', '--assert', 'served of two >= 1 /s')
  expect(failed.code).toBe(1)
  expect(failed.output).toMatch(/\nAssertions\nFAILED: few: longest wait of one ≤ 0 ms \(\d/)
  expect(failed.output).toMatch(/\nok: few: requests served of two ≥ 1 \/s/)
  const met = await runHere(...WORDS, '--assert', 'failed <= 1000 % of baseline', '--json')
  expect(JSON.parse(met.output)).toHaveProperty('assertions.0.variant', 'few')
})

it('whatif compares a candidate with its baseline', async () => {
  const same = await runHere('whatif', 'T2', '--candidate', 'same=servers=1', '--assert', 'wait p99 of two <= baseline')
  expect(same).toMatchObject({ code: 0 })
  const better = await runHere(...WORDS, '--assert', 'served of two >= 90 % of the baseline')
  expect(better.code).toBe(1)
})

it('simulate adds assertions to those of the file, of an etcd too', async () => {
  expect((await runHere('simulate', 'Q3', '--assert', 'served of reads > 5 /s')).code).toBe(0)
  const failed = await runHere('simulate', 'Q3', '--assert', 'reads never fail')
  expect(failed.code).toBe(1)
  expect(failed.output).toContain('Fails: failed requests of reads ≤ 0 %')
})

it('says what is wrong with an assertion before anything runs', async () => {
  const unknown = await runHere(...WORDS, '--assert', 'onee never waits')
  expect(unknown).toMatchObject({ code: 2 })
  expect(unknown.told).toContain('There is no level and no group of clients “onee”: did you mean “one”?')
  const relative = await runHere('simulate', 'Q3', '--assert', 'failed <= baseline')
  expect(relative.told).toContain('only whatif has a baseline')
})
