/*
 * The asar format, as far as the check needs it: four 32-bit numbers (4, size of the header's pickle, size of its
 * payload, length of the JSON), the JSON, then the contents at offsets counted from the end of the header.
 */
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>
  readonly size?: number
  readonly offset?: string
  readonly integrity?: { readonly hash: string }
}

export interface AsarFile {
  readonly path: string
  readonly content: Buffer
  /** SHA-256 that Electron compares on platforms that validate the archive. */
  readonly hash: string | undefined
}

/** Files of an archive, in the order of its header. */
export function readAsar(archive: Buffer): AsarFile[] {
  const start = 8 + archive.readUInt32LE(4)
  const header: Entry = JSON.parse(archive.toString('utf8', 16, 16 + archive.readUInt32LE(12)))
  const walk = ({ files = {} }: Entry, folder: string): AsarFile[] =>
    Object.entries(files).flatMap(([name, entry]) => {
      const path = folder + name
      if (entry.files !== undefined) return walk(entry, `${path}/`)
      const from = start + Number(entry.offset)
      return [{ path, content: archive.subarray(from, from + (entry.size ?? 0)), hash: entry.integrity?.hash }]
    })
  return walk(header, '')
}

/** An archive with nothing in it. */
export function emptyAsar(): Buffer {
  const json = '{"files":{}}'
  const numbers = Buffer.alloc(16)
  const padded = Math.ceil(json.length / 4) * 4
  numbers.writeUInt32LE(4, 0)
  numbers.writeUInt32LE(padded + 8, 4)
  numbers.writeUInt32LE(padded + 4, 8)
  numbers.writeUInt32LE(json.length, 12)
  return Buffer.concat([numbers, Buffer.from(json.padEnd(padded, '\0'))])
}
