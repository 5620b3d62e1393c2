import { z } from 'zod'
import { FrameSchema, type Frame } from '../../../core/frame/frame.ts'
import { dumpKind, dumpsIn, type DumpKind } from '../../../core/metrics/dumps.ts'
import { isTooMuch, scrapesIn } from './scrapes.ts'
import { pagesIn, sampleText, undecorated, type WrittenPage } from './undecorated.ts'
import { errorText, otherText } from '../../../core/text/otherTexts.ts'
import { parseJson } from '../../../core/text/text.ts'
import { logKindOf } from '../../../core/feeds/logReader.ts'

/** One response body, wherever in a file it was found. */
export interface Body {
  /** Displayed file name. */
  readonly file: string
  /** 1-based line of the file on which the text begins; its own lines count from there only when it is a whole file. */
  readonly line?: number
  /** Unix milliseconds of the request, when the file contains it. */
  readonly t?: number
  /** Unix milliseconds that a script wrote before it. */
  readonly written?: number
  readonly text: string
}

export type Recognised =
  | ({ readonly kind: 'page' } & Body)
  | ({ readonly kind: 'dump'; readonly dump: DumpKind } & Body)
  /** Output of `snapshot` and `watch`. */
  | { readonly kind: 'frame'; readonly frame: Frame }
  /** A response of /version: for pages that do not contain the version. */
  | { readonly kind: 'version'; readonly version: string }
  /** Flow-control objects, as YAML or JSON. */
  | { readonly kind: 'manifest'; readonly file: string; readonly text: string }
  /** Events of an audit log, in any envelope. */
  | { readonly kind: 'audit'; readonly file: string; readonly text: string }
  /** Lines of a kube-apiserver log at -v=3, in any envelope. */
  | { readonly kind: 'httplog'; readonly file: string; readonly text: string }
  /** Recognised, but damaged: the sentence states what, where and how to fix it. */
  | { readonly kind: 'unreadable'; readonly sentence: string }
  /** Unrelated content, which folders also contain. */
  | { readonly kind: 'foreign'; readonly file: string; readonly sentence: string }

/** One line of a capture: NDJSON as the tests' recorder and `curl`-based scripts write it. */
const CaptureLineSchema = z.looseObject({
  t: z.number().optional(),
  path: z.string(),
  status: z.number().optional(),
  body: z.string(),
})

const VersionSchema = z.looseObject({ gitVersion: z.string() })

/** The answer of an API server that a script saved instead of a page. */
const StatusSchema = z.looseObject({
  kind: z.literal('Status'),
  status: z.literal('Failure'),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
})

/** The answer of a proxy or of Prometheus. */
const ErrorSchema = z
  .strictObject({
    error: z.string().optional(),
    message: z.string().optional(),
    error_description: z.string().optional(),
    status: z.unknown().optional(),
    errorType: z.string().optional(),
    code: z.unknown().optional(),
  })
  .refine(({ error, message }) => error !== undefined || message !== undefined)

const refusal = (what: string, { code, reason = '', message = '' }: z.infer<typeof StatusSchema>): Recognised =>
  unreadable(
    what,
    `is the answer of an API server, ${[code, reason].filter((part) => part !== undefined && part !== '').join(' ')}: ${message.replace(/\.$/, '')}. ${code === 401 || code === 403 ? 'Read it as a user who may get this path' : 'Save the page again'}`,
  )

