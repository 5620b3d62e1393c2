import { expect, it } from 'vitest'
import { ChangeVerdictSchema, type AppliedChange, type ChangeVerdict } from '../../../../core/contract/objects.ts'
import { appliedTitle, editedLevels, outcomeText, retryText } from './apply.logic.ts'

const verdict = (outcome: ChangeVerdict['outcome']): ChangeVerdict =>
  ChangeVerdictSchema.parse({
    kind: 'FlowSchema',
    name: 'a',
    outcome,
    causes: [],
    conflicts: [],
    warnings: [],
    differences: [],
  })

it('calls applied only what was', () => {
  const title = (...outcomes: readonly ChangeVerdict['outcome'][]) => appliedTitle(outcomes.map(verdict))
  expect(title('accepted', 'unchanged')).toBe('Applied')
  expect(title('accepted', 'throttled', 'skipped')).toBe('Partly applied')
  expect(title('throttled', 'skipped')).toBe('Not applied')
  expect(title('failed')).toBe('Not applied')
  expect(outcomeText(verdict('throttled'), true)).toBe(
    'was not changed: the server rejected the request with 429. Apply it again when the server is less busy.',
  )
})

it('counts down to the next try', () => {
  const waiting = { until: '2026-01-01T00:00:05.000Z', attempt: 2, most: 10 }
  const at = (text: string): string => retryText(waiting, Date.parse(text))
  expect(at('2026-01-01T00:00:02.100Z')).toMatch(/Next attempt in 3 s \(2 of 10\)/)
  // An earlier object may have been applied.
  expect(at('2026-01-01T00:00:02.100Z')).not.toMatch(/nothing/)
  expect(at('2026-01-01T00:00:09.000Z')).toMatch(/Next attempt in 0 s/)
})

it('names the levels to look at after an application', () => {
  const of = (kind: AppliedChange['kind'], name: string, to: AppliedChange['to']): AppliedChange => ({
    kind,
    name,
    from: null,
    to,
    state: 'applied',
  })
  expect(
    editedLevels({
      changes: [
        of('PriorityLevelConfiguration', 'own', { spec: {} }),
        of('FlowSchema', 'probes', { spec: { priorityLevelConfiguration: { name: 'own' } } }),
        of('FlowSchema', 'other', { spec: { priorityLevelConfiguration: { name: 'system' } } }),
        of('PriorityLevelConfiguration', 'gone', null),
      ],
    }),
  ).toEqual(['own', 'system', 'gone'])
})
