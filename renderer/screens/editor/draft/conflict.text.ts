import { isJsonObject, type JsonObject } from '../../../../core/config/content.ts'
import { format } from '../../../theme/format.ts'

/** Who changed an object last, as the server remembers: `probes was changed by kubectl 40 s ago.` */
export function writerText(name: string, { metadata }: JsonObject, now: number): string {
  const fields = isJsonObject(metadata) ? metadata['managedFields'] : undefined
  const writes = (Array.isArray(fields) ? fields : []).flatMap((entry: unknown) => {
    if (!isJsonObject(entry)) return []
    const { manager, time, subresource } = entry
    return typeof manager === 'string' && typeof time === 'string' && subresource === undefined
      ? [{ manager, at: Date.parse(time) }]
      : []
  })
  const last = writes.toSorted((a, b) => b.at - a.at)[0]
  if (last === undefined) return `${name} was changed meanwhile.`
  return `${name} was changed by ${last.manager} ${format.age(Math.max(0, now - last.at))} ago.`
}
