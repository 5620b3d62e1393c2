import { useState, type FormEvent } from 'react'
import { periodsApart, periodsAround, type Mark, type Period, type Periods } from '../../../core/compare/period.ts'
import { Button } from '../../components/Button.tsx'
import { inputClass, monoInputClass, Select } from '../../components/Field.tsx'
import { unitOf, useWall } from '../../components/wall.ts'
import { useSettings } from '../../state/settings.ts'
import { say } from '../../state/shell.ts'
import { timeStore } from '../../state/time.ts'
import { bounds } from '../../state/time.logic.ts'
import { readInstant, readRange } from '../../state/typedRange.logic.ts'
import { format } from '../../theme/format.ts'
import styles from './compare.module.css'

interface PeriodBarProps {
  /** Name of the source, for marks set by hand. */
  readonly source: string
  readonly marks: readonly Mark[]
  readonly periods: Periods
  readonly onChange: (periods: Periods) => void
}

const LENGTHS = [60, 300, 600, 1_800, 3_600].map((seconds) => [String(seconds), format.span(seconds)] as const)
const OFFSETS: readonly (readonly [seconds: number, label: string])[] = [
  [0, 'directly before B'],
  [3_600, '1 h before B'],
  [86_400, '1 day before B'],
  [604_800, '7 days before B'],
]
const MOST_MARKS = 200

/** Selects the two periods to compare: typed, around a mark, or separated by an offset. */
export function PeriodBar({ source, marks, periods, onChange }: PeriodBarProps) {
  const [length, setLength] = useState(300)
  const { a, b } = periods
  /** The cursor of both is an instant of B. */
  const show = (next: Periods, at: number | undefined, apart = 0): void => {
    onChange(next)
    if (at !== undefined) timeStore.getState().setCursor(at + apart)
  }
  return (
    <div className="row wrap gap-8 columns-12 pad-x pad-y-8 line-below">
      {/* A new period gets a new field, so that typed text does not cover it. */}
      <PeriodField
        key={`a ${a.from} ${a.to}`}
        name="A"
        period={a}
        onChange={(next, at) => show({ a: next, b }, at, b.from - next.from)}
      />
      <PeriodField key={`b ${b.from} ${b.to}`} name="B" period={b} onChange={(next, at) => show({ a, b: next }, at)} />
      <Button small onClick={() => onChange({ a: b, b: a })}>
        Swap
      </Button>
      <label className={styles['choice']}>
        Align by
        <select
          className={inputClass}
          value=""
          onChange={({ target: { value } }) => {
            const [kind, amount] = value.split(' ')
            const number = Number(amount)
            onChange(
              kind === 'mark'
                ? periodsAround(number, length * 1_000)
                : periodsApart(b, number === 0 ? b.to - b.from : number * 1_000),
            )
          }}
        >
          <option value="" disabled>
            mark or offset
          </option>
          <optgroup label="A">
            {OFFSETS.map(([seconds, label]) => (
              <option key={seconds} value={`offset ${seconds}`}>
                {label}
              </option>
            ))}
          </optgroup>
          <optgroup label={marks.length === 0 ? 'No marks yet' : 'Before and after a mark'}>
            {marks.slice(0, MOST_MARKS).map(({ at, text }) => (
              <option key={`${at} ${text}`} value={`mark ${at}`}>
                {format.dateTime(at)} {text}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <label className={styles['choice']}>
        Length around marks
        <Select value={String(length)} options={LENGTHS} onChange={(seconds) => setLength(Number(seconds))} />
      </label>
      <MarkForm source={source} onMark={(at) => onChange(periodsAround(at, length * 1_000))} />
    </div>
  )
}

function PeriodField(props: {
  readonly name: string
  readonly period: Period
  /** `at`: an instant that was chosen in it. */
  readonly onChange: (period: Period, at: number | undefined) => void
}) {
  const { name, period, onChange } = props
  const wall = useWall()
  const [typed, setTyped] = useState(() => `${format.dateTime(period.from)} to ${format.dateTime(period.to)}`)
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const parsed = readRange(typed, wall)
    if (!parsed.ok) return setProblem(parsed.why)
    onChange(bounds(parsed.window, wall.now), parsed.at)
  }
  return (
    <form className={styles['period']} onSubmit={submit}>
      <label>
        <b>{name}</b>
        <input
          className={monoInputClass}
          aria-label={`Period ${name} (${unitOf(wall)})`}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={problem !== undefined}
          onChange={({ target }) => {
            setTyped(target.value)
            setProblem(undefined)
          }}
        />
      </label>
      {problem !== undefined && (
        <span role="alert" className={styles['problem']}>
          {problem}
        </span>
      )}
    </form>
  )
}

/** Sets a mark by hand, now or at a typed instant. */
function MarkForm({ source, onMark }: { readonly source: string; readonly onMark: (at: number) => void }) {
  const [{ marks }, change] = useSettings()
  const wall = useWall()
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const read = typed.trim() === '' ? ({ ok: true, at: timeStore.getState().to } as const) : readInstant(typed, wall)
    if (!read.ok) return say(read.why)
    const { at } = read
    change({ marks: [...marks, { source, at, text: 'mark' }].slice(-MOST_MARKS) })
    setTyped('')
    onMark(at)
  }
  return (
    <form className={styles['choice']} onSubmit={submit}>
      <span aria-hidden="true">Mark at</span>
      <input
        className={monoInputClass}
        aria-label={`Time of a mark (${unitOf(wall)})`}
        placeholder="now"
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button small type="submit">
        Set mark
      </Button>
    </form>
  )
}
