import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { z } from 'zod'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import { NEEDED_FAMILIES } from '../../../core/metrics/catalogue.ts'
import type { Page } from '../../../core/metrics/page.ts'
import { createParser } from '../../../core/metrics/parse.ts'
import { dumpKind, emptyDump, withDump } from '../../../core/metrics/dumps.ts'
import { applyChanges } from './pageChanges.ts'

/** One answer in the recording: see assets/demo/README.md. */
const LineSchema = z.object({
  /** Unix milliseconds of the request. */
  t: z.number(),
  path: z.string(),
  /** Milliseconds until the last byte, and the bytes of the whole answer. */
  ms: z.number(),
  bytes: z.number(),
  /** A metrics page, reduced to what the console reads, is whole or as changes to the page before. */
  body: z.string().optional(),
  changes: z.string().optional(),
})
export type Line = z.infer<typeof LineSchema>

export interface RecordedPage {
  /** Unix milliseconds at which it was requested. */
  readonly t: number
  readonly page: Page
  readonly fetchMs: number
  readonly bytes: number
}

/** What one server answered over one lap, in the order of time. The first page is the base of the lap's increases. */
export interface Recording {
  readonly pages: readonly RecordedPage[]
  readonly dumps: readonly RecordedDump[]
}

/** The texts of one reading of the dumps. */
export interface RecordedDump {
  readonly t: number
  readonly lines: readonly Line[]
}

/** Throws when the file is not a recording: it is part of the application, so that is a broken installation. */
export async function readRecording(path: string): Promise<Recording> {
  const text = (await promisify(brotliDecompress)(await readFile(path))).toString('utf8')
  const parser = createParser({ keep: NEEDED_FAMILIES })
  const encoder = new TextEncoder()
  const pages: RecordedPage[] = []
  const dumps: RecordedDump[] = []
  let body = ''
  for (const part of text.split('\n')) {
    if (part === '') continue
    const line = LineSchema.parse(JSON.parse(part))
    if (line.path === '/metrics') {
      body = line.body ?? applyChanges(body, line.changes ?? '')
      const page = parser.parse(encoder.encode(body))
      if (page.problem !== undefined) throw new Error(`${path}: ${page.problem.message}`)
      pages.push({ t: line.t, page, fetchMs: line.ms, bytes: line.bytes })
    } else {
      // The three dumps of one reading follow each other, levels first.
      const last = line.path.includes('dump_priority_levels') ? undefined : dumps.pop()
      dumps.push({ t: last?.t ?? line.t, lines: [...(last?.lines ?? []), line] })
    }
  }
  if (pages.length < 2 || dumps.length < 2) throw new Error(`${path} holds no recording.`)
  return { pages, dumps }
}

/** Parsed when it is shown: a dump of a busy server takes milliseconds, and most are not shown at once. */
export function readDump(server: string, { t, lines }: RecordedDump): DumpFrame {
  return lines.reduce(
    (dump, { path, body = '', ms, bytes }) => {
      const kind = dumpKind(body)
      const read = kind === undefined ? dump : withDump(dump, kind, body, path)
      return { ...read, costMs: dump.costMs + ms, bytes: dump.bytes + bytes }
    },
    emptyDump(server, t),
  )
}
