import { create } from 'zustand'
import type { ProcedureName, StreamName } from '../../core/contract/contract.ts'
import type { Limits } from '../../core/contract/limits.ts'
import type { ScreenName } from '../../core/contract/screens.ts'

/** What the other side says it does not do; nothing until it has said so, and where it does everything. */
export const limitsStore = create<{ readonly limits?: Limits }>(() => ({}))

/** Why the other side refuses something, in a sentence; `undefined` where it does not. Nothing asked is nothing refused. */
export function refusalOf(
  name: ProcedureName | StreamName | undefined,
  { limits } = limitsStore.getState(),
): string | undefined {
  return name === undefined || limits === undefined || limits.answers.includes(name) ? undefined : limits.why
}
export const useRefusal = (name: ProcedureName | StreamName | undefined): string | undefined =>
  limitsStore((state) => refusalOf(name, state))

/** Whether this page has a screen to lead to. */
export const hasScreen = (screen: ScreenName, { limits } = limitsStore.getState()): boolean =>
  limits?.screens?.includes(screen) ?? true
export const useHasScreen = (screen: ScreenName): boolean => limitsStore((state) => hasScreen(screen, state))
