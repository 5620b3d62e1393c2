/** What programs print instead of an answer. */
const ERROR =
  /^(?:Error from server|[Ee]rror: |Error in configuration|Unable to connect to|The connection to the server|curl: \(|jq: error|An error occurred \(|ERROR: \(gcloud|(?:\d{3} )?(?:Unauthorized|Forbidden|page not found)\b|(?:upstream|no healthy upstream)\b|Client sent an HTTP request|Too many requests, please)[^\n]*/
const BINARY = 'is a binary file: unpack it, and name the texts in it'
/** What else is saved instead of objects or pages, by how it begins. */
const OTHERS: readonly (readonly [begin: RegExp, sentence: string])[] = [
  [/^<[!?a-z]/i, 'is a web page: save the answer of the API server itself, signed in'],
  [/^(?:bplist|%PDF)/, BINARY],
  [
    /^(?!eyJ|ewo|ew0K|W3s|Wwo)[A-Za-z\d+/]{64,}(?:[\r\n=]|$)/,
    'is in base64: decode it with base64 -d, and unpack it if it is compressed',
  ],
  [/^version https:\/\/git-lfs/, 'is a pointer of Git LFS, not the file: fetch it with git lfs pull'],
  // `kubectl get`, `describe`, `explain` and `diff`.
  [
    /^(?:NAME +(?:PRIORITYLEVEL|TYPE) |Name: (?:.*\n){1,99}?API Version: |(?:GROUP: .*\n)?KIND: |(?:diff .*\n)?--- .*\n\+\+\+ )/,
    'is what kubectl prints for people, which lacks fields: save the objects with -o yaml',
  ],
]

/**
 * What a text is that tools save instead of what was wanted, and the remedy, completing “FILE is …”; `undefined` for
 * other texts.
 */
export function otherText(text: string): string | undefined {
  const begin = text.slice(0, 4_000).trimStart()
  if (begin.includes('\u0000'))
    return begin.startsWith('k8s') ? 'is in protobuf: save the objects with -o yaml' : BINARY
  const other = OTHERS.find(([pattern]) => pattern.test(begin))?.[1]
  if (other !== undefined) return other
  const [error] = ERROR.exec(begin) ?? []
  return error === undefined ? undefined : errorText(error)
}

/** An error that was saved instead of an answer. */
export const errorText = (error: string): string =>
  `contains an error instead of an answer: ${error.trim().slice(0, 200).replace(/\.$/, '')}. Correct it, and save the answer again`
