interface Sums {
  readonly here: number
  readonly server: number
}

/** Differences below are what a scrape and a feed are apart anyway: seconds, and a part of what the server says. */
const SAME_SECONDS = 1
const SAME_PART = 0.1

/** How long requests waited in all, here and at the server, since both were first told. Seconds. */
export class Waited {
  private from: Sums | undefined
  private latest: Sums | undefined

  note(sums: Sums): void {
    // A server that starts again begins at nothing.
    if (this.from === undefined || sums.server < (this.latest?.server ?? 0)) this.from = sums
    this.latest = sums
  }

  /** What the two say of the waits here; `undefined` where they agree, or before the second scrape. */
  get sentence(): string | undefined {
    const { from, latest } = this
    if (from === undefined || latest === undefined) return undefined
    const here = latest.here - from.here
    const server = latest.server - from.server
    if (Math.abs(here - server) <= SAME_SECONDS + SAME_PART * server) return undefined
    const sums = `Since the first scrape, requests have waited ${said(server)} in all by the server’s own metrics, and ${said(here)} here.`
    return here > server
      ? `${sums} The feed does not say when execution began: a request that waited at the server, but not here, keeps its seats here for too long. Read waits here as upper estimates.`
      : `${sums} Requests that do not reach the feed may hold seats there. Read waits here as lower estimates.`
  }
}

const said = (seconds: number): string => `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