/** Classifies each part of a file by its content alone. Never throws. */
export function recognise(file: string, written: string): Recognised[] {
  const text = sampleText(undecorated(written))
  const start = text.search(/\S/)
  if (start < 0) return [foreign(file, 'is empty')]
  const begin = text.slice(start, start + 400)
  // Collectors export logs as XML too.
  const log = logKindOf(text)
  if (log !== undefined) return [{ kind: log, file, text }]
  const other = otherText(text)
  // Folders contain pages and pictures too; an error is what was saved instead of a page.
  if (other !== undefined) return [other.startsWith('contains') ? unreadable(file, other) : foreign(file, other)]
  if (isManifest(text)) {
    return TEMPLATE.test(text)
      ? [unreadable(file, 'is a Helm template: render it with helm template CHART, and name the output')]
      : [{ kind: 'manifest', file, text }]
  }
  if (begin.startsWith('{')) return recogniseJson(file, text)
  const status = statusIn(begin)
  if (status !== undefined) return [refusal(file, status)]
  const scrapes = scrapesIn(text)
  const parts = scrapes ?? partsOf(text)
  if (isTooMuch(parts))
    return [unreadable(file, 'holds more pages or servers than are read: export a shorter time, or fewer servers')]
  if (scrapes === undefined) return parts.map((part) => recogniseText({ file, ...part }))
  return scrapes.map(({ instance, at, text: page }) => ({
    kind: 'page',
    file: instance === '' ? file : `${file}, ${instance}`,
    ...(at !== undefined && { t: at }),
    text: page,
  }))
}

/** The dumps or pages in a text of one server. */
function partsOf(text: string): readonly WrittenPage[] {
  const dumps = dumpsIn(text)
  return dumps.length > 1 || dumpKind(dumps[0] ?? '') !== undefined
    ? dumps.map((dump) => ({ text: dump }))
    : pagesIn(text)
}

/** A response of the API server as YAML. */
function statusIn(text: string): z.infer<typeof StatusSchema> | undefined {
  if (!/^kind: Status\r?$/m.test(text)) return undefined
  const members = Object.fromEntries(
    Array.from(text.matchAll(/^(\w+): *(.*?)\r?$/gm), ([, name = '', value]) => [name, value]),
  )
  return StatusSchema.safeParse({ ...members, code: Number(members['code'] ?? 0) }).data
}

/**
 * A manifest contains the API group of its objects in `apiVersion`, in YAML or JSON; a capture contains it only inside
 * texts.
 */
