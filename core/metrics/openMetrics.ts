import type { FamilyType } from './page.ts'

export type Format = 'text' | 'openmetrics'

/** Whether a `Content-Type` header announces OpenMetrics rather than the classic text format. */
export const isOpenMetrics = (contentType: string | undefined): boolean =>
  /^\s*application\/openmetrics-text\s*(?:;|$)/i.test(contentType ?? '')

/** Names that `# TYPE` may give, by format. OpenMetrics says `unknown` for what the text format calls `untyped`. */
export const TYPES: Readonly<Record<Format, ReadonlyMap<string, FamilyType>>> = {
  text: new Map<string, FamilyType>([
    ['counter', 'counter'],
    ['gauge', 'gauge'],
    ['histogram', 'histogram'],
    ['summary', 'summary'],
    ['untyped', 'untyped'],
  ]),
  openmetrics: new Map<string, FamilyType>([
    ['counter', 'counter'],
    ['gauge', 'gauge'],
    ['histogram', 'histogram'],
    ['gaugehistogram', 'gaugehistogram'],
    ['summary', 'summary'],
    ['info', 'info'],
    ['stateset', 'stateset'],
    ['unknown', 'untyped'],
  ]),
}

/** By format: what the names of a family's samples may have after its own name, and in which types of family. */
export const SUFFIXES: Readonly<Record<Format, readonly (readonly [suffix: string, types: readonly FamilyType[]])[]>> =
  {
    text: [
      ['_bucket', ['histogram']],
      ['_sum', ['histogram', 'summary']],
      ['_count', ['histogram', 'summary']],
    ],
    openmetrics: [
      ['_bucket', ['histogram', 'gaugehistogram']],
      ['_sum', ['histogram', 'summary']],
      ['_count', ['histogram', 'summary']],
      ['_gsum', ['gaugehistogram']],
      ['_gcount', ['gaugehistogram']],
      ['_total', ['counter']],
      ['_created', ['counter', 'histogram', 'summary']],
      ['_info', ['info']],
    ],
  }
