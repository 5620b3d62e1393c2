import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CROWDED } from '../../core/sweep/sweep.fixture.ts'
import { startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'

let folder: string
let scenario: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-tune-'))
  scenario = join(folder, 'crowded.yaml')
  writeFileSync(scenario, CROWDED)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const GOAL = ['--goal', 'wait p99 of workload-low < 1500 ms', '--guard-rail', 'leases never wait'] as const

describe('tune', () => {
  it('writes the draft, which a server would take and which meets the goal', async () => {
    const draft = join(folder, 'draft.yaml')
    const run = await runHere('tune', scenario, ...GOAL, '--evaluations', '40', '--write', draft)
    expect(run.code).toBe(0)
    expect(run.output).toContain('An edit meets the goals')
    expect(run.output).toContain('Goal met: wait p99 of level workload-low ≤ 1500 ms')
    expect(run.output).toContain('Runner-up')
    expect(run.output).toContain(`Nothing was applied. The draft is in ${draft}.`)
    expect(readFileSync(draft, 'utf8')).toContain('kind: PriorityLevelConfiguration')
    expect((await runHere('validate', draft)).code).toBe(0)
    const again = await runHere('tune', scenario, ...GOAL, '--evaluations', '40', '-o', 'manifests')
    // The evidence is above the manifests, as comments.
    const kept = readFileSync(draft, 'utf8')
    expect(kept).toContain('# Goal met: wait p99 of level workload-low ≤ 1500 ms')
    expect(kept.endsWith(`\n${again.output}`)).toBe(true)
    expect(await runHere('tune', scenario, ...GOAL, '--write', draft)).toMatchObject({
      code: 2,
      told: expect.stringContaining('exists; name another file'),
    })
  })

  it('exits with 1 where the goal cannot be met', async () => {
    const file = join(folder, 'tune.yaml')
    writeFileSync(
      file,
      `name: impossible
base: { scenario: crowded.yaml }
goals: [workload-low never waits]
parameters: [{ level: workload-low, field: queues, values: [8, 16] }]
`,
    )
    const run = await runHere('tune', file, '--evaluations', '8', '--json')
    expect(run.code).toBe(1)
    expect(JSON.parse(run.output)).toMatchObject({ name: 'impossible', answer: { met: false } })
  })

  it('tunes the twin of a source, and tries no edit where its objects meet the goal with every seed', async () => {
    const goal = ['--goal', 'leader-election never waits', '--json'] as const
    const run = await runHere('tune', '--simulate', '--seconds', '20', ...goal)
    expect(run.code).toBe(0)
    expect(JSON.parse(run.output)).toMatchObject({
      name: 'The twin',
      answer: { met: true, changes: [], seeds: { met: [1, 101, 102] } },
      evaluations: 0,
    })
    const levels: unknown = JSON.parse(run.output).answer.levels.map(({ level }: { readonly level: string }) => level)
    expect(levels).toContain('workload-low')
  })

  it('ends at an interrupt', async () => {
    const command = startCommand('tune', scenario, ...GOAL, '--evaluations', '100000')
    await vi.waitUntil(() => command.told().includes('% searched'))
    command.interrupt()
    expect(await command.ended).toBe(2)
  })

  it('says what is wrong', async () => {
    const told = async (...args: readonly string[]): Promise<string> => (await runHere('tune', ...args)).told
    expect(await told()).toContain('tune needs one file, a scenario and goals')
    expect(await told('--simulate')).toContain('tune needs at least one --goal')
    expect(await told(scenario, '--simulate', ...GOAL)).toContain('tune needs one file, a scenario and goals')
    expect(await told(scenario, '--goal', 'workload-lo never waits')).toContain('did you mean “workload-low”?')
    // Of a source before it is read, or at least before its twin is fitted.
    expect(await told('--simulate', ...GOAL, '--guard-rail', 'wait p98 of system < 1 s')).toContain(
      'There is no measure “wait p98”',
    )
    expect(await told('--simulate', '--seconds', '20', '--goal', 'workload-lo never waits')).toContain(
      'did you mean “workload-low”?',
    )
    expect(await told(scenario)).toContain('There is no field “seconds” at the top of the object')
    expect(await told(scenario, '--variant', 'now')).toContain('--variant goes with --goal')
    expect(await told(scenario, ...GOAL, '--variant', 'no')).toContain('has no variant “no”; did you mean “now”?')
  })
})
