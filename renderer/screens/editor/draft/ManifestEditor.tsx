import { useCallback, useEffect, useRef } from 'react'
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Kind } from '../../../../core/config/objects.ts'
import YamlEditor, { type YamlEditorProps } from '../../../components/YamlEditor.tsx'
import { completionsAt, manifestShape, placeAt } from './complete.logic.ts'

interface Facts {
  readonly kind: Kind
  readonly levels: readonly string[]
}

/** The text of one object of the draft; the draft handles undo. Completes fields, values and names of levels. */
export default function ManifestEditor({ kind, levels, ...editor }: Omit<YamlEditorProps, 'complete'> & Facts) {
  const facts = useRef<Facts>({ kind, levels })
  useEffect(() => {
    facts.current = { kind, levels }
  })
  const complete = useCallback((context: CompletionContext) => completionAt(context, facts.current), [])
  return <YamlEditor {...editor} complete={complete} />
}

function completionAt(context: CompletionContext, { kind, levels }: Facts): CompletionResult | null {
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
