import { useState } from 'react'
import { scrollRegion } from '../../../components/classes.ts'
import type { DataColumn } from '../../../components/dataColumns.ts'
import { SelectField, TextArea, TextField } from '../../../components/Field.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { PlainTable } from '../../../components/PlainTable.tsx'
import { compute, type Answer, type Definition, type Field, type Texts } from './calculator.logic.ts'
import styles from './calculators.module.css'
import { FLUID_IDEAL } from './fluid.data.ts'
import { LIST_WIDTH, WATCH_START } from './reads.data.ts'
import { PUBLISHING, WATCH_BUCKETS } from './watchCounts.data.ts'
import { EVENT_COST, WRITE_WIDTH } from './writes.data.ts'

/** Formulas of the proposal that belong to a scenario, with numbers that the reader can change. */
export function Calculators({ scenario }: { readonly scenario: string }) {
  return CALCULATORS[scenario]?.map((one) => <CalculatorPane key={one.title} of={one} />)
}

function CalculatorPane({ of }: { readonly of: Definition }) {
  const { title, follows, upstream, fields } = of
  const [texts, setTexts] = useState<Texts>({})
  const computed = compute(of, texts)
  return (
    <Pane title={title} note="calculator">
      <p className={styles['about']}>{follows}</p>
      <p className={styles['about']}>
        <strong className="medium">Today:</strong> {upstream}
      </p>
      <div className={`${styles['fields']} flex wrap top gap-8 columns-16 pad-x pad-t-6 pad-b-12`}>
        {fields.map((field) => (
          <Input
            key={field.label}
            field={field}
            value={texts[field.label] ?? field.initial}
            error={computed.ok ? undefined : computed.errors[field.label]}
            onChange={(text) => setTexts({ ...texts, [field.label]: text })}
          />
        ))}
      </div>
      {computed.ok && <Result title={title} answer={computed.answer} />}
    </Pane>
  )
}

interface InputProps {
  readonly field: Field<unknown>
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (text: string) => void
}

function Input({ field: { kind, label, hint, options = [] }, ...rest }: InputProps) {
  switch (kind) {
    case 'choice':
      return <SelectField label={label} hint={hint} options={options} {...rest} />
    case 'lines':
      return <TextArea label={label} hint={hint} rows={5} className={styles['lines']} {...rest} />
    case 'number':
      return <TextField kind="number" label={label} hint={hint} {...rest} />
    case 'text':
      return <TextField label={label} hint={hint} {...rest} />
  }
}

const columnsOf = (headers: readonly string[]): readonly DataColumn<readonly string[]>[] =>
  headers.map((header, index) => ({
    id: header,
    header,
    align: index === 0 ? 'left' : 'right',
    rowHeader: index === 0,
    cell: (row) => row[index],
  }))

const Result = ({ title, answer: { summary, columns, rows } }: { readonly title: string; readonly answer: Answer }) => (
  <>
    <p className={styles['summary']} role="status">
      {summary}
    </p>
    <div className={styles['table']} {...scrollRegion(`${title}: result`)}>
      <PlainTable caption={`${title}: numbers`} columns={columnsOf(columns)} rows={rows} rowKey={(_, index) => index} />
    </div>
  </>
)

/** By the scenario on whose page they are shown. */
export const CALCULATORS: Readonly<Partial<Record<string, readonly Definition[]>>> = {
  S7: [FLUID_IDEAL],
  S9: [LIST_WIDTH],
  S13: [WATCH_START],
  S18: [WRITE_WIDTH, EVENT_COST],
  S19: [WATCH_BUCKETS, PUBLISHING],
}
