/**
 * Tests wait for facts, and on a busy machine a fact may take longer than the second that `vi.waitFor` gives it. What
 * never comes true still fails, a little later.
 */
import { vi } from 'vitest'

export const PATIENCE_MS = 30_000

const { waitFor, waitUntil } = vi
const patient = (options: number | { readonly timeout?: number } | undefined) =>
  typeof options === 'number' ? options : { timeout: PATIENCE_MS, interval: 20, ...options }

vi.waitFor = (callback, options) => waitFor(callback, patient(options))
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options))
