import { expect, it } from 'vitest'
import { SPECIMENS } from '../diagnose/causes.fixture.ts'
import { diagnose } from '../diagnose/diagnose.ts'
import { plain } from '../text/format.ts'
import { causeIn, causeSentences, levelWithCause, likelyCause, victimsSentence, wordsFor } from './cause.ts'

it('says of a level the same cause in the summary, in the headline and in an alert', () => {
  for (const { given, evidence } of SPECIMENS.slice(4, 8)) {
    const { findings, summary, now } = diagnose(evidence(5))
    const [first] = findings
    const cause = likelyCause(findings)
    if (first === undefined || cause === undefined) continue
    const [said = ''] = causeSentences(first, plain)
    expect(said).toContain(`Most likely: ${first.title.toLowerCase()}`)
    expect(summary, given).toContain(`Most likely: ${first.title.toLowerCase()}`)
    if (now.tone === 'trouble' && (cause.level ?? now.level) === now.level) expect(now.details, given).toContain(said)
    if (cause.level === undefined) continue
    const words = wordsFor(findings, { server: 'server', level: cause.level })
    if (first.place.server === 'server')
      expect(words?.cause, given).toBe(`${first.title}. ${first.text} ${victimsSentence(first.victims)}`.trimEnd())
  }
})

it('has no words for a level without a finding, and none from the console’s own side', () => {
  const { findings } = diagnose(SPECIMENS.find(({ given }) => given === 'no-data')?.evidence(5) ?? NOTHING)
  expect(likelyCause(findings)).toBeUndefined()
  expect(wordsFor(findings, { server: 'server', level: 'workload-low' })).toBeUndefined()
})

it('says of each level its own cause, whichever is the first of all', () => {
  const { findings } = diagnose(SPECIMENS.find(({ given }) => given === 'one-flow')?.evidence(5) ?? NOTHING)
  const [first = expect.fail('nothing was found')] = findings
  const place = { ...first.place, level: 'b' }
  const cause = likelyCause([first, { ...first, culprit: 'carol', place }])
  const server = first.place.server ?? ''
  expect(causeIn(cause, server, 'b')?.culprit).toBe('carol')
  expect(causeIn(cause, server, first.place.level ?? '')).toBe(first)
  expect(causeIn(cause, server, 'c')).toBeUndefined()
  expect(causeIn(cause, 'another', 'b')).toBeUndefined()
  expect(levelWithCause('b', server, cause)).toBe('b (one flow floods: carol)')
  expect(levelWithCause(first.place.level ?? '', server, cause)).toContain(`(one flow floods: ${first.culprit})`)
})

it('says of calm after a flood who it was', () => {
  const given = SPECIMENS.find((one) => one.given === 'one-flow')?.evidence(5) ?? NOTHING
  const calmAfter = given.servers.map((server) => {
    const last = server.frames.at(-1) ?? expect.fail('no frame')
    const later = [1, 2, 3].map((i) => ({
      ...last,
      at: new Date(Date.parse(last.at) + 5_000 * i).toISOString(),
      levels: last.levels.map((level) => ({ ...level, requests: { ...level.requests, queued: 0 } })),
    }))
    return { ...server, frames: [...server.frames, ...later], latest: undefined }
  })
  const { now } = diagnose({ ...given, servers: calmAfter })
  expect(now.tone).toBe('ok')
  expect(now.details).toMatch(/ Before, most likely: one flow floods: batch:hog\.$/)
})

const NOTHING = { servers: [], health: [], objects: undefined, asOf: undefined }
