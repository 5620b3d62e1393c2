import { digestRequest } from '../../core/classify/classification.ts'
import { assuredLimits, classifyByDraft } from '../../core/kep/classifyDraft.ts'
import { readDrafts, type GivenDraft } from '../../core/kep/importDraft.ts'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import { requestsFrom } from './classifyRequests.ts'
import type { Console, ExitCode } from './console.ts'
import { textTable } from './print/terminal.ts'
import { isError, type NamedText, readTexts } from './inputFiles.ts'
import { type Given, readNumber, readOutput, SEATS, UsageError } from './usage.ts'
import { findingText } from './validate.ts'

export const draftFrom = async (paths: readonly string[], console: Console): Promise<GivenDraft<NamedText>> =>
  readDrafts(await readTexts(paths, console))

/** Prints every finding with its location. Returns whether one is an error. */
export function tellDraftFindings(findings: readonly LocatedFinding[], console: Console): boolean {
  for (const finding of findings) console.tell(findingText(finding))
  return findings.some(isError)
}

/** Where requests are placed under objects of the draft, with the seats of the level. */
export async function classifyUnderDraft(file: string, given: Given, console: Console): Promise<ExitCode> {
  const draft = await draftFrom([file], console)
  if (draft.others.length > 0)
    throw new UsageError(`${file} contains no draft objects; use --config for Kubernetes objects.`)
  const failed = tellDraftFindings(draft.findings, console)
  const serverLimit = readNumber(given, 'server-limit', SEATS) ?? 600
  const limits = assuredLimits(draft, serverLimit)
  const { requests, notes } = await requestsFrom(given, console)
  for (const note of notes) console.tell(note)
  const answers = requests.map((request) => {
    const digest = digestRequest(request)
    if (!digest.ok) return { request, problem: digest.problem }
    const { schema, level, distinguisher, backstop } = classifyByDraft(draft, digest.digest)
    const seats = limits.get(level.name)
    return {
      request,
      flowSchema: schema,
      priorityLevel: level.name,
      distinguisher,
      backstop,
      ...(seats !== undefined && { seats }),
    }
  })
  if (readOutput(given) === 'json') console.printJson(answers, 2)
  else {
    const rows = answers.map((answer) => {
      const { request } = answer
      const start = [request.user, `${request.method} ${request.url}`]
      if ('problem' in answer) return [...start, answer.problem, '', '', '']
      const schema = answer.backstop ? `${answer.flowSchema} (implicit)` : answer.flowSchema
      return [
        ...start,
        schema,
        answer.priorityLevel,
        answer.distinguisher,
        answer.seats === undefined ? 'exempt' : String(answer.seats),
      ]
    })
    const head = ['USER', 'REQUEST', 'FLOWSCHEMA', 'LEVEL', 'FLOW', 'SEATS']
    console.print(textTable([head, ...rows], ['left', 'left', 'left', 'left', 'left', 'right']))
  }
  return failed || answers.some((answer) => 'problem' in answer) ? 1 : 0
}
