import { useState, type FormEvent } from 'react'
import type { Extent } from '../../core/contract/recording.ts'
import { MS_PER_SECOND } from '../../core/units.ts'
import { Button } from '../components/Button.tsx'
import { inputClass } from '../components/Field.tsx'
import { unitOf, useWall } from '../components/wall.ts'
import { usePastPart } from '../state/past.ts'
import { changeSettings } from '../state/settings.ts'
import { closeOverlay } from '../state/shell.ts'
import { timeStore } from '../state/time.ts'
import { bounds, PRESETS, windowToText, type TimeWindow } from '../state/time.logic.ts'
import { readRange, type ParsedRange } from '../state/typedRange.logic.ts'
import { format } from '../theme/format.ts'
import { run } from './commands.ts'
import { showRange } from './rangeActions.ts'
import { unrecordedMs } from './timeBar.data.ts'
import styles from './TopBar.module.css'

/** Presets, and a range to type, with its meaning before it is shown. */
export function RangeForm({ window }: { readonly window: TimeWindow }) {
  const { setRange } = timeStore.getState()
  const [typed, setTyped] = useState(() => windowText(timeStore.getState()))
  const [tried, setTried] = useState(false)
  const extent = usePastPart((past) => past.extent)
  const wall = useWall()
  const parsed = readRange(typed, wall)
  const preset = (seconds: number): void => {
    setRange(seconds)
    changeSettings({ rangeSeconds: seconds })
    closeOverlay('range')
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!parsed.ok) return setTried(true)
    showRange(parsed)
    closeOverlay('range')
  }
  return (
    <>
      <div className={styles['presets']} role="group" aria-label="Last">
        {PRESETS.map((seconds) => (
          <Button
            key={seconds}
            small
            aria-pressed={window.kind === 'relative' && window.seconds === seconds}
            primary={window.kind === 'relative' && window.seconds === seconds}
            onClick={() => preset(seconds)}
          >
            {format.span(seconds)}
          </Button>
        ))}
      </div>
      <form onSubmit={submit}>
        <label className={styles['field']}>
          Range ({unitOf(wall)})
          <input
            className={inputClass}
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => {
              setTyped(target.value)
              setTried(false)
            }}
            aria-invalid={tried && !parsed.ok}
            aria-describedby="typed-range"
          />
        </label>
        <p
          id="typed-range"
          role={tried && !parsed.ok ? 'alert' : 'status'}
          className={styles[parsed.ok ? 'means' : 'error']}
        >
          {parsed.ok ? meaning(parsed, extent, wall.now) : parsed.why}
        </p>
        <div className={styles['buttons']}>
          <Button small type="submit">
            Show this range
          </Button>
          <Button small onClick={() => run({ kind: 'copy-range' })} title={windowToText(window)}>
            Copy as text
          </Button>
          <Button small onClick={() => run({ kind: 'paste-range' })}>
            Paste
          </Button>
        </div>
      </form>
    </>
  )
}

/** The shown range in the notation of the field. */
const windowText = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  `${format.dateTime(from)} to ${format.dateTime(to)}`

/** What a typed range will show, and how much of it is not recorded. */
function meaning(parsed: Extract<ParsedRange, { ok: true }>, extent: Extent | undefined, now: number): string {
  const missing = extent === undefined ? 0 : unrecordedMs(extent, bounds(parsed.window, now), now)
  const lacks = missing < MS_PER_SECOND ? '' : ` ${format.span(missing / MS_PER_SECOND)} of it are not recorded.`
  return `${rangeMeaning(parsed)}${lacks}`
}

function rangeMeaning({ window, at }: Extract<ParsedRange, { ok: true }>): string {
  const range =
    window.kind === 'relative'
      ? `The last ${format.span(window.seconds)}, up to the newest sample`
      : `${windowText(window)}, ${format.span((window.to - window.from) / 1_000)}`
  return at === undefined ? `${range}.` : `${range}; every screen shows ${format.dateTime(at)}.`
}
