import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'

/** A small value that outlives the process. */
export interface StateFile<T> {
  read(): Promise<T>
  /** Resolves to the new value. It holds for this session even when it cannot be written. */
  change(update: (value: T) => T): Promise<T>
}

const FORMAT_VERSION = 1
const EnvelopeSchema = z.object({ formatVersion: z.literal(FORMAT_VERSION), value: z.unknown() })

export interface StateFileOptions<T> {
  readonly path: string
  readonly schema: z.ZodType<T>
  readonly initial: T
  /** Hears one sentence when the file could not be understood or written; at most once each. */
  readonly warn: (sentence: string) => void
}

/**
 * JSON with a format version, replaced by renaming, so that a crash leaves the old file or the new one. A file that
 * cannot be understood is kept beside as `.bad` and the initial value used.
 */
export function createStateFile<T>({ path, schema, initial, warn }: StateFileOptions<T>): StateFile<T> {
  let current: Promise<T> | undefined
  let warnedOfWriting = false

  const load = async (): Promise<T> => {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) return initial
    const parsed = parse(text, schema)
    if (parsed !== undefined) return parsed.value
    await rename(path, `${path}.bad`).catch(() => undefined)
    warn(`${path} could not be understood; it is kept as ${path}.bad and the defaults are used.`)
    return initial
  }
  const save = async (value: T): Promise<void> => {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const beside = `${path}.new`
      await writeFile(beside, JSON.stringify({ formatVersion: FORMAT_VERSION, value }, undefined, 2) + '\n', {
        mode: 0o600,
      })
      await rename(beside, path)
    } catch (error) {
      if (!warnedOfWriting)
        warn(`${path} could not be written, so changes last until the console ends: ${String(error)}`)
      warnedOfWriting = true
    }
  }
  const read = (): Promise<T> => (current ??= load())
  return {
    read,
    change(update) {
      // Each change starts from the one before it, also when several are asked for at once.
      const before = read()
      const changed = async (): Promise<T> => {
        const next = update(await before)
        await save(next)
        return next
      }
      current = changed()
      return current
    },
  }
}

function parse<T>(text: string, schema: z.ZodType<T>): { readonly value: T } | undefined {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return undefined
  }
  const envelope = EnvelopeSchema.safeParse(content)
  const value = envelope.success ? schema.safeParse(envelope.data.value) : undefined
  return value?.success === true ? { value: value.data } : undefined
}
