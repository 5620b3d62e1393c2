import { format } from '../../theme/format.ts'
import { useState } from 'react'
import { RESOURCE_VERBS } from '../../../core/classify/requestFields.ts'
import { editManifest } from '../../../core/manifest/edit.ts'
import { fieldOf, type FieldPath, type JsonMap } from '../../../core/manifest/json.ts'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { FindingLines, FormFields, notesAt, type ScenarioForm } from './FormField.tsx'
import { EntryList } from './FormEntry.tsx'
import {
  CALL_FIELDS,
  entriesAt,
  REQUEST_FIELDS,
  requestFieldsOf,
  requestLineOf,
  SENDINGS,
  sendingFields,
  sendingOf,
  STORE_SENDINGS,
  textAt,
  WHO,
  widthOf,
  withClientsCopy,
  withClientsName,
  withNewCall,
  withNewClients,
  withoutEntry,
  withSending,
  type CallRequest,
  type Sending,
} from './scenarioForm.logic.ts'
import styles from './scenarioEditor.module.css'

/** The clients, their requests, and how they send them. */
export const ClientsForm = ({ form }: { readonly form: ScenarioForm }) => (
  <EntryList
    form={form}
    of="clients"
    word="clients"
    title="Clients"
    withNew={withNewClients}
    withCopy={withClientsCopy}
    about={(group, index) => {
      const name = textAt(group, 'name')
      const does = form.scenario.does[index]
      return { name: name === '' ? `clients ${index + 1}` : name, what: `clients ${name}`, does }
    }}
  >
    {(group, index) => <Group form={form} group={group} index={index} />}
  </EntryList>
)

interface GroupProps {
  readonly form: ScenarioForm
  readonly group: JsonMap
  readonly index: number
}

function Group({ form, group, index }: GroupProps) {
  const { scenario, onChange } = form
  const { of } = scenario
  const path = ['clients', index]
  const name = textAt(group, 'name')
  const sending = sendingOf(group)
  const list = of === 'etcd' ? 'requests' : 'calls'
  const calls = entriesAt(group, [list])
  const fields = sendingFields(of, sending)
  return (
    <>
      <div className={styles['fields']}>
        <NameField form={form} index={index} name={name} />
        <FormFields form={form} path={path} specs={WHO[of]} />
      </div>
      <div className={styles['fields']}>
        <SelectField
          label="Sends"
          value={sending ?? ''}
          options={[
            ...(sending === undefined ? [['', 'choose'] as const] : []),
            ...(of === 'etcd' ? STORE_SENDINGS : SENDINGS),
          ]}
          onChange={(next) => onChange(withSending(scenario, index, asSending(next)), `${fieldOf(path)} sends`)}
        />
        <FormFields form={form} path={path} specs={fields} />
      </div>
      <FindingLines findings={form.findings.get(fieldOf([...path, list]))} />
      {calls.map((call, at) => (
        <Call
          key={at}
          form={form}
          call={call}
          path={[...path, list, at]}
          title={`${of === 'etcd' ? 'Request' : 'Call'} ${at + 1}`}
          onRemove={
            calls.length > 1 ? () => onChange(withoutEntry(scenario, [...path, list], at), 'remove call') : undefined
          }
        />
      ))}
      <div>
        <Button small onClick={() => onChange(withNewCall(scenario, index), 'add call')}>
          <Icon name="plus" size={13} /> {of === 'etcd' ? 'Add request' : 'Add call'}
        </Button>
      </div>
    </>
  )
}

const asSending = (value: string): Sending => SENDINGS.find(([sending]) => sending === value)?.[0] ?? 'perSecond'

/** Other parts of the scenario refer to the name: leaving the field renames the group and all references together. */
function NameField({ form, index, name }: { form: ScenarioForm; index: number; name: string }) {
  const { scenario, onChange } = form
  const [typed, setTyped] = useState<string>()
  const take = (): void => {
    if (typed !== undefined && typed !== name) onChange(withClientsName(scenario, index, typed), 'rename clients')
    setTyped(undefined)
  }
  return (
    <TextField
      label="Name"
      value={typed ?? name}
      onChange={setTyped}
      onBlur={take}
      onKeyDown={({ key }) => {
        if (key === 'Enter') take()
        if (key === 'Escape') setTyped(undefined)
      }}
      {...notesAt(form, ['clients', index, 'name'])}
    />
  )
}

