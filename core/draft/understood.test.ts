import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { ObjectRef } from '../guard/finding.ts'
import { cleanManifest, writeManifest } from '../manifest/write.ts'
import { toJson } from '../manifest/json.ts'
import { applyFix, importManifests } from './importManifests.ts'
import { withCopy, withObjects, emptyObject, PRESETS } from './presets.ts'
import { changesOf, exportedChanges, proposalOf, errorsOf, nameClash, readEntry, footingOf } from './readEntry.ts'
import { textOf, withDeletion, withText, type DraftEntries, type DraftEntry } from './draft.ts'
import { differingFields, mergedText } from './threeWay.ts'

const VERSION = 'v1.36.3'
const builtIn = builtInObjects(VERSION)
/** As stored by a server. */
const objects: ObjectSet = {
  levels: builtIn.levels.map((level, index) => ({
    ...level,
    metadata: { ...level.metadata, uid: `level-${index}`, resourceVersion: '7' },
  })),
  schemas: builtIn.schemas.map((schema, index) => ({
    ...schema,
    metadata: { ...schema.metadata, uid: `schema-${index}`, resourceVersion: '7' },
  })),
}
const LOW: ObjectRef = { kind: 'PriorityLevelConfiguration', name: 'workload-low' }
const lowText = textOf([], objects, LOW) ?? ''
const withShares = (shares: number): string => lowText.replace('Shares: 100', `Shares: ${shares}`)
const read = (entries: DraftEntries) => entries.map((entry) => readEntry(entry, VERSION))
const only = (entries: DraftEntries): DraftEntry => {
  const [entry] = entries
  if (entry === undefined) throw new Error('the draft has an entry')
  return entry
}
const levelNamed = (set: ObjectSet, name: string) => set.levels.find(({ metadata }) => metadata.name === name)

describe('an entry', () => {
  it('is understood with its findings where they are', () => {
    const found = readEntry(only(withText([], objects, LOW, withShares(-1))), VERSION)
    expect(errorsOf(found)).toMatchObject([{ field: 'spec.limited.nominalConcurrencyShares', line: 10 }])
    expect(found.checked).toBeUndefined()
    expect(found.document?.checked?.object).toBeDefined()
    expect(found.findings.every(({ severity }) => severity === 'error')).toBe(true)
  })

  it.each([
    ['', /contains no object/],
    ['a: [', /./],
    [`${lowText}---\n${lowText}`, /its own text/],
    [lowText.replace('name: workload-low', 'name: other'), /cannot be renamed/],
    [lowText.replace('PriorityLevelConfiguration', 'FlowSchema'), /make a new object/],
  ])('whose text is %j is refused in words', (text, words) => {
    const found = readEntry(only(withText([], objects, LOW, text)), VERSION)
    expect(
      errorsOf(found)
        .map(({ message }) => message)
        .join(' '),
    ).toMatch(words)
    expect(found.checked).toBeUndefined()
  })

  it('may be new under any name that no other has', () => {
    const { entries } = withObjects([], objects, [emptyObject('FlowSchema', 'mine')])
    const found = readEntry(only(entries), VERSION)
    expect(nameClash(found, [])).toBeUndefined()
    expect(nameClash(found, [{ kind: 'PriorityLevelConfiguration', name: 'mine' }])).toBeUndefined()
    expect(nameClash(found, [{ kind: 'FlowSchema', name: 'mine' }])?.field).toBe('metadata.name')
  })
})

describe('what a draft proposes', () => {
  it('is the configuration with its objects in place, defaults filled in', () => {
    const text =
      'kind: PriorityLevelConfiguration\napiVersion: flowcontrol.apiserver.k8s.io/v1\nmetadata:\n  name: mine\nspec:\n  type: Limited\n  limited:\n    limitResponse:\n      type: Reject\n'
    const entries = withDeletion(
      withText(withText([], objects, LOW, withShares(30)), objects, { ...LOW, name: 'mine' }, text),
      objects,
      { kind: 'FlowSchema', name: 'probes' },
    )
    const { objects: proposed, stale } = proposalOf(objects, read(entries), () => undefined)
    expect(stale).toEqual([])
    expect(levelNamed(proposed, 'workload-low')?.spec.limited?.nominalConcurrencyShares).toBe(30)
    expect(levelNamed(proposed, 'workload-low')?.metadata.uid).toBe(levelNamed(objects, 'workload-low')?.metadata.uid)
    expect(levelNamed(proposed, 'mine')?.spec.limited?.nominalConcurrencyShares).toBe(30)
    expect(proposed.schemas).toHaveLength(objects.schemas.length - 1)
  })

  it('stays with the last text that was in order', () => {
    const good = readEntry(only(withText([], objects, LOW, withShares(30))), VERSION).checked
    const broken = withText([], objects, LOW, `${withShares(40)} :`)
    const { objects: proposed, stale } = proposalOf(objects, read(broken), () => good)
    expect(levelNamed(proposed, 'workload-low')?.spec.limited?.nominalConcurrencyShares).toBe(30)
    expect(stale).toEqual([LOW])
    const { objects: untouched } = proposalOf(objects, read(broken), () => undefined)
    expect(levelNamed(untouched, 'workload-low')?.spec.limited?.nominalConcurrencyShares).toBe(100)
  })
})

