import { describe, expect, it, test } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import { levelFrame, schemaFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import type { Note } from '../contract/recording.ts'
import { createNoter, objectChanges, pastWrites, processChanges } from './noter.ts'
import { joinNotes, marksOfLevel } from './notes.ts'

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
    // The annotation that keeps an edit is not what the edit is about.
    const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'false' }
    const kept = after.levels.map((level) => ({ ...level, metadata: { ...level.metadata, annotations } }))
    const low = objectChanges(withShares(100), { ...after, levels: kept }, AT).find(
      ({ level }) => level === 'workload-low',
    )
    expect(low?.text).toMatch(/by kubectl-edit: nominalConcurrencyShares 100 → 20$/)
    expect(objectChanges(after, { ...after, levels: kept }, AT)[0]?.text).toMatch(
      /changed: autoupdate-spec "true" → "false"$/,
    )
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
  const notes: readonly Note[] = [
    { at: 1, kind: 'object', text: 'changed', level: 'workload-low' },
    { at: 2, kind: 'object', text: 'changed', level: 'workload-high' },
    { at: 3, kind: 'object', text: 'a schema of no level changed' },
    { at: 4, kind: 'restarted', text: 'a started', server: 'a' },
    { at: 5, kind: 'version', text: 'b changed', server: 'b' },
    { at: 6, kind: 'alert', text: 'fired', level: 'workload-low', server: 'a' },
    { at: 7, kind: 'alert', text: 'fired', level: 'workload-high', server: 'a' },
    { at: 8, kind: 'resolved', text: 'resolved', level: 'workload-low', server: 'a' },
  ]
  expect(marksOfLevel(notes, 'workload-low', 'a').map(({ at, kind }) => [at, kind])).toEqual([
    [1, 'object'],
    [4, 'restarted'],
    [6, 'alert'],
  ])
})

describe('what the metrics alone show', () => {
  const limited = (seconds: number, nominal: number, upper = 40) =>
    serverFrame(seconds, [
      levelFrame('a', [], { limits: { nominal, lower: 5, upper, current: 10 } }),
      levelFrame('b', []),
    ])

  it('limits that no recomputation changes are a configuration, unless the objects tell of it', () => {
    const noter = createNoter()
    expect([limited(0, 10), limited(10, 10)].flatMap((frame) => noter.takeServer(frame))).toEqual([])
    expect(noter.takeServer(limited(20, 30))).toEqual([
      {
        at: START_MS + 20_000,
        kind: 'reconfigured',
        server: 'api-1:6443',
        text: 'limits configured otherwise: a nominal 10 → 30',
      },
    ])
    expect(noter.takeServer(limited(30, 30, 50))[0]?.text).toBe('limits configured otherwise: a upper 40 → 50')
    noter.takeObjects({ state: 'current', objects: { levels: [], schemas: [] } }, START_MS)
    expect(noter.takeServer(limited(40, 10))).toEqual([])
  })

  const rejecting = (seconds: number, total: number, startedAt = 1_000) =>
    serverFrame(
      seconds,
      [
        levelFrame('a', [
          schemaFrame('s', { rejected: { 'queue-full': total, 'concurrency-limit': 0, 'time-out': 0 } }),
        ]),
      ],
      { startedAt },
    )
  const rejections = (frames: readonly ReturnType<typeof rejecting>[]) => {
    const noter = createNoter()
    return frames.flatMap((frame) => noter.takeServer(frame)).filter(({ kind }) => kind === 'rejecting')
  }

  it('a level begins to reject after a quiet minute, and once for as long as it goes on', () => {
    const found = rejections([
      rejecting(0, 7),
      rejecting(10, 7),
      rejecting(20, 9),
      rejecting(30, 9),
      rejecting(60, 12),
      rejecting(130, 12),
      rejecting(140, 13),
    ])
    expect(found.map(({ at, text }) => [(at - START_MS) / 1_000, text])).toEqual([
      [20, 'a began to reject, queue-full'],
      [140, 'a began to reject, queue-full'],
    ])
    expect(found[0]).toMatchObject({ level: 'a', server: 'api-1:6443' })
  })

  it('rejections count from 0 after a restart', () => {
    expect(rejections([rejecting(0, 7), rejecting(10, 7), rejecting(20, 3, 2_000)])).toHaveLength(1)
    expect(rejections([rejecting(0, 7), rejecting(10, 7), rejecting(20, 0, 2_000)])).toEqual([])
  })
})

test('two readings of the same time are one, in the order of time', () => {
  const note = (at: number, text: string): Note => ({ at, kind: 'alert', text })
  const recorded = [note(100_000, 'x'), note(900_000, 'x')]
  expect(joinNotes(recorded, [])).toBe(recorded)
  expect(joinNotes(recorded, [note(0, 'y'), note(160_000, 'x'), note(500_000, 'x')]).map(({ at }) => at)).toEqual([
    0, 100_000, 500_000, 900_000,
  ])
})
