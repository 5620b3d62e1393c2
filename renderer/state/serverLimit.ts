import { create } from 'zustand'

/** The limit that the user entered, where no server reports one. */
export const ownLimitStore = create<{ readonly seats?: number }>(() => ({}))
