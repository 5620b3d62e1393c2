import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { objectOf } from '../config/objects.ts'
import { editManifest } from '../manifest/edit.ts'
import { writeManifest } from '../manifest/write.ts'
import type { ObjectRef } from '../guard/finding.ts'
import {
  entryOf,
  freeName,
  parseRef,
  refKey,
  reverted,
  textOf,
  withDeletion,
  withText,
  type DraftEntries,
  recordStep,
  redoStep,
  startHistory,
  undoStep,
  type History,
} from './draft.ts'
import { withoutEffect } from './presets.ts'
import { readEntry } from './readEntry.ts'

const VERSION = 'v1.36.3'
const objects = builtInObjects(VERSION)
const LOW: ObjectRef = { kind: 'PriorityLevelConfiguration', name: 'workload-low' }
const SHARES = ['spec', 'limited', 'nominalConcurrencyShares']

const edited = (entries: DraftEntries, ref: ObjectRef, path: readonly (string | number)[], value: unknown) => {
  const edit = editManifest(textOf(entries, objects, ref) ?? '', path, value)
  if (!edit.ok) throw new Error(edit.why)
  return withText(entries, objects, ref, edit.text)
}

describe('references', () => {
  it('are read back from addresses, and nothing else is', () => {
    expect(parseRef(refKey(LOW))).toEqual(LOW)
    expect(['', 'workload-low', 'Pod/a', 'FlowSchema/', undefined].map(parseRef)).toEqual(Array(5).fill(undefined))
  })
})

