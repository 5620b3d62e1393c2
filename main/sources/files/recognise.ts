import { z } from 'zod'
import { FrameSchema, type Frame } from '../../../core/frame/frame.ts'
import { dumpKind, type DumpKind } from '../../../core/metrics/dumps.ts'
import { scrapesIn } from './scrapes.ts'
import { parseJson } from '../../../core/text/text.ts'

/** One response body, wherever in a file it was found. */
export interface Body {
  /** Displayed file name. */
  readonly file: string
  /** 1-based line of the file on which the text begins; its own lines count from there only when it is a whole file. */
  readonly line?: number
  /** Unix milliseconds of the request, when the file contains it. */
  readonly t?: number
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
  /** Events of an audit log, or an EventList as an audit webhook receives it. */
  | { readonly kind: 'audit'; readonly file: string; readonly text: string }
  /** Lines of a kube-apiserver log at -v=3. */
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

/** Classifies each part of a file by its content alone. Never throws. */
export function recognise(file: string, text: string): Recognised[] {
  const start = text.search(/\S/)
  if (start < 0) return [foreign(file, 'is empty')]
  const begin = text.slice(start, start + 400)
  if (/^<(?:!doctype|html|\?xml)/i.test(begin)) {
    return [foreign(file, 'is a web page, not metrics: save the address that ends in /metrics, signed in')]
  }
  if (isAudit(begin)) return [{ kind: 'audit', file, text }]
  if (HTTP_LINE.test(text)) return [{ kind: 'httplog', file, text }]
  if (isManifest(text)) return [{ kind: 'manifest', file, text }]
  if (begin.startsWith('{')) return recogniseJson(file, text)
  const scrapes = scrapesIn(text)
  if (scrapes === undefined) return [recogniseText({ file, text })]
  return scrapes.map(({ instance, at, text: page }) => {
    const name = instance === '' ? file : `${file}, ${instance}`
    return { kind: 'page', file: name, t: at, text: page }
  })
}

/**
 * A manifest contains the API group of its objects in `apiVersion`, in YAML or JSON; a capture contains it only inside
 * texts.
 */
const isManifest = (text: string): boolean =>
  /(?:^|[\s{,-])["']?apiVersion["']?\s*:\s*["']?flowcontrol\.apiserver\.k8s\.io\/v/m.test(text)

const isAudit = (begin: string): boolean => begin.startsWith('{') && /"apiVersion"\s*:\s*"audit\.k8s\.io\/v/.test(begin)

/** `… httplog.go:134] "HTTP" verb=…`, also as JSON. */
const HTTP_LINE = /^(?:I\d{4} .*httplog\.go:\d+\] "HTTP" verb=|\{.*"msg":"HTTP".*"verb":)/m

const METADATA = /^# (?:HELP|TYPE) /m
/** A whole line of a metrics text: name, labels, value and optionally a time. */
const SAMPLE = /^[a-zA-Z_:][\w:]*(?:\{[^\n]*\})?[ \t]+(?:[-+]?[\d.][\d.e+-]*|NaN|[-+]?Inf)(?:[ \t]+-?\d+)?\r?$/m

function recogniseText(body: Body): Recognised {
  const dump = dumpKind(body.text)
  if (dump !== undefined) return { kind: 'dump', dump, ...body }
  const { file, text } = body
  if (METADATA.test(text) || SAMPLE.test(text)) return { kind: 'page', ...body }
  return foreign(
    file,
    'is neither a metrics page, a debug dump of API Priority and Fairness, a manifest of flow-control objects, an audit or request log nor a capture (NDJSON with path and body)',
  )
}

function recogniseJson(file: string, text: string): Recognised[] {
  const whole = parseJson(text)
  const version = VersionSchema.safeParse(whole)
  if (version.success) return [{ kind: 'version', version: version.data.gitVersion }]
  const single = frameIn(whole)
  if (single !== undefined) return [{ kind: 'frame', frame: single }]
  const found: Recognised[] = []
  let answers = 0
  for (const [index, line] of text.split('\n').entries()) {
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