describe('what the server is asked for', () => {
  const [isolate] = PRESETS
  const [first, second] = isolate?.objects ?? []
  if (first === undefined || second === undefined) throw new Error('the first preset has two objects')
  const made = withObjects([], objects, [first, second])

  it('comes in an order in which no schema names a level that is not there', () => {
    const entries = withDeletion(
      withDeletion(withText(made.entries, objects, LOW, withShares(30)), objects, { ...LOW, name: 'system' }),
      objects,
      { kind: 'FlowSchema', name: 'probes' },
    )
    const changes = changesOf(read(entries), objects)
    expect(changes.map(({ kind, name, object }) => `${object === null ? '-' : '+'} ${kind} ${name}`)).toEqual([
      '+ PriorityLevelConfiguration list-events',
      '+ PriorityLevelConfiguration workload-low',
      '+ FlowSchema list-events',
      '- FlowSchema probes',
      '- PriorityLevelConfiguration system',
    ])
  })

  it('names the version that is there while the content is the same, and the one it began from when it is not', () => {
    const entries = withText([], objects, LOW, withShares(30))
    const later = (shares: number): ObjectSet => ({
      ...objects,
      levels: objects.levels.map((level) =>
        level.metadata.name === LOW.name && level.spec.limited !== undefined
          ? {
              metadata: { ...level.metadata, resourceVersion: '8' },
              spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: shares } },
            }
          : level,
      ),
    })
    expect(changesOf(read(entries), later(100))[0]?.base?.resourceVersion).toBe('8')
    expect(changesOf(read(entries), later(50))[0]?.base?.resourceVersion).toBe('7')
    expect(footingOf(only(entries), LOW.name, later(100)).kind).toBe('firm')
    expect(footingOf(only(entries), LOW.name, later(50)).kind).toBe('moved')
    expect(footingOf(only(entries), LOW.name, { levels: [], schemas: [] }).kind).toBe('gone')
    expect(footingOf(only(made.entries), 'probes', objects).kind).toBe('exists')
  })

  it('leaves out what is not in order, and so do exports', () => {
    const entries = withText(withText([], objects, LOW, 'a: ['), objects, { ...LOW, name: 'system' }, lowText)
    expect(changesOf(read(entries), objects)).toEqual([])
    expect(exportedChanges(read(entries))).toEqual([])
    expect(exportedChanges(read(withDeletion([], objects, LOW)))).toMatchObject([{ ...LOW, to: null }])
  })
})

describe('what a draft begins with', () => {
  it.each(PRESETS.map((preset) => [preset.id, preset] as const))(
    '%s is in order and leads to levels that exist',
    (_, preset) => {
      const [first, ...others] = preset.objects
      if (first === undefined) throw new Error('a preset has an object')
      const { entries, opened } = withObjects([], objects, [first, ...others])
      const reads = read(entries)
      expect(reads.flatMap(errorsOf)).toEqual([])
      expect(opened.kind).toBe(first.kind)
      const { objects: proposed } = proposalOf(objects, reads, () => undefined)
      const levels = new Set(proposed.levels.map(({ metadata }) => metadata.name))
      expect(proposed.schemas.every(({ spec }) => levels.has(spec.priorityLevelConfiguration.name))).toBe(true)
    },
  )

  it('takes names that are free, and the schema follows its level', () => {
    const [isolate] = PRESETS
    const [first, second] = isolate?.objects ?? []
    if (first === undefined || second === undefined) throw new Error('the first preset has two objects')
    const once = withObjects([], objects, [first, second])
    const twice = withObjects(once.entries, objects, [first, second])
    expect(twice.opened.name).toBe('list-events-2')
    expect(textOf(twice.entries, objects, twice.opened)).toMatch(/priorityLevelConfiguration:\n\s+name: list-events-2/)
  })

  it('may be a copy, with its comments', () => {
    const entries = withText([], objects, LOW, `# why\n${lowText}`)
    const copy = withCopy(entries, objects, LOW)
    expect(copy?.opened.name).toBe('workload-low-copy')
    expect(copy && textOf(copy.entries, objects, copy.opened)).toContain('# why')
    expect(withCopy([], objects, { ...LOW, name: 'none' })).toBeUndefined()
  })

  it('may be empty objects of both kinds', () => {
    for (const kind of ['FlowSchema', 'PriorityLevelConfiguration'] as const) {
      const { entries } = withObjects([], objects, [emptyObject(kind, 'mine')])
      expect(read(entries).flatMap(errorsOf)).toEqual([])
    }
  })
})

