/** Lists of a question whose items may be left out, by subcommand; the most important first. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  queueset: ['arrivals', 'reconfigs', 'samples'],
  solver: ['items'],
  integrator: ['steps'],
  limits: ['priorityLevels'],
  borrow: ['steps', 'priorityLevels'],
  watches: ['requests', 'watches'],
  match: ['requests', 'flowSchemas', 'priorityLevels'],
  retryafter: ['steps'],
  timing: ['steps', 'buckets'],
  dump: ['starts', 'priorityLevels'],
}

type Question = Readonly<Record<string, unknown>>

/**
 * Leaves items out of a question's lists, as many as possible, while `differs` holds for what remains. In the end no
 * single item can be left out any more.
 */
export async function shrink(
  subcommand: string,
  question: Question,
  differs: (candidate: Question) => Promise<boolean>,
): Promise<Question> {
  let smallest = question
  for (;;) {
    const before = smallest
    for (const field of LISTS[subcommand] ?? []) smallest = await shrinkList(smallest, field, differs)
    // One list may shrink further once another one has.
    if (smallest === before) return smallest
  }
}

async function shrinkList(
  question: Question,
  field: string,
  differs: (candidate: Question) => Promise<boolean>,
): Promise<Question> {
  let smallest = question
  const items = (): readonly unknown[] => {
    const value = smallest[field]
    return Array.isArray(value) ? value : []
  }
  for (let size = items().length; size >= 1; size = Math.floor(size / 2)) {
    // From the end: what comes last seldom decides what came before it.
    for (let end = items().length; end > 0; end -= size) {
      const rest = [...items().slice(0, Math.max(0, end - size)), ...items().slice(end)]
      const candidate = { ...smallest, [field]: rest }
      if (await differs(candidate)) smallest = candidate
    }
  }
  return smallest
}
