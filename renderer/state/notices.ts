import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import type { Problem } from '../../core/errors.ts'

const noticesStore = create<{ readonly notices: readonly Problem[] }>(() => ({ notices: [] }))

/** What the console cannot read or store on its machine. */
export const useNotices = (): readonly Problem[] => noticesStore(({ notices }) => notices)

/** Returns the function that ends it. */
export const startNotices = (client: Pick<Client, 'subscribe'>): (() => void) =>
  client.subscribe('notices', null, (notices) => noticesStore.setState({ notices }))
