import { recordOf } from '../../core/frame/reading.ts'
import type { OptionInfo } from './usage.ts'

const optionsOf =
  <I extends OptionInfo>(info: I) =>
  <const Name extends string>(...names: readonly Name[]) =>
    recordOf(names, () => info)

/** Options with a value. */
export const texts = optionsOf({ type: 'string' })
/** Options that may be repeated, each with a value. */
export const lists = optionsOf({ type: 'string', multiple: true })
/** Options without a value. */
export const switches = optionsOf({ type: 'boolean' })
