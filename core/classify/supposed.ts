import type { ServerContext } from './classification.ts'

/** The user's assumptions about the cluster where the console has no data, as texts of a form. */
export interface Supposed {
  /** Objects of the requested resource in the whole cluster. */
  readonly count: string
  /** Bytes of one of them. */
  readonly averageSize: string
  /** Watches that receive a change. */
  readonly watchers: string
}

const wholeNumber = (text: string): number | undefined => (/^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined)

/** The readable values; anything else counts as absent. */
export function contextOf({ count, averageSize, watchers }: Supposed): Pick<ServerContext, 'objects' | 'watchers'> {
  const [objects, size, heard] = [wholeNumber(count), wholeNumber(averageSize), wholeNumber(watchers)]
  return {
    ...(objects !== undefined && { objects: { count: objects, ...(size !== undefined && { averageSize: size }) } }),
    ...(heard !== undefined && { watchers: heard }),
  }
}

/** Whether a text is neither empty nor a number. */
export const isUnreadable = (text: string): boolean => text.trim() !== '' && wholeNumber(text) === undefined
