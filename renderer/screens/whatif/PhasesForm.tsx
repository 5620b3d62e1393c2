import { format } from '../../theme/format.ts'
import { plural } from '../../../core/text/format.ts'
import { editManifest } from '../../../core/manifest/edit.ts'
import { type JsonMap } from '../../../core/manifest/json.ts'
import { Button } from '../../components/Button.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Icon } from '../../components/Icon.tsx'
import { Entry, EntryTools, useOpenEntries, type OpenEntries } from './FormEntry.tsx'
import { FindingLines, FormFields, type ScenarioForm } from './FormField.tsx'
import {
  CHANGE_FIELDS,
  CHANGE_NAMES,
  CHANGES,
  changesOf,
  entriesAt,
  PHASE_AT,
  spanOf,
  withChange,
  withNewPhase,
  withoutEntry,
  withPhaseCopy,
} from './scenarioForm.logic.ts'
import styles from './scenarioEditor.module.css'

/** What changes while the scenario runs. */
export function PhasesForm({ form }: { readonly form: ScenarioForm }) {
  const { scenario, findings, onChange } = form
  const phases = entriesAt(scenario.value ?? null, ['phases'])
  const open = useOpenEntries(phases.length)
  const add = (): void => {
    onChange(withNewPhase(scenario), 'add phase')
    open.insert(phases.length)
  }
  return (
    <section aria-label="Phases" className="stack gap-6 shrink-x">
      <header className="row gap-12">
        <h3 className="large medium">Phases</h3>
        <Button small onClick={add}>
          <Icon name="plus" size={13} /> Add phase
        </Button>
      </header>
      <FindingLines findings={findings.get('phases')} />
      {phases.length === 0 && <p className="small faint">Nothing changes during the run.</p>}
      {phases.map((phase, index) => (
        <PhaseEntry key={index} form={form} phase={phase} index={index} open={open} />
      ))}
    </section>
  )
}

interface PhaseProps {
  readonly form: ScenarioForm
  readonly phase: JsonMap
  readonly index: number
  readonly open: OpenEntries
}

function PhaseEntry({ form, phase, index, open }: PhaseProps) {
  const { scenario, onChange } = form
  const path = ['phases', index]
  const has = changesOf(phase)
  const missing = CHANGE_NAMES.filter((name) => !has.includes(name))
  const objects = entriesAt(phase, ['configuration']).length
  const what = `phase ${index + 1}`
  return (
    <Entry
      form={form}
      path={path}
      name={`Phase ${index + 1}`}
      does={spanOf(phase)}
      isOpen={open.isOpen(index)}
      onToggle={(isOpen) => open.set(index, isOpen)}
    >
      <EntryTools
        what={what}
        onDuplicate={() => {
          onChange(withPhaseCopy(scenario, index), 'duplicate phase')
          open.insert(index + 1)
        }}
        onRemove={() => {
          onChange(withoutEntry(scenario, ['phases'], index), 'remove phase')
          open.remove(index)
        }}
      />
      <div className={styles['fields']}>
        <FormFields form={form} path={path} specs={[PHASE_AT]} />
        {missing.length > 0 && (
          <SelectField
            label="Add a change"
            value=""
            options={[['', 'choose'], ...missing.map((name) => [name, CHANGES[name]] as const)]}
            onChange={(change) => change !== '' && onChange(withChange(scenario, index, change), `add ${change}`)}
          />
        )}
      </div>
      {has.map((change) => (
        <fieldset key={change} className={styles['call']}>
          <legend className={CHANGE_FIELDS[change].length === 1 ? 'sr-only' : undefined}>{CHANGES[change]}</legend>
          <div className={styles['fields']}>
            <FormFields form={form} path={path} specs={CHANGE_FIELDS[change]} />
            <Button
              small
              className={styles['remove']}
              aria-label={`Remove ${CHANGES[change].toLowerCase()} of ${what}`}
              onClick={() => onChange(editManifest(scenario.text, [...path, change], undefined), `remove ${change}`)}
            >
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      {objects > 0 && (
        <p className="small faint">
          {`${format.counted(objects, 'object is', 'objects are')} applied; edit ${plural(objects, 'it', 'them')} in the YAML.`}
        </p>
      )}
    </Entry>
  )
}
