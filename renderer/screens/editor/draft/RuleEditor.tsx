import { plural } from '../../../../core/text/format.ts'
import { type ReactNode, useId, useState } from 'react'
import { EVERY_RESOURCE } from '../../../../core/draft/presets.ts'
import type { FieldPath } from '../../../../core/manifest/json.ts'
import { Button, Check } from '../../../components/Button.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { classes } from '../../../components/classes.ts'
import { monoInputClass, Select } from '../../../components/Field.tsx'
import {
  listAt,
  NEW_URL_RULE,
  ruleSentence,
  subjectOf,
  SUBJECT_KINDS,
  subjectFields,
  type SubjectFields,
  readTokens,
  tokensText,
} from './rules.logic.ts'
import styles from './object.module.css'
import { FindingLines, IconButton } from './FieldRow.tsx'
import type { ObjectForm } from './draftObject.ts'

/** One rule of a schema: subjects and requests. */
export function RuleEditor(props: { readonly form: ObjectForm; readonly index: number; readonly count: number }) {
  const { form, index, count } = props
  const { readOnly } = form
  const rules = ['spec', 'rules']
  const path = [...rules, index]
  const rule = form.at(path) ?? null
  const move = (by: -1 | 1): void => {
    const list = listAt(form.at(rules))
    form.set(rules, list.toSpliced(index, 1).toSpliced(index + by, 0, rule))
  }
  const [subjects, resources, urls] = [
    [...path, 'subjects'],
    [...path, 'resourceRules'],
    [...path, 'nonResourceRules'],
  ]
  const [subjectCount, resourceCount, urlCount] = [subjects, resources, urls].map((at) => listAt(form.at(at)).length)
  return (
    <section className="pad-x pad-t-8 pad-b-10 line-above" aria-label={`Rule ${index + 1}`}>
      <div className={`${styles['sectionHead']} row gap-6 hit-28`}>
        <h3>{plural(count, 'Rule', `Rule ${index + 1} of ${count}`)}</h3>
        {!readOnly && (
          <>
            <IconButton icon="up" label={`Move rule ${index + 1} up`} disabled={index === 0} onClick={() => move(-1)} />
            <IconButton
              icon="down"
              label={`Move rule ${index + 1} down`}
              disabled={index === count - 1}
              onClick={() => move(1)}
            />
            <IconButton icon="cross" label={`Remove rule ${index + 1}`} onClick={() => form.set(path, undefined)} />
          </>
        )}
      </div>
      <p className={styles['sentence']}>{ruleSentence(rule)}</p>
      <FindingLines findings={[path, subjects, resources, urls].flatMap((at) => form.findings(at))} />
      {Array.from({ length: subjectCount ?? 0 }, (_, at) => (
        <SubjectRow key={at} form={form} path={[...subjects, at]} index={at} />
      ))}
      {Array.from({ length: resourceCount ?? 0 }, (_, at) => (
        <ResourcePart key={at} form={form} path={[...resources, at]} index={at} />
      ))}
      {Array.from({ length: urlCount ?? 0 }, (_, at) => (
        <UrlPart key={at} form={form} path={[...urls, at]} index={at} />
      ))}
      {!readOnly && (
        <div className="flex wrap gap-6 pad-t-4">
          <Add
            label="Subject"
            onClick={() =>
              form.set([...subjects, subjectCount ?? 0], subjectOf({ kind: 'User', name: '', namespace: '' }))
            }
          />
          <Add label="Resources" onClick={() => form.set([...resources, resourceCount ?? 0], EVERY_RESOURCE)} />
          <Add label="URLs" onClick={() => form.set([...urls, urlCount ?? 0], NEW_URL_RULE)} />
        </div>
      )}
    </section>
  )
}

const Add = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <Button small onClick={onClick}>
    <Icon name="plus" size={12} /> {label}
  </Button>
)

interface PartProps {
  readonly form: ObjectForm
  readonly path: FieldPath
  readonly index: number
}

function ResourcePart({ form, path, index }: PartProps) {
  const scope = [...path, 'clusterScope']
  return (
    <Part {...{ form, path }} title="Resources" remove={`Remove resources ${index + 1}`}>
      <TokenField form={form} path={[...path, 'verbs']} label="Verbs" />
      <TokenField form={form} path={[...path, 'apiGroups']} label="API groups" groups />
      <TokenField form={form} path={[...path, 'resources']} label="Resources" />
      <TokenField form={form} path={[...path, 'namespaces']} label="Namespaces" />
      <Check
        label="also requests for the whole cluster"
        disabled={form.readOnly}
        checked={form.at(scope) === true}
        onChange={(checked) => form.set(scope, checked ? true : undefined)}
      />
      <FindingLines findings={form.findings(scope)} />
    </Part>
  )
}

const UrlPart = ({ form, path, index }: PartProps) => (
  <Part {...{ form, path }} title="URLs" remove={`Remove URLs ${index + 1}`}>
    <TokenField form={form} path={[...path, 'verbs']} label="Verbs" />
    <TokenField form={form} path={[...path, 'nonResourceURLs']} label="Paths" />
  </Part>
)

function Part(props: {
  readonly form: ObjectForm
  readonly path: FieldPath
  readonly title: string
  readonly remove: string
  readonly children: ReactNode
}) {
  const { form, path, title, remove, children } = props
  return (
    <div className={styles['part']}>
      <div className={`${styles['partHead']} row gap-8 tiny medium faint hit-24`}>
        <span>{title}</span>
        {!form.readOnly && <IconButton icon="cross" label={remove} onClick={() => form.set(path, undefined)} />}
      </div>
      <FindingLines findings={form.findings(path)} />
      {children}
    </div>
  )
}

const HINTS: Readonly<Record<string, string>> = {
  User: 'name of a user, or * for any',
  Group: 'system:authenticated, or * for any',
  ServiceAccount: 'name, or * for any',
}

/** The subject of a rule: a user, a group or a service account. */
function SubjectRow(props: { readonly form: ObjectForm; readonly path: FieldPath; readonly index: number }) {
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
      <Select
        aria-label={`${subject}: kind`}
        disabled={readOnly}
        value={kind}
        options={
          SUBJECT_KINDS.some(([known]) => known === kind)
            ? SUBJECT_KINDS
            : [[kind, kind === '' ? 'choose' : kind], ...SUBJECT_KINDS]
        }
        onChange={(next) => set({ kind: next })}
      />
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

/** A list of words: verbs, groups, resources. Text in the field stays as typed; the list in the manifest follows it. */
function TokenField(props: {
  readonly form: ObjectForm
  readonly path: FieldPath
  readonly label: string
  /** API groups, of which one has an empty name. */
  readonly groups?: boolean
}) {
  const { form, path, label, groups = false } = props
  const id = useId()
  const said = tokensText(form.at(path))
  const [typed, setTyped] = useState(said)
  // Something else changed the text: undo, or the YAML editor.
  const follows = JSON.stringify(readTokens(typed, groups)) === JSON.stringify(readTokens(said, groups))
  const findings = form.findings(path, true)
  const error = findings.some(({ severity }) => severity === 'error')
  return (
    <div className={styles['tokens']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={monoInputClass}
        aria-invalid={error ? true : undefined}
        autoComplete="off"
        spellCheck={false}
        readOnly={form.readOnly}
        value={follows ? typed : said}
        onChange={({ target }) => {
          setTyped(target.value)
          form.set(path, readTokens(target.value, groups))
        }}
      />
      <FindingLines findings={findings} />
    </div>
  )
}
