import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CAUSES, type CauseId } from '../../core/contract/causes.ts'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import { CAUSE_INFO } from '../../core/diagnose/causeList.ts'
import { NEIGHBOURS, SPECIMENS, type Specimen } from '../../core/diagnose/causes.fixture.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { ROOT } from './sources.ts'

const SEED = 7

/** Of each cause that is given, what is found of its specimen. */
const found = new Map<CauseId, Diagnosis>()
const diagnosed = ({ given, evidence }: Specimen): Diagnosis => {
  const diagnosis = found.get(given) ?? diagnose(evidence(SEED))
  found.set(given, diagnosis)
  return diagnosis
}
const causesOf = ({ findings }: Diagnosis): readonly CauseId[] => [...new Set(findings.map(({ cause }) => cause))]

describe('diagnosis', () => {
  it.each(SPECIMENS)('finds $given: $what', (specimen) => {
    const { given } = specimen
    const { findings, summary } = diagnosed(specimen)
    expect(findings[0]?.cause).toBe(given)
    // That there are too few samples is no cause of anything.
    if (given === 'no-data') expect(summary).toBe(findings[0]?.text)
    else if (given === 'stale-source') expect(summary).toMatch(/^No sample from server for 5 min\./)
    else expect(summary).toContain(CAUSE_INFO[given].title.toLowerCase())
    expect(findings.every(({ evidenceFor }) => evidenceFor.length > 0)).toBe(true)
  })

  it.each(NEIGHBOURS)('does not take $given for $looksLike: $what', ({ given, looksLike, evidence }) => {
    const [first, second] = [SEED, SEED + 1].map((seed) => diagnose(evidence(seed)).findings[0]?.cause)
    expect([first, second], `not ${looksLike}`).toEqual([given, given])
  })

  it('excludes a cause only by a fact about it: no fact excludes two causes', () => {
    for (const specimen of SPECIMENS) {
      const { excluded, notShown } = diagnosed(specimen)
      const texts = excluded.map(({ because }) => because)
      expect(new Set(texts).size, `${specimen.what}: ${texts.join(' ')}`).toBe(texts.length)
      // That a level is full in few samples, or that another cause explains more, contradicts no cause.
      expect(texts.filter((text) => / waited or all its seats were taken/.test(text))).toEqual([])
      expect(excluded.filter(({ title }) => notShown.includes(title))).toEqual([])
    }
  })

  it('has a specimen of every cause', () => {
    expect(SPECIMENS.map(({ given }) => given)).toEqual(CAUSES)
  })

  it('confuses causes as docs/diagnosis.md says', () => {
    const table = confusion()
    console.log(table.join('\n'))
    const page = readFileSync(join(ROOT, 'docs/diagnosis.md'), 'utf8')
    expect(cellsOf(page.split('\n'))).toEqual(expect.arrayContaining([...cellsOf(table)]))
  })
})

function confusion(): readonly string[] {
  const rows = SPECIMENS.map((specimen) => {
    const [best = '', ...others] = causesOf(diagnosed(specimen))
    return `| ${specimen.given} | ${specimen.what} | ${best} | ${others.join(', ')} |`
  })
  return ['| given | situation | found first | also found |', '| --- | --- | --- | --- |', ...rows]
}

/** Cells of the rows of a table, however wide its columns are. */
const cellsOf = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => /^\| [a-z]/.test(line)).map((line) => line.replaceAll(/\s+/g, ' ').trim())
