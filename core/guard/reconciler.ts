import { builtInObject, isMandatory } from '../config/builtIn.ts'
import { specEquals } from '../config/content.ts'
import { AUTOUPDATE_ANNOTATION, EXEMPT } from '../config/objects.ts'
import type { GuardChange, Rail } from './changes.ts'
import type { GuardFinding, GuardRemedy, GuardSeverity } from './finding.ts'

/** Time within which the API server’s reconciler has checked every object (specification 7.8). */
export const RECONCILER_PERIOD_SECONDS = 60

/**
 * The effect of the API server on an object (specification 7.8).
 * - `kept`: nothing.
 * - `put-back`: the built-in spec is restored.
 * - `recreated`: it is created again as built in.
 * - `deleted`: its annotation marks it as owned by the server, but it is not one of the built-in objects.
 * - `annotation-rewritten`: only the annotation is written.
 */
export type ReconcileVerdict = 'kept' | 'put-back' | 'recreated' | 'deleted' | 'annotation-rewritten'

export interface ReconcilePrediction {
  readonly verdict: ReconcileVerdict
  /** One sentence. */
  readonly why: string
  /** The value of the annotation afterwards, when the server writes it. */
  readonly annotation?: 'true' | 'false'
  /**
   * Whether `apf.kubernetes.io/autoupdate-spec: "false"` in the same write prevents the server from reverting the edit.
   */
  readonly keptWithAnnotation: boolean
}

/**
 * The effect of the reconciler of a server of the version after a change: `to` is the object as stored then, defaults
 * filled in. It runs at the start and every 60 s.
 */
export function predictReconcile(change: GuardChange, version: string | undefined): ReconcilePrediction {
  const { kind, name, to } = change
  const builtIn = builtInObject(kind, name, version ?? '')
  const mandatory = isMandatory(kind, name)
  if (builtIn === undefined) return predictForeign(change)
  if (to === null) {
    const why = `${name} is built in: the API server creates it again within ${RECONCILER_PERIOD_SECONDS} s.`
    return { verdict: 'recreated', why, annotation: 'true', keptWithAnnotation: false }
  }

  const text = to.metadata.annotations?.[AUTOUPDATE_ANNOTATION]
  const stated = parseBoolean(text)
  const auto = mandatory || (stated ?? generationAfter(change) === 1)
  const rewritten = stated !== auto
  const annotation = rewritten ? { annotation: auto ? ('true' as const) : ('false' as const) } : {}
  const differs = !sameSpec(change, builtIn.spec)
  if (auto && differs) {
    const cause = mandatory
      ? 'it is mandatory'
      : stated === true
        ? `its annotation ${AUTOUPDATE_ANNOTATION} is true`
        : 'it has no legible annotation that says otherwise and is of its first generation'
    const why = `The API server restores the built-in spec of ${name} within ${RECONCILER_PERIOD_SECONDS} s, because ${cause}.`
    return { verdict: 'put-back', why, ...annotation, keptWithAnnotation: !mandatory }
  }
  if (rewritten) {
    const why = `The API server keeps the spec of ${name} and sets its annotation ${AUTOUPDATE_ANNOTATION} to ${String(auto)}.`
    return { verdict: 'annotation-rewritten', why, ...annotation, keptWithAnnotation: !mandatory && auto }
  }
  return { verdict: 'kept', why: whyKept(name, auto, differs), keptWithAnnotation: false }
}

function whyKept(name: string, auto: boolean, differs: boolean): string {
  if (!auto) return `The API server keeps ${name} as it is: its annotation ${AUTOUPDATE_ANNOTATION} is false.`
  return differs
    ? `The API server accepts any shares and lendable percent for ${name}.`
    : `${name} already matches the built-in spec.`
}

/** An object that is not built in. */
function predictForeign({ name, to }: GuardChange): ReconcilePrediction {
  if (to === null)
    return { verdict: 'kept', why: `${name} is not built in and stays deleted.`, keptWithAnnotation: false }
  if (parseBoolean(to.metadata.annotations?.[AUTOUPDATE_ANNOTATION]) === true) {
    const why = `The API server deletes ${name} within ${RECONCILER_PERIOD_SECONDS} s: its annotation ${AUTOUPDATE_ANNOTATION} marks it as managed by the server, but it is not a built-in object.`
    return { verdict: 'deleted', why, keptWithAnnotation: true }
  }
  return {
    verdict: 'kept',
    why: `${name} is not built in, so the API server leaves it alone.`,
    keptWithAnnotation: false,
  }
}

