import { useEffect, useRef } from 'react'
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete'
import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting, HighlightStyle } from '@codemirror/language'
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
import { tags } from '@lezer/highlight'
import type { LocatedFinding, ManifestDocument } from '../../core/manifest/manifest.ts'
import { nonce } from '../state/strictPolicy.ts'

export interface YamlEditorProps {
  readonly label: string
  readonly text: string
  readonly findings: readonly LocatedFinding[]
  /** Finds the position of a field in the text; absent for a text that cannot be read. */
  readonly document: Pick<ManifestDocument, 'rangeOf'> | undefined
  /** Completions while typing; absent: none. The first value is kept. */
  readonly complete?: CompletionSource
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
 * One YAML text. Its owner holds the state and the undo history: the editor reports every change and shows the given
 * text.
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
            override: latest.current.complete === undefined ? [] : [latest.current.complete],
            icons: false,
          }),
          // Scrollable content must be reachable by keyboard, even where it cannot be changed.
          EditorView.contentAttributes.of({ 'aria-label': latest.current.label, tabindex: '0' }),
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

/** The part in which two texts differ, so that the cursor stays in place. */
function changeBetween(from: string, to: string): { from: number; to: number; insert: string } | undefined {
  if (from === to) return undefined
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) start += 1
  let end = 0
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) }
}

function diagnosticsOf(
  doc: Text,
  findings: readonly LocatedFinding[],
  read: YamlEditorProps['document'],
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

/** Ink only: hues belong to levels and states. The tokens change with the theme of the page. */
const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--text)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--text-2)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace, tags.meta], color: 'var(--text-3)' },
])

const theme = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--text-2)', fontSize: 'var(--fs-11-5)', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '.cm-activeLineGutter': { color: 'var(--text-2)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--line-strong)',
  },
  '.cm-selectionMatch, .cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--raised)' },
  '.cm-searchMatch': { backgroundColor: 'var(--bg-warn)', outline: '1px solid var(--sem-warn)' },
  '.cm-lintRange-error, .cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy 1px' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--sem-bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--sem-warn)' },
  '.cm-lint-marker': { width: '9px', height: '9px', margin: '5px 0', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--sem-bad)' },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--sem-warn)', borderRadius: '1px' },
  '.cm-gutter-lint': { width: '13px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--overlay)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-2)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', fontSize: 'var(--fs-11-5)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--selection)', color: 'var(--text)' },
  '.cm-completionInfo': { padding: '5px 9px', maxWidth: '260px' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-diagnostic': { fontFamily: 'var(--font-ui)', fontSize: 'var(--fs-12)', padding: '6px 10px', maxWidth: '360px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--sem-bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--sem-warn)' },
  '.cm-diagnosticSource': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--fs-11)',
    color: 'var(--text-3)',
    opacity: '1',
  },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 8px' },
  '.cm-panel.cm-search :is(input, button, label)': { fontSize: 'var(--fs-11-5)', minHeight: '24px' },
  '.cm-textfield': { backgroundColor: 'var(--sunken)', border: '1px solid var(--control)', borderRadius: '4px' },
  '.cm-button': { backgroundImage: 'none', border: '1px solid var(--line-strong)', borderRadius: '4px' },
})
