import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import { ChangeVerdictSchema, type ChangeVerdict, type ObjectsState } from '../../../../core/contract/objects.ts'
import { withEntry } from '../../../../core/draft/draft.ts'
import { writeManifest } from '../../../../core/manifest/write.ts'
import { NOTHING_DRAFTED, understand } from '../../../state/draft.logic.ts'
import type { DraftBase } from '../../../state/draftBase.ts'
import { applySteps } from './apply.logic.ts'
import { railsOf } from './forecast.ts'

const VERSION = 'v1.36.3'
const objects = builtInObjects(VERSION)
const target = { origin: 'cluster', targetKey: 'prod', objects, version: VERSION } as const
const base: DraftBase = target
const state: ObjectsState = {
  ...target,
  objects: { levels: [], schemas: [] },
  connection: 1,
  target: 'prod',
  state: 'current',
  editing: { state: 'on', since: '2026-01-01T00:00:00Z' },
}
const [level] = objects.levels.filter(({ metadata }) => metadata.name === 'system')
const text = writeManifest('PriorityLevelConfiguration', { ...level }).replace('Shares: 30', 'Shares: 31')
const entry = { kind: 'PriorityLevelConfiguration', name: 'system', text, base: { ...level } } as const
const draft = understand(withEntry([], entry), base, NOTHING_DRAFTED)

const verdict = (outcome: ChangeVerdict['outcome'], more: Partial<ChangeVerdict> = {}): ChangeVerdict =>
  ChangeVerdictSchema.parse({
    kind: 'PriorityLevelConfiguration',
    name: outcome,
    outcome,
    causes: [],
    conflicts: [],
    warnings: [],
    differences: [],
    ...more,
  })
const owned = verdict('conflict', {
  conflicts: [{ manager: 'kubectl', field: 'spec.limited', message: 'conflict with "kubectl"' }],
})

/** State of the dry-run step, and why the draft cannot be applied. */
function after(...verdicts: readonly ChangeVerdict[]): readonly (string | undefined)[] {
  const report = { at: '2026-01-01T00:00:00Z', verdicts: [...verdicts] }
  const dryRun = { of: draft.entries, outcome: { state: 'answered', report } } as const
  const apply = { seen: draft.entries, applying: false, dryRun }
  const { steps, why } = applySteps({ draft, state, apply, rails: [], timeOf: (at) => at })
  return [steps.find(({ id }) => id === 'dry-run')?.state, why]
}

describe('a dry run', () => {
  it('lets pass what the server accepts, and nothing that it rejects', () => {
    expect(after(verdict('accepted'), verdict('unchanged'))).toEqual(['done', undefined])
    expect(after(verdict('accepted'), verdict('rejected'))).toEqual([
      'blocked',
      'The server would not accept the draft.',
    ])
  })

  it('does not take a request that flow control rejected for a judgement', () => {
    expect(after(verdict('accepted'), verdict('throttled'))).toEqual(['warned', undefined])
  })

  it('does not stand in the way of taking over what other managers own', () => {
    expect(after(verdict('accepted'), owned)).toEqual(['warned', undefined])
    expect(after(owned, verdict('rejected'))[0]).toBe('blocked')
    expect(after(verdict('conflict'))[0]).toBe('blocked')
  })
})

describe('no green mark outlives what it was said of', () => {
  const report = { at: '2026-01-01T00:00:00Z', verdicts: [verdict('accepted')] }
  const apply = {
    seen: draft.entries,
    applying: false,
    dryRun: { of: draft.entries, outcome: { state: 'answered', report } },
  } as const
  const greenWith = (more: Partial<Parameters<typeof applySteps>[0]>): readonly string[] =>
    applySteps({ draft, state, apply, rails: [], timeOf: (at) => at, ...more })
      .steps.filter(({ state: is }) => is === 'done')
      .map(({ id }) => id)

  it('not a dry run that the server accepted before it or its permission was lost', () => {
    expect(greenWith({})).toContain('dry-run')
    expect(greenWith({ state: { ...state, state: 'stale' } })).not.toContain('dry-run')
    expect(greenWith({ state: { ...state, editing: { state: 'impossible', why: 'Expired.' } } })).not.toContain(
      'dry-run',
    )
  })

  it('nor one of an object that somebody changed since', () => {
    const levels = objects.levels.map((one) => (one === level ? { ...one, spec: { type: 'Exempt', exempt: {} } } : one))
    const moved = understand(draft.entries, { ...base, objects: { ...objects, levels } }, NOTHING_DRAFTED)
    expect(moved.reads[0]?.footing.kind).not.toBe('firm')
    expect(greenWith({ draft: moved })).toEqual(['impact', 'rails'])
  })
})

describe('guard rails', () => {
  it('are not passed by a draft with errors', () => {
    const broken = understand(withEntry([], { ...entry, text: text.replace('Shares: 31', 'Shares: -5') }), base, draft)
    const { steps } = applySteps({ draft: broken, state, apply: { applying: false }, rails: [], timeOf: () => '' })
    expect(steps.map(({ id, state: is, detail }) => [id, is, detail])).toContainEqual([
      'rails',
      'waiting',
      'not checked',
    ])
    const passes = { code: 'seats/passes', severity: 'passes', objects: [], message: '', evidence: [] } as const
    const blocks = { ...passes, severity: 'blocks' } as const
    expect(railsOf([passes, blocks], true)).toEqual([blocks])
    expect(railsOf([passes, blocks], false)).toEqual([passes, blocks])
  })
})
