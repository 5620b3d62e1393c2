import { jsonText } from '../../core/text/controls.ts'

/** One line of JSON for whoever looks into the shell's standard error; never holds an address or a secret. */
export type Log = (event: string, details: Readonly<Record<string, string | number>>) => void

export const createLog =
  (write: (line: string) => void, now: () => number): Log =>
  (event, details) =>
    write(`${jsonText({ at: new Date(now()).toISOString(), event, ...details })}\n`)
