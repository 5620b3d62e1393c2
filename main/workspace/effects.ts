import { configDiff } from '../../core/config/content.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { Effect, EffectsState } from '../../core/contract/effect.ts'
import type { Earlier } from '../../core/contract/forecast.ts'
import type { AppliedChange, JournalEntry, WatchRequest } from '../../core/contract/objects.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { Series } from '../../core/history/series.ts'
import type { ObjectsReading, SourceEvent } from '../../core/source/sourceEvent.ts'
import { beforeEdit, measureEffect, watchedUntil, type BeforeEdit } from '../../core/twin/effect.ts'
import { earlierOf, scoreOf } from '../../core/twin/judge.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../../core/units.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import type { Store } from '../store/store.ts'
import { isSame } from './journal.ts'
import { presentObject } from './sourceJournal.ts'

/** Watches the effects of the edits of one target. */
export interface Effects {
  readonly states: Subscribable<EffectsState>
  /** Of a journal entry; `undefined` where it was not watched. */
  read(id: string): Promise<Effect | undefined>
  /** How previous forecasts held. */
  earlier(): Promise<Earlier>
  /**
   * Watches an edit from its last page on, on the first server where the window had no page yet when it was applied.
   * Without pages of the server there is nothing to watch.
   */
  begin(entry: Pick<JournalEntry, 'id' | 'label' | 'changes'>, watch: WatchRequest | undefined): Promise<void>
  /** The objects changed otherwise: watching ends here. */
  change(): Promise<void>
  take(event: SourceEvent): void
}

export interface EffectsOptions {
  readonly connection: number
  readonly targetKey: string
  readonly store: Store['effects']
  /** The first server with pages. */
  readonly first: () => string | undefined
  /** Time of the latest page of a server; `undefined` before the first one. */
  readonly latest: (server: string) => UnixMs | undefined
  readonly frames: (server: string) => readonly ServerFrame[]
  readonly series: (server: string, from: UnixMs, to: UnixMs) => Series
}

/** Between two measurements, and between two that are written, by the clock of the pages. */
const MEASURE_MS = 5 * MS_PER_SECOND
const WRITE_MS = 30 * MS_PER_SECOND

export function createEffects(options: EffectsOptions): Effects {
  const { connection, targetKey, store, first, latest, frames, series } = options
  const states = createTopic<EffectsState>()
  let kept: readonly Effect[] = []
  let revision = 0
  let [measuredAt, writtenAt] = [-Infinity, -Infinity]
  /** Only the newest edit is watched: each edit ends the watching of earlier ones. */
  const watched = (): Effect | undefined => {
    const [newest] = kept
    return newest === undefined || newest.ended !== undefined ? undefined : newest
  }
  /**
   * The edit in the form in which the objects will show it, then the objects with the edit: any later difference from
   * them is another edit.
   */
  let edited: Pick<JournalEntry, 'changes'> | undefined
  let baseline: ObjectSet | undefined
  const publish = (): void => {
    const open = watched()
    revision++
    states.publish({
      connection,
      revision,
      watched: open === undefined ? null : { id: open.id, untilMs: watchedUntil(open.atMs) },
      score: scoreOf(kept) ?? null,
    })
  }
  const hold = (effect: Effect): void => {
    kept = [effect, ...kept.filter(({ id }) => id !== effect.id)]
    publish()
  }
  const write = (effect: Effect): Promise<unknown> => store.change(targetKey, effect.id, () => effect)
  const load = async (): Promise<void> => {
    // The store itself reports what it cannot read.
    const read = await store.read(targetKey).catch(() => [])
    kept = [...kept, ...read.filter(({ id }) => kept.every((one) => one.id !== id))]
    publish()
  }
  const loaded = load()
  /** Of the watched edit, once there is any. */
  let past: { readonly id: string; readonly before: BeforeEdit | undefined } | undefined
  const measure = (effect: Effect): Effect => {
    const { id, server, atMs } = effect
    const read = (from: UnixMs, to: UnixMs): Series => series(server, from, to)
    if (past?.id !== id || past.before === undefined) past = { id, before: beforeEdit(atMs, read) }
    return measureEffect(effect, { frames: frames(server), series: read, before: past.before })
  }
  const change = async (): Promise<void> => {
    await loaded
    const open = watched()
    if (open === undefined) return
    const last: Effect = { ended: 'changed', ...measure(open) }
    hold(last)
    await write(last)
  }
  const takeObjects = (reading: ObjectsReading): void => {
    if (watched() === undefined || reading.state !== 'current') return
    if (baseline !== undefined) {
      // The stored effect is then slightly outdated; the store reports why.
      if (configDiff(baseline, reading.objects).length > 0) change().catch(() => undefined)
      return
    }
    const isThere = ({ kind, name, to }: AppliedChange): boolean => {
      const present = presentObject(reading, { kind, name })
      return present !== undefined && isSame(present.object, to)
    }
    if (edited?.changes.every(isThere) !== false) baseline = reading.objects
  }
  return {
    states,
    async read(id) {
      await loaded
      return kept.find((one) => one.id === id)
    },
    async earlier() {
      await loaded
      return earlierOf(kept)
    },
    async begin({ id, label, changes }, watch) {
      await loaded
      const server = watch?.server ?? first()
      const forecast = watch?.forecast
      edited = { changes }
      baseline = undefined
      const atMs = server === undefined ? undefined : latest(server)
      if (server === undefined || atMs === undefined) return
      const effect: Effect = { id, label, server, atMs, ...(forecast?.server === server && { forecast }) }
      hold(effect)
      await write(effect)
    },
    change,
    take(event) {
      if (event.kind === 'objects') takeObjects(event.reading)
      const open = watched()
      if (open === undefined || event.kind !== 'frame' || event.past === true || event.frame.id !== open.server) return
      const at = unixMsOf(event.frame.at)
      if (at - measuredAt < MEASURE_MS && at < watchedUntil(open.atMs)) return
      const next = measure(open)
      measuredAt = at
      if (next.measured === open.measured && next.ended === open.ended) return
      hold(next)
      if (next.ended === undefined && at - writtenAt < WRITE_MS) return
      writtenAt = at
      // The stored effect is then slightly outdated; the store reports why.
      write(next).catch(() => undefined)
    },
  }
}
