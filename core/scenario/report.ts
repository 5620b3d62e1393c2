import type { ScenarioReport, ScenarioRunReport } from '../contract/scenario.ts'
import { byCodeUnits } from '../text/text.ts'
import { assertionText, type Checked, measuredText } from './check.ts'
import type { ScenarioOutcome, ScenarioRun } from './run.ts'
import { MEASURES } from './scenario.ts'

/** An outcome in the format of the contract: without levels, schemas and flows. */
export const scenarioReport = ({ runs, ...outcome }: ScenarioOutcome): ScenarioReport => ({
  ...outcome,
  runs: runs.map(runReport),
})

function runReport({ result, criteria, assertions, ...run }: ScenarioRun): ScenarioRunReport {
  const { name, seconds, clients, levels } = result
  return {
    ...run,
    name,
    steppable: levels.some(({ limits }) => limits !== undefined),
    seconds,
    criteria: criteria.map(shown),
    assertions: assertions.map(shown),
    clients: clients.toSorted((a, b) => byCodeUnits(a.client, b.client)),
  }
}

const shown = ({ assertion, value, holds }: Checked): ScenarioRunReport['criteria'][number] => ({
  text: assertionText(assertion),
  what: measuredText(assertion),
  value,
  unit: MEASURES[assertion.measure],
  holds,
  ...(assertion.of?.kind === 'clients' && { clients: assertion.of.name }),
})