describe('manifests', () => {
  const take = (text: string) => importManifests([], objects, [{ file: 'a.yaml', text }], VERSION)

  it('become as many objects as they hold, each with its comments', () => {
    const { entries, taken } = take(
      `# one\n${withShares(30)}---\n# two\n${textOf([], objects, { kind: 'FlowSchema', name: 'probes' })}`,
    )
    expect(taken).toBe(2)
    expect(entries.map(({ text }) => text?.split('\n')[0])).toEqual(['# one', '# two'])
    expect(entries.every(({ base }) => base !== undefined)).toBe(true)
  })

  it('of earlier versions are written as v1, with a note', () => {
    const old = withShares(30)
      .replace('k8s.io/v1', 'k8s.io/v1beta2')
      .replace('nominalConcurrencyShares', 'assuredConcurrencyShares')
    const { entries, notes } = take(old)
    expect(entries[0]?.text).toContain('nominalConcurrencyShares: 30')
    expect(entries[0]?.text).toContain('k8s.io/v1\n')
    expect(notes.length).toBeGreaterThan(0)
  })

  it('in lists and JSON are written as YAML', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [cleanManifest('PriorityLevelConfiguration', objects.levels[3] ?? {})],
    }
    expect(take(JSON.stringify(list)).taken).toBe(1)
  })

  it('that hold nothing say why', () => {
    expect(take('kind: Pod\napiVersion: v1\n').taken).toBe(0)
    expect(take('a: [').findings).not.toEqual([])
  })
})

describe('three versions of an object', () => {
  const clean = (text: string) =>
    cleanManifest(LOW.kind, readEntry({ ...LOW, text }, VERSION).document?.checked?.object ?? {})
  const base = clean(lowText)
  const mineText = `# mine\n${withShares(80)}`
  const theirs = clean(
    lowText.replace('Shares: 100', 'Shares: 60').replace('lendablePercent: 90', 'lendablePercent: 50'),
  )
  const differences = differingFields(base, clean(mineText), theirs)
  const merge = (take: readonly string[]) => {
    const merged = mergedText(mineText, toJson(clean(mineText)), differences, new Set(take))
    if (!merged.ok) throw new Error(merged.why)
    return merged.text
  }

  it('differ field by field', () => {
    expect(differences.map(({ field, changedBy }) => [field, changedBy])).toEqual([
      ['spec.limited.nominalConcurrencyShares', 'conflict'],
      ['spec.limited.lendablePercent', 'them'],
    ])
  })

  it('are merged: what only they changed is taken, the rest is chosen, comments stay', () => {
    expect(clean(merge([]))).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 80, lendablePercent: 50 } } })
    expect(clean(merge(['spec.limited.nominalConcurrencyShares']))).toEqual(theirs)
    expect(merge([])).toContain('# mine')
  })

  it('lose a map with its last member', () => {
    const reject = clean(lowText.replace(/type: Queue[^]*$/, 'type: Reject\n'))
    const merged = mergedText(lowText, toJson(base), differingFields(base, base, reject), new Set())
    expect(merged.ok && clean(merged.text)).toEqual(reject)
  })
})

describe('a guard rail’s remedy', () => {
  it('is a step of the draft', () => {
    const path = ['metadata', 'annotations', 'apf.kubernetes.io/autoupdate-spec']
    const entries = applyFix([], objects, { action: 'set', object: LOW, path, value: 'false' })
    expect(entries[0]?.text).toMatch(/autoupdate-spec: ['"]false['"]/)
    const added = applyFix(entries, objects, { action: 'add', ...emptyObject('FlowSchema', 'probes') })
    expect(added.map(({ name }) => name)).toEqual(['workload-low', 'probes-2'])
    expect(applyFix([], objects, { action: 'set', object: { ...LOW, name: 'none' }, path, value: '' })).toEqual([])
    expect(writeManifest('PriorityLevelConfiguration', objects.levels[0] ?? {})).toContain('kind:')
  })
})
