import { z } from 'zod'
import { ERROR_CODES } from './errors.ts'

export const ProblemSchema = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  details: z.string().optional(),
})
