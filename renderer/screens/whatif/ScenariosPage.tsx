import { lazy, Suspense, useEffect, useState } from 'react'
import { MOST_SCENARIO_TEXT } from '../../../core/bounds.ts'
import { toProblem, type Problem } from '../../../core/errors.ts'
import type { LibraryScenario } from '../../../core/contract/whatif.ts'
import type { ScenarioRunReport, ScenarioWish } from '../../../core/contract/scenario.ts'
import { outcomeSentence } from '../../../core/scenario/present.ts'
import { Button } from '../../components/Button.tsx'
import { scrollRegion } from '../../components/classes.ts'
import { FilesButton } from '../../components/FilesButton.tsx'
import { Icon } from '../../components/Icon.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { EmptyState, ErrorState, Loading, Note, ProblemNote } from '../../components/States.tsx'
import { openPage } from '../../state/route.ts'
import { format } from '../../theme/format.ts'
import { whatIfStore } from './comparison.ts'
import { firstForm, withRequests } from './form.logic.ts'
import { useScenarios } from './library.ts'
import { ScenarioResults } from './ScenarioResults.tsx'
import { groupOf } from './scenarios.data.ts'
import {
  addCopyOf,
  addOwnScenario,
  cancelScenario,
  readOwnScenarios,
  removeOwnScenario,
  scenarioStore,
  startScenario,
  type OwnScenario,
  type ScenarioRunState,
} from './scenarioRuns.ts'
import styles from './scenarios.module.css'

const ScenarioEditor = lazy(async () => ({ default: (await import('./ScenarioEditor.tsx')).ScenarioEditor }))
const VerdictMatrix = lazy(async () => ({ default: (await import('./VerdictMatrix.tsx')).VerdictMatrix }))
const SweepPane = lazy(async () => ({ default: (await import('./SweepPane.tsx')).SweepPane }))
const Calculators = lazy(async () => ({ default: (await import('./calculators/Calculators.tsx')).Calculators }))

/** A scenario of the library, or a file. */
type Shown =
  | { readonly kind: 'library'; readonly name: string; readonly scenario: LibraryScenario }
  | { readonly kind: 'file'; readonly name: string; readonly own: OwnScenario }

/** Situations to simulate: what each teaches, and which variants of a server prevent it. */
export function ScenariosPage() {
  const { scenarios, problem } = useScenarios()
  const own = scenarioStore((store) => store.own)
  const selected = scenarioStore((store) => store.selected)
  const runs = scenarioStore((store) => store.runs)
  const notKept = scenarioStore((store) => store.notKept)
  // If stored scenarios cannot be read, the list starts without them.
  useEffect(() => void readOwnScenarios().catch(() => undefined), [])
  const all: readonly Shown[] = [
    ...scenarios.map((scenario): Shown => ({ kind: 'library', name: scenario.name, scenario })),
    ...own.map((one): Shown => ({ kind: 'file', name: one.file, own: one })),
  ]
  const shown = all.find(({ name }) => name === selected) ?? all[0]
  const run = shown === undefined ? undefined : runs[shown.name]
  const [copyProblem, setCopyProblem] = useState<Problem>()
  return (
    <div className="column shrink-y tall">
      <NowLine
        title={headline(shown, run)}
        evidence={evidenceOf(shown, run)}
        actions={
          shown !== undefined && <Actions shown={shown} run={run} library={scenarios} onCopyFailed={setCopyProblem} />
        }
      />
      <div className={styles['columns']}>
        <Library all={all} selected={shown?.name} runs={runs} />
        <div className="shrink-x scroll" {...scrollRegion('Scenario')}>
          {[problem, notKept, copyProblem].map(
            (one) => one !== undefined && <ProblemNote key={one.message} problem={one} alert />,
          )}
          {shown !== undefined && <ScenarioPanes shown={shown} run={run} />}
          <Suspense fallback={null}>
            <VerdictMatrix runs={runs} />
          </Suspense>
        </div>
      </div>
    </div>
  )
}

function headline(shown: Shown | undefined, run: ScenarioRunState | undefined): string {
  if (shown === undefined) return 'Scenarios'
  const title = titleOf(shown)
  return run?.state === 'done' ? `${title}: ${outcomeSentence(run.report)}` : title
}

