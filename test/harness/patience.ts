/**
 * Tests wait for facts, and on a busy machine a fact may take longer than the second that `vi.waitFor` gives it. A fact
 * that never becomes true still fails, a little later.
 */
import { vi } from 'vitest'

export const PATIENCE_MS = 600_000

const patient = (options: number | { readonly timeout?: number; readonly interval?: number } = {}) => {
  const { timeout = 0, interval = 20 } = typeof options === 'number' ? { timeout: options } : options
  return { timeout: Math.max(timeout, PATIENCE_MS), interval }
}

// Files of one worker share `vi`: it is made patient once.
if (!('patient' in vi)) {
  const { waitFor, waitUntil } = vi
  vi.waitFor = (callback, options) => waitFor(callback, patient(options))
  vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
  Object.assign(vi, { patient: true })
}
