import type { Advice, Suggestion } from '../contract/advice.ts'
import { plain } from '../text/format.ts'
import { listed } from '../text/text.ts'

export const VERDICT_WORDS: Readonly<Record<Suggestion['verdict'], string>> = {
  edit: 'suggested',
  precaution: 'precaution',
  rejected: 'would not help',
}

/** Advice for a terminal. */
export function adviceLines({
  verdict,
  summary,
  from,
  to,
  servers,
  suggestions,
  enough,
  serverLimit,
  limits,
}: Advice): readonly string[] {
  return [
    [verdict, summary].filter(Boolean).join(' '),
    ...(servers.length === 0
      ? []
      : [`Samples from ${plain.dateTime(from)} to ${plain.time(to)} UTC, ${listed(servers)}.`]),
    ...suggestions.flatMap((suggestion, index) => ['', ...suggestionLines(suggestion, index + 1)]),
    ...(enough.length === 0
      ? []
      : [
          '',
          `Seats in which all demand fits${serverLimit === undefined ? '' : `; the server has ${plain.amount(serverLimit)}`}:`,
          ...enough.map(({ share, seats }) => `  ${plain.percent(share)} of the time: ${plain.amount(seats)}`),
        ]),
    ...(limits.length === 0 ? [] : ['', ...limits]),
  ]
}

function suggestionLines(suggestion: Suggestion, number: number): readonly string[] {
  const { title, verdict, text, evidence, unknown, changes, impact, snippet } = suggestion
  const moved = impact.filter(({ before, after }) => before !== after)
  return [
    `${number}. ${title} (${VERDICT_WORDS[verdict]})`,
    `   ${text}`,
    ...evidence.map((sentence) => `   + ${sentence}`),
    ...unknown.map((sentence) => `   ? ${sentence}`),
    ...(moved.length === 0
      ? []
      : [
          `   Nominal seats: ${listed(moved.map(({ level, before, after }) => `${level} ${plain.amount(before)} → ${plain.amount(after)}`))}.`,
        ]),
    ...(changes.length === 0
      ? []
      : [
          `   Draft: ${listed(changes.map(({ kind, name, text: yaml }) => `${yaml === null ? 'delete ' : ''}${kind} ${name}`))} (--draft ${number}).`,
        ]),
    ...(snippet === undefined
      ? []
      : snippet
          .trimEnd()
          .split('\n')
          .map((line) => `   | ${line}`)),
  ]
}
