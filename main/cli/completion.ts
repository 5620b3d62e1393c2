import type { Console, ExitCode } from './console.ts'
import { type CommandTable, meaningOf, summaryOf, valuesOf, type CommandName } from './helpText.ts'
import { type Command, type Given, UsageError } from './usage.ts'

/*
 * The shell scripts are as small as possible: each passes the words of the command line to `completion words`, one per
 * line, and shows what that prints, in the format that kubectl defines for its plugins: one candidate per line, with a
 * tab before its meaning, then `:0` if files are allowed as well, else `:4`.
 */
const SCRIPTS = {
  bash: `_apf_console() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :0) compopt -o default ;;
    :4) ;;
    *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(printf '%s\\n' "\${COMP_WORDS[@]:1:COMP_CWORD}" | "\${COMP_WORDS[0]}" completion words 2>/dev/null)
}
complete -F _apf_console apf-console kubectl-apf`,

  zsh: `#compdef apf-console kubectl-apf
_apf_console() {
  local -a lines found
  local line
  lines=("\${(@f)$(printf '%s\\n' "\${(@)words[2,CURRENT]}" | $words[1] completion words 2>/dev/null)}")
  for line in $lines; do
    case $line in
    :0) _files ;;
    :4) ;;
    *) found+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  _describe 'value' found
}
compdef _apf_console apf-console kubectl-apf`,

  fish: `function __apf_console
    set -l words (commandline -opc) (commandline -ct)
    for line in (printf '%s\\n' $words[2..-1] | $words[1] completion words 2>/dev/null)
        switch $line
            case :0
                __fish_complete_path (commandline -ct)
            case :4
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c apf-console -f -a '(__apf_console)'
complete -c kubectl-apf -f -a '(__apf_console)'`,
} as const

const KINDS = ['bash', 'zsh', 'fish', 'words'] as const
const MOST_BYTES = 64 * 1024

/**
 * Prints the completion script of a shell, or completes a command line from the options of the commands and their help.
 */
export const completionOf = (commands: CommandTable): Command => ({
  options: {},
  operands: 'files',
  subcommands: KINDS,
  run: (given, console) => runCompletion(given, console, commands),
})

async function runCompletion({ operands }: Given, console: Console, commands: CommandTable): Promise<ExitCode> {
  const [name, more] = operands
  const kind = KINDS.find((one) => one === name)
  if (kind === undefined || more !== undefined)
    throw new UsageError('completion needs the name of one shell: bash, zsh or fish.')
  if (kind !== 'words') {
    console.printText(SCRIPTS[kind])
    return 0
  }
  const text = (await console.readStdin(MOST_BYTES)).toString('utf8').replace(/\n$/, '')
  const { candidates, files } = await complete(text.split('\n'), commands)
  console.printCells([
    ...candidates.map(({ word, meaning }) => (meaning === '' ? [word] : [word, meaning])),
    [files ? ':0' : ':4'],
  ])
  return 0
}

export interface Candidate {
  readonly word: string
  readonly meaning: string
}

export interface Completion {
  readonly candidates: readonly Candidate[]
  /** Whether a file is allowed as well. */
  readonly files: boolean
}

const NOTHING: Completion = { candidates: [], files: false }
const FILES: Completion = { candidates: [], files: true }

/** The completions of the last word, which may be empty. The words follow the program name. */
export async function complete(words: readonly string[], commands: CommandTable): Promise<Completion> {
  // bash splits `--output=json` into three words.
  const equals = words.lastIndexOf('=')
  if (equals > 0 && equals >= words.length - 2)
    return complete([...words.slice(0, equals), words[equals + 1] ?? ''], commands)
  const current = words.at(-1) ?? ''
  const fitting = (all: readonly Candidate[]): Completion => ({
    candidates: all.filter(({ word }) => word.startsWith(current)),
    files: false,
  })
  const [name = ''] = words
  if (words.length < 2) return fitting(first(commands, current.startsWith('-')))
  if (!isCommand(name, commands)) return NOTHING
  const command = await commands[name]()
  const before = words.slice(1, -1)
  const previous = before.at(-1)
  if (previous?.startsWith('--') === true) {
    const option = previous.slice(2)
    if (Object.hasOwn(command.options, option) && command.options[option]?.type === 'string') {
      const { words: named, files } = valuesOf(name, option)
      return files ? FILES : fitting(named.map((word) => ({ word, meaning: '' })))
    }
  }
  const [, inline = ''] = /^--([\w-]+)=/.exec(current) ?? []
  if (inline !== '')
    return fitting(valuesOf(name, inline).words.map((word) => ({ word: `--${inline}=${word}`, meaning: '' })))
  if (current.startsWith('-')) return fitting(optionsOf(name, command, before))
  if (before.length === 0 && command.subcommands !== undefined)
    return fitting(command.subcommands.map((word) => ({ word, meaning: '' })))
  const list = before.findLast((word) => word.startsWith('--'))?.slice(2) ?? ''
  return command.operands === 'files' || command.options[list]?.list === true ? FILES : NOTHING
}

const first = (commands: CommandTable, options: boolean): readonly Candidate[] =>
  options
    ? [
        { word: '--help', meaning: 'help of all commands' },
        { word: '--version', meaning: 'the version of the console' },
      ]
    : Object.keys(commands).flatMap((word) => (isCommand(word, commands) ? [{ word, meaning: summaryOf(word) }] : []))

/** The options of a command that can still be given. */
function optionsOf(name: CommandName, { options }: Command, before: readonly string[]): readonly Candidate[] {
  const given = new Set(before.map((word) => word.replace(/=.*/, '')))
  return [
    ...Object.entries(options)
      .filter(([option, { multiple }]) => multiple === true || !given.has(`--${option}`))
      .map(([option]) => ({ word: `--${option}`, meaning: meaningOf(name, option) })),
    { word: '--help', meaning: 'help of the command' },
  ]
}

const isCommand = (name: string, commands: CommandTable): name is CommandName => Object.hasOwn(commands, name)
