import type { FieldPath } from '../../../../core/manifest/json.ts'
import { classes } from '../../../components/classes.ts'
import { inputClass, monoInputClass } from '../../../components/Field.tsx'
import { FindingLines, IconButton } from './formParts.tsx'
import { SUBJECT_KINDS, subjectFields, subjectOf, type SubjectFields } from './rules.logic.ts'
import type { ObjectForm } from './useObjectForm.ts'
import styles from './form.module.css'

const HINTS: Readonly<Record<string, string>> = {
  User: 'name of a user, or * for any',
  Group: 'system:authenticated, or * for any',
  ServiceAccount: 'name, or * for any',
}

/** Who a rule is about: a user, a group or a service account. */
export function SubjectRow(props: { readonly form: ObjectForm; readonly path: FieldPath; readonly index: number }) {
  const { form, path, index } = props
  const { readOnly } = form
  const fields = subjectFields(form.at(path) ?? null)
  const { kind, name, namespace } = fields
  const isAccount = kind === 'ServiceAccount'
  const findings = form.findings(path, true)
  const set = (change: Partial<SubjectFields>): void => form.set(path, subjectOf({ ...fields, ...change }))
  const invalid = findings.some(({ severity }) => severity === 'error') ? true : undefined
  const subject = `Subject ${index + 1}`
  return (
    <div className={classes(styles['subject'], isAccount && styles['account'])}>
      <select
        className={inputClass}
        aria-label={`${subject}: kind`}
        disabled={readOnly}
        value={kind}
        onChange={({ target }) => set({ kind: target.value })}
      >
        {SUBJECT_KINDS.some((known) => known === kind) || <option value={kind}>{kind === '' ? 'choose' : kind}</option>}
        {SUBJECT_KINDS.map((known) => (
          <option key={known} value={known}>
            {known === 'ServiceAccount' ? 'Account' : known}
          </option>
        ))}
      </select>
      {isAccount && (
        <input
          className={monoInputClass}
          aria-label={`${subject}: namespace`}
          aria-invalid={invalid}
          placeholder="namespace"
          spellCheck={false}
          readOnly={readOnly}
          value={namespace}
          onChange={({ target }) => set({ namespace: target.value })}
        />
      )}
      <input
        className={monoInputClass}
        aria-label={`${subject}: name`}
        aria-invalid={invalid}
        placeholder={HINTS[kind]}
        spellCheck={false}
        readOnly={readOnly}
        value={name}
        onChange={({ target }) => set({ name: target.value })}
      />
      {readOnly || (
        <IconButton icon="cross" label={`Remove ${subject.toLowerCase()}`} onClick={() => form.set(path, undefined)} />
      )}
      <FindingLines findings={findings} />
    </div>
  )
}
