import { expect, it } from 'vitest'
import { startCommand } from '../harness/command.ts'

async function stepped(args: readonly string[], ...commands: readonly string[]) {
  const running = startCommand('simulate', ...args)
  running.input.end(`${commands.join('\n')}\n`)
  const code = await running.ended
  return { code, output: running.output(), told: running.told() }
}

it('steps through a run and goes back to the same state', async () => {
  const { code, output } = await stepped(
    ['T2', '--step', '--variant', 'now'],
    'at 3',
    'event 5',
    'back 5',
    'at 3',
    'r',
    '',
    'quit',
    'event',
  )
  expect(code).toBe(0)
  const states = output.split('\n\n').slice(1)
  const [start, third, later, back, again, tenth, twentieth, more] = states
  expect(start).toMatch(/^0\.000000000 s, event 0\n/)
  expect(third).toMatch(/^3\.000000000 s, event \d+\n/)
  expect(later).not.toBe(third)
  expect(back?.split('\n')[1]).toMatch(/^LEVEL/)
  expect(again).toBe(third)
  expect(again).toContain('\na ')
  expect([tenth, twentieth].map((state) => state?.split(',')[0])).toEqual(['10.000000000 s', '20.000000000 s'])
  expect(more).toBeUndefined()
})

it('shows the requests of a level in two variants beside each other, those first that differ', async () => {
  const both = ['T2', '--step', '--variant', 'now', '--variant', '1.18']
  const { output } = await stepped(both, 'at 6', 'level b', 'level nowhere')
  expect(output).toMatch(
    /\n6\.000000000 s, b: \d+ of \d+ queues with requests and [1-9]\d* of \d+ requests differ between now and 1\.18\.\n/,
  )
  expect(output).toMatch(/\n +ARRIVED +now +1\.18 +REQUEST\n≠ +\d\.\d{6} s +(executing|queue|not there)/)
  expect(output).toMatch(/\n≠ +\d+ +\d+ wait, \d+ execute +\d+ wait, \d+ execute/)
  expect(output).toContain('A request that is not there has finished')
  expect(output).toContain('level takes one of ')
  const one = await stepped(['T2', '--step'], 'level a')
  expect(one.output).toContain('level takes two variants')
})

it('shows several variants at the same instant, and says what it does not know', async () => {
  const both = ['T2', '--step', '--variant', 'now', '--variant', '1.18']
  const { output } = await stepped(both, 'second 2', 'jump', 'at soon', 'event 0')
  expect(output).toMatch(/\nnow: 2\.000000000 s, event \d+\n/)
  expect(output).toMatch(/\n1\.18: 2\.000000000 s, event \d+\n/)
  expect(output).toContain('There is no command "jump":')
  expect(output).toContain('at takes seconds since the start')
  expect(output).toContain('event takes a whole number from 1 to')
  const filter = await stepped(['S11', '--step', '--variant', 'max-in-flight'], 'decision')
  expect(filter).toMatchObject({ code: 0, told: '' })
  expect(filter.output).toContain('The max-in-flight filter has no priority levels.')
  const none = await stepped(['T2', '--step', '--variant', 'nwo'])
  expect(none.code).toBe(2)
  expect(none.told).toContain('There is no variant "nwo"; did you mean max-in-flight or 1.18 or now?')
})
