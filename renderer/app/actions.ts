import { toProblem } from '../../core/contract/errors.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import { setAsking } from '../state/asking.ts'
import { ask, connectionStore, connectSource, disconnectSource } from '../state/connection.ts'
import { draftStore, redoDraft, undoDraft } from '../state/draft.ts'
import { runDry } from '../state/draftApply.ts'
import { objectsStore } from '../state/objects.ts'
import { openPage, openScreen } from '../state/route.ts'
import { runDraftBeside } from '../state/shadowDraft.ts'
import { changeSettings } from '../state/settings.ts'
import { controlSimulation, simulationStore } from '../state/simulation.ts'
import { showsRequests } from '../state/live.ts'
import { viewStore } from '../state/view.ts'
import { say } from '../state/shell.ts'
import { unavailableActions, type ActionName } from './actions.data.ts'
import { askForFiles } from './openFiles.ts'
import { rosterRows } from './roster.data.ts'

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
  'run-beside': () => void told(runDraftBeside()).then((ok) => ok && openScreen('live')),
  explain: () => openScreen('allocation'),
  'why-429': showRejecting,
  'stop-simulation': () => void told(controlSimulation({ paused: true })),
  'go-on-simulation': () => void told(controlSimulation({ paused: false })),
  'step-simulation': () => void told(controlSimulation({ step: 1 })),
  'open-files': askForFiles,
  connect: () => openScreen('connection'),
  simulation: () => connectTo(SimulationSpecSchema.parse({ kind: 'simulation' })),
  demo: () => connectTo({ kind: 'demo' }),
  disconnect,
  'reading-notes': () => {
    changeSettings({ dismissed: [] })
    openScreen('overview')
  },
  'theme-dark': () => changeSettings({ theme: 'dark' }),
  'theme-light': () => changeSettings({ theme: 'light' }),
  'theme-system': () => changeSettings({ theme: 'system' }),
  'density-compact': () => changeSettings({ density: 'compact' }),
  'density-regular': () => changeSettings({ density: 'regular' }),
  'clock-utc': () => changeSettings({ clock: 'utc' }),
  'clock-local': () => changeSettings({ clock: 'local' }),
  'keys-on': () => changeSettings({ singleKeys: true }),
  'keys-off': () => changeSettings({ singleKeys: false }),
}

export const act = (name: ActionName): void => ACTIONS[name]()

/** Connects a source and shows it. */
export const connectTo = (spec: SourceSpec): void =>
  void told(connectSource(spec)).then((ok) => ok && openScreen('overview'))

/** Why actions are not available at this moment. */
export function unavailableNow(): Readonly<Partial<Record<ActionName, string>>> {
  const { connection } = connectionStore.getState()
  const { state } = objectsStore.getState()
  const { history } = draftStore.getState()
  const connected = connection !== undefined
  return unavailableActions({
    connected,
    simulated: connection?.source.kind === 'simulation',
    simulationStopped: simulationStore.getState().state?.paused === true,
    requests: connection !== undefined && showsRequests(connection),
    drafted: history.present.length,
    mayUndoDraft: history.past.length > 0,
    mayRedoDraft: history.future.length > 0,
    editing: state?.editing.state ?? 'impossible',
    ...(state?.editing.state === 'impossible' && { why: state.editing.why }),
  })
}

function disconnect(): void {
  const { connection } = connectionStore.getState()
  if (connection !== undefined) void told(disconnectSource(connection.id))
}

function switchEditing(on: boolean): void {
  const asked = ask('editing.switch', { on })
  void told(asked.then((editing) => say(editing.state === 'impossible' ? editing.why : `Editing is ${editing.state}.`)))
}

/** The level that rejects now, else the Overview, which says when requests were rejected last. */
function showRejecting(): void {
  const { server, derivedServer } = viewStore.getState()
  const rejecting = rosterRows(server, derivedServer, () => 0).find(({ trouble }) => trouble === 'rejecting')
  if (rejecting === undefined) openScreen('overview')
  else openScreen('level', rejecting.name)
}

/** Waits for an action and says why it failed; true when it did not. */
async function told(action: Promise<unknown>): Promise<boolean> {
  try {
    await action
    return true
  } catch (thrown) {
    say(toProblem(thrown).message)
    return false
  }
}
