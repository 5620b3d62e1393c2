import type { Handlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import { READ_ONLY } from '../../core/contract/readOnly.ts'
import type { SettingsChange } from '../../core/contract/settings.ts'

/** Settings that apply to all sessions: whether and how long the console records, and where it checks for updates. */
const SHARED = ['record', 'keepDays', 'keepMegabytes', 'updateFrom'] as const

/**
 * The same handlers for one read-only session: they report that, and its settings are its own, in memory, on top of
 * those of the console. Rejects with `forbidden` for a setting that applies to all sessions.
 */
export function visitorHandlers(handlers: Handlers): Handlers {
  let own: SettingsChange = {}
  const read = async () => ({ ...(await handlers.procedures['settings.read'](null)), ...own })
  return {
    ...handlers,
    procedures: {
      ...handlers.procedures,
      'app.info': async () => ({ ...(await handlers.procedures['app.info'](null)), limits: READ_ONLY }),
      'settings.read': read,
      'settings.write': (change) => {
        if (SHARED.some((name) => name in change)) {
          throw new ProblemError(
            'forbidden',
            'Recording and update checks are configured in the deployment of this console, not on its pages.',
          )
        }
        own = { ...own, ...change }
        return read()
      },
    },
  }
}
