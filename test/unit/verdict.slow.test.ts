import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SPECIMENS } from '../../core/diagnose/causes.fixture.ts'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { createPicture } from '../../core/source/picture.ts'
import { plain } from '../../core/text/format.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import { inOrder } from '../../core/twin/observe.ts'
import { unixMsOf } from '../../core/units.ts'
import { likelyCause } from '../../core/verdict/cause.ts'
import { headline } from '../../core/verdict/headline.ts'
import { busiestInDump, levelRows, needAttention, recentRejections } from '../../core/verdict/levelRows.ts'
import { createKeptPages } from '../../main/workspace/keptPages.ts'

describe('the verdict', () => {
  it('is the same on the Overview and in a diagnosis, at any instant of any situation', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SPECIMENS),
        fc.integer({ min: 1, max: 1_000 }),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        (specimen, seed, part) => {
          const [given] = specimen.evidence(seed).servers
          const frames = inOrder(given?.frames ?? []).slice(0, Math.ceil(part * (given?.frames.length ?? 0)))
          const until = unixMsOf(frames.at(-1)?.at ?? '')
          const dumps = given?.dumps.filter(({ at }) => unixMsOf(at) <= until) ?? []
          const picture = createPicture()
          const kept = createKeptPages()
          for (const frame of frames) {
            picture.take({ kind: 'frame', frame })
            kept.take({ kind: 'frame', frame })
          }
          for (const dump of dumps) kept.take({ kind: 'dump', dump })
          const shown = picture.servers.map(({ latest: { frame, derived } }) => {
            const rows = levelRows(frame, derived, byCodeUnits)
            const [worst] = needAttention(rows)
            const flow = worst && busiestInDump(dumps.at(-1), worst.name)
            return { id: frame.id, rows, rejections: recentRejections(derived)?.rows ?? [], flow }
          })
          const { now, summary, findings } = diagnose(kept.all(undefined))
          const cause = likelyCause(findings)
          const seen = shown.map((one) => ({ ...one, cause }))
          const { title, details, evidence = '' } = headline(seen, plain)
          expect(now).toMatchObject({ title, details: details ?? evidence })
          if (findings[0]?.group !== 'own side') expect(summary.startsWith(title)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })
})
