import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { SourceSpec } from '../../core/contract/source.ts'

const hash = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length)

/** The cadence may differ; the source is the same. */
export const recentKey = (spec: SourceSpec): string => JSON.stringify(spec.kind === 'scrape' ? spec.target : spec)
export const draftKey = (targetKey: string): string => hash(targetKey, 32)
export const placeKey = (path: string): string => hash(resolve(path), 24)
