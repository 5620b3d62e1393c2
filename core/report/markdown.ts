import type { Answer } from '../answer/answer.ts'
import type { Report, ReportBlock } from '../contract/report.ts'
import { escapeControls } from '../text/text.ts'
import { blocksOf } from './blocks.ts'

/** A report in Markdown (GitHub's, for its tables). Charts are only in the HTML version; a line notes that. */
export function reportMarkdown({ title, subtitle, sections }: Report): string {
  const parts = sections.flatMap((section) => [`## ${inline(section.title)}`, ...section.blocks.map(block)])
  return paragraphs([`# ${inline(title)}`, inline(subtitle), ...parts])
}

/** Answers, and lines of text between them. */
export const answersMarkdown = (said: readonly (Answer | string)[]): string =>
  paragraphs(said.flatMap((part) => (typeof part === 'string' ? inline(part) : blocksOf(part).map(block))))

const paragraphs = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`

function block(part: ReportBlock): string {
  switch (part.kind) {
    case 'text':
      return inline(part.text)
    case 'list':
      return part.items.map((item) => `- ${inline(item)}`).join('\n')
    case 'table': {
      const row = (cells: readonly string[]): string => `| ${cells.map(inline).join(' | ')} |`
      return [
        row(part.head.map(({ text }) => text)),
        `| ${part.head.map(({ number }) => (number === true ? '---:' : '---')).join(' | ')} |`,
        ...part.rows.map(row),
      ].join('\n')
    }
    case 'chart': {
      const values = part.lines.flatMap(({ name, points }) => {
        const known = points.flatMap(({ value }) => (value === undefined ? [] : [value]))
        return known.length === 0 ? [] : [`${name} ${Math.min(...known)} to ${Math.max(...known)} ${part.unit}`]
      })
      return inline(`${part.title}: ${values.join(', ')} (the HTML report draws this).`)
    }
  }
}

/**
 * Names of users and objects are untrusted text: nothing in them is markup, a link or a mention, or acts on the order of
 * the line. GitHub finds addresses, mentions and numbers of issues without markup, even in escaped text: a space without
 * width breaks them.
 */
const inline = (text: string): string =>
  escapeControls(text.replaceAll(/[\r\n]+/g, ' '))
    .replaceAll(/[\\`*_{}[\]<>|~#&]/g, (character) => `\\${character}`)
    .replaceAll(/(?<=@)|(?<=#)(?=\d)|(?<=\b(?:https?|ftp|mailto|xmpp))(?=:)|(?<=\bwww)(?=\.)/gi, '&#8203;')
