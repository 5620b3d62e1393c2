import { create } from 'zustand'

/** What the reader says, where no server does. */
export const ownLimitStore = create<{ readonly seats?: number }>(() => ({}))
