import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import { serverFrame } from '../../test/fixtures/frames.ts'
import type { Noted } from '../contract/recording.ts'
import { marksOfLevel, objectChanges, pastWrites, processChanges } from './noted.ts'

const OBJECTS = builtInObjects('v1.36.3')
const AT = Date.parse('2026-11-21T03:12:43.000Z')
const EDITED = '2026-11-21T03:12:42.000Z'

const withShares = (shares: number, managers: readonly (readonly [string, string])[] = []): ObjectSet => ({
  ...OBJECTS,
  levels: OBJECTS.levels.map((level): PriorityLevelConfiguration =>
    level.metadata.name !== 'workload-low' || level.spec.limited === undefined
      ? level
      : {
          metadata: {
            ...level.metadata,
            managedFields: [
              ...managers.map(([manager, time]) => ({ manager, time })),
              {
                manager: 'api-priority-and-fairness-config-consumer-v1',
                subresource: 'status',
                time: '2030-01-01T00:00:00Z',
              },
            ],
          },
          spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: shares } },
        },
  ),
})

describe('changes of objects', () => {
  it('name the field, both values and the author; the status is nobody’s edit', () => {
    const after = withShares(20, [
      ['api-priority-and-fairness-config-producer-v1', '2026-11-20T00:00:00Z'],
      ['kubectl-edit', EDITED],
    ])
    expect(objectChanges(withShares(100), after, AT)).toEqual([
      {
        at: Date.parse(EDITED),
        kind: 'object',
        level: 'workload-low',
        text: 'PriorityLevelConfiguration workload-low changed by kubectl-edit: nominalConcurrencyShares 100 → 20',
      },
    ])
    expect(objectChanges(after, after, AT)).toEqual([])
  })

  it('tell what was created and deleted', () => {
    const without = { ...OBJECTS, schemas: OBJECTS.schemas.filter(({ metadata }) => metadata.name !== 'probes') }
    expect(objectChanges(OBJECTS, without, AT)).toEqual([
      { at: AT, kind: 'object', level: 'exempt', text: 'FlowSchema probes deleted' },
    ])
    expect(objectChanges(without, OBJECTS, AT)[0]).toMatchObject({ at: AT, text: 'FlowSchema probes created' })
  })

  it('know the last write from before the console came', () => {
    expect(pastWrites(withShares(20, [['kubectl-edit', EDITED]]))).toEqual([
      {
        at: Date.parse(EDITED),
        kind: 'object',
        level: 'workload-low',
        text: 'PriorityLevelConfiguration workload-low changed by kubectl-edit',
      },
    ])
  })
})

describe('changes of the process', () => {
  it('are a restart and another version', () => {
    const before = serverFrame(0, [], { startedAt: 1_000, version: 'v1.36.3' })
    const after = serverFrame(5, [], { startedAt: 1_000.4, version: 'v1.36.3' })
    expect(processChanges(before, after)).toEqual([])
    const upgraded = serverFrame(5, [], { startedAt: 2_000, version: 'v1.37.0' })
    expect(processChanges(before, upgraded).map(({ kind }) => kind)).toEqual(['restarted', 'version'])
    expect(processChanges(before, upgraded)[1]?.text).toMatch(/changed from v1\.36\.3 to v1\.37\.0$/)
  })
})

it('the marks of a level are its edits, and what befell its server', () => {
  const noted: readonly Noted[] = [
    { at: 1, kind: 'object', text: 'changed', level: 'workload-low' },
    { at: 2, kind: 'object', text: 'changed', level: 'workload-high' },
    { at: 3, kind: 'object', text: 'a schema of no level changed' },
    { at: 4, kind: 'restarted', text: 'a started', server: 'a' },
    { at: 5, kind: 'version', text: 'b changed', server: 'b' },
    { at: 6, kind: 'alert', text: 'fired', level: 'workload-low', server: 'a' },
    { at: 7, kind: 'alert', text: 'fired', level: 'workload-high', server: 'a' },
    { at: 8, kind: 'resolved', text: 'resolved', level: 'workload-low', server: 'a' },
  ]
  expect(marksOfLevel(noted, 'workload-low', 'a').map(({ at, kind }) => [at, kind])).toEqual([
    [1, 'object'],
    [4, 'restarted'],
    [6, 'alert'],
  ])
})
