import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import type { Kind } from '../../../../../core/config/objects.ts'
import { completionsAt, placeAt } from './complete.logic.ts'
import { manifestShape } from './fields.ts'

/** Offers fields, words and names of levels; asked anew with every completion. */
export const completionSource =
  (facts: () => { readonly kind: Kind; readonly levels: readonly string[] }): CompletionSource =>
  (context: CompletionContext): CompletionResult | null => {
    const { kind, levels } = facts()
    const place = placeAt(context.state.doc.toString(), context.pos)
    if (!context.explicit && place.from === context.pos && place.part === 'key') return null
    const options = completionsAt(manifestShape(kind), place, levels)
    if (options.length === 0) return null
    return {
      from: place.from,
      options: options.map(({ label, about, kind: of }) => ({
        label,
        type: of === 'key' ? 'property' : 'constant',
        ...(about !== '' && { info: about }),
        apply: of === 'key' ? `${label}: ` : label,
      })),
      validFor: /^[\w.*"/:-]*$/,
    }
  }
