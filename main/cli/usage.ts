import { parseArgs } from 'node:util'
import type { Console, ExitCode } from './console.ts'
import { COVERED_RANGE, isCovered } from '../../core/metrics/versions.ts'
import { listed, nearest, parseGoDuration } from '../../core/text/text.ts'
import { unixMsOf, type UnixMs } from '../../core/units.ts'

/** A mistake in how the command was called: one sentence, exit code 2. */
export class UsageError extends Error {}

export interface OptionInfo {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  /** More values may follow the first one: `--config a.yaml b.yaml`. Goes with `multiple`. */
  readonly list?: boolean
  readonly short?: string
}

export interface Given {
  flag(name: string): boolean
  /** The last value given. */
  value(name: string): string | undefined
  values(name: string): readonly string[]
  /** The operands, if the command takes any. */
  readonly operands: readonly string[]
}

/** A command, which accepts `--help` in addition to its own options. */
export interface Command {
  readonly options: Readonly<Record<string, OptionInfo>>
  /** The operands; `none` by default. */
  readonly operands?: Operands
  /** The possible values of the first operand, unless it is a file. */
  readonly subcommands?: readonly string[]
  /** Lines after its own help text. */
  readonly moreHelp?: () => readonly string[]
  readonly run: (given: Given, console: Console) => Promise<ExitCode>
}

type Operands = 'none' | 'files'

/**
 * Parses options strictly: every message names the option, and the one that was probably meant. Words after `--` are
 * never options: they are operands, or further values of the last option if that is a list.
 */
export function readOptions(
  args: readonly string[],
  options: Readonly<Record<string, OptionInfo>>,
  operands: Operands = 'none',
): Given {
  const known = Object.keys(options)
  const { words, files: afterwards } = untilTerminator(args)
  const { tokens } = parseArgs({
    args: words,
    options: { ...options },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, string[]>()
  const files: string[] = []
  /** The values of the previous option, if it takes several. */
  let several: string[] | undefined
  const positional = (value: string): void => {
    const into = several ?? (operands === 'files' ? files : undefined)
    if (into === undefined || value === '') {
      throw new UsageError(
        `${JSON.stringify(value)} is not expected here; a file is given as --${known.includes('config') ? 'config' : 'file'} ${value}.`,
      )
    }
    into.push(value)
  }
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      positional(token.value)
      continue
    }
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) {
      const meant = nearest(token.name, known)
      throw new UsageError(
        `There is no option ${token.rawName}${meant === undefined ? '; --help lists them' : `; did you mean --${meant}?`}`,
      )
    }
    // In `--context --demo` the value is missing; a value that begins with dashes can be given as --context=--demo.
    const forgotten =
      token.value === undefined || token.value === '' || (!token.inlineValue && token.value.startsWith('--'))
    const takesSeveral = option.list === true && operands === 'none'
    const follows = takesSeveral && token.index === words.length - 1 && afterwards.length > 0
    if (option.type === 'string' && forgotten && !follows) throw new UsageError(`--${token.name} needs a value.`)
    if (option.type === 'boolean' && token.value !== undefined) throw new UsageError(`--${token.name} takes no value.`)
    const before = values.get(token.name) ?? []
    if (before.length > 0 && option.type === 'string' && option.multiple !== true) {
      throw new UsageError(`--${token.name} was given twice.`)
    }
    const all = follows ? [...before] : [...before, token.value ?? '']
    values.set(token.name, all)
    several = takesSeveral ? all : undefined
  }
  afterwards.forEach(positional)
  return {
    flag: (name) => values.has(name),
    value: (name) => values.get(name)?.at(-1),
    values: (name) => values.get(name) ?? [],
    operands: files,
  }
}

/** The words before the first `--`, which may be options, and the files after it. */
function untilTerminator(args: readonly string[]): { readonly words: string[]; readonly files: readonly string[] } {
  const end = args.indexOf('--')
  return end === -1 ? { words: [...args], files: [] } : { words: args.slice(0, end), files: args.slice(end + 1) }
}

/**
 * Throws for a word that is both an option and the name of an existing file: whoever passes all files of a folder, or
 * those that a commit changes, must not pass options that the author of a file chose.
 */
