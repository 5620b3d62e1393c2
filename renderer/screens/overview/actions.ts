import { ask } from '../../state/connection.ts'
import { hasScreen, refusalOf } from '../../state/limits.ts'
import { openLevel, openScreen } from '../../state/route.ts'
import { selectionStore } from '../../state/selection.ts'
import type { NowAction } from '../../../core/verdict/levelStatements.ts'

function explainLimit(server: string, level: string): void {
  const { setServer, setLevel } = selectionStore.getState()
  setServer(server)
  setLevel(level)
  openScreen('allocation')
}

/** Whether the target of an action exists. */
export const canPerform = ({ kind }: NowAction): boolean =>
  kind === 'explain-limit'
    ? hasScreen('allocation')
    : kind === 'own-level'
      ? hasScreen('connection')
      : kind !== 'try-now' || refusalOf('sources.tryNow') === undefined

export const openConnection = (): void => openScreen('connection')

/** Failures of these calls appear on the screen as health of the source. */
export function tryNow(server?: string): void {
  ask('sources.tryNow', server === undefined ? {} : { server }).catch(() => undefined)
}

export function perform(action: NowAction, showServer: (server: string) => void): void {
  if (action.kind === 'open-level') openLevel(action.server, action.level)
  else if (action.kind === 'explain-limit') explainLimit(action.server, action.level)
  else if (action.kind === 'own-level') openConnection()
  else if (action.kind === 'show-server') showServer(action.server)
  else tryNow(action.server)
}

/** A button names its result and its object. */
export function actionLabel(action: NowAction): string {
  if (action.kind === 'open-level') return `Open ${action.level}`
  if (action.kind === 'own-level') return 'Level for the console'
  if (action.kind === 'explain-limit') return 'Explain its limit'
  return action.kind === 'show-server' ? `Show ${action.server}` : 'Retry now'
}
