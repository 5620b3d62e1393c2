import { MS_PER_SECOND, msToNs } from '../units.ts'
import type { Random } from './random.ts'
import type { Arrivals, Waves } from './workload.ts'

/** When an activity is on next, at the earliest at `ms`: `ms` itself while it is on. */
export function nextActiveMs({ firstMs, activeMs, periodMs }: Waves, ms: number): number {
  if (ms < firstMs) return firstMs
  const within = (ms - firstMs) % periodMs
  return within < activeMs ? ms : ms - within + periodMs
}

/** Times of the calls of one open-loop client, ascending: whole nanoseconds since the start. */
export function* arrivalTimes(arrivals: Arrivals, random: Random): Generator<number, void> {
  for (const ms of arrivalsMs(arrivals, random)) yield msToNs(ms)
}

function* arrivalsMs(arrivals: Arrivals, random: Random): Generator<number, void> {
  switch (arrivals.kind) {
    case 'poisson':
      return yield* poisson(arrivals.perSecond, arrivals.waves, random)
    case 'regular':
      return yield* regular(arrivals.periodMs, arrivals.jitter, random)
    case 'bursts':
      return yield* bursts(arrivals, random)
    case 'schedule':
      return yield* arrivals.atMs.toSorted((a, b) => a - b)
  }
}

function* poisson(perSecond: number, waves: Waves | undefined, random: Random): Generator<number, void> {
  if (perSecond <= 0) return
  let ms = 0
  for (;;) {
    ms += (-Math.log(1 - random()) * MS_PER_SECOND) / perSecond
    if (waves !== undefined) {
      const active = nextActiveMs(waves, ms)
      // The process has no memory, so that it may as well begin anew with the wave.
      if (active > ms) {
        ms = active
        continue
      }
    }
    yield ms
  }
}

function* regular(periodMs: number, jitter: number, random: Random): Generator<number, void> {
  const offset = random() * periodMs
  for (let turn = 0; ; turn++) {
    // Half a period to each side keeps the order.
    const off = (random() - 0.5) * Math.min(jitter, 1) * periodMs
    yield Math.max(0, offset + turn * periodMs + off)
  }
}

function* bursts(
  { waves, count, spreadMs }: Extract<Arrivals, { kind: 'bursts' }>,
  random: Random,
): Generator<number, void> {
  let latest = 0
  for (let turn = 0; ; turn++) {
    const offsets = Array.from({ length: count }, () => random() * spreadMs).toSorted((a, b) => a - b)
    for (const offset of offsets) {
      latest = Math.max(latest, waves.firstMs + turn * waves.periodMs + offset)
      yield latest
    }
  }
}