interface CallProps {
  readonly form: ScenarioForm
  readonly call: JsonMap
  readonly path: FieldPath
  readonly title: string
  /** Absent for the last one: a group needs something to send. */
  readonly onRemove: (() => void) | undefined
}

function Call({ form, call, path, title, onRemove }: CallProps) {
  const { of, value = {} } = form.scenario
  const width = of === 'etcd' ? undefined : widthOf(textAt(call, 'request'), value)
  return (
    <fieldset className={styles['call']}>
      <legend>{title}</legend>
      {of === 'server' && <RequestFields form={form} request={textAt(call, 'request')} path={[...path, 'request']} />}
      <div className={styles['fields']}>
        <FormFields form={form} path={path} specs={of === 'etcd' ? REQUEST_FIELDS : CALL_FIELDS} />
        {of === 'server' && <DistributionField form={form} call={call} path={[...path, 'distribution']} />}
      </div>
      <FindingLines findings={form.findings.get(fieldOf(path))} />
      {width !== undefined && (
        <p className="small faint">
          {`Width: ${format.counted(width, 'seat')} with the stored objects, before the cap of its level.`}
        </p>
      )}
      {onRemove !== undefined && (
        <Button small className={styles['remove']} aria-label={`Remove ${title.toLowerCase()}`} onClick={onRemove}>
          Remove
        </Button>
      )}
    </fieldset>
  )
}

function DistributionField({ form, call, path }: { form: ScenarioForm; call: JsonMap; path: FieldPath }) {
  const { scenario, onChange } = form
  const written = textAt(call, 'distribution')
  // The default and the same word written out need not be distinguished.
  const value = written === 'exponential' ? '' : written
  return (
    <SelectField
      label="Distribution"
      value={value}
      options={[['', 'exponential'], 'constant', ...(value === '' || value === 'constant' ? [] : [value])]}
      onChange={(next) => onChange(editManifest(scenario.text, path, next === '' ? undefined : next), fieldOf(path))}
      {...notesAt(form, path)}
    />
  )
}

/**
 * The request of a call by verb and resource, or as a line if it has no resource. Fields that do not form a request
 * yet, such as a get without a name, stay in the form until they do.
 */
function RequestFields({ form, request, path }: { form: ScenarioForm; request: string; path: FieldPath }) {
  const { scenario, onChange } = form
  const [begun, setBegun] = useState<{ readonly of: string; readonly fields: CallRequest }>()
  const read = requestFieldsOf(request)
  const fields = begun?.of === request ? begun.fields : read
  const write = (line: string): void => onChange(editManifest(scenario.text, path, line), fieldOf(path))
  const notes = notesAt(form, path)
  if (fields === undefined) {
    return <TextField label="Request" value={request} hint="Method and path." onChange={write} {...notes} />
  }
  const made = requestLineOf(fields)
  const set = (change: Partial<CallRequest>): void => {
    const next = { ...fields, ...change }
    const line = requestLineOf(next)
    if ('line' in line) write(line.line)
    // Typed text stays as it is, whatever the resulting line.
    setBegun({ of: 'line' in line ? line.line : request, fields: next })
  }
  const text = (label: string, key: keyof CallRequest, placeholder: string) => (
    <TextField label={label} value={fields[key]} placeholder={placeholder} onChange={(next) => set({ [key]: next })} />
  )
  return (
    <>
      <div className={styles['fields']}>
        <SelectField
          label="Verb"
          value={fields.verb}
          options={RESOURCE_VERBS}
          onChange={(verb) => set({ verb })}
          {...('problem' in made && { error: `${made.problem} The text still contains the previous request.` })}
        />
        {text('Resource', 'resource', 'pods')}
        {text('API', 'api', 'v1')}
        {text('Namespace', 'namespace', 'none')}
        {text('Object name', 'name', 'none')}
        {text('Parameters', 'parameters', 'limit=500')}
      </div>
      {notes.error !== undefined && <p className="bad">{notes.error}</p>}
    </>
  )
}
