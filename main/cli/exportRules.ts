import { exportText, type ExportKind } from '../../core/alerts/exports.ts'
import { COVERED_MINORS } from '../../core/metrics/versions.ts'
import { equals } from '../../core/prom/promql.ts'
import { writeAtomically } from '../files/files.ts'
import type { Console, ExitCode } from './console.ts'
import { refuseExisting } from './refuseExisting.ts'
import { matcherFrom } from './sourceOptions.ts'
import { readNumber, UsageError, type Given, type OptionInfo } from './usage.ts'
import { coveredVersion } from './validate.ts'

/** Of the exports for Prometheus, Alertmanager and Grafana. */
export const RULES_OPTIONS = {
  'kube-version': { type: 'string' },
  'prometheus-label': { type: 'string', multiple: true },
  'cluster-label': { type: 'string' },
  'instance-label': { type: 'string' },
  interval: { type: 'string' },
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Writes alert rules, recording rules, routes or a dashboard to a file, or prints them. */
export async function exportRules(
  kind: ExportKind,
  file: string | undefined,
  given: Given,
  console: Console,
): Promise<ExitCode> {
  const seconds = readNumber(given, 'interval', { min: 1, max: 300, whole: true })
  const text = exportText(kind, {
    version: coveredVersion(given, 'kube-version') ?? `v1.${COVERED_MINORS.newest}`,
    matchers: given.values('prometheus-label').map((one) => {
      const { label, value } = matcherFrom(one)
      return equals(label, value)
    }),
    intervalMs: seconds === undefined ? undefined : seconds * 1_000,
    clusterLabel: labelFrom(given, 'cluster-label'),
    instanceLabel: labelFrom(given, 'instance-label'),
  })
  if (file === undefined) console.printText(text)
  else {
    await refuseExisting(file, given.flag('force'))
    await writeAtomically(file, text)
  }
  return 0
}

function labelFrom(given: Given, option: string): string | undefined {
  const name = given.value(option)
  if (name === undefined || /^[a-zA-Z_]\w*$/.test(name)) return name
  throw new UsageError(`--${option} takes the name of a label such as cluster, not ${JSON.stringify(name)}.`)
}
