import { expect, it } from 'vitest'
import { cellText, type Table } from '../answer/answer.ts'
import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet } from '../config/objects.ts'
import { createFormat, plain } from '../text/format.ts'
import type { Classification, SeatStep } from './classification.ts'
import { explainer } from './explain.ts'
import { factsTable, isChanged, presentRequest, decidingRule, schemasTable, stepsTable } from './present.ts'
import { SCAN, SCANNED } from './scan.fixture.ts'

const built = builtInObjects('v1.36.0')
const withScan: ObjectSet = { ...built, schemas: [...built.schemas, SCAN] }
function classified(objects: ObjectSet): Classification {
  const explained = explainer(objects)(SCANNED)
  if (!explained.ok) throw new Error(explained.problem)
  return explained.classification
}
const textsOf = ({ rows }: Table): readonly string[][] => rows.map((row) => row.map((cell) => cellText(cell, plain)))

it('marks exactly the facts that differ', () => {
  const [now, draft] = [classified(built), classified(withScan)]
  const facts = factsTable(now, draft)
  expect(facts.rows.filter((row) => !isChanged(row)).map(([label]) => label)).toEqual([
    'Rule',
    'Flow',
    'Queues',
    'Width',
    'Lingers after the response',
  ])
  expect(textsOf(facts)).toContainEqual(['Precedence', '9000', '950'])
  expect(factsTable(now, now).rows.some(isChanged)).toBe(false)
  expect(decidingRule(now)).toBe('rule 1 of 1')
})

it('says what a step is worth, and what is assumed', () => {
  const seats = classified(built).seats
  const value = (step: Partial<SeatStep>) => {
    const [[, cell] = []] = stepsTable({ seats: { ...seats, steps: [{ kind: 'verb', label: '', ...step }] } }).rows
    return cellText(cell ?? '', createFormat('screen'))
  }
  expect(value({ value: 163_000, unit: 'bytes' })).toBe('163\u202f000 B')
  expect(value({ value: 1, unit: 'seats', assumed: true })).toBe('≈ 1')
  expect(value({ value: 5, unit: 'milliseconds' })).toBe('5.0 ms')
  expect(value({})).toBe('')
})

it('marks the schema that decides, and says what each check found', () => {
  const rows = textsOf(schemasTable(classified(withScan), ['who', 'verb', 'url']))
  expect(rows.find(([mark]) => mark === '→')?.slice(1, 7)).toEqual([
    '950',
    'batch-scan',
    'workload-high',
    'yes',
    'yes',
    'not checked',
  ])
  expect(rows.find(([, , name]) => name === 'exempt')?.slice(4)).toEqual([
    'no',
    'yes',
    'not checked',
    'not in group system:masters',
  ])
})

it('says why no server classifies a request', () => {
  const broken = { ...SCANNED, url: 'pods' }
  expect(presentRequest(broken, explainer(built)(broken))).toMatchObject({
    evidence: [[expect.stringContaining('must begin with a slash')]],
    tables: [],
  })
})