const titleOf = (shown: Shown): string =>
  shown.kind === 'library' ? `${shown.name} ${shown.scenario.title}` : shown.own.file

/** The conditions under which the variants are compared. */
function evidenceOf(shown: Shown | undefined, run: ScenarioRunState | undefined): string {
  const about = shown?.kind === 'library' ? shown.scenario : run?.state === 'done' ? run.report : undefined
  const conditions =
    about === undefined
      ? ''
      : `${format.counted(about.seconds, 'second')}, counted from second ${about.statisticsFrom}, seed ${about.seed}. `
  return `${conditions}Every variant gets the same clients, execution times and think times. Nothing is sent to a cluster.`
}

async function addFiles(files: readonly File[]): Promise<void> {
  // A file that exceeds the contract's limit is rejected without being read whole.
  for (const file of files) {
    addOwnScenario({ file: file.name, text: await file.slice(0, MOST_SCENARIO_TEXT + 1).text() })
  }
}

interface LibraryProps {
  readonly all: readonly Shown[]
  readonly selected: string | undefined
  readonly runs: Readonly<Partial<Record<string, ScenarioRunState>>>
}

function Library({ all, selected, runs }: LibraryProps) {
  const groups = Map.groupBy(all, (shown) => (shown.kind === 'file' ? 'Yours' : groupOf(shown.name)))
  return (
    <nav className="pad-b-12 line-right scroll" aria-label="Library of scenarios">
      <div className="pad-x pad-t-8">
        <FilesButton label="Scenario files" onFiles={(files) => void addFiles(files)}>
          <Icon name="plus" size={13} /> Open file
        </FilesButton>
      </div>
      {[...groups].map(([group, members]) => (
        <section key={group} aria-label={group}>
          <h2 className={styles['group']}>{group}</h2>
          <ul>
            {members.map((shown) => (
              <li key={shown.name}>
                <button
                  type="button"
                  className={styles['member']}
                  aria-current={shown.name === selected ? 'true' : undefined}
                  onClick={() => scenarioStore.setState({ selected: shown.name })}
                >
                  <span className="code faint">{shown.kind === 'library' ? shown.name : ''}</span>
                  <span className="cut">{shown.kind === 'library' ? shown.scenario.title : shown.name}</span>
                  <Marks run={runs[shown.name]} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

/** The verdict of each variant, in order. */
function Marks({ run }: { readonly run: ScenarioRunState | undefined }) {
  if (run === undefined) return null
  if (run.state === 'running') return <span className="inline-flex gap-2 light muted">{format.percent(run.part)}</span>
  if (run.state === 'failed') return <span className="inline-flex gap-2 light muted">failed</span>
  return (
    <span className="inline-flex gap-2 light muted">
      {run.report.runs.map(({ name, verdict }) => (
        <VerdictIcon key={name} verdict={verdict} label={`${name}: ${verdict ?? 'no verdict'}`} />
      ))}
    </span>
  )
}

function VerdictIcon({ verdict, label }: { readonly verdict: ScenarioRunReport['verdict']; readonly label: string }) {
  if (verdict === undefined)
    return (
      <span role="img" aria-label={label} title={label}>
        –
      </span>
    )
  const isGood = verdict === 'prevented'
  return (
    <span role="img" aria-label={label} title={label} className={isGood ? 'good' : 'bad'}>
      <Icon name={isGood ? 'check' : 'cross'} size={12} />
    </span>
  )
}

interface PanesProps {
  readonly shown: Shown
  readonly run: ScenarioRunState | undefined
}

const wishOf = (shown: Shown): ScenarioWish =>
  shown.kind === 'library'
    ? { kind: 'library', name: shown.name }
    : { kind: 'file', file: shown.own.file, text: shown.own.history.present }

function ScenarioPanes({ shown, run }: PanesProps) {
  const isOld = shown.kind === 'file' && run?.state === 'done' && run.text !== shown.own.history.present
  return (
    <>
      {shown.kind === 'file' && (
        <Suspense fallback={<Loading waitingFor="the editor" />}>
          <ScenarioEditor key={shown.name} own={shown.own} />
        </Suspense>
      )}
      {isOld && (
        <Note kind="info">The scenario has changed since this run. Run it again to see what the change does.</Note>
      )}
      {run?.state === 'done' ? (
        <ScenarioResults report={run.report} name={shown.name} text={run.text}>
          <Lesson shown={shown} run={run} />
        </ScenarioResults>
      ) : (
        <>
          <Lesson shown={shown} run={run} />
          <Unfinished run={run} variants={shown.kind === 'library' ? shown.scenario.variants : []} />
        </>
      )}
      <Suspense fallback={null}>
        {(shown.kind === 'file' || shown.scenario.server !== undefined) && (
          <SweepPane
            key={shown.name}
            name={shown.name}
            variant={shown.kind === 'library' ? shown.scenario.steppable.at(-1) : undefined}
            seats={shown.kind === 'library' ? shown.scenario.server?.maxRequestsInFlight : undefined}
            text={shown.kind === 'file' ? shown.own.history.present : undefined}
          />
        )}
        {shown.kind === 'library' && <Calculators scenario={shown.name} />}
      </Suspense>
    </>
  )
}

function Lesson({ shown, run }: PanesProps) {
  const report = run?.state === 'done' ? run.report : undefined
  const about = shown.kind === 'library' ? shown.scenario : report
  const isOfEtcd = shown.kind === 'library' ? shown.scenario.server === undefined : report?.of === 'etcd'
  return (
    <Pane title="Lesson">
      <p className={styles['teaches']}>
        {about?.teaches ?? 'A scenario of your own. Run it to check the file and to see what each variant does.'}
      </p>
      {isOfEtcd && (
        <p className="pad-x pad-b-8 faint">
          It cannot be stepped through or opened in What-if: both show the levels of an API server, and an etcd has
          none. Run it to compare its variants.
        </p>
      )}
      {shown.kind === 'library' && (
        <dl className="flex wrap gap-4 columns-16 pad-x pad-b-12">
          {shown.scenario.clients.map(({ name, does }) => (
            <div key={name}>
              <dt className="medium">{name}</dt>
              <dd className="muted">{does}</dd>
            </div>
          ))}
        </dl>
      )}
    </Pane>
  )
}

interface ActionsProps extends PanesProps {
  readonly library: readonly LibraryScenario[]
  readonly onCopyFailed: (problem: Problem) => void
}

function Actions({ shown, run, library, onCopyFailed }: ActionsProps) {
  const { name } = shown
  if (run?.state === 'running') {
    return (
      <>
        <progress max={1} value={run.part} aria-label="Progress of the scenario" />
        <Button onClick={() => cancelScenario(name)}>Cancel</Button>
      </>
    )
  }
  const compare = (): void => {
    const form = whatIfStore.getState().form ?? firstForm(false)
    whatIfStore.setState({ form: withRequests(form, name, library) })
    openPage('whatif', 'runs')
  }
  return (
    <>
      {shown.kind === 'file' && <RemoveFile key={name} file={name} />}
      {shown.kind === 'library' && shown.scenario.server !== undefined && (
        <Button onClick={compare}>Open in What-if</Button>
      )}
      {shown.kind === 'library' && (
        <Button onClick={() => void addCopyOf(name).catch((thrown: unknown) => onCopyFailed(toProblem(thrown)))}>
          Edit a copy
        </Button>
      )}
      <Button primary onClick={() => startScenario(name, wishOf(shown))}>
        Run scenario
      </Button>
    </>
  )
}

/** Asks for confirmation before removal: the console has the only copy of the changes. */
function RemoveFile({ file }: { readonly file: string }) {
  const [leaving, setLeaving] = useState(false)
  if (!leaving) return <Button onClick={() => setLeaving(true)}>Remove…</Button>
  return (
    <>
      <Button onClick={() => removeOwnScenario(file)}>Remove for good</Button>
      <Button onClick={() => setLeaving(false)}>Keep</Button>
    </>
  )
}

function Unfinished({
  run,
  variants,
}: {
  readonly run: ScenarioRunState | undefined
  readonly variants: readonly string[]
}) {
  if (run?.state === 'failed') return <ErrorState title="The scenario did not run." problem={run.problem} />
  if (run?.state === 'running') {
    return (
      <EmptyState title="The scenario is running">
        <p>It runs in a thread of its own and continues while you look at other screens.</p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="Not run yet">
      <p>{variants.length === 0 ? 'Run the scenario.' : `Run it to see its variants: ${variants.join(', ')}.`}</p>
    </EmptyState>
  )
}
