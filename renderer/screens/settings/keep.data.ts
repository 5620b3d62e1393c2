import { megabytesToBytes } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'

/** How long and how much can be kept, in days and megabytes. */
export const AGES: readonly number[] = [1, 3, 7, 14, 30, 90]
export const SIZES: readonly number[] = [500, 1_000, 2_000, 5_000, 10_000, 50_000]
export const ageText = (days: number): string => format.counted(days, 'day')
export const sizeText = (megabytes: number): string => format.bytes(megabytesToBytes(megabytes))
