import type { ProcedureName } from '../../core/contract/contract.ts'
import { isWithoutLevels, WITHOUT_LEVELS } from '../../core/frame/reading.ts'
import {
  connectSource,
  ask,
  connectionStore,
  disconnectSource,
  type WishedSource,
  showsRequests,
} from '../state/connection.ts'
import { refusalOf } from '../state/limits.ts'
import { setAsking } from '../state/asking.ts'
import { showNotes } from '../state/dismissed.ts'
import { draftStore, redoDraft, undoDraft } from '../state/draft.ts'
import { runDry } from '../state/draftApply.ts'
import { objectsNow } from '../state/objects.ts'
import { openMade, openPage, openScreen } from '../state/route.ts'
import { runDraftBeside } from '../state/draftRun.ts'
import { changeSettings } from '../state/settings.ts'
import { controlSimulation, simulationStore } from '../state/simulation.ts'
import { viewStore, withoutLevels } from '../state/view.ts'
import { openSetting } from '../state/wantedSetting.ts'
import { say, sayFailure } from '../state/shell.ts'
import { openAsSource } from '../components/files.ts'

const ACTIONS: Readonly<Record<ActionName, () => void>> = {
  'dry-run': () => {
    openPage('editor', 'draft')
    void runDry()
  },
  apply: () => {
    openPage('editor', 'draft')
    setAsking('apply')
  },
  'undo-draft': undoDraft,
  'redo-draft': redoDraft,
  'undo-applied': () => openPage('editor', 'journal'),
  'editing-on': () => switchEditing(true),
  'editing-off': () => switchEditing(false),
  'run-beside': () => void succeeded(runDraftBeside()).then((ok) => ok && openScreen('live')),
  explain: () => openScreen('allocation'),
  'why-429': () => openScreen(withoutLevels(viewStore.getState()) === undefined ? 'diagnosis' : 'live'),
  report: () => openScreen('recordings'),
  'first-difference': () => {
    // That of the runs on the screen, or the page that makes some.
    const button = document.querySelector<HTMLElement>('main [data-first-difference]')
    if (button === null) openPage('whatif', 'runs')
    else button.click()
  },
  'stop-simulation': () => void succeeded(controlSimulation({ paused: true })),
  'go-on-simulation': () => void succeeded(controlSimulation({ paused: false })),
  'step-simulation': () => void succeeded(controlSimulation({ step: 1 })),
  'open-files': () => askForFiles(false),
  'open-folder': () => askForFiles(true),
  connect: () => openScreen('connection'),
  simulation: () => connectTo({ kind: 'simulation' }),
  demo: () => connectTo({ kind: 'demo' }),
  disconnect,
  'reading-notes': showNotes,
  'theme-dark': () => changeSettings({ theme: 'dark' }),
  'theme-light': () => changeSettings({ theme: 'light' }),
  'theme-system': () => changeSettings({ theme: 'system' }),
  'density-compact': () => changeSettings({ density: 'compact' }),
  'density-regular': () => changeSettings({ density: 'regular' }),
  'clock-utc': () => changeSettings({ clock: 'utc' }),
  'clock-local': () => changeSettings({ clock: 'local' }),
  'keys-on': () => changeSettings({ singleKeys: true }),
  'keys-off': () => changeSettings({ singleKeys: false }),
  // These have more values than entries of the palette could name.
  'set-sidebar': () => openSetting('sidebar'),
  'set-range': () => openSetting('range'),
  'set-record': () => openSetting('record'),
  'set-age': () => openSetting('age'),
  'set-size': () => openSetting('size'),
  'set-updates': () => openSetting('updates'),
}

export const act = (name: ActionName): void => ACTIONS[name]()

export const connectTo = (spec: WishedSource): void => void succeeded(openMade(() => connectSource(spec)))

/** Why the simulation cannot be controlled at this moment. */
export function whyNotSteered(): string | undefined {
  if (connectionStore.getState().connection?.source.kind !== 'simulation') return 'No simulation is connected.'
  return viewStore.getState().mode === 'past' ? 'The simulation runs in the present; go back to live first.' : undefined
}

