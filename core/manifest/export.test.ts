import { applyPatch, parsePatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readStyled } from '../../test/harness/styledYaml.ts'
import { builtInObject } from '../config/builtIn.ts'
import { exportDiff, type ExportedFile, exportHelm, exportKustomize, exportYaml, type DraftChange } from './export.ts'
import { type Json, applyMergePatch } from './json.ts'
import { readManifests } from './read.ts'
import { cleanManifest, writeManifest } from './write.ts'

const builtIn = (name: string) => {
  const object = builtInObject('PriorityLevelConfiguration', name, 'v1.36.3')
  if (object === undefined) throw new Error(name)
  return object
}
const schema = (name: string, matchingPrecedence: number) => ({
  metadata: { name, labels: { team: 'a' } },
  spec: {
    priorityLevelConfiguration: { name: 'workload-low' },
    matchingPrecedence,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'ann' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
})
const rejecting = {
  metadata: { name: 'workload-low' },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 50, limitResponse: { type: 'Reject' }, borrowingLimitPercent: 0 },
  },
}

const changes: readonly DraftChange[] = [
  { kind: 'PriorityLevelConfiguration', name: 'workload-low', from: builtIn('workload-low'), to: rejecting },
  { kind: 'FlowSchema', name: 'made', from: null, to: schema('made', 300) },
  { kind: 'FlowSchema', name: 'gone', from: schema('gone', 400), to: null },
  { kind: 'FlowSchema', name: 'same', from: schema('same', 500), to: schema('same', 500) },
]

describe('exportYaml', () => {
  it('is what is to be there, and says how to delete the rest', () => {
    const text = exportYaml(changes)
    expect(text).toMatch(
      /^# Applying this text deletes nothing\..*\n# {3}kubectl delete flowschema gone\n---\napiVersion/,
    )
    const { documents, findings } = readManifests(text, { file: 'x', version: 'v1.36.3' })
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(documents.map(({ name }) => name)).toEqual(['workload-low', 'made', 'same'])
    expect(exportYaml([])).toBe('')
  })
})

describe('exportHelm', () => {
  /** As Helm renders these templates: the only expressions in them are literals. */
  const rendered = (text: string): string => text.replaceAll(/\{\{ "(.*?)" \}\}/g, '$1')

  it('is a chart with what is to be there; what exists is taken over, and stays when the chart goes', () => {
    const files = exportHelm(changes)
    expect(files.map(({ path }) => path)).toEqual([
      'Chart.yaml',
      'README.md',
      'templates/prioritylevelconfigurations/workload-low.yaml',
      'templates/flowschemas/made.yaml',
      'templates/flowschemas/same.yaml',
    ])
    const [, readme, changed, made] = files.map(({ text }) => text)
    expect(readme).toContain('--take-ownership')
    expect(readme).toContain('`kubectl delete flowschema gone`')
    expect(changed).toContain('helm.sh/resource-policy: keep')
    expect(made).toBe(writeManifest('FlowSchema', schema('made', 300)))
    expect(exportHelm(changes.slice(1, 2))[1]?.text).not.toContain('--take-ownership')
  })

  it('leaves braces in texts as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', '"', ' ', '\n', '-') }), (text) => {
        const to = { ...schema('made', 300), metadata: { name: 'made', annotations: { text } } }
        const template = exportHelm([{ kind: 'FlowSchema', name: 'made', from: null, to }])[2]?.text ?? ''
        expect(rendered(template)).toBe(writeManifest('FlowSchema', to))
        expect(template.replaceAll('{{ "{{" }}', '')).not.toContain('{{')
      }),
    )
  })
})

describe('exportKustomize', () => {
  const files = exportKustomize(changes)
  const fileAt = (path: string): Json => {
    const found = files.find((file) => file.path === path)
    if (found === undefined) throw new Error(path)
    return readStyled(found.text) as Json
  }

  it('names every file that it makes, and no other', () => {
    const paths = [
      'flowschemas/made.yaml',
      'patches/prioritylevelconfigurations-workload-low.yaml',
      'patches/flowschemas-gone.yaml',
    ]
    expect(files.map(({ path }) => path).toSorted()).toEqual(['kustomization.yaml', ...paths].toSorted())
    expect(fileAt('kustomization.yaml')).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['../base', paths[0]],
      patches: [{ path: paths[1] }, { path: paths[2] }],
    })
    // An export without patches needs no base.
    expect(exportKustomize([changes[1] as DraftChange])[0]?.text).not.toContain('base')
  })

  it('turns the old object into the new one', () => {
    const patch = fileAt('patches/prioritylevelconfigurations-workload-low.yaml')
    const from = cleanManifest('PriorityLevelConfiguration', builtIn('workload-low'))
    expect(applyMergePatch(from, patch)).toEqual(cleanManifest('PriorityLevelConfiguration', rejecting))
    expect(patch).toMatchObject({ spec: { limited: { lendablePercent: null, limitResponse: { queuing: null } } } })
    expect(fileAt('patches/flowschemas-gone.yaml')).toEqual({
      $patch: 'delete',
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'gone' },
    })
  })
})

/** Applies a diff as `git apply` does; deleted files are absent. */
function applied(diff: string, files: readonly ExportedFile[]): Record<string, string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  for (const patch of parsePatch(diff)) {
    const name = (patch.isDelete === true ? patch.oldFileName : patch.newFileName)?.replace(/^[ab]\//, '') ?? ''
    const text = applyPatch(texts.get(name) ?? '', patch)
    if (text === false) throw new Error(`${name} does not apply`)
    if (patch.isDelete === true) texts.delete(name)
    else texts.set(name, text)
  }
  return Object.fromEntries(texts)
}

describe('exportDiff', () => {
  it('makes a file for each object', () => {
    const before = changes.flatMap(({ kind, name, from }) =>
      from === null ? [] : [{ path: `${kind.toLowerCase()}s/${name}.yaml`, text: writeManifest(kind, from) }],
    )
    const text = exportDiff(changes)
    expect(text).toContain(
      'diff --git a/flowschemas/made.yaml b/flowschemas/made.yaml\nnew file mode 100644\n--- /dev/null\n',
    )
    expect(text).toContain('deleted file mode 100644\n--- a/flowschemas/gone.yaml\n+++ /dev/null\n')
    expect(text).not.toContain('same')
    expect(applied(text, before)).toEqual({
      'prioritylevelconfigurations/workload-low.yaml': writeManifest('PriorityLevelConfiguration', rejecting),
      'flowschemas/made.yaml': writeManifest('FlowSchema', schema('made', 300)),
      'flowschemas/same.yaml': writeManifest('FlowSchema', schema('same', 500)),
    })
  })
})
