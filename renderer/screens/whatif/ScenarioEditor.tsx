import { lazy, Suspense, useMemo, useState, type KeyboardEvent } from 'react'
import type { Edited } from '../../../core/manifest/edit.ts'
import type { LocatedFinding } from '../../../core/manifest/manifest.ts'
import { Button, Segment } from '../../components/Button.tsx'
import { classes } from '../../components/classes.ts'
import { download } from '../../components/csv.ts'
import { Icon } from '../../components/Icon.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Loading, Note } from '../../components/States.tsx'
import { ClientsForm } from './ClientsForm.tsx'
import type { ScenarioForm } from './FormField.tsx'
import { PhasesForm } from './PhasesForm.tsx'
import { entriesAt, findingsByPlace, placesOf, sendingOf, textAt, understandScenario } from './scenarioForm.logic.ts'
import { changeOwnScenario, redoOwnScenario, undoOwnScenario, type OwnScenario } from './scenarioRuns.ts'
import styles from './scenarioEditor.module.css'

const YamlEditor = lazy(() => import('../../components/YamlEditor.tsx'))

const VIEWS = { form: 'Form', yaml: 'YAML', both: 'Both' }
type View = keyof typeof VIEWS

/** A scenario file as a form and as text: two views of the same text. */
export function ScenarioEditor({ own: { file, history } }: { readonly own: OwnScenario }) {
  const text = history.present
  const [view, setView] = useState<View>('both')
  const [refused, setRefused] = useState<{ readonly why: string; readonly text: string }>()
  const [goTo, setGoTo] = useState<{ readonly field: string }>()
  const scenario = useMemo(() => understandScenario(text, file), [text, file])
  const findings = useMemo(() => findingsByPlace(scenario.findings, placesOf(scenario)), [scenario])
  const onChange = (edited: Edited, step: string): void => {
    if (edited.ok) changeOwnScenario(file, edited.text, step)
    else setRefused({ why: edited.why, text })
  }
  const undo = (): void => undoOwnScenario(file)
  const redo = (): void => redoOwnScenario(file)
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = (event.ctrlKey || event.metaKey) && !event.altKey ? undoOf(event) : undefined
    if (act === undefined || event.defaultPrevented) return
    event.preventDefault()
    event.stopPropagation()
    if (act === 'undo') undo()
    else redo()
  }
  const groups = entriesAt(scenario.value ?? null, ['clients']).filter((group) => textAt(group, 'name') !== '')
  const namesOf = (some: typeof groups): readonly string[] => some.map((group) => textAt(group, 'name'))
  const onDemand = groups.filter((group) => sendingOf(group) === 'onDemand')
  const names = { group: namesOf(groups), job: namesOf(onDemand) }
  const form: ScenarioForm = { scenario, findings, names, onChange }
  const { rangeOf } = scenario
  return (
    <Pane
      title="Scenario file"
      note={file}
      onKeyDown={onKeyDown}
      actions={
        <>
          <Button small disabled={history.past.length === 0} onClick={undo}>
            <Icon name="undo" size={13} /> Undo
          </Button>
          <Button small disabled={history.future.length === 0} onClick={redo}>
            <Icon name="redo" size={13} /> Redo
          </Button>
          <Button small onClick={() => download(file, new Blob([text], { type: 'application/yaml' }))}>
            <Icon name="download" size={13} /> Save file
          </Button>
          <Segment label="Show as" value={view} options={VIEWS} onChange={setView} />
        </>
      }
    >
      <div className={classes('stack sized line-above children-shrink', view === 'both' && styles['both'])}>
        {view !== 'yaml' && (
          <div className="stack packed gap-12 pad-x pad-t-8 pad-b-12">
            {refused?.text === text && (
              <Note kind="bad" alert>
                {refused.why}
              </Note>
            )}
            <Elsewhere
              findings={findings.get('')}
              onOpen={(field) => {
                if (view === 'form') setView('both')
                setGoTo({ field })
              }}
            />
            {scenario.value === undefined ? (
              <Note kind="warn">{scenario.why}</Note>
            ) : (
              <>
                <ClientsForm form={form} />
                {scenario.of === 'server' && <PhasesForm form={form} />}
              </>
            )}
          </div>
        )}
        {view !== 'form' && (
          <div className={styles['text']}>
            <Suspense fallback={<Loading waitingFor="the editor" />}>
              <YamlEditor
                key={file}
                label={`YAML of ${file}`}
                text={text}
                findings={scenario.findings}
                document={rangeOf === undefined ? undefined : { rangeOf }}
                readOnly={false}
                goTo={goTo}
                onChange={(next) => changeOwnScenario(file, next, 'text')}
                onUndo={undo}
                onRedo={redo}
              />
            </Suspense>
          </div>
        )}
      </div>
    </Pane>
  )
}

function undoOf({ key, shiftKey }: KeyboardEvent): 'undo' | 'redo' | undefined {
  const letter = key.toLowerCase()
  if (letter === 'z') return shiftKey ? 'redo' : 'undo'
  return letter === 'y' ? 'redo' : undefined
}

/** Errors and warnings in parts of the file that the form does not contain. */
function Elsewhere(props: {
  readonly findings: readonly LocatedFinding[] | undefined
  readonly onOpen: (field: string) => void
}) {
  const { findings = [], onOpen } = props
  if (findings.length === 0) return null
  return (
    <ul aria-label="Problems elsewhere in the file" className="stack gap-4 breaks leading-145">
      {findings.map(({ field, line, severity, message }) => (
        <li key={`${field} ${line} ${message}`} className={severity === 'error' ? 'bad' : 'warn'}>
          <button type="button" className="underlined" onClick={() => onOpen(field)}>{`Line ${line}`}</button> {message}
        </li>
      ))}
    </ul>
  )
}
