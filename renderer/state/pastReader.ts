import type { Client } from '../../core/contract/contract.ts'
import { ProblemError, toProblem } from '../../core/errors.ts'
import { standsInThePast } from '../../core/frame/reading.ts'
import { format } from '../theme/format.ts'
import { connectionStore } from './connection.ts'
import { pastStore } from './past.ts'
import { instantOf, timeStore } from './time.ts'

/** The recorded extent grows while the past is shown. */
const EXTENT_MS = 5_000

/** Settles once the page has drawn the update and is idle again, or after a short time even if it is busy. */
export type Pause = () => Promise<void>

const BUSY_MS = 200
/** Parts of a screen are drawn in separate frames: for this long, only the one instant is drawn. */
const DRAWN_MS = 80

const untilDrawn: Pause = async () => {
  await new Promise((resolve) => setTimeout(resolve, DRAWN_MS))
  // Not every browser supports idle callbacks.
  if ('requestIdleCallback' in globalThis)
    await new Promise((resolve) => requestIdleCallback(resolve, { timeout: BUSY_MS }))
}

/**
 * Keeps `pastStore` in step with the selected instant. One request is in flight at a time; the instant selected in the
 * meantime comes next, so that a moving pointer does not wait for instants that it has left. The page draws between two
 * instants: if each arrived at once, it would fall behind the pointer.
 */
export function startPast(client: Client, pause: Pause = untilDrawn): () => void {
  let busy = false
  let ended = false

  /** Nothing once it was ended: a late answer then changes nothing. */
  const wish = (): { readonly of: number; readonly at: number } | undefined => {
    if (ended) return undefined
    const { connection } = connectionStore.getState()
    const instant = instantOf(timeStore.getState())
    if (connection === undefined || instant === undefined) return undefined
    // A file already shows all of its data.
    const still = connection.still && !standsInThePast(connection.source)
    return still ? undefined : { of: connection.id, at: instant }
  }
  const opened = async (of: number): Promise<number> => {
    const known = pastStore.getState()
    if (known.of === of && known.connection !== undefined) return known.connection
    const connection = await client.call('past.open', { connection: of })
    const extent = await client.call('past.extent', { connection })
    if (!ended) pastStore.setState({ of, connection, extent }, true)
    return connection
  }
  const read = async ({ of, at }: { readonly of: number; readonly at: number }): Promise<void> => {
    try {
      const connection = await opened(of)
      const moment = await client.call('past.moment', { connection, at })
      if (wish()?.of !== of) return
      // The charts may cover more than the recording: data that a source read of its own past.
      if (moment.frame === undefined && moment.etcd === undefined && timeStore.getState().chosen === undefined) {
        throw new ProblemError('not-found', `Nothing was recorded at ${format.dateTime(at)}.`)
      }
      const { problem: _, failedAt: __, ...known } = pastStore.getState()
      pastStore.setState({ ...known, moment }, true)
    } catch (thrown) {
      // An error of another source is not shown for this one.
      if (wish()?.of !== of) return
      const { moment: _, ...known } = pastStore.getState()
      pastStore.setState({ ...known, of, failedAt: at, problem: toProblem(thrown) }, true)
    }
  }
  const step = async (): Promise<void> => {
    // Returning to the present does not wait for an answer about the past.
    if (wish() === undefined) leave()
    if (busy) return
    busy = true
    try {
      for (;;) {
        const wanted = wish()
        if (wanted === undefined) return leave()
        const { of, moment, failedAt } = pastStore.getState()
        if (of === wanted.of && (failedAt ?? moment?.at) === wanted.at) return
        await read(wanted)
        await pause()
      }
    } finally {
      busy = false
    }
  }
  /** The connection is kept, because the user is likely to return soon. */
  const leave = (): void => {
    if (ended) return
    const { moment, problem, failedAt: _, ...rest } = pastStore.getState()
    if (moment !== undefined || problem !== undefined) pastStore.setState(rest, true)
  }
  const refresh = async (): Promise<void> => {
    const { of, connection, moment, failedAt: _, ...known } = pastStore.getState()
    if (known.problem !== undefined) {
      // A recording may have started in the meantime, or a disk may be back.
      pastStore.setState(
        { ...known, ...(of !== undefined && { of }), ...(connection !== undefined && { connection }) },
        true,
      )
      return step()
    }
    if (connection === undefined || moment === undefined) return
    const extent = await client.call('past.extent', { connection }).catch(() => undefined)
    if (!ended && extent !== undefined && pastStore.getState().of === of) pastStore.setState({ extent })
  }

  const timer = setInterval(() => void refresh(), EXTENT_MS)
  const stops = [
    timeStore.subscribe((time, old) => {
      if (instantOf(time) !== instantOf(old)) void step()
    }),
    connectionStore.subscribe(({ connection }) => {
      const { of } = pastStore.getState()
      if (of !== undefined && connection?.id !== of) pastStore.setState({}, true)
      void step()
    }),
  ]
  void step()
  return () => {
    ended = true
    clearInterval(timer)
    for (const stop of stops) stop()
    pastStore.setState({}, true)
  }
}
