import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runHere } from '../harness/commandHere.ts'

const shard = (line: string) => runHere('shard', ...line.split(' '))

describe('docs/sharding.md', () => {
  const doc = readFileSync(new URL('../../docs/sharding.md', import.meta.url), 'utf8')
  const commands = [...doc.matchAll(/`apf-console shard (--queues [^`]*)`/g)].map(([, args = '']) => args)

  it('shows what its first command prints as JSON', async () => {
    const { code, output, told } = await shard(commands[0] ?? '')
    expect({ code, told }).toEqual({ code: 1, told: '' })
    const printed: unknown = JSON.parse(output)
    expect(printed).toEqual(JSON.parse(/```json\n([\s\S]*?)```/.exec(doc)?.[1] ?? ''))
    for (const name of namesIn(printed)) expect(doc, name).toContain(`\`${name}\``)
  })

  it('shows what its second command prints for people', async () => {
    const { code, output, told } = await shard(commands[1] ?? '')
    expect({ code, told }).toEqual({ code: 0, told: '' })
    expect(output).toBe(/```text\n([\s\S]*?)```/.exec(doc)?.[1])
  })
})

describe('apf-console shard', () => {
  it('prints the table of the Kubernetes documentation', async () => {
    const { code, output } = await shard('--table')
    expect(code).toBe(0)
    const rows = output.split('\n').map((line) => line.trim().split(/\s+/))
    expect(rows[1]).toEqual(['12', '32', '4.42883839895012e-9', '0.114313488300991', '0.993508960765602'])
    expect(rows[11]).toEqual(['6', '1,024', '6.33732401651429e-16', '8.09060164312957e-11', '4.51740806290367e-7'])
    const json: unknown = JSON.parse((await shard('--table --json')).output)
    expect(json).toHaveLength(11)
  })

  it('ends with 0 when the target is reached, and names the closest shape when none reaches it', async () => {
    expect((await shard('--queues 256 --hand 6 --target 0.01')).code).toBe(0)
    const { code, output } = await shard('--queues 64 --hand 6 --target 1e-9 --max-queues 128')
    expect(code).toBe(1)
    expect(output).toContain(
      'Smallest shapes for a target, no shape of at most 128 queues reaches the target; the closest',
    )
  })

  it.each([
    ['--queues 512 --hand 8', 'Dealing hands of 8 from 512 queues needs 72 bits of the flow’s hash and only 60 may be'],
    ['--queues 4 --hand 5', 'A hand of 5 cannot be dealt from 4 queues: at most 4.'],
    ['--queues 0 --hand 1', '--queues takes a whole number from 1 to 10000000, not "0".'],
    ['--queues 64', 'shard needs --queues and --hand'],
    ['--queues 64 --hand 6 --elephants 1,x', '--elephants takes whole numbers from 1 to 1000000'],
    ['--queues 64 --hand 6 --flow /alice', '--flow takes SCHEMA/DISTINGUISHER, not "/alice".'],
    ['--queues 64 --hand 6 --target 0', '--target takes a number from 1e-15 to 0.999'],
    ['--queues 64 --hand 6 --max-queues 128', 'give --target too'],
    ['--queue 64 --hand 6', 'did you mean --queues?'],
  ])('refuses %s', async (line, sentence) => {
    const { code, output, told } = await shard(line)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(told).toContain(sentence)
  })
})

/** All property names of a JSON value. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...namesIn(inner)])
}
