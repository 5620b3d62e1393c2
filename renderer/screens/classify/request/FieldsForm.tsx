import { memo } from 'react'
import { KNOWN_RESOURCES } from '../../../../core/classify/builtInResources.ts'
import { identityOf } from '../../../../core/classify/identity.ts'
import { RESOURCE_VERBS } from '../../../../core/classify/requestFields.ts'
import { classes } from '../../../components/classes.ts'
import { Button } from '../../../components/Button.tsx'
import { Field, inputClass, monoInputClass } from '../../../components/Field.tsx'
import {
  optionOf,
  verbOf,
  withField,
  withFollowingGroups,
  withGroups,
  withOption,
  withPath,
  withUser,
  withVerb,
  type OptionField,
  type RequestForm,
  type ResourceField,
} from '../../../state/request.logic.ts'
import { changeForm } from '../../../state/request.ts'
import styles from './request.module.css'

const PATH_VERBS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const RESOURCES_ID = 'classify-resources'

/** A request by its parts; the path below says the same. */
export const FieldsForm = memo(function FieldsForm({ form }: { readonly form: RequestForm }) {
  const { fields, problem } = form
  const offered = fields.kind === 'resource' ? RESOURCE_VERBS : PATH_VERBS
  const verb = verbOf(fields)
  const verbs = offered.includes(verb) ? offered : [verb, ...offered]
  return (
    <div className={styles['form']}>
      <Sender form={form} />
      <div className={styles['pair']}>
        <Field label="Verb">
          {(attributes) => (
            <select
              {...attributes}
              className={inputClass}
              value={verb}
              onChange={({ target }) => changeForm((old) => withVerb(old, target.value))}
            >
              {verbs.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Part form={form} field="resource" label="Resource" placeholder="none: only the path counts" list />
      </div>
      <div className={styles['pair']}>
        <Part form={form} field="apiGroup" label="API group" placeholder="core (empty)" />
        <Part form={form} field="version" label="Version" placeholder="v1" />
      </div>
      <div className={styles['pair']}>
        <Part form={form} field="namespace" label="Namespace" placeholder="none" />
        <Part form={form} field="name" label="Name" placeholder="none" />
      </div>
      <div className={styles['three']}>
        <Part form={form} field="subresource" label="Subresource" placeholder="none" />
        <Option form={form} name="resourceVersion" label="resourceVersion" />
        <Option form={form} name="limit" label="limit" />
      </div>
      {problem?.at === 'fields' && (
        <p className={styles['problem']} role="status">
          {problem.text}
        </p>
      )}
      <Field
        label={`Path, ${form.address.method}`}
        hint={
          fields.kind === 'resource'
            ? 'Type a path and the fields above follow.'
            : 'The fields cannot express this path, so verb and path are used. Enter a resource to use the fields.'
        }
        error={problem?.at === 'path' ? problem.text : undefined}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            className={classes(inputClass, styles['path'])}
            rows={2}
            value={form.path}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => changeForm((old) => withPath(old, target.value.replaceAll(/\s/g, '')))}
          />
        )}
      </Field>
      <datalist id={RESOURCES_ID}>
        {KNOWN_RESOURCES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </div>
  )
})

/** Who asks: the groups follow from the name until they are written. */
function Sender({ form }: { readonly form: RequestForm }) {
  const { user, groups, groupsFollow } = form
  return (
    <>
      <Field
        label="User"
        error={user === '' ? 'Enter the user; a request without credentials is system:anonymous.' : undefined}
      >
        {(attributes) => (
          <input
            {...attributes}
            className={monoInputClass}
            value={user}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => changeForm((old) => withUser(old, target.value))}
          />
        )}
      </Field>
      <Field
        label="Groups"
        hint={
          groupsFollow ? (
            identityOf(user).reason
          ) : (
            <span className={styles['hintRow']}>
              As entered, one per line.
              <Button small onClick={() => changeForm(withFollowingGroups)}>
                Follow the name
              </Button>
            </span>
          )
        }
      >
        {(attributes) => (
          <textarea
            {...attributes}
            className={inputClass}
            rows={3}
            value={groups}
            spellCheck={false}
            onChange={({ target }) => changeForm((old) => withGroups(old, target.value))}
          />
        )}
      </Field>
    </>
  )
}

function Part(props: {
  readonly form: RequestForm
  readonly field: ResourceField
  readonly label: string
  readonly placeholder: string
  readonly list?: boolean
}) {
  const { form, field, label, placeholder, list = false } = props
  const { fields } = form
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          className={monoInputClass}
          value={fields.kind === 'resource' ? fields[field] : ''}
          placeholder={placeholder}
          list={list ? RESOURCES_ID : undefined}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => changeForm((old) => withField(old, field, target.value))}
        />
      )}
    </Field>
  )
}

function Option(props: { readonly form: RequestForm; readonly name: OptionField; readonly label: string }) {
  const { form, name, label } = props
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          className={monoInputClass}
          value={optionOf(form.fields, name)}
          placeholder="not set"
          disabled={form.fields.kind === 'path'}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => changeForm((old) => withOption(old, name, target.value))}
        />
      )}
    </Field>
  )
}
