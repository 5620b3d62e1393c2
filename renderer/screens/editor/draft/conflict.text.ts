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
  if (writes.length === 0) return `${name} was changed meanwhile.`
  const last = Math.max(...writes.map(({ at }) => at))
  // The server remembers whole seconds: several may have written last.
  const managers = new Set(writes.filter(({ at }) => at === last).map(({ manager }) => manager))
  return `${name} was changed by ${[...managers].join(' or ')} ${format.age(Math.max(0, now - last))} ago.`
}
