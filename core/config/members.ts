import { type Finding, member, quoted, rejected } from './finding.ts'
import {
  isJsonObject,
  type JsonObject,
  type Read,
  readFlag,
  readList,
  readText,
  readWhole,
  wrongType,
} from './jsonValues.ts'

/** A member for an object literal: `{ [key]: value }`, or nothing. */
type Optional<K extends string, T> = { readonly [P in K]?: T }

/**
 * Decodes an object like the API server: absent or `null` members are empty, names are case sensitive, and a member
 * that `build` does not read is a finding. `undefined` and `null` have no members; any other value that is not an
 * object is a finding.
 */
export function readAs<T>(build: (members: Members) => T): Read<T> {
  return (value, at, findings) => {
    if (value !== undefined && value !== null && !isJsonObject(value)) findings.push(wrongType(at, value, 'an object'))
    const members = new Members(isJsonObject(value) ? value : {}, at, findings)
    const built = build(members)
    members.end()
    return built
  }
}

/** The members of one object. */
export class Members {
  readonly #object: JsonObject
  readonly #at: string
  readonly #findings: Finding[]
  readonly #asked: string[] = []

  constructor(object: JsonObject, at: string, findings: Finding[]) {
    this.#object = object
    this.#at = at
    this.#findings = findings
  }

  text(key: string): string {
    return this.nested(key, readText)
  }

  whole(key: string): number {
    return this.nested(key, readWhole)
  }

  list<T>(key: string, read: Read<T>): readonly T[] {
    return this.nested(key, readList(read))
  }

  nested<T>(key: string, read: Read<T>): T {
    this.#asked.push(key)
    return read(this.#own(key), member(this.#at, key), this.#findings)
  }

  // Members that the server stores only when they are not empty: an empty text or list and `false` become absent.

  someText<K extends string>(key: K): Optional<K, string> {
    const text = this.text(key)
    return text === '' ? {} : only(key, text)
  }

  someFlag<K extends string>(key: K): Optional<K, boolean> {
    const flag = this.nested(key, readFlag)
    return flag ? only(key, flag) : {}
  }

  someList<K extends string, T>(key: K, read: Read<T>): Optional<K, readonly T[]> {
    const list = this.list(key, read)
    return list.length === 0 ? {} : only(key, list)
  }

  someMap<K extends string, T extends object>(key: K, read: Read<T>): Optional<K, T> {
    const map = this.nested(key, read)
    return Object.keys(map).length === 0 ? {} : only(key, map)
  }

  // Members for which the server distinguishes absent ones from 0, `false` and an empty object.

  given<K extends string, T>(key: K, read: Read<T>): Optional<K, T> {
    const value = this.nested(key, read)
    return this.#own(key) === undefined || this.#own(key) === null ? {} : only(key, value)
  }

  givenWhole<K extends string>(key: K): Optional<K, number> {
    return this.given(key, readWhole)
  }

  givenFlag<K extends string>(key: K): Optional<K, boolean> {
    return this.given(key, readFlag)
  }

  /** A member that must have its type but is not used by the console. */
  check(key: string, read: Read<unknown>): void {
    this.nested(key, read)
  }

  /** Reports every member that was not read. */
  end(): void {
    for (const key of Object.keys(this.#object)) {
      if (!this.#asked.includes(key)) this.#findings.push(unknownMember(this.#at, key, this.#asked))
    }
  }

  #own(key: string): unknown {
    return Object.hasOwn(this.#object, key) ? this.#object[key] : undefined
  }
}

function only<K extends string, T>(key: K, value: T): Optional<K, T>
function only(key: string, value: unknown): JsonObject {
  return { [key]: value }
}

function unknownMember(at: string, key: string, known: readonly string[]): Finding {
  const meant = known.find((name) => name.toLowerCase() === key.toLowerCase())
  const mend = meant === undefined ? 'remove it or correct its name' : `write ${quoted(meant)}`
  const field = /[.[\]]/.test(key) ? `${at}[${key}]` : member(at, key)
  return rejected(field, 'FieldUnknown', `There is no field ${quoted(key)} ${placeOf(at)}: ${mend}.`)
}

const placeOf = (at: string): string => (at === '' ? 'at the top of the object' : `in ${at}`)
