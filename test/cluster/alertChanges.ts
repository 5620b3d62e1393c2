import { z } from 'zod'

const ChangeSchema = z.looseObject({
  change: z.enum(['fired', 'resolved']),
  at: z.string(),
  rule: z.string(),
  level: z.string().optional(),
  subject: z.string().optional(),
})

/** What `watch --alert` printed, a line a change. */
export const alertChanges = (printed: string): readonly z.infer<typeof ChangeSchema>[] =>
  printed
    .split('\n')
    .filter(Boolean)
    .map((line) => ChangeSchema.parse(JSON.parse(line)))
