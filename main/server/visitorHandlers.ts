import type { Handlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import { READ_ONLY } from '../../core/contract/readOnly.ts'
import type { SettingsChange } from '../../core/contract/settings.ts'

/** What holds for everybody: whether and how long the console records, and whom it asks for updates. */
const SHARED = ['record', 'keepDays', 'keepMegabytes', 'updateFrom'] as const

/**
 * The same handlers for one session that may only look: they say so, and its settings are its own, in memory, over those of the
 * console. Rejects with `forbidden` for a setting that holds for everybody.
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
            'How this console records, and whether it asks for updates, is set where it is deployed, not by its pages.',
          )
        }
        own = { ...own, ...change }
        return read()
      },
    },
  }
}
