import type { CausePlace, Diagnosis, Finding } from '../contract/diagnosis.ts'
import { flowName } from '../frame/flow.ts'
import { plain } from '../text/format.ts'
import { causeName, likelyCause, shareText, victimsSentence } from '../verdict/cause.ts'
import { listed } from '../text/text.ts'

/** `flow a of workload-low on api-1:6443`; empty without a place. */
export function causePlaceText({ server, level, schema, flow }: CausePlace): string {
  const parts = [
    ...(flow === undefined || flow === '' ? [] : [`flow ${flowName(flow, schema ?? '')}`]),
    ...(schema === undefined ? [] : [`flow schema ${schema}`]),
    ...(level === undefined ? [] : [`level ${level}`]),
  ]
  const where = listed(parts)
  if (server === undefined) return where
  return where === '' ? server : `${where}, ${server}`
}

/** A diagnosis for a terminal; with `all` including the excluded causes. */
export function diagnosisLines(diagnosis: Diagnosis, all: boolean): readonly string[] {
  const { from, to, findings, changes, innocent, excluded, notShown, limits, servers } = diagnosis
  return [
    diagnosis.summary,
    `${from === to ? `One sample, at ${plain.dateTime(to)} UTC` : `Samples from ${plain.dateTime(from)} to ${plain.time(to)} UTC`}${servers.length === 0 ? '' : `, ${listed(servers)}`}.`,
    ...findings.flatMap((finding, index) => ['', ...findingLines(finding, index + 1)]),
    ...paragraph(
      changes.map(
        ({ at, text, effect, isToBlame }) =>
          `  ${plain.time(at)} ${text}. ${effect}${isToBlame === undefined ? '' : isToBlame ? ' This is a cause.' : ' It is not to blame.'}`,
      ),
      'What changed:',
    ),
    ...paragraph(innocentLines(innocent)),
    ...paragraph(limits),
    ...paragraph(all ? excluded.map(({ title, because }) => `  ${title}: ${because}`) : [], 'Excluded:'),
    ...paragraph(all && notShown.length > 0 ? [`Not shown by the data: ${listed(notShown)}.`] : []),
  ]
}

/** After an empty line, where there is anything. */
const paragraph = (lines: readonly string[], ...title: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', ...title, ...lines]

/** What is wrong now, the first cause, who suffers, who is not to blame, and the remedy: one screen of a terminal. */
export function statusLines({ now, findings: [cause, ...others], innocent }: Diagnosis): readonly string[] {
  const lines = [now.title, ...(now.details === undefined ? [] : [now.details])]
  if (cause === undefined || cause.group === 'none') return lines
  const where = causePlaceText(cause.place)
  const elsewhere = likelyCause([cause, ...others])?.others ?? []
  const beside = others.filter((one) => !elsewhere.includes(one) && one.group !== 'none')
  const named = (all: readonly Finding[]): readonly string[] => [
    ...new Set(
      all.map((one) => {
        const { level } = one.place
        return `${causeName(one, plain)}${level === undefined || level === cause.place.level ? '' : `, in ${level}`}`
      }),
    ),
  ]
  const certain = beside.filter(({ confidence }) => confidence === 'strong')
  const uncertain = beside.filter((one) => !certain.includes(one))
  const causes = named(uncertain.filter(({ share }) => share !== undefined))
  const possible = named(uncertain.filter(({ share }) => share === undefined))
  return [
    ...lines,
    `${cause.group === 'own side' ? cause.title : `${isHazard(now, cause) ? 'Found' : 'Cause'} (${cause.confidence})`}${where === '' ? '' : `, ${where}`}: ${cause.text}`,
    ...victimLines(cause).filter((line) => now.details?.includes(line) !== true),
    `Remedy: ${cause.remedy.text}`,
    ...elsewhere.flatMap((other) => [
      `Also in ${other.place.level ?? ''}: ${other.text}`,
      ...victimLines(other),
      `Remedy there: ${other.remedy.text}`,
    ]),
    ...certain.flatMap((other) => [
      `Also (strong)${shareText(other, plain)}: ${other.text}`,
      ...victimLines(other),
      `Remedy: ${other.remedy.text}`,
    ]),
    ...(causes.length === 0 ? [] : [`Also a cause: ${listed(causes)}.`]),
    ...(possible.length === 0 ? [] : [`Also possible: ${listed(possible)}.`]),
    ...innocentLines(innocent),
  ]
}

/** A shape of the configuration that harms nobody yet. */
export const isHazard = ({ tone }: Diagnosis['now'], { group, symptom }: Finding): boolean =>
  tone === 'ok' && group === 'configuration' && symptom === undefined

const victimLines = ({ victims }: Finding): readonly string[] =>
  victims.length === 0 ? [] : [victimsSentence(victims)]

const innocentLines = (innocent: Diagnosis['innocent']): readonly string[] =>
  innocent.map(({ name, text }) => `Not to blame: ${name}, which ${text}`)

function findingLines(finding: Finding, number: number): readonly string[] {
  const { title, confidence, place, text, evidenceFor, evidenceAgainst, unknown, refutedBy, remedy } = finding
  const where = causePlaceText(place)
  const names = remedy.manifests.map(({ kind, name }) => `${kind} ${name}`)
  return [
    `${number}. ${title} (${confidence})${shareText(finding, plain)}${where === '' ? '' : `: ${where}`}`,
    `   ${text}`,
    ...victimLines(finding).map((line) => `   ${line}`),
    ...evidenceFor.map((sentence) => `   + ${sentence}`),
    ...evidenceAgainst.map((sentence) => `   - ${sentence}`),
    ...unknown.map((sentence) => `   ? ${sentence}`),
    `   Refuted by: ${refutedBy}`,
    `   Remedy: ${remedy.text}${names.length === 0 ? '' : ` Draft: ${listed(names)} (--draft).`}`,
  ]
}
