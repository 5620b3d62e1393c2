import { expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { importManifests } from '../draft/importManifests.ts'
import { EXAMPLES } from './examples.ts'
import { readDraft } from './readDraft.ts'
import { draftsAsV1, withDefaults } from './importDraft.ts'

it('objects of the draft become objects of v1 that the Editor takes, and what is lost is said', () => {
  const own = { file: 'own.yaml', text: 'kind: ConfigMap\n' }
  const { files, losses, findings } = draftsAsV1([own, { file: 'kep.yaml', text: EXAMPLES['kep-draft'] }])
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(files.map(({ file }) => file)).toEqual(['own.yaml', 'kep.yaml'])
  expect(losses.join(' ')).toMatch(/L\d+ .*: v1 has no equivalent of /)
  const { entries, taken } = importManifests([], builtInObjects('v1.37.2'), files.slice(1), 'v1.37.2')
  expect(taken).toBeGreaterThan(6)
  expect(entries.map(({ kind, name }) => `${kind}/${name}`)).toContain('FlowSchema/system-high')
})

it('files without such objects stay as they are', () => {
  const given = [{ file: 'a.yaml', text: 'kind: PriorityLevelConfiguration\n' }]
  expect(draftsAsV1(given)).toEqual({ files: given, losses: [], findings: [] })
})

it('the draft’s server creates its examples while nothing is exempt, except those whose names are in use', () => {
  const example = readDraft(EXAMPLES['kep-draft'], '')
  const namesOf = ({ levels, schemas }: ReturnType<typeof withDefaults>) =>
    [levels, schemas].map((all) => all.map(({ name }) => name))
  expect(namesOf(withDefaults({ levels: [], schemas: [] }))).toEqual(namesOf(example))
  const [level = expect.fail('the example has levels')] = example.levels.filter(({ name }) => name === 'workload-low')
  const own = { ...level, assuredConcurrencyShares: 7 }
  const added = withDefaults({ levels: [own], schemas: [] })
  expect(added.levels.filter(({ name }) => name === 'workload-low')).toEqual([own])
  expect(added.levels).toHaveLength(example.levels.length)
  // With a schema into an exempt level, nothing is missing.
  const complete = {
    levels: example.levels.slice(0, 1),
    schemas: example.schemas.filter(({ level: of }) => of === 'system-top'),
  }
  expect(withDefaults(complete)).toEqual(complete)
})
