import type { Refusal } from './answers.ts'
import type { AnyRequest } from './exchange.ts'

const CODING: Refusal = { status: 501, sentence: 'This proxy supports no transfer coding but chunked.' }
const METHOD: Refusal = { status: 501, sentence: 'This proxy forwards only methods in capital letters.' }
const DROPS_IDENTITY: Refusal = {
  status: 400,
  sentence:
    'The header Connection must not name a header that identifies the user: the upstream would see another one.',
}

const SAYS_WHO_ASKS = /^(?:authorization|sec-websocket-protocol|impersonate-.*|x-remote-.*)$/i

/**
 * Requests that cannot be forwarded unchanged, so that the upstream would answer a different request: identity headers
 * that the header Connection removes, a body in a transfer coding that is not decoded here, and a method that Node
 * would convert to capitals.
 */
export function cannotPass({ headers, method = '' }: Pick<AnyRequest, 'headers' | 'method'>): Refusal | undefined {
  if (headers.connection?.split(',').some((name) => SAYS_WHO_ASKS.test(name.trim())) === true) return DROPS_IDENTITY
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return CODING
  return /[a-z]/.test(method) ? METHOD : undefined
}
