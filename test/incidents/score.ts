import { runCommand } from '../harness/command.ts'
import { QUESTIONS, type Incident, type Question, type Truth } from './incident.ts'

/** What the console says of an incident on its own: the first screen, and the first cause. */
export interface Words {
  /** `status`, without what it calls also possible. */
  readonly status: string
  /** Of `diagnose`: its summary, and the first cause without its evidence. */
  readonly diagnosis: string
  /** What `status` calls also possible: for the second of two causes. */
  readonly also: string
}

const ALSO = /^Also (?:possible|a cause)/
/** Lines of evidence for, against and unknown, and what follows them but the remedy. */
const EVIDENCE = /^\s+[+\-?] |^\s+Refuted by/

/** The console's words about the end of a recording. */
export async function wordsOf(recording: string): Promise<Words> {
  const said = async (command: string): Promise<readonly string[]> => {
    const { code, output, told } = await runCommand(command, '--recording', recording)
    if (code === 2 || code === null || output === '') throw new Error(`${command}: ${told}`)
    return output.trimEnd().split('\n')
  }
  const [status, diagnosis] = await Promise.all([said('status'), said('diagnose')])
  const second = diagnosis.findIndex((line) => line.startsWith('2. '))
  const limits = diagnosis.findIndex(
    (line, index) => index > 2 && line === '' && !/^\d+\. /.test(diagnosis[index + 1] ?? ''),
  )
  const ends = [second, limits].filter((index) => index >= 0)
  return {
    status: status.filter((line) => !ALSO.test(line)).join('\n'),
    diagnosis: diagnosis
      .slice(0, Math.min(diagnosis.length, ...ends))
      .filter((line, index) => index !== 1 && line !== '' && !EVIDENCE.test(line))
      .join('\n'),
    also: status.filter((line) => ALSO.test(line)).join('\n'),
  }
}

/** Who waits in a dump is no answer to who suffers: it is the culprit as often. */
const WAITING_NOW = /[^.\n]* had (?:all|\d+ %)[^.]* waiting requests?[^.]*\./g

/** A victim is no culprit. */
const SUFFERING = /(?:Suffering|Others wait as well): [^.\n]*/g

/** The first cause, said without reservation. */
const CERTAIN = /^1\. .*\(strong\)/m

export interface Score {
  readonly points: Readonly<Record<Question, boolean>>
  /** False statements that were found. */
  readonly falsehoods: readonly string[]
  readonly total: number
}

export const MOST_POINTS = QUESTIONS.length + 1

/** A point for each question that the words answer, and one if they say nothing false. */
export function scoreOf(words: Words, truth: Truth): Score {
  const said = `${words.status}\n${words.diagnosis}`
  const all = `${said}\n${words.also}`
  // A second culprit may stand behind the first; the cause and blame are judged by what is said without reservation.
  const isIn = (text: string, question: Question): boolean => truth[question].words.every((word) => word.test(text))
  const points = {
    symptom: isIn(all, 'symptom'),
    cause: isIn(words.diagnosis.replaceAll(REMEDY, ''), 'cause'),
    culprit: isIn(all.replaceAll(SUFFERING, ''), 'culprit'),
    victims: isIn(all.replaceAll(WAITING_NOW, ''), 'victims'),
    remedy: isIn(remedyIn(said), 'remedy'),
  }
  const falsehoods = [
    ...(points.cause
      ? []
      : (CERTAIN.exec(said) ?? []).map((claim) => `“${claim}”: another cause is said to be certain`)),
    ...truth.forbidden.flatMap(({ why, words: word }) => {
      const found = word.exec(said)
      return found === null ? [] : [`“${found[0].replaceAll(/\s+/g, ' ')}”: ${why}`]
    }),
  ]
  const total = QUESTIONS.filter((question) => points[question]).length + (falsehoods.length === 0 ? 1 : 0)
  return { points, falsehoods, total }
}

const REMEDY = /^\s*(?:Remedy|Remedies|Try|What helps|Fix)\b.*$/gm

/** The lines that say what to do; everything where none is marked as such. */
const remedyIn = (said: string): string => said.match(REMEDY)?.join('\n') ?? said

export interface Scored {
  readonly incident: Incident
  readonly words: Words
  readonly score: Score
}

/** A line for each incident, and what was given and found. */
export function scoreText(title: string, scored: readonly Scored[]): string {
  const sum = scored.reduce((total, { score }) => total + score.total, 0)
  const mark = (isRight: boolean): string => (isRight ? '1' : '–')
  const causes = scored.filter(({ score }) => score.points.cause).length
  return [
    `## ${title}: ${sum} of ${scored.length * MOST_POINTS}, first cause right in ${causes} of ${scored.length}`,
    '',
    `| incident | ${QUESTIONS.join(' | ')} | nothing false | sum |`,
    `| --- |${' --- |'.repeat(QUESTIONS.length + 2)}`,
    ...scored.map(
      ({ incident, score }) =>
        `| ${incident.name} (${incident.kind}) | ${QUESTIONS.map((question) => mark(score.points[question])).join(' | ')} | ${mark(score.falsehoods.length === 0)} | ${score.total} |`,
    ),
    ...scored.flatMap(({ incident: { name, truth }, words, score }) => [
      '',
      `### ${name}`,
      '',
      ...QUESTIONS.map((question) => `- ${question} ${mark(score.points[question])}: ${truth[question].given}`),
      ...score.falsehoods.map((falsehood) => `- false: ${falsehood}`),
      '',
      '```',
      words.status,
      ...(words.also === '' ? [] : [words.also]),
      '---',
      words.diagnosis,
      '```',
    ]),
    '',
  ].join('\n')
}