/** Why actions are not available at this moment. */
export function unavailableNow(): Readonly<Partial<Record<ActionName, string>>> {
  const refused = Object.entries(ASKS).map(([name, asks]) => [name, refusalOf(asks)])
  const { connection } = connectionStore.getState()
  const state = objectsNow()
  const { history } = draftStore.getState()
  const connected = connection !== undefined
  const unavailable = unavailableActions({
    connected,
    notSteered: whyNotSteered(),
    simulationStopped: simulationStore.getState().state?.paused === true,
    levels: connection === undefined || !isWithoutLevels(connection.source),
    requests: connection !== undefined && showsRequests(connection),
    drafted: history.present.length,
    mayUndoDraft: history.past.length > 0,
    mayRedoDraft: history.future.length > 0,
    editing: state?.editing.state ?? 'impossible',
    ...(state?.editing.state === 'impossible' && { why: state.editing.why }),
  })
  return { ...unavailable, ...Object.fromEntries(refused.filter(([, why]) => why !== undefined)) }
}

/** Procedures of the other side that actions call, and that it may refuse. */
const ASKS = {
  'dry-run': 'objects.check',
  'run-beside': 'live.candidate',
  'open-files': 'sources.connect',
  'open-folder': 'sources.connect',
  connect: 'sources.connect',
  simulation: 'sources.connect',
  demo: 'sources.connect',
  disconnect: 'sources.disconnect',
  'set-record': 'recorder.switch',
  'set-age': 'recorder.switch',
  'set-size': 'recorder.switch',
  'set-updates': 'app.update',
} as const satisfies Partial<Record<ActionName, ProcedureName>>

function disconnect(): void {
  const { connection } = connectionStore.getState()
  if (connection !== undefined) void succeeded(disconnectSource(connection.id))
}

function switchEditing(on: boolean): void {
  const asked = ask('editing.switch', { on })
  void succeeded(
    asked.then((editing) => say(editing.state === 'impossible' ? editing.why : `Editing is ${editing.state}.`)),
  )
}

/** Waits for an action and reports why it failed; true when it did not. */
async function succeeded(action: Promise<unknown>): Promise<boolean> {
  try {
    await action
    return true
  } catch (thrown) {
    sayFailure(thrown)
    return false
  }
}

interface ActionInfo {
  readonly group: 'Actions' | 'Settings'
  readonly label: string
  /** Synonyms, separated by blanks. */
  readonly also?: string | undefined
  readonly key?: string | undefined
}

const action = (label: string, also?: string, key?: string): ActionInfo => ({ group: 'Actions', label, also, key })
const setting = (label: string, also?: string): ActionInfo => ({ ...action(label, also), group: 'Settings' })

/** Actions without a key of their own that hold everywhere, by name. */
export const ACTION_INFO = {
  'dry-run': action('Dry run of the draft', 'check validate server', 'Ctrl Enter'),
  apply: action('Apply the draft', 'kubectl save write commit', 'Ctrl Shift Enter'),
  'undo-draft': action('Undo the last edit of the draft', 'revert', 'Ctrl Z'),
  'redo-draft': action('Redo the edit of the draft', undefined, 'Ctrl Shift Z'),
  'undo-applied': action('Undo applied changes', 'journal revert rollback history'),
  'editing-on': action('Switch editing on', 'write unlock'),
  'editing-off': action('Switch editing off', 'read-only lock'),
  'run-beside': action('Run the draft beside live traffic', 'shadow compare a/b'),
  explain: action('Explain the limit of this level', 'why allocation borrow lend', 'X'),
  'why-429': action('Why are requests rejected?', '429 rejected throttled too many requests'),
  report: action('Write an incident report', 'share export postmortem html markdown pdf'),
  'first-difference': action('First difference of two runs', 'compare runs decision'),
  'stop-simulation': action('Stop the simulation for everyone', 'pause halt'),
  'go-on-simulation': action('Resume the simulation', 'let run play go on'),
  'step-simulation': action('Advance the simulation by one event', 'step'),
  'open-files': action('Open files', 'file import load captures dump recording'),
  'open-folder': action('Open a folder', 'directory import load captures recording'),
  connect: action('Connect your cluster', 'kubeconfig kubectl context source token bearer password certificate'),
  simulation: action('Explore a simulated cluster', 'simulate demo'),
  demo: action('Play the recorded demo', 'replay recording'),
  disconnect: action('Disconnect', 'close source'),
  'reading-notes': action('Show how to read the Overview', 'tour help first introduction'),
  'theme-dark': setting('Dark theme', 'night colour'),
  'theme-light': setting('Light theme', 'day colour'),
  'theme-system': setting('System theme', 'colour'),
  'density-compact': setting('Compact rows', 'density'),
  'density-regular': setting('Regular rows', 'density'),
  'clock-utc': setting('Clock in UTC', 'time zone'),
  'clock-local': setting('Clock in local time', 'time zone'),
  'keys-on': setting('Single-letter shortcuts on', 'keyboard'),
  'keys-off': setting('Single-letter shortcuts off', 'keyboard'),
  'set-sidebar': setting('Sidebar by width or icons only', 'rail'),
  'set-range': setting('Range at the start', 'time window default'),
  'set-record': setting('Record sources', 'recorder recording history'),
  'set-age': setting('Keep recordings for', 'retention days age'),
  'set-size': setting('Keep recordings at most', 'retention size disk megabytes'),
  'set-updates': setting('Newer versions', 'update upgrade'),
} as const satisfies Readonly<Record<string, ActionInfo>>

