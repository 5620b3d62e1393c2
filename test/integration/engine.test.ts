import { describe, expect, it } from 'vitest'
import { startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'

const ask = async (input: string, ...args: readonly string[]) => {
  const running = startCommand('engine', ...args)
  running.input.end(input)
  return { code: await running.ended, output: running.output(), told: running.told() }
}

describe('apf-console engine', () => {
  it('answers each value with one line, however they are laid out', async () => {
    const input = '{"flowSchema":"global-default",\n "distinguisher":"alice"}{}\nnull '
    const { code, output, told } = await ask(input, 'flowhash')
    expect({ code, told }).toEqual({ code: 0, told: '' })
    const lines = output.split('\n')
    expect(lines).toHaveLength(4)
    expect(JSON.parse(lines[0] ?? '')).toEqual({ hash: '17644606172554983095' })
    expect(lines[1]).toBe(lines[2])
  })

  it('answers while more is to come, and ends without a word when it is interrupted', async () => {
    const running = startCommand('engine', 'shard')
    running.input.write('{"deck":4,"hand":2,"hash":"5"}')
    await expect.poll(() => running.output()).toBe('{"entropyBits":4,"legal":true,"cards":[1,2]}\n')
    running.interrupt()
    expect(await running.ended).toBe(0)
    expect(running.told()).toBe('')
  })

  it('says in one sentence which question is wrong, after the answers before it', async () => {
    const refused = await ask('{}{"flowSchema":5}{}', 'flowhash')
    expect(refused.told).toBe('apf-console: Query 2: flowSchema must be a string.\n')
    expect({ code: refused.code, lines: refused.output.split('\n').length }).toEqual({ code: 2, lines: 2 })
    const broken = await ask('{"deck":', 'shard')
    expect(broken.told).toMatch(/^apf-console: Query 1 is not JSON: .*\n$/)
    expect(broken.code).toBe(2)
  })

  it('explains itself, and asks nothing where there is nothing to ask', async () => {
    const help = await runHere('engine', '--help')
    expect(help.code).toBe(0)
    for (const name of ['shard', 'queueset', 'version']) expect(help.output).toContain(`  ${name} `)
    const built = await runHere('engine', 'bootstrap')
    expect(Object.keys(JSON.parse(built.output) as object)).toHaveLength(4)
    for (const [args, sentence] of [
      [['engine'], /needs a subcommand/],
      [['engine', 'solvr'], /did you mean solver\?/],
      [['engine', 'solver', '--fast'], /no option --fast/],
    ] as const) {
      const { code, told } = await runHere(...args)
      expect(told).toMatch(sentence)
      expect(code).toBe(2)
    }
  })
})
