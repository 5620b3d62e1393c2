import { entryOf, refKey, type DraftEntries, type DraftEntry } from '../../core/draft/draft.ts'
import {
  footingOf,
  type Footing,
  proposalOf,
  type Proposal,
  nameClash,
  readEntry,
  type ReadEntry,
} from '../../core/draft/readEntry.ts'
import type { ObjectRef } from '../../core/guard/finding.ts'
import type { CheckedObject } from '../../core/manifest/manifest.ts'
import type { DraftBase } from './draftBase.ts'

/** A draft, parsed against the present objects. */
export interface UnderstoodDraft {
  readonly entries: DraftEntries
  /** One for each entry. */
  readonly reads: readonly UnderstoodEntry[]
  /** Absent while the base of the draft is not known. */
  readonly base?: DraftBase
  readonly proposal?: Proposal
}

export interface UnderstoodEntry extends ReadEntry {
  /** The result of parsing the text alone. */
  readonly alone: ReadEntry
  readonly footing: Footing
  /** The last valid parse of the text. */
  readonly lastGood?: CheckedObject
}

export const NOTHING_DRAFTED: UnderstoodDraft = { entries: [], reads: [] }

/**
 * Parses a draft. Unchanged entries are not parsed again: a keystroke only costs the object that it changes. The result
 * is the same value when nothing changed.
 */
export function understand(
  entries: DraftEntries,
  base: DraftBase | undefined,
  before: UnderstoodDraft,
): UnderstoodDraft {
  if (entries === before.entries && base === before.base) return before
  if (base === undefined) return { entries, reads: [] }
  const known = new Map(before.reads.map((read) => [refKey(read.entry), read]))
  const sameRules = before.base?.version === base.version
  const found = entries.map((entry): UnderstoodEntry => {
    const old = known.get(refKey(entry))
    const alone = old?.entry === entry && sameRules ? old.alone : readEntry(entry, base.version)
    const lastGood = alone.checked ?? old?.lastGood
    const footing = footingOf(entry, alone.name, base.objects)
    return { ...alone, alone, footing, ...(lastGood !== undefined && { lastGood }) }
  })
  const reads = found.map((read) => withClash(read, found))
  const lastGood = (entry: DraftEntry): CheckedObject | undefined =>
    reads.find((read) => read.entry === entry)?.lastGood
  return { entries, reads, base, proposal: proposalOf(base.objects, reads, lastGood) }
}

/** A new object must not have the name of another one in the draft; for an existing object the footing shows that. */
function withClash(read: UnderstoodEntry, reads: readonly UnderstoodEntry[]): UnderstoodEntry {
  const others = reads
    .filter((other) => other !== read)
    .map(({ entry, name }): ObjectRef => ({ kind: entry.kind, name }))
  const clash = nameClash(read, others)
  if (clash === undefined) return read
  const { checked: _clashing, ...rest } = read
  return { ...rest, findings: [clash, ...read.findings] }
}

export function readOf({ entries, reads }: UnderstoodDraft, ref: ObjectRef): UnderstoodEntry | undefined {
  const entry = entryOf(entries, ref)
  return entry === undefined ? undefined : reads.find((read) => read.entry === entry)
}
