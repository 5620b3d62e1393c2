import type { RequestRow } from './requests.data.ts'

/**
 * Filter of the Requests table: tokens `key:value` separated by spaces (all must hold), `wait>5s` for durations,
 * a leading minus for "not", anything else is looked for in the whole row.
 */
export type FilterToken =
  | { readonly kind: 'field'; readonly field: TextField; readonly value: string; readonly not: boolean }
  | {
      readonly kind: 'duration'
      readonly field: DurationField
      readonly above: boolean
      readonly seconds: number
      readonly not: boolean
    }
  | { readonly kind: 'text'; readonly value: string; readonly not: boolean }
  | { readonly kind: 'unknown'; readonly text: string; readonly why: string }

export const TEXT_FIELDS = ['flow', 'schema', 'verb', 'ns', 'user', 'queue', 'state', 'resource'] as const
export type TextField = (typeof TEXT_FIELDS)[number]
export const DURATION_FIELDS = ['wait', 'run'] as const
export type DurationField = (typeof DURATION_FIELDS)[number]

const isTextField = (key: string): key is TextField => TEXT_FIELDS.some((field) => field === key)
const isDurationField = (key: string): key is DurationField => DURATION_FIELDS.some((field) => field === key)

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60 }

/** Seconds of `5s`, `200ms`, `1.5`, `2min`; `undefined` when it is none of these. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|min)?$/.exec(text)
  return match === null ? undefined : Number(match[1]) * (SECONDS[match[2] ?? 's'] ?? 1)
}

function parseToken(token: string): FilterToken {
  const not = token.startsWith('-') && token.length > 1
  const body = not ? token.slice(1) : token
  const comparison = /^([a-z]+)([<>])(.*)$/.exec(body)
  if (comparison !== null) {
    const [, key = '', sign = '', amount = ''] = comparison
    if (!isDurationField(key))
      return { kind: 'unknown', text: token, why: `${key} cannot be compared; wait and run can` }
    const seconds = parseDuration(amount)
    if (seconds === undefined) return { kind: 'unknown', text: token, why: `write a duration such as ${key}${sign}5s` }
    return { kind: 'duration', field: key, above: sign === '>', seconds, not }
  }
  const pair = /^([a-z]+):(.*)$/.exec(body)
  const [, key = '', value = ''] = pair ?? []
  // A name such as system:node is no token of ours: unknown keys are looked for as text.
  if (pair === null || !isTextField(key)) return { kind: 'text', value: body.toLowerCase(), not }
  if (value === '') return { kind: 'unknown', text: token, why: `write what to look for after ${key}:` }
  return { kind: 'field', field: key, value: value.toLowerCase(), not }
}

export function parseFilter(text: string): readonly FilterToken[] {
  return text.split(/\s+/).flatMap((token) => (token === '' ? [] : [parseToken(token)]))
}

/** A filter for one flow or queue, as it is typed. */
export const filterText = (field: TextField, value: string): string => `${field}:${value.replaceAll(/\s+/g, '_')}`

function fieldText(row: RequestRow, field: TextField): string {
  switch (field) {
    case 'flow':
      return row.flow
    case 'schema':
      return row.schema
    case 'verb':
      return row.verb
    case 'ns':
      return row.namespace
    case 'user':
      return row.user
    case 'queue':
      return String(row.queue)
    case 'state':
      return row.state
    case 'resource':
      return row.target
  }
}

/** Names with blanks are typed with underscores, so that a blank can separate tokens. */
const normal = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, '_')

function holds(row: RequestRow, token: Exclude<FilterToken, { kind: 'unknown' }>): boolean {
  switch (token.kind) {
    case 'text':
      return [row.verb, row.target, row.path, row.namespace, row.user, row.flow, row.schema].some((part) =>
        normal(part).includes(token.value),
      )
    case 'field': {
      const text = normal(fieldText(row, token.field))
      // A queue is a number: 1 does not mean 14.
      return token.field === 'queue' ? text === token.value : text.includes(token.value)
    }
    case 'duration': {
      const seconds = token.field === 'wait' ? row.waited : row.running
      return seconds !== undefined && (token.above ? seconds > token.seconds : seconds < token.seconds)
    }
  }
}

/** Whether a row passes all tokens; tokens that were not understood hide nothing. */
export function passes(row: RequestRow, tokens: readonly FilterToken[]): boolean {
  return tokens.every((token) => token.kind === 'unknown' || holds(row, token) !== token.not)
}
