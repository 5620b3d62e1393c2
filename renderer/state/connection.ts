import { create } from 'zustand'
import type { Connection } from '../../core/contract/source.ts'

export interface ConnectionState {
  readonly connection: Connection
  /** Whether the other side of the contract is reachable at all. */
  readonly link: boolean
  /** False until the connection was heard of for the first time. */
  readonly known: boolean
}

export const connectionStore = create<ConnectionState>(() => ({
  connection: { state: 'none' },
  link: true,
  known: false,
}))

/** What the console is connected to, and whether this page still reaches the console. */
export const useConnection = (): ConnectionState => connectionStore()

export type Connected = Extract<Connection, { state: 'connected' }>

/** The connection when there is one. */
export const useConnected = (): Connected | undefined =>
  connectionStore(({ connection }) => (connection.state === 'connected' ? connection : undefined))
