import type { ComponentProps } from 'react'
import { Button, Buttons, Check, Segment } from '../../components/Button.tsx'
import { choices, SelectField } from '../../components/Field.tsx'
import { NowLine } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { NOTE_IDS } from '../../state/firstRun.ts'
import { useRefusal } from '../../state/limits.ts'
import { openScreen } from '../../state/route.ts'
import { useSettings } from '../../state/settings.ts'
import { PRESETS } from '../../state/time.logic.ts'
import { megabytesToBytes } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'
import styles from './settings.module.css'
import { UpdatePane } from './UpdatePane.tsx'

/** How long and how much can be kept, in days and megabytes. */
const AGES: readonly number[] = [1, 3, 7, 14, 30, 90]
export const SIZES: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 50_000]
export const ageText = (days: number): string => format.counted(days, 'day')
export const sizeText = (megabytes: number): string => format.bytes(megabytesToBytes(megabytes))

/** How the console looks, which times it writes, and what it keeps on this computer. */
export function SettingsScreen() {
  return (
    <div className="column">
      <NowLine title="Settings" evidence="They apply at once, and are kept on this computer." />
      <div className={styles['columns']}>
        <div>
          <AppearancePane />
          <TimePane />
          <KeyboardPane />
        </div>
        <div>
          <KeptPane />
          <UpdatePane />
          <GuidePane />
        </div>
      </div>
    </div>
  )
}

function AppearancePane() {
  const [{ theme, density, sidebar }, change] = useSettings()
  return (
    <Pane title="Appearance">
      <div className="stack gap-10 pad-x pad-t-4 pad-b-16">
        <Choice
          label="Theme"
          value={theme}
          options={[
            { value: 'system', label: 'System' },
            { value: 'dark', label: 'Dark' },
            { value: 'light', label: 'Light' },
          ]}
          onChange={(next) => change({ theme: next })}
        />
        <Choice
          label="Rows"
          value={density}
          options={[
            { value: 'regular', label: 'Regular' },
            { value: 'compact', label: 'Compact' },
          ]}
          onChange={(next) => change({ density: next })}
        />
        <Choice
          label="Sidebar"
          value={sidebar}
          options={[
            { value: 'auto', label: 'By width' },
            { value: 'rail', label: 'Icons only' },
          ]}
          onChange={(next) => change({ sidebar: next })}
        />
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
          options={[
            { value: 'utc', label: 'UTC' },
            { value: 'local', label: 'Local time' },
          ]}
          onChange={(next) => change({ clock: next })}
        />
        <SelectField
          label="Range at the start"
          value={String(rangeSeconds)}
          options={choices(PRESETS, rangeSeconds, format.span)}
          onChange={(seconds) => change({ rangeSeconds: Number(seconds) })}
        />
      </div>
    </Pane>
  )
}

function KeyboardPane() {
  const [{ singleKeys }, change] = useSettings()
  return (
    <Pane title="Keyboard">
      <div className="stack gap-10 pad-x pad-t-4 pad-b-16">
        <Check
          label="Single letters and digits act at once"
          checked={singleKeys}
          onChange={(on) => change({ singleKeys: on })}
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
    <Pane title="Kept on this computer" note="recordings of the flight recorder">
      <div className="stack gap-10 pad-x pad-t-4 pad-b-16">
        <Check
          label="Record sources that are connected later"
          checked={record}
          onChange={(on) => change({ record: on })}
        />
        <SelectField
          label="Keep for"
          value={String(keepDays)}
          options={choices(AGES, keepDays, ageText)}
          onChange={(days) => change({ keepDays: Number(days) })}
        />
        <SelectField
          label="Limit for all recordings"
          value={String(keepMegabytes)}
          options={choices(SIZES, keepMegabytes, sizeText)}
          onChange={(megabytes) => change({ keepMegabytes: Number(megabytes) })}
        />
        <Buttons>
          <Button onClick={() => openScreen('recordings')}>Open Recordings</Button>
        </Buttons>
      </div>
    </Pane>
  )
}

function GuidePane() {
  const [{ dismissed }, change] = useSettings()
  const isHidden = NOTE_IDS.every((id) => dismissed.includes(id))
  return (
    <Pane title="First steps">
      <div className="stack gap-10 pad-x pad-t-4 pad-b-16">
        <Buttons>
          <Button
            onClick={() => {
              change({ dismissed: [] })
              openScreen('overview')
            }}
          >
            {isHidden ? 'Show them again' : 'Show them'}
          </Button>
          <Button onClick={() => openScreen('alerts')}>Notifications are on Alerts</Button>
        </Buttons>
      </div>
    </Pane>
  )
}

/** One of a few, all shown. */
const Choice = <T extends string>(props: ComponentProps<typeof Segment<T>>) => (
  <div className={styles['row']}>
    <span>{props.label}</span>
    <Segment {...props} />
  </div>
)
