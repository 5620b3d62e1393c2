import { create } from 'zustand'
import type { ProcedureName, StreamName } from '../../core/contract/contract.ts'
import type { Limits } from '../../core/contract/limits.ts'
import type { ScreenName } from '../../core/contract/screens.ts'

/** The procedures that the other side does not offer; absent before its answer, and where it offers everything. */
export const limitsStore = create<{ readonly limits?: Limits }>(() => ({}))

/**
 * Why the other side refuses a procedure or stream, in a sentence; `undefined` where it does not, and without a name.
 */
export function refusalOf(
  name: ProcedureName | StreamName | undefined,
  { limits } = limitsStore.getState(),
): string | undefined {
  return name === undefined || limits === undefined || limits.answers.includes(name) ? undefined : limits.why
}
export const useRefusal = (name: ProcedureName | StreamName | undefined): string | undefined =>
  limitsStore((state) => refusalOf(name, state))

/** Whether this page has that screen. */
export const hasScreen = (screen: ScreenName, { limits } = limitsStore.getState()): boolean =>
  limits?.screens?.includes(screen) ?? true
export const useHasScreen = (screen: ScreenName): boolean => limitsStore((state) => hasScreen(screen, state))
