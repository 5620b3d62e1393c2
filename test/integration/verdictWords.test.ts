import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ReportSchema } from '../../core/contract/report.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { unixMsOf } from '../../core/units.ts'
import { runHere } from '../harness/commandHere.ts'
import { recordEvents } from '../harness/recordStory.ts'
import { simulatedIncident } from '../incidents/simulated/generator.ts'

let folder = ''
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'apf-words-'))))
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

/** The events of each second, from that of the first page on. */
function* secondsOf(events: readonly SourceEvent[], startAt: number): Generator<readonly SourceEvent[]> {
  let [now, at]: [SourceEvent[], number] = [[], startAt]
  for (const event of events) {
    if (event.kind === 'frame') {
      const until = unixMsOf(event.frame.at)
      for (; at < until; at += 1_000) yield now.splice(0)
    }
    now.push(event)
  }
  yield now
}

const FINDINGS = z.object({
  findings: z.array(
    z.object({
      group: z.string(),
      title: z.string(),
      culprit: z.string().optional(),
      text: z.string(),
      victims: z.array(z.object({ name: z.string() })),
      remedy: z.object({ text: z.string() }),
    }),
  ),
})

/** Records the incident and asks each command for its verdict of the moment that the report judges, else of the end. */
async function askEach(seed: number) {
  const { events } = simulatedIncident(seed)
  const startAt = unixMsOf(events.flatMap((event) => (event.kind === 'frame' ? [event.frame.at] : []))[0] ?? '')
  const stateDir = join(folder, String(seed))
  vi.stubEnv('APF_CONSOLE_STATE', stateDir)
  await recordEvents({ stateDir, name: 'prod', startAt, events: [], moments: secondsOf(events, startAt) })
  const recordings = z
    .array(z.object({ id: z.string() }))
    .parse(JSON.parse((await runHere('recordings', '--json')).output))
  const id = recordings[0]?.id ?? ''
  const report = ReportSchema.parse(JSON.parse((await runHere('report', id, '--format', 'json')).output))
  const blocks = report.sections[0]?.blocks ?? []
  const [moment] = blocks
  const [, judged, title = ''] = (moment?.kind === 'text' && /^At ([\d:]+): (.*)$/.exec(moment.text)) || []
  const source = ['--recording', id, ...(judged === undefined ? [] : ['--at', `2026-11-20T${judged}Z`])]
  const status = (await runHere('status', ...source)).output
  const diagnosis = (await runHere('diagnose', ...source)).output
  const { findings } = FINDINGS.parse(JSON.parse((await runHere('diagnose', ...source, '--json')).output))
  const lists = blocks.flatMap((block) => (block.kind === 'list' ? [block.items] : []))
  return { judged, title, lists, status, diagnosis, findings }
}

describe('the verdict of an incident', () => {
  it('is the same causes, culprits, victims and remedies, in the same words, in status, diagnose and the report', async () => {
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.integer({ min: 1, max: 1_000_000 })), async (seed) => {
        const { judged, title: reported, lists, status, diagnosis, findings } = await askEach(seed)
        const lines = status.trimEnd().split('\n')
        const [title = '', ...why] = lines
        if (judged !== undefined) {
          // The report says the instant itself, with the day where it covers several.
          expect(title).toBe(`At ${judged}: ${reported}`)
          if (why.length > 0) expect(lists).toContainEqual(why)
        }
        // As on the Overview of a recording.
        if (!title.startsWith('No sample')) expect(title).toMatch(/^At [\d:]+: /)
        const [first] = findings
        // Where samples allow no diagnosis, it says first that they do not.
        const start = first?.group === 'own side' ? first.text : title
        expect(diagnosis.slice(0, start.length)).toBe(start)
        const said = lines.filter((line) => line !== title)
        if (first !== undefined && first.group !== 'none') {
          for (const words of [first.text, first.remedy.text]) expect(status).toContain(words)
          if (first.victims.length > 0) expect(status).toContain(first.victims[0]?.name)
        }
        for (const line of said) {
          const [, what, words = ''] = /^(Cause|Remedy|Suffering|Not to blame|Also)[^:]*: (.*)$/.exec(line) ?? []
          if (what === 'Also') {
            const isSaid = findings.some(
              ({ title: name, culprit = '', text: told }) =>
                words === told || (words.includes(name.toLowerCase()) && words.includes(culprit)),
            )
            expect(isSaid, line).toBe(true)
          } else if (what !== undefined) expect(diagnosis).toContain(words)
        }
      }),
      { numRuns: 5 },
    )
  })
})
