/**
 * Regular expressions as the draft defines them: RE2 syntax without flags. They come from untrusted files, so they are
 * matched in time linear in the text, which JavaScript's expressions do not guarantee.
 */
export interface Pattern {
  /** As written. */
  readonly source: string
  /** Number of capturing groups, excluding the whole match. */
  readonly groups: number
  /** For a match of the whole text: the text of the first group, empty where it took no part. `undefined`: no match. */
  readonly match: (text: string) => string | undefined
  /** The text that it matches when it has no alternatives. */
  readonly literal: string | undefined
}

/** Why a pattern cannot be used, and where: code units from the start. */
export interface PatternProblem {
  readonly at: number
  readonly message: string
}

/** A repetition copies what it repeats; without a limit a short pattern could exhaust the memory. */
const MOST_STEPS = 5_000
const MOST_REPEATED = 1_000
const MOST_NESTED = 100
const LONGEST = 1_000

type Test = (codePoint: number) => boolean

type Step =
  | { readonly kind: 'one'; readonly test: Test; readonly literal?: number }
  /** Continues at either place, preferably the first. */
  | { readonly kind: 'fork'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'mark'; readonly edge: 'from' | 'to' }
  | { readonly kind: 'start' | 'end' | 'done' | 'word edge' | 'no word edge' }

class Unreadable extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Compiles a pattern. Never throws. */
export function compilePattern(source: string): { readonly pattern: Pattern } | { readonly problem: PatternProblem } {
  try {
    if (source.length > LONGEST) throw new Unreadable(LONGEST, `is longer than ${LONGEST} characters`)
    const compiler = new Compiler(source)
    const steps = compiler.compile()
    const { groups } = compiler
    return { pattern: { source, groups, match: (text) => matchWhole(steps, text), literal: literalOf(steps) } }
  } catch (error) {
    if (error instanceof Unreadable) return { problem: { at: error.at, message: error.message } }
    throw error
  }
}

function literalOf(steps: readonly Step[]): string | undefined {
  let text = ''
  for (const step of steps) {
    if (step.kind === 'done') return text
    if (step.kind !== 'one' || step.literal === undefined) return undefined
    text += String.fromCodePoint(step.literal)
  }
  return undefined
}

const CLASSES: Readonly<Record<string, Test>> = {
  d: (c) => c >= 48 && c <= 57,
  s: (c) => c === 32 || (c >= 9 && c <= 13 && c !== 11),
  w: (c) => isWord(c),
}

const isWord = (c: number): boolean => (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || c === 95 || (c >= 97 && c <= 122)

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }

/** Compiles a pattern to a list of steps, as in Thompson's construction. */
class Compiler {
  groups = 0
  private readonly source: string
  private at = 0
  private depth = 0
  private steps: Step[] = []

  constructor(source: string) {
    this.source = source
  }

  compile(): readonly Step[] {
    this.alternatives()
    if (this.at < this.source.length) throw new Unreadable(this.at, 'has a ) without a (')
    this.add({ kind: 'done' })
    return this.steps
  }

  private alternatives(): void {
    this.depth += 1
    if (this.depth > MOST_NESTED) throw new Unreadable(this.at, `nests groups more than ${MOST_NESTED} deep`)
    const ends: { kind: 'jump'; to: number }[] = []
    for (;;) {
      const start = this.steps.length
      this.sequence()
      if (this.peek() !== '|') break
      this.at += 1
      this.insert(start, { kind: 'fork', first: start + 1, second: this.steps.length + 2 })
      const end = { kind: 'jump' as const, to: 0 }
      ends.push(end)
      this.add(end)
    }
    for (const end of ends) end.to = this.steps.length
    this.depth -= 1
  }

