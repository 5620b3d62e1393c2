import type { Environment } from './environment.ts'

/** The pauses of a repeated task, one at a time; the present pause can be ended early. */
export interface Pause {
  /** Whether there is a pause now. */
  readonly present: boolean
  /** Calls back once, after `ms` or when the pause is ended. */
  readonly begin: (ms: number, go: () => void) => void
  /** The same as a promise, which settles when the signal aborts as well. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** Ends the present pause now; does nothing if there is none. */
  readonly end: () => void
  /** Drops the present pause: nothing is called. */
  readonly forget: () => void
}

export function createPause({ after }: Pick<Environment, 'after'>): Pause {
  let present: { readonly cancel: () => void; readonly go: () => void } | undefined
  const forget = (): void => {
    present?.cancel()
    present = undefined
  }
  const end = (): void => {
    const ending = present
    forget()
    ending?.go()
  }
  const begin = (ms: number, go: () => void): void => {
    present = { cancel: after(ms, end), go }
  }
  return {
    get present() {
      return present !== undefined
    },
    begin,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        begin(ms, () => {
          signal.removeEventListener('abort', end)
          resolve()
        })
        if (signal.aborted) end()
        else signal.addEventListener('abort', end, { once: true })
      }),
    end,
    forget,
  }
}
