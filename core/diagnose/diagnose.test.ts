import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CAUSES, type CauseId } from '../contract/diagnosis.ts'
import { CAUSE_INFO } from './causeList.ts'
import { SPECIMENS } from './causes.fixture.ts'
import { diagnose } from './diagnose.ts'

/** Of each cause that is given, the causes that are found, best first. */
const found = new Map<CauseId, readonly CauseId[]>()

describe('diagnosis', () => {
  it.each(SPECIMENS)('$given: $what', ({ given, evidence }) => {
    const diagnosis = diagnose(evidence())
    const causes = [...new Set(diagnosis.findings.map(({ cause }) => cause))]
    found.set(given, causes)
    if (causes[0] !== given) console.log(JSON.stringify({ given, s: diagnosis.summary, f: diagnosis.findings.map((f) => [f.cause, f.place.level, ...f.evidenceFor]).slice(0, 3), ex: diagnosis.excluded.find((x) => x.cause === given)?.because }, null, 1))
    expect(causes[0]).toBe(given)
  })

  it('has a specimen of every cause', () => {
    expect(SPECIMENS.map(({ given }) => given)).toEqual(CAUSES)
  })
})