  private sequence(): void {
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; next = this.peek()) {
      const start = this.steps.length
      this.atom(next)
      this.repetition(start)
    }
  }

  private atom(next: string): void {
    const at = this.at
    this.at += next.length
    switch (next) {
      case '(':
        return this.group(at)
      case '[':
        return this.add({ kind: 'one', test: this.set(at) })
      case '.':
        return this.add({ kind: 'one', test: (c) => c !== 10 })
      case '^':
        return this.add({ kind: 'start' })
      case '$':
        return this.add({ kind: 'end' })
      case '\\':
        return this.escape(at)
      case '*':
      case '+':
      case '?':
        throw new Unreadable(at, `has a ${next} with nothing to repeat`)
      default:
        return this.addLiteral(next)
    }
  }

  private group(at: number): void {
    let captures = true
    if (this.source.startsWith('?', this.at)) {
      const [named] = /^\?P?<[A-Za-z_]\w*>/.exec(this.source.slice(this.at)) ?? []
      if (this.source.startsWith('?:', this.at)) {
        captures = false
        this.at += 2
      } else if (named === undefined) {
        throw new Unreadable(
          at,
          'has a group that begins with (? and is neither (?: nor named: look-around and flags are not supported',
        )
      } else {
        this.at += named.length
      }
    }
    const first = captures && this.groups === 0
    if (captures) this.groups += 1
    if (first) this.add({ kind: 'mark', edge: 'from' })
    this.alternatives()
    if (this.peek() !== ')') throw new Unreadable(at, 'has a ( without a )')
    this.at += 1
    if (first) this.add({ kind: 'mark', edge: 'to' })
  }

  private escape(at: number): void {
    const next = this.peek()
    if (next === undefined) throw new Unreadable(at, 'ends with a single \\')
    const edges: Readonly<Record<string, Step['kind']>> = { A: 'start', z: 'end', b: 'word edge', B: 'no word edge' }
    const edge = edges[next]
    if (edge === 'start' || edge === 'end' || edge === 'word edge' || edge === 'no word edge') {
      this.at += 1
      return this.add({ kind: edge })
    }
    const escaped = this.escaped(at)
    if (typeof escaped === 'number') this.addLiteral(String.fromCodePoint(escaped))
    else this.add({ kind: 'one', test: escaped })
  }

  /** What follows a backslash: a character, or a class of them. */
  private escaped(at: number): number | Test {
    const next = this.peek() ?? ''
    this.at += next.length
    const group = CLASSES[next.toLowerCase()]
    if (group !== undefined) return next === next.toLowerCase() ? group : (c) => !group(c)
    const control = CONTROLS[next]
    if (control !== undefined) return control
    const [hex, short, long] =
      next === 'x' ? (/^(?:([\da-fA-F]{2})|\{([\da-fA-F]{1,6})\})/.exec(this.source.slice(this.at)) ?? []) : []
    if (hex !== undefined) {
      this.at += hex.length
      const code = parseInt(short ?? long ?? '', 16)
      if (code <= 0x10ffff) return code
    }
    if (/[A-Za-z0-9]/.test(next) || next === '')
      throw new Unreadable(at, `has the escape \\${next}, which is not supported`)
    return next.codePointAt(0) ?? 0
  }

  private set(at: number): Test {
    const negated = this.peek() === '^'
    if (negated) this.at += 1
    const tests: Test[] = []
    for (let first = true; first || this.peek() !== ']'; first = false) {
      const from = this.setItem(at, tests)
      if (from === undefined) continue
      let to = from
      if (this.peek() === '-' && this.source[this.at + 1] !== ']') {
        const dash = this.at
        this.at += 1
        const end = this.setItem(at, tests)
        if (end === undefined || end < from) throw new Unreadable(dash, 'has an invalid range of characters')
        to = end
      }
      tests.push((c) => c >= from && c <= to)
    }
    this.at += 1
    return (c) => tests.some((test) => test(c)) !== negated
  }

  private setItem(at: number, tests: Test[]): number | undefined {
    const next = this.peek()
    if (next === undefined) throw new Unreadable(at, 'has a [ without a ]')
    if (next === '[' && this.source.startsWith('[:', this.at)) {
      throw new Unreadable(this.at, 'has a class such as [:alpha:], which is not supported')
    }
    this.at += next.length
    if (next !== '\\') return next.codePointAt(0)
    const escaped = this.escaped(this.at - 1)
    if (typeof escaped === 'number') return escaped
    tests.push(escaped)
    return undefined
  }

  private repetition(start: number): void {
    const at = this.at
    const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.source.slice(at))
    const next = this.peek()
    let least = 0
    let most = Number.POSITIVE_INFINITY
    if (counted !== null) {
      const [all, from, range, to] = counted
      this.at += all.length
      least = Number(from)
      most = range === undefined ? least : to === '' ? Number.POSITIVE_INFINITY : Number(to)
      if (most < least || Math.max(least, Number.isFinite(most) ? most : 0) > MOST_REPEATED)
        throw new Unreadable(at, `has a repetition that is not from 0 to ${MOST_REPEATED}`)
    } else if (next === '*' || next === '+' || next === '?') {
      this.at += 1
      if (next === '+') least = 1
      if (next === '?') most = 1
    } else {
      return
    }
    const lazy = this.peek() === '?'
    if (lazy) this.at += 1
    const again = this.peek()
    if (again === '*' || again === '+' || again === '?')
      throw new Unreadable(this.at, `has a ${again} after a repetition`)
    this.repeat(this.steps.splice(start), start, { least, most, lazy })
  }

  private repeat(
    body: readonly Step[],
    start: number,
    { least, most, lazy }: { readonly least: number; readonly most: number; readonly lazy: boolean },
  ): void {
    const copy = (): void => {
      const by = this.steps.length - start
      for (const step of body) this.add(movedStep(step, by))
    }
    const forkTo = (enter: number, leave: number): Step =>
      lazy ? { kind: 'fork', first: leave, second: enter } : { kind: 'fork', first: enter, second: leave }
    for (let i = 0; i < least; i++) copy()
    if (most === Number.POSITIVE_INFINITY) {
      const loop = this.steps.length
      this.add(forkTo(loop + 1, loop + body.length + 2))
      copy()
      this.add({ kind: 'jump', to: loop })
      return
    }
    const end = this.steps.length + (most - least) * (body.length + 1)
    for (let i = least; i < most; i++) {
      this.add(forkTo(this.steps.length + 1, end))
      copy()
    }
  }

  private addLiteral(character: string): void {
    const code = character.codePointAt(0) ?? 0
    this.add({ kind: 'one', test: (c) => c === code, literal: code })
  }

  private add(step: Step): void {
    if (this.steps.length >= MOST_STEPS) throw new Unreadable(this.at, `has more than ${MOST_STEPS} steps`)
    this.steps.push(step)
  }

  private insert(at: number, step: Step): void {
    const rest = this.steps.splice(at)
    this.add(step)
    for (const one of rest) this.add(movedStep(one, 1))
  }

  private peek(): string | undefined {
    const code = this.source.codePointAt(this.at)
    return code === undefined ? undefined : String.fromCodePoint(code)
  }
}

