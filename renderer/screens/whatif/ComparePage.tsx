import { useState } from 'react'
import { phrase } from '../../../core/answer/answer.ts'
import { comparedOn, presentCandidate } from '../../../core/whatif/present.ts'
import { AnswerLine } from '../../components/answer/Answer.tsx'
import { Button } from '../../components/Button.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { EmptyState, ErrorState } from '../../components/States.tsx'
import { useConnected } from '../../state/connection.ts'
import { useDraftObjects } from '../../state/draft.ts'
import { useDraftBase } from '../../state/draftBase.ts'
import { format } from '../../theme/format.ts'
import { cancelComparison, startComparison, whatIfStore, type Comparison } from './comparison.ts'
import { firstForm, readForm, type FormError, type Known, type WhatIfForm } from './form.logic.ts'
import { useScenarios } from './library.ts'
import { ResultPanes } from './ResultPanes.tsx'
import { SetupPane } from './SetupPane.tsx'
import styles from './whatif.module.css'

/** A baseline and its candidates on the same requests, before anything is applied. */
export function ComparePage() {
  const { scenarios, problem } = useScenarios()
  const connection = useConnected()
  const base = useDraftBase()
  const draft = useDraftObjects()
  const kept = whatIfStore(({ form }) => form)
  const comparison = whatIfStore((store) => store.comparison)
  const [candidate, setCandidate] = useState(0)
  const [errors, setErrors] = useState<readonly FormError[]>([])
  const source = base === undefined || base.origin === 'built-in' ? undefined : base.objects
  const known: Known = {
    scenarios,
    connection: connection?.id,
    source,
    draft: source === undefined ? undefined : draft,
  }
  const form = kept ?? firstForm(known.draft !== undefined)
  const change = (next: WhatIfForm): void => {
    setErrors([])
    whatIfStore.setState({ form: next })
  }
  const run = (): void => {
    const read = readForm(form, known)
    setErrors(read.ok ? [] : read.errors)
    if (!read.ok) return
    whatIfStore.setState({ form })
    setCandidate(0)
    startComparison(read.wish, form)
  }
  return (
    <div className="column shrink-y tall scroll children-rigid">
      <Headline comparison={comparison} candidate={candidate} />
      <SetupPane
        form={form}
        known={known}
        sourceName={connection?.source.name}
        errors={errors}
        problem={problem}
        actions={<RunButton comparison={comparison} onRun={run} />}
        onChange={change}
      />
      <Results comparison={comparison} form={form} candidate={candidate} onCandidate={setCandidate} />
    </div>
  )
}

function Headline({
  comparison,
  candidate,
}: {
  readonly comparison: Comparison | undefined
  readonly candidate: number
}) {
  const shown = comparison?.state === 'done' ? comparison.report.candidates[candidate] : undefined
  if (comparison?.state !== 'done' || shown === undefined) {
    return (
      <NowLine
        title="What-if"
        evidence="Runs the same requests under several configurations. Nothing is sent to a cluster."
      />
    )
  }
  const { report, elapsedMs } = comparison
  const answer = presentCandidate(report, shown)
  const computed = phrase`Computed in ${{ value: elapsedMs, as: 'ms' }}.`
  return <AnswerLine answer={{ ...answer, evidence: [...answer.evidence, comparedOn(report), computed] }} />
}

function RunButton({ comparison, onRun }: { readonly comparison: Comparison | undefined; readonly onRun: () => void }) {
  if (comparison?.state !== 'running') {
    return (
      <Button primary onClick={onRun}>
        Run comparison
      </Button>
    )
  }
  return (
    <>
      <progress max={1} value={comparison.part} aria-label="Progress of the comparison" />
      <span className={styles['part']}>{format.percent(comparison.part)}</span>
      <Button onClick={cancelComparison}>Cancel</Button>
    </>
  )
}

function Results(props: {
  readonly comparison: Comparison | undefined
  readonly form: WhatIfForm
  readonly candidate: number
  readonly onCandidate: (candidate: number) => void
}) {
  const { comparison, form, candidate, onCandidate } = props
  switch (comparison?.state) {
    case undefined:
      return (
        <EmptyState title="No comparison yet">
          <p>Choose requests and variants, then run the comparison.</p>
        </EmptyState>
      )
    case 'running':
      return (
        <EmptyState title="The comparison is running">
          <p>It runs in a thread of its own and continues while you look at other screens.</p>
        </EmptyState>
      )
    case 'failed':
      return <ErrorState title="The comparison did not run." problem={comparison.problem} />
    case 'done':
      return (
        <ResultPanes
          report={comparison.report}
          wish={comparison.wish}
          changed={comparison.of !== form}
          candidate={candidate}
          onCandidate={onCandidate}
        />
      )
  }
}
