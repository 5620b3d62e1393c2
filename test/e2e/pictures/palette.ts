import { crc32, deflateSync, inflateSync } from 'node:zlib'

/*
 * Pictures of the console with at most 256 colours: a third of the size that the browser writes. Most of the thousands of
 * colours of a picture are the edges of letters; each becomes a colour that the eye and the comparison take for the same.
 */

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const MOST_COLOURS = 256
/** Bytes of a pixel as a browser writes it, by the colour type of the format. */
const BYTES: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

interface Pixels {
  readonly width: number
  readonly height: number
  /** 0xrrggbb of each pixel, row by row. */
  readonly colours: Uint32Array
}

/** The same picture with a palette; as it was if it has one. Throws for a picture that is not a browser's. */
export function withPalette(png: Buffer): Buffer {
  const pixels = read(png)
  if (pixels === undefined) return png
  const { width, height, colours } = pixels
  const { palette, indices } = choose(colours)
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indices.get(colours[y * width + x] ?? 0) ?? 0
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const channels = (colour: number): readonly [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
]

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)])
}

function read(png: Buffer): Pixels | undefined {
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const [width, height, depth, type = 0] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]
  if (type === 3) return undefined
  const size = BYTES[type]
  if (size === undefined || depth !== 8) throw new Error(`A picture of colour type ${type} and ${depth} bits.`)
  const rows = inflateSync(Buffer.concat(data))
  const length = width * size
  const colours = new Uint32Array(width * height)
  let above = new Uint8Array(length)
  for (let y = 0; y < height; y++) {
    const start = y * (length + 1)
    const row = unfiltered(rows[start] ?? 0, rows.subarray(start + 1, start + 1 + length), above, size)
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0] = row.subarray(x * size, x * size + 3)
      colours[y * width + x] = (red << 16) | (green << 8) | blue
    }
    above = row
  }
  return { width, height, colours }
}

/** One row without its filter (PNG, third edition, section 9.2). */
function unfiltered(filter: number, row: Uint8Array, above: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const clear = new Uint8Array(row.length)
  for (let index = 0; index < row.length; index++) {
    const left = clear[index - size] ?? 0
    const up = above[index] ?? 0
    const corner = index < size ? 0 : (above[index - size] ?? 0)
    clear[index] = (row[index] ?? 0) + predicted(filter, left, up, corner)
  }
  return clear
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter < 3) return [0, left, up][filter] ?? 0
  if (filter === 3) return (left + up) >> 1
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs)
  if (toLeft === undefined || toUp === undefined || toCorner === undefined) return 0
  return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
}

/**
 * Takes the colour that would be missed most, by distance and by how often it occurs, until the palette is full; every
 * colour is then drawn as the closest one.
 */
function choose(colours: Uint32Array): { palette: readonly number[]; indices: ReadonlyMap<number, number> } {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const kinds = [...counts.keys()]
  const weights = kinds.map((colour) => Math.sqrt(counts.get(colour) ?? 0))
  const away = kinds.map(() => Number.POSITIVE_INFINITY)
  const indices = new Map<number, number>()
  const palette: number[] = []
  // The most frequent one first: all are equally far away.
  let next = weights.indexOf(Math.max(...weights))
  while (palette.length < MOST_COLOURS && away[next] !== 0) {
    const taken = kinds[next] ?? 0
    const [red, green, blue] = channels(taken)
    palette.push(taken)
    let most = -1
    for (const [index, kind] of kinds.entries()) {
      const distance = ((kind >> 16) - red) ** 2 + (((kind >> 8) & 255) - green) ** 2 + ((kind & 255) - blue) ** 2
      if (distance < (away[index] ?? 0)) {
        away[index] = distance
        indices.set(kind, palette.length - 1)
      }
      const missed = (away[index] ?? 0) * (weights[index] ?? 0)
      if (missed > most) {
        most = missed
        next = index
      }
    }
  }
  return { palette, indices }
}
