import type { ObjectSet } from '../../../../core/config/objects.ts'
import { Button } from '../../../components/Button.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { ChoiceRow, NumberRow } from './FieldRow.tsx'
import { Name, Reconciled } from './LevelForm.tsx'
import { RuleEditor } from './RuleEditor.tsx'
import { listAt, NEW_RULE } from './rules.logic.ts'
import type { ObjectForm } from './draftObject.ts'
import styles from './object.module.css'

const RULES = ['spec', 'rules'] as const

/** A schema, field by field, with sentences about what it matches. */
export function SchemaForm(props: {
  readonly form: ObjectForm
  /** The proposed configuration, for the existing levels. */
  readonly objects: ObjectSet
  readonly version: string
}) {
  const { form, objects, version } = props
  const { ref, readOnly } = form
  const precedence = ['spec', 'matchingPrecedence']
  const level = ['spec', 'priorityLevelConfiguration', 'name']
  const method = ['spec', 'distinguisherMethod']
  const levels = objects.levels.map(({ metadata }) => metadata.name)
  const named = form.word(level)
  const count = listAt(form.at(RULES)).length
  return (
    <>
      <div className="stack gap-2 pad-x pad-t-6 pad-b-10">
        <Name form={form} />
        <NumberRow
          label="Precedence"
          term="matching-precedence"
          usual="1000"
          consequence={placeText(objects, ref.name, form.at(precedence))}
          {...form.number(precedence)}
        />
        <ChoiceRow
          label="Level"
          term="priority-level"
          wide
          {...named}
          options={levels.map((name) => [name, name])}
          consequence={
            named.value === '' || levels.includes(named.value)
              ? undefined
              : 'This level does not exist: the schema is inactive until it does.'
          }
        />
        <ChoiceRow
          label="Flows"
          term="flow-distinguisher"
          wide
          {...form.word([...method, 'type'])}
          options={[
            ['', 'one flow for all requests'],
            ['ByUser', 'a flow for each user'],
            ['ByNamespace', 'a flow for each namespace'],
          ]}
          onChange={(value) => form.set(method, value === '' ? undefined : { type: value })}
          findings={form.findings(method, true)}
        />
        <Reconciled form={form} version={version} />
      </div>
      {Array.from({ length: count }, (_, index) => (
        <RuleEditor key={index} form={form} index={index} count={count} />
      ))}
      <div className="pad-x pad-t-8 pad-b-10 line-above">
        {count === 0 && <p className={styles['sentence']}>Without rules the schema matches nothing.</p>}
        {!readOnly && (
          <Button small onClick={() => form.set([...RULES, count], NEW_RULE)}>
            <Icon name="plus" size={12} /> Rule
          </Button>
        )}
      </div>
    </>
  )
}

function placeText({ schemas }: ObjectSet, name: string, precedence: unknown): string | undefined {
  if (typeof precedence !== 'number') return undefined
  const before = schemas.filter(
    ({ metadata, spec }) =>
      metadata.name !== name &&
      (spec.matchingPrecedence < precedence || (spec.matchingPrecedence === precedence && metadata.name < name)),
  )
  const same = schemas.filter(({ metadata, spec }) => metadata.name !== name && spec.matchingPrecedence === precedence)
  const place = `${before.length + 1} of ${schemas.length}`
  const [tie] = same
  return tie === undefined ? `number ${place}` : `number ${place}; tied with ${tie.metadata.name}, ordered by name`
}
