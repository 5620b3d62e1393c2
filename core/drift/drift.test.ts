import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { captureVersions, readFixture } from '../../test/fixtures/load.ts'
import { validFlowSchemaArbitrary, validLevelArbitrary } from '../../test/fixtures/configObjects.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { AUTOUPDATE_ANNOTATION, type FlowSchema, type ObjectSet } from '../config/objects.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { driftBetween, driftFromBuiltIn, isDrifted } from './drift.ts'

const ItemsSchema = z.object({ items: z.array(z.unknown()) })

const VERSION = 'v1.36.3'
const builtIn = builtInObjects(VERSION)

function withShares(shares: number, annotation: string): ObjectSet {
  return {
    ...builtIn,
    levels: builtIn.levels.map((level) =>
      level.metadata.name !== 'workload-low' || level.spec.limited === undefined
        ? level
        : {
            metadata: { ...level.metadata, generation: 2, annotations: { [AUTOUPDATE_ANNOTATION]: annotation } },
            spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: shares } },
          },
    ),
  }
}

const itemsOf = (version: string, plural: string): unknown =>
  JSON.parse(readFixture(`captures/${version}/objects/${plural}.json.gz`).toString('utf8'))

/** The objects of an idle real server. */
const captured = (version: string): ObjectSet =>
  ObjectSetSchema.parse({
    levels: ItemsSchema.parse(itemsOf(version, 'prioritylevelconfigurations')).items,
    schemas: ItemsSchema.parse(itemsOf(version, 'flowschemas')).items,
  })

describe('drift', () => {
  it.each(captureVersions)('is none of a server %s that nobody touched', (version) => {
    const { rows } = driftFromBuiltIn(captured(version), version)
    expect(rows.filter(({ change }) => change !== 'extra')).toEqual([])
  })

  it('names the fields, and whether the server puts them back', () => {
    const [put] = driftFromBuiltIn(withShares(120, 'true'), VERSION).rows
    expect(put).toMatchObject({
      name: 'workload-low',
      change: 'changed',
      builtIn: 'suggested',
      fields: [{ field: 'spec.limited.nominalConcurrencyShares', from: 100, to: 120 }],
      server: { verdict: 'put-back' },
    })
    const [kept] = driftFromBuiltIn(withShares(120, 'false'), VERSION).rows
    expect(kept?.server.verdict).toBe('kept')
    expect(kept?.fields.map(({ field }) => field)).toEqual([
      `metadata.annotations[${AUTOUPDATE_ANNOTATION}]`,
      'spec.limited.nominalConcurrencyShares',
    ])
  })

  it('tells what is missing from what people added', () => {
    const own: FlowSchema = {
      metadata: { name: 'own' },
      spec: { priorityLevelConfiguration: { name: 'system' }, matchingPrecedence: 700 },
    }
    const drift = driftFromBuiltIn({ ...builtIn, schemas: [...builtIn.schemas.slice(1), own] }, VERSION)
    expect(drift.rows.map(({ name, change, server }) => [name, change, server.verdict])).toEqual([
      [builtIn.schemas[0]?.metadata.name, 'missing', 'recreated'],
      ['own', 'extra', 'kept'],
    ])
    expect(isDrifted(drift)).toBe(true)
    expect(isDrifted(driftFromBuiltIn({ ...builtIn, schemas: [...builtIn.schemas, own] }, VERSION))).toBe(false)
  })

  it('is the same in both directions, and none of a configuration from itself', () => {
    const set = fc.record({
      levels: fc.uniqueArray(validLevelArbitrary, { maxLength: 4, selector: ({ metadata }) => metadata.name }),
      schemas: fc.uniqueArray(validFlowSchemaArbitrary, { maxLength: 4, selector: ({ metadata }) => metadata.name }),
    })
    fc.assert(
      fc.property(set, set, (one, other) => {
        expect(driftBetween(one, one, VERSION)).toEqual({ rows: [], same: one.levels.length + one.schemas.length })
        const there = driftBetween(one, other, VERSION)
        const back = driftBetween(other, one, VERSION)
        const opposite = { changed: 'changed', missing: 'extra', extra: 'missing' } as const
        expect(there.rows.map(({ kind, name, change }) => [kind, name, change])).toEqual(
          back.rows.map(({ kind, name, change }) => [kind, name, opposite[change]]),
        )
        expect(there.same).toBe(back.same)
      }),
      { numRuns: 60 },
    )
  })
})
