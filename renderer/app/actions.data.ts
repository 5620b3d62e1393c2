interface ActionInfo {
  readonly group: 'Actions' | 'Settings'
  readonly label: string
  /** Other words for it, separated by blanks. */
  readonly also?: string
  readonly key?: string
}

const action = (label: string, also?: string, key?: string): ActionInfo => ({
  group: 'Actions',
  label,
  ...(also !== undefined && { also }),
  ...(key !== undefined && { key }),
})
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
  'stop-simulation': action('Stop the simulation for everyone', 'pause halt'),
  'go-on-simulation': action('Let the simulation run', 'resume play'),
  'step-simulation': action('Advance the simulation by one event', 'step'),
  'open-files': action('Open files or a folder', 'file import load captures dump recording'),
  connect: action('Connect your cluster', 'kubeconfig kubectl context source'),
  simulation: action('Explore a simulated cluster', 'simulate demo'),
  demo: action('Play the recorded demo', 'replay recording'),
  disconnect: action('Disconnect', 'close source'),
  'reading-notes': action('Show how to read the Overview', 'tour help first introduction'),
  'theme-dark': setting('Dark theme', 'night colour'),
  'theme-light': setting('Light theme', 'day colour'),
  'theme-system': setting('Theme of the system', 'colour'),
  'density-compact': setting('Compact rows', 'density'),
  'density-regular': setting('Regular rows', 'density'),
  'clock-utc': setting('Clock in UTC', 'time zone'),
  'clock-local': setting('Clock in local time', 'time zone'),
  'keys-on': setting('Single-letter shortcuts on', 'keyboard'),
  'keys-off': setting('Single-letter shortcuts off', 'keyboard'),
} as const satisfies Readonly<Record<string, ActionInfo>>

export type ActionName = keyof typeof ACTION_INFO

/** What decides whether an action is available. */
export interface ActionFacts {
  readonly connected: boolean
  readonly simulated: boolean
  readonly simulationStopped: boolean
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
  const { connected, simulated, simulationStopped, requests, drafted, editing } = facts
  const reasons: Partial<Record<ActionName, string>> = {}
  const need = (holds: boolean, why: string, ...names: readonly ActionName[]): void => {
    for (const name of names) if (!holds) reasons[name] ??= why
  }
  need(connected, 'Nothing is connected.', 'disconnect', 'explain', 'why-429', 'reading-notes')
  need(drafted > 0, 'The draft has no changes.', 'dry-run', 'apply', 'run-beside')
  need(requests, 'This source does not report individual requests.', 'run-beside')
  const impossible = facts.why ?? 'This source cannot be edited.'
  need(editing !== 'impossible', impossible, 'dry-run', 'apply', 'undo-applied', 'editing-on', 'editing-off')
  need(editing !== 'off', 'Editing is off.', 'apply', 'editing-off')
  need(editing !== 'on', 'Editing is on already.', 'editing-on')
  need(facts.mayUndoDraft, 'There is no edit to undo.', 'undo-draft')
  need(facts.mayRedoDraft, 'There is no edit to redo.', 'redo-draft')
  need(simulated, 'No simulation is connected.', 'stop-simulation', 'go-on-simulation', 'step-simulation')
  need(!simulationStopped, 'The simulation is stopped already.', 'stop-simulation')
  need(simulationStopped, 'The simulation is running.', 'go-on-simulation')
  return reasons
}
