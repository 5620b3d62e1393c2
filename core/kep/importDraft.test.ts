import { expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { importManifests } from '../draft/importManifests.ts'
import { EXAMPLES } from './examples.ts'
import { draftsAsV1 } from './importDraft.ts'

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
