/** What programs print instead of an answer. */
const ERROR =
  /^(?:[Ee]rror(?:: | from server| in configuration)|Unable to connect to|The connection to the server|curl: \(|jq: error|An error occurred \(|ERROR: \(gcloud|(?:\d{3} )?(?:Unauthorized|Forbidden|page not found)\b|(?:no healthy )?upstream\b|Client sent an HTTP request|Too many requests, please)[^\n]*/
/** What `kubectl get`, `describe`, `explain` and `diff` print. */
const FOR_PEOPLE = /^(?:NAME +(?:PRIORITYLEVEL|TYPE) |(?:Name: .*\nNamespace|GROUP|KIND): |diff -)/

/**
 * What a text is that tools save instead of what was wanted, and the remedy, completing “FILE is …”; `undefined` for
 * other texts.
 */
export function otherText(text: string): string | undefined {
  const begin = text.slice(0, 4_000).trimStart()
  if (/^<[!?a-z]/i.test(begin)) return 'is a web page: save the answer of the API server itself, signed in'
  if (begin.startsWith('k8s\0')) return 'is protobuf of Kubernetes: save it with -o yaml'
  if (/^(?:bplist|%PDF)/.test(begin) || begin.includes('\u0000'))
    return 'is a binary file: unpack it, and name the texts in it'
  if (/^(?!eyJ|ewo|ew0K|W3s|Wwo)[A-Za-z\d+/]{64,}[\r\n=]/.test(`${begin}\n`))
    return 'is in base64: decode it with base64 -d, and unpack it if it is compressed'
  if (begin.startsWith('version https://git-lfs'))
    return 'is a pointer of Git LFS, not the file: fetch it with git lfs pull'
  if (FOR_PEOPLE.test(begin)) return 'is what kubectl prints for people: save the objects with -o yaml'
  const [error] = ERROR.exec(begin) ?? []
  return error === undefined ? undefined : errorText(error)
}

/** An error that was saved instead of an answer. */
export const errorText = (error: string): string =>
  `contains an error instead of an answer: ${error.trim().slice(0, 200).replace(/\.$/, '')}. Correct it, and save the answer again`
