import { z } from 'zod'

/*
 * A report as a list of sections, independent of the output format. Texts are plain, without markup; instants are Unix
 * milliseconds.
 */

const ReportTableSchema = z.object({
  kind: z.literal('table'),
  /** Names of columns; those of numbers are aligned to the right. */
  head: z.array(z.object({ text: z.string(), number: z.literal(true).exactOptional() })),
  rows: z.array(z.array(z.string())),
})

const ReportLineSchema = z.object({
  name: z.string(),
  /** In chronological order; without a value if nothing was sampled. */
  points: z.array(z.object({ at: z.number(), value: z.number().exactOptional() })),
  /** Its meaning, and so its look: `waiting` stands on what executes, if that is drawn. */
  as: z.enum(['executing', 'waiting', 'limit', 'nominal']),
})
export type ReportLine = z.infer<typeof ReportLineSchema>

const ReportChartSchema = z.object({
  kind: z.literal('chart'),
  title: z.string(),
  /** Of the values: `seats`. */
  unit: z.string(),
  /** The level that it is of: it has its hue. */
  level: z.string(),
  from: z.number(),
  to: z.number(),
  lines: z.array(ReportLineSchema),
  /** Periods without samples. */
  gaps: z.array(z.object({ from: z.number(), to: z.number() })).readonly(),
  /** What happened, each with one word for a line and all of them. */
  marks: z.array(z.object({ at: z.number(), word: z.string(), text: z.string() })).readonly(),
  firstRejection: z.number().exactOptional(),
})
export type ReportChart = z.infer<typeof ReportChartSchema>

const ReportBlockSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('list'), items: z.array(z.string()) }),
  ReportTableSchema,
  ReportChartSchema,
])
export type ReportBlock = z.infer<typeof ReportBlockSchema>

const ReportSectionSchema = z.object({
  title: z.string(),
  blocks: z.array(ReportBlockSchema),
  /** Begins on a page of its own where it is printed. */
  newPage: z.literal(true).exactOptional(),
})
export type ReportSection = z.infer<typeof ReportSectionSchema>

export const ReportSchema = z.object({
  title: z.string(),
  /** The range and the servers: one line. */
  subtitle: z.string(),
  sections: z.array(ReportSectionSchema),
})
export type Report = z.infer<typeof ReportSchema>
