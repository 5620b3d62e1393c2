import type { Place, RuleId, Silence } from '../contract/alerts.ts'

/** Identifies an alert among others. */
type Identity = Place & { readonly rule: RuleId }

/** The same for the same alert, whenever it fires. */
export const alertKey = ({ rule, server = '', level = '', subject = '' }: Identity): string =>
  [rule, server, level, subject].join('\u0000')

/** Whether a silence matches an alert, regardless of when the silence ends. */
export const isAbout = ({ rule, level, server }: Silence, alert: Identity): boolean =>
  (rule ?? alert.rule) === alert.rule &&
  (level ?? alert.level) === alert.level &&
  (server ?? alert.server) === alert.server
