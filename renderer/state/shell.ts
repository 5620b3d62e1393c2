import { create } from 'zustand'
import { toProblem } from '../../core/errors.ts'

export type Overlay = 'palette' | 'help' | 'source' | 'range'

interface ShellState {
  /** The one thing that is open above the screen. */
  readonly overlay?: Overlay
  /** The result of the last action, shown for a while. */
  readonly toast?: string
}

export const shellStore = create<ShellState>(() => ({}))

export const openOverlay = (overlay: Overlay): void => shellStore.setState({ overlay })

/** Closes this overlay, or any that is open. */
export function closeOverlay(overlay?: Overlay): void {
  const { overlay: open, toast } = shellStore.getState()
  if (overlay === undefined || overlay === open) shellStore.setState(toast === undefined ? {} : { toast }, true)
}

export const setOverlay = (overlay: Overlay, open: boolean): void =>
  open ? openOverlay(overlay) : closeOverlay(overlay)

/** Shows the result of an action in one sentence. */
export const say = (toast: string): void => shellStore.setState({ toast })

/** Shows why an action failed. */
export const sayFailure = (thrown: unknown): void => say(toProblem(thrown).message)

export function silence(): void {
  const { overlay } = shellStore.getState()
  shellStore.setState(overlay === undefined ? {} : { overlay }, true)
}
