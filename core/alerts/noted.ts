import type { Noted } from '../contract/recording.ts'
import type { AlertChange } from '../contract/alerts.ts'
import { RULES } from './rules.ts'

/** The beginning or the end of an alert, in one line. */
export function alertNoted({ kind, at, alert }: AlertChange): Noted {
  const { rule, server, level, subject } = alert
  const about = [rule === 'R8' ? undefined : level, subject].filter((part) => part !== undefined).join(', ')
  return {
    at,
    kind: kind === 'fired' ? 'alert' : 'resolved',
    text: `${rule} ${kind}: ${RULES[rule].title}${about === '' ? '' : ` (${about})`}`,
    ...(level !== undefined && { level }),
    ...(server !== undefined && { server }),
  }
}