export function refuseFilesAsOptions(args: readonly string[], exists: (path: string) => boolean): void {
  const both = untilTerminator(args).words.find((word) => /^-./.test(word) && exists(word))
  if (both === undefined) return
  const shown = JSON.stringify(both)
  throw new UsageError(
    `${shown} is an option and also the name of a file here. Put file names after --, or rename the file.`,
  )
}

/** Throws for the first of these options that is given; `why` continues the sentence after its name. */
export function refuseOptions(given: Given, options: readonly string[], why: string): void {
  const wrong = options.find((option) => given.flag(option))
  if (wrong !== undefined) throw new UsageError(`--${wrong} ${why}`)
}

/** The end of a sentence about an unknown word: the known one that was probably meant, else how to find out. */
export function meantInstead(word: string, known: readonly string[], otherwise: string): string {
  const meant = nearest(word, known)
  return meant === undefined ? otherwise : `did you mean ${meant}?`
}

/** Server limits. */
export const SEATS = { min: 1, max: 1_000_000_000, whole: true } as const

/** 0 selects a free port. */
export const PORTS = { min: 0, max: 65_535, whole: true } as const

/** A number option within bounds, both included. */
export function readNumber(
  given: Given,
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly whole?: boolean },
): number | undefined {
  const text = given.value(name)
  if (text === undefined) return undefined
  const number = Number(text)
  const fits =
    text.trim() !== '' &&
    number >= bounds.min &&
    number <= bounds.max &&
    (bounds.whole !== true || Number.isInteger(number))
  if (fits) return number
  throw new UsageError(
    `--${name} takes a ${bounds.whole === true ? 'whole ' : ''}number from ${bounds.min} to ${bounds.max}, not ${JSON.stringify(text)}.`,
  )
}

/** A duration option in Go syntax; milliseconds within bounds. `takes` describes the accepted values in messages. */
export function readDuration(
  given: Given,
  name: string,
  { min, max, takes }: { readonly min: number; readonly max: number; readonly takes: string },
): number | undefined {
  const text = given.value(name)
  if (text === undefined) return undefined
  const ms = parseGoDuration(text) ?? Number.NaN
  if (ms >= min && ms <= max) return ms
  throw new UsageError(`--${name} takes ${takes}, not ${JSON.stringify(text)}.`)
}

/** An option that is one of these words. */
export function readChoice<T extends string>(given: Given, name: string, choices: readonly T[]): T | undefined {
  const text = given.value(name)
  if (text === undefined) return undefined
  const chosen = choices.find((choice) => choice === text)
  if (chosen !== undefined) return chosen
  throw new UsageError(`--${name} takes ${listed(choices, 'or')}, not ${JSON.stringify(text)}.`)
}

/** Unix milliseconds of an option that is a time. */
export function timeFrom(given: Given, name: string): UnixMs | undefined {
  const text = given.value(name)
  if (text === undefined) return undefined
  const at = unixMsOf(text)
  if (!Number.isNaN(at)) return at
  throw new UsageError(
    `--${name} ${JSON.stringify(text)} is not a time; write 2026-11-20T03:00:00Z (UTC, also without the Z).`,
  )
}

/** The version given as an option; one whose rules are unknown is rejected rather than guessed. */
export function coveredVersion(given: Given, option: string): string | undefined {
  const text = given.value(option)
  if (text === undefined) return undefined
  if (isCovered(text)) return text.startsWith('v') ? text : `v${text}`
  throw new UsageError(
    `--${option} takes a version from ${COVERED_RANGE}, such as v1.33 or v1.33.4, not ${JSON.stringify(text)}.`,
  )
}

/** The options of `readOutput`. */
export const OUTPUT_OPTIONS = {
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** The output format: text by default, JSON, or one of `more`; `--json` is short for `--output json`. */
export function readOutput<T extends string = never>(given: Given, more: readonly T[] = []): T | 'text' | 'json' {
  const output = given.value('output')
  if (!given.flag('json')) return readChoice(given, 'output', ['text', 'json', ...more]) ?? 'text'
  if (output === undefined || output === 'json') return 'json'
  throw new UsageError(`--json and --output ${output} contradict each other.`)
}
