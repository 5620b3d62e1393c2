import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Ink only: hues belong to levels and states. The tokens change with the theme of the page. */
export const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--text)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--text-2)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace, tags.meta], color: 'var(--text-3)' },
])

export const theme = EditorView.theme({
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