const isManifest = (text: string): boolean =>
  /(?:^|[\s{,-])["']?apiVersion["']?\s*:\s*["']?flowcontrol\.apiserver\.k8s\.io\/v/m.test(text)

/** An action of a Go template, as charts have them. */
const TEMPLATE = /\{\{-?\s*(?:[.$]|include|template|toYaml|if|range|with|end|define|else|default)\b|\{\{-?\s*[.$]/

/** Completes “FILE …”. */
export const NO_FLOW_CONTROL =
  'holds metrics, but none of API Priority and Fairness: save the /metrics of a kube-apiserver that runs with it, unfiltered'

const METADATA = /^# (?:HELP|TYPE) /m
/** A whole line of a metrics text: name, labels, value and optionally a time. */
const SAMPLE =
  /^[a-zA-Z_:][\w:]*(?:\{[^\n]*\})?[ \t]+(?:[-+]?[\d.][\d.e+-]*|NaN|[-+]?Inf)(?:[ \t]+-?\d[\d.e+]*)?[ \t]*\r?$/m

/** What else lies beside pages and logs, and what is wanted instead. */
const OTHERS: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [/^kind: *Config\b/m, 'is a kubeconfig, which names a server: read it with --kubeconfig'],
  [
    /^(?:.{0,200}[\s\]])?[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] /m,
    'is a log without lines of requests: run the API server with -v=3, and save its log',
  ],
  [
    /"resultType": *"(?:vector|matrix)"/,
    'is an answer of Prometheus without samples of flow control: query {__name__=~"apiserver_flowcontrol_.*"}',
  ],
  [
    /apiserver_flowcontrol_/,
    'has metrics of flow control in a form that is not read: save them in the text format of Prometheus, or read a Prometheus with --prometheus',
  ],
  [
    /^\s*\[\s*\]\s*$|"(?:events|items|records|results?|hits|streams)": *\[\s*\]/,
    'is an export without records: export a time in which there were requests',
  ],
]

/** Of an object of Kubernetes, as YAML or JSON at its beginning. */
const memberOf = (name: string, text: string): string | undefined =>
  new RegExp(String.raw`^[\s{]*(?:"\w+": *"[^"]*",\s*)?["']?${name}["']?: *["']?([\w./-]+)`, 'm').exec(
    text.slice(0, 2_000),
  )?.[1]

/** What else a text is, completing “FILE …”. */
function otherIn(text: string): string | undefined {
  const other = OTHERS.find(([pattern]) => pattern.test(text))?.[1]
  if (other !== undefined) return other
  const [kind, group] = [memberOf('kind', text), memberOf('apiVersion', text)]
  return kind === undefined || group === undefined
    ? undefined
    : `is a ${kind} of ${group}: name metrics, dumps, logs or objects of flow control`
}

function recogniseText(body: Body): Recognised {
  const dump = dumpKind(body.text)
  if (dump !== undefined) return { kind: 'dump', dump, ...body }
  const { file, text } = body
  const isPage = METADATA.test(text) || SAMPLE.test(text)
  // Folders of nodes contain other texts of names and numbers.
  if (isPage && /apiserver_/.test(text)) return { kind: 'page', ...body }
  const other = isPage ? NO_FLOW_CONTROL : otherIn(text)
  if (other !== undefined) return foreign(file, other)
  const [line = ''] = /\S[^\n]*/.exec(text) ?? []
  return foreign(
    file,
    `is neither a metrics page, a debug dump of API Priority and Fairness, a manifest of flow-control objects, an audit or request log nor a capture (NDJSON with path and body). It begins: ${line.trim().slice(0, 80)}`,
  )
}

/** Lines that cannot be read at the beginning of a capture. */
const MOST_BEFORE_ANSWERS = 100

function recogniseJson(file: string, text: string): Recognised[] {
  const whole = parseJson(text)
  const version = VersionSchema.safeParse(whole)
  if (version.success) return [{ kind: 'version', version: version.data.gitVersion }]
  const status = StatusSchema.safeParse(whole)
  if (status.success) return [refusal(file, status.data)]
  const error = ErrorSchema.safeParse(whole).data
  if (error !== undefined) {
    return [unreadable(file, errorText(error.error_description ?? error.message ?? error.error ?? ''))]
  }
  const single = frameIn(whole)
  if (single !== undefined) return [{ kind: 'frame', frame: single }]
  const found: Recognised[] = []
  let answers = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (answers === 0 && found.length > MOST_BEFORE_ANSWERS) break
    if (line.trim() === '') continue
    const where = `${file}, line ${index + 1}`
    const content = parseJson(line)
    const answer = CaptureLineSchema.safeParse(content)
    const frame = frameIn(content)
    if (frame !== undefined) {
      answers++
      found.push({ kind: 'frame', frame })
    } else if (answer.success) {
      answers++
      found.push(recogniseAnswer(file, index + 1, answer.data))
    } else if (content === undefined) {
      found.push(unreadable(where, 'is not JSON, perhaps cut short; record it again'))
    } else {
      found.push(unreadable(where, 'has no "path" and "body"'))
    }
  }
  // A document that is not a capture gets one sentence, not one for every line.
  if (answers > 0) return found
  return [
    foreign(
      file,
      otherIn(text) ??
        'contains JSON, but neither frames nor a capture, whose lines have the "path" and "body" of one response',
    ),
  ]
}

/** Any other JSON is not parsed twice. */
const frameIn = (content: unknown): Frame | undefined =>
  typeof content === 'object' && content !== null && 'formatVersion' in content
    ? FrameSchema.safeParse(content).data
    : undefined

function recogniseAnswer(file: string, line: number, answer: z.infer<typeof CaptureLineSchema>): Recognised {
  const { t, path, status, body } = answer
  if (status !== undefined && status !== 200) {
    return unreadable(`${file}, line ${line}`, `is a ${status} response to ${path}`)
  }
  if (isManifest(body)) return { kind: 'manifest', file: `${file}, line ${line}`, text: body }
  const part = recogniseText({ file, line, text: body, ...(t !== undefined && { t }) })
  return part.kind === 'foreign' ? unreadable(`${file}, line ${line}`, `contains no flow-control data (${path})`) : part
}

const unreadable = (what: string, sentence: string): Recognised => ({
  kind: 'unreadable',
  sentence: `${what} ${sentence}.`,
})
const foreign = (file: string, sentence: string): Recognised => ({
  kind: 'foreign',
  file,
  sentence: `${file} ${sentence}.`,
})
