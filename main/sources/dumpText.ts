import type { DumpFrame } from '../../core/frame/dump.ts'
import { parsePriorityLevelsDump, parseQueuesDump, parseRequestsDump } from '../../core/metrics/dumps.ts'

export type DumpKind = 'levels' | 'queues' | 'requests'

/** What the texts of the three dumps begin with (specification 12); each has a column that the others lack. */
export function dumpKind(text: string): DumpKind | undefined {
  const header = /^\s*(PriorityLevelName,[^\n]*)/.exec(text)?.[1]
  if (header === undefined) return undefined
  if (header.includes('FlowSchemaName')) return 'requests'
  return header.includes('NextDispatchR') ? 'queues' : 'levels'
}

export const emptyDump = (server: string, atMs: number): DumpFrame => ({
  server,
  at: new Date(atMs).toISOString(),
  costMs: 0,
  bytes: 0,
  errors: [],
})

/** The reading with one more dump in it; rows that could not be read are left out and said in `errors`. */
export function withDump(dump: DumpFrame, kind: DumpKind, text: string, path: string): DumpFrame {
  const [result, part] = parse(kind, text)
  if (result.ok) return { ...dump, ...part }
  const { line, column, message } = result.problem
  return { ...dump, ...part, errors: [...dump.errors, { path, message: `line ${line}, column ${column}: ${message}` }] }
}

function parse(kind: DumpKind, text: string) {
  switch (kind) {
    case 'levels': {
      const result = parsePriorityLevelsDump(text)
      return [result, { levels: result.rows }] as const
    }
    case 'queues': {
      const result = parseQueuesDump(text)
      return [result, { queues: result.rows }] as const
    }
    case 'requests': {
      const result = parseRequestsDump(text)
      return [result, { requests: result.rows }] as const
    }
  }
}
