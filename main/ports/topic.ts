import type { AbortSignalLike } from '../../core/contract/contract.ts'

/** The newest value of something, for any number of listeners: each receives the latest at once, then every change. */
export interface Topic<E> extends Subscribable<E> {
  publish(event: E): void
}

export interface Subscribable<E> {
  subscribe(emit: (event: E) => void, signal: AbortSignalLike): void
}

export function createTopic<E>(): Topic<E> {
  const listeners = new Set<(event: E) => void>()
  let latest: { readonly event: E } | undefined
  return {
    publish(event) {
      latest = { event }
      for (const listener of listeners) listener(event)
    },
    subscribe(emit, signal) {
      if (signal.aborted) return
      const listener = (event: E): void => emit(event)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
      if (latest !== undefined) emit(latest.event)
    },
  }
}

/**
 * Events for any number of listeners; `begin` is called for the first listener, and the function that it returns once
 * the last one has left. Each listener first receives `present`, where there is one.
 */
export function whileHeard<E>(
  begin: () => () => void,
  present?: () => E | undefined,
): Subscribable<E> & { readonly tell: (event: E) => void } {
  const listeners = new Set<(event: E) => void>()
  let end = (): void => undefined
  return {
    tell(event) {
      for (const listener of listeners) listener(event)
    },
    subscribe(emit, signal) {
      if (signal.aborted) return
      const listener = (event: E): void => emit(event)
      listeners.add(listener)
      if (listeners.size === 1) end = begin()
      signal.addEventListener(
        'abort',
        () => {
          if (listeners.delete(listener) && listeners.size === 0) end()
        },
        { once: true },
      )
      const now = present?.()
      if (now !== undefined) emit(now)
    },
  }
}
