import { useEffect, useRef } from 'react'
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete'
import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState, Prec, type Text } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import type { LocatedFinding, ManifestDocument } from '../../../../../core/manifest/manifest.ts'
import type { Kind } from '../../../../../core/config/objects.ts'
import { nonce } from '../../../../state/strictPolicy.ts'
import { highlight, theme } from './theme.ts'
import { completionsAt, placeAt } from './complete.logic.ts'
import { manifestShape } from './fields.ts'

export interface YamlEditorProps {
  readonly label: string
  readonly kind: Kind
  readonly text: string
  readonly findings: readonly LocatedFinding[]
  readonly document: ManifestDocument | undefined
  readonly levels: readonly string[]
  readonly readOnly: boolean
  /** Where to put the cursor: the field of a finding, once for each value. */
  readonly goTo: { readonly field: string } | undefined
  readonly onChange: (text: string) => void
  readonly onUndo: () => void
  readonly onRedo: () => void
}

/** A change that did not come from the keyboard of this editor. */
const external = Annotation.define<boolean>()

/**
 * The text of one object. The draft is the truth: the editor tells every change and shows whatever the draft says, so
 * that undo is the draft's.
 */
export default function YamlEditor(props: YamlEditorProps) {
  const { text, findings, document: read, readOnly, goTo } = props
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(props)
  const readOnlyPart = useRef(new Compartment())
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    if (place.current === null) return undefined
    const run = (act: 'onUndo' | 'onRedo') => () => {
      latest.current[act]()
      return true
    }
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightSelectionMatches(),
          yaml(),
          indentUnit.of('  '),
          EditorState.tabSize.of(2),
          EditorView.lineWrapping,
          syntaxHighlighting(highlight),
          theme,
          lintGutter(),
          autocompletion({
            override: [completionSource(() => ({ kind: latest.current.kind, levels: latest.current.levels }))],
            icons: false,
          }),
          EditorView.contentAttributes.of({ 'aria-label': latest.current.label }),
          readOnlyPart.current.of(readOnlyExtension(latest.current.readOnly)),
          Prec.high(
            keymap.of([
              { key: 'Mod-z', run: run('onUndo'), preventDefault: true },
              { key: 'Mod-y', run: run('onRedo'), preventDefault: true },
              { key: 'Mod-Shift-z', run: run('onRedo'), preventDefault: true },
              // Both belong to the page: dry run and apply.
              { key: 'Mod-Enter', run: () => false, stopPropagation: false },
            ]),
          ),
          keymap.of([
            ...closeBracketsKeymap,
            ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
            ...searchKeymap,
            ...completionKeymap,
            ...lintKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            const own = update.transactions.some((step) => step.docChanged && step.annotation(external) !== true)
            if (own) latest.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      view.current = undefined
      editor.destroy()
    }
  }, [])

  useEffect(() => {
    view.current?.dispatch({ effects: readOnlyPart.current.reconfigure(readOnlyExtension(readOnly)) })
  }, [readOnly])

  useEffect(() => {
    const editor = view.current
    if (editor === undefined) return
    const change = changeBetween(editor.state.doc.toString(), text)
    if (change !== undefined) editor.dispatch({ changes: change, annotations: external.of(true) })
  }, [text])

  useEffect(() => {
    const editor = view.current
    if (editor === undefined || editor.state.doc.toString() !== text) return
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state.doc, findings, read)))
  }, [findings, read, text])

  useEffect(() => {
    const editor = view.current
    if (editor === undefined || goTo === undefined || latest.current.document === undefined) return
    const { from } = latest.current.document.rangeOf(goTo.field)
    const anchor = Math.min(from, editor.state.doc.length)
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
    editor.focus()
  }, [goTo])

  return <div ref={place} data-editor="" />
}

const readOnlyExtension = (readOnly: boolean) => [EditorState.readOnly.of(readOnly), EditorView.editable.of(!readOnly)]

/** The part in which two texts differ, so that the cursor stays where it is. */
function changeBetween(from: string, to: string): { from: number; to: number; insert: string } | undefined {
  if (from === to) return undefined
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) start += 1
  let end = 0
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) }
}

/** Findings as marks in the text. */
function diagnosticsOf(
  doc: Text,
  findings: readonly LocatedFinding[],
  read: ManifestDocument | undefined,
): Diagnostic[] {
  return findings.map(({ field, line, column, severity, message }) => {
    const at = doc.line(Math.max(1, Math.min(doc.lines, line)))
    const from = Math.min(at.from + column - 1, at.to)
    const range = read?.rangeOf(field)
    const to =
      range !== undefined && range.from === from
        ? Math.min(range.to, doc.length)
        : wordEnd(at.text, from - at.from) + at.from
    return { from, to: Math.max(from, to), severity, message, source: field }
  })
}

function wordEnd(line: string, from: number): number {
  const rest = /^[^\s:,]+/.exec(line.slice(from))?.[0] ?? ''
  return from + Math.max(1, rest.length) <= line.length ? from + Math.max(1, rest.length) : line.length
}

/** Offers fields, words and names of levels; asked anew with every completion. */
const completionSource =
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
