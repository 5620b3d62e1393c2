import type { AbortSignalLike } from './contract.ts'

/** A signal that several parties can listen for; the counterpart of AbortController without a platform. */
export interface Abort {
  readonly signal: AbortSignalLike
  /** Calls every listener once; further calls do nothing. A listener added afterwards is not called. */
  abort(): void
}

export function createAbort(): Abort {
  let aborted = false
  let listeners: (() => void)[] = []
  return {
    signal: {
      get aborted() {
        return aborted
      },
      addEventListener: (_type, listener) => {
        if (!aborted) listeners.push(listener)
      },
    },
    abort() {
      if (aborted) return
      aborted = true
      const called = listeners
      listeners = []
      for (const listener of called) listener()
    },
  }
}
