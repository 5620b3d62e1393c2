import { z } from 'zod'
import { SCREENS } from './screens.ts'

/** Of a console that does less than all that the contract names; its pages do not offer the rest. */
export const LimitsSchema = z.object({
  /** Why the rest is refused, and what to do instead: a sentence. */
  why: z.string(),
  /** Procedures and streams that are answered. */
  answers: z.array(z.string()),
  /** The screens that there are; all without. */
  screens: z.array(z.enum(SCREENS)).exactOptional(),
})
export type Limits = z.infer<typeof LimitsSchema>