export type ActionName = keyof typeof ACTION_INFO

/** What determines whether an action is available. */
export interface ActionFacts {
  readonly connected: boolean
  /** Why no simulation can be controlled. */
  readonly notSteered?: string | undefined
  readonly simulationStopped: boolean
  /** Whether its flow control has priority levels. */
  readonly levels: boolean
  /** Whether the source shows single requests. */
  readonly requests: boolean
  /** Objects that the draft changes. */
  readonly drafted: number
  readonly mayUndoDraft: boolean
  readonly mayRedoDraft: boolean
  readonly editing: 'impossible' | 'off' | 'on'
  /** Why editing is impossible. */
  readonly why?: string
}

/** Why actions are not available now, in a sentence each; those that are available have none. */
export function unavailableActions(facts: ActionFacts): Readonly<Partial<Record<ActionName, string>>> {
  const { connected, notSteered, simulationStopped, requests, drafted, editing } = facts
  const reasons: Partial<Record<ActionName, string>> = {}
  const need = (holds: boolean, why: string, ...names: readonly ActionName[]): void => {
    for (const name of names) if (!holds) reasons[name] ??= why
  }
  need(connected, 'Nothing is connected.', 'disconnect', 'explain', 'why-429', 'reading-notes')
  need(facts.levels, WITHOUT_LEVELS, 'explain', 'reading-notes', 'run-beside')
  need(drafted > 0, 'The draft has no changes.', 'dry-run', 'apply', 'run-beside')
  need(requests, 'This source does not report individual requests.', 'run-beside')
  const impossible = facts.why ?? 'This source cannot be edited.'
  need(editing !== 'impossible', impossible, 'dry-run', 'apply', 'undo-applied', 'editing-on', 'editing-off')
  need(editing !== 'off', 'Editing is off.', 'apply', 'editing-off')
  need(editing !== 'on', 'Editing is already on.', 'editing-on')
  need(facts.mayUndoDraft, 'There is no edit to undo.', 'undo-draft')
  need(facts.mayRedoDraft, 'There is no edit to redo.', 'redo-draft')
  need(notSteered === undefined, notSteered ?? '', 'stop-simulation', 'go-on-simulation', 'step-simulation')
  need(!simulationStopped, 'The simulation is already stopped.', 'stop-simulation')
  need(simulationStopped, 'The simulation is running.', 'go-on-simulation')
  return reasons
}

/** Prompts for files to open. Only works while a key press or a click is handled. */
function askForFiles(folder: boolean): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.webkitdirectory = folder
  input.addEventListener('change', () => {
    const chosen = Array.from(input.files ?? [])
    if (chosen.length > 0) void openAsSource(async () => chosen)
  })
  input.click()
}
