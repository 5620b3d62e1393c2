import type { ObjectRow } from './objectList.data.ts'

/** What an option of the list says beside the name: number and marks in words. */
export function rowFacts(row: ObjectRow): string {
  const { kind, number, mandatory, reconciled, state, problem, dangling } = row
  const facts = [
    kind === 'FlowSchema' ? `precedence ${number ?? 'unknown'}` : `${number ?? 'unknown'} shares`,
    ...(state === 'same' ? [] : [state]),
    ...(problem === 'error' ? ['has errors'] : problem === 'conflict' ? ['changed on the server meanwhile'] : []),
    ...(dangling ? ['its level does not exist'] : []),
    ...(mandatory ? ['mandatory'] : []),
    ...(reconciled && !mandatory ? ['kept as built in by the server'] : []),
  ]
  return facts.join(', ')
}