/** A boolean as parsed by Go; `undefined` for any other text. */
function parseBoolean(text: string | undefined): boolean | undefined {
  switch (text) {
    case '1':
    case 't':
    case 'T':
    case 'true':
    case 'TRUE':
    case 'True':
      return true
    case '0':
    case 'f':
    case 'F':
    case 'false':
    case 'FALSE':
    case 'False':
      return false
    default:
      return undefined
  }
}

/**
 * A new object begins with 1, and every change of the spec adds 1; `undefined` when the previous generation is unknown.
 */
function generationAfter({ from, to }: GuardChange): number | undefined {
  if (from === null) return 1
  const generation = from.metadata.generation
  if (generation === undefined || to === null) return generation
  return specEquals(from.spec, to.spec) ? generation : generation + 1
}

/** Exempt may have any shares and lendable percent; without the member for them it counts as wrong. */
function sameSpec({ kind, name, to }: GuardChange, builtIn: unknown): boolean {
  if (kind !== 'PriorityLevelConfiguration' || name !== EXEMPT || to === null) return specEquals(to?.spec, builtIn)
  return to.spec.exempt !== undefined && specEquals({ ...to.spec, exempt: {} }, { type: 'Exempt', exempt: {} })
}

const SEVERITY: Readonly<Record<ReconcileVerdict, GuardSeverity>> = {
  kept: 'passes',
  'put-back': 'warns',
  recreated: 'warns',
  deleted: 'blocks',
  'annotation-rewritten': 'expected',
}

/**
 * The effect of the API server’s reconciler on the edit (specification 7.8). The simulated server has one, too; behind
 * a proxy it affects the server's objects but not those of the proxy's engine.
 */
export const reconcilerRail: Rail = ({ changes, context }) =>
  changes.flatMap((change): readonly GuardFinding[] => {
    const prediction = predictReconcile(change, context.version)
    if (prediction.verdict === 'kept') return []
    const { kind, name } = change
    const remedy = remedyOf(change, prediction)
    return [
      {
        code: `reconciler/${prediction.verdict}`,
        objects: [{ kind, name }],
        ...(context.origin === 'proxy'
          ? { severity: 'expected', message: `The engine of the proxy keeps this edit. ${prediction.why}` }
          : { severity: SEVERITY[prediction.verdict], message: prediction.why }),
        ...(remedy && { remedy }),
        evidence: evidenceOf(change),
      },
    ]
  })

function remedyOf(change: GuardChange, { verdict, keptWithAnnotation }: ReconcilePrediction): GuardRemedy | undefined {
  const { kind, name } = change
  if (keptWithAnnotation) {
    return {
      sentence: `Set the annotation ${AUTOUPDATE_ANNOTATION} of ${name} to "false" in the same write.`,
      fix: {
        action: 'set',
        object: { kind, name },
        path: ['metadata', 'annotations', AUTOUPDATE_ANNOTATION],
        value: 'false',
      },
    }
  }
  if (verdict === 'put-back')
    return { sentence: `Leave ${name} as it is, and create a level or schema of your own instead.` }
  if (verdict === 'recreated')
    return {
      sentence: `Leave ${name} in place, and override it with an object of your own.`,
    }
  return undefined
}

function evidenceOf({ kind, name, from, to }: GuardChange): readonly string[] {
  const text = to?.metadata.annotations?.[AUTOUPDATE_ANNOTATION]
  const stated =
    text === undefined
      ? 'absent'
      : parseBoolean(text) === undefined
        ? `${JSON.stringify(text)}, which is not a boolean`
        : text
  const generation = from?.metadata.generation
  return [
    ...(isMandatory(kind, name) ? ['mandatory'] : []),
    ...(to === null ? [] : [`${AUTOUPDATE_ANNOTATION}: ${stated}`]),
    ...(generation === undefined ? [] : [`generation before the edit: ${generation}`]),
  ]
}
