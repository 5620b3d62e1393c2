import { create } from 'zustand'

export interface Selection {
  /** Identifier of the chosen server; absent means the first in the frame. */
  readonly server?: string
  readonly level?: string
  readonly setServer: (server: string | undefined) => void
  readonly setLevel: (level: string | undefined) => void
}

export const selectionStore = create<Selection>((set) => ({
  setServer: (server) => set((old) => replaced(old, 'server', server), true),
  setLevel: (level) => set((old) => replaced(old, 'level', level), true),
}))

function replaced(old: Selection, key: 'server' | 'level', value: string | undefined): Selection {
  const { [key]: _dropped, ...rest } = old
  return value === undefined ? rest : { ...rest, [key]: value }
}

/** The one server and level that the screens are about. */
export const useSelection = (): Selection => selectionStore()
