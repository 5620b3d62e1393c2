import { create } from 'zustand'

/** Whether the Editor shows a confirmation to apply, and whether that includes fields of other managers. */
export type Asking = 'no' | 'apply' | 'force'

export const askingStore = create<{ readonly asking: Asking }>(() => ({ asking: 'no' }))

export const setAsking = (asking: Asking): void => askingStore.setState({ asking })
