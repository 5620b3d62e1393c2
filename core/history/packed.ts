import { z } from 'zod'
import { recordOf } from '../frame/reading.ts'
import { type Point } from './point.ts'
import { LEVEL_COLUMNS } from './columns.ts'
import type { LevelSeries, Series } from './series.ts'
import { addSeries, createTier, type Tier } from './tier.ts'

/**
 * A series as bytes: the length of a text, that text, then single-precision columns. The text is JSON of everything
 * except the values; the columns are the fair fraction, and for each level the columns of `LEVEL_COLUMNS`. NaN is
 * unknown.
 */
const HeadSchema = z.object({
  server: z.string(),
  stepSeconds: z.number(),
  mergedSeconds: z.number(),
  times: z.array(z.number()),
  samples: z.array(z.number()),
  columns: z.array(z.string()),
  levels: z.array(z.string()),
})

const LENGTH_BYTES = 4
const VALUE_BYTES = 4

export function packSeries({ levels, fairFrac, ...about }: Series): Uint8Array {
  const names = levels.map(({ name }) => name)
  const head: z.infer<typeof HeadSchema> = { ...about, columns: [...LEVEL_COLUMNS], levels: names }
  const text = new TextEncoder().encode(JSON.stringify(head))
  const rows = about.times.length
  const bytes = new Uint8Array(
    LENGTH_BYTES + text.length + rows * VALUE_BYTES * (1 + levels.length * LEVEL_COLUMNS.length),
  )
  const view = new DataView(bytes.buffer)
  view.setUint32(0, text.length, true)
  bytes.set(text, LENGTH_BYTES)
  let at = LENGTH_BYTES + text.length
  const put = (column: readonly (number | null)[]): void => {
    for (const value of column) {
      view.setFloat32(at, value ?? Number.NaN, true)
      at += VALUE_BYTES
    }
  }
  put(fairFrac)
  for (const { columns } of levels) for (const name of LEVEL_COLUMNS) put(columns[name])
  return bytes
}

/** Values of a packed series, in place. */
interface Unpacked {
  readonly head: z.infer<typeof HeadSchema>
  /** First the fair fractions, then for each level each column. */
  readonly values: Float32Array
}

function unpacked(bytes: Uint8Array): Unpacked {
  if (bytes.length < LENGTH_BYTES) throw new RangeError('a series is truncated')
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  const head = headOf(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length))
  const at = LENGTH_BYTES + length
  const count = head.times.length * (1 + head.levels.length * head.columns.length)
  if (bytes.length !== at + count * VALUE_BYTES)
    throw new RangeError('the length of a series does not match its header')
  const view = new DataView(bytes.buffer, bytes.byteOffset + at)
  // A day is a million of them: a function call or an iterator for each would be too slow.
  const values = new Float32Array(count)
  for (let i = 0; i < count; i++) values[i] = view.getFloat32(i * VALUE_BYTES, true)
  return { head, values }
}

/** Throws RangeError for bytes that `packSeries` did not create. */
export function unpackSeries(bytes: Uint8Array): Series {
  const { head, values } = unpacked(bytes)
  const { columns: names, levels, ...about } = head
  const rows = about.times.length
  const column = (index: number): (number | null)[] =>
    index < 0
      ? about.times.map(() => null)
      : Array.from(values.subarray(index * rows, (index + 1) * rows), (value) => (Number.isNaN(value) ? null : value))
  return {
    ...about,
    fairFrac: column(0),
    levels: levels.map((name, level): LevelSeries => {
      const place = placesOf(names, level)
      return { name, columns: recordOf(LEVEL_COLUMNS, (key) => column(place[LEVEL_COLUMNS.indexOf(key)] ?? -1)) }
    }),
  }
}

/**
 * The offsets of a level's columns, in the order of `LEVEL_COLUMNS`. A column of a later version is skipped, and one
 * that only this version has is absent (−1).
 */
const placesOf = (names: readonly string[], level: number): readonly number[] =>
  LEVEL_COLUMNS.map((key) => {
    const index = names.indexOf(key)
    return index < 0 ? -1 : 1 + level * names.length + index
  })

/** A point of a series, with its number of samples. */
export interface CountedPoint extends Point {
  readonly count: number
}

/** The points of a packed series, without its gaps. Throws RangeError for bytes that `packSeries` did not create. */
export function pointsOfPacked(bytes: Uint8Array): readonly CountedPoint[] {
  const { head, values } = unpacked(bytes)
  const { times, samples, levels, columns: names } = head
  const places = levels.map((_, level) => placesOf(names, level))
  return samples.flatMap((count, row): CountedPoint[] => {
    if (count === 0) return []
    const point = new Map<string, Float32Array>()
    for (const [level, name] of levels.entries()) {
      const own = places[level] ?? []
      const cells = new Float32Array(LEVEL_COLUMNS.length).fill(Number.NaN)
      let any = false
      for (let column = 0; column < own.length; column++) {
        const place = own[column] ?? -1
        const value = place < 0 ? Number.NaN : (values[place * times.length + row] ?? Number.NaN)
        cells[column] = value
        any ||= !Number.isNaN(value)
      }
      if (any) point.set(name, cells)
    }
    return [{ at: times[row] ?? Number.NaN, fairFrac: values[row] ?? Number.NaN, levels: point, count }]
  })
}

/**
 * The points of packed series in steps of that width, milliseconds, with room for this many more. Throws like
 * `pointsOfPacked`.
 */
export function tierOfPacked(packed: readonly Uint8Array[], stepMs: number, room = 0): Tier {
  const points = packed.flatMap(pointsOfPacked)
  const tier = createTier({ capacity: Math.max(1, points.length + room), stepMs })
  for (const point of points) tier.add(point, point.count)
  return tier
}

function headOf(bytes: Uint8Array): z.infer<typeof HeadSchema> {
  try {
    return HeadSchema.parse(JSON.parse(new TextDecoder('utf-8').decode(bytes)))
  } catch (error) {
    throw new RangeError('the header of a series is invalid', { cause: error })
  }
}

/** The same samples in steps of that width, milliseconds; 0 keeps each sample separate. */
export function inSteps(series: Series, stepMs: number): Series {
  const tier = createTier({ capacity: Math.max(1, series.times.length), stepMs })
  addSeries(tier, series)
  return { server: series.server, ...allOf(tier) }
}

/** Merges packed series of one server, in steps of that width, milliseconds. Throws like `pointsOfPacked`. */
export const joinPacked = (server: string, packed: readonly Uint8Array[], stepMs: number): Uint8Array =>
  packSeries({ server, ...allOf(tierOfPacked(packed, stepMs)) })

/** However many gaps there are: rows of a range without bounds cannot be merged. */
const allOf = (tier: Tier): Omit<Series, 'server'> =>
  tier.query({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, maxPoints: Number.POSITIVE_INFINITY })
