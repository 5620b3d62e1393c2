import { useMemo, useState } from 'react'
import type { Kind, ObjectSet } from '../../../../core/config/objects.ts'
import type { ObjectsState } from '../../../../core/contract/objects.ts'
import { driftBetween, type DriftRow } from '../../../../core/drift/drift.ts'
import { presentDrift, readSentence } from '../../../../core/drift/present.ts'
import { writeManifest } from '../../../../core/manifest/write.ts'
import { AnswerGrid, AnswerLine, type AnswerCells } from '../../../components/answer/Answer.tsx'
import { LevelName, MiddleCut } from '../../../components/LevelChip.tsx'
import { EmptyState, ErrorState, LoadingPage, Note } from '../../../components/States.tsx'
import { Term } from '../../../components/Term.tsx'
import { useObjects } from '../../../state/objects.ts'
import { openPage, openScreen } from '../../../state/route.ts'
import { useViewPart } from '../../../state/view.ts'
import { useDraftBase, type DraftBase } from '../../../state/draftBase.ts'
import { Button } from '../../../components/Button.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import { openDraft } from '../../../state/openDraft.ts'
import { DiffView } from '../draft/Diff.tsx'
import { ReferencePane, useReference } from './ReferencePane.tsx'
import styles from './drift.module.css'

/** How the present objects differ from the built-in ones, or from those of another cluster or of files. */
export function DriftPage() {
  const state = useObjects()
  const base = useDraftBase()
  if (base !== undefined && state !== undefined && state.origin !== 'none')
    return <Compared base={base} state={state} />
  if (state?.origin === 'none') {
    return (
      <EmptyState
        page="Drift"
        title="No connected source has flow-control objects."
        actions={
          <Button primary onClick={() => openScreen('connection')}>
            Connect
          </Button>
        }
      >
        Connect a cluster or open manifests to see how the objects differ from the built-in objects of the release.
      </EmptyState>
    )
  }
  if (state?.problem === undefined) return <LoadingPage title="Drift" waitingFor="the flow-control objects" />
  return <ErrorState page="Drift" title="The objects cannot be read." problem={state.problem} />
}

const CELLS: AnswerCells = {
  name: (text) => (
    <span className={styles['object']}>
      <LevelName name={text} />
    </span>
  ),
  fields: (text) => (
    <span className={styles['fields']}>
      <MiddleCut text={text} />
    </span>
  ),
}

const keyOf = ({ kind, name }: Pick<DriftRow, 'kind' | 'name'>): string => `${kind}/${name}`

function Compared({ base, state }: { readonly base: DraftBase; readonly state: ObjectsState }) {
  const choice = useReference(base.version)
  const silent = useViewPart(({ mode }) => mode === 'stale')
  const { objects, reference } = choice
  const drift = useMemo(() => driftBetween(base.objects, objects, base.version), [base, objects])
  const [opened, setOpened] = useState<Pick<DriftRow, 'kind' | 'name'>>()
  const open = drift.rows.find((row) => opened !== undefined && keyOf(row) === keyOf(opened)) ?? drift.rows[0]
  const answer = presentDrift(drift, reference, readSentence({ ...state, silent }, base.version))
  return (
    <div className={styles['whole']}>
      <AnswerLine answer={answer}>
        <Term id="drift">Drift</Term> is computed with defaults filled in. It includes labels and annotations, except
        those that servers write.
      </AnswerLine>
      <div className={styles['page']}>
        <ReferencePane choice={choice} builtIn={base.version} />
        <div className="shrink-x line-left ruled-rows">
          {answer.tables.map((table) => (
            <Pane key={table.title} title={table.title}>
              <AnswerGrid
                table={table}
                cells={CELLS}
                selected={open === undefined ? undefined : drift.rows.indexOf(open)}
                onOpen={(index) => setOpened(drift.rows[index])}
                csvName="drift"
              />
            </Pane>
          ))}
          {open !== undefined && <DriftDetail row={open} />}
          <SameObjects objects={base.objects} rows={drift.rows} builtIn={reference.kind === 'built-in'} />
        </div>
      </div>
    </div>
  )
}

/** Objects that do not differ, by name: evidence of what was compared. */
function SameObjects(props: {
  readonly objects: ObjectSet
  readonly rows: readonly DriftRow[]
  /** Compared with the objects that the API server maintains itself. */
  readonly builtIn: boolean
}) {
  const { objects, rows, builtIn } = props
  const differing = new Set(rows.map(keyOf))
  const names = (kind: Kind, of: readonly { readonly metadata: { readonly name: string } }[]): readonly string[] =>
    of.map(({ metadata: { name } }) => name).filter((name) => !differing.has(`${kind}/${name}`))
  const levels = names('PriorityLevelConfiguration', objects.levels)
  const schemas = names('FlowSchema', objects.schemas)
  if (levels.length + schemas.length === 0) return null
  return (
    <Pane title="Objects that are the same" note={`${levels.length} levels, ${schemas.length} flow schemas`}>
      {builtIn && (
        <p className={styles['kept']}>
          The API server restores built-in objects within a minute of an edit. Exceptions are suggested objects with the
          annotation <span className="mono">apf.kubernetes.io/autoupdate-spec: "false"</span>, and the shares and
          lendable percent of exempt. Select an object to open it in the draft.
        </p>
      )}
      <details open={rows.length === 0}>
        <summary className="pad-x pad-y-4 normal light faint">Names</summary>
        <h3 className="pad-x pad-y-4 normal light faint">Priority levels</h3>
        <ul className={styles['same']} aria-label="Priority levels that are the same">
          {levels.map((name) => (
            <li key={name}>
              <button type="button" onClick={() => openPage('editor', 'draft', `PriorityLevelConfiguration/${name}`)}>
                <LevelName name={name} />
              </button>
            </li>
          ))}
        </ul>
        <h3 className="pad-x pad-y-4 normal light faint">Flow schemas</h3>
        <ul className={styles['same']} aria-label="Flow schemas that are the same">
          {schemas.map((name) => (
            <li key={name}>
              <button type="button" onClick={() => openPage('editor', 'draft', `FlowSchema/${name}`)}>
                <MiddleCut text={name} />
              </button>
            </li>
          ))}
        </ul>
      </details>
    </Pane>
  )
}

/** One object: its differences, what the server will do, and how to restore it. */
function DriftDetail({ row }: { readonly row: DriftRow }) {
  const { kind, name, reference, current, server } = row
  return (
    <Pane
      title={name}
      note={kind}
      actions={
        <Button small onClick={() => openDraft([{ kind, name, text: reference && writeManifest(kind, reference) }])}>
          {reference === null ? 'Draft a deletion' : 'Draft the original'}
        </Button>
      }
    >
      <div className="stack gap-10 pad-x pad-b-12">
        <Note kind={server.verdict === 'kept' ? 'info' : 'warn'}>{server.why}</Note>
        <div className={styles['diff']} {...scrollRegion(`Differences in ${name}`)}>
          <DiffView kind={kind} from={reference} to={current} />
        </div>
      </div>
    </Pane>
  )
}
