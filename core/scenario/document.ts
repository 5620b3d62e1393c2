import { type Finding, rejected } from '../config/finding.ts'
import { byPosition, located, locatedProblem, textDocuments } from '../manifest/locate.ts'
import type { LocatedFinding } from '../manifest/manifest.ts'
import { jsonOf, positionsIn } from '../manifest/tree.ts'

/** A kind of file that contains one thing: a scenario, a sweep. */
export interface DocumentKind<T> {
  /** The name in findings: `Scenario`. */
  readonly kind: string
  /** The name in a sentence: `scenario`. */
  readonly noun: string
  /** The required contents of a file, in a sentence. */
  readonly needs: string
  /** `undefined` only with an error among the findings. */
  readonly decode: (value: unknown, findings: Finding[]) => T | undefined
}

/** A value is present if and only if no finding is an error. */
export interface ReadDocument<T> {
  readonly value?: T
  /** In text order. */
  readonly findings: readonly LocatedFinding[]
  /** Adds the position in the file to a later finding about a field. */
  readonly located: (finding: Finding) => LocatedFinding
}

/** Reads the only document of a YAML or JSON file. Never throws. */
export function readDocument<T>(
  { text, file }: { readonly text: string; readonly file: string },
  { kind, noun, needs, decode }: DocumentKind<T>,
): ReadDocument<T> {
  const positionOf = positionsIn(text)
  const [first, second] = textDocuments(text, file)
  const tree = first?.tree
  const named = { file, kind, name: '' }
  const places = { ...named, positionOf }
  const findings = (first?.problems ?? []).map((problem) => locatedProblem(problem, places))
  const atStart = (finding: Finding): LocatedFinding => ({ ...finding, ...named, line: 1, column: 1 })
  if (tree === undefined) {
    const nothing = rejected('', 'Malformed', `The file contains no ${noun}: it needs ${needs}.`)
    return { findings: findings.length > 0 ? findings : [atStart(nothing)], located: atStart }
  }
  const locatedHere = (finding: Finding): LocatedFinding => located(tree, finding, places)
  if (second?.tree !== undefined) {
    const message = `A file contains one ${noun}: remove the second document.`
    findings.push(located(second.tree, rejected('', 'Malformed', message), places))
  }
  const found: Finding[] = []
  const value = decode(jsonOf(tree), found)
  for (const added of found.map(locatedHere)) findings.push(added)
  const broken = findings.some(({ severity }) => severity === 'error')
  return {
    ...(!broken && value !== undefined && { value }),
    findings: findings.toSorted(byPosition),
    located: locatedHere,
  }
}
