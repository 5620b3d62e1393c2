import { type Finding, rejected } from '../config/finding.ts'
import { fieldOf } from '../manifest/json.ts'
import { byPosition, hintFor, locate, textDocuments } from '../manifest/locate.ts'
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
  const findings: LocatedFinding[] = (first?.problems ?? []).map(({ at, path, ...rest }) => ({
    ...named,
    ...positionOf(at.from),
    field: fieldOf(path),
    ...rest,
  }))
  const locatedIn = (whole: NonNullable<typeof tree>, finding: Finding): LocatedFinding => ({
    ...finding,
    ...named,
    ...positionOf(locate(whole, finding.field, finding.reason === 'FieldUnknown').from),
    message: finding.message + hintFor(whole, finding),
  })
  const atStart = (finding: Finding): LocatedFinding => ({ ...finding, ...named, line: 1, column: 1 })
  if (tree === undefined) {
    const nothing = rejected('', 'Malformed', `The file holds no ${noun}: it needs ${needs}.`)
    return { findings: findings.length > 0 ? findings : [atStart(nothing)], located: atStart }
  }
  const located = (finding: Finding): LocatedFinding => locatedIn(tree, finding)
  if (second?.tree !== undefined) {
    const message = `A file holds one ${noun}: remove the second document.`
    findings.push(locatedIn(second.tree, rejected('', 'Malformed', message)))
  }
  const found: Finding[] = []
  const value = decode(jsonOf(tree), found)
  findings.push(...found.map(located))
  const broken = findings.some(({ severity }) => severity === 'error')
  return { ...(!broken && value !== undefined && { value }), findings: findings.toSorted(byPosition), located }
}
