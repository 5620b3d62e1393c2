import { useState } from 'react'
import { toProblem, type Problem } from '../../../core/errors.ts'
import type { EtcdChange, EtcdClass, EtcdPreview, EtcdRule } from '../../../core/contract/etcd.ts'
import { Button, Buttons, Check } from '../../components/Button.tsx'
import { SelectField, TextField } from '../../components/Field.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Note, ProblemNote } from '../../components/States.tsx'
import { ask } from '../../state/connection.ts'
import { say } from '../../state/shell.ts'
import { format } from '../../theme/format.ts'
import {
  beyondForm,
  changeOf,
  CLASS_FIELDS,
  classMembers,
  CONDITION_OPTIONS,
  PARAMETERS,
  RULE_FIELDS,
  ruleMembers,
  type Typed,
  typedOf,
} from './forms.logic.ts'
import { sentenceText } from '../../../core/answer/answer.ts'
import { previewSentence } from '../../../core/qos/present.ts'

export type Edited =
  | { readonly kind: 'class'; readonly of: EtcdClass | undefined }
  | { readonly kind: 'rule'; readonly of: EtcdRule | undefined }

/** Adds, changes or removes one class or rule, with the effect that this would have had on the last ten minutes. */
export function EditPane(props: {
  readonly edited: Edited
  readonly classNames: readonly string[]
  /** Why nothing can be changed; absent when it can. */
  readonly readOnly: string | undefined
  /** Whether there is a proxy to preview it on. */
  readonly preview: boolean
  readonly onDone: (name: string | undefined) => void
}) {
  const { edited, classNames, readOnly, onDone } = props
  const { kind, of } = edited
  const fields = kind === 'class' ? CLASS_FIELDS : RULE_FIELDS
  const [name, setName] = useState(of?.name ?? '')
  const [typed, setTyped] = useState<Typed>(() => typedOf(of?.document ?? FRESH[kind](classNames), fields))
  const [outcome, setOutcome] = useState<EtcdPreview | Problem>()
  const own = kind === 'class' ? (PARAMETERS[typed['qdisc'] ?? ''] ?? []) : []
  const shown = fields.filter(
    ({ member }) => kind === 'rule' || own.includes(member) || !Object.values(PARAMETERS).flat().includes(member),
  )
  const change = (): EtcdChange =>
    changeOf(
      kind,
      name.trim(),
      kind === 'class' ? classMembers(typed) : ruleMembers(typed, of?.document),
      of !== undefined,
    )
  const set = (member: string, value: string): void => {
    setTyped({ ...typed, [member]: value })
    setOutcome(undefined)
  }
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (thrown) {
      setOutcome(toProblem(thrown))
    }
  }
  const tryIt = (): void => void attempt(async () => setOutcome(await ask('etcd.preview', { change: change() })))
  const apply = (wanted: EtcdChange, done: string | undefined, sentence: string): void =>
    void attempt(async () => {
      const { warnings } = await ask('etcd.change', { change: wanted })
      say([sentence, ...warnings].join(' '))
      onDone(done)
    })
  const title = of === undefined ? `New ${kind}` : `${kind === 'class' ? 'Class' : 'Rule'} ${of.name}`
  return (
    <Pane title={title}>
      <div className="column gap-10 pad-x pad-t-4 pad-b-12">
        {readOnly !== undefined && <Note kind="info">{readOnly}</Note>}
        {of === undefined && (
          <TextField label="Name" placeholder={`my-${kind}`} value={name} onChange={(value) => setName(value)} />
        )}
        <div className="stack halves gap-10">
          {shown.map(({ member, label, kind: typing, choices = [], placeholder }) =>
            typing === 'choice' ? (
              <SelectField
                key={member}
                label={label}
                value={typed[member] || (choices[0]?.[0] ?? '')}
                options={member === 'qClassName' ? classNames : choices}
                onChange={(value) => set(member, value)}
              />
            ) : (
              <TextField
                key={member}
                label={label}
                kind={typing === 'number' ? 'number' : 'code'}
                placeholder={placeholder}
                value={typed[member] ?? ''}
                onChange={(value) => set(member, value)}
              />
            ),
          )}
          {kind === 'rule' && (of === undefined || !beyondForm(of.document)) && (
            <>
              <div className="across">
                <SelectField
                  label="Condition"
                  value={typed['condition'] ?? ''}
                  options={CONDITION_OPTIONS}
                  onChange={(value) => set('condition', value)}
                />
              </div>
              <TextField
                label="Above"
                kind="number"
                disabled={(typed['condition'] ?? '') === ''}
                value={typed['threshold'] ?? ''}
                onChange={(value) => set('threshold', value)}
              />
              <TextField
                label="User"
                placeholder="everybody"
                value={typed['user'] ?? ''}
                onChange={(value) => set('user', value)}
              />
            </>
          )}
        </div>
        {edited.kind === 'rule' && edited.of !== undefined && (
          <Check
            label="Enabled"
            checked={edited.of.enabled}
            disabled={readOnly !== undefined}
            onChange={(enabled) =>
              apply(
                changeOf('rule', name, { enabled }, true),
                name,
                enabled ? `${name} limits requests.` : `${name} is disabled.`,
              )
            }
          />
        )}
        {outcome !== undefined &&
          ('code' in outcome ? (
            <ProblemNote problem={outcome} alert />
          ) : (
            <Note kind="info" alert>
              {sentenceText(previewSentence(outcome), format)}
              {outcome.rules.map(({ rule, passed, delayed, limited }) => (
                <span key={rule} className="block breaks">
                  <b>{rule}</b>: {format.fixed(passed)} passed, {format.fixed(delayed)} delayed, {format.fixed(limited)}{' '}
                  limited
                </span>
              ))}
            </Note>
          ))}
        <Buttons>
          <Button onClick={tryIt} disabled={!props.preview || name.trim() === ''}>
            Preview
          </Button>
          <Button
            primary
            disabled={readOnly !== undefined || name.trim() === ''}
            onClick={() => apply(change(), name.trim(), `${name.trim()} is in effect.`)}
          >
            {of === undefined ? 'Add' : 'Apply'}
          </Button>
          {of !== undefined && (
            <Button
              disabled={readOnly !== undefined}
              onClick={() => apply({ action: 'remove', kind, name }, undefined, `${name} is removed.`)}
            >
              Remove
            </Button>
          )}
        </Buttons>
      </div>
    </Pane>
  )
}

const FRESH = {
  class: () => ({ qdisc: 'tbf', qps: 10, burst: 12 }),
  rule: ([first = '']: readonly string[]) => ({ qClassName: first, priority: 10, ops: ['Range'] }),
} as const
