import { describe, expect, it } from 'vitest'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import type { CauseId } from '../contract/causes.ts'
import { MS_PER_SECOND, unixMsOf } from '../units.ts'
import { SPECIMENS } from './causes.fixture.ts'
import { diagnose } from './diagnose.ts'
import type { Evidence } from './facts.ts'
import { diagnosisLines } from './text.ts'

const evidenceOf = (cause: CauseId): Evidence => {
  const found = SPECIMENS.find(({ given }) => given === cause)
  if (found === undefined) throw new Error(`There is no specimen of ${cause}.`)
  return found.evidence(7)
}
const words = (evidence: Evidence): string => diagnosisLines(diagnose(evidence), true).join('\n')

describe('statements of a diagnosis', () => {
  it('gives the wait as the range that the histogram allows, not as an exact number', () => {
    expect(words(evidenceOf('brief-burst'))).toMatch(/wait p99 (≤ |> |\d+(\.\d+)? ?m?s?–)/)
  })

  it('dates a restart by the start of the process where the page reports it', () => {
    const { servers, ...others } = evidenceOf('server-restarted')
    const restarted = servers.map(({ frames, dumps }) => {
      const gap = frames.findIndex(({ at }, i) => unixMsOf(at) - unixMsOf(frames[i - 1]?.at ?? at) > 5 * MS_PER_SECOND)
      const start = unixMsOf(frames[gap]?.at ?? '') / MS_PER_SECOND
      return { dumps, frames: frames.map((one, i) => ({ ...one, startedAt: i < gap ? start - 3_600 : start - 4 })) }
    })
    const texts = words({ servers: restarted, ...others })
    expect(texts).toMatch(/restarted 58(\.0)? s before the last sample, at 03:02:02/)
  })

  it('says how many samples there are where one page shows no time', () => {
    const { servers, ...others } = evidenceOf('nothing-waits')
    const one = servers.map(({ frames }) => ({ frames: frames.slice(-1), dumps: [] }))
    const said = words({ servers: one, ...others })
    expect(said).toMatch(
      /^One sample of a server shows no rates: a diagnosis needs samples that span 20 s\.\nOne sample, at /,
    )
    expect(said).toContain('Remedy: Read a server')
    expect(said).not.toContain('less than 20 s')
    expect(words({ servers: [], ...others })).toMatch(/^There are no samples\./)
  })

  it('asks for nothing where a burst is over', () => {
    const waves = capturedSeries.find(({ path }) => path.includes('waves'))
    const frames = waves === undefined ? [] : capturedFrames(waves)
    const { findings } = diagnose({ ...evidenceOf('nothing-waits'), servers: [{ frames, dumps: [] }] })
    const over = findings.find(({ cause }) => cause === 'brief-burst')
    expect(over?.place.level).toBe('workload-high')
    expect(findings.filter(({ place }) => place.level === over?.place.level)).toEqual([over])
  })

  it.each([
    ['current_inqueue_requests', 'The requests of workload-low are wide'],
    ['lower_limit_seats', 'Other levels hold seats for past demand'],
  ])('concludes nothing from %s that the pages do not show', (name, said) => {
    const flood = capturedSeries.find(({ path }) => path.includes('elephants'))
    const frames =
      flood === undefined ? [] : capturedFrames(flood, new RegExp(`^apiserver_flowcontrol_${name}.*\n`, 'gm'))
    const texts = words({ ...evidenceOf('nothing-waits'), servers: [{ frames, dumps: [] }] })
    expect(texts).toMatch(/^1\. Demand exceeds the limit \(strong\): level workload-low/m)
    expect(texts).not.toContain(said)
  })

  it('says that other levels are as fast as before only where their times show it', () => {
    const slow = diagnose(evidenceOf('slow-requests')).findings[0]
    expect(slow?.text).not.toMatch(/[Oo]ther levels/)
    expect(slow?.evidenceFor.join(' ')).toMatch(/Requests of other levels take as long as before\./)
  })
})
