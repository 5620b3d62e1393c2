import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { writeManifests } from '../../core/manifest/write.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { runHere } from '../harness/commandHere.ts'
import { recordStory } from '../harness/recordStory.ts'

const level = (shares: number): string => `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: batch }
spec:
  type: Limited
  limited: { nominalConcurrencyShares: ${shares}, limitResponse: { type: Reject } }
`
const SCHEMA = `---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: { name: crawler }
spec:
  matchingPrecedence: 700
  priorityLevelConfiguration: { name: batch }
  rules:
    - subjects: [{ kind: User, user: { name: crawler } }]
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }]
`
const builtIn = builtInObjects('v1.36.3')
const BUILT_IN = writeManifests([
  ...builtIn.levels.map((object) => ({ kind: 'PriorityLevelConfiguration' as const, object })),
  ...builtIn.schemas.map((object) => ({ kind: 'FlowSchema' as const, object })),
])

let folder: string
const write = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-drift-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('apf-console diff', () => {
  it('prints what docs/drift.md shows', async () => {
    const [old, next] = [write('old.yaml', level(20)), write('new.yaml', level(30) + SCHEMA)]
    const doc = readFileSync(new URL('../../docs/drift.md', import.meta.url), 'utf8')
    const text = await runHere('diff', old, next)
    expect({ code: text.code, told: text.told }).toEqual({ code: 1, told: '' })
    const [, example] = /\$ apf-console diff old\.yaml new\.yaml\n([^`]+)```/.exec(doc) ?? []
    expect(text.output.replaceAll(`${folder}/`, '')).toBe(example)
    const json = await runHere('diff', '--json', write('old.yaml', level(20)), write('new.yaml', level(30)))
    const [, shown = ''] = /```json\n([^`]+)```/.exec(doc) ?? []
    expect(JSON.parse(json.output.replaceAll(`${folder}/`, ''))).toEqual(JSON.parse(shown))
  })

  it('gives a patch that turns one into the other', async () => {
    const [old, next] = [write('old.yaml', level(20)), write('new.yaml', level(30))]
    const { code, output } = await runHere('diff', '-o', 'patch', old, next)
    expect(code).toBe(1)
    expect(output).toContain('-    nominalConcurrencyShares: 20\n+    nominalConcurrencyShares: 30\n')
  })

  it('is silent about the same, and refuses what it cannot compare', async () => {
    const file = write('old.yaml', level(20))
    expect(await runHere('diff', file, file)).toEqual({
      code: 0,
      told: '',
      output: `The one object matches ${file}.\nObjects of ${file}.\n`,
    })
    const one = await runHere('diff', file)
    expect(one.code).toBe(2)
    expect(one.told).toMatch(/two files or folders/)
    const empty = write('empty.yaml', '# nothing\n')
    for (const words of [
      ['diff', file, empty],
      ['diff', empty, file],
      ['drift', '--config', file, '--against', empty],
    ])
      expect(await runHere(...words)).toEqual({
        code: 2,
        output: '',
        told: expect.stringMatching(/empty\.yaml contains no FlowSchema or PriorityLevelConfiguration/),
      })
    expect((await runHere('diff', '-o', 'xml', file, file)).told).toMatch(
      /takes text, json, patch or markdown, not "xml"/,
    )
  })
})

describe('apf-console drift', () => {
  it('takes several files as --config', async () => {
    const files = [write('levels.yaml', BUILT_IN), write('more.yaml', level(5) + SCHEMA)]
    const { code, output } = await runHere('drift', '--kube-version', 'v1.36.3', '--config', ...files)
    expect(code).toBe(0)
    expect(output).toMatch(/^batch +PriorityLevelConfiguration +your own /m)
    expect(output).toMatch(/^crawler +FlowSchema +your own /m)
    expect(output).not.toMatch(/workload-low/)
  })

  it('finds none in the built-in objects, with objects of your own or without', async () => {
    const { code, output } = await runHere(
      'drift',
      '--kube-version',
      'v1.36.3',
      '--config',
      write('all.yaml', `${BUILT_IN}---\n${level(5)}`),
    )
    expect(code).toBe(0)
    expect(output).toMatch(
      /^All built-in objects match v1\.36\.3; 1 object is your own\.\n[^]*\nbatch +PriorityLevelConfiguration +your own /,
    )
  })

  it('says what is changed and what the API server will do', async () => {
    const changed = BUILT_IN.replace('nominalConcurrencyShares: 100', 'nominalConcurrencyShares: 50')
    expect(changed).not.toBe(BUILT_IN)
    const { code, output } = await runHere('drift', '--kube-version', 'v1.36.3', '--config', write('c.yaml', changed))
    expect(code).toBe(1)
    expect(output).toMatch(
      /\nworkload-low +PriorityLevelConfiguration +differs +restores it .*100 → 50\n[^]*restores the built-in spec of workload-low within 60 s/,
    )
  })

  it('compares with other files', async () => {
    const [one, other] = [write('one.yaml', level(5)), write('other.yaml', level(6))]
    const { code, output } = await runHere('drift', '--json', '--config', one, '--against', other)
    expect(code).toBe(1)
    expect(JSON.parse(output)).toMatchObject({
      current: `files ${one}`,
      reference: `files ${other}`,
      differences: [{ name: 'batch', fields: [{ from: 6, to: 5 }] }],
    })
    expect((await runHere('drift')).told).toMatch(/drift needs objects to compare/)
  })

  describe('of a recording', () => {
    const START = Date.UTC(2026, 10, 21, 3)
    const objects = ObjectSetSchema.parse(builtIn)
    const halved = ObjectSetSchema.parse({
      ...builtIn,
      levels: builtIn.levels.map(({ metadata, spec }) => ({
        metadata,
        spec:
          metadata.name === 'workload-low'
            ? { ...spec, limited: { ...spec.limited, nominalConcurrencyShares: 50 } }
            : spec,
      })),
    })
    const reading = (set: typeof objects): SourceEvent => ({
      kind: 'objects',
      origin: 'cluster',
      reading: { state: 'current', version: 'v1.36.3', objects: set },
    })
    beforeAll(async () => {
      vi.stubEnv('APF_CONSOLE_STATE', folder)
      const of = { stateDir: folder, story: syntheticStory({ seconds: 20, startAt: START }), startAt: START }
      await recordStory({
        ...of,
        name: 'prod',
        events: [reading(objects)],
        later: { second: 10, event: reading(halved) },
      })
    })
    afterAll(() => vi.unstubAllEnvs())
    const at = (second: number): string => new Date(START + second * 1_000).toISOString()

    it('compares the objects of an instant with the built-in ones, and with those of another', async () => {
      const before = await runHere('drift', '--recording', '20261121T03', '--at', at(5))
      expect([before.code, before.told]).toEqual([0, ''])
      expect(before.output).toBe(
        `All 19 objects match the built-in objects of v1.36.3.\nObjects of recording of prod at ${at(5)}.\n`,
      )
      const after = await runHere('drift', '--recording', '20261121T03')
      expect([after.code, after.told]).toEqual([1, ''])
      expect(after.output).toMatch(/\nworkload-low +PriorityLevelConfiguration .*100 → 50\n/)
      const between = await runHere('drift', '--recording', '20261121T03', '--against-at', at(5), '--json')
      expect(JSON.parse(between.output)).toMatchObject({
        reference: `recording of prod at ${at(5)}`,
        differences: [{ name: 'workload-low', fields: [{ from: 100, to: 50 }] }],
      })
      expect((await runHere('drift', '--recording', '20261121T03', '--against-recording', '20261121T03')).code).toBe(0)
    })

    it('says what it cannot compare', async () => {
      const says = async (...args: string[]): Promise<string> => {
        const { code, told } = await runHere('drift', ...args)
        expect(code).toBe(2)
        return told
      }
      expect(await says('--config', folder, '--at', at(5))).toMatch(/--at goes with --recording/)
      expect(await says('--config', folder, '--against-at', at(5))).toMatch(/--against-at goes with --recording or/)
      expect(await says('--config', folder, '--recording', '2026')).toMatch(/--config does not go with --recording/)
      expect(await says('--recording', '20261121T03', '--at', at(90))).toMatch(/Nothing of prod was recorded at/)
      expect(await says('--recording', '20261121T03', '--against', folder, '--against-at', at(5))).toMatch(
        /one configuration/,
      )
    })
  })
})