function movedStep(step: Step, by: number): Step {
  if (step.kind === 'jump') return { kind: 'jump', to: step.to + by }
  if (step.kind === 'fork') return { kind: 'fork', first: step.first + by, second: step.second + by }
  return step
}

/** A position in the steps, with what the first group has matched. */
interface Thread {
  readonly step: number
  readonly from: number
  readonly to: number
}

/** All threads advance through the text in parallel, in order of preference. */
function matchWhole(steps: readonly Step[], text: string): string | undefined {
  let threads: Thread[] = []
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const follow = (into: Thread[], start: Thread, at: number, seen: Set<number>): void => {
    const open = [start]
    for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
      const step = steps[thread.step]
      if (step === undefined || seen.has(thread.step)) continue
      seen.add(thread.step)
      const next = { ...thread, step: thread.step + 1 }
      if (step.kind === 'jump') open.push({ ...thread, step: step.to })
      else if (step.kind === 'fork') open.push({ ...thread, step: step.second }, { ...thread, step: step.first })
      else if (step.kind === 'mark')
        open.push(step.edge === 'from' ? { ...next, from: at, to: at } : { ...next, to: at })
      else if (step.kind === 'one' || step.kind === 'done') into.push(thread)
      else if (holds(step.kind, points, at)) open.push(next)
    }
  }
  follow(threads, { step: 0, from: 0, to: 0 }, 0, new Set())
  for (const [at, point] of points.entries()) {
    const next: Thread[] = []
    const seen = new Set<number>()
    for (const thread of threads) {
      const step = steps[thread.step]
      if (step?.kind === 'one' && step.test(point)) follow(next, { ...thread, step: thread.step + 1 }, at + 1, seen)
    }
    if (next.length === 0) return undefined
    threads = next
  }
  const done = threads.find(({ step }) => steps[step]?.kind === 'done')
  return done === undefined
    ? undefined
    : points
        .slice(done.from, done.to)
        .map((point) => String.fromCodePoint(point))
        .join('')
}

function holds(kind: 'start' | 'end' | 'word edge' | 'no word edge', points: readonly number[], at: number): boolean {
  if (kind === 'start') return at === 0
  if (kind === 'end') return at === points.length
  const isEdge = isWord(points[at - 1] ?? 0) !== isWord(points[at] ?? 0)
  return isEdge === (kind === 'word edge')
}
