import { byName, sameContent } from '../config/content.ts'
import type { JsonObject } from '../config/jsonValues.ts'
import type { FlowSchema, Kind, ObjectMeta, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'

/** Creates the UID of an object that exists on no server. */
type MakeUid = (kind: Kind, name: string) => string

/**
 * The objects of an engine that follows a server's objects and can be edited independently: edited objects stay as
 * edited, all others are as on the server. An edit that equals the server's object is no longer an edit.
 */
export class LocalObjects {
  private readonly makeUid: MakeUid
  private theirs: ObjectSet
  private readonly levels = new Map<string, PriorityLevelConfiguration | null>()
  private readonly schemas = new Map<string, FlowSchema | null>()
  private held: ObjectSet
  private version = 0

  constructor(theirs: ObjectSet, makeUid: MakeUid) {
    this.makeUid = makeUid
    this.theirs = theirs
    this.held = theirs
  }

  get objects(): ObjectSet {
    return this.held
  }

  /** Names of objects that are edited, created or deleted here. */
  get edited(): readonly string[] {
    return [...this.levels.keys(), ...this.schemas.keys()]
  }

  /** Sets the server's current objects. */
  follow(theirs: ObjectSet): ObjectSet {
    this.theirs = theirs
    dropEqual(this.levels, theirs.levels)
    dropEqual(this.schemas, theirs.schemas)
    return this.refresh()
  }

  /** Sets all objects: each difference from the server is an edit. */
  replace(wanted: ObjectSet): ObjectSet {
    this.edit('PriorityLevelConfiguration', this.levels, this.theirs.levels, this.held.levels, wanted.levels)
    this.edit('FlowSchema', this.schemas, this.theirs.schemas, this.held.schemas, wanted.schemas)
    return this.refresh()
  }

  private refresh(): ObjectSet {
    this.held = {
      levels: merged(this.theirs.levels, this.levels),
      schemas: merged(this.theirs.schemas, this.schemas),
    }
    return this.held
  }

  private edit<O extends Editable>(
    kind: Kind,
    edits: Map<string, O | null>,
    theirs: readonly O[],
    held: readonly O[],
    wanted: readonly O[],
  ): void {
    const [server, before, after] = [byName(theirs), byName(held), byName(wanted)]
    for (const name of new Set([...server.keys(), ...before.keys(), ...after.keys()])) {
      const [their, present, wish] = [server.get(name), before.get(name), after.get(name)]
      if (wish === undefined) {
        if (their === undefined) edits.delete(name)
        else edits.set(name, null)
      } else if (their !== undefined && same(their, wish)) edits.delete(name)
      else if (present === undefined || !same(present, wish))
        edits.set(name, this.written(kind, wish, present ?? their))
    }
  }

  /** As a server would store it after a write. */
  private written<O extends Editable>(kind: Kind, wish: O, before: O | undefined): O {
    this.version += 1
    const { name, labels, annotations } = wish.metadata
    const { uid = this.makeUid(kind, name), generation = 0, creationTimestamp } = before?.metadata ?? wish.metadata
    const metadata: ObjectMeta = {
      name,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      uid,
      generation: generation + 1,
      // Servers use numbers; a word cannot be confused with one of their versions.
      resourceVersion: `local-${this.version}`,
    }
    return { ...wish, metadata }
  }
}

type Editable = FlowSchema | PriorityLevelConfiguration

const same = (a: Editable, b: Editable): boolean => sameContent(asJson(a), asJson(b))
const asJson = (object: Editable): JsonObject => ({ ...object })

/** Whatever the server has by now is no edit, whether or not anything else is edited before it changes again. */
function dropEqual<O extends Editable>(edits: Map<string, O | null>, theirs: readonly O[]): void {
  const server = byName(theirs)
  for (const [name, edit] of edits) {
    const their = server.get(name)
    if (edit === null ? their === undefined : their !== undefined && same(their, edit)) edits.delete(name)
  }
}

function merged<O extends Editable>(theirs: readonly O[], edits: ReadonlyMap<string, O | null>): O[] {
  const known = new Set(theirs.map(({ metadata }) => metadata.name))
  const kept = theirs.flatMap((one) => {
    const edit = edits.get(one.metadata.name)
    return edit === null ? [] : [edit ?? one]
  })
  const made = [...edits.values()].flatMap((one) => (one === null || known.has(one.metadata.name) ? [] : [one]))
  return [...kept, ...made]
}
