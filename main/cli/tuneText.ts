import { plain } from '../../core/text/format.ts'
import type { LevelEvidence, LevelNumbers } from '../../core/contract/tune.ts'
import type { Proposal, TuneReport } from '../../core/tune/report.ts'
import { goalText, headline, NO_COSTS, seedText } from '../../core/tune/text.ts'
import { exportYaml } from '../../core/manifest/export.ts'
import { textTable } from './print/terminal.ts'

/** The result of a search as text; `draft` is the file that contains its manifests. */
export function tuneText(
  { name, answer, runnerUp, evaluations }: TuneReport,
  draft: string | undefined,
): readonly string[] {
  return [
    `${name}: ${headline(answer, evaluations)}`,
    ...proposalText(answer),
    ...(runnerUp === undefined ? [] : ['', 'Runner-up, which changes other settings', ...proposalText(runnerUp)]),
    '',
    ...(answer.changes.length === 0
      ? ['The draft is empty.']
      : [
          draft === undefined
            ? 'Nothing was applied. --write FILE writes the draft as manifests; -o manifests prints it.'
            : `Nothing was applied. The draft is in ${draft}.`,
        ]),
  ]
}

/** The manifests of the result, with its evidence as comments: the Editor opens this as a draft. */
export const draftText = (report: TuneReport): string =>
  [
    ...tuneText(report, undefined).slice(0, -2),
    'Open this file in the Editor (Import) to review it before you apply anything.',
  ]
    .map((line) => `# ${line}`.trimEnd())
    .join('\n') + `\n${exportYaml(report.answer.objects)}`

const proposalText = (proposal: Proposal): readonly string[] => {
  const { changes, goals, guardRails, levels, costs, findings, seeds } = proposal
  const held = seedText(seeds)
  return [
    ...(changes.length === 0
      ? []
      : ['', ...changes.map(({ setting, from, to }) => `  ${setting}: ${from ?? 'not set'} → ${to}`)]),
    '',
    ...goals.map((goal) => `  ${goalText('goal', goal)}`),
    ...guardRails.map((goal) => `  ${goalText('guard rail', goal)}`),
    ...(held === undefined ? [] : [`  ${held}`]),
    '',
    ...textTable([HEAD, ...levels.map(levelCells)], ['left', 'right']),
    ...(costs.length === 0 && changes.length > 0 ? [NO_COSTS] : costs),
    ...findings.map(({ severity, message }) => `${severity}: ${message}`),
  ]
}

const HEAD = ['LEVEL', 'REQUESTS', 'SERVED', 'REJECTED', 'WAIT P99', 'SEATS', 'LIMIT']

function levelCells({ level, before, after }: LevelEvidence): readonly string[] {
  const both = (of: (numbers: LevelNumbers) => string): string => {
    const [was, is] = [of(before), of(after)]
    return was === is ? was : `${was} → ${is}`
  }
  return [
    level,
    both(({ offered }) => String(offered)),
    both(({ served }) => String(served)),
    both(({ rejectedPercent }) => plain.percent(rejectedPercent / 100, 1)),
    both(({ waitP99, served }) => (served === 0 ? 'none served' : plain.ms(waitP99))),
    both(({ seats }) => plain.seatsAverage(seats)),
    both(({ limit }) => plain.seatsAverage(limit)),
  ]
}
