import type { ReactNode } from 'react'
import type { FieldPath } from '../../../../core/manifest/json.ts'
import { Button } from '../../../components/Button.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { FindingLines, IconButton } from './formParts.tsx'
import { listAt, NEW_RESOURCE_RULE, NEW_URL_RULE, ruleSentence, subjectOf } from './rules.logic.ts'
import { SubjectRow } from './SubjectRow.tsx'
import { TokenField } from './TokenField.tsx'
import type { ObjectForm } from './useObjectForm.ts'
import styles from './form.module.css'

/** One rule of a schema: who, and what they ask for. */
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
    <section className={styles['section']} aria-label={`Rule ${index + 1}`}>
      <div className={styles['sectionHead']}>
        <h3>{count === 1 ? 'Rule' : `Rule ${index + 1} of ${count}`}</h3>
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
        <div className={styles['adds']}>
          <Add
            label="Subject"
            onClick={() =>
              form.set([...subjects, subjectCount ?? 0], subjectOf({ kind: 'User', name: '', namespace: '' }))
            }
          />
          <Add label="Resources" onClick={() => form.set([...resources, resourceCount ?? 0], NEW_RESOURCE_RULE)} />
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
      <label className={styles['check']}>
        <input
          type="checkbox"
          disabled={form.readOnly}
          checked={form.at(scope) === true}
          onChange={({ target }) => form.set(scope, target.checked ? true : undefined)}
        />
        also requests for the whole cluster
      </label>
      <FindingLines findings={[scope].flatMap((at) => form.findings(at))} />
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
      <div className={styles['partHead']}>
        <span>{title}</span>
        {!form.readOnly && <IconButton icon="cross" label={remove} onClick={() => form.set(path, undefined)} />}
      </div>
      <FindingLines findings={[path].flatMap((at) => form.findings(at))} />
      {children}
    </div>
  )
}
