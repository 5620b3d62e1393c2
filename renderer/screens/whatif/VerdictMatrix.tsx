import type { ScenarioReport, ScenarioRunReport } from '../../../core/contract/scenario.ts'
import type { DataColumn } from '../../components/dataColumns.ts'
import { Pane } from '../../components/Pane.tsx'
import { PlainTable } from '../../components/PlainTable.tsx'
import { verdictText } from './scenarios.data.ts'
import type { ScenarioRunState } from './scenarioRuns.ts'

/** Verdict and deciding number of every scenario that was run, variant by variant. */
export function VerdictMatrix({ runs }: { readonly runs: Readonly<Partial<Record<string, ScenarioRunState>>> }) {
  const reports = Object.values(runs).flatMap((run) => (run?.state === 'done' ? [run.report] : []))
  const names = [...new Set(reports.flatMap((report) => report.runs.map(({ name }) => name)))]
  if (reports.length < 2) return null
  return (
    <Pane title="All scenarios that were run" note="a dash means that the scenario has no such variant">
      <PlainTable
        caption="Verdicts by scenario and variant"
        columns={[SCENARIO, ...names.map(variantColumn)]}
        rows={reports}
        rowKey={({ name }) => name}
      />
    </Pane>
  )
}

const SCENARIO: DataColumn<ScenarioReport> = {
  id: 'scenario',
  header: 'Scenario',
  rowHeader: true,
  cell: ({ name, title }) => `${name} ${title}`,
}

const runNamed = ({ runs }: ScenarioReport, name: string): ScenarioRunReport | undefined =>
  runs.find((run) => run.name === name)

const variantColumn = (name: string): DataColumn<ScenarioReport> => ({
  id: name,
  header: name,
  cell: (report) => verdictText(runNamed(report, name)),
})
