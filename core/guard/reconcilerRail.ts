import { isMandatory } from '../config/builtInByVersion.ts'
import { AUTOUPDATE_ANNOTATION } from '../config/objects.ts'
import type { GuardChange } from './changes.ts'
import type { GuardFinding, GuardRemedy, GuardSeverity } from './finding.ts'
import type { Rail } from './rail.ts'
import { type ReconcilePrediction, type ReconcileVerdict, parseBoolean, predictReconcile } from './reconciler.ts'

const SEVERITY: Readonly<Record<ReconcileVerdict, GuardSeverity>> = {
  kept: 'passes',
  'put-back': 'warns',
  recreated: 'warns',
  deleted: 'blocks',
  'annotation-rewritten': 'expected',
}

/**
 * What the API server’s reconciler does to the edit (specification 7.8). The simulated server has one, too; behind a proxy it
 * acts on the server's objects and leaves those of the proxy's engine alone.
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
    return { sentence: `Leave ${name} as it is built in; make a level or schema of your own instead.` }
  if (verdict === 'recreated')
    return {
      sentence: `Leave ${name} in place; what it must not do can be changed by an object of your own before it.`,
    }
  return undefined
}

function evidenceOf({ kind, name, from, to }: GuardChange): readonly string[] {
  const text = to?.metadata.annotations?.[AUTOUPDATE_ANNOTATION]
  const stated =
    text === undefined
      ? 'absent'
      : parseBoolean(text) === undefined
        ? `${JSON.stringify(text)}, which is no boolean`
        : text
  const generation = from?.metadata.generation
  return [
    ...(isMandatory(kind, name) ? ['mandatory'] : []),
    ...(to === null ? [] : [`${AUTOUPDATE_ANNOTATION}: ${stated}`]),
    ...(generation === undefined ? [] : [`generation before the edit: ${generation}`]),
  ]
}
