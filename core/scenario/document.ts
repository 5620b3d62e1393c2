import { type Finding, rejected } from '../config/finding.ts'
import { byPosition, located, locatedProblem, textDocuments } from '../manifest/locate.ts'
import type { LocatedFinding } from '../manifest/manifest.ts'
import { jsonOf, positionsIn } from '../manifest/tree.ts'

/** A kind of file that holds one thing: a scenario, a sweep. */
export interface DocumentKind<T> {
  /** As findings name it: `Scenario`. */
  readonly kind: string
  /** In a sentence: `scenario`. */
  readonly noun: string
  /** What a file has at least, in a sentence. */
  readonly needs: string
  /** `undefined` only with an error among the findings. */
  readonly decode: (value: unknown, findings: Finding[]) => T | undefined
}

/** There is a value exactly when no finding is an error. */
export interface ReadDocument<T> {
  readonly value?: T
  /** In the order of the text. */
  readonly findings: readonly LocatedFinding[]
  /** Gives a later finding about a field of the file its position. */
  readonly located: (finding: Finding) => LocatedFinding
}

/** Reads the one document of a YAML or JSON file. Never throws. */
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
    const nothing = rejected('', 'Malformed', `The file holds no ${noun}: it needs ${needs}.`)
    return { findings: findings.length > 0 ? findings : [atStart(nothing)], located: atStart }
  }
  const locatedHere = (finding: Finding): LocatedFinding => located(tree, finding, places)
  if (second?.tree !== undefined) {
    const message = `A file holds one ${noun}: remove the second document.`
    findings.push(located(second.tree, rejected('', 'Malformed', message), places))
  }
  const found: Finding[] = []
  const value = decode(jsonOf(tree), found)
  findings.push(...found.map(locatedHere))
  const broken = findings.some(({ severity }) => severity === 'error')
  return {
    ...(!broken && value !== undefined && { value }),
    findings: findings.toSorted(byPosition),
    located: locatedHere,
  }
}
