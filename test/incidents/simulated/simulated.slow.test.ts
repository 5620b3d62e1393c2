import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { confusionText, incidentsFrom, judged, type Judgement } from './confusion.ts'
import { simulatedIncident } from './generator.ts'

/** How many, and the first seed: thousands, and seeds that nobody has seen, before a release. */
const COUNT = Number(process.env['APF_SIMULATED_INCIDENTS'] ?? 18)
const SEED = Number(process.env['APF_SIMULATED_SEED'] ?? 1)
/** The table is written to this file too. */
const file = process.env['APF_SIMULATED_TABLE']

it(`diagnoses ${COUNT} simulated incidents from seed ${SEED} on`, async () => {
  const judgements: Judgement[] = []
  for (const incident of incidentsFrom(SEED, COUNT)) judgements.push(judged(incident))
  const text = confusionText(judgements)
  console.log(text)
  if (file !== undefined) await writeFile(file, text)
  expect(judgements).toHaveLength(COUNT)
})

it.each([771_033, 772_116])('tells a slow server from who begins to hold seats then: seed %i', (seed) => {
  const { incident, found, names, others } = judged(simulatedIncident(seed))
  expect({ found: found.length, names, others }).toEqual({ found: incident.causes.length, names: true, others: [] })
})
