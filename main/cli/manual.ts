import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { helpBlocks, summaryOf, type CommandName, type HelpBlock } from './helpText.ts'
import type { Command, Given } from './usage.ts'

/** Prints the manual page in man(7) format. The output depends only on the version. */
export const manual: Command = { options: {}, run: runManual }

function runManual(_given: Given, console: Console): Promise<ExitCode> {
  console.print(manualPage(console.version))
  return Promise.resolve(0)
}

/** Lines of the page: general help, then each command with its own help. */
export function manualPage(version: string): readonly string[] {
  const [title, usage, ...rest] = helpBlocks(HELP.general)
  const names = Object.keys(HELP).filter((name): name is CommandName => name !== 'general')
  return [
    `.TH APF-CONSOLE 1 "" "APF Console ${version}" "APF Console"`,
    '.SH NAME',
    `apf-console, kubectl-apf \\- ${roff((title?.paragraph ?? '').replace(/^APF Console: |\.$/g, ''))}`,
    '.SH SYNOPSIS',
    ...(usage?.items ?? []).flatMap(({ term }) => ['.br', bold(term)]),
    '.SH DESCRIPTION',
    ...rest.flatMap(block),
    '.SH COMMANDS',
    ...names.flatMap((name) => {
      const [own, ...more] = helpBlocks(HELP[name])
      return [
        `.SS ${name}`,
        sentence(summaryOf(name)),
        '.PP',
        ...(own?.paragraph ?? '')
          .replace(/^Usage: /, '')
          .split('\n')
          .flatMap((line) => ['.br', bold(line)]),
        ...more.flatMap(block),
      ]
    }),
    '.SH ENVIRONMENT',
    ...block({
      paragraph: '',
      items: [
        { term: 'KUBECONFIG', text: 'the kubeconfig, where --kubeconfig names none' },
        { term: 'APF_CONSOLE_STATE', text: 'the folder for recordings, settings and the journal' },
      ],
    }),
    '.SH FILES',
    ...block({
      paragraph: '',
      items: [{ term: '~/.local/state/apf-console', text: 'that folder by default, on Linux' }],
    }),
    '.SH "SEE ALSO"',
    bold('kubectl(1)'),
  ]
}

const block = ({ paragraph, items }: HelpBlock): readonly string[] => [
  ...(paragraph === '' ? [] : ['.PP', ...paragraph.split('\n').map(roff)]),
  ...items.flatMap(({ term, text }) => ['.TP', bold(term), ...(text === '' ? ['\\&'] : [roff(text)])]),
]

const sentence = (text: string): string => roff(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`)
const bold = (text: string): string => `\\fB${roff(text)}\\fR`

/** Text escaped for roff: backslashes, typed hyphens, and lines that would begin with a request. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
