import { plain } from '../../core/text/format.ts'
import type {
  EtcdAdvice,
  EtcdPreview,
  EtcdRequest,
  EtcdRevision,
  EtcdState,
  EtcdUsage,
} from '../../core/contract/etcd.ts'
import { writeYaml } from '../../core/manifest/write.ts'
import { bypassText } from '../../core/qos/bypass.ts'
import { rfc3339 } from '../../core/units.ts'
import { textTable } from './print/terminal.ts'

// The text output of the subcommands for a running etcd proxy.

export const requestLine = ({
  at,
  request,
  user,
  scannedKeys,
  requestBytes = 0,
  responseBytes = 0,
  latencyMs,
  rule,
  verdict,
}: EtcdRequest): string =>
  [
    rfc3339(at),
    verdict,
    ...(latencyMs === undefined ? [] : [plain.ms(latencyMs)]),
    ...(scannedKeys === undefined ? [] : [`${scannedKeys} keys`]),
    `${requestBytes + responseBytes} B`,
    request,
    ...(user === '' ? [] : [user]),
    ...(rule === undefined ? [] : [`(${rule})`]),
  ].join('  ')

export const USAGE_HEAD = ['REQUESTS', 'LIMITED', 'KEYS', 'BYTES', 'P50 MS', 'P99 MS', 'OP', 'KEYS READ OR WRITTEN']
export const USAGE_ALIGN = ['right', 'right', 'right', 'right', 'right', 'right', 'left'] as const

export const usageRow = ({
  requests,
  limited,
  scannedKeys,
  requestBytes,
  responseBytes,
  p50Ms,
  p99Ms,
  op,
  keys,
}: EtcdUsage): readonly string[] => [
  String(requests),
  String(limited),
  String(scannedKeys),
  String(requestBytes + responseBytes),
  plain.fixed(p50Ms, 1),
  plain.fixed(p99Ms, 1),
  op,
  keys,
]

export function statusLines({
  url,
  upstream,
  mode,
  revision,
  counts,
  watches,
  since,
  storage,
  bypass,
  classes,
  rules,
}: EtcdState): readonly string[] {
  const store =
    storage === null
      ? 'Storage: unknown; the member does not answer.'
      : `Storage: ${plain.percent(storage.usedBytes / storage.quotaBytes, 1)} of the quota${storage.quotaFrom === 'default' ? ' (2 GiB assumed)' : ''} used, ${plain.percent(storage.allocatedBytes / storage.quotaBytes, 1)} allocated; ${storage.gap} entries committed and not applied.`
  const would = mode === 'observe'
  const past = bypass === undefined ? undefined : bypassText(bypass)
  return [
    `${url} → ${upstream}, ${mode}, ${revision === null ? 'rules from files' : `revision ${revision}`}`,
    `${since === undefined ? '' : `Since ${rfc3339(since)}: `}${counts.passed} requests passed, ${counts.delayed} ${would ? 'would have been' : 'were'} delayed, ${counts.limited} ${would ? 'would have been' : 'were'} limited; ${watches} watches now.`,
    store,
    ...(past === undefined ? [] : [past]),
    ...textTable(
      classes.map(({ name, summary, groups: [first], waiting }) => [
        name,
        summary,
        first?.text ?? '',
        waiting > 0 ? `${waiting} waiting` : '',
      ]),
      ['left'],
    ),
    ...textTable(
      rules.map(({ name, priority, class: className, enabled, selects, counts: { limited } }) => [
        String(priority),
        name,
        className,
        enabled ? selects : `disabled: ${selects}`,
        `${limited} ${would ? 'would have been limited' : 'limited'}`,
      ]),
      ['right', 'left'],
    ),
  ]
}

export function adviceLines({ title, why, rules, classes, inEffect, preview, problem }: EtcdAdvice): readonly string[] {
  return [
    `${title}${inEffect ? ' (in effect)' : ''}`,
    why,
    ...(preview === undefined ? [] : [previewText(preview)]),
    ...(problem === undefined ? [] : [`It cannot be added to the rules in effect: ${problem}`]),
    ...(inEffect
      ? []
      : writeYaml({ classes, rules })
          .trimEnd()
          .split('\n')
          .map((line) => `  ${line}`)),
  ]
}

const previewText = ({ requests, spanMs, would, did }: EtcdPreview): string =>
  requests === 0
    ? 'There are no requests to preview it on.'
    : `With the rules in effect and these, ${would.limited} of the last ${requests} requests (${plain.length(spanMs)}) would have been limited; the rules of that time limited ${did.limited}.`

export const historyRow = ({ revision, at, action, kind, name }: EtcdRevision): readonly string[] => [
  String(revision),
  rfc3339(at),
  action,
  `${kind} ${name}`.trim(),
]
