import { z } from 'zod'
import { SCREENS } from './screens.ts'

/** Limits of a console that implements only a part of the contract; its pages do not offer the rest. */
export const LimitsSchema = z.object({
  /** Why the rest is rejected, and what to do instead: a sentence. */
  why: z.string(),
  /** Procedures and streams that are implemented. */
  answers: z.array(z.string()),
  /** The available screens; absent: all. */
  screens: z.array(z.enum(SCREENS)).exactOptional(),
})
export type Limits = z.infer<typeof LimitsSchema>
