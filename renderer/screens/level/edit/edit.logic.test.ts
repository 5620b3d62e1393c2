import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mandatoryLevels, suggestedLevels } from '../../../../core/config/builtIn.ts'
import { SimulationObjectsSchema } from '../../../../core/contract/simulation.ts'
import { BOUNDS, configuredOf, effectsOf, FIELDS, formOf, readForm, withLevel, type LevelObject } from './edit.logic.ts'

const objects = SimulationObjectsSchema.parse({ levels: [...mandatoryLevels, ...suggestedLevels], schemas: [] })
function levelOf(name: string): LevelObject {
  const level = objects.levels.find(({ metadata }) => metadata.name === name)
  if (level === undefined) throw new Error(`no built-in level ${name}`)
  return level
}
const low = levelOf('workload-low')

describe('the form of a level', () => {
  it.each(objects.levels.map((level) => [level.metadata.name, level]))('says and reads back %s', (_, level) => {
    expect(readForm(formOf(level), level)).toEqual({ ok: true, level })
  })

  it('has the fields that the type of the level has', () => {
    expect(Object.keys(formOf(low))).toEqual([...FIELDS])
    expect(Object.keys(formOf(levelOf('catch-all')))).toEqual(['shares', 'lendablePercent', 'borrowingLimitPercent'])
    expect(Object.keys(formOf(levelOf('exempt')))).toEqual(['shares', 'lendablePercent'])
  })

  it('takes an empty borrowing limit for none, and 0 for 0', () => {
    const read = (borrowingLimitPercent: string) => readForm({ ...formOf(low), borrowingLimitPercent }, low)
    expect(read('')).toMatchObject({ ok: true, level: low })
    expect(read('0')).toMatchObject({ ok: true, level: { spec: { limited: { borrowingLimitPercent: 0 } } } })
  })

  it.each([
    ['shares', '-1', 'A whole number from 0 to 1000000.'],
    ['lendablePercent', '101', 'A whole number from 0 to 100.'],
    ['borrowingLimitPercent', '1.5', 'A whole number from 0 to 1000000.'],
    ['queues', '', 'A whole number from 1 to 10000.'],
    ['queues', '0', 'A whole number from 1 to 10000.'],
    ['queueLengthLimit', 'many', 'A whole number from 1 to 1000000000.'],
  ] as const)('refuses %s of %j', (field, text, sentence) => {
    expect(readForm({ ...formOf(low), [field]: text }, low)).toEqual({ ok: false, errors: { [field]: sentence } })
  })

  it.each([
    ['64', '65', 'A hand holds at most all 64 queues.'],
    // 11 cards of 64 need 66 bits.
    ['64', '11', 'There are too many such hands to deal; take a smaller one.'],
  ])('refuses a hand that cannot be dealt: %s queues, %s of them', (queues, handSize, sentence) => {
    expect(readForm({ ...formOf(low), queues, handSize }, low)).toEqual({ ok: false, errors: { handSize: sentence } })
  })

  it('gives only levels that the contract admits', () => {
    const text = fc.oneof(fc.integer({ min: -5, max: 2_000_000 }).map(String), fc.string({ maxLength: 4 }))
    const form = fc.record(Object.fromEntries(FIELDS.map((field) => [field, text])))
    fc.assert(
      fc.property(form, (given) => {
        const read = readForm(given, low)
        if (!read.ok) return
        const after = withLevel(objects, read.level)
        expect(SimulationObjectsSchema.parse(after)).toEqual(after)
        expect(read.level.spec.limited?.lendablePercent).toBeLessThanOrEqual(BOUNDS.lendablePercent.max)
      }),
    )
  })
})

describe('what an edit changes', () => {
  const edited = (shares: string) => {
    const read = readForm({ ...formOf(low), shares }, low)
    if (!read.ok) throw new Error('the form cannot be read')
    return withLevel(objects, read.level)
  }

  it('is nothing when nothing does', () => {
    expect(effectsOf(objects, edited('100'), 600)).toEqual([])
  })

  it('is the limits of all levels that share the server (specification 6.2)', () => {
    const effects = effectsOf(objects, edited('30'), 600)
    expect(effects.map(({ before, after }) => [before.name, before.nominal, after.nominal])).toContainEqual([
      'workload-low',
      245,
      103,
    ])
    expect(effects.map(({ before }) => before.name)).not.toContain('exempt')
    expect(effects).toHaveLength(7)
    const nominalSum = configuredOf(edited('30'), 600).reduce((sum, { nominal }) => sum + nominal, 0)
    expect(nominalSum).toBeGreaterThanOrEqual(600)
    expect(nominalSum).toBeLessThan(608)
  })
})
