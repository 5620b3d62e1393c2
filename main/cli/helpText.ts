import { HELP } from './help.ts'
import type { Command } from './usage.ts'

/** Every command, loaded on demand. */
export type CommandTable = Readonly<Record<CommandName, () => Promise<Command>>>

export type CommandName = Exclude<keyof typeof HELP, 'general'>

/** An option or operand, and its meaning. */
export interface HelpItem {
  /** As in help: `-o, --output FORMAT`, or a word. */
  readonly term: string
  readonly text: string
}

/** The part of a help text between two blank lines: a paragraph, the heading of a list, or a list. */
export interface HelpBlock {
  readonly paragraph: string
  readonly items: readonly HelpItem[]
}

/** Parses a help text into blocks; the first block of a command's help is its usage. */
export function helpBlocks(text: string): readonly HelpBlock[] {
  return text.split(/\n{2,}/).map((block) => {
    const paragraph: string[] = []
    const items: { term: string; text: string }[] = []
    for (const line of block.split('\n')) {
      const [, term, said = ''] = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line) ?? []
      const last = items.at(-1)
      if (term !== undefined) items.push({ term, text: said })
      else if (last !== undefined && line.startsWith(' ')) last.text = `${last.text} ${line.trim()}`.trim()
      else paragraph.push(line.trim())
    }
    return { paragraph: paragraph.join('\n'), items }
  })
}

const itemsOf = (name: keyof typeof HELP): readonly HelpItem[] => helpBlocks(HELP[name]).flatMap(({ items }) => items)

/** What a command does, in a few words. */
export function summaryOf(name: CommandName): string {
  const line = itemsOf('general').find(({ term }) => `${term} `.startsWith(`apf-console ${name} `))
  return line?.text ?? ''
}

/** The help of an option: that of its command, else that of general help, which has the options of every source. */
export function meaningOf(name: CommandName, option: string): string {
  const named = new RegExp(String.raw`^(?!apf-console ).*--${option}(?![\w-])`)
  return [...itemsOf(name), ...itemsOf('general')].find(({ term }) => named.test(term))?.text ?? ''
}

/** The values of an option: one of these words, or a file. */
export interface Values {
  readonly words: readonly string[]
  readonly files: boolean
}

/** The values of an option, parsed from the help of its command: `--output text|json`, `--file PATH`. */
export function valuesOf(name: CommandName, option: string): Values {
  const written = Array.from(
    HELP[name].matchAll(new RegExp(String.raw`--${option} ([\w|]+)`, 'g')),
    ([, it = '']) => it,
  )
  const alternatives = written.find((one) => /^[a-z]+(?:\|[a-zA-Z]+)+$/.test(one))
  return {
    words: alternatives?.split('|') ?? [],
    files: written.some((one) => /(?:FILE|PATH)$/.test(one)),
  }
}
