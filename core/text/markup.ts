import { escapeLines } from './text.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as content or attribute value of HTML and SVG, where invisible characters become visible. */
export const escapeMarkup = (text: string): string =>
  escapeLines(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
