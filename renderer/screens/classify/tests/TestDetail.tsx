import { memo, useMemo } from 'react'
import type { Landing, RequestTestResult } from '../../../../core/classify/configuration.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import { Button } from '../../../components/Button.tsx'
import { Field, inputClass } from '../../../components/Field.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { openRequest } from '../../../state/request.ts'
import { changed, expecting, without, type TestRow } from './table.logic.ts'
import { Outcome } from './TestTable.tsx'
import styles from './tests.module.css'
import { changeRequestTests } from '../../../state/requestTests.ts'
import type { Table } from './useTable.ts'

/** One saved request: what it is, what it expects, and what it matches. */
export const TestDetail = memo(function TestDetail(props: {
  readonly row: TestRow | undefined
  readonly current: ObjectSet
  readonly draft: ObjectSet | undefined
  readonly change: Table['change']
}) {
  const { row, current, draft, change } = props
  const choices = useMemo(() => landingChoices([current, ...(draft === undefined ? [] : [draft])]), [current, draft])
  if (row === undefined) {
    return (
      <Pane title="Row" className={styles['detail']}>
        <p className={styles['none']}>Select a row to see its details, change what it should match, or remove it.</p>
      </Pane>
    )
  }
  const { test, now, draft: proposed } = row
  const { id, label, request, expect } = test
  const edit = (what: string, next: Landing | undefined): void =>
    change(what, (tests) => changed(tests, id, (one) => expecting(one, next)))
  const options = [...new Map([...choices, ...(expect ? [expect] : [])].map((one) => [keyOf(one), one]))]
  return (
    <Pane title="Row" className={styles['detail']}>
      <div className={styles['form']}>
        <Field label="Label">
          {(attributes) => (
            <input
              {...attributes}
              className={inputClass}
              value={label}
              onChange={({ target }) =>
                changeRequestTests((tests) => changed(tests, id, (one) => ({ ...one, label: target.value })))
              }
            />
          )}
        </Field>
        <dl className={styles['facts']}>
          <dt>Request</dt>
          <dd className="mono">{`${request.method} ${request.url}`}</dd>
          <dt>User</dt>
          <dd className="mono">{request.user}</dd>
          <dt>Groups</dt>
          <dd className="mono">
            {request.groups.length === 0
              ? 'none'
              : request.groups.map((group) => (
                  <span key={group} className={styles['group']}>
                    {group}
                  </span>
                ))}
          </dd>
          <dt>Now</dt>
          <dd>
            <Answered result={now} />
          </dd>
          {proposed !== undefined && (
            <>
              <dt>With the draft</dt>
              <dd>
                <Answered result={proposed} />
              </dd>
            </>
          )}
        </dl>
        <Field label="Should match">
          {(attributes) => (
            <select
              {...attributes}
              className={inputClass}
              value={expect === undefined ? '' : keyOf(expect)}
              onChange={({ target }) => edit('Changed what a row expects.', new Map(options).get(target.value))}
            >
              <option value="">nothing in particular</option>
              {options.map(([key, { flowSchema, priorityLevel }]) => (
                <option key={key} value={key}>{`${flowSchema} in ${priorityLevel}`}</option>
              ))}
            </select>
          )}
        </Field>
        <div className={styles['buttons']}>
          {now.outcome !== 'unclassifiable' && now.outcome !== 'passed' && (
            <Button onClick={() => edit('The row expects what it matches now.', now.actual)}>
              Expect what it matches now
            </Button>
          )}
          {row.moves &&
            proposed !== undefined &&
            proposed.outcome !== 'unclassifiable' &&
            proposed.outcome !== 'passed' && (
              <Button onClick={() => edit('The row expects what it matches with the draft.', proposed.actual)}>
                Expect what the draft does
              </Button>
            )}
          <Button onClick={() => openRequest(request)}>See why</Button>
          <Button onClick={() => change(`Removed ${label}.`, (tests) => without(tests, id))}>Remove</Button>
        </div>
      </div>
    </Pane>
  )
})

function Answered({ result }: { readonly result: RequestTestResult }) {
  if (result.outcome === 'unclassifiable') return <>{result.problem}</>
  return (
    <span className={styles['answered']}>
      <Outcome result={result} />
      <span className={styles['quiet']}>{`in ${result.actual.priorityLevel}`}</span>
    </span>
  )
}

const keyOf = ({ flowSchema, priorityLevel }: Landing): string => JSON.stringify([flowSchema, priorityLevel])

/** Where a request can go, in matching order. */
const landingChoices = (sets: readonly ObjectSet[]): readonly Landing[] =>
  sets.flatMap(({ schemas }) =>
    schemas
      .toSorted((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence)
      .map(({ metadata, spec }) => ({
        flowSchema: metadata.name,
        priorityLevel: spec.priorityLevelConfiguration.name,
      })),
  )
