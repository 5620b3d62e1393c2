import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button, Check, Segment } from '../../components/Button.tsx'
import { choices, Select, TextField } from '../../components/Field.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { showNotes } from '../../state/dismissed.ts'
import { useRefusal, refusalOf } from '../../state/limits.ts'
import { useSettings } from '../../state/settings.ts'
import { PRESETS } from '../../state/time.logic.ts'
import { megabytesToBytes } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'
import styles from './settings.module.css'
import { ProblemNote } from '../../components/States.tsx'
import { updateStore } from '../../state/update.ts'
import { type SettingName, wantedSettingStore } from '../../state/wantedSetting.ts'

/** How long and how much can be kept, in days and megabytes. */
const AGES: readonly number[] = [1, 3, 7, 14, 30, 90]
export const SIZES: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 50_000]
export const ageText = (days: number): string => format.counted(days, 'day')
export const sizeText = (megabytes: number): string => format.bytes(megabytesToBytes(megabytes))

/** How the console looks, which times it writes, and what it keeps on this computer. */
export function SettingsScreen() {
  const page = useRef<HTMLDivElement>(null)
  const wanted = wantedSettingStore((store) => store.wanted)
  useEffect(() => {
    if (wanted === undefined) return
    wantedSettingStore.setState({}, true)
    page.current
      ?.querySelector<HTMLElement>(`[data-setting=${wanted}] :is(input, select, [aria-checked=true])`)
      ?.focus()
  }, [wanted])
  return (
    <div ref={page} className="column">
      <NowLine title="Settings" evidence="Settings apply at once and are kept on this computer." />
      <div className={styles['columns']}>
        <div>
          <AppearancePane />
          <TimePane />
        </div>
        <div>
          <KeptPane />
          <UpdatePane />
        </div>
      </div>
    </div>
  )
}

function AppearancePane() {
  const [{ theme, density, sidebar, singleKeys }, change] = useSettings()
  return (
    <Pane title="Appearance">
      <div className="stack gap-10 pad-x pad-t-4 pad-b-16">
        <Choice
          label="Theme"
          value={theme}
          options={{ system: 'System', dark: 'Dark', light: 'Light' }}
          onChange={(next) => change({ theme: next })}
        />
        <Choice
          label="Rows"
          value={density}
          options={{ regular: 'Regular', compact: 'Compact' }}
          onChange={(next) => change({ density: next })}
        />
        <Choice
          name="sidebar"
          label="Sidebar"
          value={sidebar}
          options={{ auto: 'By width', rail: 'Icons only' }}
          onChange={(next) => change({ sidebar: next })}
        />
        <Row label="Notes for beginners">
          <Button onClick={showNotes}>Show</Button>
        </Row>
        <Row label="Keyboard">
          <Check
            label="Single letters and digits act at once"
            checked={singleKeys}
            onChange={(on) => change({ singleKeys: on })}
          />
        </Row>
      </div>
    </Pane>
  )
}

function TimePane() {
  const [{ clock, rangeSeconds }, change] = useSettings()
  return (
    <Pane title="Time">
      <div className="stack gap-10 pad-x pad-t-4 pad-b-16">
        <Choice
          label="Clock"
          value={clock}
          options={{ utc: 'UTC', local: 'Local time' }}
          onChange={(next) => change({ clock: next })}
        />
        <Listed
          name="range"
          label="Range at the start"
          value={String(rangeSeconds)}
          options={choices(PRESETS, rangeSeconds, format.span)}
          onChange={(seconds) => change({ rangeSeconds: Number(seconds) })}
        />
      </div>
    </Pane>
  )
}

function KeptPane() {
  const [{ record, keepDays, keepMegabytes }, change] = useSettings()
  // Where sources may not be recorded, nothing is kept.
  if (useRefusal('recorder.switch') !== undefined) return null
  return (
    <Pane title="Recordings">
      <div className="stack gap-10 pad-x pad-t-4 pad-b-16">
        <div data-setting="record">
          <Check
            label="Record sources that are connected later"
            checked={record}
            onChange={(on) => change({ record: on })}
          />
        </div>
        <Listed
          name="age"
          label="Keep for"
          value={String(keepDays)}
          options={choices(AGES, keepDays, ageText)}
          onChange={(days) => change({ keepDays: Number(days) })}
        />
        <Listed
          name="size"
          label="At most"
          value={String(keepMegabytes)}
          options={choices(SIZES, keepMegabytes, sizeText)}
          onChange={(megabytes) => change({ keepMegabytes: Number(megabytes) })}
        />
      </div>
    </Pane>
  )
}

interface RowProps {
  /** That by which the palette finds it. */
  readonly name?: SettingName | undefined
  readonly label: string
}

const Row = ({ name, label, children }: RowProps & { readonly children: ReactNode }) => (
  <div className={styles['row']} data-setting={name}>
    <span>{label}</span>
    {children}
  </div>
)

/** One of a few, all shown. */
const Choice = <T extends string>({ name, ...segment }: RowProps & ComponentProps<typeof Segment<T>>) => (
  <Row name={name} label={segment.label}>
    <Segment {...segment} />
  </Row>
)

/** One of many. */
const Listed = ({ name, label, ...select }: RowProps & Omit<ComponentProps<typeof Select<string>>, 'name'>) => (
  <Row name={name} label={label}>
    <Select aria-label={label} {...select} />
  </Row>
)

/** The address that is queried for newer versions; without one there is no query. */
function UpdatePane() {
  const [{ updateFrom }, change] = useSettings()
  const [address, setAddress] = useState(updateFrom)
  const update = updateStore((state) => state.update)
  if (refusalOf('app.update') !== undefined) return null
  return (
    <Pane title="Updates">
      <form
        data-setting="updates"
        className="stack gap-10 pad-x pad-t-4 pad-b-16"
        onSubmit={(event) => {
          event.preventDefault()
          change({ updateFrom: address.trim() })
        }}
      >
        <TextField
          label="Source of newer versions"
          kind="code"
          value={address}
          onChange={setAddress}
          hint="https address of a JSON file, {version, url}, read once a day. Nothing is downloaded."
        />
        {update?.state === 'failed' && <ProblemNote problem={update.problem} />}
        {update?.state === 'current' && <p>There is no newer version.</p>}
        {address.trim() !== updateFrom && (
          <div>
            <Button type="submit">{address.trim() === '' ? 'Turn off' : 'Use this address'}</Button>
          </div>
        )}
      </form>
    </Pane>
  )
}
