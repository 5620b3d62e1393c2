import type { SeatStep } from '../../../../core/classify/classification.ts'
import { format } from '../../../theme/format.ts'

/** The value of a step with its unit; `≈` before what is assumed, nothing where a step has no value. */
export function stepText({ value, unit, assumed }: SeatStep): string {
  if (value === undefined) return ''
  const text = unit === 'bytes' ? format.bytes(value) : unit === 'milliseconds' ? format.ms(value) : format.fixed(value)
  return assumed === true ? `≈ ${text}` : text
}
