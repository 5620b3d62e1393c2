import { z } from 'zod'
import { ERROR_CODES } from './errors.ts'

export const ProblemSchema = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  /** The raw reply or the system's error message, for a "details" disclosure; never contains a secret. */
  details: z.string().optional(),
})
