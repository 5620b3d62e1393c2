/** One request at a time; a connection, or a place for a stream on one. */
export interface Line {
  readonly ready: Promise<void>
  /** Sends the request of this number. */
  send(i: number): void
  end(): void
}

/** Called once for each request, and no longer after `end`. */
export type Answered = (line: Line, ms: number, ok: boolean) => void

/** Requests of two hundred users in fifty namespaces; bodies of 1 KB come back. */
export const pathOf = (i: number): string => `/api/v1/namespaces/n${i % 50}/pods/one`
export const userOf = (i: number): string => `user-${i % 200}`
export const DIFFERENT = 1_000
