import { format } from '../../theme/format.ts'
import { plural } from '../../../core/text/format.ts'
import { editManifest } from '../../../core/manifest/edit.ts'
import { type JsonMap } from '../../../core/manifest/json.ts'
import { Button } from '../../components/Button.tsx'
import { SelectField } from '../../components/Field.tsx'
import { EntryList } from './FormEntry.tsx'
import { FormFields, type ScenarioForm } from './FormField.tsx'
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
  withPhaseCopy,
} from './scenarioForm.logic.ts'
import styles from './scenarioEditor.module.css'

/** What changes while the scenario runs. */
export const PhasesForm = ({ form }: { readonly form: ScenarioForm }) => (
  <EntryList
    form={form}
    of="phases"
    word="phase"
    title="Phases"
    empty="Nothing changes during the run."
    withNew={withNewPhase}
    withCopy={withPhaseCopy}
    about={(phase, index) => ({ name: `Phase ${index + 1}`, what: `phase ${index + 1}`, does: spanOf(phase) })}
  >
    {(phase, index) => <PhaseEntry form={form} phase={phase} index={index} />}
  </EntryList>
)

interface PhaseProps {
  readonly form: ScenarioForm
  readonly phase: JsonMap
  readonly index: number
}

function PhaseEntry({ form, phase, index }: PhaseProps) {
  const { scenario, onChange } = form
  const path = ['phases', index]
  const has = changesOf(phase)
  const missing = CHANGE_NAMES.filter((name) => !has.includes(name))
  const objects = entriesAt(phase, ['configuration']).length
  return (
    <>
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
              aria-label={`Remove ${CHANGES[change].toLowerCase()} of phase ${index + 1}`}
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
    </>
  )
}