describe('a draft', () => {
  it('keeps the object that an edit began from, once', () => {
    const once = edited([], LOW, SHARES, 30)
    const twice = edited(once, LOW, SHARES, 31)
    expect(twice).toHaveLength(1)
    expect(twice[0]?.base).toEqual(objectOf(objects, LOW))
    expect(twice[0]?.text).toContain('nominalConcurrencyShares: 31')
  })

  it('forgets an edit that comes back to where it began', () => {
    expect(edited(edited([], LOW, SHARES, 30), LOW, SHARES, 100)).toEqual([])
  })

  it('leaves a suggested object without effect, which its server keeps', () => {
    const of = (kind: ObjectRef['kind'], name: string, set = objects) =>
      withoutEffect([], { objects: set, version: VERSION }, { kind, name })?.[0]?.text
    expect(of('FlowSchema', 'probes')).toMatch(/autoupdate-spec: ["']false["'][\s\S]*rules: \[\]/)
    // Its flow schemas would wait for seats that it has not got.
    expect(of('PriorityLevelConfiguration', 'workload-low')).toBeUndefined()
    expect(of('PriorityLevelConfiguration', 'workload-low', { ...objects, schemas: [] })).toMatch(
      /autoupdate-spec: ["']false["'][\s\S]*nominalConcurrencyShares: 0/,
    )
    // Not suggested: one is mandatory, the other is nobody's.
    expect(of('FlowSchema', 'catch-all')).toBeUndefined()
    expect(of('FlowSchema', 'mine')).toBeUndefined()
  })

  it('deletes what is there and drops what is new', () => {
    expect(withDeletion([], objects, LOW)).toMatchObject([{ ...LOW, text: null }])
    const made = withText([], objects, { kind: 'FlowSchema', name: 'mine' }, 'kind: FlowSchema\n')
    expect(made[0]).not.toHaveProperty('base')
    expect(withDeletion(made, objects, { kind: 'FlowSchema', name: 'mine' })).toEqual([])
  })

  it('takes one object back and leaves the others', () => {
    const both = withDeletion(edited([], LOW, SHARES, 30), objects, { ...LOW, name: 'system' })
    expect(reverted(both, LOW).map(refKey)).toEqual(['PriorityLevelConfiguration/system'])
    expect(entryOf(reverted(both, LOW), LOW)).toBeUndefined()
  })

  it('finds names that nothing has', () => {
    expect(freeName([], objects, 'FlowSchema', 'mine')).toBe('mine')
    expect(freeName([], objects, 'FlowSchema', 'probes')).toBe('probes-2')
    const taken = withText([], objects, { kind: 'FlowSchema', name: 'probes-2' }, '')
    expect(freeName(taken, objects, 'FlowSchema', 'probes')).toBe('probes-3')
  })
})

const fields = fc.record(
  {
    shares: fc.integer({ min: 0, max: 1_000 }),
    lendable: fc.integer({ min: 0, max: 100 }),
    borrowing: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
    queues: fc.integer({ min: 16, max: 256 }),
  },
  { requiredKeys: [] },
)
const PATHS = {
  shares: SHARES,
  lendable: ['spec', 'limited', 'lendablePercent'],
  borrowing: ['spec', 'limited', 'borrowingLimitPercent'],
  queues: ['spec', 'limited', 'limitResponse', 'queuing', 'queues'],
} as const

describe('form and YAML', () => {
  it('say the same: a field set in the form reads back from the text, whatever comments it has', () => {
    const levels = objects.levels.filter(({ spec }) => spec.limited?.limitResponse.type === 'Queue')
    fc.assert(
      fc.property(fc.constantFrom(...levels), fields, fc.constantFrom('', '# why\n'), (level, wanted, comment) => {
        const ref: ObjectRef = { kind: 'PriorityLevelConfiguration', name: level.metadata.name }
        let entries = withText([], objects, ref, comment + writeManifest(ref.kind, level))
        for (const key of ['shares', 'lendable', 'borrowing', 'queues'] as const) {
          if (key in wanted) entries = edited(entries, ref, PATHS[key], wanted[key])
        }
        const entry = entryOf(entries, ref)
        fc.pre(entry !== undefined)
        const limited = readEntry(entry, VERSION).checked?.defaulted.spec
        expect(limited).toMatchObject({
          limited: {
            nominalConcurrencyShares: wanted.shares ?? level.spec.limited?.nominalConcurrencyShares,
            lendablePercent: wanted.lendable ?? level.spec.limited?.lendablePercent,
          },
        })
        expect(entry.text).toContain(comment)
      }),
    )
  })
})

describe('undo', () => {
  type Step =
    | { readonly do: 'set'; readonly name: string; readonly shares: number }
    | { readonly do: 'delete'; readonly name: string }
  const name = fc.constantFrom('system', 'workload-low', 'global-default')
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constant('set' as const), name, shares: fc.integer({ min: 1, max: 99 }) }),
    fc.record({ do: fc.constant('delete' as const), name }),
  )
  const take = (entries: DraftEntries, one: Step): DraftEntries => {
    const ref: ObjectRef = { kind: 'PriorityLevelConfiguration', name: one.name }
    if (one.do === 'delete') return withDeletion(entries, objects, ref)
    return textOf(entries, objects, ref) === undefined ? entries : edited(entries, ref, SHARES, one.shares)
  }

  it('of any steps restores exactly what was, and redo what became of it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let history: History<DraftEntries> = startHistory([])
        const states: DraftEntries[] = [history.present]
        for (const one of steps) {
          const next = recordStep(history, take(history.present, one))
          if (next !== history) states.push(next.present)
          history = next
        }
        for (const state of states.toReversed()) {
          expect(history.present).toBe(state)
          history = undoStep(history)
        }
        expect(history.present).toBe(states[0])
        for (const state of states) {
          expect(history.present).toBe(state)
          history = redoStep(history)
        }
      }),
    )
  })

  it('takes back together what was typed without a rest, and begins anew after one', () => {
    let history = startHistory('')
    history = recordStep(history, 'a', { group: 'text', at: 0 })
    history = recordStep(history, 'ab', { group: 'text', at: 500 })
    history = recordStep(history, 'abc', { group: 'text', at: 2_000 })
    history = recordStep(history, 'abcd', { group: 'other', at: 2_100 })
    expect(undoStep(history).present).toBe('abc')
    expect(undoStep(undoStep(history)).present).toBe('ab')
    expect(undoStep(undoStep(undoStep(history))).present).toBe('')
    expect(undoStep(startHistory('x')).present).toBe('x')
    expect(redoStep(startHistory('x')).present).toBe('x')
  })

  it('does not add to a step that was taken back', () => {
    const typed = recordStep(startHistory(''), 'a', { group: 'text', at: 0 })
    const again = recordStep(undoStep(typed), 'b', { group: 'text', at: 100 })
    expect(undoStep(again).present).toBe('')
    expect(again.future).toEqual([])
  })
})
