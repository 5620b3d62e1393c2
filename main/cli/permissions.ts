import { LOOKING, type CapabilityResult, type PermissionReport } from '../../core/contract/source.ts'
import { OUTPUT_OPTIONS, UsageError, readOutput, type Command, type Given } from './usage.ts'
import { type Console, type ExitCode, problemLines } from './console.ts'
import { textTable } from './print/terminal.ts'
import { CLUSTER_OPTIONS, DEFAULT_TARGET, targetFrom } from './sourceOptions.ts'

/** Prints what the credentials may do on each server. 1 when a permission that reading needs is missing. */
export const permissions: Command = {
  options: {
    ...CLUSTER_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: runPermissions,
}

async function runPermissions(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given)
  const target = targetFrom(given) ?? DEFAULT_TARGET
  const reports = await console.access.permissionReports(target)
  if (reports.length === 0) throw new UsageError('No server is named.')
  if (output === 'json') console.printJson(reports, 2)
  else
    console.print(reports.flatMap((report, index) => (index === 0 ? reportText(report) : ['', ...reportText(report)])))
  return reports.every(isEnough) ? 0 : 1
}

const isEnough = ({ problem, results }: PermissionReport): boolean =>
  problem === undefined &&
  results.every(
    ({ capability, status }) => !LOOKING.has(capability) || status === 'allowed' || status === 'not-applicable',
  )

const WORDS: Readonly<Record<CapabilityResult['status'], string>> = {
  allowed: 'allowed',
  forbidden: 'forbidden',
  failed: 'not tested',
  'not-applicable': '-',
}

function reportText({
  server,
  user,
  problem,
  results,
  missingRole,
  editRole,
  ownLevel,
}: PermissionReport): readonly string[] {
  const rows = results.map(({ status, needs, label, found }) => [`  ${WORDS[status]}`, needs, label, found])
  return [
    `${server}${user === undefined ? '' : ` as ${user}`}`,
    ...(problem === undefined ? [] : problemLines(problem)),
    ...textTable(rows, ['left']),
    ...section('Missing. Apply it with kubectl apply -f -', missingRole),
    ...section('Required for editing', editRole),
    ...section(
      'Recommended: a priority level of its own, so that the console does not queue with the workloads',
      ownLevel,
    ),
  ]
}

/** The YAML begins with a comment of its own. */
const section = (title: string, yaml: string | undefined): string[] =>
  yaml === undefined ? [] : ['', `# ${title}:`, ...yaml.trimEnd().split('\n')]
